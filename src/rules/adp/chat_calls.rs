//! D17: the calls of a message, in each of their spellings.

use super::chat::Message;
use super::entry::Call;
use super::reading::Way;
use super::{blocks, text};
use crate::json::{self, Data, Value};
use crate::model::Role;
use std::borrow::Cow;

/// The speaker of a turn whose text is a call.
const CALL_SPEAKER: &str = "function_call";

/// Where the calls of a message are spelled. The first spelling that has a call counts, so that a call that is written
/// in two spellings counts once.
#[derive(Debug)]
pub(crate) enum CallSource<'a> {
    /// `tool_calls[]`: the elements that are calls, each with its place in the array.
    Listed(Vec<(usize, FunctionCall<'a>)>),
    /// `function_call`.
    Single(FunctionCall<'a>),
    /// The text of a `function_call` turn: JSON of a call or of a list of calls.
    Turn(Vec<FunctionCall<'a>>),
    /// The name in the first `<function=NAME>` of an agent's text.
    Text(Cow<'a, str>),
    /// Parts of the content (`FORMATS.md` 8).
    Parts(Vec<FunctionCall<'a>>),
    /// None.
    Nothing,
}

/// A call as JSON: the object itself, or one that was read from a string.
#[derive(Debug)]
pub(crate) struct FunctionCall<'a> {
    /// Its name.
    pub(crate) name: Cow<'a, str>,
    /// The id by which answers refer to it.
    pub(crate) id: Option<Cow<'a, str>>,
    /// Its arguments, as JSON text.
    pub(crate) arguments: Option<Cow<'a, str>>,
}

impl<'a> CallSource<'a> {
    /// D17: reads the calls of a message.
    pub(crate) fn of(value: &'a Value<'a>, message: &Message<'a>) -> Self {
        let listed = value.get("tool_calls").and_then(Value::as_array).unwrap_or_default().iter();
        let listed: Vec<_> = listed.enumerate().filter_map(|(i, call)| Some((i, listed_call(call)?))).collect();
        if !listed.is_empty() {
            return Self::Listed(listed);
        }
        if let Some(single) = value.get("function_call").and_then(|call| from_json(call, named_call)) {
            return Self::Single(single);
        }
        let text = message.text.as_deref();
        if message.speaker.eq_ignore_ascii_case(CALL_SPEAKER) {
            let turn = text.map(calls_in_json).unwrap_or_default();
            if !turn.is_empty() {
                return Self::Turn(turn);
            }
        }
        if message.way == Way::Formats {
            let parts = blocks::calls(value);
            return if parts.is_empty() { Self::Nothing } else { Self::Parts(parts) };
        }
        Self::in_text(message)
    }

    /// D17: the call that an agent writes in its text.
    pub(super) fn in_text(message: &Message<'a>) -> Self {
        match message.text.as_deref().filter(|_| message.role == Role::Agent).and_then(text::function_name) {
            Some(name) => Self::Text(name.to_owned().into()),
            None => Self::Nothing,
        }
    }

    /// The calls that are JSON, in order.
    pub(super) fn into_calls(self) -> Vec<FunctionCall<'a>> {
        match self {
            Self::Listed(calls) => calls.into_iter().map(|(_, call)| call).collect(),
            Self::Single(call) => vec![call],
            Self::Turn(calls) | Self::Parts(calls) => calls,
            Self::Text(_) | Self::Nothing => Vec::new(),
        }
    }

    /// The same, borrowed.
    pub(crate) fn json_calls(&self) -> impl Iterator<Item = &FunctionCall<'a>> {
        let (listed, others): (&[(usize, FunctionCall<'a>)], &[FunctionCall<'a>]) = match self {
            Self::Listed(calls) => (calls, &[]),
            Self::Single(call) => (&[], std::slice::from_ref(call)),
            Self::Turn(calls) | Self::Parts(calls) => (&[], calls),
            Self::Text(_) | Self::Nothing => (&[], &[]),
        };
        listed.iter().map(|(_, call)| call).chain(others)
    }
}

/// D17: the calls of a message as the model has them.
pub(super) fn calls<'a>(value: &'a Value<'a>, message: &Message<'a>) -> Vec<Call<'a>> {
    let call = |tool, id| Call { tool, id, arguments: None, code: None };
    let function = |function: FunctionCall<'a>| call(function.name, function.id);
    match CallSource::of(value, message) {
        CallSource::Listed(calls) => calls.into_iter().map(|(_, one)| function(one)).collect(),
        CallSource::Single(one) => vec![function(one)],
        CallSource::Turn(calls) | CallSource::Parts(calls) => calls.into_iter().map(function).collect(),
        CallSource::Text(name) => vec![call(name, None)],
        CallSource::Nothing => Vec::new(),
    }
}

/// An element of `tool_calls`: `function.name`, else `name`.
fn listed_call<'a>(element: &'a Value<'a>) -> Option<FunctionCall<'a>> {
    from_json(element, |value| match value.get("function").and_then(named_call) {
        Some(call) => Some(FunctionCall { id: id(value).or(call.id), ..call }),
        None => named_call(value),
    })
}

/// An object with a `name`.
fn named_call<'a>(value: &'a Value<'a>) -> Option<FunctionCall<'a>> {
    let name = value.get("name")?.as_str()?;
    let arguments = value.get("arguments").filter(|arguments| !arguments.is_null());
    Some(FunctionCall {
        name: name.into(),
        id: id(value),
        arguments: arguments.map(|arguments| Cow::Borrowed(arguments.as_str().unwrap_or(arguments.text))),
    })
}

/// A part of a content that is a call: an object with a `name`, or with one in its `value`.
pub(super) fn block_call<'a>(part: &'a Value<'a>) -> Option<FunctionCall<'a>> {
    if let Some(inner) = part.get("value") {
        return from_json(inner, named_call);
    }
    let name = part.get("name")?.as_str()?;
    let arguments =
        ["input", "arguments", "args"].iter().find_map(|key| part.get(key)).filter(|given| !given.is_null());
    let arguments = arguments.map(|given| Cow::Borrowed(given.as_str().unwrap_or(given.text)));
    Some(FunctionCall { name: name.into(), id: id(part), arguments })
}

fn id<'a>(value: &'a Value<'a>) -> Option<Cow<'a, str>> {
    value.get("id").and_then(Value::as_str).map(Cow::Borrowed)
}

/// Reads a value, or the JSON in it if it is a string.
fn from_json<'a>(
    value: &'a Value<'a>,
    read: impl for<'v> Fn(&'v Value<'v>) -> Option<FunctionCall<'v>>,
) -> Option<FunctionCall<'a>> {
    match value.as_str() {
        Some(text) => read(&json::parse(text).ok()?).map(FunctionCall::into_owned),
        None => read(value),
    }
}

/// The calls of a JSON text: an object with a `name`, or a list of such objects.
fn calls_in_json(text: &str) -> Vec<FunctionCall<'static>> {
    let Ok(value) = json::parse(text) else { return Vec::new() };
    let calls = match &value.data {
        Data::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(&value),
    };
    calls.iter().filter_map(named_call).map(FunctionCall::into_owned).collect()
}

impl FunctionCall<'_> {
    fn into_owned(self) -> FunctionCall<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        FunctionCall { name: owned(self.name), id: self.id.map(owned), arguments: self.arguments.map(owned) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and ids of the calls of a message.
    fn of(message: &str) -> Vec<String> {
        let value = json::parse(message).unwrap();
        let calls = calls(&value, &Message::of(&value));
        calls.iter().map(|call| format!("{} {}", call.tool, call.id.as_deref().unwrap_or("-"))).collect()
    }

    #[test]
    fn d17_calls_are_read_in_every_spelling() {
        for (message, expected) in [
            (r#"{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f"}}]}"#, vec!["f 1"]),
            (r#"{"role":"assistant","tool_calls":[{"id":"1","name":"f","arguments":{}}]}"#, vec!["f 1"]),
            (r#"{"role":"assistant","tool_calls":[{"function":{"name":"f"},"name":"g"}]}"#, vec!["f -"]),
            (r#"{"role":"assistant","tool_calls":[{"function":{"x":1},"name":"g"}]}"#, vec!["g -"]),
            (r#"{"role":"assistant","tool_calls":["{\"id\":\"1\",\"name\":\"f\"}","no","7"]}"#, vec!["f 1"]),
            (
                r#"{"role":"assistant","tool_calls":["{\"function\":{\"name\":\"f\"}}",{"name":"g"}]}"#,
                vec!["f -", "g -"],
            ),
            (r#"{"role":"assistant","tool_calls":[{"name":7},{},null]}"#, vec![]),
            (r#"{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}"#, vec!["f -"]),
            (r#"{"role":"assistant","function_call":"{\"name\":\"f\"}"}"#, vec!["f -"]),
            (r#"{"role":"assistant","function_call":"f"}"#, vec![]),
            (r#"{"from":"function_call","value":"{\"name\":\"f\"}"}"#, vec!["f -"]),
            (r#"{"from":"Function_Call","value":"[{\"name\":\"f\"},{\"name\":\"g\"}]"}"#, vec!["f -", "g -"]),
            (r#"{"from":"function_call","value":"{\"x\":1} <function=f>"}"#, vec!["f -"]),
            (r#"{"from":"function_call","value":"f(1)"}"#, vec![]),
            (r#"{"from":"gpt","value":"{\"name\":\"f\"}"}"#, vec![]),
            (r#"{"from":"gpt","value":"so <function=f>"}"#, vec!["f -"]),
            (r#"{"from":"human","value":"so <function=f>"}"#, vec![]),
        ] {
            assert_eq!(of(message), expected, "{message}");
        }
    }

    #[test]
    fn d17_a_call_in_two_spellings_counts_once() {
        for message in [
            r#"{"role":"assistant","tool_calls":[{"function":{"name":"f"}}],"function_call":{"name":"f"}}"#,
            r#"{"role":"assistant","tool_calls":[{"name":"f"}],"content":"<function=f></function>"}"#,
            r#"{"from":"function_call","value":"{\"name\":\"f\"}","tool_calls":[{"name":"f"}]}"#,
            r#"{"from":"function_call","value":"{\"name\":\"f\",\"arguments\":\"<function=g>\"}"}"#,
            r#"{"role":"assistant","function_call":{"name":"f"},"content":"<function=f>"}"#,
        ] {
            assert_eq!(of(message), ["f -"], "{message}");
        }
    }
}
