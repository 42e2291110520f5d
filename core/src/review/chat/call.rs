//! A call as an export and a template have it.

use super::message_text::{Id, Member};
use crate::json::{self, Data, Value};
use crate::rules::digest;
use crate::rules::trajectory::call;

/// How often arguments may be encoded as JSON.
const ENCODED_MAX: usize = 4;

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: Option<Id>,
    pub(super) name: String,
    /// JSON as written: an object, or a string that should hold one.
    pub(super) arguments: String,
    /// What else it has.
    pub(super) others: Vec<Member>,
    /// The names of its members in the order in which they are written, and those of its function; none where it is
    /// written otherwise than interfaces have it.
    pub(super) order: [Vec<Box<str>>; 2],
}

/// The calls of a list, of one call, or of JSON of either in a string; None if one of them cannot be read.
pub(super) fn all(value: &Value<'_>) -> Option<Vec<Call>> {
    match &value.data {
        Data::String(text) => match &json::parse_lenient(text).ok()? {
            Value { data: Data::Array(items), .. } => items.iter().map(one).collect(),
            single => Some(vec![one(single)?]),
        },
        Data::Array(items) => items.iter().map(one).collect(),
        _ => Some(vec![one(value)?]),
    }
}

/// The calls that are written in a text as `<function=NAME>`.
pub(super) fn written(text: &str) -> Vec<Call> {
    from_text(call::written(text))
}

/// The calls of a text that is nothing else, in tags as Hermes has them, or as Python prints them.
pub(super) fn printed(text: &str) -> Vec<Call> {
    from_text(call::printed(text))
}

fn from_text(calls: Vec<call::FunctionCall<'static>>) -> Vec<Call> {
    let call = |call: call::FunctionCall<'_>| Call {
        id: call.id.as_deref().map(Id::recorded),
        name: call.name.into_owned(),
        arguments: call.source.map_or_else(|| "{}".to_owned(), std::borrow::Cow::into_owned),
        others: Vec::new(),
        order: Default::default(),
    };
    calls.into_iter().map(call).collect()
}

fn one(value: &Value<'_>) -> Option<Call> {
    let read = call::call(value)?;
    let source = read.source.as_deref().and_then(|text| json::parse_lenient(text).ok());
    Some(Call {
        id: read.id.as_deref().map(Id::recorded),
        name: read.name.into_owned(),
        arguments: source.as_ref().map_or_else(|| "{}".to_owned(), json::compact),
        others: call::others(value),
        order: value.get("function").map(|function| [names(value), names(function)]).unwrap_or_default(),
    })
}

fn names(value: &Value<'_>) -> Vec<Box<str>> {
    value.as_object().into_iter().flat_map(|object| object.entries()).map(|(name, _)| name.into()).collect()
}

impl Call {
    /// D17: whether another spelling is of the same call: its id, else its name and arguments.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(id), Some(other)) if !id.is_generated && !other.is_generated => id == other,
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

    /// The arguments as an object, also where they are encoded more than once; None where they are not.
    pub(super) fn arguments_object(&self) -> Option<String> {
        let mut text = self.arguments.clone();
        for _ in 0..ENCODED_MAX {
            let value = json::parse_lenient(&text).ok()?;
            match &value.data {
                Data::Object(_) => return Some(json::compact(&value)),
                Data::String(inner) => {
                    let inner = inner.to_string();
                    text = inner;
                }
                _ => return None,
            }
        }
        None
    }

    /// The arguments as text.
    pub(super) fn arguments_text(&self) -> String {
        let parsed = json::parse_lenient(&self.arguments).ok();
        parsed.as_ref().and_then(Value::as_str).map_or_else(|| self.arguments.clone(), str::to_owned)
    }
}
