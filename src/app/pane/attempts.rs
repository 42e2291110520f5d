//! The attempts at a task as a tree, and the list of tasks.

use super::{PaneContent, Searched, Title};
use crate::app::{App, Effects, Pane};
use crate::panes::{Extent, Scroll, Window};
use crate::text::Pattern;

pub(super) struct Attempts;

impl PaneContent for Attempts {
    fn name(&self, app: &App, _is_front: bool) -> Option<Title> {
        app.attempts.is_list().then_some(("Tasks", "Tasks"))
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        app.attempts.window(&app.session, app.looked(), extent)
    }

    fn is_empty(&self, app: &App) -> bool {
        app.attempts.is_empty()
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(if app.attempts.is_list() { &app.attempts.list_scroll } else { &app.attempts.scroll })
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(app.attempts.front())
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        app.attempts.move_by(delta);
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        app.attempts.fold(is_open);
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        app.attempts.fold_all(is_open);
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.attempts.search(pattern, is_forward))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        if app.attempts.move_to(row) && was_here {
            self.follow(app, effects);
        }
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.attempts.text()
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        app.follow_attempt(effects);
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.settle_attempts(effects);
    }

    fn close(&self, app: &mut App) -> bool {
        app.close_attempts();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.close_attempts();
        true
    }

    fn marked_records(&self, app: &App) -> Option<Vec<usize>> {
        Some(app.attempts.record().into_iter().collect())
    }

    fn record_at_cursor(&self, app: &App) -> Option<Option<usize>> {
        Some(app.attempts.record())
    }
}

impl App {
    /// Whether the attempts have the cursor.
    #[must_use]
    pub(in crate::app) fn is_on_attempts(&self) -> bool {
        self.pane == Pane::Attempts
    }
}
