//! What the messages behind a new one write, and so which part of the new one shows in the state (A4, A15, A16).

use super::write::Planned;
use crate::json::{Data, Key, Value};
use crate::model::StepNo;
use crate::state::{IdentityId, NodeId, Op, Tree, Write};
use std::collections::{HashMap, HashSet};

/// The places that messages write which only merge, each of them either objects or other values throughout: whatever
/// is there before them, they merge with it in the same way.
#[derive(Debug, Default)]
pub(super) struct Cover {
    root: Place,
    /// The last message with a schema, and the last with a description: which of the messages it is, and its step.
    pub(super) schema: Option<(usize, StepNo)>,
    pub(super) description: Option<(usize, StepNo)>,
    is_unfit: bool,
}

#[derive(Debug, Default)]
struct Place {
    /// The number of the last message that writes here.
    last: usize,
    content: Content,
    members: HashMap<Box<str>, Place>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Content {
    #[default]
    Unknown,
    Object,
    /// A scalar or an array: it covers what is below.
    Whole,
}

/// How a new message meets those behind it.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    /// What it writes, and what it leaves to the messages behind it.
    ops: Vec<(Vec<Key>, Op)>,
    /// Objects to which it gives new members: those, if some are there already, and what messages behind it alone give,
    /// which comes after them.
    objects: Vec<(Vec<Key>, [Vec<Key>; 2])>,
}

impl Cover {
    /// Takes the next message.
    pub(super) fn add(&mut self, number: usize, author: StepNo, planned: &Planned<'_>) {
        let is_plain = planned.ops.is_empty() && !planned.is_erase;
        let value = planned.value.as_deref();
        self.is_unfit |= !is_plain || value.is_some_and(|value| !self.root.add(number, value));
        if planned.schema.is_some() {
            self.schema = Some((number, author));
        }
        if planned.description.is_some() {
            self.description = Some((number, author));
        }
    }

    /// How a new message meets those from a number on. `head` is the state without them, `state` with them. None
    /// where more changes than what the new message writes.
    pub(super) fn meet(
        &self,
        from: usize,
        planned: &Planned<'_>,
        head: (&Tree, IdentityId),
        state: (&Tree, IdentityId),
    ) -> Option<Meeting> {
        let is_free = |path: &[Key]| self.root.is_free(from, path);
        if self.is_unfit || !planned.ops.iter().all(|(path, _)| is_free(path)) {
            return None;
        }
        let mut meeting = Meeting { ops: planned.ops.clone(), objects: Vec::new() };
        let mut walk = Walk { from, head, state, path: Vec::new(), meeting: &mut meeting };
        planned.value.as_deref().is_none_or(|value| walk.go(&self.root, value)).then_some(meeting)
    }
}

impl Place {
    /// Whether it is of one content with what was there.
    fn add(&mut self, number: usize, value: &Value<'_>) -> bool {
        self.last = number;
        let content = match &value.data {
            // It writes nothing or all, as what it meets has members or not.
            Data::Object(object) if object.is_empty() => return false,
            Data::Object(_) => Content::Object,
            _ => Content::Whole,
        };
        if self.content != Content::Unknown && self.content != content {
            return false;
        }
        self.content = content;
        let mut members = value.as_object().into_iter().flat_map(|object| object.entries());
        members.all(|(name, part)| self.members.entry(name.into()).or_default().add(number, part))
    }

    /// Whether no message from a number on writes at a path, below it, or a value that covers it.
    fn is_free(&self, from: usize, path: &[Key]) -> bool {
        if self.content == Content::Unknown || self.last < from {
            return true;
        }
        match path.split_first() {
            Some((Key::Name(name), rest)) if self.content == Content::Object => {
                self.members.get(name).is_none_or(|place| place.is_free(from, rest))
            }
            _ => false,
        }
    }
}

struct Walk<'w> {
    from: usize,
    head: (&'w Tree, IdentityId),
    state: (&'w Tree, IdentityId),
    path: Vec<Key>,
    meeting: &'w mut Meeting,
}

impl Walk<'_> {
    fn go(&mut self, place: &Place, value: &Value<'_>) -> bool {
        if place.content == Content::Unknown || place.last < self.from {
            return true;
        }
        let object = value.as_object().filter(|object| !object.is_empty());
        let object = match (place.content, object) {
            (Content::Whole, _) => {
                self.meeting.ops.push((self.path.clone(), Op::Keep));
                return true;
            }
            (_, Some(object)) => object,
            _ => return false,
        };
        let [head, state] = [self.head, self.state].map(|(tree, id)| (tree, tree.node(id, &self.path)));
        let count = |(tree, node): (&Tree, Option<NodeId>)| node.map_or(0, |node| tree.member_count(node));
        let has =
            |(tree, node): (&Tree, Option<NodeId>), name: &str| node.is_some_and(|node| tree.has_member(node, name));
        if count(head) < count(state) {
            let new: HashSet<&str> = object.entries().map(|(name, _)| name).filter(|name| !has(head, name)).collect();
            if !new.is_empty() {
                let is_rest =
                    |name: &str, part: &Place| part.last >= self.from && !new.contains(name) && !has(head, name);
                let rest = place.members.iter().filter(|(name, part)| is_rest(name, part));
                let rest = rest.map(|(name, _)| Key::Name(name.clone())).collect();
                // Those that come with this write come last by themselves.
                let is_moved = new.iter().any(|name| has(state, name));
                let moved = object.entries().map(|(name, _)| name).filter(|name| is_moved && new.contains(name));
                self.meeting.objects.push((self.path.clone(), [moved.map(Key::name).collect(), rest]));
            }
        }
        object.entries().all(|(name, part)| {
            let Some(place) = place.members.get(name) else { return true };
            self.path.push(Key::name(name));
            let is_met = self.go(place, part);
            self.path.pop();
            is_met
        })
    }
}

impl Meeting {
    /// Writes what shows of the new message.
    pub(super) fn write(&self, tree: &mut Tree, write: &Write<'_>) {
        tree.write_between(&Write { ops: &self.ops, ..write.clone() }, &self.objects);
    }
}
