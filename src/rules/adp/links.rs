//! D10: which step answers which call, and calls and results that do not fit.

use super::entry::{Ask, Entry, Kind};
use super::report::Report;
use super::shape::Version;
use std::collections::{HashMap, HashSet};

/// D10, D19: fills in the calls that each step answers. A call is answered once; of several calls of one id the last
/// before the answer is meant.
pub(super) fn settle(entries: &mut [Entry<'_>]) {
    settle_from(0, entries);
}

/// The same for the entries of one trajectory of several, of which the first is this step.
pub(super) fn settle_from(first: usize, entries: &mut [Entry<'_>]) {
    let links = answered_calls(entries);
    for (entry, mut links) in entries.iter_mut().zip(links) {
        links.iter_mut().flatten().for_each(|(step, _)| *step += first);
        entry.answered = links.iter().copied().flatten().collect();
        entry.links = links;
    }
}

/// The calls that each step answers, each by its step and its place in that; None for an answer without a call.
fn answered_calls(entries: &[Entry<'_>]) -> Vec<Vec<Option<(usize, usize)>>> {
    let mut last_of_id: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut answered: HashSet<(usize, usize)> = HashSet::new();
    let mut all = Vec::with_capacity(entries.len());
    for (step, entry) in entries.iter().enumerate() {
        for (place, call) in entry.calls.iter().enumerate() {
            if let Some(id) = call.id.as_deref() {
                last_of_id.insert(id, (step, place));
            }
        }
        let mut found = Vec::new();
        for ask in &entry.asks {
            let call = match ask {
                Ask::Id(id) => last_of_id.get(id).copied().filter(|call| !answered.contains(call)),
                Ask::IdOrBefore(id) if last_of_id.contains_key(id) => {
                    last_of_id.get(id).copied().filter(|call| !answered.contains(call))
                }
                Ask::BeforeWithoutId | Ask::Before | Ask::IdOrBefore(_) => before(entries, step, *ask, &answered),
            };
            answered.extend(call);
            found.push(call);
        }
        all.push(found);
    }
    all
}

/// D10, D19: the first open call of the step before.
fn before(
    entries: &[Entry<'_>],
    step: usize,
    ask: Ask<'_>,
    answered: &HashSet<(usize, usize)>,
) -> Option<(usize, usize)> {
    let before = step.checked_sub(1)?;
    let calls = entries[before].calls.iter().enumerate();
    let fits = |id: Option<&str>| ask != Ask::BeforeWithoutId || id.is_none();
    calls
        .map(|(i, c)| (c, (before, i)))
        .find(|(c, at)| fits(c.id.as_deref()) && !answered.contains(at))
        .map(|(_, at)| at)
}

/// D10: whether a function ends a run, so that nothing needs to answer it.
#[must_use]
pub(crate) fn is_finishing(function: &str) -> bool {
    let name = function.to_lowercase();
    matches!(name.as_str(), "final_answer" | "finish" | "stop" | "submit" | "end" | "localization_finish")
}

/// D10: what is wrong with the calls and results of a standardized trajectory.
pub(super) fn check(entries: &[Entry<'_>], version: Version, report: &mut Report) {
    if version.links_calls() || entries.iter().any(|e| id_of(e).is_some()) {
        check_ids(entries, version, report);
    } else {
        check_neighbours(entries, report);
    }
}

/// D10: the id by which an item of known class is linked.
fn id_of<'a>(entry: &Entry<'a>) -> Option<&'a str> {
    entry.known_item().and_then(|(item, _)| item.text("tool_call_id"))
}

/// D10, links on: (a) to (f).
fn check_ids(entries: &[Entry<'_>], version: Version, report: &mut Report) {
    let mut called: HashSet<&str> = HashSet::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut last_result: HashMap<&str, usize> = HashMap::new();
    for (step, entry) in entries.iter().enumerate() {
        if let (Kind::Observation, Some(id)) = (entry.kind, id_of(entry)) {
            last_result.insert(id, step);
        }
    }
    for (step, entry) in entries.iter().enumerate() {
        let path = format!("/content/{step}");
        let is_tool = !entry.calls.is_empty();
        let Some(id) = id_of(entry) else {
            let is_answered = entries.get(step + 1).is_some_and(|next| next.kind == Kind::Observation);
            if is_tool && is_answered && version.links_calls() {
                report.error(Some(step), path, "adp.call-id", "the call has no tool_call_id, and a result follows");
            }
            continue;
        };
        let path = format!("{path}/tool_call_id");
        // What came before its call answers nothing: the answer behind the call is the first.
        let is_second = entry.kind == Kind::Observation && called.contains(id) && !seen.insert(id);
        let fault = match entry.kind {
            Kind::Action if !is_tool => Some("a message is no call and has no result; it needs no tool_call_id"),
            Kind::Action => (!called.insert(id)).then_some("an earlier call has the same tool_call_id"),
            Kind::Observation if !called.contains(id) => Some("no earlier call has this tool_call_id"),
            Kind::Observation => is_second.then_some("an earlier result has the same tool_call_id"),
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
fn check_neighbours(entries: &[Entry<'_>], report: &mut Report) {
    for (step, pair) in entries.windows(2).enumerate() {
        let Some(call) = pair[0].calls.first() else { continue };
        if pair[1].kind == Kind::Action && !is_finishing(&call.tool) {
            let message = "the call is followed by another action: nothing answers it";
            report.warning(Some(step), format!("/content/{step}"), "adp.unanswered-call", message);
        }
    }
}
