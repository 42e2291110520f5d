//! Conversations for training: ShareGPT, and messages under any of their names (`FORMATS.md` 8), tried last; messages
//! of the AI SDK (`FORMATS.md` 14).

use super::members::{any, first, has, has_any, is_array, is_message, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::{OutlineLayout, Value};
use crate::rules::trajectory::blocks::item;
use crate::rules::trajectory::{has_scored_answers, is_exchange, is_session, is_unanswered};

pub(super) const AI_SDK: Signature = Signature {
    format: "ai-sdk",
    what: "a file of messages of the AI SDK",
    detect: ai_sdk,
    members: &["/id", "/role", "/parts/type"],
};

pub(super) const SHAREGPT: Signature =
    Signature { format: "sharegpt", what: "a file of ShareGPT conversations", detect: sharegpt, members: &[] };

pub(super) const MESSAGES: Signature =
    Signature { format: "messages", what: "a file of conversations", detect: messages, members: &[] };

pub(super) const ALPACA: Signature = Signature {
    format: "alpaca",
    what: "a file of Alpaca instructions",
    detect: alpaca,
    members: &["/instruction", "/input", "/output"],
};

/// Messages with a role and parts, or chats of such.
fn ai_sdk(head: &Head<'_, '_>) -> Option<Match> {
    let is_part = |part: &Value<'_>| match text(part, "type") {
        "text" | "reasoning" => is_text(part, "text"),
        "file" => has_any(part, &["mediaType", "mimeType"]),
        "step-start" | "dynamic-tool" | "tool-invocation" => true,
        class => (class.starts_with("tool-") && is_text(part, "toolCallId")) || class.starts_with("data-"),
    };
    let is_message = |r: &Value<'_>| {
        matches!(text(r, "role"), "user" | "assistant" | "system") && first(r, "parts").is_some_and(is_part)
    };
    let is_chat = |r: &Value<'_>| first(r, "messages").is_some_and(is_message);
    if most(head, |r| is_message(r) || is_chat(r)) {
        return matched(true, "messages with a `role` and typed `parts`");
    }
    // What `generateText` gave.
    let is_step = |r: &Value<'_>| {
        let has_parts = first(r, "content").is_none_or(|part| is_text(part, "type")) && is_array(r, "content");
        has_parts && is_text(r, "finishReason") && has_any(r, &["usage"]) && has_any(r, &["response"])
    };
    let is_result = |r: &Value<'_>| first(r, "steps").is_some_and(is_step);
    matched(most(head, |r| is_step(r) || is_result(r)), "steps with typed `content`, `finishReason` and `usage`")
}

/// Names under which a row holds its messages.
const LISTS: [&str; 5] = ["messages", "traj", "prompt", "chosen", "chosen_messages"];

fn sharegpt(head: &Head<'_, '_>) -> Option<Match> {
    let is_turn = |turn: &Value<'_>| (is_text(turn, "from") && turn.get("value").is_some()) || is_message(turn);
    let is_row = |r: &Value<'_>| first(r, "conversations").is_some_and(is_turn);
    matched(most(head, is_row), "`conversations` whose turns have `from` and `value`, or `role` and `content`")
}

fn messages(head: &Head<'_, '_>) -> Option<Match> {
    // Runs of tau-bench that failed before they began have nothing to show.
    let is_failed = |row: &&Value<'_>| is_array(row, "traj") && first(row, "traj").is_none();
    let failed = head.records.iter().filter(is_failed).count();
    let rows = head.records.iter().filter(|row| is_row(row)).count();
    let are_all_failed = failed > 0 && head.records.iter().all(|row| is_failed(&row) && has(row, &["reward", "info"]));
    if (rows > 0 && (rows + failed) * 2 >= head.records.len()) || are_all_failed {
        return matched(true, "rows whose messages have a `role` and `content`");
    }
    // Items of the Responses interface are between messages, and may be more than these.
    let is_begun = head.records.first().is_some_and(is_message);
    let is_entry = |r: &Value<'_>| is_message(r) || (is_begun && item(r).is_some());
    // A log of events begins with one, although most of them may be messages.
    let is_event = |r: &Value<'_>| is_text(r, "type") && !has(r, &["role"]) && item(r).is_none();
    let has_events = head.records.first().is_some_and(is_event);
    if !has_events && most(head, is_entry) && (head.records.len() > 1 || head.layout == OutlineLayout::Elements) {
        return matched(true, "messages with a `role` and `content`");
    }
    let is_list = |r: &Value<'_>| r.as_array().is_some_and(|all| all.first().is_some_and(is_message));
    if most(head, is_list) {
        return matched(true, "lists of messages with a `role` and `content`");
    }
    if most(head, is_request) {
        return matched(true, "`responses_create_params` with an `input`: rollouts or tasks of NeMo Gym");
    }
    if most(head, is_group) {
        return matched(true, "`trajectories` of messages, or lists of messages with `scores`: groups of attempts");
    }
    if most(head, is_gemini) {
        return matched(true, "`contents` of `parts`, or `candidates` of them: rows of Gemini's API");
    }
    if most(head, has_scored_answers) {
        return matched(true, "lists of answers with a score for each: groups of attempts");
    }
    if most(head, is_session) {
        return matched(true, "sessions of Agno, or their runs, with `messages`");
    }
    // Rows of a batch of which nothing came back count neither way.
    let has_exchange = any(head, is_exchange);
    if most(head, |row| is_exchange(row) || (has_exchange && is_unanswered(row))) {
        return matched(true, "requests to a model, or what it answered");
    }
    matched(most(head, is_preference), "rows with a `prompt` and what was chosen, rejected or completed")
}

fn is_row(record: &Value<'_>) -> bool {
    LISTS.iter().any(|name| first(record, name).is_some_and(is_message))
        || first(record, "simulations").is_some_and(|run| first(run, "messages").is_some_and(is_message))
        || first(record, "requests").is_some_and(is_exchange)
}

/// A row of TRL whose turns are texts.
fn is_preference(record: &Value<'_>) -> bool {
    let is_pair = is_text(record, "chosen") && is_text(record, "rejected");
    let is_list = |answer: &Value<'_>| answer.as_array().is_some_and(|all| all.first().is_some_and(is_message));
    let are_completions = is_array(record, "completions")
        && (is_array(record, "labels") || first(record, "completions").is_some_and(is_list));
    let is_response_to = |answer: &Value<'_>| answer.as_str().is_some() || is_list(answer);
    let answers = record.get("responses").and_then(Value::as_array).unwrap_or_default();
    let are_responses = !answers.is_empty() && answers.iter().all(is_response_to);
    let is_completed = is_text(record, "completion") || are_completions || are_responses;
    // A row of OpenAI's fine-tuning.
    let is_asked = |input: &Value<'_>| first(input, "messages").is_some_and(is_message);
    let is_preferred =
        ["preferred_output", "non_preferred_output"].iter().all(|name| first(record, name).is_some_and(is_message))
            && record.get("input").is_some_and(is_asked);
    let is_ranked = first(record, "context").is_some_and(is_message)
        && first(record, "completions").is_some_and(|answer| first(answer, "completion").is_some_and(is_message));
    is_pair || is_preferred || is_ranked || is_response(record) || (is_text(record, "prompt") && is_completed)
}

/// A request of NeMo Gym, with or without what came back.
fn is_request(record: &Value<'_>) -> bool {
    let is_asked = |request: &Value<'_>| is_text(request, "input") || first(request, "input").is_some_and(is_message);
    record.get("responses_create_params").is_some_and(is_asked)
}

/// A group of attempts: of ART, Atropos, or an episode of rLLM.
fn is_group(record: &Value<'_>) -> bool {
    let is_turn = |message: &Value<'_>| is_message(message) || message.get("message").is_some_and(is_message);
    let is_attempt = |one: &Value<'_>| {
        let is_first = |step: &Value<'_>| first(step, "chat_completions").is_some_and(is_message);
        first(one, "messages_and_choices").is_some_and(is_turn) || first(one, "steps").is_some_and(is_first)
    };
    let is_list = |list: &Value<'_>| list.as_array().is_some_and(|all| all.first().is_some_and(is_message));
    first(record, "trajectories").is_some_and(is_attempt)
        || (is_array(record, "scores") && first(record, "messages").is_some_and(is_list))
}

/// A request of Gemini's API, in a row of a batch or of a tuning, or what came back.
fn is_gemini(record: &Value<'_>) -> bool {
    let is_part = |part: &Value<'_>| {
        part.get("type").is_none()
            && has_any(part, &["text", "functionCall", "functionResponse", "inlineData", "fileData", "function_call"])
    };
    let is_content = |content: &Value<'_>| first(content, "parts").is_some_and(is_part);
    let is_asked = |request: &Value<'_>| first(request, "contents").is_some_and(is_content);
    let is_answered = |response: &Value<'_>| {
        first(response, "candidates").is_some_and(|candidate| candidate.get("content").is_some_and(is_content))
    };
    let is_in = |name: &str, is_such: &dyn Fn(&Value<'_>) -> bool| record.get(name).is_some_and(is_such);
    is_asked(record) || is_answered(record) || is_in("request", &is_asked) || is_in("response", &is_answered)
}

/// A request of OpenAI's Responses interface with what came back, or that alone.
fn is_response(record: &Value<'_>) -> bool {
    let is_item = |item: &Value<'_>| match text(item, "type") {
        "message" => is_text(item, "role"),
        "reasoning" => is_array(item, "summary"),
        class => class.ends_with("_call") && (is_text(item, "call_id") || is_text(item, "id")),
    };
    let is_asked = text(record, "object") == "response" || is_text(record, "input") || is_array(record, "input");
    is_asked && first(record, "output").is_some_and(is_item)
}

fn alpaca(head: &Head<'_, '_>) -> Option<Match> {
    let is_row = |row: &Value<'_>| is_text(row, "instruction") && is_text(row, "output");
    matched(most(head, is_row), "rows with an `instruction` and an `output`")
}
