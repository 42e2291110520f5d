//! Paths that calls write, as a tree: which of them touch a path is found by walking along that path (A39).

use super::reference::{PathSegment, Reference};
use super::resolve::Resolver;
use crate::model::cast;
use std::collections::HashMap;

/// One place in the tree of paths: a kind, or a path below it.
type Node = u32;

/// A segment as the tree knows it; `.0` is apart because it means a key or an index (A33).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    Kind(Box<str>),
    Name(Box<str>),
    Index(u32),
    Either(u32),
    /// An index that no array can have: it means no element, not even its own (A39).
    Beyond(u64),
}

/// Which paths a group has: those that end at a place, or those that go there and on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reach {
    Ends,
    Passes,
}

/// Paths with their owners, added in the order of the owners.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    steps: HashMap<(Node, Step), Node>,
    instances: HashMap<Box<str>, u32>,
    groups: HashMap<(Node, Reach, u32), usize>,
    owners: Vec<Vec<usize>>,
    nodes: Node,
}

impl Places {
    /// Adds a path that `owner` writes, in an instance; None is all of them.
    pub fn add(&mut self, owner: usize, instance: Option<&str>, path: &Reference) {
        let instance = instance.map_or(0, |name| {
            let next = cast::to_u32(self.instances.len()) + 1;
            *self.instances.entry(name.into()).or_insert(next)
        });
        let steps = steps(path);
        let mut at = 0;
        let mut keys = Vec::with_capacity(steps.len() + 1);
        for step in steps {
            let next = self.nodes + 1;
            at = *self.steps.entry((at, step)).or_insert(next);
            self.nodes = self.nodes.max(at);
            keys.push((at, Reach::Passes, instance));
        }
        keys.push((at, Reach::Ends, instance));
        for key in keys {
            let new = self.owners.len();
            let group = *self.groups.entry(key).or_insert(new);
            if group == new {
                self.owners.push(Vec::new());
            }
            self.owners[group].push(owner);
        }
    }

    /// How many groups there are.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.owners.len()
    }

    /// Who has a path of a group, in order; an owner of several paths is there several times.
    #[must_use]
    pub fn owners(&self, group: usize) -> &[usize] {
        &self.owners[group]
    }

    /// The groups that a path that was added belongs to.
    #[must_use]
    pub fn having(&self, path: &Reference, instance: Option<&str>) -> Vec<usize> {
        let Some(instance) = self.instance(instance) else { return Vec::new() };
        let steps = steps(path);
        let mut at = 0;
        let mut found = Vec::with_capacity(steps.len() + 1);
        for step in steps {
            let Some(&next) = self.steps.get(&(at, step)) else { return Vec::new() };
            at = next;
            found.extend(self.groups.get(&(at, Reach::Passes, instance)));
        }
        found.extend(self.groups.get(&(at, Reach::Ends, instance)));
        found
    }

    /// The number of an instance; None where no path has it.
    fn instance(&self, name: Option<&str>) -> Option<u32> {
        name.map_or(Some(0), |name| self.instances.get(name).copied())
    }

    /// A39: the groups whose paths touch `path`, of exactly this instance; None are the paths of all instances. `.0`
    /// touches what it can mean in some state.
    #[must_use]
    pub fn touching(&self, path: &Reference, instance: Option<&str>) -> Vec<usize> {
        self.touching_as(path, instance, |_, _, _| true)
    }

    /// A33, A39: the same of a path that is printed, where `.0` is what the state of `resolver` prints.
    fn touching_printed(&self, path: &Reference, instance: Option<&str>, resolver: Resolver<'_>) -> Vec<usize> {
        self.touching_as(path, instance, |above, segment, n| {
            resolver.is_index(&path.kind, above, n) == matches!(segment, PathSegment::Index(_))
        })
    }

    /// The groups whose paths touch `path`; `is_meant` says whether `.n` below a path means its segment.
    fn touching_as(
        &self,
        path: &Reference,
        instance: Option<&str>,
        is_match: impl Fn(&[PathSegment], &PathSegment, u32) -> bool,
    ) -> Vec<usize> {
        let Some(instance) = self.instance(instance) else { return Vec::new() };
        let mut found = Vec::new();
        let mut put = |node: &Node, reach: Reach| found.extend(self.groups.get(&(*node, reach, instance)));
        let mut nodes: Vec<Node> =
            self.steps.get(&(0, Step::Kind(path.kind.as_str().into()))).copied().into_iter().collect();
        for (depth, segment) in path.path.iter().enumerate() {
            nodes.iter().for_each(|node| put(node, Reach::Ends));
            let mut steps = Step::meeting(segment);
            steps.retain(|step| match step {
                Step::Either(n) if nodes.iter().any(|node| self.steps.contains_key(&(*node, step.clone()))) => {
                    is_match(&path.path[..depth], segment, *n)
                }
                _ => true,
            });
            nodes = nodes
                .iter()
                .flat_map(|node| steps.iter().filter_map(|s| self.steps.get(&(*node, s.clone()))))
                .copied()
                .collect();
        }
        nodes.iter().for_each(|node| put(node, Reach::Passes));
        found
    }

    /// A39: whether any path touches `path`, of any instance.
    #[must_use]
    pub fn is_touched(&self, path: &Reference) -> bool {
        let mut instances = std::iter::once(None).chain(self.instances.keys().map(|name| Some(name.as_ref())));
        instances.any(|instance| !self.touching(path, instance).is_empty())
    }

    /// A39: the groups that supply `path` to a reader in an instance: those of all instances and of its own.
    #[must_use]
    pub fn supplying(&self, path: &Reference, instance: Option<&str>) -> Vec<usize> {
        let mut groups = self.touching(path, None);
        if instance.is_some() {
            groups.extend(self.touching(path, instance));
        }
        groups
    }

    /// A39: whether any owner but `reader` supplies a path to a reader in the instance of `resolver`, whose state says
    /// what `.0` is (A33).
    #[must_use]
    pub(super) fn has_supplier(&self, reader: usize, path: &Reference, resolver: Resolver<'_>) -> bool {
        let path = resolver.printed(path);
        let mut groups = self.touching_printed(&path, None, resolver);
        if resolver.instance.is_some() {
            groups.extend(self.touching_printed(&path, resolver.instance, resolver));
        }
        groups.into_iter().any(|group| has_other(self.owners(group).iter(), reader))
    }
}

/// Whether a list in ascending order has anything but `one`.
pub(super) fn has_other<'l>(list: impl DoubleEndedIterator<Item = &'l usize>, one: usize) -> bool {
    let mut list = list;
    let first = list.next();
    first.is_some_and(|first| *first != one || list.next_back().is_some_and(|last| *last != one))
}

/// The steps of a path from its kind on.
fn steps(path: &Reference) -> Vec<Step> {
    let kind = Step::Kind(path.kind.as_str().into());
    std::iter::once(kind).chain(path.path.iter().map(Step::of)).collect()
}

impl Step {
    fn of(segment: &PathSegment) -> Self {
        match segment {
            PathSegment::Dot(key) => segment.on_array().map_or_else(|| Self::Name(key.clone()), Self::Either),
            PathSegment::Quoted(key) => Self::Name(key.clone()),
            PathSegment::Index(n) => segment.on_array().map_or(Self::Beyond(*n), Self::Index),
        }
    }

    /// The steps that can mean the same member or element as a segment.
    fn meeting(segment: &PathSegment) -> Vec<Self> {
        let index = segment.on_array();
        match segment {
            PathSegment::Dot(key) => match index {
                Some(n) => vec![Self::Either(n), Self::Name(key.clone()), Self::Index(n)],
                None => vec![Self::Name(key.clone())],
            },
            PathSegment::Quoted(key) => {
                let same = PathSegment::Dot(key.clone()).on_array().map(Self::Either);
                std::iter::once(Self::Name(key.clone())).chain(same).collect()
            }
            PathSegment::Index(_) => index.into_iter().flat_map(|n| [Self::Index(n), Self::Either(n)]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_reference;
    use super::*;
    use crate::state::Tree;

    /// A39: the tree finds what comparing all pairs finds.
    #[test]
    fn paths_meet_as_pairs_of_them_do() {
        let texts = [
            "†k",
            "†k.a",
            "†k.a.b",
            "†k[\"a\"][0]",
            "†k.a.0",
            "†k.a[\"0\"].c",
            "†k[0]",
            "†k.0",
            "†k[\"0\"]",
            "†k.00",
            "†k[\"00\"]",
            "†k[99999999999]",
            "†k.99999999999",
            "†j",
            "†j.a",
            "†[\"a b\"].0.1",
            "†[\"a b\"][0][1]",
            "†[\"a b\"]",
        ];
        let paths: Vec<Reference> = texts.iter().map(|t| parse_reference(t).unwrap()).collect();
        let mut places = Places::default();
        for (owner, path) in paths.iter().enumerate() {
            places.add(owner, None, path);
        }
        for path in &paths {
            let mut found: Vec<usize> =
                places.touching(path, None).into_iter().flat_map(|g| places.owners(g).iter().copied()).collect();
            found.sort_unstable();
            let pairs: Vec<usize> = (0..paths.len()).filter(|&i| paths[i].touches(path)).collect();
            assert_eq!(found, pairs, "{}", path.canonical());
        }
    }

    #[test]
    fn an_instance_is_supplied_by_its_own_and_by_all() {
        let path = parse_reference("†k.a").unwrap();
        let mut places = Places::default();
        places.add(0, None, &path);
        places.add(1, Some("x"), &path);
        let tree = Tree::new();
        let has_supplier = |reader, instance| places.has_supplier(reader, &path, Resolver::new(&tree, 0, instance));
        assert!(has_supplier(0, Some("x")) && has_supplier(1, Some("x")));
        assert!(!has_supplier(0, Some("y")) && !has_supplier(0, None));
        assert_eq!((places.touching(&path, Some("x")).len(), places.touching(&path, Some("y")).len()), (1, 0));
    }
}
