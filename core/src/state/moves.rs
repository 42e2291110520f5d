//! Elements of a list that moved: one with an id is the same wherever it is (`FORMATS.md` 4, *diff by message id*), so
//! who wrote it does not change when others before it come or go.

use super::storage::versions::VersionContent;
use super::{NodeId, Stored, Tree};
use crate::json::{self, Key, Value};
use std::collections::HashMap;

/// The members of an element that may hold its id: its own, that of what it is made of, as LangChain writes it.
const PLACES: [&[&str]; 2] = [&["id"], &["kwargs", "id"]];

/// The id of an element of a list.
pub(super) fn element_id(element: &Value<'_>) -> Option<Stored> {
    let at = |path: &&[&str]| {
        let id = path.iter().try_fold(element, |value, key| value.get(key))?;
        id.as_str().map(|id| Stored::text_of(&json::quote(id)))
    };
    PLACES.iter().find_map(at)
}

impl Tree {
    /// Of each element of a list that is written the node at which it was before, where that was another one. `limit`
    /// is the number of the first version of the write; `ids` are those of the elements.
    pub(super) fn moved(&self, list: NodeId, limit: u32, ids: &[Option<Stored>]) -> Vec<Option<NodeId>> {
        let Some(VersionContent::Array(len)) = self.at(list, limit).map(|version| version.what) else {
            return Vec::new();
        };
        let node = |index| self.child(list, &Key::Index(index));
        let old: Vec<Option<Stored>> = (0..len).map(|index| self.id_at(node(index)?, limit)).collect();
        // Most lists only grow.
        if old.iter().zip(ids).all(|(old, new)| new.is_none() || old == new) {
            return Vec::new();
        }
        let places: HashMap<&Stored, u32> =
            old.iter().zip(0..).filter_map(|(id, place)| Some((id.as_ref()?, place))).collect();
        let before = |(place, id): (usize, &Option<Stored>)| {
            let id = id.as_ref().filter(|id| old.get(place).and_then(Option::as_ref) != Some(id))?;
            node(*places.get(id)?)
        };
        ids.iter().enumerate().map(before).collect()
    }

    /// The id of the element at a node.
    fn id_at(&self, element: NodeId, limit: u32) -> Option<Stored> {
        let at = |path: &&[&str]| {
            let leaf = path.iter().try_fold(element, |node, key| self.child(node, &Key::name(key)))?;
            self.value(self.at(leaf, limit)?.what).filter(|id| id.first_byte() == b'"')
        };
        PLACES.iter().find_map(at)
    }
}
