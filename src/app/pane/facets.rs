//! The values of the column in focus with their counts, beside the table.

use super::{Filtered, PaneContent, Searched, trajectories};
use crate::app::keys::Action;
use crate::app::{App, Effects, Pane};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::text::{Pattern, Role};

pub(super) struct Facets;

impl PaneContent for Facets {
    fn title(&self, app: &App, role: Role, _name: &str) -> Vec<Piece> {
        vec![Piece::of(role, &format!(" {} ", app.table.focus.title()))]
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        app.table.facets.window(app.table.focus, &app.table.filter, extent)
    }

    fn is_empty(&self, app: &App) -> bool {
        app.table.facets.is_empty()
    }

    fn scroll<'a>(&self, _app: &'a App) -> Option<&'a Scroll> {
        None
    }

    fn scroll_mut<'a>(&self, _app: &'a mut App) -> Option<&'a mut Scroll> {
        None
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let values = app.table.facets.len();
        app.table.facets.scroll.move_by(delta, values);
    }

    fn fold(&self, _app: &mut App, _is_open: Option<bool>) {}

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.scroll_table(is_right);
        true
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.table.facets.search(app.table.focus, pattern, is_forward))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let is_again = was_here && app.table.facets.scroll.cursor == row;
        app.table.facets.scroll.cursor = row;
        if is_again {
            app.perform(Action::FacetToggle, effects);
        }
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.table.facets.chosen().map(|(field, value)| format!("{}:{value}", field.name()))
    }

    fn follow(&self, _app: &mut App, _effects: &mut Effects) {}

    fn close(&self, app: &mut App) -> bool {
        app.close_facets();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.pane = Pane::Table;
        true
    }

    fn filtered(&self) -> Option<Filtered> {
        Some(Filtered::Trajectories)
    }

    fn marked_records(&self, app: &App) -> Option<Vec<usize>> {
        Some(trajectories::selected_records(app))
    }

    fn record_at_cursor(&self, app: &App) -> Option<Option<usize>> {
        Some(app.table.record())
    }
}

impl App {
    /// Shows the values of the column in focus, or no longer.
    pub(in crate::app) fn toggle_facets(&mut self) {
        let is_beside = self.layout().panes.len() > 1;
        if self.table.facets.is_open && (self.pane == Pane::Facets || is_beside) {
            self.close_facets();
        } else {
            self.table.facets.is_open = true;
            self.pane = Pane::Facets;
        }
    }

    fn close_facets(&mut self) {
        self.table.facets.is_open = false;
        if self.pane == Pane::Facets {
            self.pane = Pane::Table;
        }
    }
}
