//! Looking closer, copying, the editor.

use crate::app::keys::Tab;
use crate::app::{App, Effect, Effects, Pane};
use crate::format::Instances;
use crate::panes::watch::Target;

/// Longest text given to the clipboard, in bytes: terminals and multiplexers drop longer ones.
const COPY_MAX: usize = 64 << 10;

impl App {
    pub(in crate::app) fn show_tab(&mut self, tab: Tab) {
        self.inspector.tab = tab;
        self.inspector.file = None;
        self.pane = Pane::Inspector;
    }

    pub(super) fn toggle_raw(&mut self) {
        self.inspector.file = None;
        self.inspector.is_raw = !self.inspector.is_raw;
        self.inspector.tab = Tab::Message;
        self.pane = Pane::Inspector;
    }

    /// Shows the messages of the context instead of the view in which they are merged, and back.
    pub(super) fn toggle_raw_messages(&mut self) {
        let merges = self.session.open().is_some_and(|open| open.run().merges_messages());
        if !merges {
            return self.tell("this format merges no messages: all are shown");
        }
        self.inspector.has_raw_messages = !self.inspector.has_raw_messages;
        self.tell(match self.inspector.has_raw_messages {
            true => "the messages of the context as they are written; R merges them again",
            false => "the messages as the model sees them, merged by identity",
        });
    }

    /// Shows what schemas and messages say of the values, or the values alone.
    pub(super) fn toggle_descriptions(&mut self) {
        self.state.toggle_descriptions();
        self.tell(match self.state.hides_descriptions {
            true => "the data alone; p brings descriptions and missing properties back",
            false => "with descriptions, and with what the schema has and the data lacks",
        });
    }

    pub(super) fn mark_base(&mut self) {
        let Some(step) = self.session.open().map(|o| o.step()) else { return };
        self.inspector.pair = None;
        if self.inspector.base == Some(step) {
            self.inspector.base = None;
            self.tell("the Diff tab compares with the step before");
        } else {
            self.inspector.base = Some(step);
            self.tell(format!("the Diff tab (5) compares with step {step}; D here again takes it back"));
        }
    }

    pub(super) fn copy_value(&mut self, effects: &mut Effects) {
        let text = match self.pane {
            Pane::Files => self.file_text(),
            Pane::Table => self.table.record().and_then(|record| self.record_text(record)),
            Pane::Facets => self.table.facets.chosen().map(|(field, value)| format!("{}:{value}", field.name())),
            Pane::Plot => None,
            Pane::Attempts => self.attempts.text(),
            Pane::Steps => self.step_text(),
            Pane::State => self.value_text(self.session.focus.path.as_ref()),
            Pane::Watches => self.value_text(self.watches.chosen().map(|watch| &watch.target)),
            Pane::Inspector => self.inspector_text(),
        };
        self.copy(text, effects);
    }

    pub(super) fn copy_path(&mut self, effects: &mut Effects) {
        let cells = self.pane_extent(Pane::Inspector).width;
        let text = match self.pane {
            Pane::Files => self.file_text(),
            Pane::Inspector if self.inspector.document().is_some() => {
                self.inspector.document().and_then(|view| Some(view.doc()?.pointer(view.node(cells)?)))
            }
            Pane::Watches => self.path_text(self.watches.chosen().map(|watch| &watch.target)),
            _ => self.path_text(self.session.focus.path.as_ref()),
        };
        self.copy(text, effects);
    }

    /// A path of the state with its instance, as the command line takes both.
    fn path_text(&self, target: Option<&Target>) -> Option<String> {
        let (open, (identity, path)) = (self.session.open()?, target?);
        let reference = open.run().reference(identity, path);
        let is_told = open.run().instances() == Instances::Chosen;
        let instance = identity.instance.as_ref().filter(|_| is_told);
        Some(instance.map_or(reference.clone(), |instance| format!("{reference} --instance {instance}")))
    }

    fn copy(&mut self, text: Option<String>, effects: &mut Effects) {
        match text {
            None => self.tell("nothing here to copy"),
            Some(text) if text.len() > COPY_MAX => {
                let size = crate::panes::value::size_text(text.len() as u64);
                self.tell(format!("{size} is more than terminals take (64 kB); the command line prints it"));
            }
            Some(text) => {
                self.tell(format!("sent to the terminal's clipboard: {} characters", text.chars().count()));
                effects.push(Effect::Copy(text));
            }
        }
    }

    fn record_text(&self, record: usize) -> Option<String> {
        let span = self.session.records.get(record)?.place.span;
        (span.len <= COPY_MAX as u64 * 2)
            .then(|| self.session.bytes.read(span).ok())?
            .map(|b| crate::model::lossy(&b).into_owned())
    }

    fn step_text(&self) -> Option<String> {
        let open = self.session.open()?;
        let span = open.run().place(open.step())?.place.span;
        open.bytes().read(span).ok().map(|b| crate::model::lossy(&b).into_owned())
    }

    fn value_text(&self, target: Option<&Target>) -> Option<String> {
        let (open, (identity, path)) = (self.session.open()?, target?);
        let node = open.tree().node(open.tree().find(identity)?, path)?;
        open.tree().text(node, open.step(), open.bytes())
    }

    fn inspector_text(&mut self) -> Option<String> {
        let cells = self.pane_extent(Pane::Inspector).width;
        if let Some(view) = self.inspector.document() {
            let node = view.node(cells)?;
            let doc = view.doc()?;
            let is_string = doc.nodes().get(node)?.kind == crate::panes::json_outline::Kind::String;
            return Some(if is_string {
                doc.string_head(node, usize::MAX).0.into_owned()
            } else {
                doc.source(node).to_owned()
            });
        }
        if let Some(reader) = self.inspector.reader() {
            return reader.line(cells).map(|l| l.text.clone());
        }
        if self.inspector.tab == Tab::Findings {
            let finding = self.inspector.findings.chosen(&self.session.open()?)?;
            return Some(format!("{}: {}", finding.rule, finding.message));
        }
        self.value_text(self.session.focus.path.as_ref())
    }

    pub(super) fn edit(&mut self, effects: &mut Effects) {
        if self.pane == Pane::Files {
            self.tell("open the file first: Enter");
            return;
        }
        if self.session.path.is_none() {
            self.tell("the input is no file, so there is nothing to open");
            return;
        }
        let line = match self.pane {
            Pane::Table | Pane::Facets | Pane::Plot | Pane::Attempts => {
                let record = if self.pane == Pane::Attempts { self.attempts.record() } else { self.table.record() };
                record.and_then(|record| self.session.records.get(record)).map(|r| r.place.line)
            }
            _ => self.session.open().and_then(|o| o.run().place(o.step())).map(|p| p.place.line),
        };
        effects.push(Effect::Edit(line.unwrap_or(1).max(1)));
    }
}
