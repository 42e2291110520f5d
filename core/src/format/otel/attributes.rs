//! Attributes of a span: a list of keys and typed values, a map with dotted keys, or nested maps.

use crate::format::log::text;
use crate::json::{Data, Value};

/// The first attribute of these names that is there.
pub(super) fn attribute<'v, 'a>(span: &'v Value<'a>, names: &[&str]) -> Option<&'v Value<'a>> {
    let attributes = span.get("attributes")?;
    names.iter().find_map(|name| one(attributes, name))
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
