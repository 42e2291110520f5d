//! Calls on one line, as one would write them: the tool's name, then what it is called with.

use crate::json::Value;
use crate::rules::trajectory::{
    Call, CallSource, FunctionCall, Message, call_line, call_line_of, call_line_of_texts, text,
};

/// A call of an item or a turn.
pub(super) fn call(call: &Call<'_>) -> String {
    match call.code {
        Some(code) => code.to_owned(),
        None => call_line(&call.tool, call.arguments),
    }
}

/// D17: the calls of a message.
pub(super) fn calls<'a>(value: &'a Value<'a>, message: &Message<'a>) -> Vec<String> {
    match CallSource::of(value, message) {
        CallSource::Text(_) => message.text.as_deref().and_then(marked_up).into_iter().collect(),
        source => source.into_calls().iter().map(function).collect(),
    }
}

/// A function with its arguments: JSON, or other text.
fn function(call: &FunctionCall<'_>) -> String {
    match call.arguments.as_deref() {
        Some(arguments) => call_line_of(&call.name, arguments),
        None => call.name.clone().into_owned(),
    }
}

/// D17: the first `<function=NAME>` of a text with what is in its `<parameter=KEY>`, else with what is in it.
fn marked_up(message: &str) -> Option<String> {
    let name = text::function_name(message)?;
    let start = text::before_call(message).len();
    let body = message[start..].split_once('>')?.1;
    let body = body.split_once("</function>").map_or(body, |(inside, _)| inside);
    let parameters: Vec<(&str, &str)> = body
        .split("<parameter=")
        .skip(1)
        .filter_map(|part| part.split_once('>'))
        .map(|(key, rest)| (key, rest.split_once("</parameter>").map_or(rest, |(value, _)| value)))
        .collect();
    Some(match parameters[..] {
        [] => call_line_of_texts(name, &[("", body)]),
        _ => call_line_of_texts(name, &parameters),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, quote};

    fn of(message: &str) -> Vec<String> {
        let value = json::parse(message).unwrap();
        calls(&value, &Message::of(&value))
    }

    #[test]
    fn calls_in_a_text_read_as_one_would_write_them() {
        let calls_of = |text: &str| of(&format!("{{\"from\":\"gpt\",\"value\":{}}}", quote(text))).join("; ");
        for (text, expected) in [
            (
                "I look.\n<function=browser>\n<parameter=code>\nclick(bid=\"1\")\n</parameter>\n</function>",
                "browser click(bid=\"1\")",
            ),
            (
                "<function=editor>\n<parameter=command>view</parameter>\n<parameter=path>/a/b.py</parameter>\n<parameter=range>[1, 5]</parameter>\n</function>",
                "editor view /a/b.py range=\"[1, 5]\"",
            ),
            ("<function=bash>\n<parameter=command>ls \\\n  -la\n</parameter>", "bash ls \\ -la"),
            ("<function=finish></function>", "finish"),
            ("<function=submit>done</function> and more", "submit done"),
            ("no call", ""),
            ("<function=", ""),
            ("<function=x><parameter=a", "x <parameter=a"),
        ] {
            assert_eq!(calls_of(text), expected, "{text}");
        }
    }

    #[test]
    fn listed_calls_read_as_one_would_write_them() {
        let listed = |arguments: &str| {
            of(&format!(
                "{{\"role\":\"assistant\",\"content\":\"<function=no>\",\"tool_calls\":[{{\"function\":{{\"name\":\"edit\",\"arguments\":{arguments}}}}}]}}"
            ))
        };
        for (arguments, expected) in [
            (
                r#""{\"command\":\"view\",\"path\":\"/a\",\"old\":\"x\\ny\",\"lines\":[1,2]}""#,
                r#"edit view /a old="x\ny" lines=[1,2]"#,
            ),
            (r#"{"path":"/a","x":1.50}"#, "edit /a x=1.50"),
            (r#"{"origin":"JFK","destination":"SEA"}"#, "edit origin=JFK destination=SEA"),
            (r#""{\"command\": \"cut""#, r#"edit {"command": "cut"#),
            ("null", "edit"),
            (r#""{}""#, "edit"),
        ] {
            assert_eq!(listed(arguments), [expected], "{arguments}");
        }
        for message in [
            r#"{"role":"assistant","function_call":{"name":"go","arguments":"{\"to\":\"x\"}"}}"#,
            r#"{"role":"assistant","tool_calls":[{"name":"go","arguments":{"to":"x"}}]}"#,
            r#"{"from":"function_call","value":"{\"name\":\"go\",\"arguments\":{\"to\":\"x\"}}"}"#,
        ] {
            assert_eq!(of(message), ["go x"], "{message}");
        }
        let long = listed(&format!("{{\"a\":{}}}", quote(&"é".repeat(500))));
        assert_eq!(long[0].chars().count(), 5 + 160 + 1);
    }
}
