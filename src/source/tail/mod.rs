//! The follower of `obelus tail`: records, errors and events of a path, a folder or a stream as they come (TAIL.md).
//!
//! It knows no format. It never waits: who drives it asks it to look, to read a slice, and how long to wait.

mod document;
mod lines;
mod reading;
mod track;
mod tracks;
mod validate;

use super::follow::{LOOK_NOTIFIED, LOOK_POLLED};
use super::fs_events::{ChangedPaths, Hints};
use super::{Input, is_missing};
use crate::model::Problem;
use crate::platform::open_files_max;
use crossbeam_channel::Receiver;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use track::Track;
use tracks::Tracks;

pub(crate) use document::{Digest, Document, DocumentUpdate};

/// Handles that may be open at once; the files that rested longest are closed (T18).
const HANDLES_MAX: usize = 200;

/// Share of the handles that the system allows which files get: the rest is for folders, notifications and output.
const HANDLES_SHARE: u64 = 2;

/// Handles that may be open at once under the limit of this process.
fn handles_max() -> usize {
    let share = open_files_max().and_then(|limit| usize::try_from(limit / HANDLES_SHARE).ok());
    share.map_or(HANDLES_MAX, |share| share.clamp(1, HANDLES_MAX))
}

/// Least time between two looks.
const PACE: Duration = Duration::from_millis(4);

/// Least time between two walks through a folder.
const WALK_PACE: Duration = Duration::from_millis(100);

/// Something the follower reports, in the order in which it holds.
#[derive(Debug)]
pub struct TailReport<'t> {
    /// The path below the folder, if a folder is followed; what of it is not UTF-8 is replaced.
    pub file: Option<&'t str>,
    /// Which content of the path; numbers only grow (T1).
    pub generation: u64,
    /// What.
    pub what: TailItem<'t>,
}

/// What is reported.
#[derive(Debug)]
pub enum TailItem<'t> {
    /// A value.
    Record {
        /// Byte of the file at which it begins.
        offset: u64,
        /// Physical line, from 1.
        line: u64,
        /// The value as written.
        text: &'t str,
        /// Whether there is no newline after it.
        is_unterminated: bool,
    },
    /// A line, a part of a line or a hole that is not valid JSON.
    Error {
        /// Byte of the file at which the bad text begins.
        offset: u64,
        /// Physical line, from 1.
        line: u64,
        /// What is wrong.
        why: String,
        /// Length of a hole of NUL bytes.
        hole: Option<u64>,
        /// Whether there is no newline after it.
        is_unterminated: bool,
    },
    /// The path changed; the generation is the one that counts from here.
    Event(Event),
    /// For people: waiting, no permission.
    Notice(String),
}

/// How a path changed (T1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Bytes that were read are no longer there.
    Truncated,
    /// It leads to another file.
    Rotated,
    /// It leads nowhere.
    Gone,
    /// It leads somewhere again.
    Back,
}

impl Event {
    /// Its name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Rotated => "rotated",
            Self::Gone => "gone",
            Self::Back => "back",
        }
    }
}

/// Who is notified.
pub(super) type ReportSink<'a> = dyn FnMut(TailReport<'_>) + 'a;

/// Follows a path, a folder or a stream.
pub struct Tail {
    root: PathBuf,
    is_folder: bool,
    tracks: Tracks,
    hints: Hints,
    /// Time between looks, if notifications are not wanted.
    poll: Option<Duration>,
    looked: Option<Instant>,
    walked: Option<Instant>,
    /// Whose turn it is to be read.
    turn: OsString,
    is_wait_reported: bool,
    /// What was wrong at the last walk; what still is, is not reported again.
    troubles: Vec<Problem>,
    /// Files that were not looked at because too many others are open.
    behind: BTreeSet<OsString>,
    handles_max: usize,
}

impl Tail {
    /// Follows a path, which need not exist; with `poll` by looks alone, that often.
    #[must_use]
    pub fn new(path: &Path, poll: Option<Duration>) -> Self {
        let tracks = Tracks::default();
        let (looked, walked, turn) = (None, None, OsString::new());
        let root = path.to_owned();
        let mut tail = Self {
            root,
            is_folder: false,
            tracks,
            hints: Hints::new(),
            poll,
            looked,
            walked,
            turn,
            is_wait_reported: false,
            troubles: Vec::new(),
            behind: BTreeSet::new(),
            handles_max: handles_max(),
        };
        tail.begin();
        tail
    }

    /// Follows a stream.
    #[must_use]
    pub fn stream(input: Arc<Input>) -> Self {
        let mut tail = Self::new(Path::new(""), None);
        tail.tracks = Tracks::one(Track::stream(input));
        tail
    }

    fn begin(&mut self) {
        self.is_folder = self.root.is_dir();
        if self.is_folder {
            self.tracks = Tracks::default();
        } else {
            self.tracks = Tracks::one(Track::new(self.root.clone()));
        }
        self.watch();
    }

    fn watch(&mut self) {
        match (self.poll, self.is_folder) {
            (Some(_), _) => {}
            (None, true) => self.hints.watch_folder(&self.root),
            (None, false) => self.hints.watch_file(&self.root),
        }
    }

    /// Hears of it when a look is worth while.
    #[must_use]
    pub fn hints(&self) -> &Receiver<()> {
        self.hints.heard()
    }

    /// Whether anything could be read at all so far.
    #[must_use]
    pub fn has_read(&self) -> bool {
        self.tracks.iter().any(Track::has_read)
    }

    /// Whether nothing more can come: a stream has ended, and all of it was reported.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !self.is_folder && self.tracks.iter().all(Track::is_over)
    }

    /// Time until something is due.
    #[must_use]
    pub fn wait(&self, now: Instant) -> Duration {
        if self.tracks.has_due() {
            return Duration::ZERO;
        }
        let period = match (self.poll, self.is_folder) {
            (Some(poll), _) => poll,
            (None, true) if self.hints.are_heard() => LOOK_NOTIFIED,
            (None, true) => LOOK_POLLED,
            (None, false) => {
                let periods = self.tracks.iter().map(|track| track.period(self.hints.are_heard()));
                periods.min().unwrap_or(LOOK_NOTIFIED)
            }
        };
        let period = if self.is_behind() { PACE } else { period };
        let look = self.looked.map_or(Duration::ZERO, |at| (at + period).saturating_duration_since(now));
        let timers = self.tracks.restless().filter_map(|(_, track)| track.timer(now));
        timers.chain([look]).min().unwrap_or(look)
    }

    /// Whether a look is due although there may be more to read.
    #[must_use]
    pub fn is_look_due(&self, now: Instant) -> bool {
        !self.hints.heard().is_empty() || self.looked.is_none_or(|at| now >= at + self.poll.unwrap_or(LOOK_NOTIFIED))
    }

    /// Whether files wait for their turn to be opened: more looks are due before all was read.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Looks at what may have changed: after a hint, or when [`Tail::wait`] is over.
    pub fn look(&mut self, now: Instant, emit: &mut ReportSink<'_>) {
        if self.looked.is_some_and(|at| now < at + PACE) {
            #[expect(clippy::disallowed_methods, reason = "it bounds how often one looks, and lasts one pace")]
            std::thread::sleep(PACE);
        }
        let heard = self.hints.take();
        let is_time = self.looked.is_none_or(|at| now >= at + self.poll.unwrap_or(LOOK_NOTIFIED));
        self.begin_late(emit);
        if self.is_folder && (heard.is_all || is_time) {
            self.walk(now, emit);
        }
        let is_all = heard.is_all || is_time || !self.is_folder || !self.hints.are_heard();
        if self.is_behind() {
            self.tracks.close_resting(0);
        }
        let began = Instant::now();
        for name in self.paths_to_check(is_all, &heard) {
            self.look_at(name, now, emit);
        }
        if is_all {
            // A look at very many files takes its time; there is as much between two of them.
            self.looked = Some(now + began.elapsed());
        }
        if self.tracks.handles() > self.handles_max {
            self.tracks.close_resting(self.handles_max * 3 / 4);
        }
    }

    /// The paths to look at: all, or those that wait for their turn, are restless or were named.
    fn paths_to_check(&mut self, is_all: bool, heard: &ChangedPaths) -> Vec<OsString> {
        if is_all {
            self.behind.clear();
            return self.tracks.names();
        }
        let mut wanted: BTreeSet<OsString> = self.tracks.restless().map(|(name, _)| name.clone()).collect();
        let named: HashSet<&Path> = heard.below(&self.root);
        wanted.extend(named.into_iter().map(OsString::from));
        // Only as many of those that wait as can be opened now.
        let room = self.handles_max.saturating_sub(self.tracks.handles());
        wanted.extend((0..room).map_while(|_| self.behind.pop_first()));
        wanted.into_iter().collect()
    }

    fn look_at(&mut self, name: OsString, now: Instant, emit: &mut ReportSink<'_>) {
        if self.tracks.handles() >= self.handles_max && self.tracks.get(&name).is_some_and(|track| !track.is_open()) {
            self.behind.insert(name);
            return;
        }
        let shown = name.to_string_lossy();
        let file = self.is_folder.then_some(&*shown);
        let look =
            |track: &mut Track| track.look(now, &mut |generation, what| emit(TailReport { file, generation, what }));
        let is_elsewhere = self.tracks.with(&name, look);
        if is_elsewhere == Some(true) && self.poll.is_none() && !self.is_folder {
            self.hints.watch_file(&self.root);
        }
    }

    /// A path that was not there may turn out to be a folder, or its own folder may come.
    fn begin_late(&mut self, emit: &mut ReportSink<'_>) {
        if self.is_folder || self.has_read() || self.tracks.iter().any(|track| !track.is_missing()) {
            return;
        }
        if self.root.is_dir() {
            return self.begin();
        }
        if is_missing(&self.root) && !std::mem::replace(&mut self.is_wait_reported, true) {
            let what = TailItem::Notice(format!("{} does not exist yet; waiting for it", self.root.display()));
            emit(TailReport { file: None, generation: 0, what });
        }
        if self.poll.is_none() && !self.hints.are_heard() {
            self.watch();
        }
    }

    fn walk(&mut self, now: Instant, emit: &mut ReportSink<'_>) {
        if self.walked.is_some_and(|at| now < at + WALK_PACE) {
            // What came is found a moment later.
            self.hints.hear_again();
            return;
        }
        self.walked = Some(now);
        let mut troubles = Vec::new();
        for name in super::walk::files(&self.root, &mut troubles) {
            let path = self.root.join(&name);
            self.tracks.add(name, || Track::new(path));
        }
        for Problem { message, .. } in troubles.iter().filter(|trouble| !self.troubles.contains(trouble)) {
            emit(TailReport { file: None, generation: 0, what: TailItem::Notice(message.clone()) });
        }
        self.troubles = troubles;
    }

    /// Reads a slice of one file; false if there is nothing to read now. Files take turns, so that none waits for a
    /// huge or slow one (T18).
    pub fn read(&mut self, now: Instant, emit: &mut ReportSink<'_>) -> bool {
        let Some(name) = self.tracks.next_due(&self.turn) else { return false };
        let shown = name.to_string_lossy();
        let file = self.is_folder.then_some(&*shown);
        self.tracks.with(&name, |track| {
            track.read(now, &mut |generation, what| emit(TailReport { file, generation, what }));
        });
        drop(shown);
        self.turn = name;
        true
    }

    /// The end of all is final: what is unfinished is reported as it is (T10).
    pub fn finish(&mut self, emit: &mut ReportSink<'_>) {
        for name in self.tracks.names() {
            let shown = name.to_string_lossy();
            let file = self.is_folder.then_some(&*shown);
            self.tracks.with(&name, |track| {
                track.finish(&mut |generation, what| emit(TailReport { file, generation, what }));
            });
        }
    }
}
