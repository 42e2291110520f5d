//! The states of two runs at the row in focus.

use super::{PaneContent, Searched, aligned_steps};
use crate::app::{App, Effects};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::text::{Pattern, Role};

pub(super) struct AlignedState;

impl PaneContent for AlignedState {
    fn header(&self, app: &App, cells: usize) -> Option<(Vec<Piece>, Vec<Piece>)> {
        Some(aligned_steps::header(app, cells))
    }

    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let mut out = aligned_steps::title_at(app, role, name);
        if app.two_runs.runs.is_some() {
            let differing = app.two_runs.state.differing;
            let role = if differing > 0 { Role::Changed } else { Role::Dim };
            out.push(Piece::of(role, &format!("≠ {differing} ")));
        }
        out
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let view = &app.two_runs;
        match (&view.runs, view.state.shown()) {
            (Some(runs), Some(_)) => view.state.window(runs, &view.state_scroll, extent, has_focus),
            (Some(_), None) => Window::notice(&["Comparing the states…"], extent.width),
            (None, _) => Window::default(),
        }
    }

    fn is_empty(&self, app: &App) -> bool {
        aligned_steps::is_empty(app)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.two_runs.state_scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.two_runs.state_scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.two_runs.state.len()
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        is_open.into_iter().for_each(|is_right| app.front_run(is_right));
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        app.two_runs.messages.fold_all(is_open);
    }

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.front_run(is_right);
        true
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let view = &mut app.two_runs;
        let Some(runs) = &view.runs else { return Searched::Nothing };
        let hits = view.state.hits(runs, pattern);
        Searched::Here(view.state_scroll.move_to_hit(&hits, is_forward))
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        let view = &app.two_runs;
        view.state.row_text(view.runs.as_ref()?, view.state_scroll.cursor)
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
