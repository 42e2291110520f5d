//! Keeps marks: gives events their time and author, and brings them into the journal.
//!
//! What could not be written stays here, shown as unsaved, and is written with the next try. What another program
//! appended is read before each write, so that two screens on one journal see each other's marks.

use crate::model::Problem;
use crate::review::{About, Change, DecodeError, MarkEvent, MarkTarget};
use crate::source::Journal;
use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Longest time that an event of another may lie ahead of this clock and still be followed, in milliseconds.
const AHEAD_MAX_MS: u64 = 24 * 3600 * 1000;

/// Where marks are kept unless `--marks` says otherwise: in the user's data folder. None without a home.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    Some(etcetera::choose_base_strategy().ok()?.data_dir().join("obelus").join("marks.jsonl"))
}

/// Who decides: `OBELUS_AUTHOR`, else the name of the user.
#[must_use]
pub fn author() -> String {
    let names = ["OBELUS_AUTHOR", "USER", "LOGNAME"].into_iter().filter_map(|name| env::var(name).ok());
    names.map(|name| name.trim().to_owned()).find(|name| !name.is_empty()).unwrap_or_else(|| "somebody".to_owned())
}

/// What a journal held, as far as it was read.
#[derive(Debug, Default)]
pub struct JournalContents {
    /// The events, in the order of the file.
    pub events: Vec<MarkEvent>,
    /// Lines that are not events: torn, or written by something else.
    pub broken: usize,
    /// Lines that only a later version knows, as they are.
    pub newer: Vec<String>,
}

impl JournalContents {
    /// Reads lines.
    #[must_use]
    pub fn of(lines: &[Vec<u8>]) -> Self {
        let mut out = Self::default();
        for line in lines {
            match MarkEvent::read(line) {
                Ok(event) => out.events.push(event),
                Err(DecodeError::Newer) => out.newer.push(String::from_utf8_lossy(line).into_owned()),
                Err(DecodeError::Broken(_)) => out.broken += 1,
            }
        }
        out
    }
}

/// A mark_journal of marks.
#[derive(Debug)]
pub struct MarkJournal {
    journal: Option<Journal>,
    /// Whether it was found to be a journal, or to be none yet.
    is_checked: bool,
    author: String,
    unsaved: Vec<MarkEvent>,
    last_ms: u64,
    /// Of each target with events of a clock that is far ahead, the time of the last one.
    ahead_ms: HashMap<MarkTarget, u64>,
    now_ms: fn() -> u64,
}

impl MarkJournal {
    /// A mark_journal of the journal at a path; without one, marks last as long as the mark_journal.
    #[must_use]
    pub fn new(path: Option<&Path>) -> Self {
        Self {
            journal: path.map(Journal::at),
            is_checked: false,
            author: author(),
            unsaved: Vec::new(),
            last_ms: 0,
            ahead_ms: HashMap::new(),
            now_ms: clock_ms,
        }
    }

    /// A mark_journal without a journal, whose author and clock are always the same: for tests and pictures.
    #[must_use]
    pub fn staged() -> Self {
        Self { author: "you".to_owned(), now_ms: || 0, ..Self::new(None) }
    }

    /// The events that came into the journal since the last call.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn gather(&mut self) -> Result<JournalContents, Problem> {
        self.check()?;
        let lines = self.journal.as_mut().map_or_else(|| Ok(Vec::new()), Journal::new_lines)?;
        let gathered = JournalContents::of(&lines);
        let followed = (self.now_ms)().saturating_add(AHEAD_MAX_MS);
        let latest = gathered.events.iter().map(|event| event.time_ms).filter(|time| *time <= followed).max();
        self.last_ms = self.last_ms.max(latest.unwrap_or(0));
        for event in gathered.events.iter().filter(|event| event.time_ms > followed) {
            let latest = self.ahead_ms.entry(event.target.clone()).or_default();
            *latest = event.time_ms.max(*latest);
        }
        Ok(gathered)
    }

    /// Events for changes of targets, later than all that was read of them, so that they win. They wait to be saved.
    /// Only a target whose own events are far ahead of the clock gets a time after those.
    pub fn decide(&mut self, changes: Vec<(MarkTarget, Change, About)>) -> Vec<MarkEvent> {
        self.last_ms = (self.now_ms)().max(self.last_ms + 1);
        let (now, author, ahead) = (self.last_ms, &self.author, &mut self.ahead_ms);
        let event = |(target, change, about)| {
            let time_ms = ahead.get_mut(&target).map_or(now, |latest| {
                *latest = latest.saturating_add(1);
                *latest
            });
            MarkEvent { time_ms, author: author.clone(), target, change, about }
        };
        let events: Vec<MarkEvent> = changes.into_iter().map(event).collect();
        self.unsaved.extend(events.iter().cloned());
        events
    }

    /// Events that are not in the journal yet.
    #[must_use]
    pub fn unsaved(&self) -> usize {
        self.unsaved.len()
    }

    /// Refuses a file that holds something else than marks, which would be spoiled by them.
    fn check(&mut self) -> Result<(), Problem> {
        let Some(journal) = self.journal.as_ref().filter(|_| !self.is_checked) else { return Ok(()) };
        let lines = journal.first_lines()?;
        let JournalContents { events, newer, .. } = JournalContents::of(&lines);
        // The first line may be torn: its writer was killed, or the disk was full.
        let is_torn = |line: &Vec<u8>| line.starts_with(MarkEvent::BEGINNING) || MarkEvent::BEGINNING.starts_with(line);
        if !lines.is_empty() && events.is_empty() && newer.is_empty() && !lines.first().is_some_and(is_torn) {
            let problem = Problem::usage(format!("{} holds no marks, but something else", journal.path().display()));
            return Err(problem.hint("name another file with --marks"));
        }
        self.is_checked = true;
        Ok(())
    }

    /// Writes what waits. When it returns, that is on the disk.
    ///
    /// # Errors
    /// The journal cannot be written; what waits goes on waiting.
    pub fn save(&mut self) -> Result<(), Problem> {
        if !self.unsaved.is_empty() {
            self.check()?;
        }
        let Some(journal) = self.journal.as_mut().filter(|_| !self.unsaved.is_empty()) else {
            self.unsaved.clear();
            return Ok(());
        };
        let lines: Vec<String> = self.unsaved.iter().map(MarkEvent::line).collect();
        journal.append(&lines)?;
        self.unsaved.clear();
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where marks get their times")]
fn clock_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{ContentKey, Marks, Verdict};

    fn decided(verdict: Verdict) -> Vec<(MarkTarget, Change, About)> {
        let change = Change::Decide(Some(verdict));
        vec![(MarkTarget::record(ContentKey::of(b"x")), change, About::default())]
    }

    #[test]
    fn a_full_disk_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.jsonl");
        let mut mark_journal = MarkJournal::new(Some(Path::new("/dev/full")));
        mark_journal.decide(decided(Verdict::Bad));
        assert!(mark_journal.save().is_err() && mark_journal.save().is_err());
        assert_eq!(mark_journal.unsaved(), 1);
        mark_journal.journal = Some(Journal::at(&path));
        mark_journal.save().unwrap();
        assert_eq!((mark_journal.unsaved(), mark_journal.gather().unwrap().events.len()), (0, 1));
    }

    #[test]
    fn a_later_decision_wins_over_a_clock_ahead_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.jsonl");
        let mut ahead = MarkJournal { now_ms: || 5_000, ..MarkJournal::new(Some(&path)) };
        ahead.decide(decided(Verdict::Bad));
        ahead.save().unwrap();
        let mut late = MarkJournal { now_ms: || 1_000, ..MarkJournal::new(Some(&path)) };
        let mut marks = Marks::default();
        late.gather().unwrap().events.into_iter().for_each(|event| {
            marks.apply(event);
        });
        late.decide(decided(Verdict::Good)).into_iter().for_each(|event| {
            marks.apply(event);
        });
        assert_eq!(marks.verdict(ContentKey::of(b"x")), Some(Verdict::Good));
    }

    /// A clock of the year 2100 does not decide for ever.
    #[test]
    fn a_decision_overrules_one_that_is_dated_far_ahead() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.jsonl");
        let mut ahead = MarkJournal { now_ms: || 4_102_444_800_000, ..MarkJournal::new(Some(&path)) };
        ahead.decide(decided(Verdict::Bad));
        ahead.save().unwrap();
        let mut marks = Marks::default();
        let mut mark_journal = MarkJournal { now_ms: || 1_000, ..MarkJournal::new(Some(&path)) };
        mark_journal.gather().unwrap().events.into_iter().for_each(|event| {
            marks.apply(event);
        });
        for verdict in [Verdict::Good, Verdict::Unsure] {
            mark_journal.decide(decided(verdict)).into_iter().for_each(|event| {
                marks.apply(event);
            });
            assert_eq!(marks.verdict(ContentKey::of(b"x")), Some(verdict));
        }
        let other = vec![(MarkTarget::record(ContentKey::of(b"y")), Change::Flag(true), About::default())];
        assert!(mark_journal.decide(other)[0].time_ms < 10_000, "only that target has a time ahead");
    }

    #[test]
    fn of_several_times_far_ahead_the_latest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.jsonl");
        let clocks: [fn() -> u64; 2] = [|| 4_102_444_800_000, || 4_102_444_700_000];
        for now_ms in clocks {
            let mut ahead = MarkJournal { now_ms, ..MarkJournal::new(Some(&path)) };
            ahead.decide(decided(Verdict::Bad));
            ahead.save().unwrap();
        }
        let mut mark_journal = MarkJournal { now_ms: || 1_000, ..MarkJournal::new(Some(&path)) };
        let latest = mark_journal.gather().unwrap().events.iter().map(|event| event.time_ms).max().unwrap();
        assert!(mark_journal.decide(decided(Verdict::Good))[0].time_ms > latest);
    }
}
