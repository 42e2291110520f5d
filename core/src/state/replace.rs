//! What is at a node gives way to something else: first the drops in the old order, then the writes in the new (A30).

use super::moves::{ElementOrigin, element_id, is_message};
use super::storage::store::NONE;
use super::storage::versions::{Attribution, ValueLocation, Version, VersionContent};
use super::{EventOp, NodeId, NodeShape, Stored, Tree};
use crate::json::{self, Data, Key, Value};
use crate::model::StepNo;
use crate::model::cast;
use std::collections::HashMap;

/// Objects with more members than this are looked up by hash.
const LINEAR_MAX: usize = 16;

/// What comes to be at a node: a value of a message, or a node of a tree that was folded again.
pub(super) trait Source<'s>: Copy {
    /// Whether leaves that stay equal are events only where this step's own message supplies them (A30).
    const IS_FOLD: bool;
    fn shape(self) -> NodeShape;
    /// The step whose message supplies it.
    fn author(self) -> StepNo;
    /// The value of a leaf.
    fn leaf(self) -> Stored;
    /// Members of an object, each key once.
    fn members(self) -> Vec<(&'s str, Self)>;
    /// Elements of an array.
    fn elements(self) -> Vec<Self>;
    /// Whether leaves that stay equal are left alone, and elements with ids are followed to their new places.
    fn keeps_equal(self) -> bool {
        false
    }
    /// The id of an element of a list.
    fn id(self) -> Option<Stored> {
        None
    }
    /// Whether it is a message.
    fn is_message(self) -> bool {
        false
    }
    /// Whether it is another element than the one at its place.
    fn is_new(self) -> bool {
        false
    }
    /// The same as such an element.
    fn as_new(self) -> Self {
        self
    }
}

/// A value of a message.
#[derive(Clone, Copy)]
pub(super) struct GivenValue<'v> {
    pub(super) value: &'v Value<'v>,
    /// As in [`Write`](super::Write).
    pub(super) base: Option<u64>,
    pub(super) author: StepNo,
    /// One leaf whatever it is.
    pub(super) is_opaque: bool,
    /// Leaves that stay equal are not written.
    pub(super) is_update: bool,
    /// It is another message than the one at its place: equal leaves of that are not its own.
    pub(super) is_new: bool,
}

impl<'v> GivenValue<'v> {
    /// Another value of the same message.
    pub(super) fn part(self, value: &'v Value<'v>) -> Self {
        Self { value, ..self }
    }
}

impl<'v> Source<'v> for GivenValue<'v> {
    const IS_FOLD: bool = false;

    fn shape(self) -> NodeShape {
        match &self.value.data {
            _ if self.is_opaque => NodeShape::Scalar,
            Data::Object(o) if o.is_empty() => NodeShape::EmptyObject,
            Data::Object(_) => NodeShape::Object,
            Data::Array(a) if a.is_empty() => NodeShape::EmptyArray,
            Data::Array(_) => NodeShape::Array,
            _ => NodeShape::Scalar,
        }
    }

    fn author(self) -> StepNo {
        self.author
    }

    fn leaf(self) -> Stored {
        match self.base {
            Some(base) => Stored::of(self.value, base),
            None => Stored::text_of(&json::compact(self.value)),
        }
    }

    fn members(self) -> Vec<(&'v str, Self)> {
        let object = self.value.as_object();
        object.into_iter().flat_map(|o| o.entries()).map(|(key, value)| (key, self.part(value))).collect()
    }

    fn elements(self) -> Vec<Self> {
        self.value.as_array().unwrap_or_default().iter().map(|value| self.part(value)).collect()
    }

    fn keeps_equal(self) -> bool {
        self.is_update
    }

    fn id(self) -> Option<Stored> {
        element_id(self.value)
    }

    fn is_message(self) -> bool {
        is_message(self.value)
    }

    fn is_new(self) -> bool {
        self.is_new
    }

    fn as_new(self) -> Self {
        Self { is_new: true, ..self }
    }
}

/// Members or elements of a source, found by key.
enum Parts<'s, S> {
    None,
    Few(Vec<(&'s str, S)>),
    Many(HashMap<&'s str, S>),
    Elements(Vec<S>),
}

impl<'s, S: Source<'s>> Parts<'s, S> {
    fn of(source: Option<S>) -> Self {
        let Some(source) = source else { return Self::None };
        match source.shape() {
            NodeShape::Object => match source.members() {
                members if members.len() <= LINEAR_MAX => Self::Few(members),
                members => Self::Many(members.into_iter().collect()),
            },
            NodeShape::Array => Self::Elements(source.elements()),
            _ => Self::None,
        }
    }

    fn member(&self, name: &str) -> Option<S> {
        match self {
            Self::Few(members) => members.iter().find(|(key, _)| *key == name).map(|(_, part)| *part),
            Self::Many(members) => members.get(name).copied(),
            _ => None,
        }
    }

    fn element(&self, index: usize) -> Option<S> {
        match self {
            Self::Elements(elements) => elements.get(index).copied(),
            _ => None,
        }
    }
}

/// The versions of one write, in the making.
pub(super) struct Writer<'t> {
    pub(super) tree: &'t mut Tree,
    pub(super) at: StepNo,
    /// Number of the first version of this write.
    pub(super) start: usize,
    /// Where drops begin, and the node at or below which they happen.
    sites: Vec<(usize, NodeId)>,
}

impl<'t> Writer<'t> {
    pub(super) fn new(tree: &'t mut Tree, at: StepNo) -> Self {
        let start = tree.versions.len();
        Self { tree, at, start, sites: Vec::new() }
    }

    /// Puts the drops first, in the old document order. Within one write a node has at most one version.
    pub(super) fn finish(self) {
        let new = || self.tree.versions.since(self.start);
        let is_settled = self.sites.len() == 1 && new().is_sorted_by_key(|v| !v.is_drop());
        if !is_settled && new().any(|v| v.is_drop()) {
            self.settle(false);
        }
    }

    /// The same, and the writes follow in the new document order instead of that of the message.
    pub(super) fn finish_in_document_order(self) {
        if self.tree.versions.len() > self.start + 1 {
            self.settle(true);
        }
    }

    fn settle(mut self, is_by_place: bool) {
        let ranks = self.site_order();
        let mut drops = Vec::new();
        let mut order = Vec::new();
        for (number, version) in (self.start..).zip(self.tree.versions.since(self.start)) {
            if version.is_drop() {
                let site = self.sites.partition_point(|(start, _)| *start <= number);
                drops.push((ranks[site.saturating_sub(1)], cast::to_u32(number)));
            } else {
                order.push(cast::to_u32(number));
            }
        }
        drops.sort_by_key(|(rank, _)| *rank);
        if is_by_place {
            order.sort_by_cached_key(|number| self.places(self.tree.version(*number).node));
        }
        order.splice(0..0, drops.into_iter().map(|(_, number)| number));
        self.tree.versions.reorder(self.start, &order);
        self.tree.renumber(self.start);
    }

    /// Rank of each site in the old document order. Members above a site keep their places during a write.
    fn site_order(&mut self) -> Vec<usize> {
        let mut by_place: Vec<(Vec<u32>, usize)> = Vec::with_capacity(self.sites.len());
        for (index, (_, node)) in self.sites.iter().enumerate() {
            by_place.push((self.places(*node), index));
        }
        by_place.sort();
        let mut ranks = vec![0; by_place.len()];
        by_place.iter().enumerate().for_each(|(rank, (_, index))| ranks[*index] = rank);
        ranks
    }

    /// Where a node is in the document: its place among its siblings, after the places of the nodes above it.
    fn places(&self, node: NodeId) -> Vec<u32> {
        let above = std::iter::successors(Some(node), |n| self.tree.parent(*n));
        let mut places: Vec<u32> = above.map(|n| self.tree.place(n)).collect();
        places.reverse();
        places
    }

    /// Drops that follow happen at or below `node`.
    pub(super) fn open_site(&mut self, node: NodeId) {
        self.sites.push((self.tree.versions.len(), node));
    }

    pub(super) fn push(&mut self, node: NodeId, author: StepNo, event: Option<EventOp>, what: VersionContent) {
        self.tree.append(self.at, Version { node, event, what }, Attribution { author, changed: self.at });
    }

    /// Makes the node a container, which drops it if it was a leaf.
    pub(super) fn contain(&mut self, node: NodeId, what: VersionContent) {
        let event = self.tree.now(node).is_leaf().then_some(EventOp::Drop);
        self.push(node, self.at, event, what);
    }

    /// A subtree is replaced (A16); leaves at equal paths are rewritten.
    pub(super) fn replace<'s, S: Source<'s>>(&mut self, node: NodeId, new: S) {
        let is_plain = match self.tree.now(node) {
            VersionContent::Absent => true,
            old => old.is_leaf() && !matches!(new.shape(), NodeShape::Object | NodeShape::Array),
        };
        if !is_plain {
            self.open_site(node);
            self.give_way(node, Some(new), EventOp::Drop);
        }
        self.put(node, new, None);
    }

    /// Drops, in the old document order, the leaves at and below a node that `new` has not.
    pub(super) fn give_way<'s, S: Source<'s>>(&mut self, node: NodeId, new: Option<S>, op: EventOp) {
        match self.tree.now(node) {
            VersionContent::Absent => {}
            VersionContent::Object(epoch) => {
                let parts = Parts::of(new);
                for child in self.tree.members(epoch, u32::MAX) {
                    let part = parts.member(self.tree.name(child));
                    self.give_way(child, part, op);
                }
                self.vanish(node, new.is_none(), None);
            }
            VersionContent::Array(len) => {
                let parts = Parts::of(new);
                for index in 0..len {
                    let child = self.tree.indexed(node, index);
                    self.give_way(child, parts.element(index as usize), op);
                }
                self.vanish(node, new.is_none(), None);
            }
            VersionContent::Leaf(_) | VersionContent::EmptyObject | VersionContent::EmptyArray => {
                match new.map(|n| (n.shape(), n)) {
                    None => self.vanish(node, true, Some(op)),
                    Some((NodeShape::Object, _)) => {
                        let epoch = self.tree.epochs.make();
                        self.contain(node, VersionContent::Object(epoch));
                    }
                    Some((NodeShape::Array, n)) => {
                        self.contain(node, VersionContent::Array(cast::to_u32(n.elements().len())));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Appends a member to an object's order, from this write on.
    pub(super) fn enlist(&mut self, epoch: u32, node: NodeId) {
        self.tree.enlist(epoch, node, cast::to_u32(self.start));
    }

    fn vanish(&mut self, node: NodeId, is_gone: bool, op: Option<EventOp>) {
        if is_gone {
            self.push(node, self.at, op, VersionContent::Absent);
        }
    }

    /// Writes what is new; what gave way to it is gone already. `old` is the node at which it was before, if that is
    /// another one.
    pub(super) fn put<'s, S: Source<'s>>(&mut self, node: NodeId, new: S, old: Option<NodeId>) {
        match new.shape() {
            NodeShape::Object => self.put_object(node, &new.members(), old),
            NodeShape::Array => {
                let elements = new.elements();
                let len = cast::to_u32(elements.len());
                if !matches!(self.tree.now(node), VersionContent::Array(old) if old == len) {
                    self.contain(node, VersionContent::Array(len));
                }
                self.put_array(node, new, &elements, old);
            }
            _ => self.put_leaf(node, new, old),
        }
    }

    pub(super) fn put_elements<'s, S: Source<'s>>(&mut self, node: NodeId, first: u32, elements: &[S]) {
        for (index, element) in (first..).zip(elements) {
            let child = self.tree.indexed(node, index);
            self.put(child, *element, None);
        }
    }

    /// The elements of a whole list, which may have been at other places or in another list before.
    fn put_array<'s, S: Source<'s>>(&mut self, node: NodeId, new: S, elements: &[S], old: Option<NodeId>) {
        let moved = match old {
            Some(_) => Vec::new(),
            None if new.keeps_equal() => {
                let ids: Vec<Option<Stored>> = elements.iter().map(|element| element.id()).collect();
                self.tree.moved(node, cast::to_u32(self.start), &ids)
            }
            None => Vec::new(),
        };
        for (index, element) in (0..).zip(elements) {
            let child = self.tree.indexed(node, index);
            let before = old.and_then(|old| self.tree.child(old, &Key::Index(index)));
            match moved.get(index as usize) {
                Some(ElementOrigin::At(node)) => self.put(child, *element, before.or(Some(*node))),
                Some(ElementOrigin::New) if element.is_message() => self.put(child, element.as_new(), before),
                Some(ElementOrigin::Here | ElementOrigin::New) | None => self.put(child, *element, before),
            }
        }
    }

    /// The order is the new one; where the old list says the same it goes on.
    fn put_object<'s, S: Source<'s>>(&mut self, node: NodeId, members: &[(&str, S)], was: Option<NodeId>) {
        let children: Vec<NodeId> = members.iter().map(|(name, _)| self.tree.named(node, name)).collect();
        let old = match self.tree.now(node) {
            VersionContent::Object(epoch) if self.tree.epochs.is_crowded(epoch) => None,
            VersionContent::Object(epoch) if self.keeps_order(&children) => Some(epoch),
            _ => None,
        };
        let epoch = old.unwrap_or_else(|| {
            let epoch = self.tree.epochs.make();
            self.contain(node, VersionContent::Object(epoch));
            epoch
        });
        for child in &children {
            if old.is_none() || !self.tree.is_present(*child) {
                self.enlist(epoch, *child);
            }
        }
        self.tree.epochs.set_live(epoch, cast::to_u32(children.len()));
        for (child, (name, part)) in children.iter().zip(members) {
            let before = was.and_then(|was| self.tree.child(was, &Key::name(name)));
            self.put(*child, *part, before);
        }
    }

    /// Whether the members that are there are in the old order, before all that are not.
    fn keeps_order(&self, children: &[NodeId]) -> bool {
        let split = children.iter().take_while(|c| self.tree.is_present(**c)).count();
        let (there, rest) = children.split_at(split);
        there.is_sorted_by_key(|c| self.tree.get(*c).entry) && !rest.iter().any(|c| self.tree.is_present(*c))
    }

    fn put_leaf<'s, S: Source<'s>>(&mut self, node: NodeId, new: S, was: Option<NodeId>) {
        let (value, shape, author) = (new.leaf(), new.shape(), new.author());
        if let Some(number) = was.and_then(|was| self.unchanged(was, &value)) {
            return self.put_moved(node, number);
        }
        let old = self.tree.before_limit(node, NONE).map(|number| (number, self.tree.version(number)));
        let Some((number, old)) = old.filter(|(_, old)| old.what.is_leaf()) else {
            let what = self.keep(shape, value);
            return self.push(node, author, Some(EventOp::Add), what);
        };
        let is_same = match old.what {
            VersionContent::Leaf(location) => self.tree.versions.is_equal(location, &value),
            empty => self.tree.value(empty).is_some_and(|old| old == value),
        };
        if !is_same {
            let what = self.keep(shape, value);
            return self.push(node, author, Some(EventOp::Change), what);
        }
        if new.keeps_equal() {
            if new.is_new() {
                let what = self.keep(shape, value);
                self.push(node, author, None, what);
            }
            return;
        }
        let is_event = !S::IS_FOLD || author == self.at;
        let was = self.tree.attribution(number);
        if is_event || was.author != author {
            let event = is_event.then_some(EventOp::Same);
            // A short value is in the tree already; a long one is where this message has it.
            let what = match (shape, old.what) {
                (NodeShape::Scalar, VersionContent::Leaf(ValueLocation::Short(..))) => old.what,
                _ => self.keep(shape, value),
            };
            self.tree.append(self.at, Version { node, event, what }, Attribution { author, ..was });
        }
    }

    /// The version that a node had before this write, if it is this value.
    fn unchanged(&self, node: NodeId, value: &Stored) -> Option<u32> {
        let number = self.tree.before_limit(node, cast::to_u32(self.start))?;
        (self.tree.value(self.tree.version(number).what)? == *value).then_some(number)
    }

    /// A leaf comes from another node with the version that it had there: its author is who wrote it there.
    fn put_moved(&mut self, node: NodeId, number: u32) {
        let (moved, was) = (self.tree.version(number).what, self.tree.attribution(number));
        let old = self.tree.now(node);
        let event = match old.is_leaf() {
            true if self.tree.value(old) == self.tree.value(moved) => None,
            true => Some(EventOp::Change),
            false => Some(EventOp::Add),
        };
        self.tree.append(self.at, Version { node, event, what: moved }, was);
    }

    fn keep(&mut self, shape: NodeShape, value: Stored) -> VersionContent {
        match shape {
            NodeShape::EmptyObject => VersionContent::EmptyObject,
            NodeShape::EmptyArray => VersionContent::EmptyArray,
            _ => VersionContent::Leaf(self.tree.versions.keep(value)),
        }
    }
}
