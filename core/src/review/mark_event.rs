//! One line of the journal: who decided what, of which content, and when.

use crate::model::{Bytes, Problem, Span, StepNo};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Bytes that are hashed at once.
const PIECE_BYTES: u64 = 1 << 20;

/// Version of the lines that are written.
pub const VERSION: u32 = 1;

/// What a decision is keyed by: the first 128 bits of the SHA-256 of the bytes of a record (of a message, where a file
/// is one run). So it holds wherever these bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentKey(u128);

impl ContentKey {
    /// The key of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(head_of(&Sha256::digest(bytes)))
    }

    /// The key of a span of an input, read in pieces, so that a record of any size costs little memory.
    ///
    /// # Errors
    /// The input no longer holds it.
    pub fn read(bytes: &dyn Bytes, span: Span) -> Result<Self, Problem> {
        let mut hash = Sha256::new();
        let mut at = span.offset;
        while at < span.end() {
            let piece = Span { offset: at, len: PIECE_BYTES.min(span.end() - at) };
            hash.update(bytes.read(piece)?);
            at = piece.end();
        }
        Ok(Self(head_of(&hash.finalize())))
    }

    /// Its bits: as good as random, and the same on every machine.
    #[must_use]
    pub fn bits(self) -> u128 {
        self.0
    }
}

/// The first 128 bits of a digest.
fn head_of(digest: &[u8]) -> u128 {
    digest.iter().take(16).fold(0, |bits, byte| (bits << 8) | u128::from(*byte))
}

impl fmt::Display for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for ContentKey {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        hex(text, 32)
            .map(Self)
            .ok_or_else(|| DecodeError::Broken(format!("{text:?} is not a key of 32 hexadecimal digits")))
    }
}

fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

/// A decision on a record or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Keep it.
    Good,
    /// Drop it.
    Bad,
    /// Looked at, not decided.
    Unsure,
}

impl Verdict {
    /// All, in the order of their keys.
    pub const ALL: [Self; 3] = [Self::Good, Self::Bad, Self::Unsure];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Unsure => "unsure",
        }
    }

    /// The one-cell sign, which is also its key.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Good => "+",
            Self::Bad => "-",
            Self::Unsure => "=",
        }
    }
}

/// What a decision is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarkTarget {
    /// The content.
    pub key: ContentKey,
    /// The step in it; None is the whole record. Where a file is one run, the content is a message, and this is the
    /// step at which it was: of equal messages the nearest is meant.
    pub step: Option<StepNo>,
    /// A value of the state, in the notation of the format; None is the step.
    pub path: Option<String>,
    /// Instance of that value.
    pub instance: Option<String>,
}

impl MarkTarget {
    /// A whole record.
    #[must_use]
    pub fn record(key: ContentKey) -> Self {
        Self { key, step: None, path: None, instance: None }
    }

    /// A step.
    #[must_use]
    pub fn step(key: ContentKey, step: StepNo) -> Self {
        Self { step: Some(step), ..Self::record(key) }
    }
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A decision; None takes one back.
    Decide(Option<Verdict>),
    /// A flag set or taken away.
    Flag(bool),
    /// A tag put on.
    Tag(String),
    /// A tag taken off.
    Untag(String),
    /// A note, in place of the one before; an empty one takes it away.
    Note(String),
    /// An earlier event of the same target does not count.
    Undo(EventId),
}

/// The name of an event: made from what it says, so that the same line in two journals is one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(u64);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Where the content was when it was decided on: for people, not for finding it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct About {
    /// Id of the record.
    pub id: Option<String>,
    /// Name of the file.
    pub file: Option<String>,
    /// Number of the record in it.
    pub record: Option<u64>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkEvent {
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
    /// Who.
    pub author: String,
    /// Of what.
    pub target: MarkTarget,
    /// What.
    pub change: Change,
    /// Where that was.
    pub about: About,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeError {
    /// It is not an event: torn, or never was one.
    Broken(String),
    /// It is of a later version than this program knows, or does what it does not know.
    Newer,
}

/// A line as it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
struct MarkLine {
    v: u32,
    time: u64,
    author: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepNo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    r#do: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
}

/// The version, which is read first, and what an event of every version has: logs of agents have a `v` too.
#[derive(Deserialize)]
struct Versioned {
    v: u32,
    #[serde(rename = "key")]
    _key: IgnoredAny,
    #[serde(rename = "do")]
    _change: IgnoredAny,
}

impl Change {
    /// Its word, text, and the event that it undoes.
    fn parts(&self) -> (&'static str, Option<&str>, Option<EventId>) {
        match self {
            Self::Decide(None) => ("undecided", None, None),
            Self::Decide(Some(verdict)) => (verdict.name(), None, None),
            Self::Flag(true) => ("flag", None, None),
            Self::Flag(false) => ("unflag", None, None),
            Self::Tag(tag) => ("tag", Some(tag), None),
            Self::Untag(tag) => ("untag", Some(tag), None),
            Self::Note(note) => ("note", Some(note), None),
            Self::Undo(event) => ("undo", None, Some(*event)),
        }
    }

    fn of(word: &str, text: Option<String>, of: Option<&str>) -> Result<Self, DecodeError> {
        let text = || text.ok_or_else(|| DecodeError::Broken(format!("a {word} has no text")));
        Ok(match word {
            "good" => Self::Decide(Some(Verdict::Good)),
            "bad" => Self::Decide(Some(Verdict::Bad)),
            "unsure" => Self::Decide(Some(Verdict::Unsure)),
            "undecided" => Self::Decide(None),
            "flag" => Self::Flag(true),
            "unflag" => Self::Flag(false),
            "tag" => Self::Tag(text()?),
            "untag" => Self::Untag(text()?),
            "note" => Self::Note(text()?),
            "undo" => {
                let id = of.and_then(|id| hex(id, 16)).and_then(|id| u64::try_from(id).ok());
                Self::Undo(EventId(id.ok_or_else(|| DecodeError::Broken("an undo names no event".to_owned()))?))
            }
            _ => return Err(DecodeError::Newer),
        })
    }
}

impl MarkEvent {
    /// Its name: a digest of who, when, what and of what.
    #[must_use]
    pub fn id(&self) -> EventId {
        let (word, text, of) = self.change.parts();
        let target = &self.target;
        let step = target.step.map(|step| step.to_string());
        let (time, key) = (self.time_ms.to_string(), target.key.to_string());
        let of = of.map(|id| id.to_string());
        let parts = [
            Some(time.as_str()),
            Some(&self.author),
            Some(&key),
            step.as_deref(),
            target.path.as_deref(),
            target.instance.as_deref(),
            Some(word),
            text,
            of.as_deref(),
        ];
        let mut hash = Sha256::new();
        for part in parts {
            // The length before each part keeps apart what differs only in where it is cut.
            let len = part.map_or(u64::MAX, |text| text.len() as u64);
            hash.update(len.to_be_bytes());
            hash.update(part.unwrap_or_default());
        }
        EventId(u64::try_from(head_of(&hash.finalize()) >> 64).unwrap_or(0))
    }

    /// The order in which events count, the last one wins: by time, author, name. Nothing else decides it.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let by_time = self.time_ms.cmp(&other.time_ms).then_with(|| self.author.cmp(&other.author));
        by_time.then_with(|| self.id().cmp(&other.id()))
    }

    /// With what each line begins.
    pub const BEGINNING: &[u8] = b"{\"v\":";

    /// The event as one line, without line end.
    #[must_use]
    pub fn line(&self) -> String {
        let (word, text, of) = self.change.parts();
        let line = MarkLine {
            v: VERSION,
            time: self.time_ms,
            author: self.author.clone(),
            key: self.target.key.to_string(),
            step: self.target.step,
            path: self.target.path.clone(),
            instance: self.target.instance.clone(),
            r#do: word.to_owned(),
            text: text.map(str::to_owned),
            of: of.map(|id| id.to_string()),
            id: self.about.id.clone(),
            file: self.about.file.clone(),
            record: self.about.record,
        };
        // A struct of numbers and strings always has a JSON text.
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// Reads a line.
    ///
    /// # Errors
    /// It is not an event, or one that only a later version knows.
    pub fn read(line: &[u8]) -> Result<Self, DecodeError> {
        let broken = |e: serde_json::Error| DecodeError::Broken(e.to_string());
        let Versioned { v, .. } = serde_json::from_slice(line).map_err(broken)?;
        if v > VERSION {
            return Err(DecodeError::Newer);
        }
        let line: MarkLine = serde_json::from_slice(line).map_err(broken)?;
        Ok(Self {
            time_ms: line.time,
            author: line.author,
            target: MarkTarget { key: line.key.parse()?, step: line.step, path: line.path, instance: line.instance },
            change: Change::of(&line.r#do, line.text, line.of.as_deref())?,
            about: About { id: line.id, file: line.file, record: line.record },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(change: Change) -> MarkEvent {
        let target = MarkTarget { path: Some("†state.a".into()), ..MarkTarget::step(ContentKey::of(b"x"), 3) };
        let about = About { id: Some("one\n\"two\"".into()), file: None, record: Some(7) };
        MarkEvent { time_ms: 12, author: "ann".into(), target, change, about }
    }

    #[test]
    fn a_line_reads_back_what_was_written() {
        let first = event(Change::Decide(None));
        for change in [
            Change::Decide(None),
            Change::Decide(Some(Verdict::Good)),
            Change::Decide(Some(Verdict::Bad)),
            Change::Decide(Some(Verdict::Unsure)),
            Change::Flag(true),
            Change::Flag(false),
            Change::Tag("a b\u{1b}".into()),
            Change::Untag(String::new()),
            Change::Note("line\nline".into()),
            Change::Undo(first.id()),
        ] {
            let event = event(change);
            let line = event.line();
            assert!(!line.contains('\n'));
            assert_eq!(MarkEvent::read(line.as_bytes()), Ok(event));
        }
    }

    #[test]
    fn torn_and_later_lines_are_distinguished() {
        let line = event(Change::Tag("é".into())).line();
        for end in 0..line.len() {
            assert!(matches!(MarkEvent::read(&line.as_bytes()[..end]), Err(DecodeError::Broken(_))), "{end}");
        }
        let later = line.replace("\"v\":1", "\"v\":2");
        assert_eq!(MarkEvent::read(later.as_bytes()), Err(DecodeError::Newer));
        assert_eq!(MarkEvent::read(line.replace("\"tag\"", "\"praise\"").as_bytes()), Err(DecodeError::Newer));
        assert!(matches!(MarkEvent::read(br#"{"v":1,"key":"x"}"#), Err(DecodeError::Broken(_))));
        let row = br#"{"id":"T-1","v":20,"messages":[{"role":"user","content":"hi"}]}"#;
        assert!(matches!(MarkEvent::read(row), Err(DecodeError::Broken(_))), "a row of a dataset that has a version");
    }

    #[test]
    fn the_name_is_of_all_that_counts() {
        let base = event(Change::Tag("ab".into()));
        let mut moved = base.clone();
        moved.about = About::default();
        assert_eq!(base.id(), moved.id(), "where it stood does not count");
        let mut later = base.clone();
        later.time_ms += 1;
        let mut other = base.clone();
        (other.author, other.target.path) = ("an".into(), Some("n†state.a".into()));
        let ids = [&base, &later, &other].map(MarkEvent::id);
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
        let long = vec![b'x'; 2 * PIECE_BYTES as usize + 7];
        let span = Span { offset: 3, len: long.len() as u64 - 3 };
        assert_eq!(ContentKey::read(&long, span), Ok(ContentKey::of(&long[3..])));
        assert!(ContentKey::read(&long, Span { offset: 4, ..span }).is_err());
        assert_eq!(ContentKey::of(b"").to_string(), "e3b0c44298fc1c149afbf4c8996fb924");
    }
}
