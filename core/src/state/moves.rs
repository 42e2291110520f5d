//! Elements of a list that moved: one with an id is the same wherever it is (`FORMATS.md` 4, *diff by message id*), so
//! who wrote it does not change when others before it come or go.

use super::storage::versions::VersionContent;
use super::{NodeId, Stored, Tree};
use crate::json::{self, Key, Value};
use std::collections::HashMap;

/// The members of an element that may hold its id: its own, that of what it is made of, as LangChain writes it.
const PLACES: [&[&str]; 2] = [&["id"], &["kwargs", "id"]];

/// Where an element of a list was before a write.
#[derive(Debug, Clone, Copy)]
pub(super) enum ElementOrigin {
    /// At its place, as far as its id says.
    Here,
    At(NodeId),
    /// Another element was at its place, and it was nowhere.
    New,
}

/// The id of an element of a list.
pub(super) fn element_id(element: &Value<'_>) -> Option<Stored> {
    let at = |path: &&[&str]| {
        let id = path.iter().try_fold(element, |value, key| value.get(key))?;
        id.as_str().map(|id| Stored::text_of(&json::quote(id)))
    };
    PLACES.iter().find_map(at)
}

/// Whether an element of a list is a message of a conversation.
pub(super) fn is_message(element: &Value<'_>) -> bool {
    let inner = element.get("kwargs").unwrap_or(element);
    let is_of_somebody = ["role", "type", "$class"].iter().any(|key| inner.get(key).is_some());
    inner.get("content").is_some() && is_of_somebody
}

impl Tree {
    /// Of each element of a list that is written where it was before; empty: all were where they are. `limit` is the
    /// number of the first version of the write; `ids` are those of the elements.
    pub(super) fn moved(&self, list: NodeId, limit: u32, ids: &[Option<Stored>]) -> Vec<ElementOrigin> {
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
            let there = old.get(place).and_then(Option::as_ref);
            let Some(id) = id.as_ref().filter(|id| there != Some(id)) else { return ElementOrigin::Here };
            match places.get(id).and_then(|place| node(*place)) {
                Some(node) => ElementOrigin::At(node),
                None if there.is_some() => ElementOrigin::New,
                None => ElementOrigin::Here,
            }
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
