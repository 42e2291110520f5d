//! D18: ATIF trajectories.

use super::entry::{Body, Call, Entry};
use super::reading::Reading;
use super::report::{Report, below};
use super::text;
use crate::json::{Data, Value};
use crate::model::Role;
use std::borrow::Cow;
use std::collections::HashSet;

const ROOT_FIELDS: &[&str] = &[
    "schema_version",
    "session_id",
    "trajectory_id",
    "agent",
    "steps",
    "notes",
    "final_metrics",
    "continued_trajectory_ref",
    "extra",
    "subagent_trajectories",
];

const STEP_FIELDS: &[&str] = &[
    "step_id",
    "timestamp",
    "source",
    "message",
    "model_name",
    "reasoning_effort",
    "reasoning_content",
    "tool_calls",
    "observation",
    "metrics",
    "llm_call_count",
    "is_copied_context",
    "extra",
];

/// D18, D19: who speaks in a turn.
#[must_use]
pub(super) fn role(turn: &Value<'_>) -> Role {
    match turn.get("source").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("agent") => Role::Agent,
        Some("system") => Role::System,
        _ => Role::Unknown,
    }
}

/// D19: the calls of a turn.
#[must_use]
pub(super) fn calls<'a>(turn: &'a Value<'a>) -> Vec<Call<'a>> {
    let listed = turn.get("tool_calls").and_then(Value::as_array).unwrap_or_default().iter();
    let objects = listed.filter(|c| c.as_object().is_some());
    let call = |c: &'a Value<'a>| Call {
        tool: c.get("function_name").and_then(Value::as_str).unwrap_or("?").into(),
        id: c.get("tool_call_id").and_then(Value::as_str).map(Cow::Borrowed),
        arguments: c.get("arguments").filter(|v| v.as_object().is_some()),
        code: None,
    };
    objects.map(call).collect()
}

/// D20: what the agent reasoned in a turn.
#[must_use]
pub(super) fn reasoning<'a>(entry: &Entry<'a>) -> Option<&'a str> {
    let is_agents = matches!(entry.body, Body::Turn) && entry.role == Role::Agent;
    if is_agents { entry.value.get("reasoning_content").and_then(Value::as_str) } else { None }
}

/// D18: the results in the observation of a turn.
pub(super) fn results<'a>(turn: &'a Value<'a>) -> impl Iterator<Item = &'a Value<'a>> {
    let results = turn.get("observation").and_then(|o| o.get("results"));
    results.and_then(Value::as_array).unwrap_or_default().iter()
}

/// An ATIF trajectory and those of its sub-agents that stand in it, each with its pointer (`FORMATS.md` 5).
pub(super) fn trajectories<'a>(root: &'a Value<'a>) -> Vec<(String, &'a Value<'a>)> {
    let mut found = vec![(String::new(), root)];
    let mut next = 0;
    while let Some((pointer, trajectory)) = found.get(next).cloned() {
        let inner = trajectory.get("subagent_trajectories").and_then(Value::as_array).unwrap_or_default();
        let named = inner.iter().enumerate().filter(|(_, inner)| inner.as_object().is_some());
        found.extend(named.map(|(i, inner)| (format!("{pointer}/subagent_trajectories/{i}"), inner)));
        next += 1;
    }
    found
}

/// What a trajectory is called.
pub(super) fn name<'a>(trajectory: &'a Value<'a>) -> Option<&'a str> {
    ["trajectory_id", "session_id"].iter().find_map(|key| trajectory.get(key)?.as_str())
}

/// D18: what is wrong with an ATIF trajectory, and with those in it that are read too.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report) {
    let mut calls = HashSet::new();
    for ((pointer, root), track) in trajectories(reading.root).iter().zip(&reading.tracks) {
        check_root(root, pointer, track.steps.is_empty(), report);
        for step in track.steps.clone() {
            let Some(entry) = reading.entries.get(step) else { continue };
            let path = track.path(step);
            if entry.value.as_object().is_some() {
                check_turn(entry, step, step - track.steps.start, &path, report);
                calls.extend(entry.calls.iter().filter_map(|c| c.id.as_deref()));
                check_links(entry, &calls, step, &path, report);
            } else {
                report.error(Some(step), path.clone(), "atif.type", "the step is no object");
            }
            report.control_chars(step, &path, entry.value);
        }
    }
}

fn check_root(root: &Value<'_>, pointer: &str, is_empty: bool, report: &mut Report) {
    let version = root.get("schema_version").and_then(Value::as_str).and_then(|v| v.strip_prefix("ATIF-v1."));
    if !version.is_some_and(|minor| matches!(minor, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8")) {
        let message = "the version is none of ATIF-v1.0 to ATIF-v1.8";
        report.error(None, format!("{pointer}/schema_version"), "atif.version", message);
    }
    check_fields(root, ROOT_FIELDS, None, pointer, report);
    if is_empty {
        report.error(None, format!("{pointer}/steps"), "atif.required", "there are no steps");
    }
}

/// D18: fields that the models do not have.
fn check_fields(value: &Value<'_>, known: &[&str], step: Option<usize>, path: &str, report: &mut Report) {
    for (key, _) in value.as_object().into_iter().flat_map(|o| o.entries()) {
        if !known.contains(&key) {
            let message = format!("ATIF has no field {key:?} here");
            report.error(step, below(path, key), "atif.extra-field", message);
        }
    }
}

/// D18: one turn by itself.
fn check_turn(entry: &Entry<'_>, step: usize, place: usize, path: &str, report: &mut Report) {
    let at = Some(step);
    check_fields(entry.value, STEP_FIELDS, at, path, report);
    match entry.value.get("source") {
        None => report.error(at, format!("{path}/source"), "atif.required", "the step has no source"),
        Some(_) if entry.role == Role::Unknown => {
            report.error(at, format!("{path}/source"), "atif.source", "the source is none of system, user, agent");
        }
        Some(_) => {}
    }
    let id = entry.value.get("step_id").and_then(Value::as_number).and_then(|n| n.parse::<f64>().ok());
    if id != Some((place + 1) as f64) {
        let message = format!("the id of this step should be {}", place + 1);
        report.error(at, format!("{path}/step_id"), "atif.step-id", message);
    }
    for key in ["tool_calls", "reasoning_content", "reasoning_effort"] {
        let is_there = entry.value.get(key).is_some_and(|v| !is_nothing(v));
        if is_there && entry.role != Role::Agent {
            report.error(at, format!("{path}/{key}"), "atif.agent-only", "only a step of the agent may have this");
        }
    }
    if entry.role == Role::Agent {
        for key in ["message", "reasoning_content"] {
            let said = entry.value.get(key).and_then(text::joined);
            report.think_token(step, || format!("{path}/{key}"), said.as_deref());
        }
    }
}

/// D18: results that name no call of this or an earlier step.
fn check_links(entry: &Entry<'_>, calls: &HashSet<&str>, step: usize, path: &str, report: &mut Report) {
    for (i, result) in results(entry.value).enumerate() {
        if let Some(id) = result.get("source_call_id").and_then(Value::as_str).filter(|id| !calls.contains(id)) {
            let message = format!("no call up to here has the id {id:?}");
            report.warning(Some(step), format!("{path}/observation/results/{i}/source_call_id"), "atif.link", message);
        }
    }
}

/// The references of a result to trajectories of other agents.
pub(super) fn references<'a>(result: &'a Value<'a>) -> impl Iterator<Item = &'a Value<'a>> {
    let refs = result.get("subagent_trajectory_ref");
    let listed = refs.map(|refs| refs.as_array().unwrap_or(std::slice::from_ref(refs))).unwrap_or_default();
    listed.iter()
}

/// The trajectories of other agents that a result refers to, by what each is called: by its id, else by its file.
pub(super) fn subagents<'a>(result: &'a Value<'a>) -> impl Iterator<Item = &'a str> {
    let keys = ["trajectory_id", "session_id", "trajectory_path"];
    references(result)
        .filter_map(move |one| one.as_str().or_else(|| keys.iter().find_map(|key| one.get(key)?.as_str())))
}

/// D18: null or empty.
fn is_nothing(value: &Value<'_>) -> bool {
    match &value.data {
        Data::Null => true,
        Data::String(s) => s.is_empty(),
        Data::Array(items) => items.is_empty(),
        Data::Object(o) => o.is_empty(),
        _ => false,
    }
}
