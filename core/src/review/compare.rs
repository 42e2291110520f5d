//! Two datasets, or two versions of one: which records came, went and changed, recognised from digests alone.

use crate::json::{Data, Value, pointer_escape};
use std::collections::{HashMap, VecDeque};

/// A record by its digests: equal where the JSON is equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Digest of its id; None for a record without one.
    pub id: Option<u128>,
    /// Digest of the whole record.
    pub content: u128,
}

/// How two lists of records differ; records by their numbers, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// Number of records that are in both.
    pub same: usize,
    /// Whether these are in another order.
    pub is_reordered: bool,
    /// Records of one id and another content: their numbers in the old and the new list.
    pub changed: Vec<(usize, usize)>,
    /// Records of the old list alone.
    pub gone: Vec<usize>,
    /// Records of the new list alone.
    pub came: Vec<usize>,
}

impl Compared {
    /// Whether the lists hold other records; their order does not count.
    #[must_use]
    pub fn differs(&self) -> bool {
        !(self.changed.is_empty() && self.gone.is_empty() && self.came.is_empty())
    }
}

/// Compares two lists. Equal contents are paired first, each once; of what is left, equal ids in their order.
#[must_use]
pub fn compare(old: &[Fingerprint], new: &[Fingerprint]) -> Compared {
    let mut out = Compared::default();
    let mut is_taken = vec![false; new.len()];
    let contents = new.iter().enumerate().map(|(i, print)| (print.content, i));
    let (same, left) = paired(old.iter().enumerate().map(|(i, print)| (i, Some(print.content))), contents);
    out.same = same.len();
    out.is_reordered = same.windows(2).any(|pair| pair[0].1 > pair[1].1);
    same.iter().for_each(|(_, i)| is_taken[*i] = true);
    let ids = new.iter().enumerate().filter(|(i, _)| !is_taken[*i]);
    let ids: Vec<(u128, usize)> = ids.filter_map(|(i, print)| Some((print.id?, i))).collect();
    (out.changed, out.gone) = paired(left.into_iter().map(|i| (i, old[i].id)), ids);
    out.changed.iter().for_each(|(_, i)| is_taken[*i] = true);
    out.came = (0..new.len()).filter(|i| !is_taken[*i]).collect();
    out
}

/// Pairs old records with new ones of the same key, each once and in order; and the old ones that are left.
fn paired(
    old: impl Iterator<Item = (usize, Option<u128>)>,
    new: impl IntoIterator<Item = (u128, usize)>,
) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut waiting: HashMap<u128, VecDeque<usize>> = HashMap::new();
    for (key, i) in new {
        waiting.entry(key).or_default().push_back(i);
    }
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for (i, key) in old {
        match key.and_then(|key| waiting.get_mut(&key)).and_then(VecDeque::pop_front) {
            Some(partner) => pairs.push((i, partner)),
            None => left.push(i),
        }
    }
    (pairs, left)
}

/// A value of a record that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueChange {
    /// JSON pointer to it; an empty one is the record.
    pub path: String,
    /// What it was, as written; None if it was not there.
    pub old: Option<String>,
    /// What it is.
    pub new: Option<String>,
}

/// What differs between two values as JSON: members by name, elements by place, numbers by their text.
#[must_use]
pub fn changes(old: &Value<'_>, new: &Value<'_>) -> Vec<ValueChange> {
    let mut out = Vec::new();
    put_changes(String::new(), Some(old), Some(new), &mut out);
    out
}

fn put_changes(path: String, old: Option<&Value<'_>>, new: Option<&Value<'_>>, out: &mut Vec<ValueChange>) {
    match (old.map(|value| &value.data), new.map(|value| &value.data)) {
        (Some(Data::Object(a)), Some(Data::Object(b))) => {
            let came = b.entries().filter(|(key, _)| a.get(key).is_none());
            for (key, value) in a.entries() {
                put_changes(format!("{path}/{}", pointer_escape(key)), Some(value), b.get(key), out);
            }
            for (key, value) in came {
                put_changes(format!("{path}/{}", pointer_escape(key)), None, Some(value), out);
            }
        }
        (Some(Data::Array(a)), Some(Data::Array(b))) => {
            for i in 0..a.len().max(b.len()) {
                put_changes(format!("{path}/{i}"), a.get(i), b.get(i), out);
            }
        }
        (Some(Data::String(a)), Some(Data::String(b))) if a == b => {}
        _ => {
            let text = |value: Option<&Value<'_>>| value.map(|value| value.text.to_owned());
            if text(old) != text(new) {
                out.push(ValueChange { path, old: text(old), new: text(new) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn list(prints: &[(u128, u128)]) -> Vec<Fingerprint> {
        prints.iter().map(|&(id, content)| Fingerprint { id: (id > 0).then_some(id), content }).collect()
    }

    #[test]
    fn records_are_paired_by_content_then_by_id() {
        let compared = compare(
            &list(&[(1, 10), (2, 20), (3, 30), (0, 40), (5, 50), (5, 51)]),
            &list(&[(3, 30), (2, 21), (0, 41), (5, 51), (5, 52), (1, 10), (6, 60)]),
        );
        let expect =
            Compared { same: 3, is_reordered: true, changed: vec![(1, 1), (4, 4)], gone: vec![3], came: vec![2, 6] };
        assert_eq!(compared, expect);
        assert!(compared.differs());
    }

    #[test]
    fn equal_records_count_one_by_one_and_order_alone_is_no_difference() {
        let twice = compare(&list(&[(1, 1), (1, 1)]), &list(&[(1, 1)]));
        assert_eq!((twice.same, twice.gone), (1, vec![1]));
        let turned = compare(&list(&[(1, 1), (2, 2)]), &list(&[(2, 2), (1, 1)]));
        assert!(turned.is_reordered && !turned.differs());
        assert_eq!(compare(&[], &[]), Compared::default());
    }

    #[test]
    fn changes_name_the_values_that_differ() {
        let describe = |old: &str, new: &str| {
            let all = changes(&parse(old).unwrap(), &parse(new).unwrap());
            let side = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            all.into_iter()
                .map(|c| format!("{} {} {}", c.path, side(c.old), side(c.new)))
                .collect::<Vec<_>>()
                .join("; ")
        };
        assert_eq!(
            describe(r#"{"a":1,"b":[1,{"x/y":2}]}"#, r#"{"b":[1,{"x/y":3},4],"c":null}"#),
            "/a 1 -; /b/1/x~1y 2 3; /b/2 - 4; /c - null"
        );
        assert_eq!(describe(r#"{"a":"\u0061","b":1}"#, r#"{"b":1,"a":"a"}"#), "");
        assert_eq!(describe("[1]", r#"{"0":1}"#), " [1] {\"0\":1}");
    }
}
