//! Rollouts of reinforcement learning: verifiers, prime-rl, verl, SkyRL (`FORMATS.md` 13).

use super::members::{first, has_any, is_array, is_number, is_object, is_text, matched, most};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const VERIFIERS: Signature = Signature {
    format: "verifiers",
    what: "a file of verifiers rollouts",
    detect: verifiers,
    members: &["/prompt", "/completion", "/reward"],
};

pub(super) const VERL: Signature = Signature {
    format: "verl",
    what: "a file of verl or SkyRL rollouts",
    detect: verl,
    members: &["/input", "/output", "/score", "/step"],
};

fn verifiers(head: &Head<'_, '_>) -> Option<Match> {
    if most(head, is_episode) {
        return matched(true, "`traces` with `nodes`");
    }
    if most(head, is_trace) {
        return matched(true, "traces: `nodes` with `message`, `task` and `rewards`");
    }
    let is_message = |value: &Value<'_>| {
        let first = value.as_array().map(|messages| messages.first());
        value.as_str().is_some() || first.is_some_and(|first| first.is_none_or(|message| is_text(message, "role")))
    };
    // Some writers quote the number.
    let is_rewarded = |r: &Value<'_>| {
        is_number(r, "reward")
            || r.get("reward").and_then(Value::as_str).is_some_and(|text| text.parse::<f64>().is_ok())
    };
    let is_rollout = |r: &Value<'_>| {
        is_rewarded(r) && ["prompt", "completion"].iter().all(|name| r.get(name).is_some_and(is_message))
    };
    // Pairs among them are two trajectories each, as rows of conversations are read.
    let has_pairs = head.records.iter().any(|r| r.get("chosen").is_some() && r.get("rejected").is_some());
    matched(most(head, is_rollout) && !has_pairs, "`prompt`, `completion` and `reward`")
}

/// One episode of verifiers 1: a trace for each agent, whose nodes are messages.
fn is_episode(record: &Value<'_>) -> bool {
    let nodes = first(record, "traces").and_then(|trace| trace.get("nodes")?.as_array());
    nodes.is_some_and(has_messages) || is_failed_episode(record)
}

/// An episode that failed before an agent began has no trace.
fn is_failed_episode(record: &Value<'_>) -> bool {
    let has_none = record.get("traces").and_then(Value::as_array).is_some_and(<[_]>::is_empty);
    has_none && is_object(record, "env") && is_object(record, "task") && is_array(record, "errors")
}

/// A trace of verifiers 0.2, which wrote one a line.
fn is_trace(record: &Value<'_>) -> bool {
    let nodes = record.get("nodes").and_then(Value::as_array);
    // Other graphs have nodes with a message too.
    let has_role = |node: &Value<'_>| node.get("message").is_some_and(|message| is_text(message, "role"));
    let is_run = nodes.is_some_and(|nodes| match nodes.first() {
        Some(node) => has_role(node),
        None => is_array(record, "errors"),
    });
    is_run && is_object(record, "task") && is_object(record, "rewards")
}

fn has_messages(nodes: &[Value<'_>]) -> bool {
    nodes.first().is_none_or(|node| is_object(node, "message"))
}

fn verl(head: &Head<'_, '_>) -> Option<Match> {
    let is_verl =
        |r: &Value<'_>| is_text(r, "input") && is_text(r, "output") && is_number(r, "score") && is_number(r, "step");
    let is_sky = |r: &Value<'_>| {
        let is_turn = |name: &str| is_text(r, name) || is_array(r, name);
        is_turn("input_prompt") && is_turn("output_response") && has_any(r, &["score", "stop_reason", "env_extras"])
    };
    if most(head, is_verl) {
        return matched(true, "`input`, `output`, `score` and `step`");
    }
    matched(most(head, is_sky), "`input_prompt` and `output_response`")
}
