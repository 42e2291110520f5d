//! The History tab: every write of the value in focus.

use super::registry::TabState;
use super::{Cached, PaneContent, Searched};
use crate::app::{App, Effects};
use crate::model::StepNo;
use crate::panes::history::HistoryPane;
use crate::panes::{Extent, Scroll, Window};
use crate::state::NodeId;
use crate::text::Pattern;

/// Rows above the events.
const HEAD_ROWS: usize = 2;

/// The history, and the value and step that its cursor follows.
pub(super) type HistoryTab = Cached<(NodeId, StepNo), HistoryPane>;

impl TabState for HistoryTab {
    fn renew(&mut self) {
        self.forget();
    }
}

pub(super) struct History;

impl PaneContent for History {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let open = app.session.open();
        open.map_or_else(Window::default, |open| app.inspector.history.window(&open, extent, has_focus))
    }

    fn fixed_rows(&self, _app: &App, _extent: Extent) -> usize {
        HEAD_ROWS
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none_or(|open| app.inspector.history.events(&open).is_empty())
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.history.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.history.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.session.open().map_or(0, |open| app.inspector.history.events(&open).len())
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let App { session, inspector, .. } = app;
        Searched::Here(session.open().and_then(|open| inspector.history.search(&open, pattern, is_forward)))
    }

    /// To the step of the write; there, a long value opens in a pager.
    fn follow(&self, app: &mut App, effects: &mut Effects) {
        let step = app.session.open().and_then(|open| app.inspector.history.step(&open));
        let is_here = step.is_some() && step == app.session.open().map(|open| open.step());
        if is_here && app.page_value(effects) {
            return;
        }
        if let Some(step) = step.filter(|step| *step >= 0) {
            app.jump_to(step);
        }
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let App { session, inspector, .. } = app;
        let Some(open) = session.open() else { return };
        let Some((_, node)) = open.focus_node() else { return };
        let now = (node, open.step());
        if inspector.history.show(now) != Some(now) {
            inspector.history.follow_step(&open);
        }
    }
}
