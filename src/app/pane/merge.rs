//! The Merge tab: slots merged by their types.

use super::PaneContent;
use super::registry::TabState;
use crate::app::{App, Effects, Pane};
use crate::panes::merge::MergePane;
use crate::panes::text_view::TextView;
use crate::panes::{Extent, Scroll, Window};

impl TabState for MergePane {}

pub(super) struct Merge;

impl PaneContent for Merge {
    fn is_offered(&self, app: &App) -> bool {
        app.session.format.merges()
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        if !app.session.format.merges() {
            let why = "Values of this format do not merge by their types.";
            return Window::notice(&["Nothing here.", why], extent.width);
        }
        app.inspector.merge.reader.window(extent, has_focus)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.merge.reader.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.merge.reader.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        Some(&mut app.inspector.merge.reader)
    }

    /// Goes to the first slot that a part came from.
    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let cells = app.front_extent().width;
        let target = app.inspector.merge.reader.line(cells).and_then(|line| line.target.clone());
        let Some(target) = target else { return app.notify("this line comes from no single slot") };
        app.remember();
        app.focus_path(target);
        app.pane = Pane::State;
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let App { session, inspector, state, .. } = app;
        if let Some(open) = session.open() {
            inspector.merge.sync(&open, &state.chosen);
        }
    }
}
