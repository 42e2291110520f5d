//! Messages and steps that libraries for agents write by themselves (`FORMATS.md` 14).

use super::members::{first, has_any, is_array, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const PYDANTIC_AI: Signature = Signature {
    format: "pydantic-ai",
    what: "a file of messages of Pydantic AI",
    detect: pydantic_ai,
    members: &["/kind", "/parts/part_kind"],
};

pub(super) const LANG_CHAIN: Signature = Signature {
    format: "langchain",
    what: "a file of messages of LangChain",
    detect: lang_chain,
    members: &["/type", "/data/content", "/data/additional_kwargs"],
};

pub(super) const AGENT_FRAMEWORK: Signature = Signature {
    format: "agent-framework",
    what: "messages of the Microsoft Agent Framework",
    detect: agent_framework,
    members: &["/role", "/contents/type"],
};

pub(super) const SEMANTIC_KERNEL: Signature = Signature {
    format: "semantic-kernel",
    what: "a chat history of Semantic Kernel",
    detect: semantic_kernel,
    members: &["/messages/role", "/messages/items/content_type"],
};

pub(super) const LLAMA_INDEX: Signature = Signature {
    format: "llama-index",
    what: "chat messages of LlamaIndex",
    detect: llama_index,
    members: &["/role", "/blocks/block_type"],
};

pub(super) const SMOLAGENTS: Signature = Signature {
    format: "smolagents",
    what: "the steps of an agent of smolagents",
    detect: smolagents,
    members: &["/step_number", "/timing", "/model_output", "/action_output"],
};

/// Whether a record is such a message, a list of them, or an object with a list under one of these names.
fn is_or_holds(record: &Value<'_>, lists: &[&str], is_message: impl Fn(&Value<'_>) -> bool) -> bool {
    let begins = |list: &Value<'_>| list.as_array().is_some_and(|all| all.first().is_some_and(&is_message));
    is_message(record) || begins(record) || lists.iter().any(|name| record.get(name).is_some_and(begins))
}

fn pydantic_ai(head: &Head<'_, '_>) -> Option<Match> {
    let lists = ["messages", "all_messages", "new_messages", "message_history"];
    // A response may have no part.
    let has_part = |r: &Value<'_>| match first(r, "parts") {
        Some(part) => is_text(part, "part_kind"),
        None => is_array(r, "parts") && has_any(r, &["run_id", "instructions", "usage"]),
    };
    let is_message = |r: &Value<'_>| matches!(text(r, "kind"), "request" | "response") && has_part(r);
    let reason = "messages with a `kind` and `parts` with a `part_kind`";
    matched(most(head, |r| is_or_holds(r, &lists, is_message)), reason)
}

/// Words for speakers of LangChain that no other library has.
const SPEAKERS: [&str; 7] = ["human", "ai", "system", "tool", "function", "HumanMessageChunk", "AIMessageChunk"];

fn lang_chain(head: &Head<'_, '_>) -> Option<Match> {
    let is_stored = |r: &Value<'_>| {
        let data = r.get("data");
        SPEAKERS.contains(&text(r, "type")) && data.is_some_and(|data| has_any(data, &["content"]))
    };
    let is_written = |r: &Value<'_>| {
        let class = r.get("id").and_then(Value::as_array).and_then(|id| id.last()?.as_str()).unwrap_or_default();
        let is_class = class.ends_with("Message") || class.ends_with("MessageChunk");
        is_class && has_any(r, &["lc"]) && is_object(r, "kwargs")
    };
    let is_bare = |r: &Value<'_>| {
        let is_named = SPEAKERS.contains(&text(r, "type")) && !is_text(r, "role");
        is_named && has_any(r, &["content"]) && is_object(r, "additional_kwargs")
    };
    let is_message = |r: &Value<'_>| is_stored(r) || is_written(r) || is_bare(r);
    let holds = |r: &Value<'_>| is_or_holds(r, &["messages"], is_message);
    let is_such = |r: &Value<'_>| holds(r) || r.get("kwargs").is_some_and(holds);
    matched(most(head, is_such), "messages of LangChain, by their `type` and `data`, `kwargs` or `additional_kwargs`")
}

fn agent_framework(head: &Head<'_, '_>) -> Option<Match> {
    let is_message = |r: &Value<'_>| {
        let is_part = |part: &Value<'_>| is_text(part, "type") || is_text(part, "$type");
        is_text(r, "role") && first(r, "contents").is_some_and(is_part)
    };
    let holds = |r: &Value<'_>| is_or_holds(r, &["messages"], is_message);
    let is_session = |r: &Value<'_>| {
        let state = r.get("state").or_else(|| r.get("storeState"));
        let members = state.and_then(Value::as_object).into_iter().flat_map(|state| state.entries());
        state.is_some_and(holds) || members.into_iter().any(|(_, member)| holds(member))
    };
    matched(most(head, |r| holds(r) || is_session(r)), "messages with a `role` and typed `contents`")
}

fn semantic_kernel(head: &Head<'_, '_>) -> Option<Match> {
    let is_message =
        |r: &Value<'_>| is_text(r, "role") && first(r, "items").is_some_and(|item| is_text(item, "content_type"));
    matched(
        most(head, |r| is_or_holds(r, &["messages"], is_message)),
        "messages with a `role` and `items` with a `content_type`",
    )
}

fn llama_index(head: &Head<'_, '_>) -> Option<Match> {
    let is_message =
        |r: &Value<'_>| is_text(r, "role") && first(r, "blocks").is_some_and(|block| is_text(block, "block_type"));
    let is_store = |r: &Value<'_>| {
        let store = r.get("store").and_then(Value::as_object);
        let members = store.into_iter().flat_map(|store| store.entries());
        members.into_iter().any(|(_, list)| is_or_holds(list, &[], is_message))
    };
    let is_such = |r: &Value<'_>| {
        is_or_holds(r, &["messages", "chat_history"], is_message)
            || is_store(r)
            || r.get("chat_store").is_some_and(is_store)
    };
    matched(most(head, is_such), "messages with a `role` and `blocks` with a `block_type`")
}

fn smolagents(head: &Head<'_, '_>) -> Option<Match> {
    let is_action = |r: &Value<'_>| {
        has_any(r, &["step_number"]) && is_object(r, "timing") && has_any(r, &["action_output", "code_action"])
    };
    let is_other = |r: &Value<'_>| {
        let is_task = is_text(r, "task") && has_any(r, &["task_images"]);
        let is_plan = is_text(r, "plan") && is_object(r, "timing");
        is_task || is_plan || is_text(r, "system_prompt") || has_any(r, &["final_answer"])
    };
    let is_result = |r: &Value<'_>| first(r, "steps").is_some_and(|step| is_action(step) || is_other(step));
    let has_action = head.records.iter().any(|r| is_action(r) || is_result(r));
    matched(
        has_action && most(head, |r| is_action(r) || is_other(r) || is_result(r)),
        "steps of a task with a `step_number`, `timing` and `action_output`",
    )
}
