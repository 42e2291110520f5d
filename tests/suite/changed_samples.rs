//! Every format reads what its samples become when lines, members and bytes of them are moved, doubled, cut and
//! exchanged: no panic, every step has a place in the input, and what it answers came before it.

use obelus::format;
use obelus::ingest::{Loaded, load};
use obelus::json::{self, Value};
use obelus::model::StepNo;
use obelus::source::Input;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::ops::Range;

/// The number of cases of a property: `standard`, or that of the environment (`OBELUS_CASES=500`).
pub(crate) fn cases(standard: u32) -> u32 {
    std::env::var("OBELUS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(standard)
}

/// A change of a text.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A line goes to another place.
    Move(Index, Index),
    /// A line comes again behind another.
    Repeat(Index, Index),
    /// A stretch goes.
    Cut(Index, usize),
    /// A stretch is written over another.
    Copy(Index, Index, usize),
    /// A byte becomes another.
    Byte(Index, u8),
    /// The end goes.
    Truncate(Index),
    /// The lines come in another order.
    Shuffle(Vec<Index>),
    /// A value becomes one of another type.
    Member(Index, &'static str),
    /// A value becomes a copy of another one.
    Exchange(Index, Index),
}

/// Values that take the place of others.
const VALUES: [&str; 10] = ["7", "-1", "1e999", "\"x\"", "\"\"", "[]", "{}", "null", "[{}]", "true"];

pub(crate) fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        (index(), index()).prop_map(|(from, to)| Change::Move(from, to)),
        (index(), index()).prop_map(|(from, to)| Change::Repeat(from, to)),
        (index(), 1..40usize).prop_map(|(at, len)| Change::Cut(at, len)),
        (index(), index(), 1..40usize).prop_map(|(from, to, len)| Change::Copy(from, to, len)),
        (index(), select(b"{}[]\",:0n\\ \n\xff".to_vec())).prop_map(|(at, byte)| Change::Byte(at, byte)),
        index().prop_map(Change::Truncate),
        vec(index(), 1..12).prop_map(Change::Shuffle),
        (index(), select(VALUES.to_vec())).prop_map(|(at, value)| Change::Member(at, value)),
        (index(), index()).prop_map(|(at, from)| Change::Exchange(at, from)),
    ]
}

/// Where the values of a text stand: of its documents, one or one a line, down to the leaves.
fn values(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let Ok(text) = std::str::from_utf8(text) else { return found };
    if let Ok(value) = json::parse(text) {
        collect(&value, 0, &mut found);
        return found;
    }
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Ok(value) = json::parse(line) {
            collect(&value, offset, &mut found);
        }
        offset += line.len();
    }
    found
}

fn collect(value: &Value<'_>, offset: usize, found: &mut Vec<Range<usize>>) {
    found.push(offset + value.start..offset + value.start + value.text.len());
    value.as_array().into_iter().flatten().for_each(|inner| collect(inner, offset, found));
    let members = value.as_object().into_iter().flat_map(|object| &object.members);
    members.for_each(|member| collect(&member.value, offset, found));
}

/// A text with a value replaced; as it is, where it has none.
fn replaced(mut text: Vec<u8>, at: &Index, with: impl FnOnce(&[u8], &[Range<usize>]) -> Vec<u8>) -> Vec<u8> {
    let values = values(&text);
    if !values.is_empty() {
        let with = with(&text, &values);
        text.splice(values[at.index(values.len())].clone(), with);
    }
    text
}

pub(crate) fn apply(text: Vec<u8>, change: &Change) -> Vec<u8> {
    if text.is_empty() {
        return text;
    }
    let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let mut bytes = text.clone();
    let range = |at: &Index, len: usize| at.index(text.len())..text.len().min(at.index(text.len()) + len);
    match change {
        Change::Move(from, to) => {
            let line = lines.remove(from.index(lines.len()));
            let to = to.index(lines.len() + 1);
            lines.insert(to, line);
            lines.join(&b'\n')
        }
        Change::Repeat(from, to) => {
            let line = lines[from.index(lines.len())].clone();
            let to = to.index(lines.len() + 1);
            lines.insert(to, line);
            lines.join(&b'\n')
        }
        Change::Cut(at, len) => {
            bytes.drain(range(at, *len));
            bytes
        }
        Change::Copy(from, to, len) => {
            bytes.splice(range(to, *len), text[range(from, *len)].iter().copied());
            bytes
        }
        Change::Byte(at, byte) => {
            bytes[at.index(text.len())] = *byte;
            bytes
        }
        Change::Truncate(at) => {
            bytes.truncate(at.index(text.len()));
            bytes
        }
        Change::Shuffle(order) => {
            let mut shuffled = Vec::with_capacity(lines.len());
            for number in 0..lines.len() {
                shuffled.push(lines.remove(order[number % order.len()].index(lines.len())));
            }
            shuffled.join(&b'\n')
        }
        Change::Member(at, value) => replaced(text, at, |_, _| value.as_bytes().to_vec()),
        Change::Exchange(at, from) => {
            replaced(text, at, |text, values| text[values[from.index(values.len())].clone()].to_vec())
        }
    }
}

/// Asks every run for everything that a command would, and looks where its steps stand.
fn check(loaded: &Loaded) {
    let len = loaded.input.len();
    for number in 0..loaded.trajectories().unwrap().min(20) {
        let Ok(run) = loaded.run(number) else { continue };
        let bytes = loaded.input.as_ref();
        let count = StepNo::try_from(run.step_count()).unwrap();
        for step in 0..count {
            let place = run.place(step).unwrap();
            assert!(place.place.span.end() <= len && place.record_span.end() <= len, "{step}: {place:?}");
            assert!(run.step(step, bytes).answers.is_none_or(|call| (0..=step).contains(&call)), "{step}");
        }
        for step in [-1, count / 2, count - 1] {
            run.state(step, bytes);
            run.view(step, bytes);
        }
        for finding in run.findings() {
            assert!(finding.step.is_none_or(|step| (-1..count).contains(&step)), "{finding:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_samples_are_read(changes in vec(change(), 1..6), seed in any::<Index>()) {
        for format in format::FORMATS.iter().filter(|format| !format.samples().is_empty()) {
            let sample = format.samples()[seed.index(format.samples().len())];
            let text = changes.iter().fold(sample.as_bytes().to_vec(), apply);
            let Ok(loaded) = load(Input::memory("changed", text), Some(format.name())) else { continue };
            check(&loaded);
            prop_assert!(loaded.trajectory_count().is_ok());
        }
    }
}
