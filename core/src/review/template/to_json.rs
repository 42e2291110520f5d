//! Filter `tojson` as `transformers` has it: `json.dumps` of Python, which escapes nothing that JSON does not need.

use super::methods::named;
use super::python::{as_float, float, too_deep};
use minijinja::value::{Kwargs, Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Error, ErrorKind};
use std::fmt::Write as _;

/// Deepest JSON that a template may write, in levels.
const DEPTH_MAX: usize = 250;
/// Widest indent, in characters.
const INDENT_MAX: usize = 64;
/// The options in the order in which they are without names.
const OPTIONS: [&str; 4] = ["ensure_ascii", "indent", "separators", "sort_keys"];

/// How a value is written.
struct Style {
    is_ascii: bool,
    indent: Option<String>,
    between: String,
    behind_key: String,
    is_sorted: bool,
}

impl Default for Style {
    fn default() -> Self {
        let (between, behind_key) = (", ".to_owned(), ": ".to_owned());
        Self { is_ascii: false, indent: None, between, behind_key, is_sorted: false }
    }
}

/// The filter.
pub(super) fn to_json(value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let mut out = String::new();
    let arguments: Vec<Value> = arguments.iter().map(|argument| argument.clone().into()).collect();
    Style::of(&arguments)?.put(value, 0, &mut out)?;
    Ok(out)
}

/// A text as the filter writes it.
#[must_use]
pub(in crate::review) fn json_text(text: &str) -> String {
    let mut out = String::new();
    Style::default().quote(text, &mut out);
    out
}

/// Writes a value as the filter does without options.
pub(super) fn put_json(value: &Value, out: &mut String) -> Result<(), Error> {
    Style::default().put(value, 0, out)
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.to_owned())
}

impl Style {
    fn of(arguments: &[Value]) -> Result<Self, Error> {
        let (by_name, values) = match arguments.split_last().map(|(last, rest)| (named(last), rest)) {
            Some((Some(named), rest)) => (named, rest),
            _ => (Kwargs::from_iter(Vec::<(String, Value)>::new()), arguments),
        };
        let option = |at: usize| -> Result<Option<Value>, Error> {
            let named: Option<Value> = by_name.get(OPTIONS[at])?;
            Ok(values.get(at).cloned().or(named).filter(|value| !value.is_none() && !value.is_undefined()))
        };
        let is_set = |at: usize| Ok::<_, Error>(option(at)?.is_some_and(|value| value.is_true()));
        let mut style = Self { is_ascii: is_set(0)?, is_sorted: is_set(3)?, ..Self::default() };
        if let Some(indent) = option(1)? {
            let width = || indent.as_i64().map(|width| " ".repeat(usize::try_from(width).unwrap_or(0).min(INDENT_MAX)));
            let text = indent.as_str().map(|text| text.chars().take(INDENT_MAX).collect());
            style.indent = Some(text.or_else(width).ok_or_else(|| wrong("tojson: indent is a number or a text"))?);
            ",".clone_into(&mut style.between);
        }
        if let Some(separators) = option(2)? {
            let two: Vec<Value> = separators.try_iter()?.collect();
            let [between, behind_key] = &two[..] else { return Err(wrong("tojson: separators are two texts")) };
            (style.between, style.behind_key) = (between.to_string(), behind_key.to_string());
        }
        by_name.assert_all_used()?;
        Ok(style)
    }

    fn put(&self, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
        if depth > DEPTH_MAX {
            return Err(too_deep());
        }
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => out.push_str(&number(value)),
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter()?.collect();
                if self.is_sorted {
                    keys.sort();
                }
                self.all('{', '}', keys.len(), depth, out, |i, out| {
                    self.quote(&key(&keys[i])?, out);
                    out.push_str(&self.behind_key);
                    self.put(&value.get_item(&keys[i])?, depth + 1, out)
                })?;
            }
            ValueKind::Seq | ValueKind::Iterable => {
                let items: Vec<Value> = value.try_iter()?.collect();
                self.all('[', ']', items.len(), depth, out, |i, out| self.put(&items[i], depth + 1, out))?;
            }
            ValueKind::String => self.quote(value.as_str().unwrap_or_default(), out),
            ValueKind::Undefined => return Err(wrong("an undefined value has no JSON")),
            kind => return Err(wrong(&format!("a value of kind {kind} has no JSON"))),
        }
        Ok(())
    }

    /// The parts of an array or object.
    fn all(
        &self,
        open: char,
        close: char,
        count: usize,
        depth: usize,
        out: &mut String,
        mut each: impl FnMut(usize, &mut String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let line = |depth: usize, out: &mut String| {
            if let Some(indent) = &self.indent {
                out.push('\n');
                (0..depth).for_each(|_| out.push_str(indent));
            }
        };
        out.push(open);
        for i in 0..count {
            out.push_str(if i > 0 { &self.between } else { "" });
            line(depth + 1, out);
            each(i, out)?;
        }
        if count > 0 {
            line(depth, out);
        }
        out.push(close);
        Ok(())
    }

    fn quote(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\x08' => out.push_str("\\b"),
                '\x0c' => out.push_str("\\f"),
                ' '..='~' => out.push(c),
                _ if self.is_ascii || c < ' ' => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                _ => out.push(c),
            }
        }
        out.push('"');
    }
}

fn number(value: &Value) -> String {
    match as_float(value) {
        Some(number) if number.is_nan() => "NaN".to_owned(),
        Some(number) if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        Some(number) => float(number),
        None => value.to_string(),
    }
}

/// A key: Python makes texts of what JSON has no keys of.
fn key(value: &Value) -> Result<String, Error> {
    match value.kind() {
        ValueKind::String => Ok(value.as_str().unwrap_or_default().to_owned()),
        ValueKind::Number => Ok(number(value)),
        ValueKind::Bool => Ok(if value.is_true() { "true" } else { "false" }.to_owned()),
        ValueKind::None => Ok("null".to_owned()),
        kind => Err(wrong(&format!("a value of kind {kind} is not a key of JSON"))),
    }
}
