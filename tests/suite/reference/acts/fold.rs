//! The state at every step, each folded anew from its context, and the events between them (A4, A13 to A31).

use super::message;
use super::steps::Step;
use super::tree::{self, Tree};
use crate::reference::json::J;
use crate::reference::path::Key;
use std::collections::BTreeMap;

/// Kind and instance.
pub(crate) type Id = (String, Option<String>);

/// One identity at a step.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) id: Id,
    pub(crate) steps: Vec<usize>,
    pub(crate) tree: Option<Tree>,
    pub(crate) schema: Option<(J, usize)>,
    pub(crate) description: Option<String>,
}

impl Identity {
    pub(crate) fn leaves(&self) -> Vec<(Vec<Key>, J, usize)> {
        let mut out = Vec::new();
        if let Some(tree) = &self.tree {
            tree.leaves(&mut Vec::new(), &mut out);
        }
        out
    }
}

/// What holds after a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// In the order of first appearance in the context.
    pub(crate) identities: Vec<Identity>,
    /// When a leaf last differed (A28).
    pub(crate) changed: BTreeMap<(Id, Vec<Key>), usize>,
}

impl State {
    pub(crate) fn get(&self, kind: &str, instance: Option<&str>) -> Option<&Identity> {
        self.identities.iter().find(|i| i.id.0 == kind && i.id.1.as_deref() == instance)
    }

    fn leaf(&self, id: &Id, path: &[Key]) -> Option<(J, usize)> {
        match self.get(&id.0, id.1.as_deref())?.tree.as_ref()?.at(path)? {
            Tree::Leaf(value, step) => Some((value.clone(), *step)),
            _ => None,
        }
    }
}

/// What happened to a leaf (A30).
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: Id,
    pub(crate) step: usize,
    pub(crate) op: &'static str,
    pub(crate) path: Vec<Key>,
    pub(crate) value: Option<J>,
    /// The step whose tool and date it has.
    pub(crate) by: Option<usize>,
}

/// Folds messages from nothing.
pub(crate) fn fold(steps: &[Step], context: &[usize]) -> State {
    let mut state = State::default();
    context.iter().for_each(|step| drop(add(&mut state, steps, *step)));
    state
}

/// Adds one message; the leaves written and the targets where the method did not fit.
pub(crate) fn add(state: &mut State, steps: &[Step], step: usize) -> (Vec<Vec<Key>>, Vec<Vec<Key>>) {
    let Some(data) = &steps[step].data else { return (Vec::new(), Vec::new()) };
    let id = (data.kind.clone(), data.instance.clone());
    let place = state.identities.iter().position(|i| i.id == id).unwrap_or_else(|| {
        let new = Identity { id: id.clone(), steps: Vec::new(), tree: None, schema: None, description: None };
        state.identities.push(new);
        state.identities.len() - 1
    });
    let identity = &mut state.identities[place];
    identity.steps.push(step);
    if let Some(schema) = &data.schema {
        identity.schema = Some((schema.plain(), step));
    }
    if let Some(description) = &data.description {
        identity.description = Some(description.clone());
    }
    let (tree, writer) = tree::apply(data, step, identity.tree.take());
    identity.tree = tree;
    (writer.writes, writer.misfits)
}

/// The states after all steps, and all events in order.
pub(crate) fn run(steps: &[Step]) -> (Vec<State>, Vec<Event>) {
    let (mut states, mut events): (Vec<State>, Vec<Event>) = (Vec::new(), Vec::new());
    let (mut before, mut context) = (State::default(), Vec::new());
    for (n, step) in steps.iter().enumerate() {
        if step.is_reset {
            for identity in &before.identities {
                for (path, _, _) in identity.leaves() {
                    events.push(Event { id: identity.id.clone(), step: n, op: "reset", path, value: None, by: None });
                }
            }
            (before, context) = (State::default(), Vec::new());
        }
        let mut after = fold(steps, &step.context);
        context.push(n);
        if step.context == context {
            appended(steps, n, &before, &after, &mut events);
        } else {
            rebuilt(n, &before, &after, &mut events);
        }
        for identity in &after.identities {
            for (path, value, _) in identity.leaves() {
                let key = (identity.id.clone(), path);
                let old = before.leaf(&key.0, &key.1).filter(|(old, _)| old.compact() == value.compact());
                let changed = old.and_then(|_| before.changed.get(&key).copied()).unwrap_or(n);
                after.changed.insert(key, changed);
            }
        }
        context.clone_from(&step.context);
        before = after.clone();
        states.push(after);
    }
    (states, events)
}

/// The event of a leaf that is there afterwards.
fn leaf_event(id: &Id, n: usize, path: &[Key], before: &State, after: &State) -> Option<Event> {
    let (value, by) = after.leaf(id, path)?;
    let op = match before.leaf(id, path) {
        None => "add",
        Some((old, _)) if old.compact() != value.compact() => "change",
        Some(_) => "same",
    };
    Some(Event { id: id.clone(), step: n, op, path: path.to_vec(), value: Some(value), by: Some(by) })
}

fn drops(n: usize, by: Option<usize>, before: &State, after: &State, events: &mut Vec<Event>) {
    for identity in &before.identities {
        for (path, _, _) in identity.leaves() {
            if after.leaf(&identity.id, &path).is_none() {
                events.push(Event { id: identity.id.clone(), step: n, op: "drop", path, value: None, by });
            }
        }
    }
}

fn appended(steps: &[Step], n: usize, before: &State, after: &State, events: &mut Vec<Event>) {
    events.extend(message_events(steps, n, before, after));
}

/// What the message of a step does where it is the last of the context.
pub(crate) fn message_events(steps: &[Step], n: usize, before: &State, after: &State) -> Vec<Event> {
    let mut events = Vec::new();
    let Some(data) = &steps[n].data else { return events };
    drops(n, Some(n), before, after, &mut events);
    let id = (data.kind.clone(), data.instance.clone());
    let (writes, _) = add(&mut before.clone(), steps, n);
    events.extend(writes.iter().filter_map(|path| leaf_event(&id, n, path, before, after)));
    events
}

fn rebuilt(n: usize, before: &State, after: &State, events: &mut Vec<Event>) {
    drops(n, None, before, after, events);
    for identity in &after.identities {
        for (path, _, _) in identity.leaves() {
            let event = leaf_event(&identity.id, n, &path, before, after);
            events.extend(event.filter(|event| event.op != "same" || event.by == Some(n)));
        }
    }
}

/// Members of who supplied a value.
pub(crate) fn attribution(steps: &[Step], by: Option<usize>) -> Vec<(&'static str, J)> {
    let Some(message) = by.map(|by| &steps[by].message) else { return Vec::new() };
    let tool = message::tool(message).map(|tool| ("tool", J::Str(tool)));
    let date = message::date(message).map(|date| ("date", J::Str(date)));
    tool.into_iter().chain(date).collect()
}
