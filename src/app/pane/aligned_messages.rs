//! What two runs say at the row in focus.

use super::{PaneContent, Searched, aligned_steps};
use crate::app::{App, Effects};
use crate::panes::two_runs::BESIDE_CELLS_MIN;
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::text::{Pattern, Role};

pub(super) struct AlignedMessages;

impl PaneContent for AlignedMessages {
    fn header(&self, app: &App, cells: usize) -> Option<(Vec<Piece>, Vec<Piece>)> {
        Some(aligned_steps::header(app, cells))
    }

    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let mut out = vec![Piece::of(role, &format!(" {name} "))];
        if app.front_extent().width < BESIDE_CELLS_MIN {
            out.push(Piece::of(Role::Dim, if app.two_runs.front == 0 { "A " } else { "B " }));
        }
        out
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let view = &app.two_runs;
        let window = |runs| view.messages.window(runs, view.front, extent, has_focus);
        view.runs.as_ref().map_or_else(Window::default, window)
    }

    fn is_empty(&self, app: &App) -> bool {
        aligned_steps::is_empty(app)
    }

    fn scroll<'a>(&self, _app: &'a App) -> Option<&'a Scroll> {
        None
    }

    fn scroll_mut<'a>(&self, _app: &'a mut App) -> Option<&'a mut Scroll> {
        None
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let extent = app.front_extent();
        app.scroll_messages(delta, false, extent);
    }

    fn page_by(&self, app: &mut App, delta: isize) {
        let extent = app.front_extent();
        app.scroll_messages(delta, true, extent);
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        match is_open {
            Some(is_right) => app.front_run(is_right),
            None => app.toggle_fold_of_messages(),
        }
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        app.two_runs.messages.fold_all(is_open);
    }

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.front_run(is_right);
        true
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let (cells, view) = (app.front_extent().width, &mut app.two_runs);
        Searched::Here(view.messages.search(view.front, pattern, cells, is_forward))
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.two_runs.messages.text(app.two_runs.front)
    }

    fn copy_path(&self, _app: &mut App) -> Option<String> {
        None
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        app.open_aligned(effects);
    }

    fn close(&self, app: &mut App) -> bool {
        app.close_two_runs();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.close_two_runs();
        true
    }
}
