//! What all panes and tabs have done to them: updates after each message, rows for the painter, sideways scrolling.

use super::{PANES, PaneRow, References};
use crate::app::keys::Context;
use crate::app::{App, Effects, Pane};
use crate::model::StepNo;
use crate::panes::{Extent, Row, Window, reference_highlight};

/// Columns of one key press that scrolls sideways.
const SCROLL_CELLS: usize = 16;

impl App {
    /// Brings all panes, and the tab in front, to what is known now.
    pub(in crate::app) fn update_panes(&mut self, effects: &mut Effects) {
        let panes = || PANES.iter().filter(|row| row.tab.is_none());
        panes().for_each(|row: &PaneRow| row.content.after_update(self, effects));
        let layout = self.layout();
        if layout.has(Pane::Inspector) {
            self.update_tab(effects);
        }
        layout.panes.iter().for_each(|(pane, _)| self.limit_scroll_right(*pane));
    }

    fn update_tab(&mut self, effects: &mut Effects) {
        let extent = self.pane_extent(Pane::Inspector);
        self.expire_message();
        self.content_of(Pane::Inspector).after_update(self, effects);
        // What was asked for may be there already, and is shown another way.
        let content = self.content_of(Pane::Inspector);
        let total = content.row_count(self, extent.width);
        let height = extent.height.saturating_sub(content.fixed_rows(self, extent));
        if let Some(scroll) = content.scroll_mut(self) {
            scroll.show_cursor(height, total);
        }
        content.after_scroll(self, Extent { height, ..extent }, effects);
    }

    /// Size of the inside of a pane as it is laid out now.
    #[must_use]
    pub fn pane_extent(&self, pane: Pane) -> Extent {
        let inside = self.layout().inside(pane);
        Extent { width: usize::from(inside.width), height: usize::from(inside.height) }
    }

    /// The rows that a pane shows now, references in them still text like any other.
    #[must_use]
    pub fn plain_window(&self, pane: Pane) -> Window {
        let extent = self.pane_extent(pane);
        let is_of_run = self.row_of(pane).contexts.contains(&Context::Trajectory);
        if is_of_run && self.session.open().is_none() {
            return Window::notice(&["No trajectory is open."], extent.width);
        }
        let has_focus = self.pane == pane && self.layer.is_none();
        self.content_of(pane).window(self, extent, has_focus)
    }

    /// The rows that a pane shows now, references in them coloured.
    #[must_use]
    pub fn pane_window(&self, pane: Pane) -> Window {
        let mut window = self.plain_window(pane);
        if let Some(references) = self.content_of(pane).references(self)
            && let Some(open) = self.session.open()
        {
            reference_highlight::light(&open, &mut window, references == References::Judged);
        }
        window
    }

    /// The rows of the pane with the cursor that do not scroll.
    pub(in crate::app) fn head_rows(&self) -> Vec<Row> {
        self.front().head(self, self.front_extent())
    }

    /// The first reference in the row under the cursor, and the instance that the call or message around it is of.
    pub(super) fn reference_in_row(&self, pane: Pane) -> Option<(String, Option<String>)> {
        let window = self.plain_window(pane);
        let row = window.rows.iter().find(|row| row.is_cursor)?;
        let reference = reference_highlight::first(&self.session.open()?, row)?;
        Some((reference, self.content_of(pane).instance_at_cursor(self)))
    }

    /// Follows the reference under the cursor; false: there is none.
    pub(super) fn follow_reference_in_row(&mut self) -> bool {
        let found = self.reference_in_row(self.pane);
        let is_found = found.is_some();
        if let Some((reference, instance)) = found {
            self.follow_reference(&reference, instance);
        }
        is_found
    }

    /// Goes to the step that the line under the cursor comes from, if it comes from one.
    pub(super) fn follow_line(&mut self) -> Option<StepNo> {
        let cells = self.front_extent().width;
        let line = self.front().reader(self).and_then(|reader| reader.line(cells));
        let step = line.and_then(|line| line.step).filter(|step| *step >= 0)?;
        self.jump_to(step);
        Some(step)
    }

    /// Scrolls the pane with the cursor sideways.
    pub(in crate::app) fn scroll_aside(&mut self, is_right: bool) {
        let content = self.front();
        if content.scroll_columns(self, is_right) {
            return;
        }
        let Some(scroll) = content.scroll_mut(self) else { return };
        let before = scroll.aside;
        scroll.aside = if is_right { before + SCROLL_CELLS } else { before.saturating_sub(SCROLL_CELLS) };
        self.limit_scroll_right(self.pane);
        if is_right && self.scrolled_right(self.pane) == before {
            self.notify("the longest row ends here");
        }
    }

    /// Takes back what is scrolled further than the longest visible row reaches.
    fn limit_scroll_right(&mut self, pane: Pane) {
        let before = self.scrolled_right(pane);
        if before == 0 {
            return;
        }
        let cells = self.pane_extent(pane).width;
        let longest = self.pane_window(pane).rows.iter().map(|row| row.overhang(cells)).max().unwrap_or(0);
        let content = self.content_of(pane);
        if let Some(scroll) = content.scroll_mut(self).filter(|_| longest < before) {
            scroll.aside = longest;
        }
    }

    /// Columns that a pane is scrolled sideways.
    #[must_use]
    pub fn scrolled_right(&self, pane: Pane) -> usize {
        self.content_of(pane).scroll(self).map_or(0, |scroll| scroll.aside)
    }
}
