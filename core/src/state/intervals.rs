//! When a value was so: the stretches of steps in which it equals something, matches something, or stays as it is.

use super::storage::versions::VersionContent;
use super::{NodeId, NodeShape, Stored, Tree};
use crate::json::{Data, Key, Value};
use crate::model::{Bytes, StepNo};
use std::collections::{HashMap, HashSet};

/// Steps during which something held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepInterval {
    /// The first.
    pub from: StepNo,
    /// The last; None while it still holds.
    pub to: Option<StepNo>,
}

impl Tree {
    /// The stretches up to a step in which the value at a node equals `wanted`: numbers by their text, members in any
    /// order. Costs each version at or below the node once.
    #[must_use]
    pub fn when_equal(&self, node: NodeId, wanted: &Value<'_>, step: StepNo) -> Vec<StepInterval> {
        let mut leaves = HashMap::new();
        let is_possible = self.expected_leaves(node, wanted, &mut leaves);
        if !is_possible {
            return Vec::new();
        }
        // How many leaves are not as they should be: missing, other, or too many.
        let mut wrong = leaves.len();
        let mut is_right_by_node: HashMap<NodeId, bool> = HashMap::new();
        let mut stretches = Stretches::default();
        self.each_step(node, (StepNo::MIN, step), |at, numbers| {
            for number in numbers {
                let version = self.version(*number);
                let value = self.value(version.what);
                let is_right = match (leaves.get(&version.node), &value) {
                    (Some(wanted), Some(value)) => value == wanted,
                    (Some(_), None) => false,
                    (None, value) => value.is_none(),
                };
                let was_right =
                    is_right_by_node.insert(version.node, is_right).unwrap_or(!leaves.contains_key(&version.node));
                match (was_right, is_right) {
                    (true, false) => wrong += 1,
                    (false, true) => wrong -= 1,
                    _ => {}
                }
            }
            stretches.put(at, wrong == 0);
        });
        stretches.list
    }

    /// The stretches up to a step in which the value at a node, as compact JSON text, is as `is_so` says. A container
    /// is printed again at each step that writes below it.
    #[must_use]
    pub fn when_text(
        &self,
        node: NodeId,
        step: StepNo,
        bytes: &dyn Bytes,
        mut is_so: impl FnMut(&str) -> bool,
    ) -> Vec<StepInterval> {
        let mut stretches = Stretches::default();
        self.each_step(node, (StepNo::MIN, step), |at, _| {
            stretches.put(at, self.text(node, at, bytes).is_some_and(|text| is_so(&text)));
        });
        stretches.list
    }

    /// The stretches up to a step in which the value at a node stays the same; where it is absent there is none.
    #[must_use]
    pub fn when_changed(&self, node: NodeId, step: StepNo) -> Vec<StepInterval> {
        let mut stretches = Stretches::default();
        let mut values: HashMap<NodeId, Option<Stored>> = HashMap::new();
        let mut present = 0_usize;
        self.each_step(node, (StepNo::MIN, step), |at, numbers| {
            let mut has_changed = false;
            for number in numbers {
                let version = self.version(*number);
                let value = self.value(version.what);
                let is_there = value.is_some();
                let was = values.insert(version.node, value).flatten();
                has_changed |= was != values.get(&version.node).cloned().flatten();
                match (was.is_some(), is_there) {
                    (false, true) => present += 1,
                    (true, false) => present -= 1,
                    _ => {}
                }
            }
            if has_changed {
                stretches.put(at, false);
                stretches.put(at, present > 0);
            }
        });
        stretches.list
    }

    /// The leaves that a value would have at and below a node; whether it ever can: each of them was there at some
    /// step.
    fn expected_leaves(&self, node: NodeId, wanted: &Value<'_>, leaves: &mut HashMap<NodeId, Stored>) -> bool {
        let mut below = |key: Key, part: &Value<'_>| match self.child(node, &key) {
            Some(child) => self.expected_leaves(child, part, leaves),
            None => false,
        };
        match &wanted.data {
            Data::Object(object) if !object.is_empty() && !self.is_ever_opaque(node) => {
                object.entries().all(|(key, part)| below(Key::name(key), part))
            }
            Data::Array(items) if !items.is_empty() && !self.is_ever_opaque(node) => {
                (0..).zip(items).all(|(index, part)| below(Key::Index(index), part))
            }
            _ => {
                leaves.insert(node, Stored::text_of(&crate::json::compact(wanted)));
                true
            }
        }
    }

    /// Whether a node is of those that hold containers as one leaf (slots).
    fn is_ever_opaque(&self, node: NodeId) -> bool {
        self.versions_of(node).any(|v| match self.version(v).what {
            VersionContent::Leaf(location) => matches!(self.versions.value(location).first_byte(), b'{' | b'['),
            _ => false,
        })
    }

    /// The steps after `after`, up to `step`, in which the value at a node changed: came, became another, went.
    #[must_use]
    pub fn changes(&self, node: NodeId, (after, step): (StepNo, StepNo)) -> Vec<StepNo> {
        let mut out = Vec::new();
        self.each_step(node, (after, step), |at, numbers| {
            let before = self.limit_before(at);
            let has_changed = numbers.iter().any(|number| {
                let version = self.version(*number);
                self.at(version.node, before).and_then(|was| self.value(was.what)) != self.value(version.what)
            });
            if has_changed {
                out.push(at);
            }
        });
        out
    }

    /// The steps after `after`, up to `step`, in which something was written at or below a node.
    #[must_use]
    pub fn written(&self, node: NodeId, span: (StepNo, StepNo)) -> Vec<StepNo> {
        let mut out = Vec::new();
        self.each_step(node, span, |at, _| out.push(at));
        out
    }

    /// The steps after `after`, up to `step`, in which something was written at or below a node, with the value there
    /// as compact JSON text if it is a leaf or `with_containers` asks for whole containers; None: no such value.
    pub fn each_text(
        &self,
        node: NodeId,
        span: (StepNo, StepNo),
        with_containers: bool,
        bytes: &dyn Bytes,
        mut then: impl FnMut(StepNo, Option<&str>),
    ) {
        self.each_step(node, span, |at, _| {
            let is_wanted =
                with_containers || !matches!(self.shape(node, at), Some(NodeShape::Object | NodeShape::Array));
            let text = is_wanted.then(|| self.text(node, at, bytes)).flatten();
            then(at, text.as_deref());
        });
    }

    /// Calls with each step after the first and up to the second that wrote at or below a node, and the last version of
    /// each node there at that step.
    fn each_step(&self, node: NodeId, (after, step): (StepNo, StepNo), mut then: impl FnMut(StepNo, &[u32])) {
        let (low, limit) = (self.limit(after), self.limit(step));
        let below = self.below(node);
        let of_node =
            |n: &NodeId| self.versions_of(*n).rev().skip_while(move |v| *v >= limit).take_while(move |v| *v >= low);
        let mut numbers: Vec<u32> = below.iter().flat_map(of_node).collect();
        numbers.sort_unstable();
        for of_step in numbers.chunk_by(|a, b| self.step_of(*a) == self.step_of(*b)) {
            let mut seen = HashSet::new();
            let last: Vec<u32> = of_step.iter().rev().copied().filter(|n| seen.insert(self.version(*n).node)).collect();
            then(self.step_of(of_step[0]), &last);
        }
    }
}

/// Stretches as they come.
#[derive(Debug, Default)]
struct Stretches {
    list: Vec<StepInterval>,
}

impl Stretches {
    /// From this step on it is so, or is not.
    fn put(&mut self, at: StepNo, is_so: bool) {
        let is_open = self.list.last().is_some_and(|last| last.to.is_none());
        if is_so && !is_open {
            self.list.push(StepInterval { from: at, to: None });
        } else if !is_so && let Some(last) = self.list.last_mut().filter(|_| is_open) {
            last.to = Some(at - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::model::Identity;
    use crate::state::Write;

    fn tree(values: &[&str]) -> (Tree, NodeId) {
        let mut tree = Tree::new();
        let identity = tree.intern(&Identity::global("k"));
        for (at, text) in (0..).zip(values) {
            let value = parse(text).unwrap();
            tree.write(&Write { at, author: at, identity, value: Some(&value), base: None, ops: &[] });
        }
        let root = tree.node(identity, &[]).unwrap();
        (tree, root)
    }

    fn describe(stretches: &[StepInterval]) -> String {
        let one = |s: &StepInterval| format!("{}-{}", s.from, s.to.map_or(String::new(), |to| to.to_string()));
        stretches.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_leaf_equals_in_stretches() {
        let (tree, root) = tree(&[r#"{"a":1}"#, r#"{"b":2}"#, r#"{"a":2}"#, r#"{"a":1}"#, r#"{"a":1.0}"#]);
        let a = tree.node(crate::state::IdentityId(0), &[Key::name("a")]).unwrap();
        let equal = |node, text: &str| describe(&tree.when_equal(node, &parse(text).unwrap(), 9));
        assert_eq!(equal(a, "1"), "0-1 3-3");
        assert_eq!(equal(a, "1.0"), "4-");
        assert_eq!(equal(a, "7"), "");
        assert_eq!(equal(root, r#"{"b":2,"a":1}"#), "1-1 3-3");
        assert_eq!(equal(root, r#"{"a":1}"#), "0-0");
        assert_eq!(equal(root, r#"{"a":1,"c":1}"#), "");
        assert_eq!(describe(&tree.when_changed(a, 9)), "0-1 2-2 3-3 4-");
        assert_eq!(describe(&tree.when_changed(root, 3)), "0-0 1-1 2-2 3-");
        assert_eq!(tree.changes(a, (-1, 9)), [0, 2, 3, 4]);
        assert_eq!(tree.changes(a, (0, 3)), [2, 3]);
        assert_eq!(tree.written(a, (-1, 3)), [0, 2, 3]);
        assert_eq!(tree.changes(root, (2, 9)), [3, 4]);
        let mut texts = Vec::new();
        tree.each_text(a, (2, 9), false, &Vec::new(), |at, text| texts.push((at, text.map(str::to_owned))));
        assert_eq!(texts, [(3, Some("1".to_owned())), (4, Some("1.0".to_owned()))]);
        let is_one = |text: &str| text.starts_with('1');
        assert_eq!(describe(&tree.when_text(a, 9, &Vec::new(), is_one)), "0-1 3-");
    }

    #[test]
    fn shapes_that_come_and_go_are_distinguished() {
        let (tree, root) = tree(&["[1]", "{}", r#"{"a":[]}"#, r#"{"a":[1]}"#, "null", "[1]", "[1,2]"]);
        let equal = |text: &str| describe(&tree.when_equal(root, &parse(text).unwrap(), 9));
        assert_eq!(equal("[1]"), "0-0 5-5");
        assert_eq!(equal("{}"), "1-1");
        assert_eq!(equal(r#"{"a":[]}"#), "2-2");
        assert_eq!(equal(r#"{"a":[1]}"#), "3-3");
        assert_eq!(equal("null"), "4-4");
        assert_eq!(equal("[1,2]"), "6-");
    }
}
