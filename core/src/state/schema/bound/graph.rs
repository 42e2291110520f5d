//! A schema as a graph: its objects, and which of them each applies to the same value, to members and to elements.

use crate::json::pointer_unescape;
use crate::state::schema::{META, last_segment};
use serde_json::{Map, Value as Plain};
use std::collections::HashMap;

/// Most objects in a schema.
const NODES_MAX: usize = 100_000;

/// Multiples are counted up to here.
pub(super) const MULTIPLE_MAX: u64 = 1 << 40;

/// Keywords that apply one schema, a list, or named ones to the same value.
const HERE: [&str; 9] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"];

/// Of those and the next, the ones that have schemas by name.
const NAMED: [&str; 3] = ["dependentSchemas", "dependencies", "patternProperties"];

/// Keywords that apply schemas to every member or element.
const EVERY: [&str; 6] =
    ["patternProperties", "propertyNames", "contains", "unevaluatedItems", "unevaluatedProperties", "prefixItems"];

/// Keywords that apply a schema to the members or elements that no other names.
const OTHER: [&str; 3] = ["additionalProperties", "items", "additionalItems"];

/// Options of `enum` that are compared in the time of one evaluation.
const OPTIONS: u64 = 16;

/// Evaluations of one value by the schema of schemas.
const META_WEIGHT: u64 = 32;

/// To which value an edge leads.
#[derive(Debug)]
pub(super) enum Edge {
    /// The same one.
    Here,
    /// The member of a name.
    Name(String),
    /// Members or elements that are not named.
    Other,
    /// All members or elements.
    Every,
}

/// The objects of a schema. The root is the first; the last stands for the schema of schemas.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    weight: u64,
    edges: Vec<(Edge, usize, u64)>,
}

/// What is known of a schema before its edges are.
#[derive(Default)]
struct Reader<'s> {
    objects: Vec<&'s Map<String, Plain>>,
    /// By address in memory: values of one schema stay where they are.
    numbers: HashMap<*const Plain, usize>,
    /// The innermost object with an address of its own around each.
    bases: Vec<usize>,
    ids: Vec<(&'s str, usize)>,
    anchors: HashMap<&'s str, Vec<usize>>,
    values: Vec<&'s Plain>,
}

impl<'s> Reader<'s> {
    fn add(&mut self, value: &'s Plain, base: usize) -> Result<(), String> {
        match value {
            Plain::Object(members) => {
                let number = self.objects.len();
                if number >= NODES_MAX {
                    return Err(format!("it has more than {NODES_MAX} objects"));
                }
                self.objects.push(members);
                self.values.push(value);
                self.numbers.insert(value, number);
                let id = members.get("$id").and_then(Plain::as_str);
                self.ids.extend(id.map(|id| (id, number)));
                let base = if id.is_some() { number } else { base };
                self.bases.push(base);
                for name in ["$anchor", "$dynamicAnchor"].iter().filter_map(|key| members.get(*key)?.as_str()) {
                    self.anchors.entry(name).or_default().push(number);
                }
                members.values().try_for_each(|value| self.add(value, base))
            }
            Plain::Array(items) => items.iter().try_for_each(|item| self.add(item, base)),
            _ => Ok(()),
        }
    }

    /// The objects that a reference of an object may name. More than it does is allowed, fewer is not.
    fn targets(&self, from: usize, reference: &str) -> Vec<usize> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let mut bases: Vec<usize> = match address {
            "" => vec![0, self.bases.get(from).copied().unwrap_or_default()],
            _ => self.ids.iter().filter(|(id, _)| last_segment(id) == last_segment(address)).map(|(_, n)| *n).collect(),
        };
        bases.sort_unstable();
        bases.dedup();
        let fragment = decoded(fragment);
        let mut all: Vec<usize> = match fragment.as_str() {
            "" => bases,
            pointer if pointer.starts_with('/') => bases.iter().filter_map(|base| self.at(*base, pointer)).collect(),
            anchor => self.anchors.get(anchor).cloned().unwrap_or_default(),
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    fn at(&self, base: usize, pointer: &str) -> Option<usize> {
        let mut value: &Plain = self.values.get(base)?;
        for segment in pointer.split('/').skip(1) {
            let name = pointer_unescape(segment);
            value = match value {
                Plain::Array(items) => items.get(name.parse::<usize>().ok()?)?,
                value => value.get(name.as_str())?,
            };
        }
        self.number(value)
    }

    fn node(&self, number: usize, members: &Map<String, Plain>) -> Node {
        let mut node = Node { weight: 1, edges: Vec::new() };
        // What is evaluated by others is found by evaluating those again, at each level.
        let again = if members.keys().any(|key| key.starts_with("unevaluated")) { 4 } else { 1 };
        for (key, value) in members {
            match key.as_str() {
                "$ref" | "$dynamicRef" => self.refer(number, value, again, &mut node),
                "properties" => {
                    for (name, value) in value.as_object().into_iter().flatten() {
                        node.edges.extend(self.number(value).map(|to| (Edge::Name(name.clone()), to, 1)));
                    }
                }
                "enum" => node.weight += value.as_array().map_or(0, |options| options.len() as u64 / OPTIONS),
                key if HERE.contains(&key) => self.apply(key, value, || Edge::Here, again, &mut node),
                key if EVERY.contains(&key) => self.apply(key, value, || Edge::Every, 1, &mut node),
                key if OTHER.contains(&key) => self.apply(key, value, || Edge::Other, 1, &mut node),
                _ => {}
            }
        }
        node
    }

    fn refer(&self, number: usize, value: &Plain, again: u64, node: &mut Node) {
        let Some(reference) = value.as_str() else { return };
        if reference.starts_with(META) {
            node.edges.push((Edge::Here, self.objects.len(), again));
        }
        node.edges.extend(self.targets(number, reference).into_iter().map(|to| (Edge::Here, to, again)));
    }

    /// A keyword whose value is a schema, a list of schemas, or schemas by name.
    fn apply(&self, key: &str, value: &Plain, edge: fn() -> Edge, multiple: u64, node: &mut Node) {
        let mut add = |value: &Plain| node.edges.extend(self.number(value).map(|to| (edge(), to, multiple)));
        match value {
            Plain::Array(items) => items.iter().for_each(add),
            Plain::Object(named) if NAMED.contains(&key) => named.values().for_each(add),
            value => add(value),
        }
    }

    fn number(&self, value: &Plain) -> Option<usize> {
        self.numbers.get(&std::ptr::from_ref(value)).copied()
    }
}

impl Graph {
    /// Reads a schema.
    ///
    /// # Errors
    /// It is too large: why, as a sentence.
    pub(super) fn of(schema: &Plain) -> Result<Self, String> {
        let mut reader = Reader::default();
        reader.add(schema, 0)?;
        let mut nodes: Vec<Node> =
            reader.objects.iter().enumerate().map(|(i, members)| reader.node(i, members)).collect();
        if nodes.is_empty() {
            nodes.push(Node { weight: 1, edges: Vec::new() });
        }
        let meta = nodes.len();
        nodes.push(Node { weight: META_WEIGHT, edges: vec![(Edge::Every, meta, 1)] });
        Ok(Self { nodes })
    }

    /// The number of its objects.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Evaluations of an object itself.
    pub(super) fn weight(&self, node: usize) -> u64 {
        self.nodes.get(node).map_or(1, |node| node.weight)
    }

    /// What an object applies to which values, and how often.
    pub(super) fn edges(&self, node: usize) -> impl Iterator<Item = &(Edge, usize, u64)> {
        self.nodes.get(node).into_iter().flat_map(|node| &node.edges)
    }

    /// All objects, each before those that it applies to the same value. None: some are applied in a circle.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        let here = |node: usize| self.edges(node).filter(|(edge, ..)| matches!(edge, Edge::Here)).map(|(_, to, _)| *to);
        let mut waits = vec![0_usize; self.len()];
        (0..self.len()).flat_map(here).for_each(|to| waits[to] += 1);
        let mut order: Vec<usize> = (0..self.len()).filter(|node| waits[*node] == 0).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for to in here(node) {
                waits[to] -= 1;
                if waits[to] == 0 {
                    order.push(to);
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }

    /// The most objects on a way along edges, where those of a circle count once each.
    pub(super) fn chain(&self) -> usize {
        let circles = self.circles();
        let mut lengths = vec![0_usize; circles.sizes.len()];
        // Tarjan numbers a circle after all that it reaches.
        for (circle, nodes) in circles.members.iter().enumerate() {
            let below = nodes.iter().flat_map(|node| self.edges(*node)).map(|(_, to, _)| circles.of[*to]);
            let longest = below.filter(|other| *other != circle).map(|other| lengths[other]).max().unwrap_or(0);
            lengths[circle] = longest + circles.sizes[circle];
        }
        circles.of.first().map_or(0, |root| lengths[*root])
    }

    /// Tarjan's algorithm without recursion.
    fn circles(&self) -> Circles {
        const NEW: usize = usize::MAX;
        let mut out = Circles { of: vec![NEW; self.len()], ..Circles::default() };
        let (mut found, mut low, mut open) = (vec![NEW; self.len()], vec![0; self.len()], Vec::new());
        let mut count = 0;
        let mut way: Vec<(usize, usize)> = vec![(0, 0)];
        while let Some((node, at)) = way.last_mut() {
            let node = *node;
            if *at == 0 {
                (found[node], low[node]) = (count, count);
                count += 1;
                open.push(node);
            }
            let next = self.nodes.get(node).and_then(|n| n.edges.get(*at)).map(|(_, to, _)| *to);
            *at += 1;
            match next {
                Some(to) if found[to] == NEW => way.push((to, 0)),
                Some(to) if out.of[to] == NEW => low[node] = low[node].min(found[to]),
                Some(_) => {}
                None => {
                    way.pop();
                    if let Some((above, _)) = way.last() {
                        low[*above] = low[*above].min(low[node]);
                    }
                    if low[node] == found[node] {
                        out.close(node, &mut open);
                    }
                }
            }
        }
        out
    }
}

/// The circles of a graph: each object that the root reaches is in one, mostly alone.
#[derive(Default)]
struct Circles {
    of: Vec<usize>,
    sizes: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Circles {
    /// Takes all open objects down to one.
    fn close(&mut self, node: usize, open: &mut Vec<usize>) {
        let first = open.iter().rposition(|other| *other == node).unwrap_or_default();
        let members = open.split_off(first);
        members.iter().for_each(|member| self.of[*member] = self.sizes.len());
        self.sizes.push(members.len());
        self.members.push(members);
    }
}

/// A fragment without its percent signs.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
