//! One content of a path on its way to the receiver: read in slices as lines, or as versions of a document.

use super::document::{self, Document, DocumentUpdate};
use super::lines::{Kind, Lines};
use super::{Event, TailItem};
use crate::model::{Bytes, Problem, Span};
use crate::source::follow::Content;
use crate::source::{BLOCK, Input};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes read before another file gets its turn.
const SLICE: usize = BLOCK;

/// Pending text that is whole is reported after so long without growth (T9).
pub(super) const QUIET: Duration = Duration::from_secs(1);

/// Who is notified: a generation and what.
pub(super) type GenerationSink<'a> = dyn FnMut(u64, TailItem<'_>) + 'a;

/// One content of the path on its way to the receiver.
pub(super) struct Reading {
    /// 0 until it is its turn.
    pub(super) generation: u64,
    pub(super) announce: Vec<Event>,
    pub(super) mode: Mode,
    /// Its file, if the path no longer leads there.
    pub(super) detached: Option<Box<Content>>,
    pub(super) growth: Instant,
    pub(super) is_at_end: bool,
    /// Why it could not be read when it last was; reported once, and tried again at each look (T17).
    trouble: Option<String>,
    /// When it is given up.
    pub(super) until: Option<Instant>,
}

pub(super) enum Mode {
    Lines(Lines),
    Document(Document),
}

/// What a slice brought.
#[derive(PartialEq, Eq)]
pub(super) enum Served {
    More,
    End,
}

impl Reading {
    pub(super) fn new(announce: Vec<Event>, now: Instant) -> Self {
        let mode = Mode::Lines(Lines::new(false));
        Self {
            generation: 0,
            announce,
            mode,
            detached: None,
            growth: now,
            is_at_end: false,
            trouble: None,
            until: None,
        }
    }

    pub(super) fn at(&self) -> u64 {
        match &self.mode {
            Mode::Lines(lines) => lines.at(),
            Mode::Document(_) => 0,
        }
    }

    pub(super) fn timer(&self, now: Instant) -> Option<Duration> {
        match &self.mode {
            Mode::Lines(lines) if lines.may_be_whole() => Some((self.growth + QUIET).saturating_duration_since(now)),
            Mode::Lines(_) => None,
            Mode::Document(document) => document.timer(now),
        }
    }

    /// Whether it could not be read.
    pub(super) fn is_troubled(&self) -> bool {
        self.trouble.is_some()
    }

    /// Whether all of it was read and reported; of a document also that what is there was.
    pub(super) fn can_rest(&self) -> bool {
        let is_reported = match &self.mode {
            Mode::Lines(_) => true,
            Mode::Document(document) => document.is_reported(),
        };
        self.is_at_end && self.announce.is_empty() && is_reported
    }

    /// Its turn: it gets its number, and what led to it is reported.
    fn begin(&mut self, counter: &mut u64, emit: &mut GenerationSink<'_>) {
        if self.generation == 0 {
            *counter += 1;
            self.generation = *counter;
        }
        for event in self.announce.drain(..) {
            emit(self.generation, TailItem::Event(event));
        }
    }

    pub(super) fn serve_detached(&mut self, now: Instant, counter: &mut u64, emit: &mut GenerationSink<'_>) -> Served {
        let Some(mut detached) = self.detached.take() else { return Served::End };
        let served = self.serve(&mut detached, now, counter, emit, true);
        self.detached = Some(detached);
        served
    }

    /// Reads a slice of its file; `is_last`: a document's version counts as it is.
    pub(super) fn serve(
        &mut self,
        content: &mut Content,
        now: Instant,
        counter: &mut u64,
        emit: &mut GenerationSink<'_>,
        is_last: bool,
    ) -> Served {
        self.begin(counter, emit);
        let served = match &mut self.mode {
            Mode::Lines(_) => self.serve_lines(content, now, emit),
            Mode::Document(_) if is_last => {
                self.last_version(content, now, counter, emit);
                Ok(Served::End)
            }
            Mode::Document(document) => {
                let found = document.read(content, now, false);
                found.map(|found| self.take(found, counter, emit, false))
            }
        };
        let served = served.map_err(|problem| problem.message);
        if let Err(message) = &served
            && self.trouble.as_ref() != Some(message)
        {
            emit(self.generation, TailItem::Notice(message.clone()));
        }
        self.trouble = served.as_ref().err().cloned();
        let served = served.unwrap_or(Served::End);
        self.is_at_end = served == Served::End;
        served
    }

    fn serve_lines(
        &mut self,
        content: &mut Content,
        now: Instant,
        emit: &mut GenerationSink<'_>,
    ) -> Result<Served, Problem> {
        let (Mode::Lines(lines), Some(input)) = (&mut self.mode, content.input().cloned()) else {
            return Ok(Served::End);
        };
        let (at, generation) = (lines.at(), self.generation);
        let mut piece = vec![0; SLICE.min(usize::try_from(input.len().saturating_sub(at)).unwrap_or(SLICE))];
        let got = input.read_at(at, &mut piece)?;
        let got = input.written(at, &piece[..got]);
        // If what was read before is there no more, the next look reports.
        if got == 0 || !content.note(at, &piece[..got]) {
            return Ok(Served::End);
        }
        self.growth = now;
        if lines.feed(&piece[..got], &mut |tale| emit(generation, tale)) == Kind::Document {
            self.mode = Mode::Document(Document::new(content, now));
            content.unread();
            return Ok(Served::More);
        }
        if piece[got - 1] == 0 {
            let data = lines.at() + input.hole_at(lines.at());
            if data < input.len() && data > lines.at() {
                lines.pass(data);
                content.pass(data);
            }
        }
        Ok(if lines.at() < input.len() && got == piece.len() { Served::More } else { Served::End })
    }

    pub(super) fn serve_stream(
        &mut self,
        input: &Arc<Input>,
        now: Instant,
        counter: &mut u64,
        emit: &mut GenerationSink<'_>,
    ) -> Served {
        self.begin(counter, emit);
        let (Mode::Lines(lines), generation) = (&mut self.mode, self.generation) else { return Served::End };
        let mut piece = vec![0; SLICE.min(usize::try_from(input.len() - lines.at()).unwrap_or(SLICE))];
        let got = input.read_at(lines.at(), &mut piece).unwrap_or(0);
        if got == 0 {
            return Served::End;
        }
        self.growth = now;
        if lines.feed(&piece[..got], &mut |tale| emit(generation, tale)) == Kind::Document {
            // A stream has one version, at its end; what comes before it is waited for.
            self.mode = Mode::Document(Document::of_stream(now));
            return Served::End;
        }
        Served::More
    }

    /// Reports what a look at a document found.
    fn take(
        &mut self,
        found: DocumentUpdate,
        counter: &mut u64,
        emit: &mut GenerationSink<'_>,
        is_final: bool,
    ) -> Served {
        match found {
            DocumentUpdate::Nothing => Served::End,
            DocumentUpdate::Version { text, is_first } => {
                self.next_version(is_first, counter, emit);
                let generation = self.generation;
                let ends_line = text.last() == Some(&b'\n');
                let last = text.trim_ascii_end().len() as u64;
                document::values(&text, &mut |offset, line, text| {
                    let is_unterminated = !ends_line && offset + text.len() as u64 == last;
                    emit(generation, TailItem::Record { offset, line, text, is_unterminated });
                });
                Served::End
            }
            DocumentUpdate::Torn(torn) if is_final => {
                self.next_version(torn.is_first, counter, emit);
                let why = format!("the document is not valid JSON: {}, at byte {}", torn.why, torn.byte);
                let (offset, line) = (torn.offset, torn.line);
                let tale = TailItem::Error { offset, line, why, hole: None, is_unterminated: false };
                emit(self.generation, tale);
                Served::End
            }
            DocumentUpdate::Torn(_) => Served::End,
            DocumentUpdate::Lines { was_reported } => {
                self.next_version(!was_reported, counter, emit);
                self.mode = Mode::Lines(Lines::new(true));
                Served::More
            }
        }
    }

    /// Each version but the first of a content is a generation of its own (T14).
    fn next_version(&mut self, is_first: bool, counter: &mut u64, emit: &mut GenerationSink<'_>) {
        if !is_first {
            *counter += 1;
            self.generation = *counter;
            emit(self.generation, TailItem::Event(Event::Truncated));
        }
    }

    /// Reads a document for the last time, and what turns out to be lines to their end.
    pub(super) fn last_version(
        &mut self,
        content: &mut Content,
        now: Instant,
        counter: &mut u64,
        emit: &mut GenerationSink<'_>,
    ) {
        self.begin(counter, emit);
        if let Mode::Document(document) = &mut self.mode
            && let Ok(found) = document.read(content, now, true)
        {
            self.take(found, counter, emit, true);
        }
        while matches!(self.mode, Mode::Lines(_)) && matches!(self.serve_lines(content, now, emit), Ok(Served::More)) {}
    }

    pub(super) fn last_of_stream(
        &mut self,
        input: &Arc<Input>,
        now: Instant,
        counter: &mut u64,
        emit: &mut GenerationSink<'_>,
    ) {
        if let Mode::Document(document) = &mut self.mode
            && let Ok(text) = input.read(Span { offset: 0, len: input.len() })
        {
            let found = document.judge(text);
            self.take(found, counter, emit, true);
        }
        while matches!(self.mode, Mode::Lines(_)) && self.serve_stream(input, now, counter, emit) == Served::More {}
    }

    /// The content left its path and can still be read: whole pending text is reported (T10).
    pub(super) fn end_readably(&mut self, counter: &mut u64, emit: &mut GenerationSink<'_>) {
        self.begin(counter, emit);
        let generation = self.generation;
        if let Mode::Lines(lines) = &mut self.mode {
            lines.take_early(&mut |tale| emit(generation, tale));
        }
    }

    pub(super) fn finish_lines(&mut self, emit: &mut GenerationSink<'_>) {
        let generation = self.generation;
        if let Mode::Lines(lines) = &mut self.mode {
            lines.finish(&mut |tale| emit(generation, tale));
        }
    }
}
