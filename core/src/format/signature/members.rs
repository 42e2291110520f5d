//! Questions about the members of a record that signatures ask.

use super::Head;
use crate::format::Match;
use crate::json::Value;

/// The value at a pointer (`/payload/type`); a name of an array leads to its first element's member.
pub(super) fn at<'v, 'a>(value: &'v Value<'a>, pointer: &str) -> Option<&'v Value<'a>> {
    let mut value = value;
    for name in pointer.split('/').skip(1) {
        if let Some(elements) = value.as_array() {
            value = elements.first()?;
        }
        value = value.get(name)?;
    }
    Some(value)
}

/// Whether a member is a string.
pub(super) fn is_text(value: &Value<'_>, name: &str) -> bool {
    value.get(name).is_some_and(|member| member.as_str().is_some())
}

/// Whether a member is a number.
pub(super) fn is_number(value: &Value<'_>, name: &str) -> bool {
    value.get(name).is_some_and(|member| member.as_number().is_some())
}

/// Whether a member is an object.
pub(super) fn is_object(value: &Value<'_>, name: &str) -> bool {
    value.get(name).is_some_and(|member| member.as_object().is_some())
}

/// Whether a member is an array.
pub(super) fn is_array(value: &Value<'_>, name: &str) -> bool {
    value.get(name).is_some_and(|member| member.as_array().is_some())
}

/// Whether all of these members are there, whatever they are.
pub(super) fn has(value: &Value<'_>, names: &[&str]) -> bool {
    names.iter().all(|name| value.get(name).is_some())
}

/// Whether one of these members is there.
pub(super) fn has_any(value: &Value<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| value.get(name).is_some())
}

/// Text of a member, empty where it is not text.
pub(super) fn text<'v>(value: &'v Value<'_>, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The first element of a member that is an array.
pub(super) fn first<'v, 'a>(value: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    value.get(name)?.as_array()?.first()
}

/// Whether a value is a message: a `role` and what was said, or its calls.
pub(super) fn is_message(value: &Value<'_>) -> bool {
    let has_content =
        || value.get("content").is_some_and(|content| content.as_str().is_some() || content.as_array().is_some());
    is_text(value, "role") && (has_content() || is_array(value, "tool_calls"))
}

/// Whether any record is such.
pub(super) fn any(head: &Head<'_, '_>, is_such: impl Fn(&Value<'_>) -> bool) -> bool {
    head.records.iter().any(is_such)
}

/// Whether some records are such, and no more than as many are not.
pub(super) fn most(head: &Head<'_, '_>, is_such: impl Fn(&Value<'_>) -> bool) -> bool {
    let n = head.records.iter().filter(|record| is_such(record)).count();
    n > 0 && n * 2 >= head.records.len()
}

/// A match with this reason, if it is one.
pub(super) fn matched(is_match: bool, reason: &str) -> Option<Match> {
    is_match.then(|| Match { reason: reason.to_owned() })
}
