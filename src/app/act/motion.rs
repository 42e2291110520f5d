//! Moving in a pane, folding, going from pane to pane.

use crate::app::keys::Tab;
use crate::app::{App, Pane};
use crate::json::Key;
use crate::model::Identity;
use crate::panes::Extent;

impl App {
    /// Size of the inside of a pane as it is laid out now.
    #[must_use]
    pub fn pane_extent(&self, pane: Pane) -> Extent {
        let layout = self.layout();
        if pane == Pane::Watches {
            let area = layout.watches.unwrap_or_default();
            return Extent { width: usize::from(area.width), height: usize::from(area.height) };
        }
        let area = layout.panes.iter().find(|(p, _)| *p == pane).map(|(_, a)| *a).unwrap_or_default();
        let inside = if layout.has_borders { area.inside() } else { area };
        let bar = u16::from(!layout.has_borders && pane == Pane::Inspector);
        Extent { width: usize::from(inside.width), height: usize::from(inside.height.saturating_sub(bar)) }
    }

    pub(super) fn move_by(&mut self, delta: isize) {
        let extent = self.pane_extent(self.pane);
        match self.pane {
            Pane::Files => self.move_in_files(delta),
            Pane::Table => {
                let rows = self.table.count(&self.session);
                self.table.scroll.move_by(delta, rows);
            }
            Pane::Facets => {
                let values = self.table.facets.len();
                self.table.facets.scroll.move_by(delta, values);
            }
            Pane::Plot => {}
            Pane::Attempts => self.attempts.move_by(delta),
            Pane::Watches => self.move_in_watches(delta),
            Pane::Steps => self.step_by(delta),
            Pane::State if self.columns.is_on => self.move_in_columns(delta, 0),
            Pane::State => {
                let Self { session, state, .. } = self;
                let path = session.open().and_then(|open| state.move_by(&open, delta));
                self.set_focus_path(path);
            }
            Pane::Inspector if self.inspector.tab == Tab::Plan => {
                let Self { session, inspector, .. } = self;
                if let Some(open) = session.open() {
                    inspector.plan.move_by(&open, delta);
                }
            }
            Pane::Inspector if self.inspector.tab == Tab::Loss => self.inspector.loss.move_by(delta, extent.width),
            Pane::Inspector => {
                let total = self.inspector_rows(extent.width);
                self.inspector.scroll().move_by(delta, total);
            }
        }
    }

    /// Rows of the tab in front.
    pub fn inspector_rows(&mut self, cells: usize) -> usize {
        if let Some(view) = self.inspector.document() {
            return view.row_count(cells);
        }
        if let Some(reader) = self.inspector.reader() {
            return reader.row_count(cells);
        }
        self.session.open().map_or(0, |open| match self.inspector.tab {
            Tab::Findings => open.findings().len(),
            Tab::Plan => self.inspector.plan.lines(&open).len(),
            _ => self.inspector.history.events(&open).len(),
        })
    }

    pub(super) fn move_page(&mut self, sign: isize, part: usize) {
        let height = self.pane_extent(self.pane).height;
        let rows = (height.saturating_sub(if part == 1 { 2 } else { 0 }) / part).max(1);
        let delta = sign * isize::try_from(rows).unwrap_or(1);
        if self.pane == Pane::Inspector {
            // A text is read page by page, wherever in the page the cursor is.
            let scroll = self.inspector.scroll();
            scroll.top = scroll.top.saturating_add_signed(delta);
        }
        self.move_by(delta);
    }

    /// Goes some steps on, of those that are listed.
    pub(super) fn step_by(&mut self, delta: isize) {
        let wanted = self.session.open().map(|open| {
            let rows = self.step_filter.rows(&open);
            let row = rows.row(open.step()).saturating_add_signed(delta);
            rows.step(row.min(rows.total.saturating_sub(1)))
        });
        if let Some(step) = wanted {
            self.go_to(step);
        }
    }

    pub(super) fn fold(&mut self, is_open: Option<bool>) {
        let cells = self.pane_extent(Pane::Inspector).width;
        match self.pane {
            Pane::State if self.columns.is_on => {
                self.move_in_columns(0, is_open.map_or(0, |is_right| if is_right { 1 } else { -1 }));
            }
            Pane::State => {
                let Self { session, state, .. } = self;
                let path = session.open().and_then(|open| match is_open {
                    Some(true) => state.unfold(&open),
                    Some(false) => state.fold(&open),
                    None => state.toggle(&open),
                });
                self.set_focus_path(path);
            }
            Pane::Inspector if self.inspector.tab == Tab::Plan => {
                let Self { session, inspector, .. } = self;
                if let Some(open) = session.open() {
                    inspector.plan.fold(&open, is_open);
                }
            }
            Pane::Inspector => {
                if let Some(view) = self.inspector.document() {
                    view.set_fold(is_open, cells);
                }
            }
            Pane::Attempts => self.attempts.fold(is_open),
            Pane::Steps if is_open == Some(true) => self.pane = Pane::Inspector,
            Pane::Steps | Pane::Table | Pane::Facets | Pane::Plot | Pane::Watches | Pane::Files => {}
        }
    }

    pub(super) fn fold_all(&mut self, is_open: bool) {
        if self.pane == Pane::Attempts {
            return self.attempts.fold_all(is_open);
        }
        if self.pane == Pane::Inspector
            && let Some(view) = self.inspector.document()
        {
            view.fold_all(is_open);
            return;
        }
        let Self { session, state, inspector, .. } = self;
        let mut path = None;
        if let Some(open) = session.open() {
            if self.pane == Pane::Inspector && inspector.tab == Tab::Plan {
                return inspector.plan.fold_all(&open, is_open);
            }
            path = state.fold_all(&open, is_open);
        }
        // Elsewhere the value in focus is not what the cursor is on.
        if self.pane == Pane::State {
            self.set_focus_path(path);
        }
    }

    pub(super) fn pane_by(&mut self, is_forward: bool) {
        let mut order = vec![Pane::Steps, Pane::State, Pane::Inspector];
        order.retain(|pane| *pane != Pane::State || self.session.format.has_state());
        if self.layout().watches.is_some() {
            order.push(Pane::Watches);
        }
        let Some(at) = order.iter().position(|p| *p == self.pane) else { return };
        self.pane = order[(at + if is_forward { 1 } else { order.len() - 1 }) % order.len()];
    }

    /// Puts a path in focus without moving the state's cursor (it is there already).
    pub(super) fn set_focus_path(&mut self, path: Option<(Identity, Vec<Key>)>) {
        if path.is_some() {
            self.session.focus.path = path;
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
