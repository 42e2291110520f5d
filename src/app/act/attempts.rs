//! Keys of the attempts at a task: opening their tree and the list of tasks, going to an attempt, and back.

use crate::app::keys::Context;
use crate::app::menu::Menu;
use crate::app::{App, Effects, Layer, Pane};
use crate::json;
use crate::model::lossy;
use crate::review::TaskQuestion;
use crate::rules::trajectory::task_fields;

/// Of a longer record the fields are not listed; they can be typed.
const FIELDS_BYTES_MAX: u64 = 1 << 20;

impl App {
    /// Shows the attempts at the task of the record under the cursor, or of the open one.
    pub(in crate::app) fn show_attempts(&mut self) {
        let record = if self.is_on_table() { self.table.record() } else { Some(self.session.trajectory) };
        match record {
            Some(record) => self.ask_attempts(TaskQuestion::Of(record), false),
            None => self.notify("no record under the cursor"),
        }
    }

    /// Lists the tasks with several attempts.
    pub(in crate::app) fn show_tasks(&mut self) {
        self.ask_attempts(TaskQuestion::Several, false);
    }

    /// Lists the fields of the record that is looked at, any of which may name its task.
    pub(in crate::app) fn choose_task_field(&mut self) {
        let record = match self.attempts.question {
            Some(TaskQuestion::Of(record)) => record,
            _ => self.attempts.task().unwrap_or(0),
        };
        let record = self.session.records.get(record).filter(|record| record.place.span.len <= FIELDS_BYTES_MAX);
        let bytes = record.and_then(|record| self.session.bytes.read(record.place.span).ok()).unwrap_or_default();
        let text = lossy(&bytes);
        let fields = json::parse(&text).map(|record| task_fields(&record)).unwrap_or_default();
        self.layer = Some(Layer::Menu(Box::new(Menu::fields(fields, self.attempts.by.clone()))));
    }

    /// Aligns the attempts by what they did, or by whole messages again.
    pub(in crate::app) fn align_by_action(&mut self) {
        self.attempts.by_action = !self.attempts.by_action;
        self.notify(if self.attempts.by_action {
            "attempts are aligned by tool and arguments"
        } else {
            "attempts are aligned by whole messages"
        });
    }

    fn ask_attempts(&mut self, question: TaskQuestion, is_from_list: bool) {
        if !self.is_on_attempts() {
            self.under_attempts = if self.is_on_table() { Pane::Table } else { self.pane };
        }
        self.attempts.ask(question);
        self.forget_asked_attempts();
        self.attempts.is_from_list = is_from_list;
        self.pane = Pane::Attempts;
    }

    /// Enter: from the list to the tree of a task, from the tree to an attempt.
    pub(in crate::app) fn follow_attempt(&mut self, effects: &mut Effects) {
        if self.attempts.is_list() {
            return match self.attempts.task() {
                Some(record) => self.ask_attempts(TaskQuestion::Of(record), true),
                None => self.notify("no task under the cursor"),
            };
        }
        let Some((record, step)) = self.attempts.target() else { return self.notify("no attempt under the cursor") };
        if self.session.run.is_some() && self.session.trajectory == record {
            self.pane = Pane::Steps;
            self.jump_to(step);
        } else {
            self.attempts.going = Some((record, step));
            self.open_record(record, effects);
        }
    }

    /// Whether the open trajectory was opened from the attempts, so that closing it leads back there.
    pub(in crate::app) fn has_attempts_below(&self) -> bool {
        self.attempts.question.is_some() && !self.is_on_table() && !self.is_in(Context::Files)
    }

    /// Leaves the tree for the list that it was opened from, else both for what was there before.
    pub(in crate::app) fn close_attempts(&mut self) {
        if self.attempts.is_from_list && !self.attempts.is_list() {
            return self.ask_attempts(TaskQuestion::Several, false);
        }
        self.attempts.question = None;
        self.pane = self.under_attempts;
        if self.is_on_table() && !self.session.is_dataset() {
            self.pane = Pane::Steps;
        }
    }
}
