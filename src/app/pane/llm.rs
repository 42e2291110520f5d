//! The LLM tab: what the model sees at the step.

use super::registry::TabState;
use super::{Cached, PaneContent, References, Title};
use crate::app::{App, Effect, Effects, Job};
use crate::model::StepNo;
use crate::panes::text_view::{TextLine, TextView};
use crate::panes::{Extent, Scroll, Window};

/// Which LLM view it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOf {
    /// Generation of the run.
    pub generation: u64,
    /// The step.
    pub step: StepNo,
    /// Whether it has the messages of the context one by one, instead of merged.
    pub has_raw_messages: bool,
}

/// State of the tab.
#[derive(Debug, Default)]
pub struct LlmTab {
    /// What the model sees.
    pub text: Cached<ViewOf, TextView>,
    /// Whether the messages of the context are shown one by one.
    pub has_raw_messages: bool,
}

impl TabState for LlmTab {
    fn reset(&mut self) {
        *self = Self { has_raw_messages: self.has_raw_messages, ..Self::default() };
    }
}

impl LlmTab {
    /// Takes a view that was asked for.
    pub fn take(&mut self, of: ViewOf, lines: Vec<TextLine>) {
        if self.text.answer(&of) {
            let was_at_end = self.text.is_at_end();
            self.text.set(lines);
            // What the model sees grows at its end: a view of it stays there.
            if was_at_end {
                self.text.scroll.cursor = usize::MAX;
            }
        }
    }
}

pub(super) struct Llm;

impl PaneContent for Llm {
    fn name(&self, app: &App, is_front: bool) -> Option<Title> {
        (is_front && app.inspector.llm.has_raw_messages).then_some(("LLM unmerged", "LLM"))
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let text = &app.inspector.llm.text;
        if !text.lines().is_empty() {
            return text.window(extent, has_focus);
        }
        if !(app.session.is_complete && text.shown() == app.llm_view_now().as_ref()) {
            return Window::notice(&["Reading what the model sees…"], extent.width);
        }
        let why = "No message that the model would see is in the context at this step.";
        Window::notice(&["Nothing yet.", why], extent.width)
    }

    fn references(&self, _app: &App) -> Option<References> {
        Some(References::Marked)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.llm.text.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.llm.text.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        Some(&mut app.inspector.llm.text)
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        if !app.follow_reference_in_row() {
            app.follow_line();
        }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        if let Some(now) = app.llm_view_now()
            && app.inspector.llm.text.ask(now)
        {
            effects.push(Effect::Job(Job::View(now)));
        }
    }
}

impl App {
    /// The LLM view that belongs on the screen.
    fn llm_view_now(&self) -> Option<ViewOf> {
        let step = self.session.open()?.step();
        let has_raw_messages = self.inspector.llm.has_raw_messages;
        Some(ViewOf { generation: self.session.content_version(), step, has_raw_messages })
    }

    /// Shows the messages of the context instead of the view in which they are merged, and back.
    pub(in crate::app) fn toggle_raw_messages(&mut self) {
        let merges = self.session.open().is_some_and(|open| open.run().merges_messages());
        if !merges {
            return self.notify("this format merges no messages: all are shown");
        }
        let has_raw_messages = &mut self.inspector.llm.has_raw_messages;
        *has_raw_messages = !*has_raw_messages;
        let hint = if *has_raw_messages {
            "the messages of the context as they are written; R merges them again"
        } else {
            "the messages as the model sees them, merged by identity"
        };
        self.notify(hint);
    }
}
