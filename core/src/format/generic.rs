//! Any JSON: records that no format knows, one step each. The last row of the table.

use super::describe::WHOLE_MAX;
use super::survey::looked as looked_at;
use super::{
    Answer, Attribution, BoxedLook, Format, Framing, Layout, LookFn, Match, Purpose, Resolved, Run, Survey, Surveyed,
    ViewEntry, describe, plain_rows,
};
use crate::json::{self, Key, Value};
use crate::model::{
    Bytes, Finding, Identity, LocatedFinding, Problem, Record, RecordBody, RecordIndex, Remark, Severity, Span, Step,
    StepKind, StepNo, StepPlace, lossy, no_utf8_at,
};
use crate::state::{IdentityId, Tree};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Bytes of a huge record that are looked at together.
const PIECE_BYTES: u64 = 1 << 18;

/// Bytes of records that a run reads to know whether they are JSON; others are read when they are shown.
const READ_BYTES: u64 = 8 << 20;
/// Most broken records that such a run looks for: the reason of each takes more memory than a short record.
const BROKEN_MAX: usize = 10_000;

/// The format of what has none.
pub(super) struct Generic;

impl Format for Generic {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn title(&self) -> &'static str {
        "JSON records"
    }

    fn about(&self) -> &'static str {
        "Any JSON or JSON Lines. Each record, or each element of one array, is a step; who, when and what it says is \
         guessed from the names of its members. There is no state. A file that fits no other format is read so."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let what = plain_rows::describe(first).map_or_else(String::new, |what| format!("; {what}"));
        Some(Match { reason: format!("no other format fits: each record is shown as it is{what}") })
    }

    fn framing(&self) -> Framing {
        Framing::Elements
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn needs_text(&self) -> bool {
        false
    }

    fn is_any(&self) -> bool {
        true
    }

    fn has_state(&self) -> bool {
        false
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        (purpose == Purpose::Findings).then(|| Box::new(Texts) as Box<dyn Survey>)
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(Records::default())
    }

    fn samples(&self) -> &'static [&'static str] {
        &[
            concat!(
                r#"{"level":"info","msg":"started","time":"2026-05-01T10:00:00Z"}"#,
                "\n",
                r#"{"level":"warn","msg":"slow"}"#
            ),
            r#"[{"a":1},{"a":2}]"#,
        ]
    }
}

/// Whether each record is JSON at all: of a large file the run does not look.
struct Texts;

impl Survey for Texts {
    fn look(&self) -> LookFn {
        Box::new(|record, text| {
            let found =
                |reason: String| LocatedFinding { finding: invalid(record.number, &reason), place: record.place };
            Box::new(fault(record, text).map(found).into_iter().collect::<Vec<LocatedFinding>>())
        })
    }

    fn take(&mut self, looked: BoxedLook, _bytes: &dyn Bytes) -> Surveyed {
        Surveyed { findings: looked_at(looked).unwrap_or_default(), ..Surveyed::default() }
    }
}

/// The bytes of a record, or of a huge one its closed beginning.
fn text_of(span: Span, bytes: &dyn Bytes) -> Result<Vec<u8>, Problem> {
    if span.len <= WHOLE_MAX {
        return bytes.read(span);
    }
    describe::read(span, bytes).map(String::into_bytes)
}

/// Why a huge record is not text (R9), read in pieces; None where it is, or can no longer be read.
fn not_utf8(span: Span, bytes: &dyn Bytes) -> Option<String> {
    let (mut at, mut piece) = (span.offset, Vec::new());
    while at < span.end() {
        let next = bytes.read(Span { offset: at, len: PIECE_BYTES.min(span.end() - at) }).ok()?;
        let begin = at - piece.len() as u64;
        at += next.len() as u64;
        piece.extend(next);
        let cut = match std::str::from_utf8(&piece) {
            Ok(_) => piece.len(),
            // A character that goes on in the next piece.
            Err(e) if e.error_len().is_none() && at < span.end() => e.valid_up_to(),
            Err(e) => return Some(no_utf8_at(begin + e.valid_up_to() as u64)),
        };
        piece.drain(..cut);
    }
    None
}

/// Why a record is not valid JSON.
fn fault(record: &Record, text: &[u8]) -> Option<String> {
    record.json(text).err()
}

fn invalid(record: usize, reason: &str) -> Finding {
    let step = StepNo::try_from(record).ok();
    let message = format!("the record is not valid JSON: {reason}").into();
    let (rule, severity) = ("data.invalid-json", Severity::Error);
    Finding::new(record, step, Remark { path: None, rule, severity, message })
}

/// The records of a file, known by their places.
#[derive(Default)]
struct Records {
    places: RecordIndex,
    /// Number of the first.
    first: usize,
    /// Bytes that were read, and the first record that was not.
    read: u64,
    unread: Option<StepNo>,
    /// How many of those that were read are broken.
    broken: usize,
    /// Steps whose records say that something failed, of those that were read.
    failed: Vec<StepNo>,
    tree: Tree,
}

impl Records {
    fn at(&self, step: StepNo) -> Option<Record> {
        self.places.get(usize::try_from(step).ok()?)
    }

    /// Why a record is not JSON, as far as it is read.
    fn look(&mut self, record: &Record, bytes: &dyn Bytes) -> Option<String> {
        let span = record.place.span;
        if self.broken < BROKEN_MAX && self.read.saturating_add(span.len) <= READ_BYTES {
            self.read += span.len;
            let text = bytes.read(span).ok()?;
            return match record.json(&text) {
                Err(why) => {
                    self.broken += 1;
                    Some(why)
                }
                Ok((_, value)) => {
                    let has_failed = describe::record(&value).sign == StepKind::Error;
                    self.failed.extend(StepNo::try_from(self.places.len()).ok().filter(|_| has_failed));
                    None
                }
            };
        }
        self.unread = self.unread.or_else(|| StepNo::try_from(self.places.len()).ok());
        // A longer one is described by its beginning, so its end is looked at here.
        if span.len > WHOLE_MAX { not_utf8(span, bytes) } else { None }
    }
}

impl Run for Records {
    fn push(&mut self, record: &Record, _text: &[u8], bytes: &dyn Bytes) {
        if self.places.is_empty() {
            self.first = record.number;
        }
        let broken = match &record.body {
            RecordBody::Text => self.look(record, bytes),
            RecordBody::Broken(reason) => Some(reason.clone()),
        };
        self.places.push(record.place, broken);
    }

    fn step_count(&self) -> usize {
        self.places.len()
    }

    fn place(&self, step: StepNo) -> Option<StepPlace> {
        let Record { number, place, .. } = self.at(step)?;
        Some(StepPlace { record: self.first + number, place, record_span: place.span })
    }

    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step {
        let described = match self.at(step) {
            None => Step::default(),
            Some(Record { body: RecordBody::Broken(reason), .. }) => describe::broken(&reason),
            Some(record) => match text_of(record.place.span, bytes) {
                Err(problem) => describe::broken(&problem.to_string()),
                Ok(text) => match record.json(&text) {
                    Ok((_, value)) => describe::record(&value),
                    Err(why) => describe::broken(&why),
                },
            },
        };
        Step { number: step, ..described }
    }

    fn tree(&self) -> &Tree {
        &self.tree
    }

    fn findings(&self) -> Vec<Arc<Finding>> {
        let broken = self.places.broken().map(|(index, reason)| invalid(self.first + index, reason));
        broken.map(Arc::new).collect()
    }

    fn error_steps(&self) -> Vec<StepNo> {
        self.failed.clone()
    }

    fn unread_from(&self) -> Option<StepNo> {
        self.unread
    }

    fn reference(&self, identity: &Identity, path: &[Key]) -> String {
        format!("{}{}", identity.kind, json::pointer(path))
    }

    fn locate(&self, _path: &str, _step: StepNo) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem> {
        Ok(Vec::new())
    }

    fn attribution(&self, _identity: IdentityId, _author: StepNo, _bytes: &dyn Bytes) -> Attribution {
        Attribution::default()
    }

    fn state(&self, _step: StepNo, _bytes: &dyn Bytes) -> Answer {
        raw("[]".to_owned()).map(|data| ("data", data)).into_iter().collect()
    }

    /// The record itself: what a model saw of it is not known.
    fn view(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ViewEntry> {
        let Some(Record { place, .. }) = self.at(step) else { return Vec::new() };
        let Ok(text) = text_of(place.span, bytes) else { return Vec::new() };
        let value = std::str::from_utf8(&text).ok().and_then(|text| json::parse(text).ok());
        let (content, text) = match value {
            Some(value) => (Some(json::compact(&value)), json::pretty(&value)),
            None => (None, lossy(&text).into_owned()),
        };
        vec![ViewEntry { role: None, content, text, step, identity: None }]
    }

    fn resolve(
        &self,
        reference: &str,
        _step: StepNo,
        _instance: Option<&str>,
        _expect: Option<&str>,
        _bytes: &dyn Bytes,
    ) -> Resolved {
        let members =
            [("ref", json::quote(reference)), ("status", json::quote("missing")), ("reason", json::quote("kind"))];
        let fields = members.into_iter().filter_map(|(name, text)| Some((name, raw(text)?))).collect();
        Resolved { is_ok: false, status: "missing", fields, target: None }
    }
}

fn raw(text: String) -> Option<Box<RawValue>> {
    RawValue::from_string(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Place, Span};

    #[test]
    fn every_record_is_a_step_and_a_broken_one_says_where() {
        let text = b"{\"msg\":\"a\"}\n{\"msg\":nul}\n{\"type\":\"error\"}\n".to_vec();
        let mut run = Generic.run();
        for (number, (offset, len)) in [(0, 11), (12, 11), (24, 16)].into_iter().enumerate() {
            let place = Place { span: Span { offset, len }, line: number as u64 + 1 };
            run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, &[], &text);
        }
        assert_eq!((run.step_count(), run.error_steps()), (3, vec![2]));
        assert_eq!(run.step(0, &text).summary, "a");
        let broken = run.step(1, &text);
        assert_eq!(broken.sign, StepKind::Broken);
        assert!(broken.summary.contains("at byte 22"), "of the file: {}", broken.summary);
        assert_eq!(run.place(1).unwrap().place.line, 2);
        let found: Vec<_> = run.findings().iter().map(|found| (found.step, found.rule)).collect();
        assert_eq!((found, run.unread_from()), (vec![(Some(1), "data.invalid-json")], None));
    }

    #[test]
    fn broken_records_without_end_are_not_all_looked_for() {
        let text = "]\n".repeat(BROKEN_MAX + 2).into_bytes();
        let mut run = Generic.run();
        for number in 0..BROKEN_MAX + 2 {
            let place = Place { span: Span { offset: 2 * number as u64, len: 1 }, line: number as u64 + 1 };
            run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, &[], &text);
        }
        assert_eq!(run.findings().len(), BROKEN_MAX);
        assert_eq!(run.unread_from(), StepNo::try_from(BROKEN_MAX).ok());
    }

    #[test]
    fn of_a_large_file_the_first_records_are_read() {
        let len = READ_BYTES / 2;
        let mut text = vec![b'1'; usize::try_from(READ_BYTES).unwrap() + 3];
        text[1] = b'x';
        text[usize::try_from(READ_BYTES).unwrap() + 1] = b'x';
        let mut run = Generic.run();
        for (number, (offset, len)) in [(0, len), (len, len), (2 * len, 3)].into_iter().enumerate() {
            let place = Place { span: Span { offset, len }, line: number as u64 + 1 };
            run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, &[], &text);
        }
        let found: Vec<_> = run.findings().iter().map(|found| found.step).collect();
        assert_eq!((found, run.unread_from()), (vec![Some(0)], Some(2)));
        assert_eq!(run.step(2, &text).sign, StepKind::Broken, "it is read when it is shown");
    }
}
