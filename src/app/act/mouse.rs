//! Clicks, wheel and drags.

use crate::app::key::{Mouse, MouseKind};
use crate::app::keys::{Action, Tab};
use crate::app::layout::Area;
use crate::app::{App, Effects, Layer, Pane, tabs, view};
use crate::panes::{Hit, timeline};

/// Rows of one turn of the wheel.
const WHEEL_ROWS: isize = 3;

impl App {
    pub(in crate::app) fn mouse(&mut self, mouse: Mouse, effects: &mut Effects) {
        let delta = match mouse.kind {
            MouseKind::WheelUp => -WHEEL_ROWS,
            MouseKind::WheelDown => WHEEL_ROWS,
            MouseKind::Click | MouseKind::Drag => return self.click(mouse, effects),
            MouseKind::Release => return,
        };
        if let Some(Layer::Menu(menu)) = &mut self.layer {
            menu.move_by(delta);
            return;
        }
        let layout = self.layout();
        if let Some((pane, _)) = layout.under(mouse.column, mouse.row) {
            let before = self.pane;
            self.pane = pane;
            self.move_by(delta);
            self.pane = before;
        }
    }

    fn click(&mut self, mouse: Mouse, effects: &mut Effects) {
        let layout = self.layout();
        if let Some(area) = layout.timeline.filter(|a| a.contains(mouse.column, mouse.row)) {
            let step = self
                .session
                .open()
                .and_then(|o| timeline::step_at(&o, usize::from(area.width), usize::from(mouse.column - area.x)));
            return step.map_or((), |s| self.go_to(s));
        }
        if mouse.kind == MouseKind::Drag {
            return;
        }
        self.notice = None;
        self.is_asking = false;
        if self.layer.is_some() {
            return self.click_menu(mouse, effects);
        }
        if layout.footer.contains(mouse.column, mouse.row) {
            let action = view::footer_hit(self, usize::from(mouse.column));
            return action.map_or((), |a| self.perform(a, effects));
        }
        if let Some((pane, area)) = layout.under(mouse.column, mouse.row) {
            self.click_pane(pane, area, layout.has_borders, mouse, effects);
        }
    }

    fn click_pane(&mut self, pane: Pane, area: Area, has_borders: bool, mouse: Mouse, effects: &mut Effects) {
        let was_here = self.pane == pane;
        self.pane = pane;
        let top = area.y + u16::from(pane != Pane::Watches && (has_borders || pane == Pane::Inspector));
        if mouse.row < top {
            if pane == Pane::Inspector {
                self.click_tab(usize::from(mouse.column.saturating_sub(area.x)));
            }
            return;
        }
        let window = view::pane_window(self, pane);
        let Some(row) = window.rows.get(usize::from(mouse.row - top)) else { return };
        match row.hit {
            Hit::Step(step) => self.go_to(step),
            Hit::Row(i) => self.click_row(pane, i, was_here, effects),
            Hit::None => {}
        }
    }

    fn click_row(&mut self, pane: Pane, row: usize, was_here: bool, effects: &mut Effects) {
        match pane {
            Pane::Files => self.click_file(row, was_here, effects),
            Pane::Table => {
                let is_again = was_here && self.table.scroll.cursor == row;
                self.table.scroll.cursor = row;
                if is_again {
                    self.follow(effects);
                }
            }
            Pane::Facets => {
                let is_again = was_here && self.table.facets.scroll.cursor == row;
                self.table.facets.scroll.cursor = row;
                if is_again {
                    self.perform(Action::FacetToggle, effects);
                }
            }
            Pane::State if self.columns.is_on => {
                let Self { session, columns, .. } = self;
                let path = session.open().and_then(|o| columns.move_to(&o, row));
                self.set_focus_path(path);
            }
            Pane::State => {
                let is_again = was_here && self.state.scroll.cursor == row;
                let Self { session, state, .. } = self;
                let path =
                    session.open().and_then(|o| if is_again { state.toggle(&o) } else { state.move_to(&o, row) });
                self.set_focus_path(path);
            }
            Pane::Inspector => {
                let is_again = was_here && self.inspector.scroll().cursor == row;
                self.inspector.scroll().cursor = row;
                let Self { session, inspector, .. } = self;
                if let Some(open) = session.open().filter(|_| inspector.tab == Tab::Plan) {
                    inspector.plan.move_to(&open, row);
                }
                if is_again {
                    self.follow(effects);
                }
            }
            Pane::Watches => {
                let is_again = was_here && self.watches.scroll.cursor == row;
                self.watches.scroll.cursor = row;
                self.move_in_watches(0);
                if is_again {
                    self.follow(effects);
                }
            }
            Pane::Attempts => {
                if self.attempts.move_to(row) && was_here {
                    self.follow(effects);
                }
            }
            Pane::Steps | Pane::Plot => {}
        }
    }

    fn click_tab(&mut self, column: usize) {
        let titles = tabs::titles(self);
        let mut at = usize::from(self.layout().has_borders) + 1;
        for (tab, title) in &titles.tabs {
            let end = at + titles.cells(title);
            if (at..end).contains(&column) {
                self.inspector.tab = *tab;
            }
            at = end;
        }
    }

    fn click_menu(&mut self, mouse: Mouse, effects: &mut Effects) {
        let area = view::menu_area(self.size);
        let inside = area.inside();
        let Some(Layer::Menu(menu)) = &mut self.layer else { return };
        if !area.contains(mouse.column, mouse.row) {
            self.layer = None;
        } else if mouse.row > inside.y && inside.contains(mouse.column, mouse.row) {
            let (row, height) = (usize::from(mouse.row - inside.y) - 1, usize::from(inside.height) - 1);
            if row < height - menu.reserved(usize::from(inside.width), height) {
                menu.choose(menu.scroll.top + row);
                self.run_menu(effects);
            }
        }
    }
}
