//! Where things are in the input, and how their bytes are asked for.

use super::Problem;
use crate::json::{self, Scan, Scanner, Value};
use std::borrow::Cow;

/// A range of bytes of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte, from the start of the input.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
}

impl Span {
    /// The part of this span that starts `start` bytes in and is `len` bytes long.
    #[must_use]
    pub fn part(self, start: usize, len: usize) -> Self {
        Self { offset: self.offset + start as u64, len: len as u64 }
    }

    /// First byte after the span.
    #[must_use]
    pub fn end(self) -> u64 {
        self.offset.saturating_add(self.len)
    }
}

/// A span and the line on which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The bytes.
    pub span: Span,
    /// Physical line, from 1, blank ones counted; 0 if unknown.
    pub line: u64,
}

/// One record of the input: a line, a value of a run, an element of a top-level array, or the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Number, from 0, blank lines not counted.
    pub number: usize,
    /// Where it is, without white space around it.
    pub place: Place,
    /// What the framing says of it.
    pub body: RecordBody,
    /// Whether it is a row of columns, in which a member that is null may as well be none (D8).
    pub is_row: bool,
}

/// Bytes that a record which cannot be read is shown with; what it says is in its reason.
const BROKEN_BYTES: u64 = 1 << 16;

impl Record {
    /// What is read of it to look at it: all of it; of a broken one at most 64 KiB.
    #[must_use]
    pub fn shown(&self) -> Span {
        let Span { offset, len } = self.place.span;
        Span { offset, len: if self.body == RecordBody::Text { len } else { len.min(BROKEN_BYTES) } }
    }

    /// R5: its text, read as JSON.
    ///
    /// # Errors
    /// Why it is invalid: a few words, with the byte of the input.
    pub fn json<'t>(&self, text: &'t [u8]) -> Result<(&'t str, Value<'t>), String> {
        if let RecordBody::Broken(why) = &self.body {
            return Err(why.clone());
        }
        let at = |byte: usize| self.place.span.offset + byte as u64;
        let text = std::str::from_utf8(text).map_err(|e| no_utf8_at(at(e.valid_up_to())))?;
        let value = json::parse(text).map_err(|e| format!("{} at byte {}", e.message, at(e.byte)))?;
        Ok((text, value))
    }

    /// R5: whether its text is one JSON value, nested however deep; costs no memory.
    ///
    /// # Errors
    /// Why it is invalid: a few words, with the byte of the input.
    pub fn check(&self, text: &[u8]) -> Result<(), String> {
        if let RecordBody::Broken(why) = &self.body {
            return Err(why.clone());
        }
        let mut scanner = Scanner::default();
        let (at, why) = match scanner.feed(text) {
            Scan::End(end) if text[end..].trim_ascii().is_empty() => return Ok(()),
            Scan::End(end) => (end, "other text behind the value"),
            Scan::Fault(at, why) => (at, why),
            Scan::More => match scanner.finish() {
                Ok(()) => return Ok(()),
                Err(why) => (text.len(), why),
            },
        };
        Err(format!("{why} at byte {}", self.place.span.offset + at as u64))
    }
}

/// What the framing (not the format) says of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordBody {
    /// It may be read as JSON; whether it is valid is known when it is parsed.
    Text,
    /// It cannot be a record; the sentence says why and at which byte.
    Broken(String),
}

/// How a file is cut into records (`DESIGN.md` 9, A1, S1, D1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON text, or one text per line (A1, S1).
    Text,
    /// The elements of one array, or a run of values with white space between (D1).
    Values,
    /// As `LogText`, but a whole text that is an array is cut into its elements: generic records.
    Elements,
    /// As `Values`, but a file that is one object with nothing but objects in it is cut into these: named trajectories.
    Members,
    /// As `Text`, but a lone surrogate escape is text, as logs have it.
    LogText,
    /// As `Values`, with the same exception.
    LogValues,
    /// The elements of the array that is under this name in one object; without it there are no records.
    Items(&'static str),
}

/// The bytes of the open input. Rooms of the core ask for them through this, so that they name no file.
///
/// A read is one `pread` of a local file or a copy from memory; callers keep spans small (a message, a shown value).
pub trait Bytes: Send + Sync {
    /// The bytes of a span.
    ///
    /// # Errors
    /// The input does not hold them any more (it shrank, it was replaced, the disk failed).
    fn read(&self, span: Span) -> Result<Vec<u8>, Problem>;
}

impl Bytes for Vec<u8> {
    fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
        usize::try_from(span.offset)
            .ok()
            .zip(usize::try_from(span.end()).ok())
            .and_then(|(from, to)| self.get(from..to))
            .map(<[u8]>::to_vec)
            .ok_or_else(|| Problem::gone(span))
    }
}

/// That a byte of the input begins no character.
pub(crate) fn no_utf8_at(byte: u64) -> String {
    format!("bytes that are not UTF-8 at byte {byte}")
}

/// Bytes as text, invalid UTF-8 replaced.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
