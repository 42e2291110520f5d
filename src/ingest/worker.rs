//! The thread that reads the open input for the screen: index first, then the run, then whatever is appended.
//!
//! It holds no lock for long and ends as soon as its [`Worker`] is dropped.

use super::live::{Generation, IngestEvent, ResetReason};
use super::rotated_file::RotatedFile;
use super::versions::{PreviousDocument, Versions};
use crate::format::Format;
use crate::framing::{Ending, Framer};
use crate::model::{Problem, ProblemKind};
use crate::source::{FileChange, Input, InputWatch, Origin};
use crossbeam_channel::{Receiver, Sender, after, bounded, never, select, select_biased};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes indexed while the index is locked: well under a millisecond.
pub(super) const PIECE: usize = 1 << 18;

/// Time given to the run before the rest of the input is indexed, so that the first screen has its state, and again
/// each time [`FOLD_BYTES`] are indexed, so that keys do not reach the end of what is merged.
const FOLD_TIME: Duration = Duration::from_millis(8);
pub(super) const FOLD_BYTES: u64 = 128 << 20;

/// Most time that the rest of the input waits for the first frame: on a busy machine the two compete for processors.
const FIRST_FRAME: Duration = Duration::from_millis(100);

/// Least time between two events of progress, and between two looks at the file.
const PROGRESS: Duration = Duration::from_millis(16);
const PACE: Duration = Duration::from_millis(10);

/// A line without newline is taken after it was quiet so long (TAIL T9); a whole document earlier (T14).
const QUIET_LINE: Duration = Duration::from_secs(1);
const QUIET_DOCUMENT: Duration = Duration::from_millis(250);

/// A line that is not a record as it is is reported as a broken one after so long; before it may still be on its way.
const QUIET_TORN_LINE: Duration = Duration::from_secs(10);

/// Looking ahead that takes less than this is done before new records are reported.
const AHEAD_QUICK: Duration = Duration::from_millis(5);

/// Time after which an input that could not be read is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Events that may wait to be read.
const EVENTS_MAX: usize = 64;

/// A worker on an open input. Dropping it ends the thread.
pub struct Worker {
    /// The first generation; later ones come as events.
    pub live: Generation,
    /// What the worker reports.
    pub events: Receiver<IngestEvent>,
    /// Where the first frame is reported.
    painted: Sender<()>,
    /// Only its end matters.
    _keep: Sender<()>,
}

impl Worker {
    /// Starts to read and follow an input.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(input: Arc<Input>, format: &'static dyn Format) -> Result<Self, Problem> {
        let live = Generation::new(0, input, format);
        let (sender, events) = bounded(EVENTS_MAX);
        let (keep, dropped) = bounded(0);
        let (painted, first_frame) = bounded(1);
        let mut work = Work::new(live.clone(), format, sender.clone(), dropped);
        work.first_frame = Some(first_frame);
        let body = move || {
            if catch_unwind(AssertUnwindSafe(|| work.run())).is_err() {
                let problem = Problem::unreadable("reading stopped: a fault in obelus").hint("please report it");
                let _gone = sender.send(IngestEvent::Problem(problem));
            }
        };
        let started = thread::Builder::new().name("ingest".to_owned()).spawn(body);
        started.map_err(|e| Problem::unreadable(format!("no thread to read with: {e}")))?;
        Ok(Self { live, events, painted, _keep: keep })
    }

    /// Reports that a frame is on the screen, so that the rest of the input is read.
    pub fn report_frame(&self) {
        // A full channel has the report already.
        let _full = self.painted.try_send(());
    }
}

/// Why the thread ends.
pub(super) enum Stop {
    Dropped,
    Failed(Problem),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

/// The state before a torn document was reported as if its end were final.
pub(super) struct Before {
    pub(super) framer: Framer,
    pub(super) records: usize,
    pub(super) version: u64,
}

pub(super) struct Work {
    pub(super) format: &'static dyn Format,
    pub(super) live: Generation,
    pub(super) framer: Framer,
    pub(super) watch: InputWatch,
    /// What the text was made from, if that can change; how often making it again failed.
    pub(super) origin: Option<Origin>,
    pub(super) failures: u32,
    before: Option<Before>,
    /// The document as it was, in case that it is rewritten, and what became of one that was.
    pub(super) previous_document: Option<PreviousDocument>,
    pub(super) versions: Option<Versions>,
    /// The file that was at the path before.
    rotated_file: Option<RotatedFile>,
    /// Version of the index that the run was made from, records of it that are in the run.
    pub(super) version: u64,
    pub(super) folded: usize,
    pub(super) is_run_settled: bool,
    /// Whether the input had its end and nothing can come any more.
    pub(super) is_finished: bool,
    /// Records reported at the last `Done` or `Appended`; None before the first.
    pub(super) reported_records: Option<usize>,
    last_progress: Option<Instant>,
    pub(super) last_growth: Option<Instant>,
    opened: Instant,
    /// When the run last looked ahead, and how long that took.
    pub(super) ahead_at: Instant,
    pub(super) ahead_cost: Duration,
    /// The byte up to which an unfinished line was found to be no record.
    refused_until: u64,
    /// Whether it was reported that the file is polled.
    is_polling: bool,
    events: Sender<IngestEvent>,
    dropped: Receiver<()>,
    /// What reports the first frame, until it did or was waited for.
    first_frame: Option<Receiver<()>>,
}

impl Work {
    pub(super) fn new(
        live: Generation,
        format: &'static dyn Format,
        events: Sender<IngestEvent>,
        dropped: Receiver<()>,
    ) -> Self {
        let watch = InputWatch::new(Arc::clone(&live.input));
        Self {
            format,
            framer: Framer::new(format.framing()),
            live,
            watch,
            origin: None,
            failures: 0,
            before: None,
            previous_document: None,
            versions: None,
            rotated_file: None,
            version: 0,
            folded: 0,
            is_run_settled: true,
            is_finished: false,
            reported_records: None,
            last_progress: None,
            last_growth: None,
            opened: Instant::now(),
            ahead_at: Instant::now(),
            ahead_cost: Duration::ZERO,
            refused_until: 0,
            is_polling: false,
            events,
            dropped,
            first_frame: None,
        }
    }

    fn run(&mut self) {
        // On the thread: it may walk a folder.
        self.origin = Origin::of(&self.live.input);
        let mut last = None;
        loop {
            let problem = match self.turn() {
                Ok(()) => continue,
                Err(Stop::Failed(problem)) => problem,
                Err(Stop::Dropped) => return,
            };
            // The disk or the network may come back; it is reported once.
            if last.as_ref() != Some(&problem) && self.send(IngestEvent::Problem(problem.clone())).is_err() {
                return;
            }
            last = Some(problem);
            select! {
                recv(self.dropped) -> _ => return,
                recv(after(RETRY)) -> _ => {}
            }
        }
    }

    /// Reads what there is, reports it, waits for more.
    fn turn(&mut self) -> Result<(), Stop> {
        // Asked first: what comes between the last read and the end of a stream must still be read.
        let is_final = !self.live.input.may_grow();
        self.index()?;
        // Of what is made of a file all was read.
        let is_final = is_final || self.live.input.is_derived();
        if self.versions.is_some() {
            self.next_version()?;
        } else if is_final && !self.is_finished {
            // What it was made from may grow.
            self.before = self.origin.is_some().then(|| self.standing());
            self.finish()?;
            self.is_finished = true;
            if let Err(problem) = self.live.input.wait() {
                self.send(IngestEvent::Problem(problem))?;
            }
        } else {
            self.take_early()?;
        }
        // As soon as its end was taken: it may be rewritten at any time.
        self.keep();
        self.fold(None)?;
        self.settle()?;
        self.report_polling()?;
        self.wait()
    }

    /// R20: says whether nothing reports changes, when that is another.
    fn report_polling(&mut self) -> Result<(), Stop> {
        let is_polling = self.watch.is_polling() || self.origin.as_ref().is_some_and(Origin::is_polling);
        if std::mem::replace(&mut self.is_polling, is_polling) == is_polling {
            return Ok(());
        }
        self.send(IngestEvent::Polling(is_polling))
    }

    // ---- index

    pub(super) fn index(&mut self) -> Result<(), Stop> {
        if self.versions.is_some() {
            return Ok(());
        }
        let mut piece = vec![0; PIECE];
        let mut is_first = self.folded == 0;
        let mut fold_at = if is_first { 0 } else { self.framer.position() + FOLD_BYTES };
        loop {
            let at = self.framer.position();
            if self.live.input.is_derived() {
                self.live.input.wait_for(at + 1);
            }
            let got = self.live.input.read_at(at, &mut piece)?;
            let got = self.live.input.written(at, &piece[..got]);
            // If what was read is there no more, the next look reports.
            if got == 0 || !self.watch.note(&self.live.input, at, &piece[..got]) {
                return Ok(());
            }
            if !is_first && let Some(first_frame) = self.first_frame.take() {
                let _late = first_frame.recv_timeout(FIRST_FRAME);
            }
            self.framer.feed(&piece[..got], &mut self.live.records.write());
            if piece[got - 1] == 0 {
                self.framer.skip_hole(|at| self.live.input.hole_at(at));
            }
            self.progress(|work| IngestEvent::Indexed {
                records: work.live.records.count(),
                bytes: work.framer.position(),
                total: work.live.input.len(),
            })?;
            is_first = false;
            if self.framer.position() >= fold_at {
                self.fold(Some(FOLD_TIME))?;
                fold_at = self.framer.position() + FOLD_BYTES;
            }
        }
    }

    /// The end is final, or taken as such.
    fn finish(&mut self) -> Result<(), Stop> {
        while !self.framer.finish(&mut self.live.records.write()) {
            self.index()?;
        }
        Ok(())
    }

    /// Takes what is at the end of a quiet file although more may come.
    fn take_early(&mut self) -> Result<(), Stop> {
        if self.until_quiet() != Some(Duration::ZERO) {
            return Ok(());
        }
        // What it takes is merged and copied before it counts as read.
        self.live.records.set_complete(false);
        match self.framer.ending() {
            Ending::Clean => {}
            Ending::Whole => self.framer.take_early(&mut self.live.records.write()),
            Ending::Line if self.refused_until != self.framer.position() => {
                if self.is_pending_whole()? {
                    self.framer.take_early(&mut self.live.records.write());
                }
                self.refused_until = self.framer.position();
            }
            Ending::Line | Ending::Torn => {
                self.before = Some(self.standing());
                self.finish()?;
            }
        }
        Ok(())
    }

    /// Time until the end can be taken; None if there is nothing to take.
    fn until_quiet(&self) -> Option<Duration> {
        if self.before.is_some() {
            return None;
        }
        if let Some(versions) = &self.versions {
            return versions.timer();
        }
        let wanted = match self.framer.ending() {
            Ending::Clean => return None,
            Ending::Line if self.refused_until == self.framer.position() => QUIET_TORN_LINE,
            Ending::Line | Ending::Torn => QUIET_LINE,
            Ending::Whole => QUIET_DOCUMENT,
        };
        let quiet = match self.last_growth {
            Some(at) => at.elapsed(),
            None => self.opened.elapsed().max(self.live.input.age()),
        };
        Some(wanted.saturating_sub(quiet))
    }

    pub(super) fn begin_generation(&mut self, why: ResetReason) -> Result<(), Stop> {
        (self.folded, self.reported_records, self.is_run_settled) = (0, None, true);
        self.live.records.set_complete(false);
        self.send(IngestEvent::Generation(self.live.clone(), why))
    }

    /// Says that all is there, with the findings of that end, unless those take long.
    fn settle(&mut self) -> Result<(), Stop> {
        if !self.is_run_settled && self.ahead_cost < AHEAD_QUICK {
            self.look_ahead()?;
        }
        let count = self.live.records.count();
        self.live.records.set_complete(true);
        let pending = self.framer.pending();
        let event = match self.reported_records.replace(count) {
            None => IngestEvent::Done { pending },
            Some(before) => IngestEvent::Appended { records: count.saturating_sub(before), pending },
        };
        self.send(event)
    }

    // ---- follow

    /// Waits until there is more to read or to take.
    fn wait(&mut self) -> Result<(), Stop> {
        // Under a steady stream of writes, one turn takes many of them.
        if let Some(at) = self.last_growth {
            #[expect(clippy::disallowed_methods, reason = "it bounds how often one looks, and lasts one pace")]
            thread::sleep(PACE.saturating_sub(at.elapsed()));
        }
        while self.is_finished || self.live.input.may_grow() {
            let poll_period = self.origin.as_ref().filter(|_| self.is_finished).map(Origin::period);
            let periods = [self.watch.period(), self.until_quiet(), self.until_ahead(), poll_period];
            let time = periods.into_iter().flatten().min().map_or_else(never, after);
            let changed = self.origin.as_ref().map(Origin::hints).cloned().unwrap_or_else(never);
            select! {
                recv(self.dropped) -> _ => return Err(Stop::Dropped),
                recv(self.watch.hints()) -> _ => {}
                recv(changed) -> _ => {}
                recv(time) -> _ => {}
            }
            if self.until_ahead() == Some(Duration::ZERO) {
                self.look_ahead()?;
            }
            if self.look()? || self.until_quiet() == Some(Duration::ZERO) {
                return Ok(());
            }
            #[expect(clippy::disallowed_methods, reason = "it bounds how often one looks, and lasts one pace")]
            thread::sleep(PACE);
        }
        Ok(())
    }

    /// Reports lines that came to the file before this one.
    fn check_rotated_file(&mut self) -> Result<(), Stop> {
        if let Some(message) = self.rotated_file.as_mut().and_then(RotatedFile::look) {
            self.send(IngestEvent::LateLines(message))?;
        }
        if self.rotated_file.as_ref().is_some_and(RotatedFile::is_over) {
            self.rotated_file = None;
        }
        Ok(())
    }

    /// Whether there is something to read.
    fn look(&mut self) -> Result<bool, Stop> {
        self.check_rotated_file()?;
        if self.versions.is_some() {
            return self.look_at_version();
        }
        if self.is_finished && self.origin.is_some() {
            return self.look_at_origin();
        }
        if !self.live.input.is_file() {
            let has_grown = self.live.input.len() > self.framer.position();
            if has_grown {
                self.last_growth = Some(Instant::now());
            }
            return Ok(has_grown);
        }
        match self.watch.look() {
            FileChange::None => return Ok(false),
            FileChange::Grown | FileChange::Back(None) => self.grown()?,
            FileChange::Truncated | FileChange::Replaced(_) | FileChange::Back(Some(_))
                if self.previous_document.is_some() =>
            {
                self.begin_versions()?;
            }
            FileChange::Truncated => self.replaced(ResetReason::Truncated)?,
            FileChange::Replaced(old) | FileChange::Back(Some(old)) => {
                // What was written to the old file before the path changed is not lost (T6).
                self.grown()?;
                self.index()?;
                self.fold(None)?;
                self.rotated_file = RotatedFile::of(&old, self.framer.position());
                self.replaced(ResetReason::Replaced)?;
            }
            FileChange::Gone => {
                self.gone()?;
                return Ok(false);
            }
            FileChange::Trouble(problem) => {
                self.send(IngestEvent::Problem(problem))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn gone(&self) -> Result<(), Stop> {
        let message = format!("{} is gone; what it held stays on screen", self.live.input.name());
        self.send(IngestEvent::Problem(Problem::new(ProblemKind::Unreadable, message)))
    }

    pub(super) fn grown(&mut self) -> Result<(), Stop> {
        self.live.input.refresh()?;
        self.previous_document = None;
        self.last_growth = Some(Instant::now());
        self.live.records.set_complete(false);
        if let Some(before) = self.before.take() {
            let mut index = self.live.records.write();
            if index.version() == before.version {
                index.truncate(before.records);
                self.framer = before.framer;
            } else {
                index.truncate(0);
                self.framer = Framer::new(self.format.framing());
            }
        }
        Ok(())
    }

    pub(super) fn replaced(&mut self, why: ResetReason) -> Result<(), Stop> {
        self.live = Generation::new(self.live.generation + 1, Arc::clone(self.watch.input()), self.format);
        self.framer = Framer::new(self.format.framing());
        (self.before, self.version, self.refused_until) = (None, 0, 0);
        (self.previous_document, self.versions) = (None, None);
        self.last_growth = Some(Instant::now());
        self.begin_generation(why)
    }

    // ---- events

    /// Reports, however long the other side takes.
    pub(super) fn send(&self, event: IngestEvent) -> Result<(), Stop> {
        select_biased! {
            recv(self.dropped) -> _ => Err(Stop::Dropped),
            send(self.events, event) -> sent => sent.map_err(|_| Stop::Dropped),
        }
    }

    /// Reports progress if it is time and somebody listens; ends here when nobody is there any more.
    pub(super) fn progress(&mut self, event: impl FnOnce(&Self) -> IngestEvent) -> Result<(), Stop> {
        if let Err(crossbeam_channel::TryRecvError::Disconnected) = self.dropped.try_recv() {
            return Err(Stop::Dropped);
        }
        if self.last_progress.is_none_or(|at| at.elapsed() >= PROGRESS) {
            self.last_progress = Some(Instant::now());
            let _full = self.events.try_send(event(self));
        }
        Ok(())
    }
}
