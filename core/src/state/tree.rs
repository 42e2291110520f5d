//! The versioned tree: every node carries its versions, so the state at step k is a binary search per row shown.

use super::Stored;
use super::storage::children::Children;
use super::storage::identity_order::Order;
use super::storage::list_arena::Lists;
use super::storage::member_order::Epochs;
use super::storage::store::{Names, Node, StepStart};
use super::storage::versions::Versions;
use crate::json::{Key, Value};
use crate::model::cast;
use crate::model::{Chunks, Identity, StepNo};
use std::collections::HashMap;

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
    /// Replaces the subtree where it differs: a leaf that stays equal is not written, and keeps its author. For sources
    /// that give a whole value again (a snapshot, a configuration).
    Update,
    /// Replaces key by key, one level; on what is not an object as `Merge`.
    Assign,
    /// Appends the value to the array there; missing or null: starts from `[]`; another type: replaced by a new array.
    Push,
    /// Appends the elements of an array value; another value as `Push`.
    Concat,
    /// Removes the key (at the root: the value); the value given is not looked at. A path through an array or to
    /// nothing does nothing. An object that loses its last key is the leaf `{}` (A18 `erase`).
    Remove,
    /// Leaves what is there, which must be something.
    Keep,
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
    /// The value. A write with an op `Remove` merges nothing of it (A18), and may do without.
    pub value: Option<&'v Value<'v>>,
    /// Offset in the input of the text that `value` was parsed from; None: the text is nowhere in the input.
    pub base: Option<u64>,
    /// How the value acts at paths inside it (object keys only, each held by the value unless `Remove`); the rest of
    /// the value merges. The empty path is the root. Paths are not prefixes of one another (the shortest wins).
    pub ops: &'v [(Vec<Key>, Op)],
}

/// What a node is at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeShape {
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
    /// It was a leaf and is not one any more.
    Drop,
    /// Its identity was dropped (A4).
    Reset,
}

/// One event of the history.
#[derive(Debug, Clone)]
pub struct HistoryEvent {
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
    /// Its place among all writes of the tree, in the order in which they were made.
    pub number: u32,
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
    pub shape: NodeShape,
}

/// What the tree knows of an identity at a step, beside its value (A20, `CLI.md` IDENTITY).
#[derive(Debug, Clone)]
pub struct IdentityView {
    /// Its number.
    pub id: IdentityId,
    /// The root of its value; None when nothing was written or it was removed.
    pub root: Option<NodeId>,
    /// NodeShape of the root.
    pub shape: Option<NodeShape>,
}

/// The state of one run at every step.
///
/// All versions of all nodes are in one list in step order, which is the history; each node knows its own by number.
/// "At step k" is then a limit on these numbers: one search for the step, and one per node shown.
#[derive(Debug, Default)]
pub struct Tree {
    pub(super) identities: Vec<NamedIdentity>,
    pub(super) ids: HashMap<Identity, IdentityId>,
    pub(super) order: Order,
    pub(super) names: Names,
    pub(super) nodes: Chunks<Node>,
    pub(super) children: Children,
    /// Numbers of the versions of each node.
    pub(super) numbers: Lists<u32>,
    pub(super) versions: Versions,
    pub(super) starts: Chunks<StepStart>,
    pub(super) epochs: Epochs,
}

/// One identity that was named.
#[derive(Debug)]
pub(super) struct NamedIdentity {
    pub(super) identity: Identity,
    /// Made by its first write.
    pub(super) root: Option<NodeId>,
}

impl Tree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of an identity, made on first sight. An identity that was only looked up holds nothing.
    pub fn intern(&mut self, identity: &Identity) -> IdentityId {
        if let Some(id) = self.find(identity) {
            return id;
        }
        let id = IdentityId(cast::to_u32(self.identities.len()));
        self.identities.push(NamedIdentity { identity: identity.clone(), root: None });
        self.ids.insert(identity.clone(), id);
        id
    }

    /// Whether any object of any identity ever had a member of that name.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        self.names.has(name)
    }

    /// The number of an identity that was seen.
    #[must_use]
    pub fn find(&self, identity: &Identity) -> Option<IdentityId> {
        self.ids.get(identity).copied()
    }

    /// How many identities were named.
    #[must_use]
    pub fn identity_count(&self) -> usize {
        self.identities.len()
    }

    /// The identity that was named at a place, from 0.
    #[must_use]
    pub fn named_identity(&self, place: usize) -> Option<&Identity> {
        self.identities.get(place).map(|known| &known.identity)
    }

    /// The identity of a number.
    #[must_use]
    pub fn identity(&self, id: IdentityId) -> &Identity {
        &self.identities[id.0 as usize].identity
    }

    /// Notes that a step touched an identity without writing a value (a schema, a description): it takes its place in
    /// the order of first appearance.
    pub fn touch(&mut self, at: StepNo, id: IdentityId) {
        self.order.touch(at, id);
    }

    /// The order of identities at step `at` is this from now on (a rebuilt context, A4); those not named follow in
    /// their old order. Names of identities that do not exist are passed over.
    pub fn reorder(&mut self, at: StepNo, order: &[IdentityId]) {
        self.order.reorder(at, order);
    }

    /// From step `at` on these identities come after all others, in this order.
    pub fn put_identities_last(&mut self, at: StepNo, ids: &[IdentityId]) {
        self.order.put_last(at, ids);
    }

    /// The identities that are at a step, in order of first appearance (since their last reset).
    #[must_use]
    pub fn identities(&self, step: StepNo) -> Vec<IdentityView> {
        self.order.at(step).into_iter().map(|id| self.view_of(id, step)).collect()
    }

    /// One identity at a step; None before its first touch and after it was dropped.
    #[must_use]
    pub fn view(&self, id: IdentityId, step: StepNo) -> Option<IdentityView> {
        self.order.stands(id, step).then(|| self.view_of(id, step))
    }

    fn view_of(&self, id: IdentityId, step: StepNo) -> IdentityView {
        let root = self.identities[id.0 as usize].root;
        let shape = root.and_then(|root| self.shape(root, step));
        IdentityView { id, root: root.filter(|_| shape.is_some()), shape }
    }

    /// The [`number`](HistoryEvent::number) that the next event will have.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        cast::to_u32(self.versions.len())
    }
}
