//! Trajectories in one document: ATIF, SWE-agent, mini-swe-agent (`FORMATS.md` 5, 10), Browser Use.

use super::members::{first, has, has_any, is_array, is_message, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const ATIF: Signature = Signature {
    format: "atif",
    what: "an ATIF trajectory",
    detect: atif,
    members: &["/schema_version", "/agent/name", "/steps/step_id", "/steps/source"],
};

pub(super) const SWE_AGENT: Signature = Signature {
    format: "swe-agent",
    what: "a SWE-agent trajectory",
    detect: swe_agent,
    members: &["/trajectory/action", "/trajectory/observation", "/history/role", "/info/exit_status"],
};

pub(super) const MINI_SWE_AGENT: Signature = Signature {
    format: "mini-swe-agent",
    what: "a mini-swe-agent trajectory",
    detect: mini_swe_agent,
    members: &["/messages/role", "/info/mini_version", "/trajectory_format"],
};

pub(super) const BROWSER_USE: Signature = Signature {
    format: "browser-use",
    what: "a Browser Use history",
    detect: browser_use,
    members: &["/history/model_output", "/history/result", "/history/state"],
};

fn atif(head: &Head<'_, '_>) -> Option<Match> {
    if most(head, is_atif) {
        return matched(true, "`steps` with `step_id` and `source`");
    }
    let [record] = head.records else { return None };
    let members = &record.as_object()?.members;
    let are_all = !members.is_empty() && members.iter().all(|member| is_atif(&member.value));
    matched(are_all, "every member of the object is an ATIF trajectory")
}

fn is_atif(record: &Value<'_>) -> bool {
    // Steps of other pipelines have an id and a source too.
    let is_step = |step: &Value<'_>| {
        has(step, &["step_id"]) && matches!(text(step, "source"), "user" | "agent" | "system" | "environment")
    };
    let steps = record.get("steps").and_then(Value::as_array);
    let is_named = text(record, "schema_version").starts_with("ATIF-v");
    steps.is_some_and(|steps| is_named || steps.first().is_some_and(is_step))
}

/// `trajectory` with actions and observations; of a demonstration `history` with messages, beside what a run has.
fn swe_agent(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    if first(record, "trajectory").is_some_and(|item| is_turn(item) && is_of_swe_agent(item, &TURN, &TURN_MEMBERS)) {
        return matched(true, "`trajectory` with actions and observations");
    }
    let is_empty = |name| record.get(name).and_then(Value::as_array).is_some_and(<[_]>::is_empty);
    let info = record.get("info").filter(|info| has_any(info, &["exit_status", "model_stats"]));
    if is_empty("trajectory") && is_empty("history") && info.is_some() {
        return matched(true, "a `trajectory` without turns, beside what SWE-agent notes of a run");
    }
    let is_history = first(record, "history").is_some_and(|item| {
        is_message(item) && (has_any(item, &HISTORY_MEMBERS) || is_of_swe_agent(record, &["history"], &RUN_MEMBERS))
    });
    matched(is_history && !has_any(record, &["messages", "conversation_id"]), "`history` with messages")
}

/// What every turn has.
const TURN: [&str; 2] = ["action", "observation"];

/// What a turn has beside them, what a message of a history has, what a run has beside it.
const TURN_MEMBERS: [&str; 7] = ["thought", "response", "state", "query", "messages", "execution_time", "extra_info"];
const HISTORY_MEMBERS: [&str; 5] = ["agent", "message_type", "is_demo", "thought", "action"];
const RUN_MEMBERS: [&str; 5] = ["environment", "trajectory", "info", "replay_config", "problem_statement"];

fn is_turn(item: &Value<'_>) -> bool {
    TURN.iter().all(|name| is_text(item, name))
}

/// Whether a value has members of SWE-agent, or none but those that every one has: environments of other kinds report
/// actions and observations beside rewards, other chats a history beside a model.
fn is_of_swe_agent(value: &Value<'_>, all: &[&str], members: &[&str]) -> bool {
    let names = value.as_object().map(|object| object.members.iter().map(|member| &*member.key));
    has_any(value, members) || names.is_some_and(|mut names| names.all(|name| all.contains(&name)))
}

fn browser_use(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let is_item =
        |item: &Value<'_>| has(item, &["model_output"]) && is_array(item, "result") && is_object(item, "state");
    matched(first(record, "history").is_some_and(is_item), "`history` with `model_output`, `result` and `state`")
}

fn mini_swe_agent(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let is_item = |item: &Value<'_>| is_message(item) || is_text(item, "type") || is_text(item, "role");
    let is_versioned = text(record, "trajectory_format").starts_with("mini-swe-agent")
        || record.get("info").is_some_and(|info| is_text(info, "mini_version"));
    // A run that failed before its first message has none.
    let messages = record.get("messages").and_then(Value::as_array);
    let are_items = |all: &[Value<'_>]| all.first().is_none_or(|item| is_object_item(item) && is_item(item));
    matched(is_versioned && messages.is_some_and(are_items), "`messages` beside a version of mini-swe-agent")
}

fn is_object_item(item: &Value<'_>) -> bool {
    item.as_object().is_some() && !is_object(item, "info")
}
