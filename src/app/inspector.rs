//! The tabs beside the state: message, LLM view, schema, history, diff, loss.

use super::keys::Tab;
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::panes::diff::Question;
use crate::panes::findings::FindingsPane;
use crate::panes::history::HistoryPane;
use crate::panes::json_outline::Doc;
use crate::panes::loss::{LossPane, LossText};
use crate::panes::merge::MergePane;
use crate::panes::message::DocView;
use crate::panes::plan::PlanPane;
use crate::panes::schema::SchemaPane;
use crate::panes::text_view::{Reader, TextLine};
use crate::panes::{Scroll, state::Place};
use crate::text::Pattern;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A file on screen.
#[derive(Debug)]
pub struct FileShown {
    /// Generation and step at which it was asked for.
    pub of: (u64, StepNo),
    /// Its name.
    pub name: String,
    /// Its text.
    pub reader: Reader,
}

/// Which LLM view it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOf {
    /// Generation of the run.
    pub generation: u64,
    /// The step.
    pub step: StepNo,
    /// Whether it has the messages of the context one by one, instead of merged.
    pub has_raw_messages: bool,
}

/// What of a message is to be shown, once it is there.
#[derive(Debug)]
pub enum Wanted {
    /// What a path in the record leads to.
    Pointer(String),
    /// The value that was written to a path of the state.
    Written(Vec<Key>),
    /// The first hit of a search.
    Hit(Pattern),
}

/// State of the tabs.
#[derive(Debug, Default)]
pub struct Inspector {
    /// The tab in front.
    pub tab: Tab,
    /// Whether Message shows the raw record.
    pub is_raw: bool,
    /// The message of the step, laid out.
    pub message: DocView,
    /// The raw record.
    pub raw: Reader,
    /// What the model sees.
    pub llm: Reader,
    /// The schema in focus.
    pub schema: SchemaPane,
    /// The history of the value in focus.
    pub history: HistoryPane,
    /// A file that a value names, in place of the message until another step or tab is shown.
    pub file: Option<FileShown>,
    /// The state against another step.
    pub diff: Reader,
    /// What the rules found.
    pub findings: FindingsPane,
    /// The plan at the step.
    pub plan: PlanPane,
    /// The conversation with what trains.
    pub loss: LossPane,
    /// Slots merged by their types.
    pub merge: MergePane,
    /// The step marked for the diff; None compares with the step before.
    pub base: Option<StepNo>,
    /// Generation and step of the message shown.
    pub message_of: Option<(u64, StepNo)>,
    /// Generation and step that a message or view was asked for.
    pub asked: Option<(u64, StepNo)>,
    /// Generation and step in place of whose record the content of one is shown that is not in the file any more.
    pub gone: Option<(u64, StepNo)>,
    /// Generation and step of the raw record shown.
    pub raw_of: Option<(u64, StepNo)>,
    /// Whether the LLM tab shows the messages of the context one by one.
    pub has_raw_messages: bool,
    /// The LLM view shown.
    pub llm_of: Option<ViewOf>,
    /// The LLM view that was asked for.
    pub llm_asked: Option<ViewOf>,
    /// Two instances to compare instead of two steps: the one that was in focus, and which pair of its kind.
    pub pair: Option<(Identity, usize)>,
    /// Generation and question of the diff shown.
    pub diff_of: Option<(u64, Question)>,
    /// Generation and question that the diff was asked for.
    pub diff_asked: Option<(u64, Question)>,
    /// Lists of the diff that are shown whole.
    pub diff_unfolded: BTreeSet<String>,
    /// Generation and step that the cursor of the findings follows.
    pub findings_of: Option<(u64, StepNo)>,
    /// Generation, step, and what the cursor of the message of that step is to be put on.
    pub wanted: Option<(u64, StepNo, Wanted)>,
    /// Path that the history follows, so that its cursor moves when the path does.
    pub history_of: Option<(Place, StepNo)>,
}

impl Inspector {
    /// Another trajectory was opened.
    pub fn reset(&mut self) {
        let has_raw_messages = self.has_raw_messages;
        *self = Self { tab: self.tab, is_raw: self.is_raw, has_raw_messages, ..Self::default() };
    }

    /// The same trajectory is read anew: what is shown stays until the new is there. What was asked for carries the
    /// generation, so only the path by number is forgotten.
    pub fn renew(&mut self) {
        self.history_of = None;
        self.file = None;
        self.gone = None;
    }

    /// What is shown is of this step by now: its scroll stays.
    pub fn renumber(&mut self, step: StepNo) {
        for (_, shown) in self.message_of.iter_mut().chain(&mut self.raw_of) {
            *shown = step;
        }
    }

    /// Takes a message that was asked for.
    pub fn set_message(&mut self, generation: u64, step: StepNo, doc: Arc<Doc>) {
        if self.asked == Some((generation, step)) {
            let is_same = self.message_of.is_some_and(|(_, shown)| shown == step);
            let scroll = self.message.scroll;
            self.message.set(Some(doc));
            if is_same {
                self.message.scroll = scroll;
            }
            self.message_of = Some((generation, step));
            self.asked = None;
        }
    }

    /// Takes an LLM view that was asked for.
    pub fn set_view(&mut self, of: ViewOf, lines: Vec<TextLine>) {
        if self.llm_asked == Some(of) {
            let was_at_end = self.llm.is_at_end();
            self.llm.set(lines);
            self.llm_of = Some(of);
            self.llm_asked = None;
            // What the model sees grows at its end: who looks there goes on looking there.
            if was_at_end {
                self.llm.scroll.cursor = usize::MAX;
            }
        }
    }

    /// Takes a conversation that was asked for.
    pub fn set_loss(&mut self, of: (u64, usize, usize), text: Result<LossText, String>) {
        if self.loss.of == Some(of) {
            self.loss.set(text);
        }
    }

    /// Takes a diff that was asked for.
    pub fn set_diff(&mut self, generation: u64, question: Question, lines: Vec<TextLine>) {
        if self.diff_asked == Some((generation, question)) {
            self.diff.set(lines);
            self.diff_of = self.diff_asked.take();
        }
    }

    /// Shows a folded list of the diff whole.
    pub fn unfold_diff(&mut self, list: String) {
        self.diff_unfolded.insert(list);
        (self.diff_of, self.diff_asked) = (None, None);
    }

    /// Scroll of the tab in front.
    pub fn scroll(&mut self) -> &mut Scroll {
        match self.tab {
            Tab::Message if self.file.is_some() => {
                self.file.as_mut().map_or(&mut self.raw.scroll, |f| &mut f.reader.scroll)
            }
            Tab::Message if self.is_raw => &mut self.raw.scroll,
            Tab::Message => &mut self.message.scroll,
            Tab::Llm => &mut self.llm.scroll,
            Tab::Schema => &mut self.schema.view.scroll,
            Tab::History => &mut self.history.scroll,
            Tab::Diff => &mut self.diff.scroll,
            Tab::Findings => &mut self.findings.scroll,
            Tab::Plan => &mut self.plan.scroll,
            Tab::Loss => &mut self.loss.reader.scroll,
            Tab::Merge => &mut self.merge.reader.scroll,
        }
    }

    /// The document in front, if the tab shows one.
    pub fn document(&mut self) -> Option<&mut DocView> {
        match self.tab {
            Tab::Message if !self.is_raw && self.file.is_none() => Some(&mut self.message),
            Tab::Schema => Some(&mut self.schema.view),
            _ => None,
        }
    }

    /// The text in front, if the tab shows one.
    pub fn reader(&mut self) -> Option<&mut Reader> {
        match self.tab {
            Tab::Message if self.file.is_some() => self.file.as_mut().map(|f| &mut f.reader),
            Tab::Message if self.is_raw => Some(&mut self.raw),
            Tab::Llm => Some(&mut self.llm),
            Tab::Diff => Some(&mut self.diff),
            Tab::Loss => Some(&mut self.loss.reader),
            Tab::Merge => Some(&mut self.merge.reader),
            _ => None,
        }
    }
}
