//! D10: calls and results of a standardized trajectory that do not fit.

use super::report::Report;
use crate::rules::trajectory::{TrajectoryStep, TrajectoryStepKind, Version, is_finishing};
use std::collections::{HashMap, HashSet};

/// D10: what is wrong with the calls and results of a standardized trajectory.
pub(super) fn check(entries: &[TrajectoryStep<'_>], version: Version, report: &mut Report) {
    if version.links_calls() || entries.iter().any(|e| id_of(e).is_some()) {
        check_ids(entries, version, report);
    } else {
        check_neighbours(entries, report);
    }
}

/// D10: the id by which an item of known class is linked.
fn id_of<'a>(entry: &TrajectoryStep<'a>) -> Option<&'a str> {
    entry.known_item().and_then(|(item, _)| item.text("tool_call_id"))
}

/// D10, links on: (a) to (f).
fn check_ids(entries: &[TrajectoryStep<'_>], version: Version, report: &mut Report) {
    let mut called: HashSet<&str> = HashSet::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut last_result: HashMap<&str, usize> = HashMap::new();
    for (step, entry) in entries.iter().enumerate() {
        if let (TrajectoryStepKind::Observation, Some(id)) = (entry.kind, id_of(entry)) {
            last_result.insert(id, step);
        }
    }
    for (step, entry) in entries.iter().enumerate() {
        let path = format!("/content/{step}");
        let is_tool = !entry.calls.is_empty();
        let Some(id) = id_of(entry) else {
            let is_answered = entries.get(step + 1).is_some_and(|next| next.kind == TrajectoryStepKind::Observation);
            if is_tool && is_answered && version.links_calls() {
                report.error(Some(step), path, "adp.call-id", "the call has no tool_call_id, and a result follows");
            }
            continue;
        };
        let path = format!("{path}/tool_call_id");
        // What came before its call answers nothing: the answer after the call is the first.
        let is_second = entry.kind == TrajectoryStepKind::Observation && called.contains(id) && !seen.insert(id);
        let fault = match entry.kind {
            TrajectoryStepKind::Action if !is_tool => {
                Some("a message is no call and has no result; it needs no tool_call_id")
            }
            TrajectoryStepKind::Action => (!called.insert(id)).then_some("an earlier call has the same tool_call_id"),
            TrajectoryStepKind::Observation if !called.contains(id) => Some("no earlier call has this tool_call_id"),
            TrajectoryStepKind::Observation => is_second.then_some("an earlier result has the same tool_call_id"),
            _ => None,
        };
        if let Some(message) = fault {
            report.error(Some(step), path.clone(), "adp.call-id", message);
        }
        if is_tool && last_result.get(id).is_none_or(|&result| result < step) {
            report.error(Some(step), path, "adp.unanswered-call", "no later observation has this tool_call_id");
        }
    }
}

/// D10, links off: a call directly followed by another action.
fn check_neighbours(entries: &[TrajectoryStep<'_>], report: &mut Report) {
    for (step, pair) in entries.windows(2).enumerate() {
        let Some(call) = pair[0].calls.first() else { continue };
        if pair[1].kind == TrajectoryStepKind::Action && !is_finishing(&call.tool) {
            let message = "the call is followed by another action: nothing answers it";
            report.warning(Some(step), format!("/content/{step}"), "adp.unanswered-call", message);
        }
    }
}
