//! Text to [`Value`], one level at a time over serde_json's `RawValue`, so that no input overflows the stack.

use super::value::{Data, Member, Object, Value};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// Containers nested deeper than this are leaves ([`Data::Deep`]). ADP must read 100 levels and must not read 200 (D1).
pub const DEPTH_MAX: usize = 150;

/// Why a text is no JSON, and where.
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
/// What is no JSON: bad syntax, text behind the value, `NaN`, a string with a lone surrogate escape (A1, D1).
pub fn parse(text: &str) -> Result<Value<'_>, SyntaxError> {
    read(text, Surrogates::Reject)
}

/// As [`parse`], but a lone surrogate escape reads as U+FFFD: for showing what the strict rules reject.
///
/// # Errors
/// What is no JSON.
pub fn parse_lenient(text: &str) -> Result<Value<'_>, SyntaxError> {
    read(text, Surrogates::Replace)
}

#[derive(Clone, Copy, PartialEq)]
enum Surrogates {
    Reject,
    Replace,
}

fn read(text: &str, surrogates: Surrogates) -> Result<Value<'_>, SyntaxError> {
    let reader = Reader { base: text.as_ptr() as usize, surrogates };
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let value = text.trim_matches(is_space);
    if value.starts_with(['{', '[']) {
        // Its first level is read to the end of the text, which tells all that a skim of the whole would.
        return reader.value(value, 0);
    }
    let raw: &RawValue = serde_json::from_str(text).map_err(|e| located(text, &e))?;
    reader.value(raw.get(), 0)
}

struct Reader {
    base: usize,
    surrogates: Surrogates,
}

impl Reader {
    fn offset(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.base
    }

    fn value<'a>(&self, text: &'a str, depth: usize) -> Result<Value<'a>, SyntaxError> {
        let start = self.offset(text);
        let data = match text.as_bytes().first() {
            Some(b'{') if depth < DEPTH_MAX => Data::Object(self.object(text, depth)?),
            Some(b'[') if depth < DEPTH_MAX => Data::Array(self.array(text, depth)?),
            Some(b'{' | b'[') => Data::Deep,
            Some(b'"') => Data::String(self.string(text)?),
            Some(b'n') => Data::Null,
            Some(b't') => Data::Bool(true),
            Some(b'f') => Data::Bool(false),
            _ => Data::Number,
        };
        Ok(Value { start, text, data })
    }

    fn object<'a>(&self, text: &'a str, depth: usize) -> Result<Object<'a>, SyntaxError> {
        let level = level(text).map_err(|e| self.inner(text, &e))?;
        let mut members = Vec::with_capacity(level.len());
        for (key, value) in level {
            let key = key.map_or("\"\"", RawValue::get);
            members.push(Member {
                key: self.string(key)?,
                key_start: self.offset(key),
                value: self.value(value.get(), depth + 1)?,
            });
        }
        Ok(Object::new(members))
    }

    fn array<'a>(&self, text: &'a str, depth: usize) -> Result<Vec<Value<'a>>, SyntaxError> {
        let level = level(text).map_err(|e| self.inner(text, &e))?;
        level.into_iter().map(|(_, value)| self.value(value.get(), depth + 1)).collect()
    }

    fn string<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, SyntaxError> {
        let body = &text[1..text.len() - 1];
        match unescape(body) {
            Ok(s) => Ok(s),
            Err((_, lossy)) if self.surrogates == Surrogates::Replace => Ok(lossy),
            Err((byte, _)) => Err(SyntaxError {
                byte: self.offset(body) + byte,
                message: "a lone surrogate escape, which is no character".to_owned(),
            }),
        }
    }

    /// Below the first level this cannot happen, since that was skimmed; it is an error and not a panic all the same.
    fn inner(&self, text: &str, e: &serde_json::Error) -> SyntaxError {
        let mut error = located(text, e);
        error.byte += self.offset(text);
        error
    }
}

/// Decodes the inside of a JSON string (what stands between the quotes).
///
/// # Errors
/// A lone surrogate: the byte at which it stands, and the text with U+FFFD in its place.
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
fn escape(rest: &str) -> (Option<char>, usize) {
    let c = match rest.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(rest),
        Some(&b) => b as char,
        None => return (None, rest.len()),
    };
    (Some(c), 2)
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

/// serde_json speaks of lines and columns (columns count bytes); this turns them into a byte, without the line in the
/// text.
fn located(text: &str, e: &serde_json::Error) -> SyntaxError {
    let line_start = match e.line() {
        0 | 1 => 0,
        n => memchr::memchr_iter(b'\n', text.as_bytes()).nth(n - 2).map_or(0, |i| i + 1),
    };
    let byte = (line_start + e.column().saturating_sub(1)).min(text.len());
    let full = e.to_string();
    let message = full.rfind(" at line ").map_or(full.as_str(), |i| &full[..i]).to_owned();
    SyntaxError { byte, message }
}

type Level<'a> = Vec<(Option<&'a RawValue>, &'a RawValue)>;

/// The members or elements of one container, each as its own text.
fn level(text: &str) -> Result<Level<'_>, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_str(text);
    let level = LevelSeed.deserialize(&mut de)?;
    de.end()?;
    Ok(level)
}

struct LevelSeed;

impl<'de> DeserializeSeed<'de> for LevelSeed {
    type Value = Level<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LevelSeed {
    type Value = Level<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(key) = map.next_key::<&RawValue>()? {
            out.push((Some(key), map.next_value()?));
        }
        Ok(out)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(value) = seq.next_element()? {
            out.push((None, value));
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
