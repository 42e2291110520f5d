//! The Schema tab: the schema of the identity in focus, or what is declared of the tool that the step calls.

use super::PaneContent;
use super::registry::TabState;
use crate::app::{App, Effects, Pane};
use crate::panes::message::DocView;
use crate::panes::schema::SchemaPane;
use crate::panes::{Extent, Open, Row, Scroll, Window, history};

impl TabState for SchemaPane {}

pub(super) struct Schema;

impl PaneContent for Schema {
    fn is_offered(&self, app: &App) -> bool {
        let declares_tools = |open: &Open<'_>| open.run().work().is_some_and(|work| work.declares_tools());
        app.session.open().is_some_and(|open| open.run().has_schemas() || declares_tools(&open))
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        match app.session.open() {
            Some(open) if app.session.format.has_state() => app.inspector.schema.window(&open, extent, has_focus),
            _ => Window::notice(&history::NO_STATE, extent.width),
        }
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        app.session.open().map_or_else(Vec::new, |open| app.inspector.schema.head(&open, extent))
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.schema.view.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.schema.view.scroll)
    }

    fn document<'a>(&self, app: &'a mut App) -> Option<&'a mut DocView> {
        Some(&mut app.inspector.schema.view)
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let cells = app.front_extent().width;
        if !app.follow_broken_key(cells) {
            app.inspector.schema.view.set_fold(None, cells);
        }
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        app.sync_schema();
    }
}

impl App {
    /// Brings the tab to the identity in focus.
    pub(in crate::app) fn sync_schema(&mut self) {
        let cells = self.pane_extent(Pane::Inspector).width;
        let Self { session, inspector, .. } = self;
        if let Some(open) = session.open() {
            inspector.schema.sync(&open, cells);
        }
    }

    /// Enter on a key of the schema: to the value that breaks it, of several the next; false: nothing breaks it.
    fn follow_broken_key(&mut self, cells: usize) -> bool {
        let found = self.session.open().and_then(|open| self.inspector.schema.value(&open, cells));
        let Some((target, at, count)) = found else { return false };
        self.focus_path(target);
        // So that coming back finds the cursor here.
        self.remember();
        self.pane = Pane::State;
        if count > 1 {
            let next = self.hint("{back} and {follow} go to the next");
            self.notify(format!("{} of {count} values that break this; {next}", at + 1));
        }
        true
    }
}
