//! How the tree keeps nodes, versions and the order of members. Nothing here knows how values merge.

use super::list_arena::List;
use super::member_order::MemberEpoch;
use super::versions::{Attribution, Version, VersionContent};
use crate::json::Key;
use crate::model::StepNo;
use crate::model::cast;
use crate::state::{NodeId, Stored, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// No node, no version.
pub(in crate::state) const NONE: u32 = u32::MAX;

/// Marks a packed key as an index.
const INDEX: u32 = 1 << 31;

/// One path of one identity.
#[derive(Debug)]
pub(in crate::state) struct Node {
    /// [`NONE`] for a root.
    pub(in crate::state) parent: u32,
    /// An index with the bit [`INDEX`], else the number of a name; of a root the number of its identity.
    pub(in crate::state) key: u32,
    /// Its place in the parent's latest epoch.
    pub(in crate::state) entry: u32,
    /// The child made last, whether or not it is present.
    newest_child: u32,
    /// The child of the same parent that was made before.
    older_sibling: u32,
    /// Numbers of its versions, ascending.
    versions: List,
}

impl Node {
    pub(in crate::state) fn new(parent: u32, key: u32) -> Self {
        Self { parent, key, entry: 0, newest_child: NONE, older_sibling: NONE, versions: List::default() }
    }
}

/// Where the versions of a step begin.
#[derive(Debug)]
pub(in crate::state) struct StepStart {
    pub(in crate::state) at: StepNo,
    /// Number of its first version.
    pub(in crate::state) first: u32,
    /// How many of its versions are events.
    pub(in crate::state) events: u32,
}

/// Names of members, each kept once.
#[derive(Debug, Default)]
pub(in crate::state) struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let text: Arc<str> = name.into();
        let number = cast::to_u32(self.texts.len());
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    pub(in crate::state) fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }
}

impl Tree {
    pub(in crate::state) fn get(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    pub(in crate::state) fn version(&self, number: u32) -> Version {
        self.versions.get(number)
    }

    /// Who supplied the value of a version, and since when it is this.
    pub(in crate::state) fn attribution(&self, number: u32) -> Attribution {
        self.versions.attribution(number, || self.step_of(number))
    }

    /// Numbers of a node's versions, ascending.
    fn numbers(&self, node: NodeId) -> &[u32] {
        self.numbers.of(self.get(node).versions)
    }

    /// Numbers of a node's versions, ascending.
    pub(in crate::state) fn versions_of(&self, node: NodeId) -> impl DoubleEndedIterator<Item = u32> {
        self.numbers(node).iter().copied()
    }

    /// Number of the last version of a node below a limit.
    pub(in crate::state) fn before_limit(&self, node: NodeId, limit: u32) -> Option<u32> {
        let numbers = self.numbers(node);
        numbers.partition_point(|v| *v < limit).checked_sub(1).map(|i| numbers[i])
    }

    /// Numbers of a node's versions from one number up to another, ascending.
    pub(in crate::state) fn numbers_between(&self, node: NodeId, from: u32, limit: u32) -> &[u32] {
        let numbers = self.numbers(node);
        &numbers[numbers.partition_point(|v| *v < from)..numbers.partition_point(|v| *v < limit)]
    }

    /// Number of the version of a node that follows one of its versions.
    pub(in crate::state) fn next_version(&self, node: NodeId, number: u32) -> Option<u32> {
        let numbers = self.numbers(node);
        numbers.get(numbers.partition_point(|v| *v <= number)).copied()
    }

    /// The limit that means "up to and including this step".
    pub(in crate::state) fn limit(&self, step: StepNo) -> u32 {
        let next = self.starts.partition_point(|s| s.at <= step);
        self.starts.get(next).map_or(cast::to_u32(self.versions.len()), |s| s.first)
    }

    /// The limit that means "before this step".
    pub(in crate::state) fn limit_before(&self, step: StepNo) -> u32 {
        step.checked_sub(1).map_or(0, |before| self.limit(before))
    }

    /// The step of a version.
    pub(in crate::state) fn step_of(&self, number: u32) -> StepNo {
        let next = self.starts.partition_point(|s| s.first <= number);
        self.starts[next - 1].at
    }

    /// The version of a node that holds below a limit.
    pub(in crate::state) fn at(&self, node: NodeId, limit: u32) -> Option<Version> {
        self.before_limit(node, limit).map(|v| self.version(v))
    }

    /// The last version of a node.
    pub(in crate::state) fn last(&self, node: NodeId) -> Option<Version> {
        self.at(node, NONE)
    }

    /// What a node is now.
    pub(in crate::state) fn now(&self, node: NodeId) -> VersionContent {
        self.last(node).map_or(VersionContent::Absent, |v| v.what)
    }

    /// The value of a leaf.
    pub(in crate::state) fn value(&self, what: VersionContent) -> Option<Stored> {
        match what {
            VersionContent::Leaf(location) => Some(self.versions.value(location)),
            VersionContent::EmptyObject => Some(Stored::text_of("{}")),
            VersionContent::EmptyArray => Some(Stored::text_of("[]")),
            _ => None,
        }
    }

    pub(in crate::state) fn is_present(&self, node: NodeId) -> bool {
        !matches!(self.now(node), VersionContent::Absent)
    }

    /// Appends a version; steps never go back.
    pub(in crate::state) fn append(&mut self, at: StepNo, version: Version, attribution: Attribution) {
        let number = cast::to_u32(self.versions.len());
        if self.starts.last().is_none_or(|s| s.at < at) {
            self.starts.push(StepStart { at, first: number, events: 0 });
        }
        if let (Some(start), Some(_)) = (self.starts.last_mut(), version.event) {
            start.events += 1;
        }
        self.numbers.push(&mut self.nodes[version.node.0 as usize].versions, number);
        self.versions.push(at, &version, attribution);
    }

    /// Reports the nodes of the versions from `start` on, each of which is its node's last, their numbers again.
    pub(in crate::state) fn renumber(&mut self, start: usize) {
        for (number, version) in (cast::to_u32(start)..).zip(self.versions.since(start)) {
            if let Some(last) = self.numbers.last_mut(self.nodes[version.node.0 as usize].versions) {
                *last = number;
            }
        }
    }

    /// The root of an identity, made if need be.
    pub(in crate::state) fn root(&mut self, id: crate::state::IdentityId) -> NodeId {
        if let Some(root) = self.identities[id.0 as usize].root {
            return root;
        }
        let root = self.new_node(NONE, id.0);
        self.identities[id.0 as usize].root = Some(root);
        root
    }

    /// The member of that name, made if need be.
    pub(in crate::state) fn named(&mut self, parent: NodeId, name: &str) -> NodeId {
        let key = self.names.number(name);
        self.child_or_new(parent, key)
    }

    /// The element of that index, made if need be.
    pub(in crate::state) fn indexed(&mut self, parent: NodeId, index: u32) -> NodeId {
        self.child_or_new(parent, index | INDEX)
    }

    fn child_or_new(&mut self, parent: NodeId, key: u32) -> NodeId {
        if let Some(child) = self.children.get(&self.nodes, parent.0, key) {
            return child;
        }
        let child = self.new_node(parent.0, key);
        let above = &mut self.nodes[parent.0 as usize];
        let older = std::mem::replace(&mut above.newest_child, child.0);
        self.nodes[child.0 as usize].older_sibling = older;
        self.children.add(&self.nodes, child);
        child
    }

    fn new_node(&mut self, parent: u32, key: u32) -> NodeId {
        let node = NodeId(cast::to_u32(self.nodes.len()));
        self.nodes.push(Node::new(parent, key));
        node
    }

    /// The child with that key, if there ever was one.
    pub(in crate::state) fn child(&self, parent: NodeId, key: &Key) -> Option<NodeId> {
        let key = match key {
            Key::Name(name) => *self.names.numbers.get(name.as_ref())?,
            Key::Index(index) => index | INDEX,
        };
        self.children.get(&self.nodes, parent.0, key)
    }

    /// The node above; None for a root.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        Some(self.get(node).parent).filter(|p| *p != NONE).map(NodeId)
    }

    /// The identity whose root this is.
    pub(in crate::state) fn identity_of_root(&self, root: NodeId) -> crate::state::IdentityId {
        crate::state::IdentityId(self.get(root).key)
    }

    /// Key of a node that is no root.
    #[must_use]
    pub fn key(&self, node: NodeId) -> Key {
        match self.get(node).key {
            key if key & INDEX != 0 => Key::Index(key & !INDEX),
            key => Key::Name(self.names.texts[key as usize].as_ref().into()),
        }
    }

    /// Name of a node that is a member of an object.
    pub(in crate::state) fn name(&self, node: NodeId) -> &str {
        self.names.texts.get(self.get(node).key as usize).map_or("", |name| name)
    }

    /// The node's place among its siblings now.
    pub(in crate::state) fn place(&self, node: NodeId) -> u32 {
        let node = self.get(node);
        if node.parent != NONE && node.key & INDEX != 0 { node.key & !INDEX } else { node.entry }
    }

    /// All nodes that were ever at or below a node.
    pub(in crate::state) fn below(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = vec![node];
        let mut next = 0;
        while next < found.len() {
            found.extend(self.known_children(found[next]));
            next += 1;
        }
        found
    }

    /// The children that a node ever had, the last made first.
    pub(in crate::state) fn known_children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let existing = |number: u32| Some(number).filter(|number| *number != NONE);
        let newest = existing(self.get(node).newest_child);
        std::iter::successors(newest, move |child| existing(self.nodes[*child as usize].older_sibling)).map(NodeId)
    }

    /// Appends a member to an object's order, for limits above `from`.
    pub(in crate::state) fn enlist(&mut self, epoch: u32, node: NodeId, from: u32) {
        let place = &mut self.nodes[node.0 as usize].entry;
        *place = self.epochs.push(epoch, MemberEpoch { node, from }, *place);
    }

    /// The members of an object that are present below a limit, in order.
    pub(in crate::state) fn members(&self, epoch: u32, limit: u32) -> Vec<NodeId> {
        let entries = self.epochs.entries(epoch);
        let end = entries.partition_point(|e| e.from < limit);
        let is_present = |node: &NodeId| self.at(*node, limit).is_some_and(|v| v.what.shape().is_some());
        let present = entries[..end].iter().map(|e| e.node);
        if !self.epochs.has_again(epoch) {
            return present.filter(is_present).collect();
        }
        let mut seen = HashSet::new();
        let mut members: Vec<_> = present.rev().filter(|n| seen.insert(*n)).filter(is_present).collect();
        members.reverse();
        members
    }

    /// The children of a node below a limit, in order.
    pub(in crate::state) fn children_at(&self, node: NodeId, limit: u32) -> Vec<NodeId> {
        match self.at(node, limit).map(|v| v.what) {
            Some(VersionContent::Object(epoch)) => self.members(epoch, limit),
            Some(VersionContent::Array(len)) => {
                (0..len).filter_map(|i| self.children.get(&self.nodes, node.0, i | INDEX)).collect()
            }
            _ => Vec::new(),
        }
    }
}
