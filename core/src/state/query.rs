//! What the state holds at a step.

use super::storage::versions::{Attribution, VersionContent};
use super::{Child, IdentityId, Leaf, NodeId, NodeShape, Tree};
use crate::json::{Key, quote};
use crate::model::{Bytes, StepNo};

impl Tree {
    /// NodeShape of a node at a step; None where it is absent.
    #[must_use]
    pub fn shape(&self, node: NodeId, step: StepNo) -> Option<NodeShape> {
        self.at(node, self.limit(step))?.what.shape()
    }

    /// Members or elements of a node at a step, in order; empty for leaves.
    #[must_use]
    pub fn children(&self, node: NodeId, step: StepNo) -> Vec<Child> {
        let limit = self.limit(step);
        let child = |node| {
            let shape = self.at(node, limit)?.what.shape()?;
            Some(Child { node, key: self.key(node), shape })
        };
        self.children_at(node, limit).into_iter().filter_map(child).collect()
    }

    /// The same without their keys, of which each is a text of its own.
    #[must_use]
    pub fn child_shapes(&self, node: NodeId, step: StepNo) -> Vec<(NodeId, NodeShape)> {
        let limit = self.limit(step);
        let child = |node| Some((node, self.at(node, limit)?.what.shape()?));
        self.children_at(node, limit).into_iter().filter_map(child).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn child_count(&self, node: NodeId, step: StepNo) -> usize {
        let limit = self.limit(step);
        match self.at(node, limit).map(|v| v.what) {
            Some(VersionContent::Object(epoch)) => self.members(epoch, limit).len(),
            Some(VersionContent::Array(len)) => len as usize,
            _ => 0,
        }
    }

    /// The node at a path below an identity, whether or not it is present at any given step.
    #[must_use]
    pub fn node(&self, id: IdentityId, path: &[Key]) -> Option<NodeId> {
        let root = self.identities.get(id.0 as usize)?.root?;
        path.iter().try_fold(root, |node, key| self.child(node, key))
    }

    /// How many members an object has now; of anything else 0.
    #[must_use]
    pub fn member_count(&self, node: NodeId) -> usize {
        match self.now(node) {
            VersionContent::Object(epoch) => self.epochs.live(epoch) as usize,
            _ => 0,
        }
    }

    /// Whether an object has a member now.
    #[must_use]
    pub fn has_member(&self, node: NodeId, name: &str) -> bool {
        let is_object = matches!(self.now(node), VersionContent::Object(_));
        is_object && self.child(node, &Key::name(name)).is_some_and(|child| self.is_present(child))
    }

    /// Nodes that were present at any step, at most `most`: the roots, then their descendants, level by level.
    #[must_use]
    pub fn known_nodes(&self, most: usize) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.identities.iter().filter_map(|known| known.root).take(most).collect();
        let mut next = 0;
        while next < nodes.len() && nodes.len() < most {
            let room = most - nodes.len();
            nodes.extend(self.known_children(nodes[next]).take(room));
            next += 1;
        }
        nodes
    }

    /// Identity and path of a node.
    #[must_use]
    pub fn path(&self, node: NodeId) -> (IdentityId, Vec<Key>) {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            path.push(self.key(at));
            at = parent;
        }
        path.reverse();
        (self.identity_of_root(at), path)
    }

    /// The leaf at a node at a step (scalar, opaque or empty container); None where the node is not a leaf.
    #[must_use]
    pub fn leaf(&self, node: NodeId, step: StepNo) -> Option<Leaf> {
        self.leaf_at(node, self.limit(step), || self.path(node).1)
    }

    /// The value of the leaf at a node just before a step: what it replaced.
    #[must_use]
    pub fn before(&self, node: NodeId, step: StepNo) -> Option<Leaf> {
        self.leaf_at(node, self.limit_before(step), || self.path(node).1)
    }

    fn leaf_at(&self, node: NodeId, limit: u32, path: impl FnOnce() -> Vec<Key>) -> Option<Leaf> {
        let number = self.before_limit(node, limit)?;
        let value = self.value(self.version(number).what)?;
        let Attribution { author, changed } = self.attribution(number);
        Some(Leaf { node, path: path(), value, step: author, changed })
    }

    /// Greatest `step` and greatest `changed` of the leaves at or below a node at a step.
    #[must_use]
    pub fn newest(&self, node: NodeId, step: StepNo) -> Option<(StepNo, StepNo)> {
        let limit = self.limit(step);
        let mut newest: Option<(StepNo, StepNo)> = None;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match self.before_limit(node, limit) {
                Some(number) if self.version(number).what.is_leaf() => {
                    let attribution = self.attribution(number);
                    let (step, changed) = newest.unwrap_or((attribution.author, attribution.changed));
                    newest = Some((step.max(attribution.author), changed.max(attribution.changed)));
                }
                _ => open.extend(self.children_at(node, limit)),
            }
        }
        newest
    }

    /// All leaves at or below a node at a step, in document order.
    #[must_use]
    pub fn leaves(&self, node: NodeId, step: StepNo) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        let (_, mut path) = self.path(node);
        self.collect(node, self.limit(step), &mut path, &mut leaves);
        leaves
    }

    /// No deeper than the values that were written.
    fn collect(&self, node: NodeId, limit: u32, path: &mut Vec<Key>, leaves: &mut Vec<Leaf>) {
        if let Some(leaf) = self.leaf_at(node, limit, || path.clone()) {
            return leaves.push(leaf);
        }
        for child in self.children_at(node, limit) {
            path.push(self.key(child));
            self.collect(child, limit, path, leaves);
            path.pop();
        }
    }

    /// The value at a node at a step as compact JSON text; None where it is absent, or the input no longer holds it.
    #[must_use]
    pub fn text(&self, node: NodeId, step: StepNo, bytes: &dyn Bytes) -> Option<String> {
        let mut out = String::new();
        self.put_text(node, self.limit(step), bytes, &mut out)?;
        Some(out)
    }

    fn put_text(&self, node: NodeId, limit: u32, bytes: &dyn Bytes, out: &mut String) -> Option<()> {
        let what = self.at(node, limit)?.what;
        let is_object = matches!(what, VersionContent::Object(_));
        match what {
            VersionContent::Absent => return None,
            VersionContent::Leaf(location) => out.push_str(&self.versions.value(location).text(bytes).ok()?),
            VersionContent::EmptyObject => out.push_str("{}"),
            VersionContent::EmptyArray => out.push_str("[]"),
            VersionContent::Object(_) | VersionContent::Array(_) => {
                out.push(if is_object { '{' } else { '[' });
                for (i, child) in self.children_at(node, limit).into_iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    if is_object {
                        out.push_str(&quote(self.name(child)));
                        out.push(':');
                    }
                    self.put_text(child, limit, bytes, out)?;
                }
                out.push(if is_object { '}' } else { ']' });
            }
        }
        Some(())
    }
}
