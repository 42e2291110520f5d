//! After every message: scroll so that cursors are visible, and ask for what the visible panes miss.

use super::layout::{Layout, LayoutContext, SidePanes, layout, table_layout};
use super::pane::two_runs_layout::{TwoRunsLayout, two_runs_layout};
use super::{App, Effect, Effects, Job, Layer, Notice, view};
use crate::format;
use crate::state::IS_CHECKED;
use std::sync::Arc;

impl App {
    /// The layout of now.
    #[must_use]
    pub fn layout(&self) -> Layout {
        let (width, height) = self.size;
        if self.is_on_table() {
            return table_layout(width, height, self.pane, self.is_zoomed, self.beside_table());
        }
        if self.is_comparing() {
            let beside = TwoRunsLayout {
                has_state: self.two_runs.has_state(),
                lower: self.two_runs.lower,
                rows: self.two_runs.rows(),
            };
            return two_runs_layout(width, height, self.pane, self.is_zoomed, beside);
        }
        let format = self.session.format;
        let is_set = format.layout() == format::Layout::Set && format.has_conversations();
        let has_work = self.session.open().is_some_and(|open| open.run().work().is_some());
        let kind = LayoutContext { is_set, has_work, has_state: self.session.has_state_pane(), splits: self.splits };
        layout(width, height, self.main_pane(), self.is_zoomed, self.watches.rows(), kind)
    }

    /// What is shown beside the table.
    pub(super) fn beside_table(&self) -> SidePanes {
        SidePanes { facets: self.table.facets.is_open, plot: self.is_plotting(), splits: self.splits }
    }

    pub(super) fn settle(&mut self, effects: &mut Effects) {
        self.settle_key_names();
        self.settle_view();
        self.settle_opening(effects);
        self.settle_reopening(effects);
        self.begin();
        if !self.shows_gone() {
            self.inspector.message.gone = None;
        }
        self.note_selected();
        self.settle_checks(effects);
        self.settle_review(effects);
        self.update_panes(effects);
        if let Some(Layer::Menu(menu)) = &mut self.layer {
            let inside = view::menu_area(self.size).inside();
            menu.settle(usize::from(inside.width), usize::from(inside.height.saturating_sub(1)));
        }
    }

    /// Opens the trajectory that was asked for, as soon as its record is known.
    fn settle_opening(&mut self, effects: &mut Effects) {
        if self.session.format.layout() == format::Layout::Set
            && let Some(start) = &mut self.start
            && let Some(record) = start.record.take()
        {
            // As Enter in the table opens it.
            if start.path.is_none() {
                start.step.get_or_insert(0);
            }
            self.opening = Some(record);
        }
        let Some(record) = self.opening.filter(|_| self.session.run.is_none()) else { return };
        if self.session.records.get(record).is_some() {
            self.opening = None;
            effects.push(Effect::Job(Job::Open(record)));
        } else if self.session.records.is_complete() {
            self.opening = None;
            let count = self.session.records.count();
            let text = format!("there is no record {record}; the file has {count}, counted from 0");
            self.notice = Some(Notice { is_error: true, text });
        }
    }

    /// Asks for the steps that came to be checked, once all that the input holds is merged (A42).
    fn settle_checks(&mut self, effects: &mut Effects) {
        let generation = self.session.generation;
        let Some(open) = self.session.open().filter(|_| IS_CHECKED && self.session.is_complete) else { return };
        let now = (generation, open.count());
        if now != self.examined && open.run().has_schemas() {
            drop(open);
            self.examined = now;
            effects.push(Effect::Job(Job::Examine(Arc::clone(&self.session.checks))));
        }
    }
}
