//! Paths: `slot.key[0]["any key"]`, the syntax of A32 and A33 without a dagger.

use crate::json::Key;
use crate::model::StepNo;
use crate::rules::acts::{PathSegment, canonical, parse_reference};
use crate::state::{IdentityId, NodeShape, Tree};

/// A33: the canonical form of a path whose first key is a slot, or a member of a record.
#[must_use]
pub fn text(path: &[Key]) -> String {
    const ROOT: &str = "r";
    let text = canonical(ROOT, path);
    let below = text.split_once(ROOT).map_or("", |(_, below)| below);
    below.strip_prefix('.').unwrap_or(below).to_owned()
}

/// A32: the slot of a path and what follows it; None for what does not parse.
#[must_use]
pub fn parse(text: &str) -> Option<(String, Vec<PathSegment>)> {
    parse_reference(&format!("†{text}")).map(|reference| (reference.kind, reference.path))
}

/// A33: the keys that segments mean below an identity: indices on an array, keys on an object; where nothing is at the
/// step, what the tree once had there.
#[must_use]
pub fn locate(tree: &Tree, id: IdentityId, segments: &[PathSegment], step: StepNo) -> Vec<Key> {
    let mut path = Vec::with_capacity(segments.len());
    for segment in segments {
        let shape = tree.node(id, &path).and_then(|node| tree.shape(node, step));
        let index = segment.on_array().map(Key::Index);
        let name = segment.on_object().map(Key::name);
        let (first, second) = match shape {
            Some(NodeShape::Array | NodeShape::EmptyArray) => (index, name),
            Some(NodeShape::Object | NodeShape::EmptyObject) => (name, index),
            _ => {
                let is_known =
                    |key: &Key| tree.node(id, &[path.as_slice(), std::slice::from_ref(key)].concat()).is_some();
                if index.as_ref().is_some_and(is_known) { (index, name) } else { (name, index) }
            }
        };
        match first.or(second) {
            Some(key) => path.push(key),
            None => break,
        }
    }
    path
}

/// S23: the keys of a path that is in a value; None where it does not.
#[must_use]
pub fn below(tree: &Tree, id: IdentityId, segments: &[PathSegment], step: StepNo) -> Option<Vec<Key>> {
    let mut path = Vec::with_capacity(segments.len());
    for segment in segments {
        let key = match tree.node(id, &path).and_then(|node| tree.shape(node, step))? {
            NodeShape::Array => Key::Index(segment.on_array()?),
            NodeShape::Object => Key::name(segment.on_object()?),
            _ => return None,
        };
        path.push(key);
    }
    let node = tree.node(id, &path)?;
    tree.shape(node, step).map(|_| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_without_dagger() {
        let path = [Key::name("a"), Key::Index(0), Key::name("b c"), Key::name("7")];
        assert_eq!(text(&path), "a[0][\"b c\"][\"7\"]");
        assert_eq!(text(&[Key::name("my slot"), Key::name("x")]), "[\"my slot\"].x");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn reads_slot_and_segments() {
        let (slot, segments) = parse("[\"my slot\"].a[0]").unwrap();
        assert_eq!((slot.as_str(), segments.len()), ("my slot", 2));
        for bad in ["", ".a", "a.", "a[", "†a"] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
