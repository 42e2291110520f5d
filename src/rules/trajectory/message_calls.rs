//! D17: the calls of a message, wherever they stand in it.

use super::call::{self, FunctionCall, LISTS};
use super::entry::Call;
use super::message::Message;
use super::reading::Way;
use super::{blocks, text};
use crate::json::Value;
use crate::model::Role;
use std::borrow::Cow;

/// The speaker of a turn whose text is a call.
const CALL_SPEAKER: &str = "function_call";

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
    /// D17: reads the calls of a message.
    pub(crate) fn of(value: &'a Value<'a>, message: &Message<'a>) -> Self {
        let is_turn = message.speaker.eq_ignore_ascii_case(CALL_SPEAKER);
        let mut calls = match message.text.as_deref().filter(|_| is_turn) {
            Some(text) => call::each_in(text).into_iter().flatten().collect(),
            None => Vec::new(),
        };
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
            (true, _) if message.way == Way::Formats => Self::Nothing,
            (true, _) => Self::in_text(message),
            (false, true) => Self::Turn(calls),
            (false, false) => Self::Json(calls),
        }
    }

    /// D17: the call that an agent writes in its text.
    pub(super) fn in_text(message: &Message<'a>) -> Self {
        match message.text.as_deref().filter(|_| message.role == Role::Agent).and_then(text::function_name) {
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
    use crate::json;

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
