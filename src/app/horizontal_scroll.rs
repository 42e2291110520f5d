//! Scrolling sideways: how far each pane is, and no further than its longest visible row reaches.

use super::keys::Tab;
use super::{App, Pane, view};
use crate::panes::Scroll;

/// Columns of one key press.
const ASIDE_CELLS: usize = 16;

impl App {
    /// Scrolls the pane with the cursor sideways.
    pub(super) fn scroll_aside(&mut self, is_right: bool) {
        match self.pane {
            Pane::State if self.columns.is_on => return self.move_in_columns(0, if is_right { 1 } else { -1 }),
            Pane::Table | Pane::Facets | Pane::Plot => return self.scroll_columns(is_right),
            _ => {}
        }
        let Some(scroll) = self.scroll_of(self.pane) else { return };
        let before = scroll.aside;
        scroll.aside = if is_right { before + ASIDE_CELLS } else { before.saturating_sub(ASIDE_CELLS) };
        self.settle_aside(self.pane);
        if is_right && self.aside(self.pane) == before {
            self.tell("the longest row ends here");
        }
    }

    /// Takes back what is scrolled further than the longest visible row reaches.
    pub(super) fn settle_aside(&mut self, pane: Pane) {
        let before = self.aside(pane);
        if before == 0 {
            return;
        }
        let cells = self.pane_extent(pane).width;
        let longest = view::pane_window(self, pane).rows.iter().map(|row| row.overhang(cells)).max().unwrap_or(0);
        if let Some(scroll) = self.scroll_of(pane).filter(|_| longest < before) {
            scroll.aside = longest;
        }
    }

    fn scroll_of(&mut self, pane: Pane) -> Option<&mut Scroll> {
        Some(match pane {
            Pane::Files => &mut self.files.as_mut()?.pane.scroll,
            Pane::Table | Pane::Facets | Pane::Plot => return None,
            Pane::Attempts => self.attempts.front(),
            Pane::Steps => &mut self.steps,
            Pane::State => &mut self.state.scroll,
            Pane::Inspector => self.inspector.scroll(),
            Pane::Watches => &mut self.watches.scroll,
        })
    }

    /// Columns that a pane is scrolled sideways.
    #[must_use]
    pub fn aside(&self, pane: Pane) -> usize {
        match pane {
            Pane::Files => self.files.as_ref().map_or(0, |files| files.pane.scroll.aside),
            Pane::Table | Pane::Facets | Pane::Plot => 0,
            Pane::Attempts if self.attempts.is_list() => self.attempts.list_scroll.aside,
            Pane::Attempts => self.attempts.scroll.aside,
            Pane::Steps => self.steps.aside,
            Pane::State => self.state.scroll.aside,
            Pane::Watches => self.watches.scroll.aside,
            Pane::Inspector => match self.inspector.tab {
                Tab::Message if self.inspector.file.is_some() => {
                    self.inspector.file.as_ref().map_or(0, |file| file.reader.scroll.aside)
                }
                Tab::Message if self.inspector.is_raw => self.inspector.raw.scroll.aside,
                Tab::Message => self.inspector.message.scroll.aside,
                Tab::Schema => self.inspector.schema.view.scroll.aside,
                Tab::Llm => self.inspector.llm.scroll.aside,
                Tab::History => self.inspector.history.scroll.aside,
                Tab::Diff => self.inspector.diff.scroll.aside,
                Tab::Findings => self.inspector.findings.scroll.aside,
                Tab::Plan => self.inspector.plan.scroll.aside,
                Tab::Loss => self.inspector.loss.reader.scroll.aside,
                Tab::Merge => self.inspector.merge.reader.scroll.aside,
            },
        }
    }
}
