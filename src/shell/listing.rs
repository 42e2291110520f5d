//! The threads beside a list of files: one looks what changed, one reads how files begin.

use super::clock;
use crate::app::Msg;
use crate::format::{Layout, Run};
use crate::ingest;
use crate::json::{self, Key};
use crate::model::{Bytes, Identity, ListChange, Problem, Severity, StepNo, StepRole, TurnPart};
use crate::panes::file_list::{CHECKED_MAX, FileHead, HeadRequest, SessionHead, WHOLE_MAX};
use crate::panes::steps;
use crate::panes::value::count_of;
use crate::source::{self, Listing};
use crate::text::{asked, is_notice, single_line};
use crossbeam_channel::{Receiver, Sender, at, bounded, select, unbounded};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Time between two looks at the files; a slow file system is given more.
const PACE: Duration = Duration::from_secs(1);
/// A slow listing is followed by a pause this many times as long; by a longer one where changes are reported.
const REST: u32 = 4;
const REST_NOTIFIED: u32 = 400;

/// A list that is looked after. Dropping it ends the threads.
pub(super) struct Lists {
    /// What the threads report.
    pub(super) messages: Receiver<Msg>,
    heads: Sender<HeadRequest>,
    /// Only its end matters.
    _keep: Sender<()>,
}

impl Lists {
    /// Begins to look at what is listed; heads are read as of the `forced` format, if one is named.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn start(mut listing: Listing, forced: Option<&str>) -> std::io::Result<Self> {
        let (sender, receiver) = bounded(64);
        let (heads, wanted) = unbounded();
        let (keep, dropped) = bounded(0);
        let answers = sender.clone();
        thread::Builder::new().name("listing".to_owned()).spawn(move || look(&mut listing, &answers, &dropped))?;
        let forced = forced.map(str::to_owned);
        thread::Builder::new().name("heads".to_owned()).spawn(move || read(&wanted, &sender, forced.as_deref()))?;
        Ok(Self { messages: receiver, heads, _keep: keep })
    }

    /// What the threads reported that was not taken yet.
    pub(super) fn next(&self) -> Option<Msg> {
        self.messages.try_recv().ok()
    }

    /// Reads how these files begin, in place of those that were asked for before.
    pub(super) fn read(&self, wanted: HeadRequest) {
        let _ended = self.heads.send(wanted);
    }
}

#[expect(clippy::disallowed_methods, reason = "the loop of the thread that looks: it hands the time on")]
fn look(listing: &mut Listing, sender: &Sender<Msg>, dropped: &Receiver<()>) {
    listing.watch();
    let mut due = Instant::now();
    loop {
        let begin = Instant::now();
        let is_due = begin >= due;
        let change = if is_due { listing.look(SystemTime::now()) } else { listing.look_at_changed(SystemTime::now()) };
        if is_due {
            let times = if listing.is_notified() { REST_NOTIFIED } else { REST };
            let pause = if listing.is_partial() { Duration::ZERO } else { PACE.max(begin.elapsed() * times) };
            due = Instant::now() + pause;
        }
        if let Some(change) = change {
            let change = ListChange { ahead: clock::ahead_ms(), ..change };
            if sender.send(Msg::Files(change)).is_err() {
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

/// First how all begin, then, file by file, what is found in those that are visible.
fn read(wanted: &Receiver<HeadRequest>, sender: &Sender<Msg>, forced: Option<&str>) {
    let mut unchecked: VecDeque<(PathBuf, FileHead)> = VecDeque::new();
    let mut asked = HeadRequest::default();
    loop {
        let sent = if let Some(path) = asked.paths.pop() {
            let head = head(&path, forced);
            unchecked.retain(|(other, _)| *other != path);
            if asked.are_visible && head.finding_counts.is_none() && !head.is_unreadable && head.len <= CHECKED_MAX {
                unchecked.push_back((path.clone(), head.clone()));
            }
            sender.send(Msg::Head(path, head))
        } else if let Some((path, head)) = unchecked.pop_front() {
            let head = checked(&path, forced, head);
            sender.send(Msg::Head(path, head))
        } else {
            match wanted.recv() {
                Ok(newer) => asked = in_order(newer),
                Err(_) => return,
            }
            continue;
        };
        if sent.is_err() {
            return;
        }
        while let Ok(newer) = wanted.try_recv() {
            asked = in_order(newer);
        }
    }
}

/// The same with the first path at the end, where it is taken from.
fn in_order(mut wanted: HeadRequest) -> HeadRequest {
    wanted.paths.reverse();
    wanted
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
        let is_run = loaded.detected.format.layout() == Layout::Run;
        let (needs_words, needs_failed) = (head.words.is_empty(), head.session.failed.is_none() && is_run);
        let is_wanted = (needs_words || needs_failed) && loaded.trajectories()? > 0;
        let run = if is_wanted { Some(loaded.run(0)?) } else { None };
        let (mut words, mut session) = (head.words.clone(), head.session.clone());
        if let Some(run) = run.as_deref() {
            // A long array has no first record at its beginning.
            if needs_words {
                words = words_of(run, loaded.input.as_ref());
            }
            if needs_failed {
                session.failed = Some(failed_of(run));
                (session.steps, session.is_estimate) = (Some(run.step_count()), false);
            }
        }
        let format = if head.format.is_empty() { loaded.detected.format.name() } else { head.format };
        Ok(FileHead { finding_counts: Some((errors, warnings)), count, words, format, session, ..head.clone() })
    };
    file_head(path, ingest::with_stack(look), head.len)
}

/// How a file begins.
pub(super) fn head(path: &Path, forced: Option<&str>) -> FileHead {
    let len = source::len_of(path);
    file_head(path, ingest::with_stack(|| known(path, forced)), len)
}

/// What was made of a file of that size; or why nothing could be.
fn file_head(path: &Path, read: Option<Result<FileHead, Problem>>, len: u64) -> FileHead {
    let read = read.unwrap_or_else(|| Err(Problem::unreadable("it could not be read: a fault in obelus")));
    match read {
        Ok(head) => FileHead { len, ..head },
        Err(problem) => {
            let name = path.display().to_string();
            let words = problem.message.strip_prefix(&name).unwrap_or(&problem.message).trim_start_matches([':', ' ']);
            FileHead { len, words: words.to_owned(), is_unreadable: true, ..FileHead::default() }
        }
    }
}

/// The title, where it is words and no id; else the first words of the first user step that has some and is not a
/// notice in angle brackets, else of the last step.
fn words_of(run: &dyn Run, bytes: &dyn Bytes) -> String {
    if let Some(title) = run.title().filter(|title| title.trim().contains(' ')) {
        return steps::without_marks(&steps::one_line(&title));
    }
    let last = StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX) - 1;
    let steps = (0..=last).map(|number| run.step(number, bytes));
    let shown_steps = steps.filter(|step| step.role == StepRole::User || step.number == last);
    let mut first = String::new();
    for words in
        shown_steps.map(|step| steps::without_marks(&steps::one_line(&step.summary))).filter(|words| !words.is_empty())
    {
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
    let input = ingest::open_input(path)?;
    let preview = ingest::read_preview(Arc::clone(&input), forced, WHOLE_MAX)?;
    let format = preview.detected.format;
    let Some(run) = preview.run else {
        return Ok(FileHead { words: "nothing in it yet".to_owned(), ..FileHead::default() });
    };
    let words = words_of(run.as_ref(), preview.input.as_ref());
    let count = match (format.layout(), preview.trajectories) {
        (_, None) => String::new(),
        (Layout::Set, Some(count)) if count != 1 => count_of(count, "run"),
        _ => count_of(run.step_count(), "step"),
    };
    let mut session = session_head(run.as_ref(), preview.input.as_ref());
    let is_run = format.layout() == Layout::Run;
    match preview.trajectories {
        Some(1) => session.failed = Some(failed_of(run.as_ref())),
        // Of several runs the first is no measure for all.
        Some(_) => session.steps = None,
        None if input.is_file() && is_run => {
            session.steps = session.steps.map(|steps| reckoned(steps, preview.input.len(), input.len()));
            session.is_estimate = true;
            let end = ingest::read_end_preview(&input, format.name())?;
            session.last = end.run.map(|run| last_agent_text(run.as_ref(), end.input.as_ref())).unwrap_or_default();
        }
        None => (session.steps, session.last) = (None, String::new()),
    }
    Ok(FileHead {
        format: format.name(),
        count,
        words: if words.is_empty() { run.title().unwrap_or_default() } else { words },
        session,
        ..FileHead::default()
    })
}

/// Estimates how many things a whole has from those in a part of it.
fn reckoned(in_part: usize, part: u64, whole: u64) -> usize {
    let all = in_part as u128 * u128::from(whole) / u128::from(part.max(1));
    usize::try_from(all).unwrap_or(usize::MAX)
}

/// Calls that failed, by what the log says and by what came back.
fn failed_of(run: &dyn Run) -> usize {
    run.error_steps().len()
}

/// What a run, or its beginning, says of a session.
fn session_head(run: &dyn Run, bytes: &dyn Bytes) -> SessionHead {
    let last = StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX) - 1;
    let slot = |kind: &str, name: &str| {
        let tree = run.tree();
        let node = tree.node(tree.find(&Identity::of(kind, "main"))?, &[Key::name(name)])?;
        // The folder in which it began; where a log says it late, the first that it says.
        let at = tree.history(node, last).first()?.at;
        let leaf = tree.leaf(node, at)?;
        let text = leaf.value.text(bytes).ok()?;
        Some(json::parse(&text).ok()?.as_str()?.to_owned())
    };
    SessionHead {
        steps: Some(run.step_count()),
        folder: slot("shell", "cwd").unwrap_or_default(),
        model: slot("run", "model").unwrap_or_default(),
        prompt: first_prompt(run, bytes),
        last: last_agent_text(run, bytes),
        ..SessionHead::default()
    }
}

/// Most bytes of a text that the preview shows.
const PREVIEWED_BYTES_MAX: usize = 2_000;

/// The first text of a user that is not a notice in angle brackets.
fn first_prompt(run: &dyn Run, bytes: &dyn Bytes) -> String {
    let steps = (0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX)).take(STEPS_ASKED_MAX);
    let shown_steps =
        steps.filter(|step| run.step(*step, bytes).role == StepRole::User).map(|step| text_of(run, step, bytes));
    shown_steps.filter(|text| !text.is_empty()).find(|text| !text.starts_with('<')).unwrap_or_default()
}

/// Steps that are asked for the first and the last words, at most.
const STEPS_ASKED_MAX: usize = 200;

/// The last text of the agent.
fn last_agent_text(run: &dyn Run, bytes: &dyn Bytes) -> String {
    let steps = (0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX)).rev().take(STEPS_ASKED_MAX);
    let mut texts =
        steps.filter(|step| run.step(*step, bytes).role == StepRole::Agent).map(|step| text_of(run, step, bytes));
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// What a step says in words; calls and thoughts are none.
fn text_of(run: &dyn Run, step: StepNo, bytes: &dyn Bytes) -> String {
    let Some(turn) = run.turn(step, bytes) else { return String::new() };
    let texts = turn.parts.iter().filter_map(|part| match part {
        TurnPart::Text(text) => Some(asked(text.trim())).filter(|_| !is_notice(text)),
        _ => None,
    });
    let mut text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    let begins = text.char_indices().take_while(|(at, _)| *at < PREVIEWED_BYTES_MAX).last();
    text.truncate(begins.map_or(0, |(at, c)| at + c.len_utf8()));
    // Line ends are spaces: the preview has few lines.
    single_line(&text)
}
