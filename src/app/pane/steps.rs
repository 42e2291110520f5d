//! The list of steps.

use super::{Filtered, PaneContent, Searched, Tab};
use crate::app::{App, Effects, Pane, SearchPosition};
use crate::panes::call_rows::{call_before, results_of};
use crate::panes::{Extent, Piece, Scroll, Window, steps};
use crate::review::Filter;
use crate::text::{Pattern, Role};

/// Cells of the title without what the filter reports.
const TITLE_CELLS: usize = 7;

pub(super) struct Steps;

impl PaneContent for Steps {
    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let room = app.pane_extent(Pane::Steps).width.saturating_sub(TITLE_CELLS);
        let pieces = app.session.open().map(|open| app.step_filter.label(&open, room));
        let name = Piece::of(role, &format!(" {name} "));
        std::iter::once(name).chain(pieces.unwrap_or_default()).collect()
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        let window = |open| steps::window(&open, &app.step_filter, &app.steps, app.times, extent);
        app.session.open().map_or_else(Window::default, window)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.steps)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.steps)
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        app.step_row_by(delta);
    }

    /// A call opens to a row of its own and one of its result; what does not open leads to the message.
    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        let App { session, step_filter, .. } = app;
        let Some(open) = session.open() else { return };
        let call = call_before(open.run(), open.step()).unwrap_or(open.step());
        let has_results = step_filter.filter.is_empty() && results_of(open.run(), call).next().is_some();
        let is_changed = has_results
            && match is_open {
                Some(is_open) => step_filter.opened.set(call, is_open),
                None => step_filter.opened.set(call, true) || step_filter.opened.set(call, false),
            };
        drop(open);
        match (is_changed, is_open) {
            (true, Some(false)) => app.go_to(call),
            (false, Some(true)) => app.pane = Pane::Inspector,
            (false, _) => {
                app.notify(app.hint("nothing to fold here; {right} opens a call and its result to two rows"));
            }
            (true, _) => {}
        }
    }

    fn search(&self, app: &mut App, _pattern: &Pattern, _is_forward: bool) -> Searched {
        Searched::Outside(SearchPosition::Step(app.session.open().map_or(0, |open| open.step())))
    }

    fn click(&self, _app: &mut App, _row: usize, _was_here: bool, _effects: &mut Effects) {}

    fn copy(&self, app: &mut App) -> Option<String> {
        app.step_text()
    }

    /// From a result to its call; else to the message.
    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let answers = app.session.open().and_then(|open| open.describe(open.step()).answers);
        match answers {
            Some(call) => app.jump_to(call),
            None => {
                app.remember();
                app.pane = Pane::Inspector;
                app.inspector.tab = Tab::Message;
            }
        }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.update_step_filter(effects);
        let extent = app.pane_extent(Pane::Steps);
        let App { session, steps: scroll, step_filter, .. } = app;
        let Some(open) = session.open() else { return };
        let rows = step_filter.rows(&open);
        scroll.cursor = rows.row(&open, open.step());
        scroll.show_cursor(steps::height(&open, extent), rows.total);
    }

    fn cancel(&self, app: &mut App) -> bool {
        let is_filtered = !app.step_filter.filter.is_empty();
        if is_filtered {
            app.set_step_filter(Filter::default());
        }
        is_filtered
    }

    fn filtered(&self) -> Option<Filtered> {
        Some(Filtered::Steps)
    }
}
