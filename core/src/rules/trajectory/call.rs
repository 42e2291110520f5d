//! A call in all its spellings: as OpenAI lists it, flat, as a part of a content, as an item, as JSON in a string.

use super::literal;
use crate::json::{self, Data, Value};
use crate::model::ToolCall;
use crate::rules::digest;
use std::borrow::Cow;

/// Where a message lists its calls; the first that has one counts.
pub(crate) const LISTS: [&str; 3] = ["tool_calls", "toolCalls", "function_call"];
/// Where calls have their names, arguments and ids; the first that is there counts.
const NAMES: [&str; 6] = ["name", "function_name", "tool_name", "toolName", "tool", "function"];
const ARGUMENTS: [&str; 7] = ["arguments", "input", "args", "kwargs", "tool_kwargs", "parameters", "function_args"];
/// Where those of OpenAI's tools have what is to be done.
const HOSTED_ARGUMENTS: [&str; 4] = ["action", "operation", "queries", "code"];
const IDS: [&str; 7] = ["call_id", "tool_call_id", "toolCallId", "callId", "tool_use_id", "toolUseId", "id"];
/// What a call is called whose name cannot be read.
const UNNAMED: &str = "?";
/// Members that hold the call itself.
const INNER: [&str; 8] =
    ["function", "custom", "value", "functionCall", "function_call", "toolUse", "tool_call", "toolCall"];

/// A call as JSON: the object itself, or one that was read from a string.
#[derive(Debug, Clone)]
pub(crate) struct FunctionCall<'a> {
    /// Its name.
    pub(crate) name: Cow<'a, str>,
    /// The id by which answers refer to it.
    pub(crate) id: Option<Cow<'a, str>>,
    /// Its arguments as text: what a string says, any other value as JSON.
    pub(crate) arguments: Option<Cow<'a, str>>,
    /// The same as JSON, as it is written.
    pub(crate) source: Option<Cow<'a, str>>,
}

impl FunctionCall<'_> {
    /// The same, borrowed from nothing.
    pub(super) fn into_owned(self) -> FunctionCall<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let (id, arguments, source) = (self.id.map(owned), self.arguments.map(owned), self.source.map(owned));
        FunctionCall { name: owned(self.name), id, arguments, source }
    }

    /// D17: whether another spelling is of the same call: its id, else its name and arguments.
    pub(crate) fn is_same(&self, other: &FunctionCall<'_>) -> bool {
        match (&self.id, &other.id) {
            (Some(id), Some(other)) => id == other,
            _ => self.name == other.name && self.digest() == other.digest(),
        }
    }

    /// Equal for arguments that are equal as JSON.
    fn digest(&self) -> u128 {
        let text = self.arguments.as_deref().unwrap_or("{}");
        match json::parse_lenient(text) {
            Ok(value) => digest::of(&value),
            Err(_) => digest::of_text("arguments", text),
        }
    }
}

impl<'a> From<FunctionCall<'a>> for ToolCall<'a> {
    fn from(call: FunctionCall<'a>) -> Self {
        Self { id: call.id, name: call.name, arguments: call.arguments.unwrap_or(Cow::Borrowed("{}")) }
    }
}

/// The call that a value is, or JSON of one in a string; None: it is not one.
pub(crate) fn call<'a>(value: &'a Value<'a>) -> Option<FunctionCall<'a>> {
    match value.as_str() {
        Some(text) => object(&json::parse_lenient(text).ok()?).map(FunctionCall::into_owned),
        None => object(value),
    }
}

/// Each element of a list of calls, of one call, or of JSON of either in a string; None for one that is no call.
pub(crate) fn each<'a>(value: &'a Value<'a>) -> Vec<Option<FunctionCall<'a>>> {
    match &value.data {
        Data::Null => Vec::new(),
        Data::Array(items) => items.iter().map(call).collect(),
        Data::String(text) => each_in(text),
        _ => vec![object(value)],
    }
}

/// The same of a JSON text.
pub(crate) fn each_in(text: &str) -> Vec<Option<FunctionCall<'static>>> {
    let Ok(value) = json::parse_lenient(text) else { return vec![None] };
    let items = match &value.data {
        Data::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(&value),
    };
    items.iter().map(|item| call(item).map(FunctionCall::into_owned)).collect()
}

/// The calls that are written in a text as `<function=NAME>`.
pub(crate) fn written(text: &str) -> Vec<FunctionCall<'static>> {
    let calls = super::text::written_calls(text).into_iter().map(|(name, arguments)| FunctionCall {
        name: Cow::Owned(name.to_owned()),
        id: None,
        source: Some(Cow::Owned(arguments.clone())),
        arguments: Some(Cow::Owned(arguments)),
    });
    calls.collect()
}

/// The calls of a text that is nothing else, in tags as Hermes has them, or as Python prints them.
pub(crate) fn printed(text: &str) -> Vec<FunctionCall<'static>> {
    let tagged = text.split("<tool_call>").skip(1).map(|rest| rest.split("</tool_call>").next().unwrap_or(rest));
    let tagged: Vec<&str> = tagged.collect();
    let all = if tagged.is_empty() { vec![text] } else { tagged };
    let read = |text: &str| {
        let as_json: Vec<_> = each_in(text).into_iter().flatten().collect();
        match literal::to_json(text).filter(|_| as_json.is_empty()) {
            Some(printed) => each_in(&printed).into_iter().flatten().collect(),
            None => as_json,
        }
    };
    all.into_iter().flat_map(read).collect()
}

fn object<'a>(value: &'a Value<'a>) -> Option<FunctionCall<'a>> {
    value.as_object()?;
    let inner = INNER.iter().find_map(|key| call(value.get(key)?));
    let found = inner.or_else(|| flat(value))?;
    Some(FunctionCall { id: text_at(value, &IDS).map(Cow::Borrowed).or(found.id), ..found })
}

/// An object with a name of its own, or with the type of one of OpenAI's tools (`web_search_call`).
fn flat<'a>(value: &'a Value<'a>) -> Option<FunctionCall<'a>> {
    Some(named(value, name(value).or_else(|| hosted(value))?))
}

/// The tool of a call that has no name besides its type.
fn hosted<'a>(value: &'a Value<'a>) -> Option<&'a str> {
    let tool = value.get("type")?.as_str()?.strip_suffix("_call")?;
    (!matches!(tool, "tool" | "function" | "custom_tool" | "mcp")).then_some(tool)
}

fn named<'a>(value: &'a Value<'a>, name: &'a str) -> FunctionCall<'a> {
    let member = |key: &&str| value.get(key).filter(|given| !given.is_null());
    let hosted = || hosted(value).and_then(|_| HOSTED_ARGUMENTS.iter().find_map(member));
    let given = ARGUMENTS.iter().find_map(member).or_else(hosted);
    FunctionCall {
        name: name.into(),
        id: text_at(value, &IDS).map(Cow::Borrowed),
        arguments: given.map(|given| Cow::Borrowed(given.as_str().unwrap_or(given.text))),
        source: given.map(|given| Cow::Borrowed(given.text)),
    }
}

/// The call that a value must be, whatever it lacks.
pub(crate) fn call_or_unnamed<'a>(value: &'a Value<'a>) -> FunctionCall<'a> {
    call(value).unwrap_or_else(|| named(value, UNNAMED))
}

/// The name of a call, or of the tool that a result is of.
pub(crate) fn name<'a>(value: &'a Value<'a>) -> Option<&'a str> {
    text_at(value, &NAMES)
}

fn text_at<'a>(value: &'a Value<'a>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| value.get(key)?.as_str())
}

/// Where the arguments of a call are, by their pointer below it; None: they are in a string, or there are none.
pub(crate) fn arguments_at<'a>(value: &'a Value<'a>) -> Option<(String, &'a Value<'a>)> {
    let inner = INNER.iter().find_map(|key| Some((key, value.get(key).filter(|inner| call(inner).is_some())?)));
    match inner {
        Some((key, inner)) => arguments_at(inner).map(|(rest, found)| (format!("/{key}{rest}"), found)),
        None => ARGUMENTS.iter().find_map(|key| Some((format!("/{key}"), value.get(key)?))),
    }
}

/// What the object of a call has beside it: names, and values as JSON.
pub(crate) fn others(value: &Value<'_>) -> Vec<(String, String)> {
    if let Some(text) = value.as_str() {
        return json::parse_lenient(text).map(|inner| others(&inner)).unwrap_or_default();
    }
    let inner = INNER.iter().find(|key| value.get(key).and_then(call).is_some());
    let mut out = inner.and_then(|key| value.get(key)).map(others).unwrap_or_default();
    let key = |keys: &[&'static str], fits: fn(&Value<'_>) -> bool| {
        keys.iter().copied().find(|key| value.get(key).is_some_and(fits))
    };
    let is_text = |found: &Value<'_>| found.as_str().is_some();
    let (name, arguments) = match inner {
        Some(key) => (Some(*key), None),
        None => (key(&NAMES, is_text), key(&ARGUMENTS, |given| !given.is_null())),
    };
    let used = [Some("type"), key(&IDS, is_text), name, arguments];
    let members = value.as_object().into_iter().flat_map(json::Object::entries);
    let rest = members.filter(|(name, value)| !used.contains(&Some(*name)) && !value.is_null());
    out.extend(rest.map(|(name, value)| (name.to_owned(), json::compact(value))));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_call_is_read_in_every_spelling() {
        let expect = "f|1|{\"a\":2}";
        for text in [
            r#"{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":2}"}}"#,
            r#"{"id":"1","function":{"name":"f","arguments":{"a":2}}}"#,
            r#"{"id":"1","function":"{\"name\":\"f\",\"arguments\":{\"a\":2}}"}"#,
            r#"{"id":"1","name":"f","arguments":{"a":2}}"#,
            r#"{"type":"tool_use","id":"1","name":"f","input":{"a":2}}"#,
            r#"{"type":"tool-call","toolCallId":"1","toolName":"f","input":{"a":2}}"#,
            r#"{"type":"function_call","id":"item","call_id":"1","name":"f","arguments":"{\"a\":2}"}"#,
            r#"{"type":"f_call","call_id":"1","action":{"a":2}}"#,
            r#"{"type":"tool_call","value":"{\"id\":\"1\",\"name\":\"f\",\"arguments\":{\"a\":2}}"}"#,
            r#"{"tool_call_id":"1","function_name":"f","arguments":{"a":2}}"#,
            r#"{"type":"toolRequest","id":"1","toolCall":{"status":"ok","value":{"name":"f","arguments":{"a":2}}}}"#,
            r#"{"id":"1","function":"f","kwargs":{"a":2}}"#,
            r#"{"id":"1","type":"function","function":{"x":1},"name":"f","args":{"a":2}}"#,
            r#""{\"id\":\"1\",\"name\":\"f\",\"arguments\":{\"a\":2}}""#,
        ] {
            let value = parse(text).unwrap();
            let call = call(&value).unwrap();
            let labels =
                [call.name.as_ref(), call.id.as_deref().unwrap_or("-"), call.arguments.as_deref().unwrap_or("-")];
            assert_eq!(labels.join("|"), expect, "{text}");
        }
        for none in ["7", "null", "{}", r#"{"name":7}"#, r#""f""#, r#"{"id":"1"}"#, r#"{"type":"tool_call"}"#] {
            assert!(call(&parse(none).unwrap()).is_none(), "{none}");
        }
    }

    #[test]
    fn what_a_call_has_beside_is_reported() {
        let text =
            r#"{"id":"1","type":"function","index":0,"function":{"name":"f","arguments":"{}","strict":true,"x":null}}"#;
        let pairs = others(&parse(text).unwrap());
        assert_eq!(pairs, [("strict".to_owned(), "true".to_owned()), ("index".to_owned(), "0".to_owned())]);
    }
}
