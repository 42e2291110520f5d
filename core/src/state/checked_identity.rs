//! One identity that has a schema, while a schema check follows it: its value, and what of it breaks the schema (A42).
//!
//! A step that touches one member of a value makes no other member wrong, where the schema judges each by itself: only
//! what the step touched is checked again, and only its violations are compared. So a check of many steps takes time
//! for what they write, and not for all that is.

use super::Violation;
use super::schema::{Checked, Schema};
use super::schema_checker::{Change, CheckCost, SchemaUse};
use crate::json::Key;
use crate::model::cast;
use serde_json::Value as Plain;
use std::collections::{BTreeMap, BTreeSet};

/// Most evaluations of all checks of a schema check.
const WORK_MAX: u64 = 1_000_000_000;

/// Most violations that a schema check reports.
const CHANGES_MAX: usize = 100_000;

/// Evaluations that take the time in which one violation is described.
const DESCRIBED_WORK: u64 = 512;

#[derive(Debug)]
pub(super) struct CheckedIdentity {
    pub(super) schema: SchemaUse,
    /// None: no value, or none that can be checked, or it was let go.
    pub(super) value: Option<Plain>,
    pub(super) is_let_go: bool,
    /// Members or elements that the step touched; None: all of it.
    pub(super) touched: Option<BTreeSet<Key>>,
    /// What held after its previous step.
    violations: BTreeMap<Vec<Key>, Violation>,
    /// It has gone from the context, or its schema has.
    pub(super) is_gone: bool,
    /// The step dropped it as a whole: what violated before is forgotten (A42).
    pub(super) is_reset: bool,
    /// It took too much and is not checked any more.
    pub(super) is_given_up: bool,
    /// Whether what it checked last was an array; None: nothing, or it was not checked whole.
    was_array: Option<bool>,
    /// Whether its last check was refused.
    is_refused: bool,
}

/// What a step can have changed of the violations, and those that are there now.
struct CheckedParts {
    /// Members or elements; with what is wrong with the whole. None: everything.
    parts: Option<BTreeSet<Key>>,
    violations: Vec<Violation>,
    left_out: Option<String>,
}

impl CheckedIdentity {
    pub(super) fn new(schema: SchemaUse) -> Self {
        Self {
            schema,
            value: None,
            is_let_go: false,
            touched: None,
            violations: BTreeMap::new(),
            is_gone: false,
            is_reset: false,
            is_given_up: false,
            was_array: None,
            is_refused: false,
        }
    }

    /// A42: what breaks the schema now, against what did before; and why it was not checked, or not all of it.
    pub(super) fn judge(&mut self, schema: Option<&Schema>, cost: &mut CheckCost) -> (Vec<Change>, Option<String>) {
        if self.is_given_up {
            return (Vec::new(), None);
        }
        let mut changes = Vec::new();
        if std::mem::take(&mut self.is_reset) {
            let forgotten = std::mem::take(&mut self.violations).into_keys();
            changes.extend(forgotten.map(|path| Change::Ended { path, is_repaired: false }));
            self.touched = None;
        }
        let is_array = self.value.as_ref().map(Plain::is_array);
        let found = match (schema, self.value.is_some()) {
            (Some(schema), true) => self.check(schema, cost),
            _ => Ok(CheckedParts { parts: None, violations: Vec::new(), left_out: None }),
        };
        match found {
            Ok(found) => {
                let unchecked = found.left_out.clone();
                self.was_array = is_array.filter(|_| unchecked.is_none());
                self.is_refused = false;
                changes.extend(self.compare(found));
                cost.changes += changes.iter().filter(|change| !matches!(change, Change::Ended { .. })).count();
                (changes, unchecked.or_else(|| self.give_up(*cost)))
            }
            Err(why) => {
                // What is not known is no change. It is said once, and again when a check came between.
                self.was_array = None;
                let is_new = !std::mem::replace(&mut self.is_refused, true);
                (changes, Some(why).filter(|_| is_new))
            }
        }
    }

    /// Stops checking where all checks together took too much: why.
    fn give_up(&mut self, cost: CheckCost) -> Option<String> {
        let why = if cost.changes > CHANGES_MAX {
            format!("more than {CHANGES_MAX} violations were found; later values are not checked")
        } else if cost.work > WORK_MAX {
            format!("all checks together took more than {WORK_MAX} evaluations; later values are not checked")
        } else {
            return None;
        };
        self.is_given_up = true;
        Some(why)
    }

    fn check(&mut self, schema: &Schema, cost: &mut CheckCost) -> Result<CheckedParts, String> {
        let Some(value) = &mut self.value else {
            return Ok(CheckedParts { parts: None, violations: Vec::new(), left_out: None });
        };
        // Violations that are known are of the same kind of value, whole.
        let touched = self.touched.clone().filter(|_| self.was_array == Some(value.is_array()));
        let (parts, checked) = match (value, touched) {
            (Plain::Array(items), touched) if self.schema.is_each => check_each(schema, items, touched)?,
            (value, Some(touched)) => match schema.check_parts(value, &touched) {
                Some(checked) => (Some(touched), checked?),
                None => (None, schema.check(value)?),
            },
            (value, None) => (None, schema.check(value)?),
        };
        cost.work = cost.work.saturating_add(checked.work);
        cost.work = cost.work.saturating_add(checked.violations.len() as u64 * DESCRIBED_WORK);
        Ok(CheckedParts { parts, violations: checked.violations, left_out: checked.left_out })
    }

    /// A42: only what was not wrong before is new.
    fn compare(&mut self, found: CheckedParts) -> Vec<Change> {
        let new: BTreeMap<Vec<Key>, Violation> = found.violations.into_iter().map(|v| (v.path.clone(), v)).collect();
        let mut changes = Vec::new();
        for path in self.scope(found.parts.as_ref()).into_iter().filter(|path| !new.contains_key(path)) {
            self.violations.remove(&path);
            let is_there = self.value.as_ref().is_some_and(|value| has(value, &path));
            changes.push(Change::Ended { path, is_repaired: is_there || !self.is_gone });
        }
        for (path, violation) in new {
            match self.violations.get(&path) {
                None => changes.push(Change::Begun(violation.clone())),
                Some(old) if old.message != violation.message => changes.push(Change::Turned(violation.clone())),
                Some(_) => {}
            }
            self.violations.insert(path, violation);
        }
        changes
    }

    /// The paths of known violations that a step can have ended: of the whole, of what it touched, and of elements that
    /// are no longer there.
    fn scope(&self, parts: Option<&BTreeSet<Key>>) -> Vec<Vec<Key>> {
        let Some(parts) = parts else { return self.violations.keys().cloned().collect() };
        let end = match &self.value {
            Some(Plain::Array(items)) => Some(Key::Index(cast::to_u32(items.len()))),
            _ => None,
        };
        let root = self.violations.contains_key(&Vec::new()).then(Vec::new);
        let below = |key: &Key| {
            let key = key.clone();
            let from = self.violations.range(vec![key.clone()]..);
            from.take_while(move |(path, _)| path.first() == Some(&key)).map(|(path, _)| path.clone())
        };
        let is_short = |key: &&Key| end.as_ref().is_none_or(|end| *key < end);
        let gone = end.iter().flat_map(|end| self.violations.range(vec![end.clone()]..)).map(|(path, _)| path.clone());
        root.into_iter().chain(parts.iter().filter(is_short).flat_map(below)).chain(gone).collect()
    }
}

/// A11: each error by itself, or those that the step touched.
fn check_each(
    schema: &Schema,
    items: &[Plain],
    touched: Option<BTreeSet<Key>>,
) -> Result<(Option<BTreeSet<Key>>, Checked), String> {
    let mut all = Checked::default();
    let indices: Vec<u32> = match &touched {
        Some(keys) => keys.iter().filter_map(|key| if let Key::Index(i) = key { Some(*i) } else { None }).collect(),
        None => (0..cast::to_u32(items.len())).collect(),
    };
    for index in indices {
        let Some(item) = items.get(index as usize) else { continue };
        let checked = schema.check(item)?;
        all.work = all.work.saturating_add(checked.work);
        all.left_out = all.left_out.or(checked.left_out);
        all.violations.extend(checked.violations.into_iter().map(|mut violation| {
            violation.path.insert(0, Key::Index(index));
            violation
        }));
    }
    Ok((touched, all))
}

/// Whether a value has something at a path.
fn has(value: &Plain, path: &[Key]) -> bool {
    let found = path.iter().try_fold(value, |at, key| match key {
        Key::Name(name) => at.get(name.as_ref()),
        Key::Index(index) => at.get(*index as usize),
    });
    found.is_some()
}

#[cfg(test)]
#[cfg(feature = "schema")]
mod tests {
    use super::*;

    /// Writes members one after the other that all break a schema; what the checks took, and the changes.
    fn grown(schema: &str, count: u32, is_each: bool, new: fn(u32, &mut Plain) -> Key) -> (CheckCost, usize) {
        let schema = Schema::compile(schema).unwrap();
        let mut identity = CheckedIdentity::new(SchemaUse { number: 0, is_each });
        let mut cost = CheckCost::default();
        let mut begun = 0;
        identity.value = Some(if is_each { Plain::Array(Vec::new()) } else { serde_json::json!({}) });
        identity.judge(Some(&schema), &mut cost);
        for number in 0..count {
            let key = new(number, identity.value.as_mut().unwrap());
            identity.touched = Some(BTreeSet::from([key]));
            let (changes, unchecked) = identity.judge(Some(&schema), &mut cost);
            assert_eq!(unchecked, None);
            begun += changes.len();
        }
        (cost, begun)
    }

    fn member(number: u32, value: &mut Plain) -> Key {
        value[format!("k{number}")] = Plain::from("x");
        Key::name(&format!("k{number}"))
    }

    fn element(number: u32, value: &mut Plain) -> Key {
        value.as_array_mut().unwrap().push(Plain::from("x"));
        Key::Index(number)
    }

    /// A42: the work of many steps that each write one thing grows with the steps, and every violation is found.
    #[test]
    fn a_growing_value_is_checked_where_it_grows() {
        let additional = r#"{"additionalProperties":{"type":"number"}}"#;
        let referred = r##"{"$defs":{"s":{"additionalProperties":{"type":"number"}}},"$ref":"#/$defs/s"}"##;
        type Grow = fn(u32, &mut Plain) -> Key;
        let cases: [(&str, bool, Grow); 3] =
            [(additional, false, member), (referred, false, member), (r#"{"type":"number"}"#, true, element)];
        for (schema, is_each, new) in cases {
            let (few, many) = (grown(schema, 100, is_each, new), grown(schema, 1_000, is_each, new));
            assert_eq!((few.1, many.1), (100, 1_000), "{schema}");
            assert!(many.0.work < 15 * few.0.work, "{schema}: {} against {}", few.0.work, many.0.work);
        }
    }

    /// Members that a schema can only judge together are checked whole, until that is too much; then it is said.
    #[test]
    fn what_takes_too_much_is_given_up_and_said() {
        let schema = Schema::compile(r#"{"allOf":[{"additionalProperties":{"type":"number"}}]}"#).unwrap();
        let mut identity = CheckedIdentity::new(SchemaUse { number: 0, is_each: false });
        let mut cost = CheckCost { work: WORK_MAX, ..CheckCost::default() };
        identity.value = Some(serde_json::json!({"a":"x"}));
        let (changes, unchecked) = identity.judge(Some(&schema), &mut cost);
        assert_eq!(changes.len(), 1);
        assert!(unchecked.unwrap().contains("later values are not checked"));
        identity.value = Some(serde_json::json!({"b":"x"}));
        assert_eq!(identity.judge(Some(&schema), &mut cost).0.len(), 0);
    }

    /// A value whose check is refused at many steps is said once, and again when a check came between.
    #[test]
    fn what_is_refused_again_is_said_once() {
        let defs: Vec<String> = (0..450).map(|i| format!("\"a{i}\":{{\"$ref\":\"#/$defs/a{}\"}}", i + 1)).collect();
        let last = r##""a450":{"items":{"$ref":"#/$defs/a0"}}"##;
        let schema = format!("{{\"$defs\":{{{},{last}}},\"$ref\":\"#/$defs/a0\"}}", defs.join(","));
        let schema = Schema::compile(&schema).unwrap();
        let deep = |inner: &str| (0..118).fold(Plain::from(inner), |value, _| Plain::Array(vec![value]));
        let mut identity = CheckedIdentity::new(SchemaUse { number: 0, is_each: false });
        let mut is_valid = |value: Plain| {
            identity.value = Some(value);
            identity.judge(Some(&schema), &mut CheckCost::default()).1.is_some()
        };
        let values = [deep("a"), deep("b"), deep("c"), Plain::from(1), deep("d"), deep("e")];
        assert_eq!(values.map(&mut is_valid), [true, false, false, false, true, false]);
    }
}
