//! JSON Schema 2020-12: schemas compiled once, values checked against them (A20, A42).
//!
//! Nothing is fetched: a `$ref` to another document accepts everything. `format` is not enforced. Recursive schemas
//! need stack: who checks foreign schemas does so on a thread of 16 MB. Without the feature `schema` every schema is
//! taken as it is and nothing is checked; [`IS_CHECKED`] says so.

use crate::json::{Data, Key, Value, parse, pointer_unescape};
use serde_json::{Map, Number, Value as Plain};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Whether this build checks values against their schemas.
pub const IS_CHECKED: bool = cfg!(feature = "schema");

/// Longest sentence on a violation, in characters.
const MESSAGE_CHARS_MAX: usize = 160;

/// Most places of a schema that are kept of what is wrong at one path.
const REASONS_MAX: usize = 16;

/// Most schemas that are kept compiled.
const SCHEMAS_MAX: usize = 4096;

/// Members of a schema that say nothing on a value, where they are strings.
const REMARKS: [&str; 3] = ["description", "title", "$comment"];

/// Members of a schema that hold schemas by name.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Members of a schema whose values are no schemas.
const EXAMPLES: [&str; 4] = ["const", "default", "enum", "examples"];

/// A path at which a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Violation {
    /// Where in the value; of a missing or surplus member the object.
    pub path: Vec<Key>,
    /// What the schema wants there.
    pub message: String,
    /// What of the schema wants it; at least one place.
    pub reasons: Vec<Reason>,
}

/// A place of a schema that a value breaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reason {
    /// Where in the schema, as a JSON Pointer; in a part that has an address of its own, behind that and `#`.
    pub schema_path: String,
    /// What it wants.
    pub message: String,
}

impl Violation {
    /// Where in the schema it stands, as a JSON Pointer: the first place, if there are several.
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
            self.reasons.push(Reason { schema_path, message: message.to_owned() });
        }
    }
}

/// Puts a sentence behind others, once.
fn join(known: &mut String, message: &str) {
    if known.is_empty() {
        message.clone_into(known);
    } else if !known.contains(message) {
        *known = cut(&format!("{known}; {message}"));
    }
}

/// A schema that is ready to check values.
#[derive(Debug)]
pub struct Schema(backend::Validator);

impl Schema {
    /// A20: compiles a schema.
    ///
    /// # Errors
    /// It is no valid JSON Schema 2020-12: why, as a sentence.
    pub fn compile(text: &str) -> Result<Self, String> {
        let mut schema = plain_text(text).ok_or("it is nested too deep")?;
        prepare(&mut schema);
        backend::compile(&schema).map(Self).map_err(|why| cut(&why))
    }

    /// Whether a value keeps to it; much cheaper than [`Schema::violations`].
    #[must_use]
    pub fn is_valid(&self, value: &Plain) -> bool {
        backend::is_valid(&self.0, value)
    }

    /// Every path at which a value breaks it, in order, one violation a path.
    #[must_use]
    pub fn violations(&self, value: &Plain) -> Vec<Violation> {
        if self.is_valid(value) {
            return Vec::new();
        }
        let mut by_path: BTreeMap<Vec<Key>, Violation> = BTreeMap::new();
        for (pointer, message, schema_path) in backend::errors(&self.0, value) {
            let path = path_in(value, &pointer);
            let new = || Violation { path: path.clone(), message: String::new(), reasons: Vec::new() };
            by_path.entry(path.clone()).or_insert_with(new).add(&cut(&message), schema_path);
        }
        by_path.into_values().collect()
    }

    /// As [`Schema::violations`], of a value as it was parsed. One that is nested too deep is not checked.
    #[must_use]
    pub fn violations_of(&self, value: &Value<'_>) -> Vec<Violation> {
        plain(value).map(|value| self.violations(&value)).unwrap_or_default()
    }
}

/// Compiled schemas. Two that differ in their remarks alone are one.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    known: HashMap<String, Result<Arc<Schema>, String>>,
}

impl Schemas {
    /// A20: the schema of a text, compiled on first sight.
    ///
    /// # Errors
    /// As [`Schema::compile`].
    pub(super) fn get(&mut self, text: &str) -> Result<Arc<Schema>, String> {
        let mut demands = plain_text(text).ok_or("it is nested too deep")?;
        strip_remarks(&mut demands);
        let key = demands.to_string();
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.known.len() >= SCHEMAS_MAX {
            self.known.clear();
        }
        let made = Schema::compile(&key).map(Arc::new);
        self.known.insert(key, made.clone());
        made
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

fn cut(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
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
    let is_known = reference.starts_with("https://json-schema.org/draft/2020-12/");
    !reference.starts_with('#') && !is_known && !ids.iter().any(|id| last_segment(id) == last_segment(reference))
}

/// The last segment of an address: those in a schema are often relative, so that no more of them can be compared.
#[must_use]
pub fn last_segment(uri: &str) -> &str {
    uri.split('#').next().and_then(|uri| uri.rsplit('/').next()).unwrap_or_default()
}

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

    pub(super) fn errors(_schema: &Validator, _value: &Plain) -> impl Iterator<Item = (String, String, String)> {
        std::iter::empty()
    }
}

#[cfg(test)]
#[cfg(feature = "schema")]
mod tests {
    use super::*;

    fn found(schema: &str, value: &str) -> Vec<String> {
        let schema = Schema::compile(schema).unwrap();
        let found = schema.violations(&plain_text(value).unwrap());
        found.into_iter().map(|v| format!("{} {}", crate::json::pointer(&v.path), v.message)).collect()
    }

    #[test]
    fn tells_paths_and_what_is_wanted() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"number"},"l":{"items":{"type":"integer"}},"b":true},
            "required":["b"],"additionalProperties":false}"#;
        assert_eq!(
            found(schema, r#"{"a":"x","l":[1,1.5,2.0],"c":1}"#),
            [" no place for c; \"b\" is missing", "/a number required", "/l/1 integer required"]
        );
        assert!(found(schema, r#"{"b":1}"#).is_empty());
        assert_eq!(found("false", "1"), [" nothing is allowed here"]);
        assert!(found("true", "1").is_empty());
    }

    #[test]
    fn tells_a_choice_by_what_its_schemas_want() {
        let either = r#"{"anyOf":[{"type":"integer"},{"type":"null"},{"type":"null"}]}"#;
        assert_eq!(found(either, "\"x\""), [" integer required, or null required"]);
        let forms = r#"{"oneOf":[{"properties":{"a":{"minimum":3}}},{"anyOf":[{"type":"null"}]}]}"#;
        assert_eq!(found(forms, r#"{"a":1}"#), [" at least 3 required at /a, or one of several schemas kept to"]);
        let inner = format!("{{\"properties\":{{\"a\":{either}}}}}");
        assert_eq!(found(&inner, r#"{"a":"x"}"#), ["/a integer required, or null required"]);
        assert_eq!(found(r#"{"oneOf":[true,{}]}"#, "1"), [" only one of the schemas of oneOf may fit"]);
        assert_eq!(found(r#"{"not":{"type":"null"}}"#, "null"), [" what keeps to {\"type\":\"null\"} is forbidden"]);
        assert_eq!(found(r#"{"propertyNames":{"maxLength":1}}"#, r#"{"ab":1}"#).len(), 1);
    }

    #[test]
    fn tells_which_keys_of_the_schema_are_broken() {
        let schema = r##"{"$id":"https://example.com/root.json","$defs":{"a b/c~%é":{"type":"number","maximum":5},
            "own":{"$id":"own.json","properties":{"y":{"enum":[1]}}}},
            "properties":{"x":{"$ref":"#/$defs/a%20b~1c~0%25%C3%A9"},"o":{"$ref":"own.json"},
            "l":{"items":{"allOf":[true,{"minLength":2}]}}},
            "required":["p","q"],"additionalProperties":false}"##;
        let schema = Schema::compile(schema).unwrap();
        let value = plain_text(r#"{"x":9,"z":1,"o":{"y":2},"l":["a"]}"#).unwrap();
        let places = |v: &Violation| v.reasons.iter().map(|r| r.schema_path.clone()).collect::<Vec<_>>();
        let found: Vec<_> =
            schema.violations(&value).iter().map(|v| (crate::json::pointer(&v.path), places(v))).collect();
        let expected = [
            ("", vec!["/required", "/additionalProperties"]),
            ("/l/0", vec!["/properties/l/items/allOf/1/minLength"]),
            ("/o/y", vec!["https://example.com/own.json#/properties/y/enum"]),
            ("/x", vec!["/$defs/a b~1c~0%é/maximum"]),
        ];
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        assert_eq!(schema.violations(&value)[0].reasons[0].message, "\"p\" is missing; \"q\" is missing");
    }

    #[test]
    fn digits_are_keys_of_objects() {
        let schema = r#"{"additionalProperties":{"type":"number"},"items":{"type":"number"}}"#;
        let path =
            |value: &str| Schema::compile(schema).unwrap().violations(&plain_text(value).unwrap())[0].path.clone();
        assert_eq!(path(r#"{"0":"x"}"#), [Key::name("0")]);
        assert_eq!(path(r#"[1,"x"]"#), [Key::Index(1)]);
        assert_eq!(path(r#"{"a/~b":"x"}"#), [Key::name("a/~b")]);
    }

    #[test]
    fn numbers_are_values() {
        let big = plain_text("1e400").unwrap();
        assert_eq!(big.as_f64(), Some(f64::MAX));
        assert!(found(r#"{"type":"integer"}"#, "1.0").is_empty());
        assert!(found(r#"{"maximum":5}"#, "-1e999").is_empty());
        assert_eq!(found(r#"{"maximum":5}"#, "1e999").len(), 1);
    }

    #[test]
    fn says_what_is_no_schema() {
        for text in [
            r#"{"type":"objekt"}"#,
            r#"{"properties":1}"#,
            r#"{"pattern":"("}"#,
            r##"{"$ref":"#/$defs/none"}"##,
            r#"{"required":"a"}"#,
            r#"{"properties":{"title":"x"}}"#,
        ] {
            assert!(Schema::compile(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_elsewhere_accepts_everything() {
        for text in [
            r#"{"$ref":"https://example.com/s.json"}"#,
            r#"{"$ref":"https://example.com/s.json#/definitions/a"}"#,
            r#"{"$id":"https://example.com/root.json","$ref":"other.json#x"}"#,
            r#"{"$ref":"file:///etc/passwd"}"#,
            r#"{"$schema":"https://example.com/own","$dynamicRef":"other#a"}"#,
            r#"{"format":"email"}"#,
        ] {
            assert!(found(text, "1").is_empty(), "{text}");
            assert!(found(text, "\"x\"").is_empty(), "{text}");
        }
        let beside = r#"{"$ref":"https://example.com/s.json","type":"number"}"#;
        assert_eq!(found(beside, "\"x\""), [" number required"]);
        let own = r##"{"$id":"https://example.com/root.json","$defs":{"n":{"type":"number"}},
            "properties":{"a":{"$ref":"root.json#/$defs/n"},"b":{"$ref":"#/$defs/n"}}}"##;
        assert_eq!(found(own, r#"{"a":"x","b":"x"}"#), ["/a number required", "/b number required"]);
    }

    #[test]
    fn schemas_that_turn_in_a_circle_end() {
        for text in [
            r##"{"$ref":"#"}"##,
            r##"{"allOf":[{"$ref":"#"}]}"##,
            r##"{"not":{"$ref":"#"}}"##,
            r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}"##,
            r##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"number"}]}},"$ref":"#/$defs/a"}"##,
            r##"{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"}]}"##,
            r##"{"$id":"r.json","allOf":[{"$ref":"r.json"}]}"##,
        ] {
            if let Ok(schema) = Schema::compile(text) {
                let _any = schema.is_valid(&plain_text("\"x\"").unwrap());
                let _any = schema.violations(&plain_text("[\"x\"]").unwrap());
            }
        }
    }

    #[test]
    fn deep_values_are_checked() {
        let schema = r##"{"type":["array","number"],"items":{"$ref":"#"}}"##;
        let value = |inner: &str| format!("{}{inner}{}", "[".repeat(140), "]".repeat(140));
        assert!(found(schema, &value("1")).is_empty());
        assert_eq!(found(schema, &value("\"x\"")).len(), 1);
        assert!(plain_text(&format!("{}{}", "[".repeat(400), "]".repeat(400))).is_none());
    }

    #[test]
    fn remarks_make_no_other_schema() {
        let mut schemas = Schemas::default();
        let a = schemas.get(r#"{"description":"a","properties":{"title":{"type":"number","title":"t"}}}"#).unwrap();
        let b = schemas.get(r#"{ "properties": {"title": {"type": "number"}}, "$comment": "b"}"#).unwrap();
        assert!(Arc::ptr_eq(&a, &b));
        assert!(!a.is_valid(&plain_text(r#"{"title":"x"}"#).unwrap()));
        assert!(schemas.get(r#"{"properties":{"title":"x"}}"#).is_err());
        assert_eq!(schemas.get(r#"{"type":3}"#).unwrap_err(), schemas.get(r#"{"type":3}"#).unwrap_err());
    }
}
