//! A file as a document that is written again and again: its versions (TAIL T14, T15).

use super::lines::mark;
use super::validate;
use crate::model::{Bytes, Problem, Span};
use crate::source::Content;
use sha2::{Digest as _, Sha256};
use std::time::{Duration, Instant};

/// A version counts when size and times stood still so long.
const STILL: Duration = Duration::from_millis(250);

/// Which bytes a version has.
pub(crate) type Digest = [u8; 32];

/// The version at a path, and which were reported.
#[derive(Debug)]
pub(crate) struct Document {
    reported_digest: Option<Digest>,
    version: [i64; 5],
    since: Instant,
    is_tried: bool,
    /// Whether the last version that was read parsed.
    is_whole: bool,
}

/// What a look at a document brought.
#[derive(Debug)]
pub(crate) enum DocumentUpdate {
    /// It changes, or was reported before.
    Nothing,
    /// It does not parse.
    Torn(Torn),
    /// A version that was not reported; whether it is the first.
    Version { text: Vec<u8>, is_first: bool },
    /// It is lines after all; whether a version was reported.
    Lines { was_reported: bool },
}

/// Why a version does not parse.
#[derive(Debug)]
pub(crate) struct Torn {
    pub(crate) why: &'static str,
    /// The byte at fault.
    pub(crate) byte: u64,
    /// Where the version begins.
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) is_first: bool,
}

impl Document {
    /// A document of which nothing was reported.
    pub(super) fn new(content: &Content, now: Instant) -> Self {
        let age = content.input().map(|input| input.age()).unwrap_or_default().min(STILL);
        Self {
            reported_digest: None,
            version: content.version(),
            since: now.checked_sub(age).unwrap_or(now),
            is_tried: false,
            is_whole: false,
        }
    }

    /// A document whose present version was reported.
    pub(crate) fn after(content: &Content, digest: Digest, now: Instant) -> Self {
        Self { reported_digest: Some(digest), is_tried: false, ..Self::new(content, now) }
    }

    /// The digest of a version.
    pub(crate) fn digest(text: &[u8]) -> Digest {
        Sha256::digest(text).into()
    }

    /// A document that comes through a stream: it has one version, at its end.
    pub(super) fn of_stream(now: Instant) -> Self {
        Self { reported_digest: None, version: [0; 5], since: now, is_tried: true, is_whole: false }
    }

    /// Time until the present version counts; None if it was looked at.
    pub(crate) fn timer(&self, now: Instant) -> Option<Duration> {
        (!self.is_tried).then(|| (self.since + STILL).saturating_duration_since(now))
    }

    /// Whether the version that is there was reported.
    pub(super) fn is_reported(&self) -> bool {
        self.is_tried && self.is_whole
    }

    /// Takes note of what the last look saw.
    pub(crate) fn look(&mut self, content: &Content, now: Instant) {
        if content.version() != self.version {
            (self.version, self.since, self.is_tried) = (content.version(), now, false);
        }
    }

    /// Reads the version that is there, if it stood still (`is_final`: as it is).
    ///
    /// # Errors
    /// The file can no longer be read.
    pub(crate) fn read(
        &mut self,
        content: &mut Content,
        now: Instant,
        is_final: bool,
    ) -> Result<DocumentUpdate, Problem> {
        if !is_final && self.timer(now) != Some(Duration::ZERO) {
            return Ok(DocumentUpdate::Nothing);
        }
        content.look_open()?;
        self.look(content, now);
        let Some(input) = content.input().cloned() else { return Ok(DocumentUpdate::Nothing) };
        if !is_final && self.timer(now) != Some(Duration::ZERO) {
            return Ok(DocumentUpdate::Nothing);
        }
        let text = input.read(Span { offset: 0, len: input.len() });
        content.look_open()?;
        if content.version() != self.version && !is_final {
            self.look(content, now);
            return Ok(DocumentUpdate::Nothing);
        }
        self.is_tried = true;
        Ok(self.judge(text?))
    }

    /// What the text of a version is.
    pub(super) fn judge(&mut self, text: Vec<u8>) -> DocumentUpdate {
        let digest = Self::digest(&text);
        self.is_whole = true;
        if self.reported_digest == Some(digest) {
            return DocumentUpdate::Nothing;
        }
        let body = &text[mark(&text)..];
        let was_reported = self.reported_digest.is_some();
        if validate::begins_with_line(body) {
            return DocumentUpdate::Lines { was_reported };
        }
        if validate::document(body, &mut |_, _| {}) {
            self.reported_digest = Some(digest);
            return DocumentUpdate::Version { text, is_first: !was_reported };
        }
        if validate::is_lines(body) {
            return DocumentUpdate::Lines { was_reported };
        }
        self.is_whole = false;
        let (why, byte) = validate::fault(body);
        let start = mark(&text) + body.len() - body.trim_ascii_start().len();
        let line = 1 + memchr::memchr_iter(b'\n', &text[..start]).count() as u64;
        let (byte, offset) = ((mark(&text) + byte) as u64, start as u64);
        DocumentUpdate::Torn(Torn { why, byte, offset, line, is_first: !was_reported })
    }
}

/// Reports the values of a version: byte, physical line, text.
pub(super) fn values(text: &[u8], emit: &mut dyn FnMut(u64, u64, &str)) {
    let mark = mark(text);
    let (mut line, mut counted) = (1, 0);
    validate::document(&text[mark..], &mut |at, value| {
        line += memchr::memchr_iter(b'\n', &text[counted..mark + at]).count() as u64;
        counted = mark + at;
        emit((mark + at) as u64, line, value);
    });
}
