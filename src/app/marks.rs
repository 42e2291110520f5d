//! Marks as they come and go: events from the journal and from here, keys of the input, what is not saved yet.

use super::prompt::Prompt;
use super::{App, Effect, Effects, Job, Notice};
use crate::format::Layout;
use crate::review::{About, Change, ContentKey, Decision, EventId, MarkEvent, MarkTarget, Marked};

/// What a typed line is for.
#[derive(Debug, Clone)]
pub enum LineKind {
    /// A tag for what is decided on.
    Tag,
    /// A note.
    Note,
    /// A question about a change of many records, in words; one key answers it.
    Sure(String),
}

/// A line being typed about what is to be decided.
#[derive(Debug)]
pub struct ReviewLine {
    /// What it is for.
    pub kind: LineKind,
    /// What was typed.
    pub prompt: Prompt,
    /// What is decided on; each with the change that a yes brings.
    pub decisions: Vec<Decision>,
}

impl ReviewLine {
    /// What precedes what is typed.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.kind {
            LineKind::Tag => " tag: ".to_owned(),
            LineKind::Note => " note: ".to_owned(),
            LineKind::Sure(question) => format!(" {question} y or Enter: yes · any other key: no "),
        }
    }
}

/// What is remembered of the review besides the marks themselves.
#[derive(Debug, Default)]
pub struct Reviewing {
    /// Grows with each new content of the input: late keys of an older one are dropped.
    content: u64,
    /// Whether the journal could not be written when it was last tried.
    is_failing: bool,
    /// Units that keys were asked for, up to.
    asked: Option<usize>,
    /// Decisions of this session that can be undone, the last at the end.
    undoable: Vec<Vec<UndoableDecision>>,
}

/// A decision of this session.
#[derive(Debug)]
pub(super) struct UndoableDecision {
    pub(super) target: MarkTarget,
    pub(super) about: About,
    pub(super) id: EventId,
    pub(super) change: Change,
}

impl UndoableDecision {
    /// What it is about, for people.
    pub(super) fn place(&self) -> String {
        match (&self.target.path, self.target.step, self.about.record) {
            (Some(path), ..) => path.clone(),
            (None, Some(step), _) => format!("step {step}"),
            (None, None, Some(record)) => format!("record {record}"),
            (None, None, None) => "the record".to_owned(),
        }
    }
}

impl App {
    /// Takes events; those made here can be undone.
    pub(super) fn marked(&mut self, events: Vec<Marked>) {
        let is_undoable = |marked: &&Marked| marked.unit.is_some() && !matches!(marked.event.change, Change::Undo(_));
        let undoable = events.iter().filter(is_undoable).map(|Marked { event, .. }| event);
        let done = |event: &MarkEvent| UndoableDecision {
            target: event.target.clone(),
            about: event.about.clone(),
            id: event.id(),
            change: event.change.clone(),
        };
        let undoable: Vec<UndoableDecision> = undoable.map(done).collect();
        if !undoable.is_empty() {
            self.reviewing.undoable.push(undoable);
        }
        self.session.review.take_all(events);
    }

    /// The last decision made here that was not undone.
    pub(super) fn take_undoable(&mut self) -> Option<Vec<UndoableDecision>> {
        self.reviewing.undoable.pop()
    }

    /// Takes how many marks wait to be saved, and says why they do, once.
    pub(super) fn unsaved(&mut self, count: usize, why: Option<String>) {
        self.session.review.unsaved = count;
        match why {
            Some(why) if !std::mem::replace(&mut self.reviewing.is_failing, true) => {
                let text = format!("{why}; the marks stay here and are tried again");
                self.notice = Some(Notice { is_error: true, text });
            }
            None if count == 0 && std::mem::take(&mut self.reviewing.is_failing) => {
                self.notify("all marks are saved now");
            }
            _ => {}
        }
    }

    /// Takes keys of units, unless the input has another content by now.
    pub(super) fn take_keys(&mut self, content: u64, from: usize, keys: Vec<ContentKey>) {
        if content == self.reviewing.content {
            self.session.review.extend(from, keys);
        }
    }

    /// The input has another content.
    pub(super) fn restart_review(&mut self) {
        self.reviewing.content += 1;
        self.reviewing.asked = None;
        self.session.review.restart(self.session.format.layout() == Layout::Run);
    }

    /// Asks for the keys of the units, once there are marks to find by them.
    pub(super) fn settle_review(&mut self, effects: &mut Effects) {
        let review = &self.session.review;
        if review.marks().is_empty() || !self.session.is_complete {
            return;
        }
        let total = match self.session.format.layout() {
            Layout::Set => self.session.records.count(),
            Layout::Run => self.session.open().map_or(0, |open| open.count()),
        };
        let from = review.units().len();
        if from < total && self.reviewing.asked != Some(from) {
            self.reviewing.asked = Some(from);
            effects.push(Effect::Job(Job::Keys { content: self.reviewing.content, from }));
        }
    }
}
