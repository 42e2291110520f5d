//! Marks off the UI thread: a decision gets its key from the bytes, is shown, and is then written to the journal.

use super::jobs::Source;
use super::mark_journal::{JournalContents, MarkJournal};
use crate::app::{Effect, Msg};
use crate::format::Layout;
use crate::model::{Problem, StepNo};
use crate::review::{About, Change, ContentKey, Decision, MarkEvent, MarkTarget, Marked, ReviewSubject};
use crate::text::count_of;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::path::PathBuf;
use std::sync::PoisonError;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time after which marks that could not be saved are tried again.
const RETRY: Duration = Duration::from_secs(2);
/// Longest time that a message waits for a program that is busy.
const SEND_MAX: Duration = Duration::from_secs(5);
/// Units and bytes whose keys are made at once.
const KEYS_MAX: usize = 4_096;
const KEYS_BYTES: u64 = 32 << 20;

/// The thread that keeps marks.
pub(super) struct MarksThread {
    work: Sender<(Source, Vec<Decision>)>,
    thread: JoinHandle<Option<Problem>>,
}

impl MarksThread {
    /// Starts the thread on the journal at a path; the marks in it, and all decisions, are sent to `answers`.
    ///
    /// # Errors The thread cannot be started.
    pub(super) fn start(path: Option<PathBuf>, answers: Sender<Msg>) -> std::io::Result<Self> {
        let (work, asked) = unbounded();
        let body = move || keep(MarkJournal::new(path.as_deref()), &asked, &answers);
        Ok(Self { work, thread: thread::Builder::new().name("marks".to_owned()).spawn(body)? })
    }

    /// Sends a decision to it.
    pub(super) fn submit(&self, source: Source, decisions: Vec<Decision>) {
        let _ended = self.work.send((source, decisions));
    }

    /// Ends it when all marks are saved; returns why if they cannot be saved.
    #[must_use]
    pub(super) fn end(self) -> Option<Problem> {
        drop(self.work);
        self.thread.join().unwrap_or_else(|_| Some(Problem::unreadable("the marks could not be kept")))
    }
}

fn keep(
    mut mark_journal: MarkJournal,
    asked: &Receiver<(Source, Vec<Decision>)>,
    answers: &Sender<Msg>,
) -> Option<Problem> {
    let mut send = |msg| {
        // The end of the program waits for this thread and takes no more events.
        let _gone = answers.send_timeout(msg, SEND_MAX);
    };
    gather(&mut mark_journal, &mut send);
    loop {
        let next = match mark_journal.unsaved() {
            0 => asked.recv().map_err(|_| RecvTimeoutError::Disconnected),
            _ => asked.recv_timeout(RETRY),
        };
        match next {
            Ok((source, decisions)) => {
                gather(&mut mark_journal, &mut send);
                decide(&mut mark_journal, &source, decisions, &mut send);
                save(&mut mark_journal, &mut send);
            }
            Err(RecvTimeoutError::Timeout) => save(&mut mark_journal, &mut send),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let n = mark_journal.unsaved();
    mark_journal.save().err().map(|problem| {
        let lost = format!("{} could not be saved: {}", count_of(n, "mark"), problem.message);
        Problem { message: lost, ..problem }
    })
}

/// Reports what the journal holds that was not reported yet.
fn gather(mark_journal: &mut MarkJournal, send: &mut dyn FnMut(Msg)) {
    match mark_journal.gather() {
        Err(problem) => send(Msg::Notify(true, problem.to_string())),
        Ok(JournalContents { events, .. }) if events.is_empty() => {}
        Ok(JournalContents { events, .. }) => {
            send(Msg::Marked(events.into_iter().map(|event| Marked { unit: None, event }).collect()));
        }
    }
}

fn save(mark_journal: &mut MarkJournal, send: &mut dyn FnMut(Msg)) {
    let why = mark_journal.save().err().map(|problem| problem.to_string());
    send(Msg::Unsaved(mark_journal.unsaved(), why));
}

/// Reads what is decided on and gives the events.
pub(super) fn decide(
    mark_journal: &mut MarkJournal,
    source: &Source,
    decisions: Vec<Decision>,
    send: &mut dyn FnMut(Msg),
) {
    let mut units = Vec::with_capacity(decisions.len());
    let mut changes: Vec<(MarkTarget, Change, About)> = Vec::with_capacity(decisions.len());
    for Decision { what, change, about } in decisions {
        match what {
            ReviewSubject::Target(target) => {
                units.push(None);
                changes.push((target, change, about));
            }
            ReviewSubject::Unit { unit, span, step, path } => match ContentKey::read(source.bytes.as_ref(), span) {
                Ok(key) => {
                    let (path, instance) = path.map_or((None, None), |(path, instance)| (Some(path), instance));
                    units.push(Some(unit));
                    changes.push((MarkTarget { key, step, path, instance }, change, about));
                }
                Err(problem) => send(Msg::Notify(true, problem.to_string())),
            },
        }
    }
    let events: Vec<MarkEvent> = mark_journal.decide(changes);
    // Until it is on the disk a mark is shown as unsaved; first, so that it is never shown as saved before.
    send(Msg::Unsaved(mark_journal.unsaved(), None));
    send(Msg::Marked(units.into_iter().zip(events).map(|(unit, event)| Marked { unit, event }).collect()));
}

/// Applies a decision immediately, for the program without a terminal.
pub(super) fn perform(mark_journal: &mut MarkJournal, source: &Source, effect: Effect, send: &mut dyn FnMut(Msg)) {
    if let Effect::Mark(decisions) = effect {
        decide(mark_journal, source, decisions, send);
        save(mark_journal, send);
    }
}

/// The keys of the next units of an input. A unit that cannot be read gets the key of the empty text.
pub(super) fn keys(source: &Source, from: usize) -> Vec<ContentKey> {
    let run = source.run.as_ref().filter(|_| source.format.layout() == Layout::Run);
    let mut out = Vec::new();
    let mut used = 0;
    while out.len() < KEYS_MAX && used < KEYS_BYTES {
        let unit = from + out.len();
        let span = match run {
            Some(run) => {
                let run = run.read().unwrap_or_else(PoisonError::into_inner);
                StepNo::try_from(unit).ok().and_then(|step| run.place(step)).map(|place| place.place.span)
            }
            None => source.records.get(unit).map(|record| record.place.span),
        };
        let Some(span) = span else { break };
        used += span.len;
        out.push(ContentKey::read(source.bytes.as_ref(), span).unwrap_or_else(|_| ContentKey::of(b"")));
    }
    out
}
