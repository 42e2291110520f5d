//! D15: records of a file that repeat an id or a body. Keeps hashes, no records.

use super::reading::Reading;
use super::shape::Shape;
use crate::json::Value;
use crate::model::{Finding, Found, Place, Severity};
use crate::rules::digest;
use serde::Serialize;
use std::collections::HashMap;

/// D15: what of a record may repeat: its id and its body, each with the path at which it stands.
#[derive(Debug, Clone, Default)]
pub struct RepeatKeys {
    id: Option<RepeatKey>,
    body: Option<RepeatKey>,
}

/// A member that may repeat: its key, its digest, where it stands.
#[derive(Debug, Clone)]
struct RepeatKey {
    key: &'static str,
    digest: u128,
    place: Place,
}

/// D15: the digests of what may repeat, as 32 hex digits. Serialized, a member of a line of `stats --json`: by it,
/// parts of a dataset tell what they repeat of one another.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RepeatDigests {
    /// Of the id.
    pub id: Option<String>,
    /// Of the body.
    pub body: Option<String>,
}

impl RepeatKeys {
    /// D15: the digests alone.
    #[must_use]
    pub fn digests(&self) -> RepeatDigests {
        let hex = |key: &Option<RepeatKey>| key.as_ref().map(|key| format!("{:032x}", key.digest));
        RepeatDigests { id: hex(&self.id), body: hex(&self.body) }
    }

    /// D15: id and non-empty body of a std, chat or atif record. `place` tells where a value stands in the file.
    #[must_use]
    pub fn of(reading: &Reading<'_>, place: impl Fn(&Value<'_>) -> Place) -> Self {
        if reading.shape == Shape::Other {
            return Self::default();
        }
        let body = reading.body.and_then(|key| reading.root.get(key).map(|v| (key, v)));
        let body = body.filter(|(_, v)| v.as_array().is_some_and(|items| !items.is_empty()));
        let key = |(key, v): (&'static str, &Value<'_>)| RepeatKey { key, digest: digest::of(v), place: place(v) };
        Self { id: reading.id().map(key), body: body.map(key) }
    }
}

/// D15: the ids and bodies of the records so far, each with the record that had it first.
#[derive(Debug, Default)]
pub struct Repeats {
    ids: HashMap<u128, usize>,
    bodies: HashMap<u128, usize>,
}

impl Repeats {
    /// D15: takes the next record of the file and says what it repeats.
    pub fn note(&mut self, record: usize, keys: &RepeatKeys) -> Vec<Found> {
        let id = repeated(&mut self.ids, record, keys.id.as_ref(), "adp.duplicate-id", "id");
        let body = repeated(&mut self.bodies, record, keys.body.as_ref(), "adp.duplicate-content", "content");
        body.into_iter().chain(id).collect()
    }
}

fn repeated(
    seen: &mut HashMap<u128, usize>,
    record: usize,
    key: Option<&RepeatKey>,
    rule: &'static str,
    what: &str,
) -> Option<Found> {
    let RepeatKey { key, digest, place } = key?;
    let first = *seen.entry(*digest).or_insert(record);
    let finding = || Finding {
        record,
        step: None,
        path: Some(format!("/{key}")),
        rule,
        severity: Severity::Warning,
        message: format!("record {first} has the same {what}"),
    };
    (first != record).then(|| Found { finding: finding(), place: *place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn equal_as_json_is_equal() {
        let same = |a: &str, b: &str| digest::of(&parse(a).unwrap()) == digest::of(&parse(b).unwrap());
        assert!(same(r#"[{"a":1,"b":"\u0041"}]"#, r#"[ {"b":"A","a":0,"a":1} ]"#));
        assert!(!same("[1]", "[1.0]"));
        assert!(!same(r#"["a","b"]"#, r#"["a:b"]"#));
        assert!(!same("[1,2]", "[12]"));
        assert!(!same(r#"["1"]"#, "[1]"));
        assert!(!same("[[1],2]", "[[1,2]]"));
    }
}
