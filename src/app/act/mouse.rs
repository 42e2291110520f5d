//! Clicks, wheel and drags.

use crate::app::key::{Mouse, MouseKind};
use crate::app::layout::Area;
use crate::app::pane_borders::DragState;
use crate::app::{App, Effects, Layer, Pane, footer, tabs, view};
use crate::model::StepNo;
use crate::panes::{Hit, Open, timeline};

/// Rows of one turn of the wheel.
const WHEEL_ROWS: isize = 3;

impl App {
    pub(in crate::app) fn mouse(&mut self, mouse: Mouse, effects: &mut Effects) {
        let delta = match mouse.kind {
            MouseKind::WheelUp => -WHEEL_ROWS,
            MouseKind::WheelDown => WHEEL_ROWS,
            MouseKind::Click => return self.click(mouse, effects),
            MouseKind::Drag => return self.drag(mouse),
            MouseKind::Release => {
                self.drag = None;
                return;
            }
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

    /// What was taken with the press goes along, wherever the pointer gets to.
    fn drag(&mut self, mouse: Mouse) {
        match self.drag {
            Some(DragState::Timeline) => self.scrub(mouse.column, timeline::step_near),
            Some(DragState::Border(split, is_behind)) => self.drag_border(split, is_behind, (mouse.column, mouse.row)),
            None => {}
        }
    }

    /// Goes to the step of a column of the timeline.
    fn scrub(&mut self, column: u16, step: fn(&Open<'_>, usize, usize) -> Option<StepNo>) {
        let Some(area) = self.layout().timeline else { return };
        let (cells, at) = (usize::from(area.width), usize::from(column.saturating_sub(area.x)));
        if let Some(step) = self.session.open().and_then(|open| step(&open, cells, at)) {
            self.go_to(step);
        }
    }

    fn click(&mut self, mouse: Mouse, effects: &mut Effects) {
        let layout = self.layout();
        self.drag = None;
        if footer::contains(self, &layout, (mouse.column, mouse.row)) {
            // What a click points at is what the footer shows now, before its notice goes.
            let action = footer::hit(self, usize::from(mouse.column));
            self.is_asking = false;
            self.notice = None;
            self.prefix = None;
            return action.map_or((), |action| self.perform(action, effects));
        }
        self.notice = None;
        self.is_asking = false;
        self.prefix = None;
        if self.layer.is_some() {
            return self.click_menu(mouse, effects);
        }
        if layout.timeline.is_some_and(|area| area.contains(mouse.column, mouse.row)) {
            self.drag = Some(DragState::Timeline);
            return self.scrub(mouse.column, timeline::step_at);
        }
        if let Some(border) = self.take_border(mouse.column, mouse.row).filter(|_| layout.has_borders) {
            // A title is a border, too: a click on it still goes to its pane.
            if let Some((pane, _)) = layout.under(mouse.column, mouse.row).filter(|_| border.is_level) {
                self.pane = pane;
            }
            return;
        }
        if let Some((pane, area)) = layout.under(mouse.column, mouse.row) {
            self.click_pane(pane, area, mouse, effects);
        }
    }

    fn click_pane(&mut self, pane: Pane, area: Area, mouse: Mouse, effects: &mut Effects) {
        let was_here = self.pane == pane;
        self.pane = pane;
        let inside = self.layout().inside(pane);
        let content = self.front();
        if mouse.row < inside.y {
            if self.row_of(pane).tab.is_some() {
                self.click_tab(usize::from(mouse.column.saturating_sub(area.x)));
            }
            return;
        }
        let window = self.pane_window(pane);
        let Some(row) = window.rows.get(usize::from(mouse.row - inside.y)) else { return };
        match row.hit {
            Hit::Step(step) => self.go_to(step),
            Hit::Row(i) => content.click(self, i, was_here, effects),
            Hit::None if mouse.row == inside.y => {
                content.click_heading(self, usize::from(mouse.column.saturating_sub(inside.x)));
            }
            Hit::None => {}
        }
    }

    fn click_tab(&mut self, column: usize) {
        let titles = tabs::titles(self);
        let mut at = usize::from(self.layout().has_borders) + 1 + titles.lead();
        for (i, (tab, _)) in titles.tabs.iter().enumerate() {
            let end = at + titles.cells(i);
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
