//! An identity becomes what it is elsewhere: in a tree that was folded again, because a context was rebuilt (A4), or in
//! this tree at an earlier step, from which another branch of a run goes on.

use super::replace::{Source, Writer};
use super::storage::store::NONE;
use super::{EventOp, IdentityId, NodeId, NodeShape, Stored, Tree};
use crate::model::StepNo;

impl Tree {
    /// Makes identity `id` from step `at` on what `built` (a tree folded again, A4) holds at its last step: `drop` for
    /// every leaf that is gone (old order), then in the new order `add`, `change`, and `same` where `at`'s own message
    /// (author == `at`) supplies an equal value; leaves whose supplier alone differs get their new author without an
    /// event. An identity that is not in `built` is dropped.
    pub fn adopt(&mut self, at: StepNo, id: IdentityId, built: &Tree, built_id: IdentityId) {
        let Some(view) = built.view(built_id, StepNo::MAX) else {
            return self.drop_identity(at, id, EventOp::Drop);
        };
        self.touch(at, id);
        let root = self.root(id);
        let mut writer = Writer::new(self, at);
        match view.root {
            Some(node) => writer.replace(root, Folded { tree: built, node }),
            None => {
                writer.open_site(root);
                writer.give_way(root, None::<Folded<'_>>, EventOp::Drop);
            }
        }
        writer.finish();
    }
}

impl Tree {
    /// Makes identity `id` from step `at` on what it was at step `to`: each leaf with the author that it had. One that
    /// was not there is dropped. The number of nodes that it had then, which is what this costs.
    pub fn go_back(&mut self, at: StepNo, id: IdentityId, to: StepNo) -> usize {
        if self.view(id, to).is_none() {
            self.drop_identity(at, id, EventOp::Drop);
            return 1;
        }
        self.touch(at, id);
        let root = self.root(id);
        let past = self.past(root, self.limit(to));
        let count = past.as_ref().map_or(1, EarlierNode::count);
        let mut writer = Writer::new(self, at);
        match &past {
            Some(past) => writer.replace(root, past),
            None => {
                writer.open_site(root);
                writer.give_way(root, None::<&EarlierNode>, EventOp::Drop);
            }
        }
        writer.finish();
        count
    }

    /// What is at and below a node under a limit. No deeper than the values that were written.
    fn past(&self, node: NodeId, limit: u32) -> Option<EarlierNode> {
        let number = self.before_limit(node, limit)?;
        let what = self.version(number).what;
        let shape = what.shape()?;
        let leaf = self.value(what).map(|value| (value, self.attribution(number).author));
        let part = |child| Some((self.name(child).to_owned(), self.past(child, limit)?));
        let parts = self.children_at(node, limit).into_iter().filter_map(part).collect();
        Some(EarlierNode { shape, leaf, parts })
    }
}

/// What was at and below a node at an earlier step.
struct EarlierNode {
    shape: NodeShape,
    /// The value of a leaf, and who wrote it.
    leaf: Option<(Stored, StepNo)>,
    /// Members with their names, or elements.
    parts: Vec<(String, EarlierNode)>,
}

impl EarlierNode {
    fn count(&self) -> usize {
        1 + self.parts.iter().map(|(_, part)| part.count()).sum::<usize>()
    }
}

impl<'p> Source<'p> for &'p EarlierNode {
    const IS_FOLD: bool = true;

    fn shape(self) -> NodeShape {
        self.shape
    }

    fn author(self) -> StepNo {
        self.leaf.as_ref().map_or(0, |(_, author)| *author)
    }

    fn leaf(self) -> Stored {
        self.leaf.as_ref().map_or_else(|| Stored::text_of("null"), |(value, _)| value.clone())
    }

    fn members(self) -> Vec<(&'p str, Self)> {
        self.parts.iter().map(|(name, part)| (name.as_str(), part)).collect()
    }

    fn elements(self) -> Vec<Self> {
        self.parts.iter().map(|(_, part)| part).collect()
    }
}

/// A node of the tree that was folded again, at its last step.
#[derive(Clone, Copy)]
struct Folded<'t> {
    tree: &'t Tree,
    node: NodeId,
}

impl Folded<'_> {
    fn children(self) -> impl Iterator<Item = Self> {
        let nodes = self.tree.children_at(self.node, u32::MAX);
        nodes.into_iter().map(move |node| Self { node, ..self })
    }
}

impl<'t> Source<'t> for Folded<'t> {
    const IS_FOLD: bool = true;

    fn shape(self) -> NodeShape {
        self.tree.now(self.node).shape().unwrap_or(NodeShape::Scalar)
    }

    fn author(self) -> StepNo {
        self.tree.before_limit(self.node, NONE).map_or(0, |number| self.tree.attribution(number).author)
    }

    fn leaf(self) -> Stored {
        self.tree.value(self.tree.now(self.node)).unwrap_or_else(|| Stored::text_of("null"))
    }

    fn members(self) -> Vec<(&'t str, Self)> {
        self.children().map(|child| (child.tree.name(child.node), child)).collect()
    }

    fn elements(self) -> Vec<Self> {
        self.children().collect()
    }
}
