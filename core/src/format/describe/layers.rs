//! A record and the objects that it wraps: where unknown logs keep who speaks, what is said, which tool, which fault.

use super::{beginning, role_of, shortened};
use crate::json::{self, Data, Value};
use crate::model::{StepKind, StepRole};
use crate::text::single_line;

/// Members that wrap what a record is about.
const WRAPPERS: [&str; 15] = [
    "message", "payload", "part", "item", "event", "data", "record", "body", "update", "response", "request", "params",
    "delta", "action", "turn",
];

/// Lists of which the last element is what a record is about.
const LISTS: [&str; 4] = ["choices", "messages", "messages_delta", "chat_messages"];

/// Members that say what a record is, the most informative first.
const CLASS_KEYS: [&str; 5] = ["type", "kind", "event_type", "eventType", "event"];

/// Wrapped objects that are looked at, and how deep.
const LAYERS_MAX: usize = 8;

/// Members that hold what a record says, the most informative first.
const TEXT_KEYS: [&str; 15] = [
    "message", "content", "text", "thinking", "thought", "summary", "msg", "body", "value", "prompt", "output",
    "result", "error", "payload", "part",
];

/// Members of an object that a row shows.
const REST_MAX: usize = 12;

/// Members that say what it is about where nothing is said.
const NAME_KEYS: [&str; 3] = ["title", "event", "name"];

/// A record and what it wraps, outermost first.
pub(super) fn of<'v, 'a>(value: &'v Value<'a>) -> Vec<&'v Value<'a>> {
    let mut layers = vec![value];
    let mut at = 0;
    while let Some(layer) = layers.get(at).copied()
        && layers.len() < LAYERS_MAX
    {
        let inner = WRAPPERS.iter().filter_map(|name| layer.get(name));
        let last = LISTS.iter().filter_map(|name| layer.get(name)?.as_array()?.last());
        layers.extend(inner.chain(last).filter(|inner| inner.as_object().is_some()));
        at += 1;
    }
    layers
}

/// Who speaks: by a member that says a role, else by the first word of a type (`user_message`, `agent.step`).
pub(super) fn role(value: &Value<'_>, layers: &[&Value<'_>]) -> (StepRole, Option<String>) {
    let text = |layer: &Value<'_>, name: &str| layer.get(name).and_then(Value::as_str).map(str::to_owned);
    let known = |word: String| Some((role_of(&word)?, word));
    let in_layers = |name: &str| layers.iter().filter_map(|layer| text(layer, name)).find_map(known);
    let author = || layers.iter().filter_map(|layer| text(layer.get("author")?, "role")).find_map(known);
    let whole = in_layers("role")
        .or_else(|| in_layers("from"))
        .or_else(author)
        .or_else(|| in_layers("author"))
        .or_else(|| in_layers("source"));
    if whole.is_none() && is_agent_event(value) {
        return (StepRole::Agent, None);
    }
    if let Some((role, word)) = whole.or_else(|| CLASS_KEYS.iter().find_map(|name| in_layers(name))) {
        return (role, Some(word));
    }
    let first_word = |word: String| {
        let first = word.split(['.', '_', '-']).next().filter(|first| first.len() < word.len())?.to_lowercase();
        // `tool_call` is what the agent does.
        role_of(&first).filter(|role| *role != StepRole::Environment)
    };
    let names = ["source"].into_iter().chain(CLASS_KEYS);
    let by_word =
        names.into_iter().find_map(|name| layers.iter().filter_map(|layer| text(layer, name)).find_map(first_word));
    (by_word.unwrap_or(StepRole::Unknown), text(value, "role"))
}

/// Whether it is an event of `opencode run --format json`: what the agent says and does in a session, part by part.
fn is_agent_event(value: &Value<'_>) -> bool {
    let has_part = value.get("part").is_some_and(|part| part.get("messageID").is_some());
    has_part && ["type", "timestamp", "sessionID"].iter().all(|key| value.get(key).is_some())
}

/// The innermost type that a record says.
pub(super) fn class(layers: &[&Value<'_>]) -> Option<String> {
    let of = |name: &str| layers.iter().rev().find_map(|layer| layer.get(name)?.as_str());
    CLASS_KEYS.iter().find_map(|name| of(name)).map(str::to_owned)
}

/// What an object says that it is.
pub(super) fn class_of<'v>(layer: &'v Value<'_>) -> Option<&'v str> {
    CLASS_KEYS.iter().find_map(|name| layer.get(name)?.as_str())
}

/// What the first layer that says something says.
pub(super) fn layers_text(layers: &[&Value<'_>]) -> Option<String> {
    layers.iter().find_map(|layer| TEXT_KEYS.iter().find_map(|key| layer.get(key).and_then(text_of)))
}

/// A name that a record has where it says nothing.
pub(super) fn name(layers: &[&Value<'_>]) -> Option<String> {
    layers.iter().find_map(|layer| NAME_KEYS.iter().find_map(|key| layer.get(key).and_then(text_of)))
}

/// The tool that a record names.
pub(super) fn tool(layers: &[&Value<'_>], sign: StepKind) -> Option<String> {
    let is_tool = matches!(sign, StepKind::Call | StepKind::Result);
    let named = |layer: &Value<'_>| {
        let text = |name: &str| layer.get(name).and_then(Value::as_str).map(str::to_owned);
        let function = || layer.get("function").and_then(|f| f.get("name")).and_then(Value::as_str).map(str::to_owned);
        let tool_name = text("tool_name").or_else(|| text("toolName")).or_else(|| text("tool")).or_else(function);
        tool_name.or_else(|| text("name").filter(|_| is_tool))
    };
    layers.iter().find_map(|layer| named(layer))
}

/// Whether a record says that something failed.
pub(super) fn is_failed(layer: &Value<'_>) -> bool {
    let is = |name: &str, words: &[&str]| {
        let word = layer.get(name).and_then(Value::as_str).map(str::to_lowercase);
        word.is_some_and(|word| words.contains(&word.as_str()))
    };
    let is_set = |name: &str| layer.get(name).is_some_and(|flag| matches!(flag.data, Data::Bool(true)));
    let has_error = layer.get("error").is_some_and(|error| match &error.data {
        Data::String(text) => !text.trim().is_empty(),
        Data::Object(object) => !object.is_empty(),
        _ => false,
    });
    is("level", &["error", "fatal", "critical"])
        || is("status", &["error", "failed"])
        || is_set("is_error")
        || is_set("isError")
        || has_error
}

/// What a member says: a string, the texts of its parts, or what its own member that says it says. An id says nothing.
pub(super) fn text_of(value: &Value<'_>) -> Option<String> {
    let text = match value.as_array() {
        Some(parts) => {
            let text = |part: &Value<'_>| {
                let part_text = part.as_str().or_else(|| part.get("text").and_then(Value::as_str));
                part_text.map(str::to_owned)
            };
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        None => match value.as_str() {
            Some(text) => text.to_owned(),
            None => ["content", "text", "message"].iter().find_map(|key| {
                let inner = value.get(key)?;
                inner.as_str().map(str::to_owned).or_else(|| inner.as_array().and_then(|_| text_of(inner)))
            })?,
        },
    };
    (!text.trim().is_empty() && !is_id(&text)).then_some(text)
}

/// Whether a text is one word with many digits: an id, a digest, a time.
fn is_id(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_word = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.' | b'+'));
    is_word && text.len() >= 12 && digits >= 6
}

/// Members of a record that is not a message whose text says what it is about; a word alone says so in the first ones
/// only.
const NOTE_KEYS: [&str; 6] = ["message", "text", "content", "errorMessage", "error_message", "detail"];
const SENTENCE_KEYS: [&str; 7] =
    ["summary", "summaryContent", "last_agent_message", "reason", "description", "title", "explanation"];

/// What a record that is not a message says: its words, else its members.
pub(super) fn note(value: &Value<'_>, hidden: &[&str]) -> String {
    if value.as_object().is_none() {
        return value.as_str().map_or_else(|| beginning(value), shortened);
    }
    let error = value.get("error");
    let places = [Some(value), error, error.and_then(|error| error.get("data")), value.get("data")];
    let words = |keys: &[&str]| {
        let found = places.iter().flatten().find_map(|place| keys.iter().find_map(|key| place.get(key)?.as_str()));
        found.filter(|text| !text.trim().is_empty() && !is_id(text))
    };
    let sentence = || words(&SENTENCE_KEYS).filter(|text| text.trim().contains(char::is_whitespace));
    let note = words(&NOTE_KEYS).or_else(|| error?.as_str()).or_else(sentence);
    // What has nothing but ids is named by its type.
    note.map_or_else(|| shortened(&words_of(value, 2, hidden, " · ").unwrap_or_default()), shortened)
}

/// The members of a record that says nothing, without its ids, times and type, as words: `cwd /w · effort high`. None:
/// nothing remains.
fn words_of(value: &Value<'_>, levels: u32, hidden: &[&str], between: &str) -> Option<String> {
    let object = value.as_object()?;
    let words = |(name, value): (&str, &Value<'_>)| {
        let words = match &value.data {
            Data::Bool(true) => return Some(name.to_owned()),
            Data::String(text) if text.trim().is_empty() => return None,
            Data::String(text) => shortened(&single_line(text)),
            Data::Object(_) if levels > 0 => format!("({})", words_of(value, levels - 1, &[], ", ")?),
            Data::Array(items) if items.is_empty() => return None,
            _ => beginning(value),
        };
        Some(format!("{name} {words}"))
    };
    let informative = object.entries().filter(|(name, value)| !is_quiet(name, value) && !hidden.contains(name));
    let members: Vec<String> = informative.filter_map(words).take(REST_MAX).collect();
    (!members.is_empty()).then(|| members.join(between))
}

/// The compact beginning of a record that says nothing, without its ids, times and type: these have columns of their
/// own, or nobody reads them.
pub(super) fn rest(value: &Value<'_>) -> String {
    shortened(&rest_of(value, 2).unwrap_or_else(|| beginning(value)))
}

/// The same down to `levels` levels; None: nothing remains.
fn rest_of(value: &Value<'_>, levels: u32) -> Option<String> {
    let object = value.as_object()?;
    let informative = object.entries().filter(|(name, value)| !is_quiet(name, value)).take(REST_MAX);
    let inner = |value: &Value<'_>| match value.as_object() {
        Some(_) if levels > 0 => rest_of(value, levels - 1),
        _ => Some(beginning(value)),
    };
    let members: Vec<String> =
        informative.filter_map(|(name, value)| Some(format!("{}:{}", json::quote(name), inner(value)?))).collect();
    (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
}

/// Whether a member is an id, a time or a type, or empty.
fn is_quiet(name: &str, value: &Value<'_>) -> bool {
    let name = name.to_lowercase();
    let is_id_name = (name.ends_with("id") && name != "modelid") || name.ends_with("uuid");
    let is_named = name == "type" || is_id_name;
    is_named
        || value.is_null()
        || super::TIME_KEYS.iter().any(|key| key.eq_ignore_ascii_case(&name))
        || value.as_str().is_some_and(is_id)
}
