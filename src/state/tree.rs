//! The versioned tree: every node carries its versions, so the state at step k is a binary search per row shown.

use super::Stored;
use crate::json::{Key, Value};
use crate::model::{Bytes, Identity, StepNo};

/// Number of an identity in a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdentityId(pub u32);

/// Number of a node in a [`Tree`]: one path of one identity. Stable for the life of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// How a value acts at a path (A15 to A19).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Objects merge key by key, all else replaces (A15, A16). Merging `{}` into a non-empty object writes nothing.
    Merge,
    /// Replaces the subtree.
    Replace,
    /// Replaces key by key, one level; on what is no object as `Merge`.
    Assign,
    /// Appends the value to the array there; missing or null: starts from `[]`; another type: replaced by a new array.
    Push,
    /// Appends the elements of an array value; another value as `Push`.
    Concat,
    /// Removes the key (at the root: the value); the value given is not looked at. A path through an array or to
    /// nothing does nothing. An object that loses its last key is the leaf `{}` (A18 `erase`).
    Remove,
    /// As `Replace`, but the value is one leaf whatever it is (ADP slots, D20).
    Opaque,
}

/// One message's write to one identity.
#[derive(Debug, Clone)]
pub struct Write<'v> {
    /// Step from which the new versions hold.
    pub at: StepNo,
    /// Step whose message supplies the values; mostly `at`.
    pub author: StepNo,
    /// Where to.
    pub identity: IdentityId,
    /// The value; None only where every op is `Remove`.
    pub value: Option<&'v Value<'v>>,
    /// Offset in the input of the text that `value` was parsed from; None: the text stands nowhere in the input.
    pub base: Option<u64>,
    /// How the value acts at paths inside it (object keys only, each held by the value unless `Remove`); the rest of the
    /// value merges. The empty path is the root. Paths are not prefixes of one another (the shortest wins).
    pub ops: &'v [(Vec<Key>, Op)],
}

/// What a node is at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A scalar, or an opaque value: a leaf.
    Scalar,
    /// An object with members.
    Object,
    /// An array with elements.
    Array,
    /// `{}`: a leaf.
    EmptyObject,
    /// `[]`: a leaf.
    EmptyArray,
}

/// What a step did to a leaf (A30).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventOp {
    /// It was no leaf before.
    Add,
    /// Its text differs from before.
    Change,
    /// Written again with the same text.
    Same,
    /// It was a leaf and is none any more.
    Drop,
    /// Its identity was dropped (A4).
    Reset,
}

/// One event of the history.
#[derive(Debug, Clone)]
pub struct Event {
    /// The step at which it happened.
    pub at: StepNo,
    /// The step whose message supplies the value (of a drop or reset: `at`).
    pub author: StepNo,
    /// What happened.
    pub op: EventOp,
    /// The identity.
    pub identity: IdentityId,
    /// The node.
    pub node: NodeId,
    /// The value; None for drop and reset.
    pub value: Option<Stored>,
}

/// One leaf at a step, with its provenance (A28).
#[derive(Debug, Clone)]
pub struct Leaf {
    /// The node.
    pub node: NodeId,
    /// Its path below the identity.
    pub path: Vec<Key>,
    /// Its value (empty containers are `{}` and `[]`).
    pub value: Stored,
    /// The step whose message supplies it: the last that wrote it, also with the same value.
    pub step: StepNo,
    /// The last step after which it differed.
    pub changed: StepNo,
}

/// One member or element of a container at a step.
#[derive(Debug, Clone)]
pub struct Child {
    /// The node.
    pub node: NodeId,
    /// Its key.
    pub key: Key,
    /// What it is.
    pub shape: Shape,
}

/// What the tree knows of an identity at a step, beside its value (A20, `CLI.md` IDENTITY).
#[derive(Debug, Clone)]
pub struct IdentityView {
    /// Its number.
    pub id: IdentityId,
    /// The root of its value; None when nothing was written or it was removed.
    pub root: Option<NodeId>,
    /// Shape of the root.
    pub shape: Option<Shape>,
}

/// The state of one run at every step.
#[derive(Debug, Default)]
pub struct Tree {}

impl Tree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of an identity, made on first sight. An identity that was only looked up holds nothing.
    pub fn intern(&mut self, _identity: &Identity) -> IdentityId {
        todo!()
    }

    /// The number of an identity that was seen.
    #[must_use]
    pub fn find(&self, _identity: &Identity) -> Option<IdentityId> {
        todo!()
    }

    /// The identity of a number.
    #[must_use]
    pub fn identity(&self, _id: IdentityId) -> &Identity {
        todo!()
    }

    /// Notes that a step touched an identity without writing a value (a schema, a description): it takes its place in the
    /// order of first appearance.
    pub fn touch(&mut self, _at: StepNo, _id: IdentityId) {
        todo!()
    }

    /// Merges one message into the state. Writes come in step order.
    pub fn write(&mut self, _write: &Write<'_>) {
        todo!()
    }

    /// Drops a whole identity at a step, as an event `op` on each of its leaves (`Drop`, `Reset`); it may come back as new.
    pub fn drop_identity(&mut self, _at: StepNo, _id: IdentityId, _op: EventOp) {
        todo!()
    }

    /// Makes identity `id` from step `at` on what `built` (a tree folded anew, A4) holds at its last step: `drop` for every
    /// leaf that is gone (old order), then in the new order `add`, `change`, and `same` where `at`'s own message (author ==
    /// `at`) supplies an equal value; leaves whose supplier alone differs get their new author without an event.
    pub fn adopt(&mut self, _at: StepNo, _id: IdentityId, _built: &Tree, _built_id: IdentityId) {
        todo!()
    }

    /// The order of identities at step `at` is this from now on (a rebuilt context, A4); those not named follow in their old order.
    pub fn reorder(&mut self, _at: StepNo, _order: &[IdentityId]) {
        todo!()
    }

    /// The identities that stand at a step, in order of first appearance (since their last reset).
    #[must_use]
    pub fn identities(&self, _step: StepNo) -> Vec<IdentityView> {
        todo!()
    }

    /// One identity at a step; None before its first touch and after it was dropped.
    #[must_use]
    pub fn view(&self, _id: IdentityId, _step: StepNo) -> Option<IdentityView> {
        todo!()
    }

    /// Shape of a node at a step; None where it is absent.
    #[must_use]
    pub fn shape(&self, _node: NodeId, _step: StepNo) -> Option<Shape> {
        todo!()
    }

    /// Members or elements of a node at a step, in order; empty for leaves.
    #[must_use]
    pub fn children(&self, _node: NodeId, _step: StepNo) -> Vec<Child> {
        todo!()
    }

    /// How many there are.
    #[must_use]
    pub fn child_count(&self, _node: NodeId, _step: StepNo) -> usize {
        todo!()
    }

    /// The node at a path below an identity, whether or not it is present at any given step.
    #[must_use]
    pub fn node(&self, _id: IdentityId, _path: &[Key]) -> Option<NodeId> {
        todo!()
    }

    /// Identity and path of a node.
    #[must_use]
    pub fn path(&self, _node: NodeId) -> (IdentityId, Vec<Key>) {
        todo!()
    }

    /// The leaf at a node at a step (scalar, opaque or empty container); None where the node is no leaf.
    #[must_use]
    pub fn leaf(&self, _node: NodeId, _step: StepNo) -> Option<Leaf> {
        todo!()
    }

    /// Greatest `step` and greatest `changed` of the leaves at or below a node at a step.
    #[must_use]
    pub fn newest(&self, _node: NodeId, _step: StepNo) -> Option<(StepNo, StepNo)> {
        todo!()
    }

    /// All leaves at or below a node at a step, in document order.
    #[must_use]
    pub fn leaves(&self, _node: NodeId, _step: StepNo) -> Vec<Leaf> {
        todo!()
    }

    /// The value at a node at a step as compact JSON text; None where it is absent.
    #[must_use]
    pub fn text(&self, _node: NodeId, _step: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        todo!()
    }

    /// All events at or below a node up to and including a step, in the order of A30.
    #[must_use]
    pub fn history(&self, _node: NodeId, _step: StepNo) -> Vec<Event> {
        todo!()
    }

    /// The events of one step, in the order of A30.
    #[must_use]
    pub fn events(&self, _step: StepNo) -> Vec<Event> {
        todo!()
    }

    /// The next (`forward`) or previous step with an event at or below a node.
    #[must_use]
    pub fn neighbour(&self, _node: NodeId, _step: StepNo, _forward: bool) -> Option<StepNo> {
        todo!()
    }

    /// The value of the leaf at a node just before a step: what it replaced.
    #[must_use]
    pub fn before(&self, _node: NodeId, _step: StepNo) -> Option<Leaf> {
        todo!()
    }

    /// Steps that have events, with the number of events, in step order: for the timeline.
    pub fn activity(&self) -> impl Iterator<Item = (StepNo, usize)> {
        std::iter::empty()
    }
}
