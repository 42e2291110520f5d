//! A document that is rewritten again and again: its versions, joined as the records of one run.
//!
//! An agent that saves its whole context at each turn leaves one document, never lines. The format says how a version
//! follows the one before: as a second envelope (A4), as the next checkpoint (S11). The old bytes are gone by then, so
//! a document is copied when it was read, and all versions are one after the other in a temporary file.

use super::live::{Generation, IngestEvent, ResetReason};
use super::worker::{Stop, Work};
use crate::format::Layout;
use crate::framing::Framer;
use crate::model::{Bytes, Place, Problem, Span};
use crate::source::tail::{Digest, Document, DocumentUpdate};
use crate::source::{FileChange, Input};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest document that is copied, in bytes.
const COPIED_BYTES_MAX: u64 = 64 << 20;

/// A document as it was.
pub(super) struct PreviousDocument {
    scratch: Arc<Input>,
    place: Place,
    digest: Digest,
}

/// The versions of a document.
pub(super) struct Versions {
    document: Document,
}

impl Versions {
    /// Time until the version that is there counts.
    pub(super) fn timer(&self) -> Option<Duration> {
        self.document.timer(Instant::now())
    }
}

impl Work {
    /// Copies a document that was read, in case that it is rewritten; without the copy it is then read again.
    pub(super) fn keep(&mut self) {
        let len = self.live.input.len();
        let is_wanted = self.previous_document.is_none()
            && self.versions.is_none()
            && self.format.layout() == Layout::Run
            && self.framer.is_document()
            && self.watch.follower.is_some()
            && len <= COPIED_BYTES_MAX;
        if !is_wanted {
            return;
        }
        let Ok(text) = self.live.input.read(Span { offset: 0, len }) else { return };
        // If it changed meanwhile, the next look reports, and what was copied is none of its versions.
        let is_same = self.watch.content().is_some_and(|content| matches!(content.is_intact(), Ok(true)));
        if is_same {
            self.previous_document = self.copy(&text).ok();
        }
    }

    fn copy(&self, text: &[u8]) -> Result<PreviousDocument, Problem> {
        let scratch = Input::scratch(self.live.input.name(), self.live.input.path())?;
        let place = add(&scratch, text, ("", ""))?;
        Ok(PreviousDocument { scratch, place, digest: Document::digest(text) })
    }

    /// The document that was read is rewritten: what it held is the first version.
    pub(super) fn begin_versions(&mut self) -> Result<(), Stop> {
        let (Some(previous), Some(content)) = (self.previous_document.take(), self.watch.content()) else {
            return Ok(());
        };
        let document = Document::after(content, previous.digest, Instant::now());
        self.live = Generation::new(self.live.generation + 1, previous.scratch, self.format);
        self.framer = Framer::new(self.format.framing());
        self.versions = Some(Versions { document });
        self.version = 0;
        self.begin_generation(ResetReason::Rewritten)?;
        self.push_version(previous.place);
        Ok(())
    }

    /// Takes the version that is there, if it stood still and is another.
    pub(super) fn next_version(&mut self) -> Result<(), Stop> {
        let (Some(versions), Some(content)) = (&mut self.versions, self.watch.content()) else { return Ok(()) };
        match versions.document.read(content, Instant::now(), false)? {
            DocumentUpdate::Nothing => Ok(()),
            DocumentUpdate::Torn(torn) => {
                let name = self.live.input.name();
                let message = format!(
                    "{name} is not valid JSON now: {}, at byte {}; what it held stays on screen",
                    torn.why, torn.byte
                );
                self.send(IngestEvent::Torn(message))
            }
            DocumentUpdate::Version { text, .. } => {
                let first = text.trim_ascii_start().first().copied().unwrap_or_default();
                let place = add(&self.live.input, &text, self.format.replacement_affixes(first))?;
                self.push_version(place);
                Ok(())
            }
            DocumentUpdate::Lines { .. } => {
                self.replaced(ResetReason::Truncated)?;
                self.index()
            }
        }
    }

    /// Looks at the path of a document; whether there is a version to take.
    pub(super) fn look_at_version(&mut self) -> Result<bool, Stop> {
        let change = self.watch.look();
        match change {
            FileChange::Gone => self.gone()?,
            FileChange::Trouble(problem) => self.send(IngestEvent::Problem(problem))?,
            FileChange::None
            | FileChange::Grown
            | FileChange::Truncated
            | FileChange::Replaced(_)
            | FileChange::Back(_) => {}
        }
        if let (Some(versions), Some(content)) = (&mut self.versions, self.watch.content()) {
            versions.document.look(content, Instant::now());
        }
        Ok(self.versions.as_ref().and_then(Versions::timer) == Some(Duration::ZERO))
    }

    fn push_version(&mut self, place: Place) {
        self.live.records.set_complete(false);
        self.live.records.write().push(place, None);
        self.last_growth = Some(Instant::now());
    }
}

/// Adds a version to the file of all, within what makes it a record that replaces the one before; where its text is
/// there, and on which line of its own it begins.
fn add(scratch: &Input, text: &[u8], (head, tail): (&str, &str)) -> Result<Place, Problem> {
    let before = text.len() - text.trim_ascii_start().len();
    let line = 1 + memchr::memchr_iter(b'\n', &text[..before]).count() as u64;
    let body = text.trim_ascii();
    let offset = scratch.append(&text[..before])? + before as u64;
    for part in [head.as_bytes(), body, tail.as_bytes()] {
        scratch.append(part)?;
    }
    let len = (head.len() + body.len() + tail.len()) as u64;
    Ok(Place { span: Span { offset, len }, line })
}
