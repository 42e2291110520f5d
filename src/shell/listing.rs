//! The threads beside a list of files: one looks what changed, one reads how files begin.

use super::clock;
use crate::app::Msg;
use crate::format::{Layout, Run};
use crate::ingest;
use crate::model::{Bytes, ListChange, Problem, Role, Severity, StepNo};
use crate::panes::file_list::{CHECKED_MAX, FileHead, WHOLE_MAX};
use crate::panes::steps;
use crate::panes::value::count_of;
use crate::source::Listing;
use crossbeam_channel::{Receiver, Sender, at, bounded, select, unbounded};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the files; a slow file system is given more.
const PACE: Duration = Duration::from_secs(1);
/// A look that takes long is followed by a pause so many times as long; a longer one where changes are heard of.
const REST: u32 = 4;
const REST_NOTIFIED: u32 = 400;

/// A list that is looked after. Dropping it ends the threads.
pub(super) struct Lists {
    /// What the threads report.
    pub(super) told: Receiver<Msg>,
    heads: Sender<Vec<PathBuf>>,
    /// Only its end matters.
    _keep: Sender<()>,
}

impl Lists {
    /// Begins to look at what is listed; heads are read as of the `forced` format, if one is named.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn start(mut listing: Listing, forced: Option<&str>) -> std::io::Result<Self> {
        let (tell, told) = bounded(64);
        let (heads, wanted) = unbounded();
        let (keep, dropped) = bounded(0);
        let answers = tell.clone();
        thread::Builder::new().name("listing".to_owned()).spawn(move || look(&mut listing, &answers, &dropped))?;
        let forced = forced.map(str::to_owned);
        thread::Builder::new().name("heads".to_owned()).spawn(move || read(&wanted, &tell, forced.as_deref()))?;
        Ok(Self { told, heads, _keep: keep })
    }

    /// Reads how these files begin, in place of those that were asked for before.
    pub(super) fn read(&self, paths: Vec<PathBuf>) {
        let _ended = self.heads.send(paths);
    }
}

#[expect(clippy::disallowed_methods, reason = "the loop of the thread that looks: it hands the time on")]
fn look(listing: &mut Listing, tell: &Sender<Msg>, dropped: &Receiver<()>) {
    listing.watch();
    let mut due = Instant::now();
    loop {
        let begin = Instant::now();
        let is_due = begin >= due;
        let change = if is_due { listing.look(SystemTime::now()) } else { listing.look_at_changed(SystemTime::now()) };
        if is_due {
            let times = if listing.is_notified() { REST_NOTIFIED } else { REST };
            due = Instant::now() + PACE.max(begin.elapsed() * times);
        }
        if let Some(change) = change {
            let change = ListChange { ahead: clock::ahead_ms(), ..change };
            if tell.send(Msg::Files(change)).is_err() {
                return;
            }
        }
        select! {
            recv(dropped) -> _ => return,
            recv(listing.hints()) -> _ => {}
            recv(at(due)) -> _ => continue,
        }
        // A file that is written again and again is looked at once in a while.
        let next = due.min(begin + PACE);
        select! {
            recv(dropped) -> _ => return,
            recv(at(next)) -> _ => {}
        }
    }
}

/// First how all begin, then, file by file, what is found in them.
fn read(wanted: &Receiver<Vec<PathBuf>>, tell: &Sender<Msg>, forced: Option<&str>) {
    let mut unchecked: VecDeque<(PathBuf, FileHead)> = VecDeque::new();
    let mut paths: VecDeque<PathBuf> = VecDeque::new();
    loop {
        let told = if let Some(path) = paths.pop_front() {
            let head = head(&path, forced);
            unchecked.retain(|(other, _)| *other != path);
            if head.found.is_none() && !head.is_unreadable && head.len <= CHECKED_MAX {
                unchecked.push_back((path.clone(), head.clone()));
            }
            tell.send(Msg::Head(path, head))
        } else if let Some((path, head)) = unchecked.pop_front() {
            let head = checked(&path, forced, head);
            tell.send(Msg::Head(path, head))
        } else {
            match wanted.recv() {
                Ok(newer) => paths = newer.into(),
                Err(_) => return,
            }
            continue;
        };
        if told.is_err() {
            return;
        }
        while let Ok(newer) = wanted.try_recv() {
            paths = newer.into();
        }
    }
}

/// How a file begins, with what is found in all of it.
pub(super) fn checked(path: &Path, forced: Option<&str>, head: FileHead) -> FileHead {
    let look = || -> Result<FileHead, Problem> {
        let loaded = ingest::open(path, forced)?;
        let (mut errors, mut warnings) = (0, 0);
        ingest::findings(&loaded, |found| -> Result<(), Problem> {
            let count_of = |severity| found.iter().filter(|found| found.finding.severity == severity).count();
            errors += count_of(Severity::Error);
            warnings += count_of(Severity::Warning);
            Ok(())
        })?;
        let is_counted = head.count.is_empty() && loaded.detected.format.layout() == Layout::Set;
        let count = if is_counted { count_of(loaded.records()?.len(), "run") } else { head.count.clone() };
        // A long array has no first record at its beginning.
        let words = if head.words.is_empty() && loaded.trajectories()? > 0 {
            words_of(loaded.run(0)?.as_ref(), loaded.input.as_ref())
        } else {
            head.words.clone()
        };
        let format = if head.format.is_empty() { loaded.detected.format.name() } else { head.format };
        Ok(FileHead { found: Some((errors, warnings)), count, words, format, ..head.clone() })
    };
    told_of(path, ingest::with_stack(look), head.len)
}

/// How a file begins.
pub(super) fn head(path: &Path, forced: Option<&str>) -> FileHead {
    let len = std::fs::metadata(path).map_or(0, |meta| meta.len());
    told_of(path, ingest::with_stack(|| known(path, forced)), len)
}

/// What was made of a file of that size; or why nothing could be.
fn told_of(path: &Path, made: Option<Result<FileHead, Problem>>, len: u64) -> FileHead {
    let made = made.unwrap_or_else(|| Err(Problem::unreadable("it could not be read: a fault in obelus")));
    match made {
        Ok(head) => FileHead { len, ..head },
        Err(problem) => {
            let name = path.display().to_string();
            let words = problem.message.strip_prefix(&name).unwrap_or(&problem.message).trim_start_matches([':', ' ']);
            FileHead { len, words: words.to_owned(), is_unreadable: true, ..FileHead::default() }
        }
    }
}

/// The title, where it is words and no id; else the first words of the first user step that has some and is no notice
/// in angle brackets, else of the last step.
fn words_of(run: &dyn Run, bytes: &dyn Bytes) -> String {
    if let Some(title) = run.title().filter(|title| title.trim().contains(' ')) {
        return steps::one_line(&title);
    }
    let last = StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX) - 1;
    let steps = (0..=last).map(|number| run.step(number, bytes));
    let said = steps.filter(|step| step.role == Role::User || step.number == last);
    let mut first = String::new();
    for words in said.map(|step| steps::one_line(&step.summary)).filter(|words| !words.is_empty()) {
        if !words.starts_with('<') {
            return words;
        }
        if first.is_empty() {
            first = words;
        }
    }
    first
}

fn known(path: &Path, forced: Option<&str>) -> Result<FileHead, Problem> {
    let glance = ingest::glance(ingest::open_input(path)?, forced, WHOLE_MAX)?;
    let format = glance.detected.format;
    let Some(run) = glance.run else {
        return Ok(FileHead { words: "nothing in it yet".to_owned(), ..FileHead::default() });
    };
    let words = words_of(run.as_ref(), glance.input.as_ref());
    let count = match (format.layout(), glance.trajectories) {
        (_, None) => String::new(),
        (Layout::Set, Some(count)) if count != 1 => count_of(count, "run"),
        _ => count_of(run.step_count(), "step"),
    };
    Ok(FileHead {
        format: format.name(),
        count,
        words: if words.is_empty() { run.title().unwrap_or_default() } else { words },
        ..FileHead::default()
    })
}
