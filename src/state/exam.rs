//! Values checked against their schemas, step by step, beside the run (A42); what came of it at every step.
//!
//! An [`Exam`] works in two halves so that nobody waits for it: while it looks, it reads the tree; while it judges, it
//! needs only itself. [`Verdicts`] are what it found: for every violation from which step to which it held.

use super::schema::{Schema, Schemas, Violation};
use super::{Event, EventOp, IdentityId, Tree};
use crate::json::Key;
use crate::model::{Bytes, StepNo};
use serde_json::Value as Plain;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A schema as a step brought it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaUse {
    /// Number of its text: equal texts, equal numbers.
    pub number: u32,
    /// Whether it describes each element of the value and not the whole (A11).
    pub is_each: bool,
}

/// One check in progress. It keeps a second copy of each value that has a schema.
#[derive(Debug, Default)]
pub struct Exam {
    next: StepNo,
    schemas: Schemas,
    /// By number; of those that are no valid schemas, why.
    compiled: HashMap<u32, Result<Arc<Schema>, String>>,
    held: HashMap<IdentityId, Held>,
    /// What the step at hand brings: its schema, the text of one that is new, the identities to judge.
    brought: Option<u32>,
    text: Option<String>,
    changed: BTreeSet<IdentityId>,
}

/// One identity that has a schema.
#[derive(Debug)]
struct Held {
    schema: SchemaUse,
    /// None: no value, or none that can be checked.
    value: Option<Plain>,
    /// Elements that the step touched; None: all of it.
    touched: Option<BTreeSet<u32>>,
    /// What held after its previous step.
    violations: BTreeMap<Vec<Key>, Violation>,
    /// It has gone from the context, or its schema has.
    is_gone: bool,
}

/// What one step made of the violations.
#[derive(Debug, Default)]
pub struct Judgement {
    pub(super) at: StepNo,
    /// Why the schema that it brought is none.
    pub(super) fault: Option<String>,
    pub(super) changes: Vec<(IdentityId, Vec<Change>)>,
}

/// What became of one path.
#[derive(Debug)]
pub(super) enum Change {
    Begun(Violation),
    /// Still a violation, for another reason.
    Turned(Violation),
    Ended {
        path: Vec<Key>,
        is_repaired: bool,
    },
}

impl Exam {
    /// The step to look at next.
    #[must_use]
    pub fn next(&self) -> StepNo {
        self.next
    }

    /// Passes over all steps before this one, of which none has a schema.
    pub fn skip_to(&mut self, step: StepNo) {
        self.next = self.next.max(step);
    }

    /// A20: the step at hand brings a schema; `text` is asked for where its number is new.
    pub fn learn(&mut self, number: u32, text: impl FnOnce() -> Option<String>) {
        self.brought = Some(number);
        self.text = if self.compiled.contains_key(&number) { None } else { text() };
    }

    /// Whether an identity had a schema so far.
    #[must_use]
    pub fn holds(&self, id: IdentityId) -> bool {
        self.held.contains_key(&id)
    }

    /// A42: the step at hand touched an identity, which now has this schema. `events` are all events of the step.
    pub fn look(
        &mut self,
        tree: &Tree,
        id: IdentityId,
        schema: Option<SchemaUse>,
        events: &[Event],
        bytes: &dyn Bytes,
    ) {
        let at = self.next;
        let root = tree.view(id, at).and_then(|view| view.root);
        let Some(schema) = schema else {
            if let Some(held) = self.held.get_mut(&id) {
                (held.value, held.touched, held.is_gone) = (None, None, root.is_none());
                self.changed.insert(id);
            }
            return;
        };
        let own: Vec<&Event> = events.iter().filter(|e| e.identity == id && e.op != EventOp::Same).collect();
        let new = || Held { schema, value: None, touched: None, violations: BTreeMap::new(), is_gone: false };
        let held = self.held.entry(id).or_insert_with(new);
        let is_same = held.schema == schema && held.value.is_some();
        if is_same && own.is_empty() {
            return;
        }
        held.schema = schema;
        held.touched = None;
        held.is_gone = root.is_none();
        held.value = root.and_then(|root| match held.value.take() {
            Some(mut value) => {
                tree.bring_up(&mut value, root, at, &own, bytes)?;
                if is_same {
                    held.touched = own.iter().map(|e| first_index(tree, e)).collect();
                }
                Some(value)
            }
            None => tree.plain(root, at, bytes),
        });
        self.changed.insert(id);
    }

    /// Compiles and checks what the step at hand brought, and goes on to the next.
    pub fn judge(&mut self) -> Judgement {
        let at = self.next;
        self.next += 1;
        let mut judgement = Judgement { at, ..Judgement::default() };
        if let Some(number) = self.brought.take() {
            if let Some(text) = self.text.take() {
                self.compiled.insert(number, self.schemas.get(&text));
            }
            judgement.fault = self.compiled.get(&number).and_then(|made| made.as_ref().err()).cloned();
        }
        for id in std::mem::take(&mut self.changed) {
            let Some(held) = self.held.get_mut(&id) else { continue };
            let schema = self.compiled.get(&held.schema.number).and_then(|made| made.as_deref().ok());
            let changes = held.judge(schema);
            if !changes.is_empty() {
                judgement.changes.push((id, changes));
            }
            if held.value.is_none() {
                self.held.remove(&id);
            }
        }
        judgement
    }
}

/// The element that an event touched, of a value that is an array.
fn first_index(tree: &Tree, event: &Event) -> Option<u32> {
    match tree.path(event.node).1.first() {
        Some(Key::Index(index)) => Some(*index),
        _ => None,
    }
}

impl Held {
    /// A42: what breaks the schema now, against what did before.
    fn judge(&mut self, schema: Option<&Schema>) -> Vec<Change> {
        let new = match (schema, &self.value) {
            (Some(schema), Some(value)) => self.violations(schema, value),
            _ => BTreeMap::new(),
        };
        let mut changes = Vec::new();
        for path in self.violations.keys().filter(|path| !new.contains_key(*path)) {
            let is_there = self.value.as_ref().is_some_and(|value| has(value, path));
            changes.push(Change::Ended { path: path.clone(), is_repaired: is_there || !self.is_gone });
        }
        for (path, violation) in &new {
            match self.violations.get(path) {
                None => changes.push(Change::Begun(violation.clone())),
                Some(old) if old.message != violation.message => changes.push(Change::Turned(violation.clone())),
                Some(_) => {}
            }
        }
        self.violations = new;
        changes
    }

    fn violations(&self, schema: &Schema, value: &Plain) -> BTreeMap<Vec<Key>, Violation> {
        let keyed = |v: Violation| (v.path.clone(), v);
        let items = match value {
            Plain::Array(items) if self.schema.is_each => items,
            _ => return schema.violations(value).into_iter().map(keyed).collect(),
        };
        let element = |path: &[Key]| match path.first() {
            Some(Key::Index(index)) => Some(*index),
            _ => None,
        };
        let is_kept =
            |index: u32| self.touched.as_ref().is_some_and(|t| !t.contains(&index)) && (index as usize) < items.len();
        let old = self.violations.iter().filter(|(path, _)| element(path).is_some_and(is_kept));
        let mut all: BTreeMap<_, _> = old.map(|(path, violation)| (path.clone(), violation.clone())).collect();
        let touched: Vec<u32> = match &self.touched {
            Some(touched) => touched.iter().copied().collect(),
            None => (0..items.len() as u32).collect(),
        };
        for index in touched {
            let found = items.get(index as usize).map(|item| schema.violations(item)).unwrap_or_default();
            all.extend(found.into_iter().map(|mut v| {
                v.path.insert(0, Key::Index(index));
                keyed(v)
            }));
        }
        all
    }
}

/// Whether a value has something at a path.
fn has(value: &Plain, path: &[Key]) -> bool {
    let found = path.iter().try_fold(value, |at, key| match key {
        Key::Name(name) => at.get(name.as_ref()),
        Key::Index(index) => at.get(*index as usize),
    });
    found.is_some()
}
