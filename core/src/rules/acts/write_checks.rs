//! What a write means for the state that it meets: `type-change`, `method-type`, `no-op-write` (A19, A44).

use super::finding::{METHOD_TYPE, NO_OP_WRITE, Note, TYPE_CHANGE};
use super::reference::canonical;
use super::write::Planned;
use crate::json::{Key, Value};
use crate::model::StepNo;
use crate::state::{EventOp, IdentityId, NodeShape, Op, Tree};
use std::collections::HashMap;

/// A19, A44: what is to be said before the write is made; `tree` holds the state that it meets.
pub(super) fn before(tree: &Tree, id: IdentityId, planned: &Planned<'_>, notes: &mut Vec<Note>) {
    if let Some(value) = planned.value.as_deref() {
        // Of repeated paths the first counts.
        let ops = planned.ops.iter().rev().map(|(path, op)| (path.as_slice(), *op)).collect();
        let mut judge = Judge { tree, id, planned, ops, path: Vec::new(), notes };
        judge.compare(value);
    }
}

/// A44: `no-op-write`, when every leaf that the step wrote was `same`; called after the write.
pub(super) fn after(tree: &Tree, at: StepNo, id: IdentityId, notes: &mut Vec<Note>) {
    let mut events = tree.events(at).into_iter().filter(|e| e.identity == id).peekable();
    if events.peek().is_some() && events.all(|e| e.op == EventOp::Same) {
        let kind = &tree.identity(id).kind;
        let text = "the message writes only what is there already";
        notes.push(Note::at(NO_OP_WRITE, canonical(kind, &[]), text));
    }
}

struct Judge<'j> {
    tree: &'j Tree,
    id: IdentityId,
    planned: &'j Planned<'j>,
    ops: HashMap<&'j [Key], Op>,
    path: Vec<Key>,
    notes: &'j mut Vec<Note>,
}

impl Judge<'_> {
    /// Compares a value with what is at its path, down to the topmost differences.
    fn compare(&mut self, value: &Value<'_>) {
        let Some(old) = self.old_type() else { return };
        let planned_op = self.ops.get(self.path.as_slice()).copied();
        let appends = matches!(planned_op, Some(Op::Push | Op::Concat));
        let wanted = match planned_op {
            Some(Op::Push | Op::Concat) => Some("array"),
            Some(Op::Assign | Op::Merge) => Some("object"),
            _ => None,
        };
        if let Some(wanted) = wanted.filter(|w| *w != old && old != "null") {
            let text = format!("the method needs an {wanted} and meets a value of type {old}");
            self.note(METHOD_TYPE, &text);
        }
        let new = if appends { "array" } else { value.type_name() };
        if old != new {
            if old != "null" && new != "null" {
                self.note(TYPE_CHANGE, &format!("the type changes from {old} to {new}"));
            }
            return;
        }
        if !appends {
            self.compare_parts(value);
        }
    }

    fn compare_parts(&mut self, value: &Value<'_>) {
        if let Some(object) = value.as_object() {
            for (key, part) in object.entries() {
                self.below(Key::name(key), part);
            }
        }
        for (index, part) in (0..).zip(value.as_array().unwrap_or_default()) {
            self.below(Key::Index(index), part);
        }
    }

    fn below(&mut self, key: Key, part: &Value<'_>) {
        self.path.push(key);
        self.compare(part);
        self.path.pop();
    }

    /// JSON type of what is at the path now.
    fn old_type(&self) -> Option<&'static str> {
        let node = self.tree.node(self.id, &self.path)?;
        Some(match self.tree.shape(node, StepNo::MAX)? {
            NodeShape::Object | NodeShape::EmptyObject => "object",
            NodeShape::Array | NodeShape::EmptyArray => "array",
            NodeShape::Scalar => match self.tree.leaf(node, StepNo::MAX)?.value.first_byte() {
                b'"' => "string",
                b't' | b'f' => "boolean",
                b'n' => "null",
                b'{' => "object",
                b'[' => "array",
                _ => "number",
            },
        })
    }

    fn note(&mut self, rule: &'static str, text: &str) {
        self.notes.push(Note::at(rule, canonical(&self.planned.identity.kind, &self.path), text));
    }
}
