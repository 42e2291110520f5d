//! D17: the calls of a message, wherever they are in it.

use super::call::{self, FunctionCall, LISTS};
use super::entry::Call;
use super::message::{Message, says_calls};
use super::reading::Way;
use super::{blocks, text};
use crate::json::{self, Value};
use crate::model::StepRole;
use std::borrow::Cow;

/// The calls of a message. One that is written in two spellings counts once.
#[derive(Debug)]
pub(crate) enum CallSource<'a> {
    /// Among the parts of its content, and beside it.
    Json(Vec<FunctionCall<'a>>),
    /// The text of a `function_call` turn: JSON of a call or of a list of calls; then those beside it.
    Turn(Vec<FunctionCall<'a>>),
    /// The name in the first `<function=NAME>` of an agent's text.
    Text(Cow<'a, str>),
    /// None.
    Nothing,
}

impl<'a> CallSource<'a> {
    /// D17: reads the calls of a message: of the protocol's own data to the letter, of other formats in all spellings.
    pub(crate) fn of(value: &'a Value<'a>, message: &Message<'a>) -> Self {
        match message.way {
            Way::Protocol => Self::of_protocol(value, message),
            Way::Formats | Way::Written => Self::of_formats(value, message),
        }
    }

    /// D17: `tool_calls`, else `function_call`, else the text of a `function_call` turn, else a call written in text.
    fn of_protocol(value: &'a Value<'a>, message: &Message<'a>) -> Self {
        let listed = value.get("tool_calls").and_then(Value::as_array).unwrap_or_default().iter();
        let listed: Vec<_> = listed.filter_map(|one| named_call(one, true)).collect();
        if !listed.is_empty() {
            return Self::Json(listed);
        }
        if let Some(single) = value.get("function_call").and_then(|one| named_call(one, false)) {
            return Self::Json(vec![single]);
        }
        let is_turn = message.speaker.eq_ignore_ascii_case("function_call");
        let turn = message.text.as_deref().filter(|_| is_turn).map(named_calls).unwrap_or_default();
        if turn.is_empty() { Self::in_text(message) } else { Self::Turn(turn) }
    }

    fn of_formats(value: &'a Value<'a>, message: &Message<'a>) -> Self {
        let is_call_turn = says_calls(message.speaker);
        let mut calls = match message.text.as_deref().filter(|_| is_call_turn) {
            Some(text) => call::each_in(text).into_iter().flatten().collect(),
            // The call itself may be there, as JSON that is not in a string.
            None if is_call_turn => {
                let written = message.text_key.and_then(|key| value.get(key));
                written.map(|written| call::each(written).into_iter().flatten().collect()).unwrap_or_default()
            }
            None => Vec::new(),
        };
        if let Some(text) = message.text.as_deref().filter(|_| is_call_turn && calls.is_empty()) {
            calls = call::written(text);
            if calls.is_empty() {
                calls = call::printed(text);
            }
        }
        let is_turn = !calls.is_empty();
        if !is_turn {
            calls = blocks::calls(value);
        }
        if let Some(beside) = beside(value) {
            let known = calls.len();
            let is_new = |call: &FunctionCall<'_>, known: &[FunctionCall<'_>]| !known.iter().any(|k| k.is_same(call));
            for call in beside {
                if is_new(&call, &calls[..known]) {
                    calls.push(call);
                }
            }
        }
        match (calls.is_empty(), is_turn) {
            // Who speaks as a call means one; in other turns such a text is text.
            (true, _) if message.way == Way::Written || is_call_turn => Self::in_text(message),
            (true, _) => Self::Nothing,
            (false, true) => Self::Turn(calls),
            (false, false) => Self::Json(calls),
        }
    }

    /// D17: the call that an agent writes in its text.
    pub(super) fn in_text(message: &Message<'a>) -> Self {
        match message.text.as_deref().filter(|_| message.role == StepRole::Agent).and_then(text::function_name) {
            Some(name) => Self::Text(name.to_owned().into()),
            None => Self::Nothing,
        }
    }

    /// The calls that are JSON, in order.
    pub(crate) fn into_calls(self) -> Vec<FunctionCall<'a>> {
        match self {
            Self::Json(calls) | Self::Turn(calls) => calls,
            Self::Text(_) | Self::Nothing => Vec::new(),
        }
    }
}

/// D17: the call that a value is, or JSON of one in a string, by the `name` in its `function` where that may be, else
/// by its own.
fn named_call<'a>(value: &'a Value<'a>, may_be_inside: bool) -> Option<FunctionCall<'a>> {
    if let Some(text) = value.as_str() {
        let inner = json::parse_lenient(text).ok().filter(|inner| inner.as_object().is_some())?;
        return named_call(&inner, may_be_inside).map(FunctionCall::into_owned);
    }
    let name = |value: &'a Value<'a>| value.get("name").and_then(Value::as_str);
    let inside = value.get("function").filter(|_| may_be_inside).and_then(name);
    let name = inside.or_else(|| name(value))?;
    Some(FunctionCall { name: name.into(), ..call::call(value)? })
}

/// The calls of a JSON text: an object with a `name`, or those in a list.
fn named_calls(text: &str) -> Vec<FunctionCall<'static>> {
    let Ok(value) = json::parse_lenient(text) else { return Vec::new() };
    let items = value.as_array().unwrap_or(std::slice::from_ref(&value));
    items.iter().filter_map(|item| named_call(item, false).map(FunctionCall::into_owned)).collect()
}

/// The calls that a message lists beside its content.
fn beside<'a>(value: &'a Value<'a>) -> Option<Vec<FunctionCall<'a>>> {
    let lists = LISTS.iter().filter_map(|key| value.get(key));
    lists.map(|list| call::each(list).into_iter().flatten().collect::<Vec<_>>()).find(|calls| !calls.is_empty())
}

/// D17: the calls of a message as the model has them.
pub(in crate::rules) fn calls<'a>(value: &'a Value<'a>, message: &Message<'a>) -> Vec<Call<'a>> {
    let call = |tool, id| Call { tool, id, arguments: None, code: None };
    match CallSource::of(value, message) {
        CallSource::Text(name) => vec![call(name, None)],
        source => source.into_calls().into_iter().map(|one| call(one.name, one.id)).collect(),
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
            (r#"{"role":"assistant","tool_calls":[{"toolName":"f"}]}"#, vec![]),
            (r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}"#, vec![]),
            (r#"{"from":"function_call","value":"{\"name\":\"f\"}","tool_calls":[{"name":"g"}]}"#, vec!["g -"]),
            (r#"{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}"#, vec!["f -"]),
            (r#"{"role":"assistant","function_call":"{\"name\":\"f\"}"}"#, vec!["f -"]),
            (r#"{"role":"assistant","function_call":"f"}"#, vec![]),
            (r#"{"role":"assistant","function_call":{"name":"f","function":{"name":"g"}}}"#, vec!["f -"]),
            (r#"{"role":"assistant","tool_calls":[{"function":{"tool":"f"},"name":"g"}]}"#, vec!["g -"]),
            (r#"{"from":"function_call","value":"{\"name\":\"f\",\"function\":{\"name\":\"g\"}}"}"#, vec!["f -"]),
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
