//! Logs as texts, for tests of adapters.

use super::{Adapter, LogRun, Row, SetRow};
use crate::format::{Format, Run};
use crate::json;
use crate::model::{Place, Record, RecordBody, Span, StepNo};
use crate::state::EventOp;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The run of a text whose lines are records, and the text.
pub(in crate::format) fn lines(row: &Row, text: &str) -> (Box<dyn Run>, Vec<u8>) {
    pushed(row, text, |_, _| {})
}

/// The same run as if it was looked at after each line.
pub(in crate::format) fn growing(row: &Row, text: &str) -> (Box<dyn Run>, Vec<u8>) {
    pushed(row, text, |run, bytes| run.catch_up(bytes))
}

fn pushed(row: &Row, text: &str, each: impl Fn(&mut dyn Run, &Vec<u8>)) -> (Box<dyn Run>, Vec<u8>) {
    let bytes = text.as_bytes().to_vec();
    let (mut run, mut offset) = (row.run(), 0);
    for (number, line) in text.split('\n').enumerate() {
        let place = Place { span: Span { offset, len: line.len() as u64 }, line: number as u64 + 1 };
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
        each(run.as_mut(), &bytes);
        offset += line.len() as u64 + 1;
    }
    run.finish(&bytes);
    (run, bytes)
}

/// The run of a text that is one record.
pub(in crate::format) fn run_of_record(row: &Row, text: &str) -> (Box<dyn Run>, Vec<u8>) {
    finished(row.run(), text)
}

/// The run of a record of a set, or of a sample that is an array of one.
pub(in crate::format) fn run_of_set(row: &SetRow, text: &str) -> (Box<dyn Run>, Vec<u8>) {
    let record = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    finished(row.run(), record.unwrap_or(text))
}

fn finished(mut run: Box<dyn Run>, text: &str) -> (Box<dyn Run>, Vec<u8>) {
    let bytes = text.as_bytes().to_vec();
    let place = Place { span: Span { offset: 0, len: bytes.len() as u64 }, line: 1 };
    run.push(&Record { number: 0, place, body: RecordBody::Text, is_row: false }, &bytes, &bytes);
    run.finish(&bytes);
    (run, bytes)
}

/// The same by an adapter, without the format.
pub(in crate::format) fn adapted<A: Adapter + 'static>(adapter: A, text: &str) -> LogRun {
    let (mut run, bytes) = (LogRun::new(adapter), text.as_bytes().to_vec());
    let place = Place { span: Span { offset: 0, len: bytes.len() as u64 }, line: 1 };
    run.push(&Record { number: 0, place, body: RecordBody::Text, is_row: false }, &bytes, &bytes);
    run.finish(&bytes);
    run
}

/// A text with up to three of its characters replaced, cut off at some character in half of the cases.
pub(in crate::format) fn spoiled(text: &str) -> impl Strategy<Value = String> + use<> {
    let text: Vec<char> = text.chars().collect();
    let signs: Vec<char> = "[]{}:,\"/az09".chars().collect();
    let changes = prop::collection::vec((any::<Index>(), select(signs)), 0..4);
    (any::<Index>(), changes).prop_map(move |(cut, changes)| {
        let mut text = text.clone();
        changes.into_iter().for_each(|(at, sign)| *at.get_mut(&mut text) = sign);
        text.truncate(cut.index(text.len() * 2));
        text.into_iter().collect()
    })
}

/// Reads every step of a run, and the state after it.
pub(in crate::format) fn read_steps(run: &dyn Run, text: &str) {
    let bytes = text.as_bytes().to_vec();
    for step in 0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX) {
        run.step(step, &bytes);
        run.state(step, &bytes);
    }
}

/// Each step as `kind role: summary`, and the step that it answers.
pub(in crate::format) fn steps((run, bytes): &(Box<dyn Run>, Vec<u8>)) -> Vec<String> {
    let of = |number: usize| {
        let step = run.step(StepNo::try_from(number).unwrap_or(StepNo::MAX), bytes);
        let answers = step.answers.map(|call| format!(" (of {call})")).unwrap_or_default();
        format!("{} {}: {}{answers}", step.kind, step.role.name(), step.summary)
    };
    (0..run.step_count()).map(of).collect()
}

/// Holds that the steps are these, each from its beginning on.
#[track_caller]
pub(in crate::format) fn assert_steps(parsed: &(Box<dyn Run>, Vec<u8>), expected: &[&str]) {
    let found = steps(parsed);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:#?}");
}

/// The value of an identity at a step as compact JSON; empty: there is none.
pub(in crate::format) fn state((run, bytes): &(Box<dyn Run>, Vec<u8>), kind: &str, step: StepNo) -> String {
    state_of(run.as_ref(), bytes, kind, step)
}

/// The same of a run and its bytes.
pub(in crate::format) fn state_of(run: &dyn Run, bytes: &Vec<u8>, kind: &str, step: StepNo) -> String {
    let answer = run.state(step, bytes);
    let all = answer.iter().find(|(name, _)| *name == "state").map(|(_, value)| value.get());
    let all = all.and_then(|text| json::parse(text).ok());
    let of_kind = all.as_ref().and_then(|all| all.get(kind));
    of_kind.map(json::compact).unwrap_or_default()
}

/// The events of a step: what is written where.
pub(in crate::format) fn writes((run, _): &(Box<dyn Run>, Vec<u8>), step: StepNo) -> Vec<String> {
    let of = |event: crate::state::HistoryEvent| {
        let (identity, path) = run.tree().path(event.node);
        let sign = match event.op {
            EventOp::Add => "+",
            EventOp::Drop => "-",
            _ => "~",
        };
        format!("{sign}{}", run.reference(run.tree().identity(identity), &path))
    };
    run.tree().events(step).into_iter().map(of).collect()
}

/// The step that wrote the first leaf at a path.
pub(in crate::format) fn author((run, _): &(Box<dyn Run>, Vec<u8>), path: &str, step: StepNo) -> Option<StepNo> {
    let (id, below) = run.locate(path, step).ok()?.into_iter().next()?;
    let node = run.tree().node(id, &below)?;
    run.tree().leaves(node, step).first().map(|leaf| leaf.step)
}
