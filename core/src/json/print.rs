//! [`Value`] to text: compact, and the two layouts of the LLM view (A24, A25).

use super::value::{Data, Value};
use std::borrow::Cow;
use std::io;

/// A string as a JSON string: `"`, `\` and U+0000..U+001F escaped, nothing else (A24).
#[must_use]
pub fn quote(s: &str) -> String {
    // Text has no value that cannot be written.
    serde_json::to_string(s).unwrap_or_default()
}

/// One line without spaces; numbers as written, strings by [`quote`], of duplicate keys the last (A6).
#[must_use]
pub fn compact(value: &Value<'_>) -> String {
    if let Data::String(s) = &value.data {
        return quote(s);
    }
    let mut out = String::with_capacity(value.text.len());
    put_compact(value, &mut out);
    out
}

/// Writes a string as [`quote`] has it, piece by piece: the text of a huge one need not be in memory again.
///
/// # Errors
/// Those of the writer.
pub fn write_quoted(s: &str, to: &mut impl io::Write) -> io::Result<()> {
    serde_json::to_writer(to, s).map_err(io::Error::from)
}

fn put_compact(value: &Value<'_>, out: &mut String) {
    match &value.data {
        Data::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                put_compact(item, out);
            }
            out.push(']');
        }
        Data::Object(object) => {
            out.push('{');
            for (i, (key, item)) in object.entries().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&quote(key));
                out.push(':');
                put_compact(item, out);
            }
            out.push('}');
        }
        _ => out.push_str(&scalar(value)),
    }
}

fn scalar<'a>(value: &'a Value<'_>) -> Cow<'a, str> {
    match &value.data {
        Data::String(s) => Cow::Owned(quote(s)),
        _ => Cow::Borrowed(value.text),
    }
}

/// Two spaces a level, every non-empty container opened, empty ones `{}` and `[]` (A24).
#[must_use]
pub fn pretty(value: &Value<'_>) -> String {
    let mut out = String::new();
    put_pretty(value, 0, false, &mut out);
    out
}

/// As [`pretty`], but a container below the root that holds only scalars or empty containers is one line (A25).
#[must_use]
pub fn schema_text(value: &Value<'_>) -> String {
    let mut out = String::new();
    put_pretty(value, 0, true, &mut out);
    out
}

fn put_pretty(value: &Value<'_>, depth: usize, inline: bool, out: &mut String) {
    if value.is_leaf() {
        out.push_str(match &value.data {
            Data::Array(_) => "[]",
            Data::Object(_) => "{}",
            _ => return out.push_str(&scalar(value)),
        });
        return;
    }
    let is_line = inline && depth > 0 && is_flat(value);
    let separator = |out: &mut String, first: bool, depth: usize| {
        if !first {
            out.push(',');
        }
        if is_line {
            if !first {
                out.push(' ');
            }
        } else {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    match &value.data {
        Data::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separator(out, i == 0, depth + 1);
                put_pretty(item, depth + 1, inline, out);
            }
            close(out, is_line, depth);
            out.push(']');
        }
        Data::Object(object) => {
            out.push('{');
            if is_line {
                out.push(' ');
            }
            for (i, (key, item)) in object.entries().enumerate() {
                separator(out, i == 0, depth + 1);
                out.push_str(&quote(key));
                out.push_str(": ");
                put_pretty(item, depth + 1, inline, out);
            }
            if is_line {
                out.push(' ');
            }
            close(out, is_line, depth);
            out.push('}');
        }
        _ => {}
    }
}

fn close(out: &mut String, is_line: bool, depth: usize) {
    if !is_line {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

fn is_flat(value: &Value<'_>) -> bool {
    match &value.data {
        Data::Array(items) => items.iter().all(Value::is_leaf),
        Data::Object(object) => object.entries().all(|(_, v)| v.is_leaf()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn prints_the_three_layouts() {
        let v = parse(r#"{"a":[],"t":{"type" : "string","e":["x","y"]},"n":1.0,"s":"\u001b\u00e9/"}"#).unwrap();
        assert_eq!(
            compact(&v),
            "{\"a\":[],\"t\":{\"type\":\"string\",\"e\":[\"x\",\"y\"]},\"n\":1.0,\"s\":\"\\u001b\u{e9}/\"}"
        );
        assert_eq!(
            schema_text(&v),
            "{\n  \"a\": [],\n  \"t\": {\n    \"type\": \"string\",\n    \"e\": [\"x\", \"y\"]\n  },\n  \"n\": 1.0,\n  \"s\": \"\\u001b\u{e9}/\"\n}"
        );
        assert!(pretty(&v).contains("\"e\": [\n      \"x\",\n      \"y\"\n    ]"));
    }
}
