//! Members of records, in the types that adapters ask for.

use super::Log;
use crate::json::Value;
use crate::state::Op;

/// The text of a member.
pub(in crate::format) fn text<'v>(value: &'v Value<'_>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// A count of a member: a number that is whole and not negative.
pub(in crate::format) fn count(value: &Value<'_>, key: &str) -> Option<u64> {
    value.get(key).and_then(Value::as_number).and_then(|number| number.parse().ok())
}

/// The first member that is there and not null.
pub(in crate::format) fn first<'v, 'a>(value: &'v Value<'a>, keys: &[&str]) -> Option<&'v Value<'a>> {
    keys.iter().find_map(|key| value.get(key).filter(|found| !found.is_null()))
}

/// The text of the first member that is one.
pub(in crate::format) fn first_text<'v>(value: &'v Value<'_>, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|key| text(value, key))
}

/// The elements of a member that is an array.
pub(in crate::format) fn items<'v, 'a>(value: &'v Value<'a>, key: &str) -> &'v [Value<'a>] {
    value.get(key).and_then(Value::as_array).unwrap_or_default()
}

/// The name of the only member of an object, and the member: how variants are written.
pub(in crate::format) fn variant<'v, 'a>(value: &'v Value<'a>) -> Option<(&'v str, &'v Value<'a>)> {
    let mut entries = value.as_object()?.entries();
    entries.next().filter(|_| entries.next().is_none())
}

/// The first of these members that says something is the title of the run.
pub(in crate::format) fn write_title(log: &mut Log<'_>, value: &Value<'_>, keys: &[&str]) {
    let title = keys.iter().filter_map(|key| text(value, key)).find(|title| !title.is_empty());
    title.into_iter().for_each(|title| log.title(title));
}

/// Writes the members of these names to slots of the same names.
pub(in crate::format) fn write_slots(log: &mut Log<'_>, kind: &str, instance: &str, value: &Value<'_>, slots: &[&str]) {
    for slot in slots {
        if let Some(found) = value.get(slot) {
            log.write(kind, instance, &[*slot], Op::Update, found);
        }
    }
}
