//! JSON Schema 2020-12: schemas compiled once, values checked against them (A20, A42).
//!
//! Nothing is fetched: a `$ref` to another document accepts everything. `format` is not enforced. A schema is foreign:
//! what it can ask for is bounded before it is compiled and before each check ([`bound`]). Recursive schemas need
//! stack: foreign schemas are checked on a thread of [`STACK_BYTES`]. Without the feature `schema` every schema is
//! taken as it is and nothing is checked; [`IS_CHECKED`] says so.

use crate::json::{Data, Key, Value, parse, pointer_unescape};
use crate::text::shorten;
use bound::{Allowed, Bound};
use serde_json::{Map, Number, Value as Plain};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// Whether this build checks values against their schemas.
pub const IS_CHECKED: bool = cfg!(feature = "schema");

/// Stack of a thread that checks foreign schemas, in bytes: what the bound allows takes a third of it.
pub const STACK_BYTES: usize = 64 << 20;

/// Most evaluations nested in each other on a thread of any stack: about 512 KiB.
const NESTED_SMALL_MAX: u32 = 256;

/// Longest sentence on a violation, in characters.
const MESSAGE_CHARS_MAX: usize = 160;

/// Most places of a schema that are kept of what is wrong at one path.
const REASONS_MAX: usize = 16;

/// Most evaluations of a check that lists all violations: each can become one, and all are in memory at once.
const LISTED_WORK_MAX: u64 = 2_000_000;

/// Evaluations nested in each other that are described in about the time in which they are evaluated.
const NESTED_PER_WORK: u64 = 32;

/// Most schemas that are kept compiled.
const SCHEMAS_MAX: usize = 4096;

/// Members of a schema that say nothing on a value, where they are strings.
const REMARKS: [&str; 3] = ["description", "title", "$comment"];

/// Members of a schema that hold schemas by name.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Members of a schema whose values are no schemas.
const EXAMPLES: [&str; 4] = ["const", "default", "enum", "examples"];

/// What the addresses of the schemas of schemas begin with.
const META: &str = "https://json-schema.org/draft/2020-12/";

/// A path at which a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Violation {
    /// Where in the value; of a missing or surplus member the object.
    pub path: Vec<Key>,
    /// What the schema wants there.
    pub message: String,
    /// What of the schema wants it; at least one place.
    pub reasons: Vec<ViolationReason>,
}

/// A place of a schema that a value breaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ViolationReason {
    /// Where in the schema, as a JSON Pointer; in a part that has an address of its own, after that and `#`.
    pub schema_path: String,
    /// What it wants.
    pub message: String,
}

impl Violation {
    /// Where in the schema it is, as a JSON Pointer: the first place, if there are several.
    #[must_use]
    pub fn schema_path(&self) -> &str {
        self.reasons.first().map_or("", |reason| &reason.schema_path)
    }

    /// One more reason why the value at its path is wrong.
    fn add(&mut self, message: &str, schema_path: String) {
        join(&mut self.message, message);
        let known = self.reasons.iter().position(|reason| reason.schema_path == schema_path);
        if let Some(reason) = known.and_then(|i| self.reasons.get_mut(i)) {
            join(&mut reason.message, message);
        } else if self.reasons.len() < REASONS_MAX {
            self.reasons.push(ViolationReason { schema_path, message: message.to_owned() });
        }
    }
}

/// Puts a sentence after others, once.
fn join(known: &mut String, message: &str) {
    if known.is_empty() {
        message.clone_into(known);
    } else if !known.contains(message) {
        *known = shorten(&format!("{known}; {message}"), MESSAGE_CHARS_MAX).into_owned();
    }
}

/// A schema that is ready to check values.
#[derive(Debug)]
pub struct Schema {
    validator: backend::Validator,
    bound: Bound,
    /// The same without what it says of members and elements, where those are judged each by itself; compiled when a
    /// part of a value changes.
    shell: (Option<Plain>, OnceLock<Option<backend::Validator>>),
}

/// Why values are not checked against a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaFault {
    /// It is not valid JSON Schema 2020-12: why.
    Invalid(String),
    /// It can ask for more than any check is given: why.
    Unbounded(String),
}

impl std::fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(why) => write!(f, "it is not valid JSON Schema 2020-12: {why}"),
            Self::Unbounded(why) => write!(f, "the schema asks too much: {why}"),
        }
    }
}

/// What a check of a value found.
#[derive(Debug, Default)]
pub struct Checked {
    /// Every path at which the value breaks the schema, in order, one violation a path.
    pub violations: Vec<Violation>,
    /// The most evaluations that it can have taken.
    pub work: u64,
    /// Why there may be more violations than these.
    pub left_out: Option<String>,
}

impl Schema {
    /// A20: compiles a schema.
    ///
    /// # Errors
    /// It is not valid JSON Schema 2020-12, or one that no check can be given enough for.
    pub fn compile(text: &str) -> Result<Self, SchemaFault> {
        let mut schema = plain_text(text).ok_or_else(|| SchemaFault::Invalid("it is nested too deep".to_owned()))?;
        prepare(&mut schema);
        let bound = Bound::of(&schema).map_err(SchemaFault::Unbounded)?;
        let validator = backend::compile(&schema)
            .map_err(|why| SchemaFault::Invalid(shorten(&why, MESSAGE_CHARS_MAX).into_owned()))?;
        Ok(Self { validator, bound, shell: (bound::shell(&schema), OnceLock::new()) })
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The check can need more work or stack than there is: why, as a sentence.
    pub fn check(&self, value: &Plain) -> Result<Checked, String> {
        let Allowed { work, nested } = self.bound.allows(value)?;
        if backend::is_valid(&self.validator, value) {
            return Ok(Checked { work, ..Checked::default() });
        }
        // A choice of which no schema fits is evaluated once more at each level that is described.
        let listing = work.saturating_mul(1 + u64::from(nested) / NESTED_PER_WORK);
        if listing <= LISTED_WORK_MAX {
            let violations = by_path(value, backend::errors(&self.validator, value));
            return Ok(Checked { violations, work: work + listing, left_out: None });
        }
        let message = "the value breaks its schema".to_owned();
        let reasons = vec![ViolationReason { schema_path: String::new(), message: message.clone() }];
        let violations = vec![Violation { path: Vec::new(), message, reasons }];
        Ok(Checked { violations, work, left_out: Some("it is too large to list where it is wrong".to_owned()) })
    }

    /// What is wrong with a value itself, below which each member or element is checked for itself.
    fn check_shell(shell: &backend::Validator, value: &Plain) -> Vec<Violation> {
        if backend::is_valid(shell, value) { Vec::new() } else { by_path(value, backend::errors(shell, value)) }
    }

    /// Every path at which a value breaks it; none where it cannot be checked.
    #[must_use]
    pub fn violations(&self, value: &Plain) -> Vec<Violation> {
        self.check(value).unwrap_or_default().violations
    }

    /// As [`Schema::check`], of a value as it was parsed, on a thread of any stack.
    ///
    /// # Errors
    /// As [`Schema::check`], or the value is nested too deep for a small stack.
    pub fn check_parsed(&self, value: &Value<'_>) -> Result<Vec<Violation>, String> {
        let value = plain(value).ok_or("the value is nested too deep")?;
        let nested = self.bound.allows(&value)?.nested;
        if nested > NESTED_SMALL_MAX {
            return Err(format!("it can nest {nested} checks in each other; {NESTED_SMALL_MAX} are allowed"));
        }
        self.check(&value).map(|checked| checked.violations)
    }

    /// Checks a value of which only some members or elements have changed. None: the schema must see all of it.
    ///
    /// # Errors
    /// As [`Schema::check`].
    pub fn check_parts(&self, value: &mut Plain, changed: &BTreeSet<Key>) -> Option<Result<Checked, String>> {
        let (source, compiled) = &self.shell;
        let source = source.as_ref()?;
        // A shell may lack what a reference names: then there is none.
        let shell = compiled.get_or_init(|| backend::compile(source).ok()).as_ref()?;
        let (mut reduced, indices) = take_parts(value, changed)?;
        let checked = self.check(&reduced);
        put_parts(value, &mut reduced, &indices);
        Some(checked.map(|mut checked| {
            // What is wrong with the whole is asked of the whole.
            checked.violations.retain(|violation| !violation.path.is_empty());
            for violation in &mut checked.violations {
                if let Some(Key::Index(index)) = violation.path.first_mut() {
                    *index = indices.get(*index as usize).copied().unwrap_or(*index);
                }
            }
            checked.violations.extend(Self::check_shell(shell, value));
            checked
        }))
    }
}

/// Moves some members or elements out of a value, for elements with their places. None: it is not a container.
fn take_parts(value: &mut Plain, keys: &BTreeSet<Key>) -> Option<(Plain, Vec<u32>)> {
    match value {
        Plain::Object(members) => {
            let mut reduced = Map::new();
            for name in keys.iter().filter_map(|key| if let Key::Name(name) = key { Some(name) } else { None }) {
                if let Some(member) = members.get_mut(name.as_ref()) {
                    reduced.insert(name.to_string(), std::mem::take(member));
                }
            }
            Some((Plain::Object(reduced), Vec::new()))
        }
        Plain::Array(items) => {
            let (mut reduced, mut indices) = (Vec::new(), Vec::new());
            for index in keys.iter().filter_map(|key| if let Key::Index(index) = key { Some(*index) } else { None }) {
                if let Some(item) = items.get_mut(index as usize) {
                    reduced.push(std::mem::take(item));
                    indices.push(index);
                }
            }
            Some((Plain::Array(reduced), indices))
        }
        _ => None,
    }
}

/// Moves them back.
fn put_parts(value: &mut Plain, reduced: &mut Plain, indices: &[u32]) {
    match (value, reduced) {
        (Plain::Object(members), Plain::Object(reduced)) => {
            for (name, part) in reduced {
                members.get_mut(name).into_iter().for_each(|member| *member = std::mem::take(part));
            }
        }
        (Plain::Array(items), Plain::Array(reduced)) => {
            for (index, part) in indices.iter().zip(reduced) {
                items.get_mut(*index as usize).into_iter().for_each(|item| *item = std::mem::take(part));
            }
        }
        _ => {}
    }
}

/// Errors as one violation a path.
fn by_path(value: &Plain, errors: Vec<(String, String, String)>) -> Vec<Violation> {
    let mut by_path: BTreeMap<Vec<Key>, Violation> = BTreeMap::new();
    for (pointer, message, schema_path) in errors {
        let path = path_in(value, &pointer);
        let new = || Violation { path: path.clone(), message: String::new(), reasons: Vec::new() };
        by_path.entry(path.clone()).or_insert_with(new).add(&shorten(&message, MESSAGE_CHARS_MAX), schema_path);
    }
    by_path.into_values().collect()
}

/// Compiled schemas. Two that differ in their remarks alone are one.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    known: HashMap<String, Result<Arc<Schema>, SchemaFault>>,
}

impl Schemas {
    /// A20: the schema of a text, compiled on first sight.
    ///
    /// # Errors
    /// As [`Schema::compile`].
    pub(super) fn get(&mut self, text: &str) -> Result<Arc<Schema>, SchemaFault> {
        let mut demands = plain_text(text).ok_or_else(|| SchemaFault::Invalid("it is nested too deep".to_owned()))?;
        strip_remarks(&mut demands);
        let key = demands.to_string();
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.known.len() >= SCHEMAS_MAX {
            self.known.clear();
        }
        let compiled = Schema::compile(&key).map(Arc::new);
        self.known.insert(key, compiled.clone());
        compiled
    }
}

/// A JSON text as the validator takes it: numbers by value, the nearest where a number is too great. None where it is
/// no JSON, or nested too deep.
pub(super) fn plain_text(text: &str) -> Option<Plain> {
    plain(&parse(text).ok()?)
}

fn plain(value: &Value<'_>) -> Option<Plain> {
    Some(match &value.data {
        Data::Null => Plain::Null,
        Data::Bool(b) => Plain::Bool(*b),
        Data::Number => Plain::Number(number(value.text)?),
        Data::String(s) => Plain::String(s.to_string()),
        Data::Array(items) => Plain::Array(items.iter().map(plain).collect::<Option<_>>()?),
        Data::Object(object) => {
            let members = object.entries().map(|(key, value)| Some((key.to_owned(), plain(value)?)));
            Plain::Object(members.collect::<Option<Map<_, _>>>()?)
        }
        Data::Deep => return None,
    })
}

fn number(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok().or_else(|| {
        let nearest: f64 = text.parse().ok()?;
        Number::from_f64(nearest.clamp(f64::MIN, f64::MAX))
    })
}

/// The keys of a JSON Pointer: digits are an index where the value has an array.
fn path_in(value: &Plain, pointer: &str) -> Vec<Key> {
    let mut at = Some(value);
    let key = |segment: &str| {
        let name = pointer_unescape(segment);
        match at {
            Some(Plain::Array(items)) => {
                let index: u32 = name.parse().unwrap_or(u32::MAX);
                at = items.get(index as usize);
                Key::Index(index)
            }
            _ => {
                at = at.and_then(|v| v.get(&name));
                Key::name(&name)
            }
        }
    };
    pointer.split('/').skip(1).map(key).collect()
}

/// Calls `each` with every schema object in a schema, outermost first.
fn visit(schema: &mut Plain, each: &mut dyn FnMut(&mut Map<String, Plain>)) {
    match schema {
        Plain::Object(members) => {
            each(members);
            for (key, value) in members.iter_mut().filter(|(key, _)| !EXAMPLES.contains(&key.as_str())) {
                match value {
                    Plain::Object(named) if NAMED.contains(&key.as_str()) => {
                        named.values_mut().for_each(|value| visit(value, each));
                    }
                    _ => visit(value, each),
                }
            }
        }
        Plain::Array(items) => items.iter_mut().for_each(|item| visit(item, each)),
        _ => {}
    }
}

/// Takes out what says nothing on a value, so that equal demands are equal texts.
fn strip_remarks(schema: &mut Plain) {
    visit(schema, &mut |members| {
        members.retain(|key, value| !(REMARKS.contains(&key.as_str()) && value.is_string()));
    });
}

/// A42: a reference into another document accepts everything, so it is left out. One that names an `$id` of this
/// document (by its last segment, since ids are often relative) stays. The draft is always the same, so `$schema` goes.
fn prepare(schema: &mut Plain) {
    let mut ids = Vec::new();
    visit(schema, &mut |members| ids.extend(members.get("$id").and_then(Plain::as_str).map(str::to_owned)));
    visit(schema, &mut |members| {
        members.remove("$schema");
        members.retain(|key, value| {
            let is_reference = key == "$ref" || key == "$dynamicRef";
            !(is_reference && value.as_str().is_some_and(|reference| is_remote(reference, &ids)))
        });
    });
}

fn is_remote(reference: &str, ids: &[String]) -> bool {
    let is_known = reference.starts_with(META);
    !reference.starts_with('#') && !is_known && !ids.iter().any(|id| last_segment(id) == last_segment(reference))
}

/// The last segment of an address: those in a schema are often relative, so that no more of them can be compared.
#[must_use]
pub fn last_segment(uri: &str) -> &str {
    uri.split('#').next().and_then(|uri| uri.rsplit('/').next()).unwrap_or_default()
}

mod bound;

#[cfg(feature = "schema")]
mod backend;

#[cfg(not(feature = "schema"))]
mod backend {
    use serde_json::Value as Plain;

    pub(super) type Validator = ();

    pub(super) fn compile(_schema: &Plain) -> Result<Validator, String> {
        Ok(())
    }

    pub(super) fn is_valid(_schema: &Validator, _value: &Plain) -> bool {
        true
    }

    pub(super) fn errors(_schema: &Validator, _value: &Plain) -> Vec<(String, String, String)> {
        Vec::new()
    }
}

#[cfg(test)]
#[cfg(feature = "schema")]
mod tests;
