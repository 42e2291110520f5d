//! A context was rebuilt (A4): an identity becomes what a tree that was folded again holds.

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
