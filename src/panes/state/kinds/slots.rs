//! The slots of one identity at the step in focus, as words need them.

use super::digests::{DigestText, DigestTexts};
use crate::json::{self, Key};
use crate::model::StepNo;
use crate::panes::Open;
use crate::state::{IdentityId, Leaf, NodeId};

/// Most slots of an identity that are reported in a line.
const SLOTS_MAX: usize = 24;

/// The slots of an identity.
pub(super) struct Slots<'o> {
    pub(super) open: &'o Open<'o>,
    id: IdentityId,
    digests: Option<&'o DigestTexts>,
}

impl<'o> Slots<'o> {
    pub(super) fn of(open: &'o Open<'o>, id: IdentityId) -> Self {
        Self { open, id, digests: None }
    }

    /// The same, where texts are looked up for digests.
    pub(super) fn with(self, digests: &'o DigestTexts) -> Self {
        Self { digests: Some(digests), ..self }
    }

    pub(super) fn instance(&self) -> &str {
        self.open.tree().identity(self.id).instance.as_deref().unwrap_or_default()
    }

    fn node(&self, slot: &str) -> Option<NodeId> {
        let node = self.open.tree().node(self.id, &[Key::name(slot)])?;
        self.open.tree().shape(node, self.open.step()).map(|_| node)
    }

    pub(super) fn has(&self, slot: &str) -> bool {
        self.node(slot).is_some()
    }

    pub(super) fn leaf(&self, slot: &str) -> Option<Leaf> {
        self.open.tree().leaf(self.node(slot)?, self.open.step())
    }

    /// The step that wrote a slot last.
    pub(super) fn at(&self, slot: &str) -> Option<StepNo> {
        self.leaf(slot).map(|leaf| leaf.step)
    }

    /// The JSON text of a slot.
    fn json(&self, slot: &str) -> Option<String> {
        let leaf = self.leaf(slot)?;
        leaf.value.text(self.open.bytes()).ok().map(|text| text.into_owned())
    }

    /// A slot that is a text.
    pub(super) fn text(&self, slot: &str) -> Option<String> {
        string(&self.json(slot)?)
    }

    /// A slot that is a whole number.
    pub(super) fn number(&self, slot: &str) -> Option<i64> {
        self.json(slot)?.parse().ok()
    }

    /// A slot that is any number.
    pub(super) fn decimal(&self, slot: &str) -> Option<f64> {
        self.json(slot)?.parse().ok()
    }

    /// The elements of a slot that is a list.
    pub(super) fn elements(&self, slot: &str) -> usize {
        if let Some(text) = self.json(slot) {
            return json::parse_lenient(&text).ok().and_then(|list| Some(list.as_array()?.len())).unwrap_or(0);
        }
        self.node(slot).map_or(0, |node| self.open.tree().child_count(node, self.open.step()))
    }

    /// The leaves of the slots themselves, each with its name.
    pub(super) fn leaves(&self) -> Vec<(String, Leaf)> {
        let (tree, step) = (self.open.tree(), self.open.step());
        let Some(root) = tree.view(self.id, step).and_then(|view| view.root) else { return Vec::new() };
        let slots = tree.child_shapes(root, step).into_iter().take(SLOTS_MAX);
        slots.filter_map(|(node, _)| Some((tree.key(node).to_string(), tree.leaf(node, step)?))).collect()
    }

    /// The text that a leaf is the digest of.
    pub(super) fn digested(&self, leaf: &Leaf) -> Option<DigestText> {
        self.digests?.text(self.open, leaf)
    }
}

/// The text of a JSON string.
pub(super) fn string(json: &str) -> Option<String> {
    json::parse_lenient(json).ok()?.as_str().map(str::to_owned)
}
