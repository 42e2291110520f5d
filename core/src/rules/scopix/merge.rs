//! Merging on demand: file collections and categorizations (S14 to S19), and which slot each part came from.

use super::collection::{CATEGORIZATION, FILE_IDS, ref_ids, strings};
use super::shape::string;
use crate::json::{self, Key, Value};
use std::collections::{HashMap, HashSet};

/// S14: several slots of one type as one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The type.
    pub data_type: &'static str,
    /// The slots, in their order.
    pub slots: Vec<String>,
    /// The value as JSON text.
    pub value: String,
    /// Where its parts came from. What has no part of its own came from where the nearest part above it did.
    pub parts: Vec<MergedPart>,
}

/// A part of a merged value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedPart {
    /// Its path in the value.
    pub path: Vec<Key>,
    /// The slots that have it, as indices into [`Merged::slots`].
    pub slots: Vec<usize>,
}

/// S14: merges the slots (name, type, value) of each type that merges and has at least two whose value has the shape;
/// with `only` of that type alone.
#[must_use]
pub fn merged(slots: &[(String, String, Value<'_>)], only: Option<&str>) -> Vec<Merged> {
    type Test = fn(&Value<'_>) -> bool;
    type Join = fn(&[&Value<'_>]) -> Joined;
    const TYPES: [(&str, Test, Join); 2] =
        [(FILE_IDS, is_collection, join_collections), (CATEGORIZATION, is_categorization, join_categorizations)];
    let mut all = Vec::new();
    for (data_type, has_shape, join) in TYPES.into_iter().filter(|(name, ..)| only.is_none_or(|o| o == *name)) {
        let fit: Vec<_> = slots.iter().filter(|(_, t, value)| t == data_type && has_shape(value)).collect();
        if fit.len() > 1 {
            let values: Vec<&Value<'_>> = fit.iter().map(|(_, _, value)| value).collect();
            let slots = fit.iter().map(|(name, ..)| name.clone()).collect();
            let Joined { members, parts } = join(&values);
            all.push(Merged { data_type, slots, value: format!("{{{}}}", members.join(",")), parts });
        }
    }
    all
}

/// Members of a value as JSON text, and where they came from.
#[derive(Default)]
struct Joined {
    members: Vec<String>,
    parts: Vec<MergedPart>,
}

impl Joined {
    fn put(&mut self, key: &str, text: &str) {
        self.members.push(format!("{}:{text}", json::quote(key)));
    }

    fn note(&mut self, path: &[Key], slots: Vec<usize>) {
        self.parts.push(MergedPart { path: path.to_vec(), slots });
    }

    /// A member that is one string.
    fn put_text(&mut self, key: &str, text: &str, slots: Vec<usize>) {
        self.put(key, &json::quote(text));
        self.note(&[Key::name(key)], slots);
    }

    /// A member that is an array of strings, each of which came from slots of its own.
    fn put_texts(&mut self, above: &[Key], key: &str, texts: Vec<Shared<'_>>) {
        let quoted: Vec<String> = texts.iter().map(|(text, _)| json::quote(text)).collect();
        self.put(key, &format!("[{}]", quoted.join(",")));
        for (i, (_, slots)) in texts.into_iter().enumerate() {
            self.note(&[above, &[Key::name(key), index(i)]].concat(), slots);
        }
    }
}

fn index(i: usize) -> Key {
    Key::Index(u32::try_from(i).unwrap_or(u32::MAX))
}

/// A text and the slots that have it.
type Shared<'v> = (&'v str, Vec<usize>);

/// Each text once, in order of first appearance, with the slots that have it.
fn distinct<'v>(texts: impl Iterator<Item = (usize, &'v str)>) -> Vec<Shared<'v>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut out: Vec<Shared<'v>> = Vec::new();
    for (slot, text) in texts {
        let place = *places.entry(text).or_insert(out.len());
        match out.get_mut(place) {
            Some((_, slots)) if slots.last() == Some(&slot) => {}
            Some((_, slots)) => slots.push(slot),
            None => out.push((text, vec![slot])),
        }
    }
    out
}

/// The slots of several texts.
fn slots_of(texts: &[Shared<'_>]) -> Vec<usize> {
    let mut all: Vec<usize> = texts.iter().flat_map(|(_, slots)| slots.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A member that is a string, of each value that has it.
fn text_members<'v>(values: &'v [&'v Value<'v>], key: &'v str) -> impl Iterator<Item = (usize, &'v str)> {
    values.iter().enumerate().filter_map(move |(slot, value)| Some((slot, string(value, key)?)))
}

/// S14: `refs` of objects with a string `id`, or without `refs` `ids` of strings.
fn is_collection(value: &Value<'_>) -> bool {
    match value.get("refs") {
        Some(refs) => ref_ids(refs).is_some(),
        None => value.get("ids").is_some_and(|ids| strings(ids).is_some()),
    }
}

/// S15: union by id; `ids`, `content_type`, `refs` if any input has them, `source_capability` if any.
fn join_collections(values: &[&Value<'_>]) -> Joined {
    let mut items: Vec<(usize, &str, Option<&Value<'_>>)> = Vec::new();
    for (slot, value) in values.iter().enumerate() {
        match value.get("refs").and_then(Value::as_array) {
            Some(refs) => items.extend(refs.iter().filter_map(|r| Some((slot, string(r, "id")?, Some(r))))),
            None => {
                let ids = value.get("ids").and_then(strings).unwrap_or_default();
                items.extend(ids.into_iter().map(|id| (slot, id, None)));
            }
        }
    }
    let mut best: HashMap<&str, (usize, Option<&Value<'_>>)> = HashMap::new();
    for &(slot, id, item) in &items {
        let best_slot = best.entry(id).or_insert((slot, item));
        if is_better(best_slot.1, item) {
            *best_slot = (slot, item);
        }
    }
    let ids = distinct(items.iter().map(|(slot, id, _)| (*slot, *id)));
    let order: Vec<&str> = ids.iter().map(|(id, _)| *id).collect();
    let mut out = Joined::default();
    out.put_texts(&[], "ids", ids);
    put_content_type(values, &mut out);
    if values.iter().any(|v| v.get("refs").is_some()) {
        let mut refs = Vec::with_capacity(order.len());
        for (i, id) in order.iter().enumerate() {
            let (slot, item) = best.get(id).copied().unwrap_or_default();
            refs.push(item.map_or_else(|| format!("{{\"id\":{}}}", json::quote(id)), json::compact));
            out.note(&[Key::name("refs"), index(i)], vec![slot]);
        }
        out.put("refs", &format!("[{}]", refs.join(",")));
    }
    put_capabilities(values, &mut out);
    out
}

/// S16: whether the second of two refs stays: it has more metadata keys, or at equal count alone a filename.
fn is_better(current: Option<&Value<'_>>, new: Option<&Value<'_>>) -> bool {
    let (Some(a), Some(b)) = (current, new) else { return current.is_none() && new.is_some() };
    let rank = |value: &Value<'_>| {
        let keys = value.get("metadata").and_then(Value::as_object).map_or(0, json::Object::len);
        (keys, value.get("filename").is_some_and(|v| !v.is_null()))
    };
    rank(b) > rank(a)
}

/// S17: the one type that is not `unknown`, or `mixed`.
fn put_content_type(values: &[&Value<'_>], out: &mut Joined) {
    let known = distinct(text_members(values, "content_type").filter(|(_, text)| *text != "unknown"));
    match known.as_slice() {
        [] => out.put_text("content_type", "unknown", (0..values.len()).collect()),
        [(one, slots)] => out.put_text("content_type", one, slots.clone()),
        _ => out.put_text("content_type", "mixed", slots_of(&known)),
    }
}

/// S18: the distinct capabilities joined by `+`, if there are any.
fn put_capabilities(values: &[&Value<'_>], out: &mut Joined) {
    put_joined(values, "source_capability", "+", out);
}

fn put_joined(values: &[&Value<'_>], key: &str, between: &str, out: &mut Joined) {
    let texts = distinct(text_members(values, key));
    if !texts.is_empty() {
        let names: Vec<&str> = texts.iter().map(|(text, _)| *text).collect();
        out.put_text(key, &names.join(between), slots_of(&texts));
    }
}

/// S14: `categories` of objects with a string `name`; lists are of strings, a confidence is a number, if there are any.
fn is_categorization(value: &Value<'_>) -> bool {
    let is_list = |v: Option<&Value<'_>>| v.is_none_or(|v| v.is_null() || strings(v).is_some());
    let is_category = |item: &Value<'_>| {
        string(item, "name").is_some()
            && LISTS.iter().all(|key| is_list(item.get(key)))
            && item.get("confidence").is_none_or(|v| v.is_null() || v.as_number().is_some())
    };
    value.get("categories").and_then(Value::as_array).is_some_and(|items| items.iter().all(is_category))
}

/// S19: the lists of a category that are united.
const LISTS: [&str; 3] = ["file_ids", "document_ids", "top_tags"];

/// S19: the members of categories that combine, in the order of those that the first category lacks.
const COMBINED: [&str; 5] = ["file_ids", "document_ids", "top_tags", "description", "confidence"];

/// Categories of one name, each with its slot.
type Group<'v, 'a> = Vec<(usize, &'v Value<'a>)>;

/// S19: categories of one name combine; the members around them are counted again or joined.
fn join_categorizations(values: &[&Value<'_>]) -> Joined {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Group<'_, '_>> = Vec::new();
    for (slot, value) in values.iter().enumerate() {
        for category in value.get("categories").and_then(Value::as_array).unwrap_or_default() {
            let name = string(category, "name").unwrap_or_default().to_lowercase();
            let place = *places.entry(name).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.push((slot, category)),
                None => groups.push(vec![(slot, category)]),
            }
        }
    }
    let mut out = Joined::default();
    let mut categories = Vec::with_capacity(groups.len());
    for (i, group) in groups.iter().enumerate() {
        let Joined { members, parts } = join_categories(&[Key::name("categories"), index(i)], group);
        categories.push(format!("{{{}}}", members.join(",")));
        out.parts.extend(parts);
    }
    out.put("categories", &format!("[{}]", categories.join(",")));
    let all = || (0..values.len()).collect::<Vec<usize>>();
    out.put("total_files", &file_count(&groups).to_string());
    out.note(&[Key::name("total_files")], all());
    let methods = distinct(text_members(values, "clustering_method"));
    if let Some((first, _)) = methods.first() {
        out.put_text("clustering_method", if methods.len() > 1 { "mixed" } else { first }, slots_of(&methods));
    }
    let states = distinct(values.iter().enumerate().map(|(i, v)| (i, string(v, "status").unwrap_or("success"))));
    let state = if states.len() > 1 { "partial" } else { states.first().map_or("success", |(state, _)| state) };
    out.put_text("status", state, all());
    put_joined(values, "error_reason", "; ", &mut out);
    put_capabilities(values, &mut out);
    out
}

/// S19: the number of distinct ids.
fn file_count(groups: &[Group<'_, '_>]) -> usize {
    let mut ids: HashSet<&str> = HashSet::new();
    for (_, category) in groups.iter().flatten() {
        for key in ["file_ids", "document_ids"] {
            ids.extend(category.get(key).and_then(strings).unwrap_or_default());
        }
    }
    ids.len()
}

/// S19: the first category with its lists united, the first description and the highest confidence of all. Of these
/// members null counts as absent, so one that only others have follows the members of the first.
fn join_categories(path: &[Key], group: &Group<'_, '_>) -> Joined {
    let mut out = Joined::default();
    let Some((first, object)) = group.first().and_then(|(slot, first)| Some((*slot, first.as_object()?))) else {
        return out;
    };
    out.note(path, vec![first]);
    let is_absent = |key: &str| object.get(key).is_none_or(Value::is_null);
    for (key, value) in object.entries() {
        match COMBINED.contains(&key) {
            false => out.put(key, &json::compact(value)),
            true if is_absent(key) => {}
            true => put_combined(path, key, group, &mut out),
        }
    }
    for key in COMBINED.into_iter().filter(|key| is_absent(key)) {
        put_combined(path, key, group, &mut out);
    }
    out
}

/// S19: the combined member of a group, if any has it.
fn put_combined(path: &[Key], key: &str, group: &Group<'_, '_>, out: &mut Joined) {
    let all: Vec<(usize, &Value<'_>)> = group
        .iter()
        .filter_map(|(slot, category)| Some((*slot, category.get(key).filter(|v| !v.is_null())?)))
        .collect();
    let Some(&first) = all.first() else { return };
    if LISTS.contains(&key) {
        let texts = all.iter().filter_map(|(slot, list)| Some((*slot, strings(list)?)));
        let texts = texts.flat_map(|(slot, list)| list.into_iter().map(move |text| (slot, text)));
        return out.put_texts(path, key, distinct(texts));
    }
    let number = |v: &Value<'_>| v.text.parse::<f64>().unwrap_or(f64::NEG_INFINITY);
    let (slot, text) = match key {
        "confidence" => {
            let highest = all.iter().copied().reduce(|a, b| if number(b.1) > number(a.1) { b } else { a });
            highest.map_or_else(|| (first.0, first.1.text.to_owned()), |(slot, v)| (slot, v.text.to_owned()))
        }
        _ => (first.0, json::compact(first.1)),
    };
    out.put(key, &text);
    out.note(&[path, &[Key::name(key)]].concat(), vec![slot]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn join(data_type: &str, texts: &[&str]) -> Vec<Merged> {
        let slot = |text: &&'static str| ("s".to_owned(), data_type.to_owned(), parse(text).unwrap());
        // The texts are literals of the tests.
        let texts: Vec<&'static str> = texts.iter().map(|t| &*Box::leak((*t).to_owned().into_boxed_str())).collect();
        merged(&texts.iter().map(slot).collect::<Vec<_>>(), None)
    }

    #[test]
    fn a_ref_beats_a_bare_id_and_more_metadata_beats_less() {
        let all = join(
            FILE_IDS,
            &[
                r#"{"ids":["1","2"],"content_type":"unknown"}"#,
                r#"{"refs":[{"id":"2"},{"id":"3","metadata":{"a":1}}],"ids":["9"]}"#,
                r#"{"refs":[{"id":"3","metadata":{"a":1,"b":2}},{"id":"2","filename":"f"}]}"#,
            ],
        );
        assert_eq!(
            all[0].value,
            concat!(
                r#"{"ids":["1","2","3"],"content_type":"unknown","#,
                r#""refs":[{"id":"1"},{"id":"2","filename":"f"},{"id":"3","metadata":{"a":1,"b":2}}]}"#
            )
        );
    }

    #[test]
    fn categories_of_one_name_combine() {
        let all = join(
            CATEGORIZATION,
            &[
                r#"{"categories":[{"name":"A","description":null,"confidence":0.50,"x":1}]}"#,
                concat!(
                    r#"{"categories":[{"name":"a","confidence":0.5,"file_ids":["1"],"#,
                    r#""description":"d","x":2}],"status":"success"}"#
                ),
            ],
        );
        assert_eq!(
            all[0].value,
            concat!(
                r#"{"categories":[{"name":"A","confidence":0.50,"x":1,"file_ids":["1"],"description":"d"}],"#,
                r#""total_files":1,"status":"success"}"#
            )
        );
        assert!(join(CATEGORIZATION, &[r#"{"categories":[]}"#, r#"{"categories":[{"name":1}]}"#]).is_empty());
    }
}
