//! W3: what a call is given, under any of its names.

use super::tables::{FENCE, PARAMETER, argument_names};
use crate::json::{self, Data, Value};
use crate::model::cast;
use std::fmt::Write as _;

/// Names of the first and the last line to read: those of W3, of Cursor, of Copilot in VS Code.
pub(super) const FIRST_LINES: [&str; 3] = ["start_line", "start_line_one_indexed", "startLine"];
pub(super) const LAST_LINES: [&str; 3] = ["end_line", "end_line_one_indexed_inclusive", "endLine"];

/// Arguments of a call: an object, or plain text.
pub(super) struct Arguments<'v> {
    value: &'v Value<'v>,
}

impl<'v> Arguments<'v> {
    pub(super) fn new(value: &'v Value<'v>) -> Self {
        Self { value }
    }

    /// The text, where the arguments are nothing else.
    pub(super) fn plain(&self) -> Option<&'v str> {
        self.value.as_str()
    }

    pub(super) fn get(&self, key: &str) -> Option<&'v Value<'v>> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    /// The first present of the names of an argument.
    pub(super) fn named(&self, argument: &str) -> Option<&'v Value<'v>> {
        argument_names(argument).iter().find_map(|name| self.get(name))
    }

    /// The same, where it is text.
    pub(super) fn text(&self, argument: &str) -> Option<&'v str> {
        argument_names(argument).iter().find_map(|name| self.get(name)).and_then(Value::as_str)
    }

    pub(super) fn string(&self, key: &str) -> Option<&'v str> {
        self.get(key).and_then(Value::as_str)
    }

    /// PATH, without a pair of quotes around it.
    pub(super) fn path(&self) -> Option<&'v str> {
        self.text("PATH").map(unquoted).filter(|path| !path.is_empty())
    }

    pub(super) fn number(&self, key: &str) -> Option<i64> {
        number(self.get(key)?)
    }

    /// The number of the first name that has one.
    pub(super) fn number_of(&self, keys: &[&str]) -> Option<i64> {
        keys.iter().find_map(|key| self.number(key))
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| match &value.data {
            Data::Bool(is) => *is,
            Data::String(text) => text.eq_ignore_ascii_case("true"),
            _ => false,
        })
    }

    /// A pair of numbers.
    pub(super) fn pair(&self, key: &str) -> Option<(i64, i64)> {
        let value = self.get(key)?;
        match value.as_str() {
            Some(text) => pair(&json::parse(text).ok()?),
            None => pair(value),
        }
    }

    /// A list, which may be JSON in a string.
    pub(super) fn list<T>(&self, key: &str, read: impl FnOnce(&[Value<'_>]) -> T) -> Option<T> {
        let value = self.get(key)?;
        match value.as_str() {
            Some(text) => json::parse(text).ok()?.as_array().map(read),
            None => value.as_array().map(read),
        }
    }
}

pub(super) fn number(value: &Value<'_>) -> Option<i64> {
    let text = value.as_number().or(value.as_str())?.trim();
    text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(|n| n.fract() == 0.0).map(cast::f64_to_i64))
}

fn pair(value: &Value<'_>) -> Option<(i64, i64)> {
    match value.as_array()? {
        [from, to] => Some((number(from)?, number(to)?)),
        _ => None,
    }
}

/// A pair of `"` around a text is taken off.
pub(super) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text)
}

/// W2: what is in the `<parameter=N>V</parameter>` of a text up to `</function>`, as JSON text of an object.
#[must_use]
pub fn parameters(text: &str) -> String {
    let mut out = String::from("{");
    let mut rest = text;
    while let Some((name, start, from)) = next_parameter(rest) {
        if rest[..start].contains("</function>") {
            break;
        }
        let value = &rest[from..];
        let end = value.find("</parameter>").unwrap_or(value.len());
        let inside = value.get(..end).unwrap_or_default();
        let inside = inside.strip_prefix('\n').unwrap_or(inside);
        let inside = inside.strip_suffix('\n').unwrap_or(inside);
        let comma = if out.len() > 1 { "," } else { "" };
        let _ = write!(out, "{comma}{}:{}", json::quote(name), json::quote(inside));
        rest = value.get(end..).unwrap_or_default();
    }
    out.push('}');
    out
}

/// Its name, and where its tag begins and ends.
fn next_parameter(text: &str) -> Option<(&str, usize, usize)> {
    let found = PARAMETER.captures(text)?;
    let tag = found.get(0)?;
    Some((found.get(1)?.as_str(), tag.start(), tag.end()))
}

/// W2: the command in a text with one fence that is tagged as one of the shell.
pub fn fenced_command(text: &str) -> Option<&str> {
    let mut fences = FENCE.find_all(text);
    let fence = fences.next()?;
    if fences.next().is_some() {
        return None;
    }
    let inside = text.get(fence.end()..)?;
    let end = inside.find("\n```").or_else(|| inside.starts_with("```").then_some(0))?;
    inside.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w3_numbers_and_pairs_may_be_text() {
        let text = r#"{"a":"40","b":2.0,"c":"[6, 8]","d":[1,-1],"e":"True","path":"\"x y\"","file":null,"l":"[1]"}"#;
        let value = json::parse(text).unwrap();
        let given = Arguments::new(&value);
        assert_eq!((given.number("a"), given.number("b"), given.number("x")), (Some(40), Some(2), None));
        assert_eq!((given.pair("c"), given.pair("d")), (Some((6, 8)), Some((1, -1))));
        assert!(given.is_true("e") && !given.is_true("a"));
        assert_eq!(given.path(), Some("x y"));
        assert_eq!(given.list("l", |items| items.len()), Some(1));
    }

    #[test]
    fn w2_parameters_lose_one_line_end_on_each_side() {
        let text = "<parameter=a>1</parameter>\n<parameter=t>\n\nx\n</parameter>\n<parameter=open>y";
        assert_eq!(parameters(text), r#"{"a":"1","t":"\nx","open":"y"}"#);
        assert_eq!(parameters("none"), "{}");
        assert_eq!(parameters("<parameter=a>1</parameter></function> <parameter=b>2</parameter>"), r#"{"a":"1"}"#);
        assert_eq!(fenced_command("Look:\n```bash\nls -la\n```\n"), Some("ls -la"));
        assert_eq!(fenced_command("```bash\na\n```\n```sh\nb\n```"), None);
        assert_eq!(fenced_command("```python\na\n```"), None);
    }
}
