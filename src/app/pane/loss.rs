//! The Loss tab: what a model would see of the conversation, and what trains it.

use super::message::below_head;
use super::registry::TabState;
use super::{Cached, PaneContent, Searched, Tab};
use crate::app::{App, Effect, Effects, Job, Pane};
use crate::panes::loss::{LossOf, LossPane, LossText};
use crate::panes::text_view::TextView;
use crate::panes::{Extent, Row, Scroll, Window};
use crate::text::Pattern;

/// The conversation.
pub(super) type LossTab = Cached<LossOf, LossPane>;

impl TabState for LossTab {}

pub(super) struct Loss;

impl PaneContent for Loss {
    fn is_offered(&self, app: &App) -> bool {
        app.session.format.has_conversations()
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        if !self.is_offered(app) {
            let why = "Only records for training (conversations, Agent Data Protocol) have parts that train.";
            let how = "`obelus export FILE --to messages` makes such records of a log.";
            return Window::notice(&["Nothing here.", why, how], extent.width);
        }
        let head = self.head(app, extent);
        below_head(head, extent, |below| app.inspector.loss.window(&app.session.key_names, below, has_focus))
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        app.inspector.loss.head(extent)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.loss.reader.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.loss.reader.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        Some(&mut app.inspector.loss.reader)
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        app.inspector.loss.move_by(delta, cells);
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let cells = app.front_extent().width;
        Searched::Here(app.inspector.loss.search(pattern, cells, is_forward))
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        let Some(step) = app.follow_line() else {
            return app.notify("this comes from no step: the template writes it");
        };
        app.notify(format!("step {step}; {}", app.hint("{tab-message} shows its message, {tab-loss} comes back here")));
        // Where the steps are not beside it, the message says where it went.
        if !app.layout().has(Pane::Steps) {
            app.show_tab(Tab::Message);
        }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        let here = app.session.open().map(|open| (open.step(), open.run().answer_of(open.step())));
        let Some((step, answer)) = here.filter(|_| self.is_offered(app)) else { return };
        let (generation, record) = (app.session.generation, app.session.trajectory);
        let of = LossOf { generation, record, answer, template: app.chat.front };
        if app.inspector.loss.ask(of) {
            let Some(options) = app.chat.options() else { return };
            effects.push(Effect::Job(Job::Loss { of, options }));
        }
        let cells = app.pane_extent(Pane::Inspector).width;
        app.inspector.loss.follow(step, cells);
        app.inspector.loss.slide(cells);
    }
}

impl App {
    /// Takes a conversation that was asked for.
    pub(in crate::app) fn take_loss(&mut self, of: LossOf, text: Result<LossText, String>) {
        if self.inspector.loss.answer(&of) {
            self.inspector.loss.set(text);
        }
    }
}
