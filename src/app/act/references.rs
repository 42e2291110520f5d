//! Following references, and who reads a value.

use crate::app::menu::Menu;
use crate::app::{App, Effect, Effects, Job, Layer, Pane};
use crate::format::plan::ValueReader;
use crate::json::Key;
use crate::model::{Identity, Problem, StepNo};
use crate::panes::openables::Openable;
use crate::panes::reading::Step;

/// Most instances in which a reference of a call without instance is looked up.
const INSTANCES_MAX: usize = 100;

impl App {
    /// Goes to the value that a reference names: in the instance that reads it; where none is known, in that of the
    /// focus, else in any.
    pub(in crate::app) fn follow_reference(&mut self, reference: &str, instance: Option<String>) {
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
            None => self.notify(format!("{reference} is {status} at this step")),
        }
    }

    pub(in crate::app) fn ask_readers(&mut self, effects: &mut Effects) {
        match self.session.focus.path.clone() {
            Some((identity, path)) => {
                self.is_asking = true;
                effects.push(Effect::Job(Job::Readers { generation: self.session.generation, identity, path }));
            }
            None => self.notify("no value in focus: move in State to one, then ask who reads it"),
        }
    }

    pub(in crate::app) fn ask_openables(&mut self, effects: &mut Effects) {
        let of = self.session.open().filter(|open| open.count() > 0).map(|open| Step::of(open.run(), open.step()));
        let generation = self.session.generation;
        effects.extend(of.map(|of| Effect::Job(Job::Openables { generation, of })));
    }

    /// Takes the answer: what of a step can be opened.
    pub(in crate::app) fn openables(&mut self, generation: u64, step: StepNo, found: Result<Vec<Openable>, Problem>) {
        if generation != self.session.generation || self.session.focus.step != step || self.layer.is_some() {
            return;
        }
        match found {
            Ok(found) if found.is_empty() => self.notify(format!("step {step} has no link and no image")),
            Ok(found) => self.layer = Some(Layer::Menu(Box::new(Menu::openables(found)))),
            Err(problem) => self.notify(format!("step {step} cannot be read: {problem}")),
        }
    }

    /// Takes the answer: who reads a value.
    pub(in crate::app) fn readers(&mut self, generation: u64, of: &(Identity, Vec<Key>), readers: Vec<ValueReader>) {
        if generation != self.session.generation || !std::mem::take(&mut self.is_asking) {
            return;
        }
        let Some(name) = self.session.open().map(|open| open.run().reference(&of.0, &of.1)) else { return };
        if readers.is_empty() {
            self.notify(format!("no call reads {name}"));
            return;
        }
        self.layer = Some(Layer::Menu(Box::new(Menu::readers(&name, readers))));
    }
}
