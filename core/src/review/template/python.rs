//! Values as Python writes them.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, ErrorKind};
use regex::Regex;
use std::sync::LazyLock;

/// Deepest value that a template may write, in levels.
const DEPTH_MAX: usize = 250;

/// As `str` writes a value.
pub(super) fn text(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    match value.as_str() {
        Some(text) => out.push_str(text),
        None if value.is_undefined() => {}
        None => put(value, 0, &mut out)?,
    }
    Ok(out)
}

/// As `repr` writes a value.
pub(super) fn repr(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    put(value, 0, &mut out)?;
    Ok(out)
}

/// As `ascii` writes what `repr` wrote.
pub(super) fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() { out.push(c) } else { put_code(c, &mut out) }
    }
    out
}

/// As `repr` writes a number with a fraction: the fewest digits that mean it.
pub(super) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let text = format!("{number:?}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or_default();
            format!("{}e{exponent:+03}", digits.strip_suffix(".0").unwrap_or(digits))
        }
        None => text,
    }
}

/// A number that is not whole.
pub(super) fn as_float(value: &Value) -> Option<f64> {
    let is_float = value.kind() == ValueKind::Number && !value.is_integer();
    if is_float { f64::try_from(value.clone()).ok() } else { None }
}

pub(super) fn too_deep() -> Error {
    Error::new(ErrorKind::InvalidOperation, "a value is nested too deep to be written")
}

/// As `repr` writes a value.
fn put(value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
    if depth > DEPTH_MAX {
        return Err(too_deep());
    }
    if let Some(pair) = super::jinja::group_tuple(value) {
        return put(&pair, depth, out);
    }
    match (value.kind(), as_float(value)) {
        (_, Some(number)) => out.push_str(&float(number)),
        (ValueKind::Map, _) => {
            out.push('{');
            for (i, key) in value.try_iter()?.enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                put(&key, depth + 1, out)?;
                out.push_str(": ");
                put(&value.get_item(&key)?, depth + 1, out)?;
            }
            out.push('}');
        }
        (ValueKind::Seq | ValueKind::Iterable, _) => {
            let signs = if value.is_tuple() { ['(', ')'] } else { ['[', ']'] };
            out.push(signs[0]);
            for (i, item) in value.try_iter()?.enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                put(&item, depth + 1, out)?;
            }
            out.push_str(if value.is_tuple() && value.len() == Some(1) { "," } else { "" });
            out.push(signs[1]);
        }
        (ValueKind::Undefined, _) => out.push_str("Undefined"),
        (ValueKind::String, _) => put_quoted(value.as_str().unwrap_or_default(), out),
        _ => out.push_str(&value.to_string()),
    }
    Ok(())
}

/// As `repr` writes a text.
fn put_quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if !is_hidden(c) => out.push(c),
            c => put_code(c, out),
        }
    }
    out.push(quote);
}

/// A character by its number.
fn put_code(c: char, out: &mut String) {
    out.push_str(&match u32::from(c) {
        code @ ..=0xFF => format!("\\x{code:02x}"),
        code @ ..=0xFFFF => format!("\\u{code:04x}"),
        code => format!("\\U{code:08x}"),
    });
}

/// Whether Python takes a character for one that cannot be printed.
fn is_hidden(c: char) -> bool {
    static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{C}\p{Z}]").ok());
    HIDDEN.as_ref().is_some_and(|hidden| hidden.is_match(c.encode_utf8(&mut [0; 4])))
}

/// What Python takes for white space.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_python_does() {
        for (number, expect) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1e15, "1000000000000000.0"),
            (1e-5, "1e-05"),
            (1e-4, "0.0001"),
            (1.25e-7, "1.25e-07"),
            (1e300, "1e+300"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(float(number), expect);
        }
    }

    #[test]
    fn values_are_written_as_python_does() {
        let list = Value::from(vec![Value::from("it's"), Value::from(1e-5), Value::from(()), Value::from(true)]);
        assert_eq!(text(&list).unwrap(), "[\"it's\", 1e-05, None, True]");
        let odd = Value::from(vec!["'\"\\\u{ad}\u{fdd0}\u{10ffff}é\u{7f}"]);
        assert_eq!(text(&odd).unwrap(), r#"['\'"\\\xad\ufdd0\U0010ffffé\x7f']"#);
        let map = Value::from_pairs([("a", list.clone())]);
        assert_eq!(text(&map).unwrap(), "{'a': [\"it's\", 1e-05, None, True]}");
        assert_eq!(text(&Value::UNDEFINED).unwrap(), "");
        let deep = (0..300).fold(list, |inner, _| Value::from(vec![inner]));
        assert!(text(&deep).is_err());
    }
}
