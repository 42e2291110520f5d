//! Stop conditions: what a watched value must become for a run to stop there, read from a line and decided by JSON.

use crate::json::{self, Data, Value, compare_numbers};
use crate::text::{RegularExpression, suggest};
use std::cmp::Ordering;
use std::fmt;

/// How a value is compared with a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `==`
    Equal,
    /// `!=`
    Other,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

/// The operators as they are written, longer ones first.
const OPERATORS: [(&str, Comparison); 6] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("==", Comparison::Equal),
    ("!=", Comparison::Other),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// The conditions that are words.
const WORDS: [&str; 2] = ["changes", "invalid"];

/// What a watched value must become.
#[derive(Debug, Clone)]
pub enum Condition {
    /// Another than it was.
    Changes,
    /// One that breaks its schema, there or below.
    Invalid,
    /// One that compares so with this JSON text.
    Compares(Comparison, String),
    /// One that matches: a string as it reads, any other value as JSON text.
    Matches(String, Box<RegularExpression>),
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for Condition {
    /// As it is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changes => f.write_str("changes"),
            Self::Invalid => f.write_str("invalid"),
            Self::Compares(comparison, json) => {
                let sign = OPERATORS.iter().find(|(_, c)| c == comparison).map_or("", |(sign, _)| sign);
                write!(f, "{sign} {json}")
            }
            Self::Matches(pattern, _) => write!(f, "~ {pattern}"),
        }
    }
}

impl Condition {
    /// Reads `changes`, `invalid`, an operator and a JSON value, or `~` and a regular expression; nothing is None.
    ///
    /// # Errors
    /// A sentence: what is wrong, and how it is written.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let text = text.trim();
        match text {
            "" => return Ok(None),
            "changes" => return Ok(Some(Self::Changes)),
            "invalid" => return Ok(Some(Self::Invalid)),
            _ => {}
        }
        if let Some(pattern) = text.strip_prefix('~').map(str::trim) {
            if pattern.is_empty() {
                return Err("`~` wants a regular expression behind it, as in ~ ^fail".to_owned());
            }
            let expression = RegularExpression::new(pattern)
                .map_err(|reason| format!("`{pattern}` is not a regular expression: {reason}"))?;
            return Ok(Some(Self::Matches(pattern.to_owned(), Box::new(expression))));
        }
        let Some((sign, comparison)) = OPERATORS.iter().find(|(sign, _)| text.starts_with(sign)) else {
            return Err(unknown(text));
        };
        let json = text[sign.len()..].trim();
        if json.is_empty() {
            return Err(format!("`{sign}` wants a JSON value behind it, as in {sign} 0"));
        }
        match json::parse(json) {
            Ok(_) => Ok(Some(Self::Compares(*comparison, json.to_owned()))),
            Err(error) => {
                let quoted = json::quote(json);
                Err(format!("`{json}` is not valid JSON: {error}; a string wants quotes of its own: {sign} {quoted}"))
            }
        }
    }

    /// Whether whole containers matter to it, not leaves alone.
    #[must_use]
    pub fn takes_containers(&self) -> bool {
        match self {
            Self::Compares(Comparison::Equal, json) => json.starts_with(['{', '[']),
            Self::Compares(Comparison::Other, _) | Self::Matches(..) => true,
            _ => false,
        }
    }

    /// Whether a value is so, by its compact JSON text. No value is never so. `changes` and `invalid` are not known by
    /// a value alone: they are never so.
    #[must_use]
    pub fn holds(&self, value: Option<&str>) -> bool {
        let Some(Ok(value)) = value.map(json::parse) else { return false };
        match self {
            Self::Compares(comparison, json) => json::parse(json).is_ok_and(|wanted| comparison.holds(&value, &wanted)),
            Self::Matches(_, expression) => match &value.data {
                Data::String(string) => expression.is_match(string),
                _ => expression.is_match(value.text),
            },
            Self::Changes | Self::Invalid => false,
        }
    }
}

impl Comparison {
    /// Numbers compare as numbers, strings by their characters; values of two types, and others than these, have no
    /// order, and are only equal or not.
    fn holds(self, value: &Value<'_>, wanted: &Value<'_>) -> bool {
        let order = match (&value.data, &wanted.data) {
            (Data::Number, Data::Number) => Some(compare_numbers(value.text, wanted.text)),
            (Data::String(a), Data::String(b)) => Some(a.cmp(b)),
            _ => None,
        };
        match self {
            Self::Equal => json::same(value, wanted),
            Self::Other => !json::same(value, wanted),
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => order.is_some_and(Ordering::is_le),
            Self::AtLeast => order.is_some_and(Ordering::is_ge),
            Self::Greater => order == Some(Ordering::Greater),
        }
    }
}

fn unknown(text: &str) -> String {
    if let Some(json) = text.strip_prefix('=') {
        return format!("`=` is no condition; equal is written ==, as in == {}", json.trim());
    }
    let word = text.split_whitespace().next().unwrap_or(text);
    let suggestion = suggest::did_you_mean(word, WORDS).map_or_else(String::new, |question| question + " ");
    format!(
        "`{word}` is no condition; {suggestion}there are: changes, invalid, < <= == != >= > with a JSON value, ~ REGEX"
    )
}

/// A path of the state and what to wait for there, as it is written: `†state.budget < 0`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The path, in the notation of the format.
    pub path: String,
    /// The instance after it, as ②; None: every one.
    pub instance: Option<String>,
    /// What it must become; None: it is only shown.
    pub condition: Option<Condition>,
}

impl Expected {
    /// Reads `PATH [INSTANCE] [CONDITION]`. Signs inside brackets and quotes belong to the path.
    ///
    /// # Errors
    /// A sentence: what is wrong, and how it is written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let last = text.rsplit_once(char::is_whitespace);
        let is_near = |word: &str| WORDS.contains(&word) || !suggest::nearest(word, WORDS).is_empty();
        let at = sign_apart(text);
        let (path, condition) = match (at, last.filter(|(_, word)| is_near(word))) {
            (Some(at), _) => (&text[..at], Condition::parse(&text[at..])?),
            (None, Some((path, word))) => (path, Condition::parse(word)?),
            (None, None) => match sign_within(text) {
                Some(at) => (&text[..at], Condition::parse(&text[at..])?),
                None => (text, None),
            },
        };
        let path = path.trim();
        if path.is_empty() {
            let message = "names no value; a watch is written PATH [CONDITION], as in †state.budget < 0";
            return Err(format!("`{text}` {message}"));
        }
        let (path, instance) = match outside(path).rfind(char::is_whitespace) {
            Some(at) => (path[..at].trim_end(), Some(path[at..].trim().to_owned())),
            None => (path, None),
        };
        Ok(Self { path: path.to_owned(), instance, condition })
    }
}

/// Where a condition begins that is written with a sign, white space before it.
fn sign_apart(text: &str) -> Option<usize> {
    let seen = outside(text);
    let is_sign = |c: char| matches!(c, '<' | '>' | '=' | '!' | '~');
    let apart = seen.char_indices().zip(seen.chars().skip(1)).find(|((_, a), b)| a.is_whitespace() && is_sign(*b));
    apart.map(|((at, c), _)| at + c.len_utf8())
}

/// Where one begins without white space. Such a sign may belong to a name, so the others are looked for first.
fn sign_within(text: &str) -> Option<usize> {
    let seen = outside(text);
    OPERATORS.iter().filter_map(|(sign, _)| seen.find(sign)).min()
}

/// The text with what is in quotes and brackets blotted out, byte for byte.
fn outside(text: &str) -> String {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let was_inside = depth > 0 || is_quoted;
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' if was_inside || out.ends_with(['[', '.']) => is_quoted = !is_quoted,
            '[' if !is_quoted => depth += 1,
            ']' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if was_inside { out.extend(std::iter::repeat_n('_', c.len_utf8())) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, value: &str) -> bool {
        Condition::parse(condition).unwrap().unwrap().holds(Some(value))
    }

    #[test]
    fn values_compare_as_json() {
        for (condition, yes, no) in [
            ("< 0", &["-1", "-0.5", "-1e-9"][..], &["0", "-0", "1", "null", "\"-1\"", "[]", "{}"][..]),
            ("<= 1.0", &["1", "0.1e1", "-3"], &["1.0000000000000000001", "true"]),
            ("> 9007199254740992", &["9007199254740993"], &["9007199254740992", "9007199254740991"]),
            (">= \"b\"", &["\"b\"", "\"ba\"", "\"é\""], &["\"a\"", "\"B\"", "1"]),
            ("== 1", &["1", "1.0"], &["\"1\"", "true", "2"]),
            ("== {\"a\":[1],\"b\":null}", &["{\"b\":null,\"a\":[1.0]}"], &["{\"a\":[1]}"]),
            ("!= null", &["0", "\"\"", "[]"], &["null"]),
            ("~ ^fail", &["\"failed\""], &["\"has failed\"", "null"]),
            ("~ 40[0-9]", &["404", "[1,403]"], &["\"4 04\""]),
        ] {
            assert!(yes.iter().all(|value| holds(condition, value)), "{condition}");
            assert!(!no.iter().any(|value| holds(condition, value)), "{condition}");
            assert!(!Condition::parse(condition).unwrap().unwrap().holds(None));
        }
    }

    #[test]
    fn expressions_are_read_and_written_alike() {
        for (text, path, instance, condition) in [
            ("†state.budget < 0", "†state.budget", None, "< 0"),
            ("†state.budget<0", "†state.budget", None, "< 0"),
            ("†state.budget ②  != null", "†state.budget", Some("②"), "!= null"),
            ("†state.a[\"x < y\"] == \"a > b\"", "†state.a[\"x < y\"]", None, "== \"a > b\""),
            ("†state.a[\"x y\"] changes", "†state.a[\"x y\"]", None, "changes"),
            ("/agent/1/a->b invalid", "/agent/1/a->b", None, "invalid"),
            ("/agent/1/slot ~ a|b c", "/agent/1/slot", None, "~ a|b c"),
            ("slot.path >=1e3", "slot.path", None, ">= 1e3"),
            (" †state ", "†state", None, ""),
        ] {
            let expected = Expected::parse(text).unwrap();
            assert_eq!((expected.path.as_str(), expected.instance.as_deref()), (path, instance), "{text}");
            let written = expected.condition.as_ref().map_or(String::new(), ToString::to_string);
            assert_eq!(written, condition, "{text}");
            assert_eq!(Condition::parse(&written).unwrap(), expected.condition);
        }
    }

    #[test]
    fn what_is_none_is_reported() {
        for (text, expected) in [
            ("†a == active", "== \"active\""),
            ("†a = 1", "=="),
            ("†a <", "wants a JSON value"),
            ("†a ~", "wants a regular expression"),
            ("†a ~ (", "not a regular expression"),
            ("†a chnages", "did you mean `changes`?"),
            ("< 0", "names no value"),
            ("†a = 1", "=="),
            ("", "names no value"),
        ] {
            let message = Expected::parse(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
        assert!(Condition::parse("budget").unwrap_err().contains("there are: changes"));
        assert_eq!(Condition::parse("  ").unwrap(), None);
    }
}
