//! The strip of watched values below the panes.

use super::{PaneContent, Searched};
use crate::app::{App, Effects, Pane};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::text::{Pattern, Role};

pub(super) struct Watches;

impl PaneContent for Watches {
    fn title(&self, _app: &App, _role: Role, _name: &str) -> Vec<Piece> {
        Vec::new()
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        app.session.open().map_or_else(Window::default, |open| app.watches.window(&open, extent))
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none()
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.watches.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.watches.scroll)
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        app.move_in_watches(delta);
    }

    fn fold(&self, _app: &mut App, _is_open: Option<bool>) {}

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let hits = app.session.open().map(|open| {
            let labels = app.watches.list.iter().map(|watch| watch.label(&open));
            labels.enumerate().filter(|(_, label)| pattern.is_match(label)).map(|(row, _)| row).collect::<Vec<_>>()
        });
        let Some(hits) = hits else { return Searched::Here(None) };
        let found = app.watches.scroll.move_to_hit(&hits, is_forward);
        app.move_in_watches(0);
        Searched::Here(found)
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let is_again = was_here && app.watches.scroll.cursor == row;
        app.watches.scroll.cursor = row;
        app.move_in_watches(0);
        if is_again {
            self.follow(app, effects);
        }
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.value_text(app.watches.chosen().map(|watch| &watch.target))
    }

    fn copy_path(&self, app: &mut App) -> Option<String> {
        app.path_text(app.watches.chosen().map(|watch| &watch.target))
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        app.follow_watch();
    }

    /// Looks up the names of watches in new steps. A strip without rows cannot have the cursor.
    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        app.sync_watches();
        if app.pane != Pane::Watches {
            app.beside = app.pane;
        } else if app.layout().watches.is_none() {
            app.pane = app.beside;
        }
        let height = app.pane_extent(Pane::Watches).height;
        app.watches.scroll.show_cursor(height, app.watches.rows());
    }
}

impl App {
    /// The pane with the cursor among those above the strip.
    pub(in crate::app) fn main_pane(&self) -> Pane {
        if self.pane == Pane::Watches { self.beside } else { self.pane }
    }

    /// Moves in the strip; the value of the row becomes the one in focus.
    fn move_in_watches(&mut self, delta: isize) {
        self.watches.scroll.move_by(delta, self.watches.rows());
        if let Some(target) = self.watches.chosen().map(|watch| watch.target.clone()) {
            self.focus_path(target);
        }
    }
}
