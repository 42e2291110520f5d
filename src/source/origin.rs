//! What the text of an input was made from: a container, a folder, a packed file. It can change after it was read, and
//! then its text is made again.
//!
//! A look asks the file system alone. What changes is left alone for a moment, as a writer changes several pages, or a
//! page and the log beside it, one behind the other; and making text takes a fifth of the time at most, however large
//! the container is and however often it changes.

use super::Input;
use super::folder::Folder;
use super::follow::{LOOK_NOTIFIED, LOOK_POLLED};
use super::fs_events::Hints;
use super::sqlite::log_of;
use crate::platform::FileId;
use crossbeam_channel::Receiver;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How long a change stands still before text is made of it, and how long it is waited for that.
const SETTLE: Duration = Duration::from_millis(50);
const SETTLE_MAX: Duration = Duration::from_millis(500);

/// What was written so short a time before it was opened is read once more.
const FRESH: Duration = Duration::from_secs(2);

/// How many times what a look, or making the text, took has to pass before the next one.
const REST: u32 = 4;

/// What a look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginChange {
    /// Nothing, or nothing that stands still yet.
    None,
    /// It is another now: its text is to be made again.
    Changed,
    /// Nothing is at its path any more (reported once).
    Gone,
}

/// Looks after what the text of an input was made from.
#[derive(Debug)]
pub struct Origin {
    path: PathBuf,
    hints: Hints,
    /// As it was when its text was made; None: it was not there.
    built_from: Option<Facts>,
    /// Another state of it that was seen: since when, and since when there was any.
    seen: Option<(Facts, Instant, Instant)>,
    not_before: Instant,
    /// Whether a look was asked for before that.
    is_asked: bool,
}

/// What the file system says: sizes, when it was last written, which file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    len: u64,
    log: u64,
    written: Option<SystemTime>,
    id: FileId,
}

impl Facts {
    fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        let (written, id) = (meta.modified().ok(), FileId::of(&meta, path));
        if meta.is_dir() {
            let all = Folder::facts(path);
            return Some(Self { len: all.len, log: 0, written: all.written.max(written), id });
        }
        let log = std::fs::metadata(log_of(path)).ok();
        let at = |log: &Metadata| log.modified().ok();
        let (len, log_len) = (meta.len(), log.as_ref().map_or(0, Metadata::len));
        Some(Self { len, log: log_len, written: written.max(log.as_ref().and_then(at)), id })
    }
}

impl Origin {
    /// What an input was made from, if it can change: a file of some size, or a folder, whose text is made of it.
    #[must_use]
    pub fn of(input: &Input) -> Option<Self> {
        let path = input.path().filter(|_| input.is_spooled())?;
        let meta = std::fs::metadata(path).ok()?;
        if !meta.is_dir() && (!meta.is_file() || meta.len() == 0) {
            return None;
        }
        let mut hints = Hints::new();
        if meta.is_dir() {
            hints.watch_folder(path);
        } else {
            hints.watch_files(&[path, &log_of(path)]);
        }
        // What was written just now may have been so while it was read.
        let is_old = |facts: &Facts| facts.written.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > FRESH);
        let (path, old_facts) = (path.to_owned(), Facts::of(path).filter(is_old));
        Some(Self { path, hints, built_from: old_facts, seen: None, not_before: Instant::now(), is_asked: false })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hears of it when a look is worth while before the time of [`Origin::period`].
    #[must_use]
    pub fn hints(&self) -> &Receiver<()> {
        self.hints.heard()
    }

    /// Time after which to look in any case.
    #[must_use]
    pub fn period(&self) -> Duration {
        let wanted = match (&self.seen, self.hints.are_heard()) {
            _ if self.is_asked => Duration::ZERO,
            (Some(_), _) => SETTLE,
            (None, true) => LOOK_NOTIFIED,
            (None, false) => LOOK_POLLED,
        };
        wanted.max(self.not_before.saturating_duration_since(Instant::now()))
    }

    /// Whether it is followed by looks alone, as the file system reports no changes (R20).
    #[must_use]
    pub fn is_polling(&self) -> bool {
        !self.hints.are_heard()
    }

    /// Looks whether it is another than its text was made of, and stands still.
    pub fn look(&mut self) -> OriginChange {
        let now = Instant::now();
        self.is_asked = now < self.not_before;
        if self.is_asked {
            return OriginChange::None;
        }
        let _taken = self.hints.take();
        let found = Facts::of(&self.path);
        self.not_before = now + now.elapsed() * REST;
        let Some(facts) = found else {
            self.seen = None;
            return if self.built_from.take().is_some() { OriginChange::Gone } else { OriginChange::None };
        };
        if Some(facts) == self.built_from {
            self.seen = None;
            return OriginChange::None;
        }
        let (since, first) = match self.seen {
            Some((known, since, first)) if known == facts => (since, first),
            Some((_, _, first)) => (now, first),
            None => (now, now),
        };
        self.seen = Some((facts, since, first));
        // A second change within one tick of the file system's clock would look like the first.
        let is_still = now - since >= SETTLE;
        if !is_still && now - first < SETTLE_MAX {
            return OriginChange::None;
        }
        (self.built_from, self.seen) = (Some(facts), None);
        OriginChange::Changed
    }

    /// Its text was made again, which took so long.
    pub fn rebuilt_in(&mut self, cost: Duration) {
        self.not_before = Instant::now() + cost * REST;
    }

    /// Its text could not be made: it is tried again after this time or the rest that making it asks for, changed or
    /// not.
    pub fn retry_after(&mut self, time: Duration) {
        self.built_from = None;
        self.not_before = self.not_before.max(Instant::now() + time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// What looks find in the end, where they are to find that something changed.
    fn wait_for_change(origin: &mut Origin) -> OriginChange {
        let begin = Instant::now();
        loop {
            match origin.look() {
                OriginChange::None if begin.elapsed() < Duration::from_secs(60) => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                change => return change,
            }
        }
    }

    fn origin(path: &Path) -> Origin {
        let (hints, facts) = (Hints::new(), Facts::of(path));
        Origin {
            path: path.to_owned(),
            hints,
            built_from: facts,
            seen: None,
            not_before: Instant::now(),
            is_asked: false,
        }
    }

    #[test]
    fn a_database_changes_with_the_log_beside_it_and_a_folder_with_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let (db, events) = (folder.path().join("a.db"), folder.path().join("events"));
        fs::write(&db, "x").unwrap();
        fs::create_dir(&events).unwrap();
        let (mut of_db, mut of_folder) = (origin(&db), origin(&events));
        assert_eq!((of_db.look(), of_folder.look()), (OriginChange::None, OriginChange::None));
        fs::write(folder.path().join("a.db-wal"), "log").unwrap();
        fs::write(events.join("1.json"), "{}").unwrap();
        assert_eq!(
            (wait_for_change(&mut of_db), wait_for_change(&mut of_folder)),
            (OriginChange::Changed, OriginChange::Changed)
        );
        assert!(of_db.built_from == Facts::of(&db) && of_folder.built_from == Facts::of(&events), "so it is told once");
        fs::remove_file(&db).unwrap();
        assert_eq!(wait_for_change(&mut of_db), OriginChange::Gone);
        assert_eq!(of_db.look(), OriginChange::None);
        fs::write(&db, "y").unwrap();
        assert_eq!(wait_for_change(&mut of_db), OriginChange::Changed, "it is there again");
    }

    #[test]
    fn making_the_text_takes_a_fifth_of_the_time_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gz");
        fs::write(&path, "x").unwrap();
        let mut origin = origin(&path);
        origin.rebuilt_in(Duration::from_secs(1_000));
        fs::write(&path, "xy").unwrap();
        assert_eq!((origin.look(), origin.is_asked), (OriginChange::None, true));
        assert!(origin.period() > Duration::from_secs(3_900), "{:?}", origin.period());
    }
}
