//! Merging on demand: file collections and categorizations (S14 to S19).

use super::collection::{CATEGORIZATION, FILE_IDS, ref_ids, strings};
use super::shape::string;
use crate::json::{self, Value};
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
}

/// S14: merges the slots (name, type, value) of each type that merges and has at least two whose value has the shape;
/// with `only` of that type alone.
#[must_use]
pub fn merged(slots: &[(String, String, Value<'_>)], only: Option<&str>) -> Vec<Merged> {
    type Test = fn(&Value<'_>) -> bool;
    type Join = fn(&[&Value<'_>]) -> String;
    const TYPES: [(&str, Test, Join); 2] =
        [(FILE_IDS, is_collection, join_collections), (CATEGORIZATION, is_categorization, join_categorizations)];
    let mut all = Vec::new();
    for (data_type, has_shape, join) in TYPES.into_iter().filter(|(name, ..)| only.is_none_or(|o| o == *name)) {
        let fit: Vec<_> = slots.iter().filter(|(_, t, value)| t == data_type && has_shape(value)).collect();
        if fit.len() > 1 {
            let values: Vec<&Value<'_>> = fit.iter().map(|(_, _, value)| value).collect();
            let slots = fit.iter().map(|(name, ..)| name.clone()).collect();
            all.push(Merged { data_type, slots, value: join(&values) });
        }
    }
    all
}

/// S14: `refs` of objects with a string `id`, or without `refs` `ids` of strings.
fn is_collection(value: &Value<'_>) -> bool {
    match value.get("refs") {
        Some(refs) => ref_ids(refs).is_some(),
        None => value.get("ids").is_some_and(|ids| strings(ids).is_some()),
    }
}

/// S15: union by id; `ids`, `content_type`, `refs` if any input has them, `source_capability` if any.
fn join_collections(values: &[&Value<'_>]) -> String {
    let mut order: Vec<&str> = Vec::new();
    let mut best: HashMap<&str, Option<&Value<'_>>> = HashMap::new();
    for value in values {
        let refs = value.get("refs").and_then(Value::as_array);
        let items: Vec<(&str, Option<&Value<'_>>)> = match refs {
            Some(refs) => refs.iter().filter_map(|r| Some((string(r, "id")?, Some(r)))).collect(),
            None => value.get("ids").and_then(strings).unwrap_or_default().into_iter().map(|id| (id, None)).collect(),
        };
        for (id, item) in items {
            best.entry(id).and_modify(|kept| *kept = better(*kept, item)).or_insert_with(|| {
                order.push(id);
                item
            });
        }
    }
    let has_refs = values.iter().any(|v| v.get("refs").is_some());
    let quoted: Vec<String> = order.iter().map(|id| json::quote(id)).collect();
    let mut members = vec![format!("\"ids\":[{}]", quoted.join(","))];
    members.push(format!("\"content_type\":{}", json::quote(&content_type(values))));
    if has_refs {
        let refs: Vec<String> = order
            .iter()
            .map(|id| best[id].map_or_else(|| format!("{{\"id\":{}}}", json::quote(id)), json::compact))
            .collect();
        members.push(format!("\"refs\":[{}]", refs.join(",")));
    }
    members.extend(capabilities(values));
    format!("{{{}}}", members.join(","))
}

/// S16: of two refs the one with more metadata keys, at equal count the one with a filename, else the first.
fn better<'v, 'a>(kept: Option<&'v Value<'a>>, new: Option<&'v Value<'a>>) -> Option<&'v Value<'a>> {
    let (Some(a), Some(b)) = (kept, new) else { return kept.or(new) };
    let rank = |value: &Value<'_>| {
        let keys = value.get("metadata").and_then(Value::as_object).map_or(0, json::Object::len);
        (keys, value.get("filename").is_some_and(|v| !v.is_null()))
    };
    if rank(b) > rank(a) { new } else { kept }
}

/// S17: the one type that is not `unknown`, or `mixed`.
fn content_type(values: &[&Value<'_>]) -> String {
    let known = distinct(values.iter().filter_map(|v| string(v, "content_type")).filter(|t| *t != "unknown"));
    match known.as_slice() {
        [] => "unknown".to_owned(),
        [one] => (*one).to_owned(),
        _ => "mixed".to_owned(),
    }
}

/// S18: the distinct capabilities joined by `+`, as a member; None where there are none.
fn capabilities(values: &[&Value<'_>]) -> Option<String> {
    let names = distinct(values.iter().filter_map(|v| string(v, "source_capability")));
    (!names.is_empty()).then(|| format!("\"source_capability\":{}", json::quote(&names.join("+"))))
}

fn distinct<'v>(texts: impl Iterator<Item = &'v str>) -> Vec<&'v str> {
    let mut seen = HashSet::new();
    texts.filter(|text| seen.insert(*text)).collect()
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

/// S19: categories of one name combine; the members around them are counted anew or joined.
fn join_categorizations(values: &[&Value<'_>]) -> String {
    let mut order: Vec<String> = Vec::new();
    let mut groups: HashMap<String, Vec<&Value<'_>>> = HashMap::new();
    for category in values.iter().filter_map(|v| v.get("categories")?.as_array()).flatten() {
        let name = string(category, "name").unwrap_or_default().to_lowercase();
        if !groups.contains_key(&name) {
            order.push(name.clone());
        }
        groups.entry(name).or_default().push(category);
    }
    let categories: Vec<String> = order.iter().map(|name| join_categories(&groups[name])).collect();
    let files: HashSet<&str> = groups
        .values()
        .flatten()
        .flat_map(|category| ["file_ids", "document_ids"].map(|key| category.get(key).and_then(strings)))
        .flatten()
        .flatten()
        .collect();
    let mut members =
        vec![format!("\"categories\":[{}]", categories.join(",")), format!("\"total_files\":{}", files.len())];
    let methods = distinct(values.iter().filter_map(|v| string(v, "clustering_method")));
    if let Some(first) = methods.first() {
        let method = if methods.len() > 1 { "mixed" } else { first };
        members.push(format!("\"clustering_method\":{}", json::quote(method)));
    }
    let states = distinct(values.iter().map(|v| string(v, "status").unwrap_or("success")));
    let state = if states.len() > 1 { "partial" } else { states.first().copied().unwrap_or("success") };
    members.push(format!("\"status\":{}", json::quote(state)));
    let reasons = distinct(values.iter().filter_map(|v| string(v, "error_reason")));
    if !reasons.is_empty() {
        members.push(format!("\"error_reason\":{}", json::quote(&reasons.join("; "))));
    }
    members.extend(capabilities(values));
    format!("{{{}}}", members.join(","))
}

/// S19: the first category with its lists united, the first description and the highest confidence of all.
fn join_categories(group: &[&Value<'_>]) -> String {
    let Some(object) = group.first().and_then(|first| first.as_object()) else { return "{}".to_owned() };
    let mut members: Vec<String> = object
        .entries()
        .map(|(key, value)| {
            let text = combined(key, group).unwrap_or_else(|| json::compact(value));
            format!("{}:{text}", json::quote(key))
        })
        .collect();
    for key in LISTS.into_iter().chain(["description", "confidence"]).filter(|key| object.get(key).is_none()) {
        members.extend(combined(key, group).map(|text| format!("\"{key}\":{text}")));
    }
    format!("{{{}}}", members.join(","))
}

/// S19: the combined member of a group; None where none has it, or it is not one that combines.
fn combined(key: &str, group: &[&Value<'_>]) -> Option<String> {
    let all = || group.iter().filter_map(|category| category.get(key)).filter(|v| !v.is_null());
    if LISTS.contains(&key) {
        let texts = distinct(all().filter_map(strings).flatten());
        let quoted: Vec<String> = texts.into_iter().map(json::quote).collect();
        return all().next().map(|_| format!("[{}]", quoted.join(",")));
    }
    match key {
        "description" => all().next().map(json::compact),
        "confidence" => {
            let number = |v: &Value<'_>| v.text.parse::<f64>().unwrap_or(f64::NEG_INFINITY);
            let highest = all().reduce(|best, v| if number(v) > number(best) { v } else { best });
            highest.map(|v| v.text.to_owned())
        }
        _ => None,
    }
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
                r#"{"categories":[{"name":"A","description":"d","confidence":0.50,"x":1,"file_ids":["1"]}],"#,
                r#""total_files":1,"status":"success"}"#
            )
        );
        assert!(join(CATEGORIZATION, &[r#"{"categories":[]}"#, r#"{"categories":[{"name":1}]}"#]).is_empty());
    }
}
