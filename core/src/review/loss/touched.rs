//! Finds where a message is in the rendered text: its fields are changed, and the part of the text that differs is the
//! message.

use super::super::conversation::Conversation;
use super::super::template::Template;
use minijinja::value::{Value, ValueKind};
use std::ops::Range;

/// The text that is inserted into a message.
const CHANGE: &str = "Qx7";

/// The part of the text that changes when the thoughts, content and calls of a message do, at their beginning and end.
/// None where nothing does, or the template does not take the change.
pub(super) fn touched(
    conversation: &Conversation,
    template: &Template,
    message: usize,
    text: &str,
) -> Option<Range<usize>> {
    let changed = changed(&conversation.messages[message].value)?;
    let other = template.render_changed(conversation, message, &changed).ok()?.text;
    let alike = text.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let start: usize = alike.map(|(a, _)| a.len_utf8()).sum();
    let (rest, other) = (&text[start..], &other[start..]);
    let alike = rest.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    let end = text.len() - alike.map(|(a, _)| a.len_utf8()).sum::<usize>();
    // Arguments are changed before their last sign.
    let end = end + usize::from(text[end..].starts_with('}'));
    (start < end).then_some(start..end)
}

/// Whether a message has calls.
pub(super) fn has_calls(message: &Value) -> bool {
    message.get_attr("tool_calls").is_ok_and(|calls| calls.is_true())
}

fn changed(message: &Value) -> Option<Value> {
    with(message, |name, value| match name {
        "content" | "reasoning_content" => match value.as_str().map(str::trim) {
            Some(text) if !text.is_empty() => Some(Value::from(format!("{CHANGE}{text}{CHANGE}"))),
            // A message without content begins where its content would be.
            _ if name == "content" && (value.is_none() || value.as_str().is_some()) => Some(Value::from(CHANGE)),
            _ => None,
        },
        "tool_calls" => value.try_iter().ok()?.map(|call| with(&call, of_call)).collect::<Option<Value>>(),
        _ => None,
    })
}

fn of_call(name: &str, value: &Value) -> Option<Value> {
    if name != "function" {
        return None;
    }
    with(value, |name, value| match (name, value.as_str()) {
        ("name", Some(text)) => Some(Value::from(format!("{CHANGE}{text}"))),
        ("arguments", Some(text)) => {
            let inner = text.trim_end().strip_suffix('}')?;
            let comma = if inner.trim_end().ends_with('{') { "" } else { ", " };
            Some(Value::from(format!("{inner}{comma}\"{CHANGE}\": 7}}")))
        }
        ("arguments", None) => {
            let pairs = pairs(value)?;
            let change = (Value::from(CHANGE), Value::from(7));
            Some(Value::from_pairs(pairs.into_iter().chain([change])))
        }
        _ => None,
    })
}

/// A mapping with other values where `change` has one; None if it is not one.
fn with(value: &Value, change: impl Fn(&str, &Value) -> Option<Value>) -> Option<Value> {
    let pairs = pairs(value)?.into_iter().map(|(key, value)| {
        let changed = key.as_str().and_then(|name| change(name, &value));
        (key, changed.unwrap_or(value))
    });
    Some(Value::from_pairs(pairs))
}

fn pairs(value: &Value) -> Option<Vec<(Value, Value)>> {
    if value.kind() != ValueKind::Map {
        return None;
    }
    value.try_iter().ok()?.map(|key| Some((key.clone(), value.get_item(&key).ok()?))).collect()
}
