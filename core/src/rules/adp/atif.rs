//! D18: what is wrong with ATIF trajectories.

use super::report::{Report, below};
use crate::json::{Data, Value};
use crate::model::StepRole;
use crate::rules::trajectory::{
    Reading, TrajectoryStep,
    atif::{results, trajectories},
    text,
};
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
                report.error(Some(step), path.clone(), "atif.type", "the step is not an object");
            }
            report.control_chars(step, &path, entry.value, reading.way);
        }
        let steps = reading.entries.get(track.steps.clone()).unwrap_or_default();
        check_totals(root, pointer, steps, report);
    }
}

/// Sums of steps that the end of a trajectory reports, and how much of the greater one may be rounding.
const TOTALS: [(&str, &str, f64); 4] = [
    ("total_prompt_tokens", "prompt_tokens", 0.0),
    ("total_completion_tokens", "completion_tokens", 0.0),
    ("total_cached_tokens", "cached_tokens", 0.0),
    ("total_cost_usd", "cost_usd", 0.005),
];

/// `FORMATS.md` 5: the metrics of the steps against `final_metrics`. What goes on from another file counts that one and
/// its summaries too, and so may say more; so may a trajectory of which some answers have no metrics.
fn check_totals(root: &Value<'_>, pointer: &str, steps: &[TrajectoryStep<'_>], report: &mut Report) {
    let Some(metrics) = root.get("final_metrics").filter(|metrics| metrics.as_object().is_some()) else { return };
    let number = |value: &Value<'_>, key: &str| value.get(key)?.as_number()?.parse::<f64>().ok();
    let is_copied =
        |entry: &&TrajectoryStep<'_>| entry.value.get("is_copied_context").and_then(Value::as_bool) == Some(true);
    let is_silent = |entry: &&TrajectoryStep<'_>| number(entry.value, "llm_call_count") == Some(0.0);
    let goes_on = steps.iter().any(|entry| is_copied(&entry));
    let answers: Vec<&TrajectoryStep<'_>> =
        steps.iter().filter(|entry| entry.role == StepRole::Agent && !is_copied(entry) && !is_silent(entry)).collect();
    for (total, of_step, rounding) in TOTALS {
        let Some(amount) = number(metrics, total) else { continue };
        let parts = steps.iter().map(|entry| number(entry.value.get("metrics")?, of_step));
        let parts: Vec<f64> = parts.flatten().collect();
        if parts.is_empty() {
            continue;
        }
        let has_all = answers.iter().all(|entry| entry.value.get("metrics").is_some_and(|m| m.get(of_step).is_some()));
        let sum: f64 = parts.iter().sum();
        let differs = (amount - sum).abs() > rounding * amount.abs().max(sum.abs()) + 1e-6;
        if differs && (sum > amount || (has_all && !goes_on)) {
            let message = format!("it says {amount}, and the steps come to {sum}");
            report.warning(None, format!("{pointer}/final_metrics/{total}"), "atif.final-metrics", message);
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
fn check_turn(entry: &TrajectoryStep<'_>, step: usize, place: usize, path: &str, report: &mut Report) {
    let at = Some(step);
    check_fields(entry.value, STEP_FIELDS, at, path, report);
    match entry.value.get("source") {
        None => report.error(at, format!("{path}/source"), "atif.required", "the step has no source"),
        Some(_) if entry.role == StepRole::Unknown => {
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
        if is_there && entry.role != StepRole::Agent {
            report.error(at, format!("{path}/{key}"), "atif.agent-only", "only a step of the agent may have this");
        }
    }
    if entry.role == StepRole::Agent {
        for key in ["message", "reasoning_content"] {
            let words = entry.value.get(key).and_then(text::joined);
            report.think_token(step, || format!("{path}/{key}"), words.as_deref());
        }
    }
}

/// D18: results that name no call of this or an earlier step.
fn check_links(entry: &TrajectoryStep<'_>, calls: &HashSet<&str>, step: usize, path: &str, report: &mut Report) {
    for (i, result) in results(entry.value).enumerate() {
        if let Some(id) = result.get("source_call_id").and_then(Value::as_str).filter(|id| !calls.contains(id)) {
            let message = format!("no call up to here has the id {id:?}");
            report.warning(Some(step), format!("{path}/observation/results/{i}/source_call_id"), "atif.link", message);
        }
    }
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
