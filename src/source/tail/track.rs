//! One followed path: its contents one after the other, each read to its end before the next is reported (TAIL T4, T6).

use super::reading::{GenerationSink, Mode, QUIET, Reading, Served};
use super::{Event, TailItem};
use crate::model::Problem;
use crate::source::Input;
use crate::source::follow::{Content, FileChange, Follower};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a file is read on after its path leads elsewhere (T6).
const DRAIN: Duration = Duration::from_secs(5);

/// One path.
pub(super) struct Track {
    follower: Follower,
    stream: Option<Arc<Input>>,
    now: Option<Reading>,
    /// What the path led to before, the oldest first.
    leaving: Vec<Reading>,
    generation: u64,
    /// Whether there may be something to read.
    pub(super) is_due: bool,
    gone: Option<Gone>,
    is_over: bool,
}

struct Gone {
    until: Instant,
    is_reported: bool,
    is_final: bool,
}

impl Track {
    /// A path that may lead nowhere yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            follower: Follower::new(path),
            stream: None,
            now: None,
            leaving: Vec::new(),
            generation: 0,
            is_due: false,
            gone: None,
            is_over: false,
        }
    }

    /// A stream.
    pub(super) fn stream(input: Arc<Input>) -> Self {
        let now = Some(Reading::new(Vec::new(), Instant::now()));
        Self { stream: Some(input), now, is_due: true, ..Self::new(PathBuf::new()) }
    }

    pub(super) fn has_read(&self) -> bool {
        self.now.is_some()
    }

    /// Whether the path never led anywhere.
    pub(super) fn is_missing(&self) -> bool {
        self.now.is_none()
    }

    /// Whether it is a stream that has ended and was reported.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn period(&self, is_notified: bool) -> Duration {
        match self.stream {
            Some(_) => Duration::from_millis(10),
            None => self.follower.period(is_notified),
        }
    }

    pub(super) fn last_growth(&self) -> Option<Instant> {
        self.now.as_ref().map(|reading| reading.growth)
    }

    /// Whether a look is due even if nobody names its path.
    pub(super) fn is_restless(&self) -> bool {
        !self.leaving.is_empty()
            || self.gone.as_ref().is_some_and(|gone| !gone.is_final)
            || self.has_timer()
            || self.is_troubled()
    }

    /// Whether it holds a handle.
    pub(super) fn is_open(&self) -> bool {
        self.follower.content_ref().is_some_and(|content| content.input().is_some())
    }

    /// How many it holds.
    pub(super) fn handles(&self) -> usize {
        usize::from(self.is_open()) + self.leaving.len()
    }

    /// Whether its file can be closed until it changes.
    pub(super) fn can_rest(&self) -> bool {
        let is_at_end = self.now.as_ref().is_some_and(Reading::can_rest);
        self.is_open() && is_at_end && !self.is_due && !self.is_restless()
    }

    /// Closes its file until it changes.
    pub(super) fn close(&mut self) {
        if let Some(content) = self.follower.content() {
            content.close();
        }
        if let Some(Reading { mode: Mode::Lines(lines), .. }) = &mut self.now {
            lines.rest();
        }
    }

    /// Time until something is due without a change.
    pub(super) fn timer(&self, now: Instant) -> Option<Duration> {
        let left = |at: Instant| at.saturating_duration_since(now);
        let leaving = self.leaving.iter().filter_map(|reading| reading.until).map(left);
        let gone = self.gone.as_ref().filter(|gone| !gone.is_final).map(|gone| left(gone.until));
        let pending = self.now.as_ref().and_then(|reading| reading.timer(now));
        leaving.chain(gone).chain(pending).min()
    }

    fn is_troubled(&self) -> bool {
        self.now.as_ref().is_some_and(Reading::is_troubled)
    }

    fn has_timer(&self) -> bool {
        self.now.as_ref().is_some_and(|reading| reading.timer(reading.growth).is_some())
    }

    /// Looks at the path; whether it leads elsewhere now.
    pub(super) fn look(&mut self, now: Instant, emit: &mut GenerationSink<'_>) -> bool {
        if let Some(stream) = &self.stream {
            self.is_due =
                !self.is_over && (!stream.may_grow() || self.now.as_ref().is_some_and(|r| r.at() < stream.len()));
        }
        self.is_due |= self.timer(now) == Some(Duration::ZERO) || self.is_troubled();
        self.look_at_leaving();
        let change = if self.stream.is_some() { FileChange::None } else { self.follower.look() };
        let is_elsewhere = matches!(change, FileChange::Replaced(_) | FileChange::Back(_));
        self.is_due |= !matches!(change, FileChange::None | FileChange::Trouble(_));
        match change {
            FileChange::None => {}
            FileChange::Grown => self.grown(now),
            FileChange::Truncated => self.now = Some(Reading::new(vec![Event::Truncated], now)),
            FileChange::Replaced(old) => self.replaced(old, vec![Event::Rotated], now),
            FileChange::Gone if self.now.is_none() => {}
            FileChange::Gone => self.gone = Some(Gone { until: now + DRAIN, is_reported: false, is_final: false }),
            FileChange::Back(old) => self.back(old, now),
            FileChange::Trouble(Problem { message, .. }) => emit(self.generation, TailItem::Notice(message)),
        }
        is_elsewhere
    }

    fn grown(&mut self, now: Instant) {
        if let (Some(reading), Some(content)) = (&mut self.now, self.follower.content()) {
            reading.is_at_end = false;
            if let Mode::Document(document) = &mut reading.mode {
                document.look(content, now);
            }
        }
    }

    fn look_at_leaving(&mut self) {
        self.leaving.retain_mut(|reading| {
            let change = reading.detached.as_mut().map(|detached| detached.look_open());
            if matches!(change, Some(Ok(FileChange::Grown))) {
                reading.is_at_end = false;
                self.is_due = true;
            }
            // What was overwritten there is of no generation of this path.
            !matches!(change, Some(Ok(FileChange::Truncated)))
        });
    }

    fn back(&mut self, old: Option<Content>, now: Instant) {
        let was_reported = self.gone.take().is_none_or(|gone| gone.is_reported);
        let mut events = if was_reported { vec![Event::Back] } else { vec![Event::Gone, Event::Back] };
        match (old, &mut self.now) {
            (Some(old), Some(_)) => self.replaced(old, events, now),
            (None, Some(reading)) => {
                reading.announce.append(&mut events);
                reading.is_at_end = false;
            }
            // What was never there does not come back.
            (_, None) => self.now = Some(Reading::new(Vec::new(), now)),
        }
    }

    fn replaced(&mut self, mut old: Content, events: Vec<Event>, now: Instant) {
        // What was written to it since the last look is read too, unless it was overwritten.
        let is_void = matches!(old.look_open(), Ok(FileChange::Truncated));
        if let Some(mut reading) = self.now.replace(Reading::new(events, now)) {
            (reading.detached, reading.until, reading.is_at_end) = (Some(Box::new(old)), Some(now + DRAIN), false);
            // A content that was closed rested at its end.
            if !is_void && reading.detached.as_ref().is_some_and(|detached| detached.input().is_some()) {
                self.leaving.push(reading);
            }
        }
    }

    /// Reads a slice.
    pub(super) fn read(&mut self, now: Instant, emit: &mut GenerationSink<'_>) {
        let mut counter = self.generation;
        let open = self.leaving.iter_mut().find(|reading| !reading.is_at_end);
        if let Some(reading) = open {
            if reading.serve_detached(now, &mut counter, emit) == Served::End {
                reading.end_readably(&mut counter, emit);
            }
            self.generation = counter;
            return;
        }
        self.end_leaving(now, emit);
        let served = self.read_now(now, emit);
        self.is_due = served == Served::More;
        if served == Served::End {
            self.at_end(now, emit);
        }
    }

    /// What left long ago is given up.
    fn end_leaving(&mut self, now: Instant, emit: &mut GenerationSink<'_>) {
        self.leaving.retain_mut(|reading| {
            let is_over = reading.until.is_some_and(|until| until <= now);
            if is_over {
                reading.finish_lines(emit);
            }
            !is_over
        });
    }

    fn read_now(&mut self, now: Instant, emit: &mut GenerationSink<'_>) -> Served {
        let Some(reading) = &mut self.now else { return Served::End };
        if let Some(stream) = &self.stream {
            // Asked first: what comes between the last read and the end of a stream must still be read.
            let is_final = !stream.may_grow();
            let served = reading.serve_stream(stream, now, &mut self.generation, emit);
            if served == Served::End && is_final && !self.is_over {
                self.is_over = true;
                self.finish(emit);
            }
            return served;
        }
        match self.follower.content() {
            Some(content) => reading.serve(content, now, &mut self.generation, emit, false),
            None => Served::End,
        }
    }

    /// All there is was read.
    fn at_end(&mut self, now: Instant, emit: &mut GenerationSink<'_>) {
        let Some(reading) = &mut self.now else { return };
        if let Mode::Lines(lines) = &mut reading.mode
            && now.saturating_duration_since(reading.growth) >= QUIET
        {
            let generation = reading.generation;
            lines.take_early(&mut |tale| emit(generation, tale));
        }
        let Some(gone) = &mut self.gone else { return };
        if !gone.is_reported {
            if let Some(content) = self.follower.content() {
                reading.last_version(content, now, &mut self.generation, emit);
            }
            reading.end_readably(&mut self.generation, emit);
            emit(reading.generation, TailItem::Event(Event::Gone));
            gone.is_reported = true;
        }
        if !gone.is_final && gone.until <= now {
            gone.is_final = true;
            reading.finish_lines(emit);
        }
    }

    /// The end is final.
    pub(super) fn finish(&mut self, emit: &mut GenerationSink<'_>) {
        let now = Instant::now();
        for reading in &mut self.leaving {
            reading.finish_lines(emit);
        }
        self.leaving.clear();
        let Some(reading) = &mut self.now else { return };
        if let Some(stream) = &self.stream {
            reading.last_of_stream(stream, now, &mut self.generation, emit);
        } else if let Some(content) = self.follower.content() {
            reading.last_version(content, now, &mut self.generation, emit);
        }
        reading.finish_lines(emit);
    }
}
