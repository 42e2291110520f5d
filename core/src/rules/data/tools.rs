//! The tools that a record declares, and whether the arguments of a call fit their schema.
//!
//! Of JSON Schema only what tools are described with is looked at: `type`, `enum`, `required`, `properties`, `items`,
//! `additionalProperties: false`. What else a schema says is taken as kept.

use crate::json::{self, Data, Value, pointer_escape};
use crate::rules::trajectory::gemini::declarations;
use std::collections::BTreeMap;

/// Declared tools by name, each with the schema of its arguments if it has one.
pub(super) type Declared<'v> = BTreeMap<String, Option<&'v Value<'v>>>;

/// Adds the tools of a list: of objects with a `name`, or with one in their `function`.
pub(super) fn declare<'v>(list: &'v Value<'v>, tools: &mut Declared<'v>) {
    for item in declarations(list) {
        let function = item.get("function").filter(|f| f.as_object().is_some()).unwrap_or(item);
        if let Some(name) = function.get("name").and_then(Value::as_str) {
            tools.insert(name.to_owned(), schema_of(function));
        }
    }
}

/// The schema of the arguments of a tool, by what is declared of it.
fn schema_of<'v>(tool: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let inner = tool.get("json_schema").unwrap_or(tool);
    let schema = ["parameters", "input_schema", "inputSchema"].into_iter().find_map(|key| inner.get(key));
    schema.filter(|schema| schema.as_object().is_some())
}

/// The first thing in which the arguments of a call break what is declared of its tool, both as JSON: where, and what
/// is wrong. None: nothing, or no schema is declared.
#[must_use]
pub fn arguments_fault(tool: &str, arguments: &str) -> Option<String> {
    let (tool, arguments) = (json::parse(tool).ok()?, json::parse(arguments).ok()?);
    let (path, why) = breaks(&arguments, schema_of(&tool)?, false)?;
    Some(if path.is_empty() { why } else { format!("{path}: {why}") })
}

/// The first thing in which a value breaks a schema: a path below the value, and what is wrong. In a row of columns a
/// property that is null may as well be none.
pub(super) fn breaks(value: &Value<'_>, schema: &Value<'_>, is_row: bool) -> Option<(String, String)> {
    let here = |why: String| Some((String::new(), why));
    if let Some(expected) = schema.get("type")
        && !type_names(expected).is_empty()
        && !type_names(expected).iter().any(|name| is_of(value, name))
    {
        return here(format!(
            "this should be of type {}, not {}",
            type_names(expected).join(" or "),
            value.type_name()
        ));
    }
    if let Some(all) = schema.get("enum").and_then(Value::as_array)
        && !all.iter().any(|one| is_same(one, value))
    {
        return here("this is not one of the values that the schema lists".to_owned());
    }
    match &value.data {
        Data::Object(object) => {
            let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
            let properties = schema.get("properties").filter(|p| p.as_object().is_some());
            let may_be_null = |name: &str| is_row && properties.and_then(|p| p.get(name)).is_some_and(takes_null);
            let is_missed = |name: &&str| object.get(name).is_none() && !may_be_null(name);
            if let Some(name) = required.iter().filter_map(Value::as_str).find(is_missed) {
                return here(format!("`{name}` is required and missing"));
            }
            let is_required = |name: &str| required.iter().any(|one| one.as_str() == Some(name));
            let is_closed = schema.get("additionalProperties").and_then(Value::as_bool) == Some(false)
                && schema.get("patternProperties").is_none();
            let mut there = object.entries().filter(|(name, item)| !(is_row && item.is_null() && !is_required(name)));
            there.find_map(|(name, item)| match properties.and_then(|p| p.get(name)) {
                Some(schema) => below(name, breaks(item, schema, is_row)),
                None if is_closed => {
                    Some((format!("/{}", pointer_escape(name)), "the schema has no such property".to_owned()))
                }
                None => None,
            })
        }
        Data::Array(items) => {
            let schema = schema.get("items").filter(|s| s.as_object().is_some())?;
            items.iter().enumerate().find_map(|(i, item)| below(&i.to_string(), breaks(item, schema, is_row)))
        }
        _ => None,
    }
}

fn below(name: &str, found: Option<(String, String)>) -> Option<(String, String)> {
    found.map(|(rest, why)| (format!("/{}{rest}", pointer_escape(name)), why))
}

fn type_names<'v>(expected: &'v Value<'_>) -> Vec<&'v str> {
    match &expected.data {
        Data::String(name) => vec![name],
        Data::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn takes_null(schema: &Value<'_>) -> bool {
    schema.get("type").is_none_or(|expected| type_names(expected).contains(&"null"))
}

fn is_of(value: &Value<'_>, name: &str) -> bool {
    match (name.to_ascii_lowercase().as_str(), &value.data) {
        ("object" | "dict", Data::Object(_))
        | ("array" | "list", Data::Array(_))
        | ("string" | "str", Data::String(_))
        | ("boolean" | "bool", Data::Bool(_))
        | ("null", Data::Null)
        | ("number" | "float", Data::Number)
        | (_, Data::Deep) => true,
        ("integer" | "int", Data::Number) => value.text.parse::<f64>().is_ok_and(|n| n.fract() == 0.0),
        (name, _) => !KNOWN.contains(&name),
    }
}

/// Names of types; what else is written says nothing.
const KNOWN: [&str; 12] =
    ["object", "dict", "array", "list", "string", "str", "boolean", "bool", "null", "number", "float", "integer"];

fn is_same(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (&a.data, &b.data) {
        (Data::String(a), Data::String(b)) => a == b,
        (Data::Number, Data::Number) => a.text.parse::<f64>().ok() == b.text.parse::<f64>().ok(),
        (Data::Object(_) | Data::Array(_), _) => true,
        _ => a.text == b.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn arguments_of_a_call_fit_what_is_declared_of_its_tool() {
        let tool =
            r#"{"name":"ls","parameters":{"type":"object","required":["d"],"properties":{"d":{"type":"string"}}}}"#;
        assert_eq!(arguments_fault(tool, r#"{"d":"."}"#), None);
        assert_eq!(arguments_fault(tool, "{}").as_deref(), Some("`d` is required and missing"));
        assert_eq!(
            arguments_fault(tool, r#"{"d":1}"#).as_deref(),
            Some("/d: this should be of type string, not number")
        );
        assert_eq!(arguments_fault(r#"{"name":"ls"}"#, "{}"), None);
        let nested = format!(r#"{{"name":"ls","json_schema":{tool}}}"#);
        assert!(arguments_fault(&nested, "{}").is_some());
    }

    #[test]
    fn arguments_are_held_against_their_schema() {
        let schema = r#"{"type":"object","required":["q"],"additionalProperties":false,"properties":{
            "q":{"type":"string"},"n":{"type":["integer","null"]},"m":{"enum":["a",1]},
            "l":{"type":"array","items":{"type":"number"}},"x":{"type":"odd"}}}"#;
        let schema = parse(schema).unwrap();
        let first_break = |text: &str| breaks(&parse(text).unwrap(), &schema, false).map(|(path, _)| path);
        for good in [r#"{"q":"a"}"#, r#"{"q":"","n":1.0,"m":1,"l":[1,2.5],"x":{}}"#, r#"{"q":"a","n":null,"m":"a"}"#] {
            assert_eq!(first_break(good), None, "{good}");
        }
        for (bad, path) in [
            ("[]", ""),
            ("{}", ""),
            (r#"{"q":1}"#, "/q"),
            (r#"{"q":"","n":1.5}"#, "/n"),
            (r#"{"q":"","m":"b"}"#, "/m"),
            (r#"{"q":"","l":[1,"x"]}"#, "/l/1"),
            (r#"{"q":"","z/":1}"#, "/z~1"),
        ] {
            assert_eq!(first_break(bad).as_deref(), Some(path), "{bad}");
        }
        let of_row = |text: &str| breaks(&parse(text).unwrap(), &schema, true).map(|(path, _)| path);
        for (row, path) in [(r#"{"q":"a","l":null,"z":null}"#, None), (r#"{"q":null}"#, Some("/q")), ("{}", Some(""))] {
            assert_eq!(of_row(row).as_deref(), path, "{row}");
        }
    }
}
