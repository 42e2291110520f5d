//! Findings that are known, read from a file and written to one.

use super::content_span;
use crate::cli::args::FileName;
use crate::ingest::Loaded;
use crate::lint::baseline::{self, Baseline};
use crate::model::{Bytes, Finding, LocatedFinding, Problem, Span};
use crate::review::ContentKey;
use crate::source::{self, Output, Packing};
use std::path::Path;

/// Bytes of a record that its digest is computed from: longer records differ within them, or in their length.
const CONTENT_BYTES: u64 = 1 << 20;

/// Longest baseline that is read, in bytes.
const BASELINE_BYTES_MAX: u64 = 256 << 20;

/// The baseline: its findings, and those that will be added to it.
#[derive(Default)]
pub(in crate::cli) struct BaselineFile {
    read: Option<Baseline>,
    lines: Vec<String>,
}

impl BaselineFile {
    /// Reads a baseline; without a file it is empty.
    ///
    /// # Errors
    /// It cannot be read, or is not a baseline.
    pub(in crate::cli) fn read(file: Option<&FileName>) -> Result<Self, Problem> {
        let Some(file) = file else { return Ok(Self::default()) };
        let text = source::read_small_text(file.as_ref(), BASELINE_BYTES_MAX).map_err(|e| {
            let message = format!("the baseline {file} cannot be read: {e}");
            Problem::unreadable(message).hint(format!("--write-baseline {file} makes one"))
        })?;
        let read = Baseline::parse(&text).map_err(|problem| {
            let message = format!("{file}: {}", problem.message);
            Problem { message, ..problem }
        })?;
        Ok(Self { read: Some(read), lines: Vec::new() })
    }

    /// Refuses to write a baseline over a file that is not one.
    ///
    /// # Errors
    /// The file is one of the inputs, or holds something else than a baseline.
    pub(in crate::cli) fn may_write(file: &FileName, inputs: &[&Path]) -> Result<(), Problem> {
        source::refuse(file.as_ref(), true, inputs)?;
        let is_there = std::fs::metadata(file).is_ok_and(|meta| meta.len() > 0);
        if is_there && Self::read(Some(file)).is_err() {
            let problem = Problem::usage(format!("{file} already exists, and is not a baseline"));
            return Err(problem.hint("choose another name"));
        }
        Ok(())
    }

    /// Whether there is a baseline.
    pub(in crate::cli) fn is_needed(&self) -> bool {
        self.read.is_some()
    }

    /// Whether a finding is in the baseline.
    pub(in crate::cli) fn takes(&mut self, finding: &Finding, content: &str) -> bool {
        self.read.as_mut().is_some_and(|known| known.takes(finding, content))
    }

    /// Adds a finding to the baseline.
    pub(in crate::cli) fn add(&mut self, finding: &Finding, content: &str) {
        self.lines.push(baseline::line(finding, content));
    }

    /// Writes what was added, sorted, so that versions of the file can be compared. The file is replaced as a whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub(in crate::cli) fn write(&mut self, file: &FileName) -> Result<(), Problem> {
        self.lines.sort_unstable();
        let mut text = self.lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        let mut output = Output::create(file.as_ref(), Some(Packing::None), true, &[])?;
        output.write(text.as_bytes())?;
        output.finish()?.publish().map(|_| ())
    }
}

/// Digests of records; the last one is cached, since the findings of a record follow one another.
pub(in crate::cli) struct Contents<'l> {
    loaded: &'l Loaded,
    last: Option<(Span, String)>,
    last_key: Option<(Span, ContentKey)>,
}

impl<'l> Contents<'l> {
    /// The contents of a file.
    pub(in crate::cli) fn new(loaded: &'l Loaded) -> Self {
        Self { loaded, last: None, last_key: None }
    }

    /// The digest of a finding's record.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(in crate::cli) fn of(&mut self, found: &LocatedFinding) -> Result<&str, Problem> {
        let span = content_span(self.loaded, found)?;
        let last = match self.last.take().filter(|(last, _)| *last == span) {
            Some(last) => last,
            None => (span, self.digest(span)?),
        };
        Ok(self.last.insert(last).1.as_str())
    }

    /// The key of a finding's record, as marks have it; None: it is in no record.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(super) fn key(&mut self, found: &LocatedFinding) -> Result<Option<ContentKey>, Problem> {
        let span = content_span(self.loaded, found)?;
        if span.len == 0 {
            return Ok(None);
        }
        let last = match self.last_key.filter(|(last, _)| *last == span) {
            Some(last) => last,
            None => (span, ContentKey::read(self.loaded.input.as_ref(), span)?),
        };
        self.last_key = Some(last);
        Ok(Some(last.1))
    }

    fn digest(&self, span: Span) -> Result<String, Problem> {
        let mut bytes = self.loaded.input.read(Span { len: span.len.min(CONTENT_BYTES), ..span })?;
        if span.len > CONTENT_BYTES {
            bytes.extend(span.len.to_be_bytes());
        }
        Ok(baseline::digest(&bytes))
    }
}
