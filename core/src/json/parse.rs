//! Text to [`Value`], or what is wrong with it; no input overflows the stack.

use super::read::Reading;
use super::scan::{LONE_SURROGATE, NO_VALUE, NO_WORD};
use super::strings::escaped;
use super::value::Value;
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Containers nested deeper than this are leaves ([`Data::Deep`](super::Data::Deep)). ADP must read 100 levels and must
/// not read 200 (D1).
pub const DEPTH_MAX: usize = 150;

/// Why a text is not valid JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte in the text, from 0.
    pub byte: usize,
    /// What is wrong, one sentence without full stop.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.byte)
    }
}

impl std::error::Error for SyntaxError {}

/// Reads one JSON text, white space around it allowed.
///
/// # Errors
/// What is not valid JSON: bad syntax, text after the value, `NaN`, a string with a lone surrogate escape (A1, D1).
pub fn parse(text: &str) -> Result<Value<'_>, SyntaxError> {
    strict(text, Reading::new(text))
}

/// As [`parse`], without the members of the root that are null, and of the objects anywhere below these members of it;
/// without any, where none is named.
///
/// # Errors
/// As [`parse`].
pub fn parse_without_nulls<'t>(text: &'t str, below: &'static [&'static str]) -> Result<Value<'t>, SyntaxError> {
    strict(text, Reading::without_nulls(text, below))
}

fn strict<'a>(text: &'a str, mut reading: Reading<'a>) -> Result<Value<'a>, SyntaxError> {
    let value = reading.single_value().ok_or_else(|| fault(text))?;
    match reading.lone {
        None => Ok(value),
        Some(byte) => Err(SyntaxError { byte, message: LONE_SURROGATE.to_owned() }),
    }
}

/// As [`parse`], where nobody asks what is wrong.
#[must_use]
pub fn try_parse(text: &str) -> Option<Value<'_>> {
    let mut reading = Reading::new(text);
    reading.single_value().filter(|_| reading.lone.is_none())
}

/// As [`parse`], but a lone surrogate escape reads as U+FFFD: for showing what the strict rules reject.
///
/// # Errors
/// What is not valid JSON.
pub fn parse_lenient(text: &str) -> Result<Value<'_>, SyntaxError> {
    Reading::new(text).single_value().ok_or_else(|| fault(text))
}

/// Why a text is not valid JSON, as `serde_json` gives it.
pub(super) fn fault(text: &str) -> SyntaxError {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let value = text.trim_matches(is_space);
    let (result, text, offset) = if value.starts_with(['{', '[']) {
        (skim(value), value, value.as_ptr() as usize - text.as_ptr() as usize)
    } else {
        (serde_json::from_str::<&RawValue>(text).map(|_| ()), text, 0)
    };
    let error = result.map_or_else(|e| located(text, &e), |()| SyntaxError { byte: 0, message: "no JSON".to_owned() });
    SyntaxError { byte: error.byte + offset, ..error }
}

/// Decodes the inside of a JSON string (what is between the quotes).
///
/// # Errors
/// A lone surrogate: the byte at which it is, and the text with U+FFFD in its place.
pub fn unescape(body: &str) -> Result<Cow<'_, str>, (usize, Cow<'_, str>)> {
    let Some(first) = memchr::memchr(b'\\', body.as_bytes()) else {
        return Ok(Cow::Borrowed(body));
    };
    let mut out = String::with_capacity(body.len());
    out.push_str(&body[..first]);
    let mut at = first;
    let mut lone = None;
    while at < body.len() {
        let rest = &body[at..];
        if !rest.starts_with('\\') {
            let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            at += plain;
            continue;
        }
        let (c, len) = escape(rest);
        if c.is_none() {
            lone.get_or_insert(at);
        }
        out.push(c.unwrap_or('\u{FFFD}'));
        at += len;
    }
    match lone {
        None => Ok(Cow::Owned(out)),
        Some(byte) => Err((byte, Cow::Owned(out))),
    }
}

/// One escape at the start of `rest`: its character (None: a lone surrogate) and its length in bytes.
pub(super) fn escape(rest: &str) -> (Option<char>, usize) {
    match rest.as_bytes().get(1) {
        Some(b'u') => unicode_escape(rest),
        // No escape of JSON, but what is read leniently may have it.
        Some(letter) if !letter.is_ascii() => {
            let character = rest[1..].chars().next();
            (character, 1 + character.map_or(0, char::len_utf8))
        }
        Some(&letter) => (Some(if escaped(letter) == 0 { letter } else { escaped(letter) }.into()), 2),
        None => (None, rest.len()),
    }
}

fn unicode_escape(rest: &str) -> (Option<char>, usize) {
    let Some(high) = hex4(rest) else { return (None, 2) };
    if let Some(c) = char::from_u32(high) {
        return (Some(c), 6);
    }
    let low = rest.get(6..).filter(|r| r.starts_with("\\u")).and_then(hex4);
    match low {
        Some(low) if (0xD800..0xDC00).contains(&high) && (0xDC00..0xE000).contains(&low) => {
            (char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)
        }
        _ => (None, 6),
    }
}

fn hex4(escape: &str) -> Option<u32> {
    u32::from_str_radix(escape.get(2..6)?, 16).ok()
}

/// `serde_json` speaks of lines and columns (columns count bytes); this turns them into a byte, without the line in the
/// text.
fn located(text: &str, e: &serde_json::Error) -> SyntaxError {
    let line_start = match e.line() {
        0 | 1 => 0,
        n => memchr::memchr_iter(b'\n', text.as_bytes()).nth(n - 2).map_or(0, |i| i + 1),
    };
    let byte = (line_start + e.column().saturating_sub(1)).min(text.len());
    let full = e.to_string();
    let cut_message = full.rfind(" at line ").map_or(full.as_str(), |i| &full[..i]);
    SyntaxError { byte, message: plain_words(cut_message).to_owned() }
}

/// What `serde_json` says, in words for people who do not write parsers.
fn plain_words(message: &str) -> &str {
    match message {
        "expected ident" => NO_WORD,
        "expected value" => NO_VALUE,
        "trailing characters" => "more text behind the value",
        "EOF while parsing a value" => "the text ends where a value should be",
        "EOF while parsing a string" => "the text ends inside a string",
        "EOF while parsing a list" => "the text ends inside an array",
        "EOF while parsing an object" => "the text ends inside an object",
        other => other,
    }
}

/// Reads the first level of one container, and skims what is below.
fn skim(text: &str) -> Result<(), serde_json::Error> {
    let mut de = serde_json::Deserializer::from_str(text);
    de.deserialize_any(Skim)?;
    de.end()
}

struct Skim;

impl<'de> Visitor<'de> for Skim {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(_key) = map.next_key::<&RawValue>()? {
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Data;

    #[test]
    fn a_string_may_end_with_a_backslash() {
        let value = parse(r#"["\n\\","\\"]"#).unwrap();
        let texts: Vec<_> = value.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!((texts, parse(r#"["\n\\"]"#).is_ok()), (vec!["\n\\", "\\"], true));
    }

    #[test]
    fn a_backslash_before_any_character_ends_with_that_character() {
        assert_eq!(unescape("a\\\u{200b}b\\é\\n").unwrap(), "a\u{200b}bé\n");
    }

    #[test]
    fn keeps_number_text_order_duplicates_and_places() {
        let text = " {\"b\": 1.0, \"a\": [1e400, -0], \"b\": \"x\\u00e9\\ud83d\\ude00\"}";
        let v = parse(text).unwrap();
        let o = v.as_object().unwrap();
        assert!(o.has_duplicates);
        assert_eq!(o.members[0].value.as_number(), Some("1.0"));
        assert_eq!(o.get("b").unwrap().as_str(), Some("x\u{e9}\u{1F600}"));
        let keys: Vec<_> = o.entries().map(|(k, v)| (k.to_owned(), v.start)).collect();
        assert_eq!(keys, [("b".to_owned(), text.rfind("\"x").unwrap()), ("a".to_owned(), text.find('[').unwrap())]);
        assert_eq!(v.get("a").unwrap().as_array().unwrap()[0].text, "1e400");
    }

    #[test]
    fn says_where_the_fault_is() {
        for (text, byte) in [("{\"a\": nul}", 9), ("[1,\n 2,\n ]", 9), ("\"\\ud800\"", 1), ("{} x", 3)] {
            let e = parse(text).unwrap_err();
            assert!(e.byte.abs_diff(byte) <= 1, "{text}: {e}");
        }
        for (text, message) in [
            ("third", "a word that is not true, false or null at byte 1"),
            ("[1, nul]", "a word that is not true, false or null at byte 7"),
            ("# words", "no value begins like this at byte 0"),
            ("{\"a\":", "the text ends where a value should be at byte 4"),
            ("[\"a", "the text ends inside a string at byte 2"),
            ("[1", "the text ends inside an array at byte 1"),
            ("{\"a\":1", "the text ends inside an object at byte 5"),
            ("{} x", "more text behind the value at byte 3"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
        assert_eq!(parse_lenient("\"a\\ud800b\"").unwrap().as_str(), Some("a\u{FFFD}b"));
    }

    #[test]
    fn deep_nesting_is_a_leaf() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut v = &parse(&text).unwrap();
        let mut depth = 0;
        while let Data::Array(a) = &v.data {
            v = &a[0];
            depth += 1;
        }
        assert_eq!((depth, &v.data), (DEPTH_MAX, &Data::Deep));
    }

    #[test]
    fn members_that_are_null_are_left_out_where_that_is_asked() {
        let text = r#"{"a":null,"b":[null,{"c":null,"d":"null"}],"e":{"f":null,"b":{"g":null}},"b2":{"b":null}}"#;
        let compact = |value: Result<Value<'_>, _>| crate::json::compact(&value.unwrap());
        let left = r#"{"b":[null,{"d":"null"}],"e":{"f":null,"b":{"g":null}},"b2":{"b":null}}"#;
        assert_eq!(compact(parse_without_nulls(text, &["b"])), left);
        let all = r#"{"b":[null,{"d":"null"}],"e":{"b":{}},"b2":{}}"#;
        assert_eq!(compact(parse_without_nulls(text, &["b2", "e", "b"])), all);
        assert_eq!(compact(parse_without_nulls(text, &[])), all);
        assert_eq!(compact(parse(text)), text);
        let broken = ["{\"a\":nul}", r#"{"a":"\ud800","b":null}"#];
        assert!(broken.iter().all(|text| parse_without_nulls(text, &["b"]).is_err()));
    }

    const GOOD: &[&str] = &[
        " {\"a\" : [1,-0.5e+3, null] ,\n\"b\":{}, \"a\":\"\\u00e9\\ud83d\\ude00\\n/\\/ 01234567\" }\t",
        "[[], [true,false ,\"\u{e9}\u{7f}\"],{\"\\\\\":\"\"}]",
        " -12.50E-7\r",
        "\"a\\\"b\"",
    ];

    /// What `serde_json` makes of it, which loses much, keeps one member of a key and rejects lone surrogates.
    #[test]
    fn says_of_every_change_of_a_byte_what_serde_says() {
        for good in GOOD {
            for at in 0..good.len() {
                for byte in " \"\\,:]}{[0-+.eux\n\u{0}\u{1f}".bytes() {
                    let mut text = good.as_bytes().to_vec();
                    text[at] = byte;
                    let Ok(text) = std::str::from_utf8(&text) else { continue };
                    let ours = parse(text);
                    let theirs = serde_json::from_str::<serde_json::Value>(text);
                    assert_eq!(ours.is_ok(), theirs.is_ok(), "{text:?}: {ours:?}");
                    assert_eq!(
                        parse_lenient(text).is_ok(),
                        serde_json::from_str::<&RawValue>(text).is_ok(),
                        "{text:?}"
                    );
                    match (ours, theirs) {
                        (Ok(ours), Ok(theirs)) => assert_eq!(plain(&ours), theirs, "{text:?}"),
                        (Err(e), _) => assert_ne!(e.message, "no JSON", "{text:?}"),
                        _ => {}
                    }
                }
            }
        }
    }

    fn plain(value: &Value<'_>) -> serde_json::Value {
        match &value.data {
            Data::Null => serde_json::Value::Null,
            Data::Bool(b) => (*b).into(),
            Data::Number | Data::Deep => serde_json::from_str(value.text).unwrap(),
            Data::String(s) => s.as_ref().into(),
            Data::Array(items) => items.iter().map(plain).collect(),
            Data::Object(o) => o.entries().map(|(key, v)| (key.to_owned(), plain(v))).collect(),
        }
    }
}
