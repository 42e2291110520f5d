//! The Plan tab: calls or contracts at the step, who waits for whom.

use super::registry::TabState;
use super::{PaneContent, Searched, Title};
use crate::app::{App, Effects};
use crate::panes::plan::{PlanPane, PlanTarget};
use crate::panes::{Extent, Scroll, Window};
use crate::text::Pattern;

/// Bytes of a title where there is little room.
const SHORT_TITLE: usize = 5;

impl TabState for PlanPane {}

pub(super) struct Plan;

impl PaneContent for Plan {
    fn name(&self, app: &App, _is_front: bool) -> Option<Title> {
        let title = app.session.format.plan_title()?;
        Some((title, title.get(..SHORT_TITLE).unwrap_or(title)))
    }

    fn is_offered(&self, app: &App) -> bool {
        app.session.format.plan_title().is_some()
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let open = app.session.open();
        open.map_or_else(Window::default, |open| app.inspector.plan.window(&open, extent, has_focus))
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none_or(|open| app.inspector.plan.lines(&open).is_empty())
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.plan.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.plan.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.session.open().map_or(0, |open| app.inspector.plan.lines(&open).len())
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let App { session, inspector, .. } = app;
        if let Some(open) = session.open() {
            inspector.plan.move_by(&open, delta);
        }
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        let App { session, inspector, .. } = app;
        if let Some(open) = session.open() {
            inspector.plan.fold(&open, is_open);
        }
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        let App { session, inspector, .. } = app;
        if let Some(open) = session.open() {
            inspector.plan.fold_all(&open, is_open);
        }
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let App { session, inspector, .. } = app;
        Searched::Here(session.open().and_then(|open| inspector.plan.search(&open, pattern, is_forward)))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let is_again = was_here && app.inspector.plan.scroll.cursor == row;
        app.inspector.plan.scroll.cursor = row;
        let App { session, inspector, .. } = &mut *app;
        if let Some(open) = session.open() {
            inspector.plan.move_to(&open, row);
        }
        if is_again {
            self.follow(app, effects);
        }
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let App { session, inspector, .. } = &mut *app;
        let target = session.open().and_then(|open| inspector.plan.follow(&open));
        match target {
            Some(PlanTarget::Step(step)) if step >= 0 => {
                app.jump_to(step);
                app.notify(format!("step {step}; {}", app.hint("{back} comes back")));
            }
            Some(PlanTarget::Step(_)) => app.notify("it is before the first step"),
            Some(PlanTarget::Reference(reference, instance)) => app.follow_reference(&reference, instance),
            Some(PlanTarget::Moved) => {}
            None => app.notify(app.hint("nothing to follow here; {follow} on a node goes to its step")),
        }
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let App { session, inspector, .. } = app;
        if let Some(open) = session.open() {
            inspector.plan.sync(&open);
        }
    }
}
