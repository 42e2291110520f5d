//! How much work and stack a schema can need, bounded from its structure before it is compiled.
//!
//! The validator has no limit of its own: a schema of 2 kB can apply a billion schemas to one value, and a chain of
//! references overflows the stack, which aborts the process. So every schema is read as a graph first. An edge either
//! stays at the value (`allOf`, `$ref`, `if`) or goes down to its members or elements (`properties`, `items`). From it
//! follow, for each depth in a value, how often a value there can be evaluated and how many evaluations can be nested.

mod graph;

use graph::{Edge, Graph, MULTIPLE_MAX};
use serde_json::{Map, Value as Plain};
use std::collections::{BTreeMap, HashMap};

/// Most evaluations of one value by what a schema applies to it at that place.
const IN_PLACE_MAX: u64 = 100_000;

/// Most places in a schema by which its bound is calculated.
const EDGES_MAX: usize = 500_000;

/// Most evaluations of one check, where that is more than [`EACH_MAX`] for each value in it.
const EVALUATIONS_MAX: u64 = 20_000_000;

/// Evaluations for each value that are always allowed.
const EACH_MAX: u64 = 64;

/// Most evaluations nested in each other: an evaluation takes up to 2 KB of stack, see [`super::STACK_BYTES`].
const NESTED_MAX: u32 = 10_000;

/// Most subschemas on the way from the root along references and members, recursion counted once. Compiled schemas are
/// dropped by recursion, on whichever thread.
const CHAIN_MAX: usize = 2_000;

/// Deepest value, in levels: [`crate::json::DEPTH_MAX`].
const DEPTH_MAX: usize = crate::json::DEPTH_MAX + 2;

/// What a schema can ask for at most, by the depth in the value; the last entry counts for all below.
#[derive(Debug)]
pub(super) struct Bound {
    evaluations: Vec<u64>,
    nested: Vec<u32>,
}

/// What a check of one value can take at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// Evaluations.
    pub(super) work: u64,
    /// Evaluations nested in each other.
    pub(super) nested: u32,
}

impl Bound {
    /// Reads a schema that has no references to other documents.
    ///
    /// # Errors
    /// It can ask for more than any check is given: why, as a sentence.
    pub(super) fn of(schema: &Plain) -> Result<Self, String> {
        let graph = Graph::of(schema)?;
        let order = graph.order().ok_or("it applies itself to the same value without end")?;
        let chain = graph.chain();
        if chain > CHAIN_MAX {
            return Err(format!("its references form a chain of {chain} schemas; {CHAIN_MAX} are followed"));
        }
        let heads = heads(&graph, &order)?;
        Ok(Self { evaluations: evaluations(&heads), nested: nested(&graph, &order) })
    }

    /// What a check of a value can take at most.
    ///
    /// # Errors
    /// The check may need more evaluations or stack than there is: why, as a sentence.
    pub(super) fn allows(&self, value: &Plain) -> Result<Allowed, String> {
        let mut counts = Vec::new();
        count(value, 0, &mut counts);
        let nested = at(&self.nested, counts.len().saturating_sub(1)).unwrap_or_default();
        if nested > NESTED_MAX {
            let depth = counts.len();
            return Err(format!(
                "for a value of {depth} levels it can nest {nested} checks in each other; {NESTED_MAX} are allowed"
            ));
        }
        let all = counts.iter().enumerate().fold(0_u64, |all, (depth, count)| {
            all.saturating_add(at(&self.evaluations, depth).unwrap_or_default().saturating_mul(*count))
        });
        if all > EVALUATIONS_MAX.max(counts.iter().sum::<u64>().saturating_mul(EACH_MAX)) {
            return Err(format!(
                "for this value it can take {} checks; {EVALUATIONS_MAX} are allowed",
                if all >= MULTIPLE_MAX { "billions of".to_owned() } else { all.to_string() }
            ));
        }
        Ok(Allowed { work: all, nested })
    }
}

/// Keywords of a root below which each member or element is judged by itself, whatever the others are.
const APART: [&str; 4] = ["properties", "patternProperties", "additionalProperties", "items"];

/// Keywords of a schema that only refers to another.
const REFERRING: [&str; 7] = ["$ref", "$defs", "definitions", "$id", "$comment", "description", "title"];

/// Keywords of a root that judge a value by what is in its members or elements, or by other schemas.
const TOGETHER: [&str; 18] = [
    "$dynamicRef",
    "$ref",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "dependencies",
    "dependentSchemas",
    "else",
    "enum",
    "if",
    "not",
    "oneOf",
    "prefixItems",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// References that are followed from a root to what says something.
const FOLLOWED_MAX: usize = 8;

/// A schema that says of a value what this one says, and nothing of its members and elements. None: what it says of one
/// of them depends on others. Where the root only refers to another part, that part is the one that is changed, since
/// the rest is out of reach then.
pub(super) fn shell(schema: &Plain) -> Option<Plain> {
    let mut at = String::new();
    for _ in 0..FOLLOWED_MAX {
        let members = schema.pointer(&at)?.as_object()?;
        let has_address = !at.is_empty() && members.contains_key("$id");
        let only_refers = members.keys().all(|key| REFERRING.contains(&key.as_str()));
        match members.get("$ref").and_then(Plain::as_str).and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) if only_refers && !has_address && !pointer.contains('%') => at = pointer.to_owned(),
            _ if has_address || !is_apart(members) => return None,
            _ => {
                let mut shell = schema.clone();
                blank(shell.pointer_mut(&at)?.as_object_mut()?);
                return Some(shell);
            }
        }
    }
    None
}

/// Whether a schema judges members and elements each by itself.
fn is_apart(members: &Map<String, Plain>) -> bool {
    let has_list = members.get("items").is_some_and(Plain::is_array);
    !has_list && !members.keys().any(|key| TOGETHER.contains(&key.as_str()))
}

/// Takes out of a schema what it says of members and elements.
fn blank(members: &mut Map<String, Plain>) {
    for key in APART {
        match members.get_mut(key) {
            // The names count, for `additionalProperties`.
            Some(Plain::Object(named)) if key == "properties" || key == "patternProperties" => {
                named.values_mut().for_each(|value| *value = Plain::Bool(true));
            }
            Some(Plain::Bool(false)) if key == "additionalProperties" => {}
            Some(value) => *value = Plain::Bool(true),
            None => {}
        }
    }
}

fn at<T: Copy>(levels: &[T], depth: usize) -> Option<T> {
    levels.get(depth).or_else(|| levels.last()).copied()
}

/// Adds the number of values at each depth.
fn count(value: &Plain, depth: usize, counts: &mut Vec<u64>) {
    if counts.len() <= depth {
        counts.resize(depth + 1, 0);
    }
    counts[depth] += 1;
    match value {
        Plain::Array(items) => items.iter().for_each(|item| count(item, depth + 1, counts)),
        Plain::Object(members) => members.values().for_each(|member| count(member, depth + 1, counts)),
        _ => {}
    }
}

/// A schema that is applied to a new value, with all that it applies there in turn.
#[derive(Debug, Default)]
struct Head {
    /// Evaluations of the value itself.
    here: u64,
    /// Heads applied to a member of a name, and how often; `None`: to any element or other member.
    below: BTreeMap<Option<String>, Vec<(usize, u64)>>,
    /// Heads applied to every member or element beside those.
    always: Vec<(usize, u64)>,
}

/// The root and all that is applied to members and elements; the root is the first.
fn heads(graph: &Graph, order: &[usize]) -> Result<Vec<Head>, String> {
    let place: HashMap<usize, usize> = order.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    let (mut numbers, mut nodes, mut heads) = (HashMap::from([(0, 0)]), vec![0], Vec::new());
    let mut edges = 0;
    while let Some(node) = nodes.get(heads.len()).copied() {
        let mut head = Head::default();
        // In topological order, so that the count of a schema is whole before it is passed on.
        let mut waiting = BTreeMap::from([(place.get(&node).copied().unwrap_or_default(), 1_u64)]);
        while let Some((at, times)) = waiting.pop_first() {
            let at = order.get(at).copied().unwrap_or_default();
            head.here = head.here.saturating_add(times.saturating_mul(graph.weight(at)));
            for (edge, to, multiple) in graph.edges(at) {
                let times = times.saturating_mul(*multiple).min(MULTIPLE_MAX);
                edges += 1;
                if let Edge::Here = edge {
                    let next = place.get(to).copied().unwrap_or_default();
                    let known = waiting.entry(next).or_default();
                    *known = known.saturating_add(times).min(MULTIPLE_MAX);
                    continue;
                }
                let next = nodes.len();
                let number = *numbers.entry(*to).or_insert(next);
                if number == next {
                    nodes.push(*to);
                }
                match edge {
                    Edge::Name(name) => head.below.entry(Some(name.clone())).or_default().push((number, times)),
                    Edge::Other => head.below.entry(None).or_default().push((number, times)),
                    Edge::Every | Edge::Here => head.always.push((number, times)),
                }
            }
            if edges > EDGES_MAX {
                return Err(format!("it has more than {EDGES_MAX} places where a schema is applied"));
            }
        }
        if head.here > IN_PLACE_MAX {
            return Err(format!("it can apply more than {IN_PLACE_MAX} schemas to one value"));
        }
        heads.push(head);
    }
    Ok(heads)
}

/// For each depth, how often a value there can be evaluated under the root.
fn evaluations(heads: &[Head]) -> Vec<u64> {
    let mut level: Vec<u64> = heads.iter().map(|head| head.here).collect();
    let mut out = vec![level.first().copied().unwrap_or_default()];
    for _ in 1..=DEPTH_MAX {
        let sum = |targets: &[(usize, u64)]| {
            targets.iter().fold(0_u64, |sum, (head, times)| {
                sum.saturating_add(times.saturating_mul(level.get(*head).copied().unwrap_or_default()))
            })
        };
        let next = heads.iter().map(|head| {
            // A name has what is applied to it, or what is applied to others: the sum is more than either.
            let most = head.below.iter().filter(|(name, _)| name.is_some()).map(|(_, targets)| sum(targets)).max();
            let other = head.below.get(&None).map_or(0, |targets| sum(targets));
            let all = most.unwrap_or(0).saturating_add(other).saturating_add(sum(&head.always));
            all.min(MULTIPLE_MAX)
        });
        let next: Vec<u64> = next.collect();
        out.push(next.first().copied().unwrap_or_default());
        if next == level {
            break;
        }
        level = next;
    }
    out
}

/// For each depth of a value, how many evaluations can be nested in each other under the root.
fn nested(graph: &Graph, order: &[usize]) -> Vec<u32> {
    let (mut above, mut out) = (vec![0_u32; graph.len()], Vec::new());
    for _ in 0..=DEPTH_MAX {
        let mut level = vec![0_u32; graph.len()];
        for node in order.iter().rev() {
            let below = graph.edges(*node).map(|(edge, to, _)| match edge {
                Edge::Here => level.get(*to).copied().unwrap_or_default(),
                _ => above.get(*to).copied().unwrap_or_default(),
            });
            let most = below.max().unwrap_or_default().saturating_add(1);
            if let Some(known) = level.get_mut(*node) {
                *known = most;
            }
        }
        out.push(level.first().copied().unwrap_or_default());
        if level == above {
            break;
        }
        above = level;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn evaluations_at(schema: &Plain, depth: usize) -> u64 {
        at(&Bound::of(schema).unwrap().evaluations, depth).unwrap()
    }

    /// Levels that name the next one twice by a keyword, and the last is a type.
    fn doubling(levels: usize, step: impl Fn(&str) -> Plain) -> Plain {
        let mut defs = serde_json::Map::new();
        for level in 0..levels {
            defs.insert(format!("a{level}"), step(&format!("#/$defs/a{}", level + 1)));
        }
        defs.insert(format!("a{levels}"), json!({"type": "string"}));
        json!({"$defs": defs, "$ref": "#/$defs/a0"})
    }

    #[test]
    fn ordinary_schemas_cost_about_one_evaluation_a_value() {
        let flat = json!({"type":"object","properties":{"a":{"type":"number"},"b":{"items":{"type":"string"}}}});
        assert_eq!([0, 1, 2, 3].map(|depth| evaluations_at(&flat, depth)), [1, 1, 1, 0]);
        let tree = json!({"properties":{"left":{"$ref":"#"},"right":{"$ref":"#"},"value":{"type":"number"}}});
        assert_eq!([0, 1, 9, 100].map(|depth| evaluations_at(&tree, depth)), [1, 2, 2, 2]);
        let json = json!({"anyOf":[{"type":"string"},{"items":{"$ref":"#"}},{"additionalProperties":{"$ref":"#"}}]});
        assert!(evaluations_at(&json, 1) < 16);
        assert!(Bound::of(&json!({"$ref":"https://json-schema.org/draft/2020-12/schema"})).is_ok());
    }

    #[test]
    fn schemas_that_name_the_next_level_twice_are_refused() {
        let step = [
            |next: &str| json!({"allOf":[{"$ref":next},{"$ref":next}]}),
            |next: &str| json!({"anyOf":[{"$ref":next},{"$ref":next}]}),
            |next: &str| json!({"oneOf":[{"$ref":next},{"$ref":next}]}),
            |next: &str| json!({"if":{"$ref":next},"else":{"$ref":next}}),
            |next: &str| json!({"not":{"$ref":next},"allOf":[{"$ref":next}]}),
            |next: &str| json!({"dependentSchemas":{"a":{"$ref":next}},"$ref":next}),
        ];
        for step in step {
            assert!(Bound::of(&doubling(30, step)).unwrap_err().contains("100000 schemas to one value"));
            assert!(Bound::of(&doubling(5, step)).is_ok());
        }
    }

    #[test]
    fn doubling_by_depth_is_refused_for_deep_values_only() {
        let twice = json!({"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]});
        let bound = Bound::of(&twice).unwrap();
        let deep = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert!(bound.allows(&deep(8)).is_ok());
        assert!(bound.allows(&deep(100)).unwrap_err().contains("billions of checks"));
    }

    #[test]
    fn a_chain_of_references_is_bounded_by_the_depth_of_the_value() {
        let mut defs = serde_json::Map::new();
        for level in 0..1_200 {
            defs.insert(format!("a{level}"), json!({"$ref": format!("#/$defs/a{}", level + 1)}));
        }
        defs.insert("a1200".to_owned(), json!({"items":{"$ref":"#/$defs/a0"}}));
        let bound = Bound::of(&json!({"$defs": defs, "$ref": "#/$defs/a0"})).unwrap();
        let deep = |levels: usize| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert!(bound.allows(&deep(3)).is_ok());
        assert!(bound.allows(&deep(120)).unwrap_err().contains("nest"));
    }

    #[test]
    fn circles_at_one_value_and_long_chains_are_refused() {
        for schema in [
            json!({"$ref":"#"}),
            json!({"allOf":[{"$ref":"#"}]}),
            json!({"not":{"$dynamicRef":"#x"},
            "$dynamicAnchor":"x"}),
        ] {
            assert!(Bound::of(&schema).unwrap_err().contains("without end"), "{schema}");
        }
        let step = |next: &str| json!({"$ref":next});
        assert!(Bound::of(&doubling(5_000, step)).unwrap_err().contains("chain"));
        let down = |next: &str| json!({"items":{"$ref":next}});
        assert!(Bound::of(&doubling(5_000, down)).unwrap_err().contains("chain"));
    }

    #[test]
    fn wide_values_are_always_allowed() {
        let schema = json!({"items":{"anyOf":[{"type":"number"},{"type":"string"}]}});
        let wide = Plain::Array((0..1_000_000).map(|i| json!(i)).collect());
        assert!(Bound::of(&schema).unwrap().allows(&wide).unwrap().work < 4_000_000);
    }
}
