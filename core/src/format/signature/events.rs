//! Streams and lists of events: AG-UI, OpenHands, Google ADK (`FORMATS.md` 6, 7, 9).

use super::members::{any, has, has_any, is_array, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const AG_UI: Signature =
    Signature { format: "ag-ui", what: "a stream of AG-UI events", detect: ag_ui, members: &[] };

pub(super) const OPENHANDS: Signature = Signature {
    format: "openhands",
    what: "an OpenHands run",
    detect: openhands,
    members: &["/id", "/timestamp", "/source", "/action"],
};

pub(super) const ADK: Signature = Signature {
    format: "adk",
    what: "a session of Google's Agent Development Kit",
    detect: adk,
    members: &["/app_name", "/user_id", "/events/author", "/events/content"],
};

/// The types of events of AG-UI, those of its drafts too.
pub(in crate::format) const AG_UI_EVENTS: [&str; 37] = [
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "TEXT_MESSAGE_CHUNK",
    "THINKING_START",
    "THINKING_END",
    "THINKING_TEXT_MESSAGE_START",
    "THINKING_TEXT_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END",
    "REASONING_START",
    "REASONING_END",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_MESSAGE_CHUNK",
    "REASONING_ENCRYPTED_VALUE",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "TOOL_CALL_CHUNK",
    "TOOL_CALL_RESULT",
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "MESSAGES_SNAPSHOT",
    "ACTIVITY_SNAPSHOT",
    "ACTIVITY_DELTA",
    "RAW",
    "CUSTOM",
    "RUN_STARTED",
    "RUN_FINISHED",
    "RUN_ERROR",
    "STEP_STARTED",
    "STEP_FINISHED",
    "META_EVENT",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "SUBAGENT_ERROR",
];

/// Members of events, one of which an event of those types has; as Python dumps them too.
const AG_UI_MEMBERS: [&str; 20] = [
    "threadId",
    "thread_id",
    "runId",
    "run_id",
    "messageId",
    "message_id",
    "toolCallId",
    "tool_call_id",
    "toolCallName",
    "delta",
    "snapshot",
    "messages",
    "stepName",
    "step_name",
    "event",
    "value",
    "message",
    "patch",
    "content",
    "activityType",
];

/// Lines, an array or an event stream of events; or an object of arrays of them, each a run.
fn ag_ui(head: &Head<'_, '_>) -> Option<Match> {
    if most(head, |r| AG_UI_EVENTS.contains(&text(r, "type"))) && any(head, is_ag_ui_event) {
        return matched(true, "events of AG-UI types with their members");
    }
    let [record] = head.records else { return None };
    let streams = &record.as_object()?.members;
    let is_stream = |value: &Value<'_>| value.as_array().is_some_and(|all| all.first().is_some_and(is_ag_ui_event));
    let n = streams.iter().filter(|member| is_stream(&member.value)).count();
    matched(n > 0 && n * 2 >= streams.len(), "arrays of events of AG-UI types, each under a name")
}

fn is_ag_ui_event(record: &Value<'_>) -> bool {
    AG_UI_EVENTS.contains(&text(record, "type")) && has_any(record, &AG_UI_MEMBERS)
}

fn openhands(head: &Head<'_, '_>) -> Option<Match> {
    let reason = if most(head, is_sdk_event) && any(head, is_known_sdk_event) {
        "events with a `kind`, `source` and `timestamp`"
    } else if most(head, is_event) && any(head, has_content) {
        "events with `source`, `id` and an `action` or `observation`"
    } else if most(head, is_output) {
        "rows of an evaluation whose `history` holds events"
    } else {
        return None;
    };
    matched(true, reason)
}

/// Who may cause an event.
const SOURCES: [&str; 5] = ["user", "agent", "environment", "hook", "system"];

fn is_sdk_event(record: &Value<'_>) -> bool {
    let is_caused = SOURCES.contains(&text(record, "source"));
    text(record, "kind").ends_with("Event") && is_caused && is_text(record, "timestamp")
}

/// Kinds of events and what one of each has, one of these: other programs have events with a kind and a source too.
const SDK_EVENTS: [(&str, &[&str]); 15] = [
    ("MessageEvent", &["llm_message"]),
    ("ActionEvent", &["action", "tool_name"]),
    ("ObservationEvent", &["observation", "tool_name"]),
    ("AgentErrorEvent", &["error"]),
    ("ACPToolCallEvent", &["tool_call_id"]),
    ("SystemPromptEvent", &["system_prompt", "tools"]),
    ("ConversationStateUpdateEvent", &["key", "value"]),
    ("ConversationErrorEvent", &["code", "detail"]),
    ("HookExecutionEvent", &["hook_event_type", "blocked", "exit_code"]),
    ("CondensationSummaryEvent", &["summary"]),
    ("CondensationEvent", &["forgotten_event_ids", "summary"]),
    ("LLMCompletionLogEvent", &["filename", "log_data"]),
    ("TokenEvent", &["prompt_token_ids", "response_token_ids"]),
    ("InterruptEvent", &["source"]),
    ("PauseEvent", &["source"]),
];

fn is_known_sdk_event(record: &Value<'_>) -> bool {
    let kind = text(record, "kind");
    is_sdk_event(record) && SDK_EVENTS.iter().any(|(known, members)| *known == kind && has_any(record, members))
}

/// Whether an event has what it was done with, or what came of it: entries of an audit have an action and a source too.
fn has_content(record: &Value<'_>) -> bool {
    is_event(record) && (is_object(record, "args") || is_object(record, "extras") || is_text(record, "content"))
}

fn is_event(record: &Value<'_>) -> bool {
    SOURCES.contains(&text(record, "source"))
        && record.get("id").is_some()
        && (is_text(record, "action") || is_text(record, "observation"))
}

/// A row of `output.jsonl`: its history holds events, or pairs of an action and an observation; that of a run that
/// failed before it began holds none.
fn is_output(record: &Value<'_>) -> bool {
    let is_half = |event: &Value<'_>| is_text(event, "action") || is_text(event, "observation");
    let is_pair = |pair: &Value<'_>| pair.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(is_half));
    let is_first = |value: &Value<'_>| is_event(value) || is_known_sdk_event(value) || is_pair(value);
    let is_failed = || has(record, &["instance_id", "test_result"]) && has_any(record, &["metadata", "instruction"]);
    match record.get("history").filter(|history| !history.is_null()) {
        Some(history) => history.as_array().is_some_and(|all| all.first().map_or_else(is_failed, is_first)),
        None => is_failed(),
    }
}

fn adk(head: &Head<'_, '_>) -> Option<Match> {
    if most(head, is_adk_event) {
        return matched(true, "events with an `author` and an invocation, and their `content` or `actions`");
    }
    let record = head.records.first()?;
    let events = record.get("events")?.as_array()?;
    let is_event = |event: &Value<'_>| is_text(event, "author") && has_any(event, &["content", "actions"]);
    let is_named = has_any(record, &["app_name", "appName"]) && has_any(record, &["id", "user_id", "userId"]);
    let is_oldest = is_object(record, "context") && has(record, &["past_events"]);
    let is_session = (is_named || is_oldest) && events.first().is_none_or(is_event) && !is_array(record, "eval_cases");
    matched(is_session, "a session with the `events` of its authors")
}

/// An event that the server sends without its session.
fn is_adk_event(record: &Value<'_>) -> bool {
    is_text(record, "author")
        && (is_text(record, "invocationId") || is_text(record, "invocation_id"))
        && (is_object(record, "content") || is_object(record, "actions"))
}
