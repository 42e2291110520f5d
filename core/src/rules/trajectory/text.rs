//! Texts of steps: parts joined, scalars counted, digests, and the patterns of D13.

use crate::json::{self, Data, Value};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// D17, D18: a text given as a string, or as an array of parts whose `text` strings are joined by a newline; some call
/// them `value`.
#[must_use]
pub(crate) fn joined<'a>(value: &'a Value<'a>) -> Option<Cow<'a, str>> {
    match &value.data {
        Data::String(s) => Some(Cow::Borrowed(s)),
        Data::Array(parts) => {
            let is_text = |part: &&Value<'_>| part.get("type").and_then(Value::as_str) == Some("text");
            let value = |part: &'a Value<'a>| {
                let part = Some(part).filter(is_text)?;
                part.get("value").or_else(|| part.get("content"))
            };
            let text = |part: &'a Value<'a>| part.get("text").or_else(|| value(part)).and_then(Value::as_str);
            let texts: Vec<&str> = parts.iter().filter_map(text).collect();
            Some(match texts[..] {
                [one] => Cow::Borrowed(one),
                _ => Cow::Owned(texts.join("\n")),
            })
        }
        _ => None,
    }
}

/// D17: whether an array of parts has one that is not text, such as an image. A string among the parts is not read by
/// [`joined`], so it counts as one.
#[must_use]
pub(in crate::rules) fn has_other_parts(value: &Value<'_>) -> bool {
    let is_text = |part: &Value<'_>| {
        part.get("text").is_some_and(|text| text.as_str().is_some())
            || part.get("type").and_then(Value::as_str) == Some("text")
    };
    value.as_array().is_some_and(|parts| parts.iter().any(|part| !is_text(part)))
}

/// D19: all string values, without the members `own` of the value itself.
pub(in crate::rules) fn each(value: &Value<'_>, excluded: &[&str], take: &mut dyn FnMut(&str)) {
    match &value.data {
        Data::String(s) => take(s),
        Data::Array(items) => items.iter().for_each(|v| each(v, &[], take)),
        Data::Object(o) => {
            o.entries().filter(|(key, _)| !excluded.contains(key)).for_each(|(_, v)| each(v, &[], take));
        }
        _ => {}
    }
}

/// D20: a text as a digest, in JSON: the first 12 hex digits of its SHA-256 and its Unicode scalars.
#[must_use]
pub(in crate::rules) fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex: String = hash.iter().take(6).map(|b| format!("{b:02x}")).collect();
    format!("{{\"sha256\":\"{hex}\",\"chars\":{}}}", text.chars().count())
}

/// D20: the text of this digest, below a value.
#[must_use]
pub(in crate::rules) fn digested<'a>(value: &'a Value<'a>, wanted: &str) -> Option<Cow<'a, str>> {
    match &value.data {
        Data::String(s) => (digest(s) == wanted).then_some(Cow::Borrowed(s)),
        Data::Array(items) => {
            let whole = joined(value).filter(|text| digest(text) == wanted);
            whole.or_else(|| items.iter().find_map(|item| digested(item, wanted)))
        }
        Data::Object(object) => object.entries().find_map(|(_, member)| digested(member, wanted)),
        _ => None,
    }
}

/// `ADP.md`: empty or only Unicode White_Space.
#[must_use]
pub(in crate::rules) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// D13: `<think` or `</think` in any case, without a word character after it.
#[must_use]
pub(in crate::rules) fn has_think_token(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let rest = &text[at + 1..];
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let is_think = rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("think"));
        is_think && !rest[5..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// D17: the name in the first `<function=NAME>`.
#[must_use]
pub(in crate::rules) fn function_name(text: &str) -> Option<&str> {
    function(text).map(|(start, end)| &text[start..end])
}

/// D17: whether a text begins calls but has no whole `<function=NAME>...</function>`.
#[must_use]
pub(in crate::rules) fn has_broken_call(text: &str) -> bool {
    let is_whole = || function(text).is_some_and(|(_, end)| text[end..].contains(FUNCTION_END));
    text.contains(FUNCTION) && !is_whole()
}

/// The calls in a text, from the first `<function=NAME>` to the last `</function>`, or to the end without one.
#[must_use]
pub(crate) fn written_call(text: &str) -> Option<&str> {
    let start = function(text)?.0 - FUNCTION.len();
    let end = text.rfind(FUNCTION_END).filter(|end| *end > start).map_or(text.len(), |end| end + FUNCTION_END.len());
    Some(&text[start..end])
}

/// The calls that are written in a text as `<function=NAME>` with `<parameter=KEY>` in it, or JSON: the name and the
/// arguments of each as JSON. A value that is JSON but a string is that value.
pub(crate) fn written_calls(text: &str) -> Vec<(&str, String)> {
    let (mut calls, mut rest) = (Vec::new(), text);
    while let Some((start, end)) = function(rest) {
        let body = &rest[(end + 1).min(rest.len())..];
        let next = function(body).map_or(body.len(), |(start, _)| start - FUNCTION.len());
        let len = body.find(FUNCTION_END).map_or(next, |end| end.min(next));
        calls.push((&rest[start..end], parameters(&body[..len])));
        rest = &body[len..];
    }
    calls
}

/// The words between the calls that are written in a text and behind the last, with an empty line between them.
pub(crate) fn behind_calls(text: &str) -> String {
    // A call without its end goes on to the next one, or to the end of the text.
    let parts = text.split(FUNCTION).skip(1);
    let behind = parts.filter_map(|part| part.split_once(FUNCTION_END).map(|(_, behind)| behind.trim()));
    behind.filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The parameters in the body of a call that is written in a text, as a JSON object.
fn parameters(body: &str) -> String {
    if let Ok(value) = json::parse(body.trim())
        && value.as_object().is_some()
    {
        return json::compact(&value);
    }
    let mut members = Vec::new();
    for part in body.split(PARAMETER).skip(1) {
        let Some((name, value)) = part.split_once('>') else { continue };
        let value = value.split_once(PARAMETER_END).map_or(value, |(value, _)| value);
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let parsed = json::parse(value.trim()).ok().filter(|value| value.as_str().is_none());
        let value = parsed.map_or_else(|| json::quote(value), |value| json::compact(&value));
        members.push(format!("{}:{value}", json::quote(name)));
    }
    format!("{{{}}}", members.join(","))
}

/// Start and end of the name in the first `<function=NAME>`. Of a text without `>` the first look is the last.
fn function(text: &str) -> Option<(usize, usize)> {
    for (at, _) in text.match_indices(FUNCTION) {
        let start = at + FUNCTION.len();
        match text[start..].find('>') {
            None => return None,
            Some(0) => {}
            Some(len) => return Some((start, start + len)),
        }
    }
    None
}

/// D22: the text before the first `<function=`.
#[must_use]
pub(crate) fn before_call(text: &str) -> &str {
    text.find(FUNCTION).map_or(text, |at| &text[..at])
}

const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_END: &str = "</parameter>";

#[cfg(test)]
mod tests {
    use super::*;
    use json::parse;

    #[test]
    fn calls_written_in_a_text_have_names_and_arguments() {
        let of = |text: &str| {
            let calls = written_calls(text).into_iter().map(|(name, arguments)| format!("{name} {arguments}"));
            calls.collect::<Vec<_>>().join("; ")
        };
        for (text, expect) in [
            (
                "I go. <function=f>\n<parameter=a>\nx\ny\n</parameter>\n<parameter=n>1</parameter>\n</function>",
                r#"f {"a":"x\ny","n":1}"#,
            ),
            ("<function=f>\n<parameter=a>1</parameter>\n</function>\n<function=g>\n</function>", r#"f {"a":1}; g {}"#),
            (r#"<function=f>{"a": [1]}</function>"#, r#"f {"a":[1]}"#),
            ("<function=f><parameter=a>cut", r#"f {"a":"cut"}"#),
            ("<function=f", ""),
            ("<function=f>", "f {}"),
        ] {
            assert_eq!(of(text), expect, "{text}");
        }
    }

    #[test]
    fn think_tokens_end_at_a_word() {
        for (text, expect) in [
            ("<think>", true),
            ("a </THINK", true),
            ("<think x", true),
            ("<thinking>", false),
            ("<think_", false),
            ("< think>", false),
            ("<thin", false),
            ("<th\u{131}nk>", false),
        ] {
            assert_eq!(has_think_token(text), expect, "{text}");
        }
    }

    #[test]
    fn calls_in_text_have_a_name_and_an_end() {
        assert_eq!(function_name("x <function=> <function=run>"), Some("run"));
        assert_eq!(function_name("<function=run"), None);
        assert!(has_broken_call("<function=run> no end"));
        assert!(has_broken_call("</function> <function=run>"));
        assert!(!has_broken_call("<function= <function=run>\n</function>"));
        assert!(!has_broken_call("none"));
        assert_eq!(written_call("so:\n<function=f>1</function> or so"), Some("<function=f>1</function>"));
        assert_eq!(written_call("</function> <function=f>1"), Some("<function=f>1"));
        assert_eq!(written_call("<function=> none"), None);
        assert_eq!(digest(""), "{\"sha256\":\"e3b0c44298fc\",\"chars\":0}");
        let parts = r#"[{"text":"a"},{"type":"image","value":"x"},{"type":"text","value":"b"}]"#;
        assert_eq!(joined(&parse(parts).unwrap()).as_deref(), Some("a\nb"));
    }
}
