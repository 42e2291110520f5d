//! Merging on demand (S14 to S19).

use super::fold::Slot;
use super::record::text;
use crate::reference::json::{J, Object};

fn strings(value: Option<&J>) -> Vec<String> {
    value.and_then(J::arr).into_iter().flatten().filter_map(J::str).map(str::to_owned).collect()
}

fn are_strings(value: &J) -> bool {
    value.arr().is_some_and(|a| a.iter().all(|v| v.str().is_some()))
}

fn has_shape(kind: &str, value: &J) -> bool {
    if kind == "FILE_IDS" {
        return match value.some("refs") {
            Some(refs) => refs.arr().is_some_and(|a| a.iter().all(|r| text(r, "id").is_some())),
            None => value.get("ids").is_some_and(are_strings),
        };
    }
    let is_category = |c: &J| {
        let lists = ["file_ids", "document_ids", "top_tags"];
        text(c, "name").is_some()
            && lists.iter().all(|l| c.some(l).is_none_or(are_strings))
            && c.some("confidence").is_none_or(|n| matches!(n, J::Num(_)))
    };
    value.get("categories").and_then(J::arr).is_some_and(|a| a.iter().all(is_category))
}

/// The distinct ones in order.
fn distinct(all: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for one in all {
        if !out.contains(&one) {
            out.push(one);
        }
    }
    out
}

fn list(all: &[String]) -> J {
    J::Arr(all.iter().map(|s| J::string(s)).collect())
}

fn capabilities(values: &[&J]) -> Option<J> {
    let all = distinct(values.iter().filter_map(|v| text(v, "source_capability")).map(str::to_owned));
    (!all.is_empty()).then(|| J::Str(all.join("+")))
}

fn files(values: &[&J]) -> J {
    let mut refs: Vec<(String, Option<J>)> = Vec::new();
    for value in values {
        let new: Vec<(String, Option<J>)> = match value.some("refs").and_then(J::arr) {
            Some(all) => all.iter().filter_map(|r| Some((text(r, "id")?.to_owned(), Some(r.plain())))).collect(),
            None => strings(value.get("ids")).into_iter().map(|id| (id, None)).collect(),
        };
        for (id, new) in new {
            match refs.iter_mut().find(|(i, _)| *i == id) {
                None => refs.push((id, new)),
                Some((_, old)) if is_better(new.as_ref(), old.as_ref()) => *old = new,
                Some(_) => {}
            }
        }
    }
    let types = values.iter().filter_map(|v| text(v, "content_type")).filter(|t| *t != "unknown").map(str::to_owned);
    let types = distinct(types);
    let content_type = match types.as_slice() {
        [] => "unknown",
        [one] => one,
        _ => "mixed",
    };
    let ids: Vec<String> = refs.iter().map(|(id, _)| id.clone()).collect();
    let mut out = vec![("ids", list(&ids)), ("content_type", J::string(content_type))];
    if values.iter().any(|v| v.some("refs").is_some()) {
        let whole = |(id, r): &(String, Option<J>)| r.clone().unwrap_or_else(|| J::object(vec![("id", J::string(id))]));
        out.push(("refs", J::Arr(refs.iter().map(whole).collect())));
    }
    out.extend(capabilities(values).map(|c| ("source_capability", c)));
    J::object(out)
}

/// S16: more metadata keys, at equal count a filename where the other has none.
fn is_better(new: Option<&J>, old: Option<&J>) -> bool {
    let keys = |r: Option<&J>| r.and_then(|r| r.get("metadata")?.obj()).map_or(0, |m| m.members.len());
    let has_name = |r: Option<&J>| r.is_some_and(|r| r.some("filename").is_some());
    match keys(new).cmp(&keys(old)) {
        std::cmp::Ordering::Equal => (has_name(new) && !has_name(old)) || (old.is_none() && new.is_some()),
        order => order.is_gt(),
    }
}

fn category(all: &[&J]) -> J {
    let mut out = all[0].obj().cloned().unwrap_or_default();
    let combined = ["file_ids", "document_ids", "top_tags", "description", "confidence"];
    out.members.retain(|(key, value)| *value != J::Null || !combined.contains(&key.as_str()));
    let mut set = |key: &str, value: Option<J>| {
        if let Some(value) = value {
            out.put(key, value);
        }
    };
    for key in ["file_ids", "document_ids", "top_tags"] {
        let has = all.iter().any(|c| c.some(key).is_some());
        set(key, has.then(|| list(&distinct(all.iter().flat_map(|c| strings(c.get(key)))))));
    }
    set("description", all.iter().find_map(|c| c.some("description")).cloned());
    let number = |c: &&J| c.some("confidence").cloned();
    let value = |n: &J| n.compact().parse::<f64>().unwrap_or(f64::MIN);
    let highest = all.iter().filter_map(number).fold(None, |best: Option<J>, n| match best {
        Some(best) if value(&best) >= value(&n) => Some(best),
        _ => Some(n),
    });
    set("confidence", highest);
    J::Obj(out)
}

fn categories(values: &[&J]) -> J {
    let mut groups: Vec<(String, Vec<&J>)> = Vec::new();
    for category in values.iter().filter_map(|v| v.get("categories")?.arr()).flatten() {
        let name = text(category, "name").unwrap_or("").to_lowercase();
        match groups.iter_mut().find(|(n, _)| *n == name) {
            Some((_, group)) => group.push(category),
            None => groups.push((name, vec![category])),
        }
    }
    let merged: Vec<J> = groups.iter().map(|(_, group)| category(group).plain()).collect();
    let ids = |c: &J| [strings(c.get("file_ids")), strings(c.get("document_ids"))].concat();
    let total = distinct(merged.iter().flat_map(ids)).len();
    let common = |key: &str| distinct(values.iter().filter_map(|v| text(v, key)).map(str::to_owned));
    let one_of = |all: &[String], other: &str| if let [one] = all { one.clone() } else { other.to_owned() };
    let mut out = Object::default();
    out.put("categories", J::Arr(merged));
    out.put("total_files", J::num(total));
    let methods = common("clustering_method");
    if !methods.is_empty() {
        out.put("clustering_method", J::Str(one_of(&methods, "mixed")));
    }
    let status = distinct(values.iter().map(|v| text(v, "status").unwrap_or("success").to_owned()));
    out.put("status", J::Str(one_of(&status, "partial")));
    let reasons = common("error_reason");
    if !reasons.is_empty() {
        out.put("error_reason", J::Str(reasons.join("; ")));
    }
    if let Some(capabilities) = capabilities(values) {
        out.put("source_capability", capabilities);
    }
    J::Obj(out)
}

pub(crate) fn merged(slots: &[Slot], wanted: Option<&str>) -> J {
    let mut out = Vec::new();
    for kind in ["FILE_IDS", "CATEGORIZATION"].into_iter().filter(|k| wanted.is_none_or(|w| w == *k)) {
        let is_one =
            |s: &&Slot| s.write.kind.str() == Some(kind) && s.write.value.as_ref().is_some_and(|v| has_shape(kind, v));
        let all: Vec<&Slot> = slots.iter().filter(is_one).collect();
        if all.len() > 1 {
            let values: Vec<&J> = all.iter().filter_map(|s| s.write.value.as_ref()).collect();
            let value = if kind == "FILE_IDS" { files(&values) } else { categories(&values) };
            let names = all.iter().map(|s| J::string(&s.write.slot)).collect();
            out.push(J::object(vec![("data_type", J::string(kind)), ("slots", J::Arr(names)), ("value", value)]));
        }
    }
    J::Arr(out)
}
