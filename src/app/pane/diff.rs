//! The Diff tab: the state at the step against another step, or two instances.

use super::registry::TabState;
use super::{Cached, PaneContent};
use crate::app::{App, Effect, Effects, Job, Pane};
use crate::model::{Identity, StepNo};
use crate::panes::diff::{self, DiffQuery, Pairs};
use crate::panes::text_view::{TextLine, TextView};
use crate::panes::{Extent, Scroll, Window};
use std::collections::BTreeSet;

/// States with more writes between them are compared by a job.
const COMPARED_AT_ONCE_MAX: usize = 2_000;
/// The same of bytes of the values that differ.
const COMPARED_BYTES_MAX: u64 = 256 << 10;

/// State of the tab.
#[derive(Debug, Default)]
pub struct DiffTab {
    /// The comparison, by generation and question.
    pub text: Cached<(u64, DiffQuery), TextView>,
    /// The step marked for it; None compares with the step before.
    pub base: Option<StepNo>,
    /// Two instances to compare instead of two steps: the one that was in focus, and which pair of its kind.
    pub pair: Option<(Identity, usize)>,
    /// Lists that are shown whole.
    unfolded: BTreeSet<String>,
}

impl TabState for DiffTab {}

impl DiffTab {
    /// Takes a comparison that was asked for.
    pub fn take(&mut self, generation: u64, question: DiffQuery, lines: Vec<TextLine>) {
        if self.text.answer(&(generation, question)) {
            self.text.set(lines);
        }
    }

    /// Shows a folded list whole.
    fn unfold(&mut self, list: String) {
        self.unfolded.insert(list);
        self.text.forget();
    }
}

pub(super) struct Diff;

impl PaneContent for Diff {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        app.inspector.diff.text.window(extent, has_focus)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.diff.text.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.diff.text.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        Some(&mut app.inspector.diff.text)
    }

    /// Unfolds a list, or goes to a value at the step that wrote it.
    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let cells = app.front_extent().width;
        let Some(line) = app.inspector.diff.text.line(cells).cloned() else { return };
        if let Some(list) = line.fold {
            return app.inspector.diff.unfold(list);
        }
        let Some(target) = line.target else { return };
        match line.step.filter(|step| *step >= 0) {
            Some(step) => app.jump_to(step),
            None => app.remember(),
        }
        app.focus_path(target);
        app.pane = Pane::State;
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        let App { session, inspector, .. } = app;
        let (Some(open), tab) = (session.open(), &mut inspector.diff) else { return };
        let step = open.step();
        let pair = tab.pair.as_ref().and_then(|(of, i)| Pairs::of(open.run(), of, step).nth(*i));
        let question = match pair {
            Some((old, new)) => DiffQuery::Instances { step, old, new },
            None => DiffQuery::Steps { from: tab.base.unwrap_or(step - 1), to: step },
        };
        let generation = session.content_version();
        if !tab.text.ask((generation, question)) {
            return;
        }
        let is_short = question.cost(open.run()) <= COMPARED_AT_ONCE_MAX;
        let answer = is_short.then(|| question.answer(open.run())).filter(|a| a.bytes() <= COMPARED_BYTES_MAX);
        if let Some(comparison) = answer {
            let lines = diff::lines(open.run(), open.bytes(), &comparison, &tab.unfolded);
            tab.take(generation, question, lines);
        } else {
            effects.push(Effect::Job(Job::Compare { generation, question, unfolded: tab.unfolded.clone() }));
        }
    }
}

impl App {
    /// Marks the step for the diff, or no longer.
    pub(in crate::app) fn mark_base(&mut self) {
        let Some(step) = self.session.open().map(|o| o.step()) else { return };
        let tab = &mut self.inspector.diff;
        tab.pair = None;
        if tab.base == Some(step) {
            tab.base = None;
            self.notify("the Diff tab compares with the step before");
        } else {
            tab.base = Some(step);
            let back = self.hint("{diff-base} here again takes it back");
            self.notify(format!("{} step {step}; {back}", self.hint("the Diff tab ({tab-diff}) compares with")));
        }
    }
}
