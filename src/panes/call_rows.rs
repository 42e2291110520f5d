//! Which steps have rows of their own in the list: a result that follows its call is in the call's row.

use crate::format::Run;
use crate::model::{StepKind, StepNo};
use std::collections::HashSet;
use std::rc::Rc;

/// Most steps between a result and the call in whose row it is.
const APART_MAX: StepNo = 32;

/// The rows of the list, kept from frame to frame and grown with the run.
#[derive(Debug, Default)]
pub struct CallRows {
    /// Steps that were looked at.
    looked: usize,
    /// The version of the calls that are opened, and the content of the input.
    ground: (u64, u64),
    /// Steps with a row; None: all have one so far.
    rows: Option<Rc<Vec<StepNo>>>,
}

/// Calls whose results have rows of their own.
#[derive(Debug, Clone, Default)]
pub struct OpenedCalls {
    steps: HashSet<StepNo>,
    version: u64,
}

impl OpenedCalls {
    /// Opens or closes a call; whether that was a change.
    pub fn set(&mut self, call: StepNo, is_open: bool) -> bool {
        let is_new = if is_open { self.steps.insert(call) } else { self.steps.remove(&call) };
        self.version += u64::from(is_new);
        is_new
    }

    /// Closes all.
    pub fn clear(&mut self) {
        (self.steps, self.version) = (HashSet::new(), self.version + 1);
    }
}

impl CallRows {
    /// Looks at the steps that came since, or at all where something else changed; gives the steps that have rows, None
    /// where all have.
    pub fn update(&mut self, run: &dyn Run, generation: u64, opened: &OpenedCalls) -> Option<Rc<Vec<StepNo>>> {
        let (count, ground) = (run.step_count(), (opened.version, generation));
        if self.ground != ground || count < self.looked {
            *self = Self { ground, ..Self::default() };
        }
        for number in self.looked..count {
            let step = StepNo::try_from(number).unwrap_or(StepNo::MAX);
            let is_folded = call_before(run, step).is_some_and(|call| !opened.steps.contains(&call));
            if is_folded {
                self.rows.get_or_insert_with(|| Rc::new((0..step).collect()));
            } else if let Some(rows) = &mut self.rows {
                Rc::make_mut(rows).push(step);
            }
        }
        self.looked = count;
        self.rows.clone()
    }
}

/// The call in whose row a result can be: nothing but calls and results are between them.
#[must_use]
pub fn call_before(run: &dyn Run, step: StepNo) -> Option<StepNo> {
    let call = run.answers(step).filter(|call| *call < step && step - *call <= APART_MAX)?;
    let is_call = |step| run.step_kind(step) == Some(StepKind::Call);
    let is_between = |step| is_call(step) || run.step_kind(step) == Some(StepKind::Result);
    let is_result = run.step_kind(step) == Some(StepKind::Result);
    (is_result && is_call(call) && (call + 1..step).all(is_between)).then_some(call)
}

/// The results that are in the row of a call.
pub fn results_of(run: &dyn Run, call: StepNo) -> impl Iterator<Item = StepNo> {
    let last = StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX).min(call.saturating_add(APART_MAX + 1));
    let near =
        (call + 1..last).take_while(|step| matches!(run.step_kind(*step), Some(StepKind::Call | StepKind::Result)));
    near.filter(move |step| run.answers(*step) == Some(call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FORMATS;
    use crate::model::{Place, Record, RecordBody, Span};

    fn message(inner: &str) -> String {
        format!(r#"{{"type":"message","message":{inner}}}"#)
    }

    fn calls(ids: &[String]) -> String {
        let call = |id: &String| format!(r#"{{"type":"toolCall","id":"{id}","name":"ls","arguments":{{}}}}"#);
        let calls: Vec<String> = ids.iter().map(call).collect();
        message(&format!(r#"{{"role":"assistant","content":[{}]}}"#, calls.join(",")))
    }

    fn result(id: &str) -> String {
        message(&format!(r#"{{"role":"toolResult","toolCallId":"{id}","content":"x"}}"#))
    }

    fn user(text: &str) -> String {
        message(&format!(r#"{{"role":"user","content":"{text}"}}"#))
    }

    /// A run of these messages: a step for each message of the user, for each call and for each result.
    fn run_of(messages: Vec<String>) -> Box<dyn Run> {
        let header = r#"{"type":"session","id":"s","timestamp":"2026-05-01T10:00:00Z"}"#.to_owned();
        let lines: Vec<String> = std::iter::once(header).chain(messages).collect();
        let mut run = FORMATS.iter().find(|format| format.name() == "pi").unwrap().run();
        for (number, line) in lines.iter().enumerate() {
            let place = Place { span: Span { offset: 0, len: line.len() as u64 }, line: 1 };
            run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &Vec::new());
        }
        run
    }

    #[test]
    fn a_result_stands_in_the_row_of_its_call_unless_something_else_is_between() {
        let [first, second] = [["a", "b"].map(str::to_owned).to_vec(), vec!["c".to_owned()]];
        let messages =
            vec![user("go"), calls(&first), result("a"), result("b"), calls(&second), user("wait"), result("c")];
        let (run, mut rows) = (run_of(messages), CallRows::default());
        let mut opened = OpenedCalls::default();
        assert_eq!(*rows.update(run.as_ref(), 0, &opened).unwrap(), [0, 1, 2, 5, 6, 7]);
        assert_eq!(results_of(run.as_ref(), 1).collect::<Vec<_>>(), [3]);
        assert!(opened.set(2, true));
        assert_eq!(*rows.update(run.as_ref(), 0, &opened).unwrap(), [0, 1, 2, 4, 5, 6, 7]);
    }

    /// A call, others behind it, and the result of the first, which is `count` steps after its call.
    fn result_behind(count: StepNo) -> Box<dyn Run> {
        let ids: Vec<String> = (0..count).map(|number| format!("c{number}")).collect();
        run_of(vec![user("go"), calls(&ids), result("c0")])
    }

    #[test]
    fn a_result_far_behind_its_call_has_a_row_of_its_own() {
        for (count, is_folded) in [(APART_MAX, true), (APART_MAX + 1, false)] {
            let run = result_behind(count);
            assert_eq!(call_before(run.as_ref(), count + 1), is_folded.then_some(1), "{count}");
            let results: Vec<StepNo> = results_of(run.as_ref(), 1).collect();
            assert_eq!(results, is_folded.then_some(count + 1).into_iter().collect::<Vec<_>>(), "{count}");
        }
    }

    #[test]
    fn a_run_that_became_shorter_has_the_rows_of_its_steps_alone() {
        let (long, short, opened) = (result_behind(5), result_behind(2), OpenedCalls::default());
        let mut rows = CallRows::default();
        rows.update(long.as_ref(), 0, &opened);
        assert_eq!(*rows.update(short.as_ref(), 0, &opened).unwrap(), [0, 1, 2]);
    }
}
