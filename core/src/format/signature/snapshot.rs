//! Snapshots of agents and recordings of model clients: Letta, OpenAI Agents, AutoGen (`FORMATS.md` 12, 14).

use super::members::{first, has_any, is_array, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const LETTA: Signature = Signature {
    format: "letta",
    what: "a Letta agent file",
    detect: letta,
    members: &["/agents/agent_type", "/blocks", "/tools"],
};

pub(super) const OPENAI_AGENTS: Signature = Signature {
    format: "openai-agents",
    what: "a run state of the OpenAI Agents SDK",
    detect: openai_agents,
    members: &["/$schemaVersion", "/generated_items", "/current_agent"],
};

pub(super) const AUTOGEN: Signature = Signature {
    format: "autogen",
    what: "a recording or saved state of AutoGen",
    detect: autogen,
    members: &["/mode", "/messages", "/response"],
};

fn letta(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let is_agent = |agent: &Value<'_>| has_any(agent, &["agent_type", "in_context_message_ids", "messages"]);
    let is_file =
        is_array(record, "blocks") && is_array(record, "tools") && first(record, "agents").is_some_and(is_agent);
    if is_file {
        return matched(true, "`agents`, `blocks` and `tools`");
    }
    // The first such files are one agent.
    let is_block = |block: &Value<'_>| is_text(block, "label") && block.get("value").is_some();
    let has_memory = is_array(record, "core_memory") && first(record, "core_memory").is_none_or(is_block);
    let is_agent = is_text(record, "agent_type") && is_array(record, "messages") && is_array(record, "tools");
    matched(has_memory && is_agent, "an agent with its `core_memory`, `messages` and `tools`")
}

fn openai_agents(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let lists = ["session_items", "generated_items", "sessionItems", "generatedItems"];
    let has_items = lists.iter().any(|name| is_array(record, name));
    matched(is_text(record, "$schemaVersion") && has_items, "`$schemaVersion` and the items of a run")
}

fn autogen(head: &Head<'_, '_>) -> Option<Match> {
    let is_mode = |r: &Value<'_>| matches!(text(r, "mode"), "create" | "create_stream");
    let is_exchange = |r: &Value<'_>| is_mode(r) && is_array(r, "messages") && r.get("response").is_some();
    if most(head, is_exchange) {
        return matched(true, "exchanges with a model: `mode`, `messages` and `response`");
    }
    let is_of_team = |r: &Value<'_>| {
        let class = text(r, "type");
        let is_class = class.ends_with("Message") || class.ends_with("Event");
        is_class && is_text(r, "source") && r.get("models_usage").is_some()
    };
    if most(head, |r| is_of_team(r) || first(r, "messages").is_some_and(is_of_team)) {
        return matched(true, "messages of a team with `source` and `models_usage`");
    }
    let has_messages = |r: &Value<'_>| {
        let context = r.get("llm_context").is_some_and(|context| is_array(context, "messages"));
        context
            || ["llm_messages", "message_thread"].iter().any(|name| is_array(r, name))
            || is_object(r, "agent_state")
    };
    let is_state = |r: &Value<'_>| {
        let class = text(r, "type");
        !class.is_empty() && (is_object(r, "agent_states") || (class.ends_with("State") && has_messages(r)))
    };
    matched(most(head, is_state), "the saved state of an agent or a team")
}
