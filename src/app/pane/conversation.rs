//! The conversation: the whole run in one column, over the other panes.

use super::{Filtered, PaneContent, Position, References, Searched, Tab};
use crate::app::{App, Effects, Pane, SearchPosition};

use crate::panes::{Extent, Piece, Scroll, Window, reading};
use crate::text::{Pattern, Role};

pub(super) struct Conversation;

impl PaneContent for Conversation {
    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let room = app.pane_extent(Pane::Conversation).width.saturating_sub(name.len() + 2);
        let pieces = app.session.open().map(|open| app.step_filter.label(&open, room));
        std::iter::once(Piece::of(role, &format!(" {name} "))).chain(pieces.unwrap_or_default()).collect()
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let Some(open) = app.session.open() else { return Window::default() };
        if open.count() == 0 {
            return Window::notice(&["No message.", "There are no steps yet."], extent.width);
        }
        app.conversation.window(&open, &app.step_filter.rows(&open), extent, has_focus)
    }

    fn references(&self, _app: &App) -> Option<References> {
        Some(References::Judged)
    }

    fn scroll<'a>(&self, _app: &'a App) -> Option<&'a Scroll> {
        None
    }

    fn scroll_mut<'a>(&self, _app: &'a mut App) -> Option<&'a mut Scroll> {
        None
    }

    fn position(&self, _app: &App) -> Option<Position> {
        Some(Position::Step)
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        app.move_in_conversation(delta, false);
    }

    fn page_by(&self, app: &mut App, delta: isize) {
        app.move_in_conversation(delta, true);
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        if let Some(step) = app.conversation_step() {
            app.conversation.set_fold(step, is_open);
        }
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        app.conversation.fold_all(is_open);
    }

    fn search(&self, app: &mut App, _pattern: &Pattern, _is_forward: bool) -> Searched {
        Searched::Outside(SearchPosition::Step(app.session.open().map_or(0, |open| open.step())))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let cells = app.front_extent().width;
        let App { session, conversation, step_filter, .. } = &mut *app;
        let Some(open) = session.open() else { return };
        let (step, is_again) = conversation.click(&open, &step_filter.rows(&open), row, cells);
        drop(open);
        app.go_to(step);
        if is_again && was_here {
            self.follow(app, effects);
        }
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.step_text()
    }

    /// A reference leads to its value, a turn that is too large to its message; else folds open and close.
    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        if app.follow_reference_in_row() {
            return;
        }
        let is_large = app.session.open().is_some_and(|open| {
            let of = reading::Step::of(open.run(), open.step());
            of.size(open.run()) > crate::panes::conversation::TURN_BYTES_MAX
        });
        if is_large { app.show_tab(Tab::Message) } else { self.fold(app, None) }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        if app.pane != Pane::Conversation {
            return;
        }
        let extent = app.pane_extent(Pane::Conversation);
        let App { session, conversation, step_filter, .. } = app;
        let Some(open) = session.open().filter(|open| open.count() > 0) else { return };
        conversation.sync(&open, &step_filter.rows(&open), extent);
        let requests = conversation.code_requests();
        drop(open);
        app.inspector.message.ask_code(requests, effects);
    }

    fn close(&self, app: &mut App) -> bool {
        app.pane = app.under_conversation;
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        self.close(app)
    }

    fn fills_screen(&self) -> bool {
        true
    }

    fn filtered(&self) -> Option<Filtered> {
        Some(Filtered::Steps)
    }
}

impl App {
    /// Shows the run as a conversation, and back.
    pub(in crate::app) fn toggle_conversation(&mut self) {
        if self.pane == Pane::Conversation {
            self.pane = self.under_conversation;
            return;
        }
        if !self.session.open().is_some_and(|open| open.run().has_turns()) {
            return self
                .notify(self.hint("this format has no conversation of messages; {tab-llm} shows what the model sees"));
        }
        self.under_conversation = if self.pane == Pane::Watches { self.main_pane() } else { self.pane };
        self.pane = Pane::Conversation;
    }

    /// The step of the turn under the cursor.
    fn conversation_step(&self) -> Option<crate::model::StepNo> {
        let open = self.session.open()?;
        Some(self.step_filter.rows(&open).step(self.conversation.column.cursor.item))
    }

    fn move_in_conversation(&mut self, delta: isize, is_page: bool) {
        let cells = self.front_extent().width;
        let Self { session, conversation, step_filter, .. } = &mut *self;
        let Some(open) = session.open().filter(|open| open.count() > 0) else { return };
        let rows = step_filter.rows(&open);
        let before = rows.row(&open, open.step());
        let step = conversation.move_by(&open, &rows, delta, cells, is_page);
        let is_other = conversation.column.cursor.item != before;
        drop(open);
        // A result in the row of its call stays in focus while the cursor moves within the turn.
        if is_other {
            self.go_to(step);
        }
    }
}
