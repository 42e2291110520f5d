//! Trajectories in one document: ATIF, SWE-agent, mini-swe-agent (`FORMATS.md` 5, 10).

use super::members::{first, has, has_any, is_message, is_object, is_text, matched, most, text};
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
    let is_step = |step: &Value<'_>| has(step, &["step_id", "source"]);
    let steps = record.get("steps").and_then(Value::as_array);
    let is_named = text(record, "schema_version").starts_with("ATIF-v");
    steps.is_some_and(|steps| is_named || steps.first().is_some_and(is_step))
}

/// `trajectory` with actions and observations; of a demonstration `history` with messages, beside what a run has.
fn swe_agent(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let is_turn = |item: &Value<'_>| is_text(item, "action") && is_text(item, "observation");
    if first(record, "trajectory").is_some_and(is_turn) {
        return matched(true, "`trajectory` with actions and observations");
    }
    let is_history = first(record, "history").is_some_and(is_message);
    matched(is_history && !has_any(record, &["messages", "conversation_id"]), "`history` with messages")
}

fn mini_swe_agent(head: &Head<'_, '_>) -> Option<Match> {
    let [record] = head.records else { return None };
    let is_item = |item: &Value<'_>| is_message(item) || is_text(item, "type") || is_text(item, "role");
    let is_versioned = text(record, "trajectory_format").starts_with("mini-swe-agent")
        || record.get("info").is_some_and(|info| is_text(info, "mini_version"));
    let is_run = is_versioned && first(record, "messages").is_some_and(|item| is_object_item(item) && is_item(item));
    matched(is_run, "`messages` beside a version of mini-swe-agent")
}

fn is_object_item(item: &Value<'_>) -> bool {
    item.as_object().is_some() && !is_object(item, "info")
}
