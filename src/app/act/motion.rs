//! Moving in a pane, folding, going from pane to pane.

use crate::app::App;
use crate::app::layout::panes_of_run;
use crate::json::Key;
use crate::model::Identity;

impl App {
    /// Moves the cursor of the pane that has it.
    pub(in crate::app) fn move_by(&mut self, delta: isize) {
        self.front().move_by(self, delta);
    }

    pub(in crate::app) fn move_page(&mut self, sign: isize, part: usize) {
        let height = self.front_extent().height;
        let rows = (height.saturating_sub(if part == 1 { 2 } else { 0 }) / part).max(1);
        let delta = sign * isize::try_from(rows).unwrap_or(1);
        // A text is read page by page, wherever in the page the cursor is.
        self.front().page_by(self, delta);
    }

    /// Goes one step forward or back: through calls and results alike, also where they share a row of the list. With a
    /// filter, through the steps that pass it.
    pub(in crate::app) fn step_by(&mut self, delta: i8) {
        if self.is_comparing() || !self.step_filter.filter.is_empty() {
            return self.step_row_by(delta.into());
        }
        if let Some((step, last)) = self.session.open().map(|open| (open.step(), open.last())) {
            let wanted = step.saturating_add(delta.into()).min(last).max(0);
            if wanted == step && last >= 0 {
                self.notify(if delta > 0 { "no later step" } else { "no earlier step" });
            }
            self.go_to(wanted);
        }
    }

    /// Shows who wrote each value beside its step, or no longer.
    pub(super) fn toggle_blame(&mut self) {
        self.state.is_blaming = !self.state.is_blaming;
        let is_on = self.state.is_blaming;
        self.notify(if is_on { "beside the values: step and author" } else { "beside the values: the step" });
    }

    /// Moves by some rows of the list of steps, or of two runs.
    pub(in crate::app) fn step_row_by(&mut self, delta: isize) {
        if self.is_comparing() {
            return self.aligned_row_by(delta);
        }
        let wanted = self.session.open().map(|open| {
            let rows = self.step_filter.rows(&open);
            let row = rows.row(&open, open.step()).saturating_add_signed(delta);
            rows.step(row.min(rows.total.saturating_sub(1)))
        });
        if let Some(step) = wanted {
            self.go_to(step);
        }
    }

    /// Unfolds or folds the row under the cursor; None toggles it.
    pub(in crate::app) fn fold(&mut self, is_open: Option<bool>) {
        self.front().fold(self, is_open);
    }

    /// Unfolds or folds everything in the pane with the cursor.
    pub(in crate::app) fn fold_all(&mut self, is_open: bool) {
        self.front().fold_all(self, is_open);
    }

    pub(in crate::app) fn pane_by(&mut self, is_forward: bool) {
        if self.is_comparing() {
            return self.aligned_pane_by(is_forward);
        }
        if self.front().fills_screen() {
            self.front().close(self);
            return;
        }
        let order = panes_of_run(self.session.format.has_state(), self.layout().watches.is_some());
        let Some(at) = order.iter().position(|p| *p == self.pane) else { return };
        self.pane = order[(at + if is_forward { 1 } else { order.len() - 1 }) % order.len()];
    }

    /// Sets the path in focus without moving the cursor of the state, which is already there.
    pub(in crate::app) fn set_focus_path(&mut self, path: Option<(Identity, Vec<Key>)>) {
        if path.is_some() {
            self.session.focus.path = path;
        }
    }

    /// Takes the value under the cursor into focus where none is yet.
    pub(super) fn focus_value_here(&mut self) {
        if self.front().has_values() && self.session.focus.path.is_none() {
            self.front().move_by(self, 0);
        }
    }

    /// Puts a path in focus and shows it in the state.
    pub fn focus_path(&mut self, path: (Identity, Vec<Key>)) {
        let Self { session, state, .. } = self;
        if let Some(open) = session.open() {
            state.reveal(&open, &path.0, &path.1);
        }
        self.session.focus.path = Some(path);
    }
}
