//! Answers about a state that is addressed by pointers: `/kind/instance/slot` (D20).
//!
//! Formats without references of their own share them: trajectories of the Agent Data Protocol and the logs of agents.

use super::{Answer, Resolved};
use crate::json::{self, Key};
use crate::model::{Bytes, HEAD, Problem, StepNo};
use crate::rules::slot_pointer::{Pointer, slot_pointer};
use crate::state::{IdentityId, Leaf, NodeId, NodeShape, Tree};
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;

/// The state of a run at a step, as pointers name it.
pub(super) struct Slots<'t> {
    pub(super) tree: &'t Tree,
    pub(super) step: StepNo,
}

impl Slots<'_> {
    /// A PATH of the command line.
    pub(super) fn locate(&self, path: &str) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem> {
        let pointer = Pointer::parse(path).ok_or_else(|| {
            Problem::usage(format!("{path:?} is not a slot pointer"))
                .hint("write /kind/instance/slot, as /tool/click/calls")
        })?;
        Ok(self.named(&pointer).map(|id| (id, self.below(id, &pointer))).collect())
    }

    /// `state --json`: the whole state, and the step that wrote each leaf.
    pub(super) fn answer(&self, bytes: &dyn Bytes) -> Answer {
        let everything = Pointer::default();
        let mut blame = serde_json::Map::new();
        for leaf in self.leaves(&everything) {
            blame.insert(leaf.0, step_member(leaf.1.step).into());
        }
        vec![("state", exact(self.value(&everything, bytes))), ("blame", raw(&blame))]
    }

    /// `resolve`.
    pub(super) fn resolve(&self, reference: &str, bytes: &dyn Bytes) -> Resolved {
        let answer = |status: &'static str, rest: Answer| {
            let fields = vec![("ref", raw(reference)), ("status", raw(status))];
            Resolved { is_ok: status == "ok", status, fields: fields.into_iter().chain(rest).collect(), target: None }
        };
        let Some(pointer) = Pointer::parse(reference) else { return answer("invalid", Answer::new()) };
        let named: Vec<IdentityId> = self.named(&pointer).collect();
        let leaves: Vec<Leaf> = self.leaves(&pointer).map(|(_, leaf)| leaf).collect();
        if leaves.is_empty() {
            let reason = if named.is_empty() { "kind" } else { "path" };
            return answer("missing", vec![("reason", raw(reason))]);
        }
        let newest = |of: fn(&Leaf) -> StepNo| leaves.iter().map(of).max().and_then(step_member);
        let rest = vec![
            ("value", exact(self.value(&pointer, bytes))),
            ("from", raw(reference)),
            ("instance", raw(&pointer.instance)),
            ("wrote", raw(&newest(|l| l.step))),
            ("changed", raw(&newest(|l| l.changed))),
        ];
        let first = named.first().filter(|_| pointer.instance.is_some());
        let target = first.map(|id| (*id, self.below(*id, &pointer)));
        Resolved { target, ..answer("ok", rest) }
    }

    /// The identities that a pointer names, in order of first appearance.
    fn named(&self, pointer: &Pointer) -> impl Iterator<Item = IdentityId> {
        let all = self.tree.identities(self.step).into_iter().map(|view| view.id);
        all.filter(|id| pointer.names(self.tree.identity(*id)))
    }

    /// The path of a pointer below an identity: a number is an index where an array is.
    fn below(&self, id: IdentityId, pointer: &Pointer) -> Vec<Key> {
        let mut path: Vec<Key> = Vec::with_capacity(pointer.path.len());
        for key in &pointer.path {
            let is_array = || {
                let node = self.tree.node(id, &path)?;
                Some(self.tree.shape(node, self.step)? == NodeShape::Array)
            };
            let index = match key {
                Key::Name(name) => name.parse().ok().filter(|_| is_array() == Some(true)),
                Key::Index(_) => None,
            };
            path.push(index.map_or_else(|| key.clone(), Key::Index));
        }
        path
    }

    fn node(&self, id: IdentityId, pointer: &Pointer) -> Option<NodeId> {
        self.tree.node(id, &self.below(id, pointer))
    }

    /// The slots that a pointer names, each with its own pointer.
    fn leaves(&self, pointer: &Pointer) -> impl Iterator<Item = (String, Leaf)> {
        self.named(pointer).flat_map(move |id| {
            let leaves = self.node(id, pointer).map(|node| self.tree.leaves(node, self.step)).unwrap_or_default();
            let identity = self.tree.identity(id);
            leaves.into_iter().map(move |leaf| (slot_pointer(identity, &leaf.path), leaf))
        })
    }

    /// What a pointer names, as JSON: a slot's value, or an object of what is below it.
    fn value(&self, pointer: &Pointer, bytes: &dyn Bytes) -> String {
        let text = |id: IdentityId| self.tree.text(self.node(id, pointer)?, self.step, bytes);
        let instances = |kind: Option<&str>| {
            let ids = self.named(pointer).filter(|id| kind.is_none_or(|k| self.tree.identity(*id).kind == k));
            let name = |id: &IdentityId| self.tree.identity(*id).instance.clone().unwrap_or_default();
            object(ids.filter_map(|id| Some((name(&id), text(id)?))))
        };
        if pointer.instance.is_some() {
            return self.named(pointer).find_map(text).unwrap_or_else(|| "null".to_owned());
        }
        if pointer.kind.is_some() {
            return instances(None);
        }
        let mut kinds: Vec<&str> = Vec::new();
        for id in self.named(pointer) {
            let kind = self.tree.identity(id).kind.as_str();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        object(kinds.into_iter().map(|kind| (kind.to_owned(), instances(Some(kind)))))
    }
}

/// An object of members that are JSON texts.
fn object(members: impl Iterator<Item = (String, String)>) -> String {
    let mut out = String::from("{");
    for (i, (key, value)) in members.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{}:{value}", json::quote(&key));
    }
    out.push('}');
    out
}

/// A step for `--json`: what was before any step has none.
fn step_member(step: StepNo) -> Option<StepNo> {
    (step != HEAD).then_some(step)
}

fn raw<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}

/// A value from JSON text; null for a text that the input no longer holds whole.
fn exact(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_default()
}
