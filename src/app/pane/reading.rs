//! The message of the step to read, in place of its JSON, where the format knows what a message is.

use super::message::{self, MessageMode};
use super::{Cached, PaneContent, Position, References, Searched};
use crate::app::{App, Effect, Effects, Job};
use crate::model::StepNo;
use crate::panes::reading::{self, PageOf, Reading as Text, ReadingView};
use crate::panes::{Extent, Row, Scroll, Window};
use crate::text::Pattern;
use std::sync::Arc;

/// Messages up to this size, with what belongs to them, are made ready at once; longer ones by a job.
const AT_ONCE_MAX: u64 = 96 << 10;

/// Generation of the run, the step, and what belongs to it.
pub type ReadingOf = (u64, reading::Step);

/// The reading on screen, by what it is of.
/// Which keys fold and open.
const FOLDS: &str =
    "nothing is folded here; {left} and {right} fold and open long outputs, {unfold-all} opens everything";

pub(super) type CachedReading = Cached<ReadingOf, ReadingView>;

pub(super) struct Reading;

impl PaneContent for Reading {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let view = &app.inspector.message.reading;
        message::below_head(self.head(app, extent), extent, |below| match view.reading() {
            Some(_) => view.window(below, has_focus),
            None if app.session.open().is_some_and(|open| open.count() == 0) => {
                Window::notice(&["No message.", "There are no steps yet."], below.width)
            }
            None => Window::notice(&["Reading the message…"], below.width),
        })
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        let marks = app.inspector.message.reading.reading().map(|reading| reading.marks()).unwrap_or_default();
        message::head_below(app, |open| reading::head(open, &marks, extent.width))
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

    fn position(&self, app: &App) -> Option<Position> {
        Some(Position::Column(app.inspector.message.reading.column))
    }

    fn return_to(&self, app: &mut App, position: Position) {
        if let Position::Column(column) = position {
            app.inspector.message.reading.column = column;
        }
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        app.inspector.message.reading.move_by(delta, cells);
    }

    fn page_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        app.inspector.message.reading.page_by(delta, cells);
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        let view = &mut app.inspector.message.reading;
        if !view.set_fold(is_open) {
            app.notify(app.hint(FOLDS));
        }
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        app.inspector.message.reading.fold_all(is_open);
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.inspector.message.reading.search(pattern, is_forward))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let cells = app.front_extent().width;
        let is_again = app.inspector.message.reading.click(row, cells);
        if is_again && was_here {
            self.follow(app, effects);
        }
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.inspector.message.reading.source().map(|(_, text)| text.to_string())
    }

    /// A reference leads to its value, a fold opens, a text opens in a pager.
    fn follow(&self, app: &mut App, effects: &mut Effects) {
        if app.follow_reference_in_row() {
            return;
        }
        let view = &app.inspector.message.reading;
        let source = view.source().map(|(name, text)| (name.to_owned(), Arc::clone(text)));
        match source.filter(|_| !view.is_on_fold()) {
            Some((name, text)) => app.open_pager(&name, PageOf::Text(text), effects),
            None => self.fold(app, None),
        }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.ask_reading(effects);
        if !app.is_reading() {
            app.ask_message(effects);
        }
        app.show_reveal_target();
    }

    fn after_scroll(&self, app: &mut App, extent: Extent, effects: &mut Effects) {
        let view = &mut app.inspector.message.reading;
        view.show_cursor(extent);
        let requests = view.code_requests(extent);
        app.inspector.message.ask_code(requests, effects);
    }
}

impl App {
    /// What the reading on the screen should be of.
    fn reading_now(&self) -> Option<ReadingOf> {
        let open = self.session.open()?;
        (open.count() > 0).then(|| (self.session.content_version(), reading::Step::of(open.run(), open.step())))
    }

    /// Whether the message is shown to read: that is asked for, and the format knows what a message is, as far as the
    /// step was looked at.
    pub(in crate::app) fn is_reading(&self) -> bool {
        let tab = &self.inspector.message;
        let is_asked = tab.look == MessageMode::Reading && !self.shows_gone();
        let is_pointed = tab.pointed.is_some_and(|at| at == (self.session.generation, self.session.focus.step));
        let shows_none = || {
            let now = self.session.open().map(|open| (self.session.content_version(), open.step()));
            let shown = tab.reading.shown().map(|(generation, of)| (*generation, of.step));
            shown == now && tab.reading.reading().is_none()
        };
        is_asked && !is_pointed && !shows_none()
    }

    fn ask_reading(&mut self, effects: &mut Effects) {
        let Some(now) = self.reading_now() else { return };
        if self.shows_gone() || !self.inspector.message.reading.ask(now.clone()) {
            return;
        }
        let Some(open) = self.session.open() else { return };
        let folder = open.folder();
        if now.1.size(open.run()) > AT_ONCE_MAX {
            drop(open);
            effects.push(Effect::Job(Job::Reading { of: now, folder: folder.to_string() }));
            return;
        }
        let text = now.1.read(open.run(), open.bytes(), &folder).map(Arc::new);
        drop(open);
        self.inspector.message.take_reading(&now, text);
    }
}

impl message::MessageTab {
    /// Takes a reading that was asked for.
    pub fn take_reading(&mut self, of: &ReadingOf, text: Option<Arc<Text>>) {
        let step_of = |of: &ReadingOf| (of.0, of.1.step);
        let before: Option<(u64, StepNo)> = self.reading.shown().map(step_of);
        if self.reading.answer(of) {
            // Of another generation the step is the same still.
            let is_same = before.is_some_and(|(_, step)| step == of.1.step);
            self.reading.set(text, is_same);
        }
    }
}
