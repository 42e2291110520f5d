//! The Findings tab: what the rules found in the trajectory.

use super::registry::TabState;
use super::{Cached, PaneContent, Searched, Tab};
use crate::app::{App, Effects};
use crate::format::Layout;
use crate::model::StepNo;
use crate::panes::findings::FindingsPane;
use crate::panes::{Extent, Scroll, Window};
use crate::text::Pattern;

/// The list, and generation and step that its cursor follows.
pub(super) type FindingsTab = Cached<(u64, StepNo), FindingsPane>;

impl TabState for FindingsTab {}

pub(super) struct Findings;

impl PaneContent for Findings {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let open = app.session.open();
        open.map_or_else(Window::default, |open| app.inspector.findings.window(&open, extent, has_focus))
    }

    fn fixed_rows(&self, _app: &App, extent: Extent) -> usize {
        FindingsPane::reserved(extent)
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none_or(|open| open.findings().is_empty())
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.findings.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.findings.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.session.open().map_or(0, |open| open.findings().len())
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let App { session, inspector, .. } = app;
        Searched::Here(session.open().and_then(|open| inspector.findings.search(&open, pattern, is_forward)))
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        let finding = app.inspector.findings.chosen(&app.session.open()?)?;
        Some(format!("{}: {}", finding.rule, finding.message))
    }

    /// To the step, the value of the state that the finding names, or the place in the message.
    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let Some(finding) = app.session.open().and_then(|open| app.inspector.findings.chosen(&open)) else { return };
        app.go_to_finding(&finding);
        let is_pointer = finding.path.as_deref().is_some_and(|path| path.starts_with('/'));
        match finding.step {
            // Records of a run are not always steps: one that is broken gives none.
            None if app.session.format.layout() == Layout::Run => {
                let record = finding.record;
                app.notify(format!(
                    "the finding is about record {record}, not about a step; obelus check prints its line"
                ));
            }
            None => app.notify(app.hint("the finding is about the whole record; {raw} shows it")),
            Some(_) if is_pointer => {
                app.show_json_of_step();
                app.show_tab(Tab::Message);
            }
            Some(_) => {}
        }
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let App { session, inspector, .. } = app;
        let Some(open) = session.open() else { return };
        let now = (session.generation, open.step());
        if inspector.findings.show(now) != Some(now) {
            inspector.findings.follow_step(&open);
        }
    }
}
