//! The plan, references, instances side by side, who reads a value.

use crate::app::inspector::FileShown;
use crate::app::keys::Tab;
use crate::app::menu::Menu;
use crate::app::{App, Effect, Effects, Layer, Pane, view};
use crate::format::plan::ReadBy;
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::panes::plan::PlanTarget;
use crate::panes::reference_highlight;
use crate::panes::text_view::{Reader, TextLine};

/// Most instances in which a reference of a call without instance is looked up.
const INSTANCES_MAX: usize = 100;

impl App {
    /// Enter in the Plan tab.
    pub(super) fn follow_plan(&mut self) {
        let Self { session, inspector, .. } = self;
        let target = session.open().and_then(|open| inspector.plan.follow(&open));
        match target {
            Some(PlanTarget::Step(step)) if step >= 0 => {
                self.jump_to(step);
                self.tell(format!("step {step}; Backspace comes back"));
            }
            Some(PlanTarget::Step(_)) => self.tell("it stands before the first step"),
            Some(PlanTarget::Reference(reference, instance)) => self.follow_reference(&reference, instance),
            Some(PlanTarget::Moved) => {}
            None => self.tell("nothing to follow here; Enter on a node goes to its step"),
        }
    }

    /// Goes to the value that a reference names: in the instance that reads it; where none is known, in that of the
    /// focus, else in any.
    pub(super) fn follow_reference(&mut self, reference: &str, instance: Option<String>) {
        let Some(open) = self.session.open() else { return };
        let focus = self.session.focus.path.as_ref().and_then(|(i, _)| i.instance.clone());
        let standing = open.tree().identities(open.step());
        let all = standing.iter().filter_map(|view| open.tree().identity(view.id).instance.clone());
        let tried: Vec<Option<String>> = match &instance {
            Some(_) => vec![instance.clone()],
            None => [focus, None].into_iter().chain(all.map(Some).take(INSTANCES_MAX)).collect(),
        };
        let resolve = |i: &Option<String>| open.run().resolve(reference, open.step(), i.as_deref(), None, open.bytes());
        let target = tried.iter().find_map(|i| resolve(i).target);
        let target = target.map(|(id, path)| (open.tree().identity(id).clone(), path));
        let status = resolve(&instance).status;
        drop(open);
        match target {
            Some(path) => {
                self.remember();
                self.focus_path(path);
                self.pane = Pane::State;
            }
            None => self.tell(format!("{reference} is {status} at this step")),
        }
    }

    /// Asks for the file that the value in focus names, if it names one and a folder of files was named.
    pub(super) fn ask_file(&mut self, effects: &mut Effects) -> bool {
        let id = self.session.open().filter(|_| self.session.files.is_some()).and_then(|open| {
            let (id, _) = open.focus_node()?;
            let (_, path) = self.session.focus.path.as_ref()?;
            Some((open.step(), open.run().file_id(id, path, open.step(), open.bytes())?))
        });
        let Some((step, id)) = id else { return false };
        self.is_asking = true;
        effects.push(Effect::File { generation: self.session.generation, step, id });
        true
    }

    /// Takes a file that was asked for.
    pub(in crate::app) fn show_file(&mut self, generation: u64, step: StepNo, name: String, lines: Vec<TextLine>) {
        let now = self.session.open().map(|open| (self.session.generation, open.step()));
        if now != Some((generation, step)) || !std::mem::take(&mut self.is_asking) {
            return;
        }
        self.remember();
        let mut reader = Reader::default();
        reader.set(lines);
        self.inspector.file = Some(FileShown { of: (generation, step), name, reader });
        self.inspector.tab = Tab::Message;
        self.pane = Pane::Inspector;
    }

    /// The first reference in the row under the cursor, and the instance that the call or message around it is of.
    pub(super) fn reference_in_row(&self, pane: Pane) -> Option<(String, Option<String>)> {
        let window = view::plain_window(self, pane);
        let row = window.rows.iter().find(|row| row.is_cursor)?;
        let reference = reference_highlight::first(&self.session.open()?, row)?;
        let view =
            Some(&self.inspector.message).filter(|_| (pane, self.inspector.tab) == (Pane::Inspector, Tab::Message));
        let node = view.and_then(|view| Some((view.doc()?, view.node(self.pane_extent(pane).width)?)));
        Some((reference, node.and_then(|(doc, node)| doc.around(node, "_instance"))))
    }

    pub(super) fn toggle_columns(&mut self) {
        self.columns.is_on = !self.columns.is_on;
        self.pane = Pane::State;
        if self.columns.is_on {
            self.move_in_columns(0, 0);
        } else if let Some(path) = self.session.focus.path.clone() {
            self.focus_path(path);
        }
    }

    /// Moves in the columns of State by paths and instances.
    pub(in crate::app) fn move_in_columns(&mut self, rows: isize, columns: isize) {
        let extent = self.pane_extent(Pane::State);
        let Self { session, columns: pane, .. } = self;
        let Some(open) = session.open() else { return };
        pane.sync(&open, extent);
        let path = pane.move_by(&open, rows, columns);
        drop(open);
        self.set_focus_path(path);
    }

    pub(super) fn ask_readers(&mut self, effects: &mut Effects) {
        match self.session.focus.path.clone() {
            Some((identity, path)) => {
                self.is_asking = true;
                effects.push(Effect::Readers { generation: self.session.generation, identity, path });
            }
            None => self.tell("no value in focus: move in State to one, then ask who reads it"),
        }
    }

    /// Takes the answer: who reads a value.
    pub(in crate::app) fn readers(&mut self, generation: u64, of: &(Identity, Vec<Key>), readers: Vec<ReadBy>) {
        if generation != self.session.generation || !std::mem::take(&mut self.is_asking) {
            return;
        }
        let Some(name) = self.session.open().map(|open| open.run().reference(&of.0, &of.1)) else { return };
        if readers.is_empty() {
            self.tell(format!("no call reads {name}"));
            return;
        }
        self.layer = Some(Layer::Menu(Menu::readers(&name, readers)));
    }
}
