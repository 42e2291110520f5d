//! D10: which step answers which call.

use super::entry::{Ask, TrajectoryStep};
use std::collections::{HashMap, HashSet};

/// D10, D19: fills in the calls that each step answers. A call is answered once; of several calls of one id the last
/// before the answer is meant.
pub(in crate::rules) fn settle(entries: &mut [TrajectoryStep<'_>]) {
    settle_from(0, entries);
}

/// The same for the entries of one trajectory of several, of which the first is this step.
pub(in crate::rules) fn settle_from(first: usize, entries: &mut [TrajectoryStep<'_>]) {
    let links = answered_calls(entries);
    for (entry, mut links) in entries.iter_mut().zip(links) {
        links.iter_mut().flatten().for_each(|(step, _)| *step += first);
        entry.answered = links.iter().copied().flatten().collect();
        entry.links = links;
    }
}

/// The calls that each step answers, each by its step and its place in that; None for an answer without a call.
fn answered_calls(entries: &[TrajectoryStep<'_>]) -> Vec<Vec<Option<(usize, usize)>>> {
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
    entries: &[TrajectoryStep<'_>],
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

/// Whether a tool only notes what the agent thinks, so that nothing comes back.
#[must_use]
pub(crate) fn is_note(function: &str) -> bool {
    let name = function.to_lowercase();
    matches!(name.as_str(), "think" | "thinking" | "thought" | "reflect" | "note" | "sequentialthinking")
}
