//! Looking closer, copying, the editor.

use crate::app::keys::Context;
use crate::app::pane::Tab;
use crate::app::{App, Effect, Effects, Pane};
use crate::format::Instances;
use crate::panes::open_command::{OpenTarget, open_command};
use crate::panes::watch::WatchTarget;

/// How the name of the recorded run begins, which `obelus demo` opens.
const DEMO_NAME: &str = "demo: ";

/// Longest text given to the clipboard, in bytes: terminals and multiplexers drop longer ones.
const COPY_MAX: usize = 64 << 10;

impl App {
    pub(in crate::app) fn show_tab(&mut self, tab: Tab) {
        tab.row().content.before_shown(self);
        self.inspector.tab = tab;
        self.inspector.message.file = None;
        self.pane = Pane::Inspector;
    }

    /// Shows what schemas and messages say of the values, or the values alone.
    pub(in crate::app) fn toggle_descriptions(&mut self) {
        let is_described = self.session.open().is_some_and(|open| {
            let (run, step) = (open.run(), open.step());
            let has_words = |id| run.schema_at(id, step).is_some() || run.description_at(id, step).is_some();
            open.tree().identities(step).iter().any(|view| has_words(view.id))
        });
        if !is_described {
            return self.notify("no value has a schema or a description at this step");
        }
        self.state.toggle_descriptions();
        self.notify(self.hint(if self.state.hides_descriptions {
            "the data alone; {descriptions} brings descriptions and missing properties back"
        } else {
            "with descriptions, and with what the schema has and the data lacks"
        }));
    }

    pub(in crate::app) fn copy_value(&mut self, effects: &mut Effects) {
        let text = self.front().copy(self);
        self.send_copy(text, effects);
    }

    pub(in crate::app) fn copy_path(&mut self, effects: &mut Effects) {
        let text = self.front().copy_path(self);
        self.send_copy(text, effects);
    }

    /// Copies the command that opens the screen at this step and value.
    pub(in crate::app) fn copy_command(&mut self, effects: &mut Effects) {
        let text = match (&self.session.path, self.session.name.starts_with(DEMO_NAME)) {
            (None, false) => {
                self.notify("the input is not a file, so no command opens it again");
                return;
            }
            (path, _) => self.open_command(path.as_ref().map(|path| path.to_string_lossy().into_owned()).as_deref()),
        };
        self.send_copy(text, effects);
    }

    fn open_command(&self, file: Option<&str>) -> Option<String> {
        let open = self.session.open()?;
        let focus = self.session.focus.path.as_ref();
        let place = OpenTarget {
            file,
            record: self.session.is_dataset().then_some(self.session.trajectory),
            format: None,
            step: open.step(),
            path: focus.map(|(identity, path)| (identity, path.as_slice())),
        };
        Some(open_command(&place, open.run()))
    }

    /// A path of the state with its instance, as the command line takes both.
    pub(in crate::app) fn path_text(&self, target: Option<&WatchTarget>) -> Option<String> {
        let (open, (identity, path)) = (self.session.open()?, target?);
        let reference = open.run().reference(identity, path);
        let is_chosen = open.run().instances() == Instances::Chosen;
        let instance = identity.instance.as_ref().filter(|_| is_chosen);
        Some(instance.map_or(reference.clone(), |instance| format!("{reference} --instance {instance}")))
    }

    fn send_copy(&mut self, text: Option<String>, effects: &mut Effects) {
        match text {
            None => self.notify("nothing here to copy"),
            Some(text) if text.len() > COPY_MAX => {
                let size = crate::panes::value::size_text(text.len() as u64);
                let command = self.printing_command();
                self.notify(format!("{size} is more than terminals take (64 kB); {command} prints it"));
            }
            Some(text) => {
                self.notify(format!("sent to the clipboard: {} characters", text.chars().count()));
                effects.push(Effect::Copy(text));
            }
        }
    }

    /// The command that prints the value in focus, else the file.
    fn printing_command(&self) -> String {
        let name = self.session.path.as_ref().map_or_else(|| "FILE".to_owned(), |path| path.display().to_string());
        let step = self.session.focus.step;
        let has_value = self.front().marked_value(self).is_some();
        match self.path_text(self.session.focus.path.as_ref()).filter(|_| has_value) {
            Some(path) => format!("`obelus resolve {name} {path} --step {step}`"),
            None => format!("`obelus query {name} . --select`"),
        }
    }

    pub(in crate::app) fn record_text(&self, record: usize) -> Option<String> {
        let span = self.session.records.get(record)?.place.span;
        (span.len <= COPY_MAX as u64 * 2)
            .then(|| self.session.bytes.read(span).ok())?
            .map(|b| crate::model::lossy(&b).into_owned())
    }

    pub(in crate::app) fn step_text(&self) -> Option<String> {
        let open = self.session.open()?;
        let span = open.run().place(open.step())?.place.span;
        open.bytes().read(span).ok().map(|b| crate::model::lossy(&b).into_owned())
    }

    pub(in crate::app) fn value_text(&self, target: Option<&WatchTarget>) -> Option<String> {
        let (open, (identity, path)) = (self.session.open()?, target?);
        let node = open.tree().node(open.tree().find(identity)?, path)?;
        open.tree().text(node, open.step(), open.bytes())
    }

    pub(in crate::app) fn edit(&mut self, effects: &mut Effects) {
        if self.edit_page(effects) {
            return;
        }
        if self.is_in(Context::Files) {
            self.notify(self.hint("open the file first: {follow}"));
            return;
        }
        let (path, line) = if self.is_comparing() {
            let Some(place) = self.aligned_place() else { return self.notify("there is no run to open yet") };
            place
        } else {
            let line = match self.front().record_at_cursor(self) {
                Some(record) => record.and_then(|record| self.session.records.get(record)).map(|r| r.place.line),
                None => self.session.open().and_then(|o| o.run().place(o.step())).map(|p| p.place.line),
            };
            (self.session.path.clone(), line)
        };
        match path {
            Some(path) => effects.push(Effect::Edit(path, line.unwrap_or(1).max(1))),
            None => self.notify("the input is not a file, so there is nothing to open"),
        }
    }
}
