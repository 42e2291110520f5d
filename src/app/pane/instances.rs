//! The instances of a kind side by side, in place of the state.

use super::{PaneContent, Position, References, Searched, state};
use crate::app::keys::Context;
use crate::app::{App, Effects, Pane};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::text::{Pattern, Role};

pub(super) struct Instances;

impl PaneContent for Instances {
    fn title(&self, app: &App, role: Role, _name: &str) -> Vec<Piece> {
        state::title(app, role, "Instances")
    }

    fn header_note(&self, _app: &App, _room: usize) -> Vec<Piece> {
        vec![Piece::of(Role::Text, " ")]
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let is_marked = has_focus || app.session.focus.path.is_some();
        app.session.open().map_or_else(Window::default, |open| app.columns.window(&open, extent, is_marked))
    }

    fn references(&self, _app: &App) -> Option<References> {
        Some(References::Judged)
    }

    fn context_inside(&self) -> Option<Context> {
        Some(Context::Instances)
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none()
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.state.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.state.scroll)
    }

    fn position(&self, app: &App) -> Option<Position> {
        state::State.position(app)
    }

    fn return_to(&self, app: &mut App, position: Position) {
        state::State.return_to(app, position);
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        app.move_in_columns(delta, 0);
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        app.move_in_columns(0, is_open.map_or(0, |is_right| if is_right { 1 } else { -1 }));
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        state::State.fold_all(app, is_open);
    }

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.move_in_columns(0, if is_right { 1 } else { -1 });
        true
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.search_state(pattern, is_forward))
    }

    fn click(&self, app: &mut App, row: usize, _was_here: bool, _effects: &mut Effects) {
        let App { session, columns, .. } = &mut *app;
        let path = session.open().and_then(|open| columns.move_to(&open, row));
        app.set_focus_path(path);
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        app.follow_value(|app| app.notify("this instance has no such value at this step"), effects);
    }

    fn close(&self, app: &mut App) -> bool {
        app.toggle_columns();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.toggle_columns();
        true
    }

    fn marked_value(&self, app: &App) -> Option<(String, Option<String>)> {
        state::State.marked_value(app)
    }
}

impl App {
    /// Shows the instances of the kind in focus side by side, and back.
    pub(in crate::app) fn toggle_columns(&mut self) {
        self.columns.is_on = !self.columns.is_on;
        self.pane = Pane::State;
        if self.columns.is_on {
            self.move_in_columns(0, 0);
        } else if let Some(path) = self.session.focus.path.clone() {
            self.focus_path(path);
        }
    }

    /// Shows only the paths whose values differ, or all.
    pub(in crate::app) fn toggle_differing(&mut self) {
        self.columns.only_differing = !self.columns.only_differing;
        self.move_in_columns(0, 0);
    }

    /// Moves by paths and instances.
    fn move_in_columns(&mut self, rows: isize, columns: isize) {
        let extent = self.pane_extent(Pane::State);
        let Self { session, columns: pane, .. } = self;
        let Some(open) = session.open() else { return };
        pane.sync(&open, extent);
        let path = pane.move_by(&open, rows, columns);
        drop(open);
        self.set_focus_path(path);
    }
}
