//! How two states differ: leaf by leaf, by path; what is unchanged is counted, not listed.
//!
//! The states may be those of one run at two steps, of two runs, or of two instances of one kind. What differs is all:
//! taking the old leaves away and putting the new ones in makes the old state the new one.

mod align;
mod words;

pub use align::{Hunk, align, partner};
pub use words::{Words, words};

use super::{IdentityId, NodeId, Stored, Tree};
use crate::json::Key;
use crate::model::StepNo;
use std::collections::{HashMap, HashSet};

/// A state: a tree at a step.
#[derive(Debug, Clone, Copy)]
pub struct At<'t> {
    /// The tree.
    pub tree: &'t Tree,
    /// The step.
    pub step: StepNo,
}

/// A part of the difference between two states, in document order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffPart {
    /// A number of consecutive members, of any size, that do not differ.
    Same(usize),
    /// A leaf that differs.
    Differs(Difference),
}

/// A leaf that differs. Where a leaf became a container or the reverse, each leaf is by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its path below its identity, in both states.
    pub path: Vec<Key>,
    /// What it was; None if it was no leaf.
    pub old: Option<Side>,
    /// What it is; None if it is no leaf any more.
    pub new: Option<Side>,
}

/// A leaf in one of the states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Whose it is, in the tree of this state.
    pub id: IdentityId,
    /// The node, in the tree of this state.
    pub node: NodeId,
    /// The value.
    pub value: Stored,
    /// The step whose message supplies it.
    pub step: StepNo,
}

impl Difference {
    /// The side to name it by: what it is, else what it was; true for what it is.
    #[must_use]
    pub fn side(&self) -> Option<(&Side, bool)> {
        self.new.as_ref().map(|side| (side, true)).or(self.old.as_ref().map(|side| (side, false)))
    }
}

/// The difference of two whole states: identities that are alike by kind and instance are compared.
#[must_use]
pub fn states(old: At<'_>, new: At<'_>) -> Vec<DiffPart> {
    let pairs = pairs(old, new, |id| new.tree.find(old.tree.identity(id)));
    Walk::new(old, new).all(pairs)
}

/// All leaves of two whole states, in the order of [`states`]: those that do not differ have equal values.
#[must_use]
pub fn leaves_of_both(old: At<'_>, new: At<'_>) -> Vec<DiffPart> {
    let pairs = pairs(old, new, |id| new.tree.find(old.tree.identity(id)));
    let mut walk = Walk::new(old, new);
    walk.is_whole = true;
    walk.all(pairs)
}

/// The difference of the states of one run at two steps. Costs what was written between them, and the members of what
/// differs; not the whole state.
#[must_use]
pub fn steps(tree: &Tree, from: StepNo, to: StepNo) -> Vec<DiffPart> {
    let (old, new) = (At { tree, step: from }, At { tree, step: to });
    let mut walk = Walk::new(old, new);
    walk.marked = Some(marks(tree, from, to));
    walk.all(pairs(old, new, Some))
}

/// The difference of two identities of one state.
#[must_use]
pub fn identities(state: At<'_>, old: IdentityId, new: IdentityId) -> Vec<DiffPart> {
    Walk::new(state, state).all(vec![(Some(old), Some(new))])
}

/// The identities to compare: those of the new state in its order, then those that only the old one has.
fn pairs(
    old: At<'_>,
    new: At<'_>,
    partner: impl Fn(IdentityId) -> Option<IdentityId>,
) -> Vec<(Option<IdentityId>, Option<IdentityId>)> {
    let identities = |at: At<'_>| at.tree.identities(at.step).into_iter().map(|view| view.id).collect::<Vec<_>>();
    let (before, after) = (identities(old), identities(new));
    let mut left: HashMap<IdentityId, IdentityId> = before.iter().filter_map(|id| Some((partner(*id)?, *id))).collect();
    let mut pairs: Vec<_> = after.iter().map(|id| (left.remove(id), Some(*id))).collect();
    let paired: HashSet<IdentityId> = pairs.iter().filter_map(|(old, _)| *old).collect();
    pairs.extend(before.iter().filter(|id| !paired.contains(id)).map(|id| (Some(*id), None)));
    pairs
}

/// The nodes at or above a leaf that differs between two steps.
fn marks(tree: &Tree, from: StepNo, to: StepNo) -> HashSet<NodeId> {
    let (old, new) = (tree.limit(from), tree.limit(to));
    let mut marked = HashSet::new();
    let mut seen = HashSet::new();
    for number in old.min(new)..old.max(new) {
        let node = tree.version(number).node;
        if !seen.insert(node) {
            continue;
        }
        let value = |limit| tree.at(node, limit).and_then(|v| tree.value(v.what));
        if value(old) == value(new) {
            continue;
        }
        let mut above = Some(node);
        while let Some(node) = above.filter(|node| marked.insert(*node)) {
            above = tree.parent(node);
        }
    }
    marked
}

impl Tree {
    /// How many versions were written between two steps: what comparing them costs.
    #[must_use]
    pub fn writes_between(&self, a: StepNo, b: StepNo) -> usize {
        self.limit(a).abs_diff(self.limit(b)) as usize
    }
}

/// Walks two states side by side.
struct Walk<'t> {
    old: At<'t>,
    new: At<'t>,
    /// The steps as limits of versions.
    limits: (u32, u32),
    ids: (Option<IdentityId>, Option<IdentityId>),
    /// Where it is worth looking; None: everywhere.
    marked: Option<HashSet<NodeId>>,
    /// Whether leaves that do not differ are listed too, and not counted.
    is_whole: bool,
    path: Vec<Key>,
    parts: Vec<DiffPart>,
}

impl<'t> Walk<'t> {
    fn new(old: At<'t>, new: At<'t>) -> Self {
        let limits = (old.tree.limit(old.step), new.tree.limit(new.step));
        Self { old, new, limits, ids: (None, None), marked: None, is_whole: false, path: Vec::new(), parts: Vec::new() }
    }

    fn all(mut self, pairs: Vec<(Option<IdentityId>, Option<IdentityId>)>) -> Vec<DiffPart> {
        for (old, new) in pairs {
            let root = |at: At<'_>, id: Option<IdentityId>| at.tree.view(id?, at.step)?.root;
            let roots = (root(self.old, old), root(self.new, new));
            if roots != (None, None) {
                self.ids = (old, new);
                self.pair(roots.0, roots.1);
            }
        }
        self.parts
    }

    /// One place in both states, either of which may be without it. Whether they differ there.
    fn pair(&mut self, old: Option<NodeId>, new: Option<NodeId>) -> bool {
        let is_marked = |node: Option<NodeId>| match (&self.marked, node) {
            (Some(marked), Some(node)) => marked.contains(&node),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if !is_marked(old) && !is_marked(new) {
            self.same();
            return false;
        }
        let was = side(self.old.tree, self.limits.0, self.ids.0, old);
        let is = side(self.new.tree, self.limits.1, self.ids.1, new);
        if let (Some(was), Some(is), false) = (&was, &is, self.is_whole)
            && was.value == is.value
        {
            self.same();
            return false;
        }
        let before = (self.parts.len(), self.last_same());
        let mut differs = was.is_some() || is.is_some();
        if differs {
            self.parts.push(DiffPart::Differs(Difference { path: self.path.clone(), old: was, new: is }));
        }
        for (key, old, new) in self.members(old, new) {
            self.path.push(key);
            differs |= self.pair(old, new);
            self.path.pop();
        }
        if !differs {
            self.restore(before);
            self.same();
        }
        differs
    }

    /// The members of a place: those of the new state in its order, then those that only the old one has.
    fn members(&self, old: Option<NodeId>, new: Option<NodeId>) -> Vec<(Key, Option<NodeId>, Option<NodeId>)> {
        let (before, after) = self.limits;
        let children = |tree: &Tree, limit: u32, node: Option<NodeId>| {
            node.map_or_else(Vec::new, |node| tree.children_at(node, limit))
        };
        let member_order = |tree: &Tree, limit: u32, node: Option<NodeId>, key: &Key| {
            tree.child(node?, key).filter(|child| tree.at(*child, limit).is_some_and(|v| v.what.shape().is_some()))
        };
        let mut members = Vec::new();
        for child in children(self.new.tree, after, new) {
            let key = self.new.tree.key(child);
            let was = member_order(self.old.tree, before, old, &key);
            members.push((key, was, Some(child)));
        }
        for child in children(self.old.tree, before, old) {
            let key = self.old.tree.key(child);
            if member_order(self.new.tree, after, new, &key).is_none() {
                members.push((key, Some(child), None));
            }
        }
        members
    }

    fn last_same(&self) -> usize {
        match self.parts.last() {
            Some(DiffPart::Same(count)) => *count,
            _ => 0,
        }
    }

    fn same(&mut self) {
        match self.parts.last_mut() {
            Some(DiffPart::Same(count)) => *count += 1,
            _ => self.parts.push(DiffPart::Same(1)),
        }
    }

    /// Forgets what was said of the members of something that does not differ.
    fn restore(&mut self, (len, same): (usize, usize)) {
        self.parts.truncate(len);
        if let Some(DiffPart::Same(count)) = self.parts.last_mut() {
            *count = same;
        }
    }
}

/// The leaf that a node is below a limit.
fn side(tree: &Tree, limit: u32, id: Option<IdentityId>, node: Option<NodeId>) -> Option<Side> {
    let (id, node) = (id?, node?);
    let number = tree.before_limit(node, limit)?;
    Some(Side { id, node, value: tree.value(tree.version(number).what)?, step: tree.attribution(number).author })
}

#[cfg(test)]
mod tests;
