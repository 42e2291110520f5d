//! D10: which step answers which call.

use super::entry::{Ask, Links, TrajectoryStep};
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
        entry.links = links;
    }
}

/// The calls that each step answers, each by its step and its place in that; None for an answer without a call.
fn answered_calls(entries: &[TrajectoryStep<'_>]) -> Vec<Links> {
    let mut last_of_id: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut by_name: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    let mut answered: HashSet<(usize, usize)> = HashSet::new();
    let mut all = Vec::with_capacity(entries.len());
    let mut asked = 0;
    let is_asked_by_name = entries.iter().flat_map(|entry| &entry.asks).any(|ask| matches!(ask, Ask::Name(_)));
    for (step, entry) in entries.iter().enumerate() {
        if !entry.calls.is_empty() {
            asked = step;
        }
        for (place, call) in entry.calls.iter().enumerate() {
            if is_asked_by_name {
                by_name.entry(&call.tool).or_default().push((step, place));
            }
            if let Some(id) = call.id.as_deref() {
                last_of_id.insert(id, (step, place));
            }
        }
        let mut found = Links::new();
        for ask in &entry.asks {
            let call = match ask {
                Ask::Id(id) => last_of_id.get(id).copied().filter(|call| !answered.contains(call)),
                Ask::IdOrBefore(id) if last_of_id.contains_key(id) => {
                    last_of_id.get(id).copied().filter(|call| !answered.contains(call))
                }
                Ask::Name(name) => name
                    .and_then(|name| nearest(by_name.get_mut(name)?, &answered))
                    .or_else(|| open_call(&entries[asked], asked, Ask::Before, &answered)),
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
    open_call(&entries[before], before, ask, answered)
}

/// The nearest of these calls that is open: of several of one step the first. Those behind it are forgotten.
fn nearest(calls: &mut Vec<(usize, usize)>, answered: &HashSet<(usize, usize)>) -> Option<(usize, usize)> {
    while calls.pop_if(|call| answered.contains(call)).is_some() {}
    let (step, _) = *calls.last()?;
    let of_step = calls.iter().rev().take_while(|call| call.0 == step);
    of_step.filter(|call| !answered.contains(call)).last().copied()
}

/// The first open call of a step.
fn open_call(
    entry: &TrajectoryStep<'_>,
    step: usize,
    ask: Ask<'_>,
    answered: &HashSet<(usize, usize)>,
) -> Option<(usize, usize)> {
    let fits = |id: Option<&str>| ask != Ask::BeforeWithoutId || id.is_none();
    let calls = entry.calls.iter().enumerate();
    calls.map(|(i, c)| (c, (step, i))).find(|(c, at)| fits(c.id.as_deref()) && !answered.contains(at)).map(|(_, at)| at)
}

/// Functions that end a run, in lower case.
const FINISHING: [&str; 6] = ["final_answer", "finish", "stop", "submit", "end", "localization_finish"];
/// Functions that only note what the agent thinks.
const NOTES: [&str; 6] = ["think", "thinking", "thought", "reflect", "note", "sequentialthinking"];

/// D10: whether a function ends a run, so that nothing needs to answer it.
#[must_use]
pub(crate) fn is_finishing(function: &str) -> bool {
    FINISHING.iter().any(|name| function.eq_ignore_ascii_case(name))
}

/// Whether a tool only notes what the agent thinks, so that nothing comes back.
#[must_use]
pub(crate) fn is_note(function: &str) -> bool {
    NOTES.iter().any(|name| function.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use crate::json;
    use crate::rules::trajectory::Reading;

    /// `FORMATS.md` 0.3, 8: results of a row without ids.
    #[test]
    fn results_without_ids_answer_the_nearest_call_of_their_name_then_the_first_one() {
        let call = |name: &str| format!(r#"{{"function":{{"name":"{name}","arguments":"{{}}"}}}}"#);
        let links = |messages: &[String]| {
            let row = format!(r#"{{"messages":[{{"role":"user","content":"q"}},{}]}}"#, messages.join(","));
            let root = json::parse(&row).unwrap();
            let reading = Reading::of_row(&root);
            reading.entries.iter().skip(1).flat_map(|entry| entry.links.clone()).collect::<Vec<_>>()
        };
        let asks = |names: &[&str]| {
            let calls: Vec<String> = names.iter().map(|name| call(name)).collect();
            format!(r#"{{"role":"assistant","content":"","tool_calls":[{}]}}"#, calls.join(","))
        };
        let result = |name: &str| format!(r#"{{"role":"tool","name":"{name}","content":"x"}}"#);
        let unnamed = || r#"{"role":"tool","content":"x"}"#.to_owned();
        let (f, g) = (Some((1, 0)), Some((1, 1)));
        assert_eq!(links(&[asks(&["f", "g"]), result("g"), result("f")]), [g, f]);
        let of_ollama = |name: &str| result(name).replace("\"name\"", "\"tool_name\"");
        assert_eq!(links(&[asks(&["f", "g"]), of_ollama("g"), of_ollama("f")]), [g, f]);
        assert_eq!(links(&[asks(&["f", "g"]), unnamed(), unnamed(), unnamed()]), [f, g, None]);
        assert_eq!(links(&[asks(&["f", "f"]), result("f"), result("f"), result("f")]), [f, g, None]);
        assert_eq!(links(&[asks(&["f"]), asks(&["f"]), result("f"), result("f")]), [Some((2, 0)), f]);
    }
}
