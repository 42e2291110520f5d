//! A file that a value names, in place of the message until another step or tab is shown.

use super::message::MessageMode;
use super::{PaneContent, References, Tab, message};
use crate::app::{App, Effect, Effects, Job};
use crate::model::StepNo;
use crate::panes::text_view::{TextLine, TextView};
use crate::panes::{Extent, Piece, Row, Scroll, Window};
use crate::text::Role;

/// A file on screen.
#[derive(Debug)]
pub struct NamedFile {
    /// Generation and step at which it was asked for.
    pub of: (u64, StepNo),
    /// Its name.
    pub name: String,
    /// Its text.
    pub reader: TextView,
}

pub(super) struct File;

impl PaneContent for File {
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let Some(file) = &app.inspector.message.file else { return Window::default() };
        message::below_head(self.head(app, extent), extent, |below| file.reader.window(below, has_focus))
    }

    fn head(&self, app: &App, _extent: Extent) -> Vec<Row> {
        let Some(file) = &app.inspector.message.file else { return Vec::new() };
        let hint = Piece::of(Role::Dim, &app.hint("  {cancel} goes back to the message"));
        vec![Row::new(vec![Piece::of(Role::Title, &format!(" {}", file.name)), hint]), Row::default()]
    }

    fn references(&self, app: &App) -> Option<References> {
        (app.inspector.message.look != MessageMode::Raw).then_some(References::Judged)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        app.inspector.message.file.as_ref().map(|file| &file.reader.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        app.inspector.message.file.as_mut().map(|file| &mut file.reader.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        app.inspector.message.file.as_mut().map(|file| &mut file.reader)
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        if self.references(app).is_none() || !app.follow_reference_in_row() {
            app.follow_line();
        }
    }

    fn close(&self, app: &mut App) -> bool {
        app.close_named_file()
    }
}

impl App {
    /// Asks for the file that the value in focus names, if it names one and a folder of files was named.
    pub(super) fn ask_named_file(&mut self, effects: &mut Effects) -> bool {
        let id = self.session.open().filter(|_| self.session.files.is_some()).and_then(|open| {
            let (id, _) = open.focus_node()?;
            let (_, path) = self.session.focus.path.as_ref()?;
            Some((open.step(), open.run().file_id(id, path, open.step(), open.bytes())?))
        });
        let Some((step, id)) = id else { return false };
        self.is_asking = true;
        effects.push(Effect::Job(Job::File { generation: self.session.generation, step, id }));
        true
    }

    /// Takes a file that was asked for.
    pub(in crate::app) fn take_named_file(
        &mut self,
        generation: u64,
        step: StepNo,
        name: String,
        lines: Vec<TextLine>,
    ) {
        let now = self.session.open().map(|open| (self.session.generation, open.step()));
        if now != Some((generation, step)) || !std::mem::take(&mut self.is_asking) {
            return;
        }
        self.remember();
        let mut reader = TextView::default();
        reader.set(lines);
        self.show_tab(Tab::Message);
        self.inspector.message.file = Some(NamedFile { of: (generation, step), name, reader });
    }

    /// Goes from the file to the value that names it; false: no file is shown.
    pub(in crate::app) fn close_named_file(&mut self) -> bool {
        let is_shown = self.inspector.message.file.take().is_some();
        if is_shown {
            self.pane = crate::app::Pane::State;
        }
        is_shown
    }
}
