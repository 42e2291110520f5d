//! The Files pane: several files, one of them open.

use super::{Filtered, PaneContent, Searched, Title};
use crate::app::{App, Effect, Effects, Pane};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::text::{Pattern, Role};

pub(super) struct Files;

impl PaneContent for Files {
    fn name(&self, app: &App, _is_front: bool) -> Option<Title> {
        let has_sessions = app.files.as_ref().is_some_and(|files| files.pane.has_sessions());
        has_sessions.then_some(("Sessions", "Sessions"))
    }

    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let pane = app.files.as_ref().map(|files| &files.pane);
        let order = pane.map_or("", |pane| pane.order.sign());
        vec![Piece::of(role, &format!(" {name} ")), Piece::of(Role::Dim, order)]
    }

    fn header(&self, app: &App, cells: usize) -> Option<(Vec<Piece>, Vec<Piece>)> {
        app.files.as_ref().map(|files| files.pane.header(cells))
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        app.files.as_ref().map_or_else(Window::default, |files| files.pane.window(&app.session.key_names, extent))
    }

    fn is_empty(&self, app: &App) -> bool {
        app.files.as_ref().is_none_or(|files| files.pane.rows().is_empty())
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        app.files.as_ref().map(|files| &files.pane.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        app.files.as_mut().map(|files| &mut files.pane.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.files.as_ref().map_or(0, |files| files.pane.rows().len())
    }

    fn fold(&self, app: &mut App, _is_open: Option<bool>) {
        app.notify(app.hint("nothing is folded in this list; {follow} opens the file"));
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.files.as_mut().and_then(|files| files.pane.search(pattern, is_forward)))
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.file_text()
    }

    fn copy_path(&self, app: &mut App) -> Option<String> {
        app.file_text()
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        app.open_at_cursor(effects);
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        if !app.layout().has(Pane::Files) {
            return;
        }
        let height = app.pane_extent(Pane::Files).height;
        let Some(files) = &mut app.files else { return };
        let height = files.pane.list_height(height);
        let total = files.pane.rows().len();
        files.pane.scroll.show_cursor(height, total);
        let wanted = files.pane.heads_to_read(height);
        if !wanted.paths.is_empty() {
            effects.push(Effect::Heads(wanted));
        }
    }

    fn end_selection(&self, app: &mut App) -> bool {
        app.clear_files_filter()
    }

    fn cancel(&self, _app: &mut App) -> bool {
        false
    }

    fn filtered(&self) -> Option<Filtered> {
        Some(Filtered::Files)
    }
}
