//! Where a value was copied from: another leaf that held the same text just before the write.
//!
//! Equal text is no proof, so only values that carry information are looked at, and the likeliest source is named: what
//! the writing call says that it read, then the own instance, then what holds for all; of several the newest.

use super::storage::versions::{ValueLocation, VersionContent};
use super::{IdentityId, NodeId, Stored, Tree};
use crate::json;
use crate::model::StepNo;
use std::collections::HashMap;

/// Least characters of a string that carries information.
const STRING_CHARS_MIN: usize = 4;
/// Least digits of such a number.
const NUMBER_DIGITS_MIN: usize = 3;
/// Least bytes of the JSON text of such a container (an opaque value).
const CONTAINER_BYTES_MIN: usize = 5;
/// Most leaves that one question looks at, the newest first.
const LOOK_MAX: usize = 1_024;

/// Whether a value says enough for an equal one to be its copy: not `true`, `42`, `"no"`.
#[must_use]
pub fn is_distinctive(value: &Stored) -> bool {
    let Some(text) = value.short() else { return true };
    match text.as_bytes().first() {
        Some(b'"') if text.contains('\\') => {
            json::parse(text).is_ok_and(|v| v.as_str().is_some_and(|s| s.chars().count() >= STRING_CHARS_MIN))
        }
        Some(b'"') => text.chars().count() >= STRING_CHARS_MIN + 2,
        Some(b'{' | b'[') => text.len() >= CONTAINER_BYTES_MIN,
        Some(b'-' | b'0'..=b'9') => {
            let digits = text.bytes().filter(u8::is_ascii_digit);
            digits.clone().count() >= NUMBER_DIGITS_MIN && digits.clone().any(|d| d != b'0')
        }
        _ => false,
    }
}

/// The versions of a tree that hold some values: made by one look through all versions, asked for many writes.
#[derive(Debug)]
pub struct Copies<'t> {
    tree: &'t Tree,
    by_value: HashMap<Stored, Stretches>,
}

/// A leaf that a value was copied from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The leaf.
    pub node: NodeId,
    /// Whose it is.
    pub id: IdentityId,
    /// The step whose message supplied it there.
    pub step: StepNo,
}

impl<'t> Copies<'t> {
    /// Looks for these values; those that say nothing are passed over.
    #[must_use]
    pub fn of(tree: &'t Tree, values: impl IntoIterator<Item = Stored>) -> Self {
        let mut by_value: HashMap<Stored, Stretches> =
            values.into_iter().filter(is_distinctive).map(|value| (value, Stretches::default())).collect();
        if !by_value.is_empty() {
            // Most values have another length than those wanted, and need not be looked up.
            let mut is_wanted = [false; ValueLocation::CLASSES];
            by_value.keys().for_each(|value| is_wanted[ValueLocation::class_of(value)] = true);
            for (number, version) in (0..).zip(tree.versions.since(0)) {
                if let VersionContent::Leaf(leaf) = version.what
                    && is_wanted[leaf.class()]
                    && let Some(stretches) = by_value.get_mut(&tree.versions.value(leaf))
                {
                    stretches.starts.push(number);
                }
            }
        }
        let end = |number| tree.next_version(tree.version(number).node, number).unwrap_or(u32::MAX);
        by_value.values_mut().for_each(|stretches| stretches.close(end));
        Self { tree, by_value }
    }

    /// What `node` was copied from when the message of step `author` wrote `value` there: another leaf that held it
    /// just before. `reads` are the nodes that the writing call says it read.
    #[must_use]
    pub fn source(&self, node: NodeId, author: StepNo, value: &Stored, reads: &[NodeId]) -> Option<Copied> {
        let stretches = self.by_value.get(value)?;
        let limit = self.tree.limit_before(author);
        let reader = self.tree.identity(self.owner(node));
        let mut best: Option<(u8, Copied)> = None;
        let mut at = limit;
        for _ in 0..LOOK_MAX {
            let Some(number) = stretches.newest_at(at, limit) else { break };
            at = number;
            let version = self.tree.version(number);
            if version.node == node {
                continue;
            }
            let id = self.owner(version.node);
            let instance = &self.tree.identity(id).instance;
            let rank = match instance {
                _ if self.is_read(version.node, reads) => 0,
                _ if *instance == reader.instance => 1,
                None => 2,
                Some(_) => 3,
            };
            if best.is_none_or(|(best_rank, _)| rank < best_rank) {
                best = Some((rank, Copied { node: version.node, id, step: self.tree.attribution(number).author }));
            }
            if rank == 0 || (rank == 1 && reads.is_empty()) {
                break;
            }
        }
        best.map(|(_, copied)| copied)
    }

    /// Whether a leaf is at or below a node that was read.
    fn is_read(&self, leaf: NodeId, reads: &[NodeId]) -> bool {
        let mut at = Some(leaf).filter(|_| !reads.is_empty());
        while let Some(node) = at {
            if reads.contains(&node) {
                return true;
            }
            at = self.tree.parent(node);
        }
        false
    }

    fn owner(&self, node: NodeId) -> IdentityId {
        let mut root = node;
        while let Some(parent) = self.tree.parent(root) {
            root = parent;
        }
        self.tree.identity_of_root(root)
    }
}

/// Stretches of versions in which leaves hold one value, by where they start; those that hold at one place are found
/// without a look at all that have ended before.
#[derive(Debug, Default)]
struct Stretches {
    /// Numbers of the versions, ascending.
    starts: Vec<u32>,
    /// A segment tree over where they end, which is where the next version of the node begins: the leaves are in its
    /// second half, each place before has the greatest end of the two below.
    ends: Vec<u32>,
}

impl Stretches {
    /// How many leaves the tree has: a power of two, and one more than needed.
    fn room(&self) -> usize {
        (self.starts.len() + 1).next_power_of_two()
    }

    fn close(&mut self, end: impl Fn(u32) -> u32) {
        let room = self.room();
        self.ends = vec![0; room];
        self.ends.extend(self.starts.iter().map(|start| end(*start)));
        self.ends.resize(2 * room, 0);
        for at in (1..room).rev() {
            self.ends[at] = self.ends[2 * at].max(self.ends[2 * at + 1]);
        }
    }

    /// The last version before `below` that still holds at `limit`.
    fn newest_at(&self, below: u32, limit: u32) -> Option<u32> {
        // From the first that starts too late up to the root: what is left of the way, the nearest first.
        let mut at = self.room() + self.starts.partition_point(|start| *start < below);
        while at > 1 {
            if at % 2 == 1 && self.ends[at - 1] >= limit {
                return Some(self.last_below(at - 1, limit));
            }
            at /= 2;
        }
        None
    }

    /// The last version below a place of the tree, of which one holds at `limit`.
    fn last_below(&self, place: usize, limit: u32) -> u32 {
        let mut at = place;
        while at < self.room() {
            at = if self.ends[2 * at + 1] >= limit { 2 * at + 1 } else { 2 * at };
        }
        self.starts[at - self.room()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Key, parse};
    use crate::model::Identity;
    use crate::state::Write;

    /// Steps: kind, instance (empty: global), value.
    fn tree(steps: &[(&str, &str, &str)]) -> Tree {
        let mut tree = Tree::new();
        for (at, (kind, instance, text)) in (0..).zip(steps) {
            let identity = if instance.is_empty() { Identity::global(*kind) } else { Identity::of(*kind, *instance) };
            let identity = tree.intern(&identity);
            let value = parse(text).unwrap();
            tree.write(&Write { at, author: at, identity, value: Some(&value), base: None, ops: &[] });
        }
        tree
    }

    fn node(tree: &Tree, kind: &str, instance: &str, key: &str) -> NodeId {
        let identity = if instance.is_empty() { Identity::global(kind) } else { Identity::of(kind, instance) };
        tree.node(tree.find(&identity).unwrap(), &[Key::name(key)]).unwrap()
    }

    /// Kind, key and step of what a leaf was copied from at a step.
    fn copied(tree: &Tree, leaf: NodeId, step: StepNo, reads: &[NodeId]) -> Option<String> {
        let value = tree.leaf(leaf, step).unwrap().value;
        let found = Copies::of(tree, [value.clone()]).source(leaf, step, &value, reads)?;
        Some(format!("{}.{} @{}", tree.identity(found.id).kind, tree.path(found.node).1[0], found.step))
    }

    #[test]
    fn short_words_and_small_numbers_are_not_distinctive() {
        let is_distinct = |text: &str| is_distinctive(&Stored::text_of(text));
        for text in ["\"Lyon\"", "\"数数数数\"", "100", "-12.5", "1e10", "[1,2]", "\"a text that is rather long\""]
        {
            assert!(is_distinct(text), "{text}");
        }
        for text in ["\"yes\"", "\"\\u0041\\u0041\"", "42", "0.00", "true", "null", "{}", "[]", "[1]", "false"] {
            assert!(!is_distinct(text), "{text}");
        }
    }

    #[test]
    fn a_copy_names_the_newest_leaf_that_held_the_value_just_before() {
        let tree = tree(&[
            ("a", "", r#"{"x":"Lyon"}"#),
            ("b", "", r#"{"x":"Lyon"}"#),
            ("b", "", r#"{"x":"gone again"}"#),
            ("c", "", r#"{"x":"Lyon","y":"Lyon"}"#),
            ("c", "", r#"{"x":"Lyon"}"#),
        ]);
        let (b, c) = (node(&tree, "b", "", "x"), node(&tree, "c", "", "x"));
        assert_eq!(copied(&tree, b, 1, &[]).as_deref(), Some("a.x @0"));
        assert_eq!(copied(&tree, c, 3, &[]).as_deref(), Some("a.x @0"), "not b, which lost it, nor its own sibling");
        assert_eq!(copied(&tree, c, 4, &[]).as_deref(), Some("c.y @3"), "written again: the newest other");
        assert_eq!(copied(&tree, node(&tree, "a", "", "x"), 0, &[]), None);
    }

    #[test]
    fn a_value_that_is_written_again_and_again_costs_one_look() {
        let mut steps = vec![("a", "", r#"{"x":"running"}"#)];
        steps.resize(3_000, ("b", "", r#"{"x":"running"}"#));
        let tree = tree(&steps);
        let b = node(&tree, "b", "", "x");
        assert_eq!(copied(&tree, b, 2_999, &[]).as_deref(), Some("a.x @0"));
        let copies = Copies::of(&tree, [Stored::text_of("\"running\""), Stored::text_of("true")]);
        let looked: Vec<usize> = copies.by_value.values().map(|s| s.starts.len()).collect();
        assert_eq!(looked, [3_000], "each version once, and none for what tells nothing");
    }

    #[test]
    fn what_the_call_read_and_the_own_instance_come_first() {
        let tree = tree(&[
            ("input", "1", r#"{"n":1800}"#),
            ("far", "", r#"{"n":1800}"#),
            ("input", "2", r#"{"n":1800}"#),
            ("state", "1", r#"{"n":1800,"m":1800}"#),
        ]);
        let state = node(&tree, "state", "1", "n");
        assert_eq!(copied(&tree, state, 3, &[]).as_deref(), Some("input.n @0"));
        let far = tree.node(tree.find(&Identity::global("far")).unwrap(), &[]).unwrap();
        assert_eq!(copied(&tree, state, 3, &[far]).as_deref(), Some("far.n @1"));
    }
}
