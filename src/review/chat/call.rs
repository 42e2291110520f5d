//! Calls in all their spellings: as OpenAI lists them, flat, in a part of a content, as JSON in a string.

use super::message_text::{Id, Member, rest};
use crate::json::{self, Data, Value};
use crate::rules::digest;

/// Where calls have their names, arguments and ids; the first that is there counts.
const NAMES: &[&str] = &["name", "function_name", "tool_name", "toolName", "function"];
const ARGUMENTS: &[&str] = &["arguments", "input", "args", "kwargs", "parameters"];
const IDS: &[&str] = &["id", "call_id", "tool_call_id", "toolCallId"];
/// Members that hold the call itself.
const INNER: &[&str] = &["function", "value"];

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: Option<Id>,
    pub(super) name: String,
    /// JSON as written: an object, or a string that should hold one.
    pub(super) arguments: String,
    /// What else it has.
    pub(super) others: Vec<Member>,
}

/// The calls of a list, of one call, or of JSON of either in a string; None if one of them cannot be read.
pub(super) fn all(value: &Value<'_>) -> Option<Vec<Call>> {
    match &value.data {
        Data::String(text) => match &json::parse_lenient(text).ok()? {
            Value { data: Data::Array(items), .. } => items.iter().map(one).collect(),
            single => Some(vec![object(single)?]),
        },
        Data::Array(items) => items.iter().map(one).collect(),
        _ => Some(vec![object(value)?]),
    }
}

/// A call, or JSON of one in a string.
fn one(value: &Value<'_>) -> Option<Call> {
    match value.as_str() {
        Some(text) => object(&json::parse_lenient(text).ok()?),
        None => object(value),
    }
}

fn object(value: &Value<'_>) -> Option<Call> {
    value.as_object()?;
    let id_key = IDS.iter().find(|key| value.get(key).is_some_and(|id| id.as_str().is_some()));
    let id = id_key.and_then(|key| value.get(key)).and_then(Value::as_str).map(Id::own);
    let inner = INNER.iter().find_map(|key| Some((*key, one(value.get(key)?)?)));
    let (mut call, mut used) = match inner {
        Some((key, call)) => (call, vec![key]),
        None => {
            let name_key = NAMES.iter().find(|key| value.get(key).is_some_and(|name| name.as_str().is_some()))?;
            let arguments = ARGUMENTS.iter().find_map(|key| value.get(key).map(|found| (*key, found)));
            let written = arguments.map(|(_, found)| found).filter(|found| !found.is_null());
            let call = Call {
                id: None,
                name: value.get(name_key).and_then(Value::as_str)?.to_owned(),
                arguments: written.map_or_else(|| "{}".to_owned(), json::compact),
                others: Vec::new(),
            };
            (call, [*name_key].into_iter().chain(arguments.map(|(key, _)| key)).collect())
        }
    };
    used.push("type");
    if call.id.is_none() {
        call.id = id;
        used.extend(id_key);
    }
    call.others.extend(rest(value, &used).into_iter().filter(|(_, json)| json != "null"));
    Some(call)
}

impl Call {
    /// D17: whether another spelling is of the same call: its id, else its name and arguments.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(own), Some(other)) if !own.is_made && !other.is_made => own == other,
            _ => self.name == other.name && self.digest() == other.digest(),
        }
    }

    /// Equal for arguments that are equal as JSON.
    fn digest(&self) -> u128 {
        let text = self.arguments_text();
        match json::parse_lenient(&text) {
            Ok(value) => digest::of(&value),
            Err(_) => digest::of_text("arguments", &text),
        }
    }

    /// The arguments as text.
    pub(super) fn arguments_text(&self) -> String {
        let parsed = json::parse_lenient(&self.arguments).ok();
        parsed.as_ref().and_then(Value::as_str).map_or_else(|| self.arguments.clone(), str::to_owned)
    }
}
