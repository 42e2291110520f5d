//! Attributes of a span: a list of keys and typed values, a map with dotted keys, or nested maps.

use crate::format::log::text;
use crate::json::{self, Data, Value};

/// The first attribute of these names that is there.
pub(super) fn attribute<'v, 'a>(span: &'v Value<'a>, names: &[&str]) -> Option<&'v Value<'a>> {
    let Some(attributes) = span.get("attributes").or_else(|| span.get("span_attributes")) else {
        let of_row = |name: &&str| in_row(span, &["attributes"], name).filter(|value| !value.is_null());
        return names.iter().find_map(of_row);
    };
    names.iter().find_map(|name| one(attributes, name))
}

/// The value at a dotted name of a row of a table of spans, as Phoenix gives it: a column or member may have any number
/// of the names between dots.
fn in_row<'v, 'a>(at: &'v Value<'a>, before: &[&str], name: &str) -> Option<&'v Value<'a>> {
    if let Some(items) = at.as_array() {
        let (place, rest) = name.split_once('.').unwrap_or((name, ""));
        let item = items.get(place.parse::<usize>().ok()?)?;
        return if rest.is_empty() { Some(item) } else { in_row(item, &[], rest) };
    }
    let whole = before.iter().copied().chain([name]).collect::<Vec<_>>().join(".");
    let ends = whole.match_indices('.').map(|(end, _)| end).chain([whole.len()]);
    ends.filter(|end| *end > before.first().map_or(0, |name| name.len())).find_map(|end| {
        let found = at.get(&whole[..end])?;
        let rest = whole.get(end + 1..).unwrap_or_default();
        if rest.is_empty() { Some(found) } else { in_row(found, &[], rest) }
    })
}

/// The same as a text.
pub(super) fn attribute_text<'v>(span: &'v Value<'_>, names: &[&str]) -> Option<&'v str> {
    attribute(span, names).and_then(Value::as_str)
}

fn one<'v, 'a>(attributes: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    match &attributes.data {
        Data::Array(list) => {
            let value = list.iter().find(|item| text(item, "key") == Some(name))?.get("value")?;
            value.as_object()?.members.first().map(|member| &member.value)
        }
        _ => attributes.get(name).or_else(|| nested(attributes, name)),
    }
}

/// The value below the names between dots; an array has them as indices.
fn nested<'v, 'a>(attributes: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    name.split('.').try_fold(attributes, |at, key| match &at.data {
        Data::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => at.get(key),
    })
}

/// A list or a map as OTLP spells it out (`values` of `arrayValue` and `kvlistValue`), as plain JSON; None: it is none.
pub(super) fn plain(value: &Value<'_>) -> Option<String> {
    let object = value.as_object().filter(|object| object.members.len() <= 1)?;
    let values = match object.members.first() {
        Some(member) if member.key == "values" => member.value.as_array()?,
        _ => return None,
    };
    let is_map = !values.is_empty() && values.iter().all(|item| text(item, "key").is_some());
    if !is_map {
        let items: Vec<String> = values.iter().map(typed).collect();
        return Some(format!("[{}]", items.join(",")));
    }
    Some(plain_map(values))
}

/// All attributes as one object of plain JSON, where they are a list of keys and typed values; None: they are none.
pub(super) fn plain_list(attributes: &Value<'_>) -> Option<String> {
    attributes.as_array().map(plain_map)
}

/// Keys and typed values as an object of plain JSON.
fn plain_map(values: &[Value<'_>]) -> String {
    let member = |item: &Value<'_>| {
        let name = json::quote(text(item, "key").unwrap_or_default());
        format!("{name}:{}", item.get("value").map_or_else(|| "null".to_owned(), typed))
    };
    format!("{{{}}}", values.iter().map(member).collect::<Vec<_>>().join(","))
}

/// A typed value of OTLP as plain JSON.
fn typed(value: &Value<'_>) -> String {
    let Some(member) = value.as_object().and_then(|object| object.members.first()) else {
        return json::compact(value);
    };
    match (&*member.key, member.value.as_str()) {
        // Whole numbers are texts in JSON of protobuf.
        ("intValue" | "int_value", Some(digits)) if json::parse(digits).is_ok() => digits.to_owned(),
        _ => plain(&member.value).unwrap_or_else(|| json::compact(&member.value)),
    }
}
