//! D15: records of a file that repeat an id or a body. Keeps hashes, no records.

use crate::json::{self, Value};
use crate::model::cast;
use crate::model::varint::{PackedList, put, take};
use crate::model::{Bytes, Finding, LocatedFinding, Place, Remark, Severity, Span};
use crate::rules::digest;
use crate::rules::trajectory::{Reading, RecordShape};
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::HashMap;

/// D15: what of a record may repeat: its id and its body, each with the path at which it is.
#[derive(Debug, Clone, Default)]
pub struct RepeatKeys {
    id: Option<RepeatKey>,
    body: Option<RepeatKey>,
}

/// A member that may repeat: its key, its digest, where it is.
#[derive(Debug, Clone)]
struct RepeatKey {
    /// Empty: it is the record.
    key: &'static str,
    digest: u128,
    place: Place,
}

/// D15: the digests of what may repeat, as 32 hex digits. Serialized, a member of a line of `stats --json`: by it,
/// parts of a dataset say what they repeat of one another.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RepeatDigests {
    /// Of the id.
    pub id: Option<String>,
    /// Of the body.
    pub body: Option<String>,
}

impl RepeatKeys {
    /// Renumbers the lines: `lines` lines of the file come before the one that was counted as its first.
    pub(in crate::rules) fn shift(&mut self, lines: u64) {
        self.id.iter_mut().chain(&mut self.body).for_each(|key| key.place.line += lines);
    }

    /// D15: the digests alone.
    #[must_use]
    pub fn digests(&self) -> RepeatDigests {
        let hex = |key: &Option<RepeatKey>| key.as_ref().map(|key| format!("{:032x}", key.digest));
        RepeatDigests { id: hex(&self.id), body: hex(&self.body) }
    }

    /// D15: id and non-empty body of a std, chat or atif record. `place` says where a value is in the file, `digest`
    /// its digest, which others may share.
    pub(in crate::rules) fn of(
        reading: &Reading<'_>,
        place: impl Fn(&Value<'_>) -> Place,
        digest: fn(&Value<'_>) -> u128,
    ) -> Self {
        if reading.shape == RecordShape::Other {
            return Self::default();
        }
        let body = reading.body.map(|pointer| pointer.trim_start_matches('/')).zip(reading.steps());
        let body = body.filter(|(_, v)| v.as_array().is_some_and(|items| !items.is_empty()));
        let key = |(key, v): (&'static str, &Value<'_>)| RepeatKey { key, digest: digest(v), place: place(v) };
        // Where each record is a step of a run, all of a run have its id.
        let id = reading.id().filter(|_| !reading.is_step_of_run());
        Self { id: id.map(key), body: body.map(key) }
    }
}

/// D15: the ids and bodies of the records so far, each with the record that had it first.
#[derive(Debug, Default)]
pub struct Repeats {
    ids: Firsts,
    bodies: Firsts,
}

/// The different values so far. There are two of them for each record of a file, so they are kept in few bytes: 9 and
/// room to grow for a part of the digest, 4 to 8 for where a value is.
#[derive(Debug, Default)]
struct Firsts {
    /// Their numbers, by a quarter of their digests. A value that finds another there is where the digest of its
    /// content says, or at the next that is free.
    by_digest: HashMap<u32, u32>,
    places: Places,
    /// Digests of the contents of long ones that others met, by where these are: each is read once.
    long: HashMap<u64, Option<u128>>,
}

/// Bytes from which on a value is long.
const LONG_BYTES: u64 = 1 << 12;

/// Records and places of values, each recognised by what it is more than the one before.
#[derive(Debug, Default)]
struct Places {
    list: PackedList<First>,
    last: First,
}

/// Where a value is first, and the record.
#[derive(Debug, Clone, Copy, Default)]
struct First {
    record: u64,
    span: Span,
}

impl Places {
    fn push(&mut self, first: First) {
        let First { record, span } = self.last;
        self.list.push(self.last, |out| {
            put(out, first.record.wrapping_sub(record));
            put(out, first.span.offset.wrapping_sub(span.offset));
            put(out, first.span.len);
        });
        self.last = first;
    }

    fn get(&self, number: u32) -> Option<First> {
        let (mut rest, mut first, skipped) = self.list.near(number as usize)?;
        for _ in 0..=skipped {
            first.record = first.record.wrapping_add(take(&mut rest));
            first.span.offset = first.span.offset.wrapping_add(take(&mut rest));
            first.span.len = take(&mut rest);
        }
        Some(first)
    }
}

impl Firsts {
    /// The record that had a value first, if it is not this one.
    fn note(&mut self, digest: u128, now: First, bytes: &dyn Bytes) -> Option<u64> {
        // Nothing is compared with what comes after as many values.
        let next = u32::try_from(self.places.list.len()).ok()?;
        let mut at = slot(digest);
        let mut content = None;
        while let Some(first) = self.by_digest.get(&at).and_then(|number| self.places.get(*number)) {
            let is_met = content.is_some();
            let content = content.get_or_insert_with(|| Content::at(now.span, bytes));
            if content.is_same(first.span, bytes, &mut self.long) {
                return Some(first.record);
            }
            // Values of one digest that differ are found by their content: none is compared with all before it.
            at = if is_met { at.wrapping_add(1) } else { content.slot().unwrap_or(at.wrapping_add(1)) };
        }
        self.by_digest.insert(at, next);
        self.places.push(now);
        None
    }
}

/// Where in a table a value of this digest is.
fn slot(digest: u128) -> u32 {
    cast::low_u32(cast::low_u64(digest))
}

/// A value that is compared with others, as it is in the file. A quick digest proves nothing.
struct Content {
    /// None: it can be read no more. It is equal to none then.
    text: Option<Vec<u8>>,
    digest: OnceCell<Option<u128>>,
}

impl Content {
    fn at(span: Span, bytes: &dyn Bytes) -> Self {
        Self { text: bytes.read(span).ok(), digest: OnceCell::new() }
    }

    fn digest(&self) -> Option<u128> {
        let of = |text: &[u8]| Some(digest::of(&json::parse(std::str::from_utf8(text).ok()?).ok()?));
        *self.digest.get_or_init(|| self.text.as_deref().and_then(of))
    }

    fn slot(&self) -> Option<u32> {
        self.digest().map(slot)
    }

    /// Whether it equals the value there as JSON.
    fn is_same(&self, span: Span, bytes: &dyn Bytes, long: &mut HashMap<u64, Option<u128>>) -> bool {
        let Some(text) = &self.text else { return false };
        if span.len >= LONG_BYTES
            && let Some(digest) = *long.entry(span.offset).or_insert_with(|| Self::at(span, bytes).digest())
        {
            return self.digest() == Some(digest);
        }
        let other = Self::at(span, bytes);
        other.text.as_ref() == Some(text) || (self.digest().is_some() && self.digest() == other.digest())
    }
}

impl Repeats {
    /// D15: takes the next record of the file and says what it repeats. `bytes` are those of the file.
    pub fn note(&mut self, record: usize, keys: &RepeatKeys, bytes: &dyn Bytes) -> Vec<LocatedFinding> {
        let id = repeated(&mut self.ids, record, keys.id.as_ref(), bytes, "adp.duplicate-id", "id");
        let body = repeated(&mut self.bodies, record, keys.body.as_ref(), bytes, "adp.duplicate-content", "content");
        body.into_iter().chain(id).collect()
    }
}

fn repeated(
    seen: &mut Firsts,
    record: usize,
    key: Option<&RepeatKey>,
    bytes: &dyn Bytes,
    rule: &'static str,
    what: &str,
) -> Option<LocatedFinding> {
    let RepeatKey { key, digest, place } = key?;
    let first = seen.note(*digest, First { record: record as u64, span: place.span }, bytes)?;
    let remark = Remark {
        path: Some(if key.is_empty() { "".into() } else { format!("/{key}").into() }),
        rule,
        severity: Severity::Warning,
        message: format!("record {first} has the same {what}").into(),
    };
    Some(LocatedFinding { finding: Finding::new(record, None, remark), place: *place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::model::Problem;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn an_equal_digest_alone_is_no_repetition() {
        let texts = [r#"{"a":1,"b":2}"#, r#"["x"]"#, r#"{"b":2, "a":1}"#, r#"["y"]"#, r#"["y"]"#];
        let (mut file, mut repeats, mut flags) = (Vec::new(), Repeats::default(), Vec::new());
        for (record, text) in texts.iter().enumerate() {
            let span = Span { offset: file.len() as u64, len: text.len() as u64 };
            file.extend_from_slice(text.as_bytes());
            let key = RepeatKey { key: "content", digest: u128::MAX, place: Place { span, line: 1 } };
            let keys = RepeatKeys { id: None, body: Some(key) };
            let found = repeats.note(record, &keys, &file);
            flags.push(found.into_iter().map(|found| found.finding.message.to_string()).collect::<String>());
        }
        assert_eq!(flags, ["", "", "record 0 has the same content", "", "record 3 has the same content"]);
    }

    #[test]
    fn values_are_found_among_many() {
        let values: Vec<String> = (0..600_u32).map(|i| format!("\"{}\"", i.wrapping_mul(7_919) % 401)).collect();
        let (file, mut offset, mut repeats) = (values.concat().into_bytes(), 0, Repeats::default());
        let mut first = HashMap::new();
        for (record, value) in values.iter().enumerate() {
            let place = Place { span: Span { offset, len: value.len() as u64 }, line: 1 };
            offset += value.len() as u64;
            // Digests of which many share what is looked at.
            let digest = u128::from(record as u64) << 64 | u128::from(value.len() as u64);
            let keys = RepeatKeys { id: Some(RepeatKey { key: "id", digest, place }), body: None };
            let messages: Vec<_> =
                repeats.note(record, &keys, &file).into_iter().map(|f| f.finding.message.clone()).collect();
            let expected = first.get(value).map(|first| format!("record {first} has the same id"));
            first.entry(value).or_insert(record);
            assert_eq!(messages.first().map(|message| message.to_string()), expected, "record {record}");
        }
        let bytes = repeats.ids.places.list.size();
        assert!(bytes <= first.len() * 6, "{bytes} for {}", first.len());
    }

    /// Bytes that count how often they are read.
    #[derive(Default)]
    struct Counted(Vec<u8>, AtomicUsize);

    impl Bytes for Counted {
        fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.read(span)
        }
    }

    #[test]
    fn values_that_share_a_key_are_each_compared_with_few() {
        let (mut file, mut repeats, mut found) = (Counted::default(), Repeats::default(), Vec::new());
        for record in 0..400_usize {
            // What differs is where the key does not look; the last hundred repeat the first.
            let text = format!("[1,2,{},4,5,6,7,8,9]", record % 300);
            let value = parse(&text).unwrap();
            let span = Span { offset: file.0.len() as u64, len: text.len() as u64 };
            file.0.extend_from_slice(text.as_bytes());
            let key = RepeatKey { key: "content", digest: digest::quick_key(&value), place: Place { span, line: 1 } };
            found.extend(repeats.note(record, &RepeatKeys { id: None, body: Some(key) }, &file));
        }
        let first = found.first().map(|found| found.finding.message.to_string());
        assert_eq!((found.len(), first.as_deref()), (100, Some("record 0 has the same content")));
        let reads = file.1.into_inner();
        assert!((700..=1_200).contains(&reads), "{reads} reads of 400 values");
    }

    #[test]
    fn a_long_value_that_many_meet_is_read_once() {
        let (mut file, mut repeats, mut found) = (Counted::default(), Repeats::default(), 0);
        for record in 0..100_usize {
            let third = if record == 0 { "x".repeat(100_000) } else { record.to_string() };
            let text = format!("[1,2,\"{third}\",4,5,6,7,8,9]");
            let value = parse(&text).unwrap();
            let span = Span { offset: file.0.len() as u64, len: text.len() as u64 };
            file.0.extend_from_slice(text.as_bytes());
            let key = RepeatKey { key: "content", digest: digest::quick_key(&value), place: Place { span, line: 1 } };
            found += repeats.note(record, &RepeatKeys { id: None, body: Some(key) }, &file).len();
        }
        assert_eq!(found, 0);
        let reads = file.1.into_inner();
        assert!((100..=120).contains(&reads), "{reads} reads of 100 values");
    }

    #[test]
    fn equal_as_json_is_equal() {
        let same = |a: &str, b: &str| digest::of(&parse(a).unwrap()) == digest::of(&parse(b).unwrap());
        assert!(same(r#"[{"a":1,"b":"\u0041"}]"#, r#"[ {"b":"A","a":0,"a":1} ]"#));
        assert!(!same("[1]", "[1.0]"));
        assert!(!same(r#"["a","b"]"#, r#"["a:b"]"#));
        assert!(!same("[1,2]", "[12]"));
        assert!(!same(r#"["1"]"#, "[1]"));
        assert!(!same("[[1],2]", "[[1,2]]"));
    }
}
