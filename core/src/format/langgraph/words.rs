//! What a checkpoint says in a line: which channels were written, with the beginnings of short values.

use crate::format::log::first_text;
use crate::json::{Data, Value};
use crate::text::shorten;

/// Most characters of a value, and of the values of one checkpoint.
const VALUE_CHARS: usize = 160;
const ALL_CHARS: usize = 400;

/// `budget = 2, question = What is it?, plan`: channels with what they hold, where that can be said in few words.
pub(super) fn channel_words<'v>(channels: impl Iterator<Item = (&'v str, Option<&'v Value<'v>>)>) -> String {
    let mut out = String::new();
    for (name, value) in channels {
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(name);
        let left = ALL_CHARS.saturating_sub(out.chars().count()).min(VALUE_CHARS);
        if let Some(words) = value.and_then(words).filter(|words| left > 0 && !words.trim().is_empty()) {
            out.push_str(" = ");
            out.push_str(&shorten(words.trim(), left));
        }
    }
    out
}

/// A text, number or truth value; of messages the last one.
fn words<'v>(value: &'v Value<'v>) -> Option<&'v str> {
    match &value.data {
        Data::String(text) => Some(text),
        Data::Number | Data::Bool(_) => Some(value.text),
        Data::Array(items) => items.last().filter(|last| is_message(last)).and_then(message_text),
        _ => None,
    }
}

/// Whether a value is a message, and not a document that has content too.
fn is_message(value: &Value<'_>) -> bool {
    value.get("kwargs").is_some() || value.get("$class").is_some() || first_text(value, &["type", "role"]).is_some()
}

/// The text of a message, as it is stored or as LangChain writes its constructor.
fn message_text<'v>(message: &'v Value<'v>) -> Option<&'v str> {
    let of = |value: &'v Value<'v>| value.get("content").and_then(Value::as_str);
    of(message).or_else(|| of(message.get("kwargs")?))
}
