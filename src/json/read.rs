//! One pass over a JSON text that makes its [`Value`]. It says only whether the text is JSON; what is wrong with one
//! that is not is asked of serde_json ([`parse`](super::parse)), which is slower and needs no messages of ours.

use super::parse::{DEPTH_MAX, escape};
use super::scan::{escaped, plain_text};
use super::value::{Data, Member, Object, Value};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The text, how far it is read, and the first lone surrogate on the way.
pub(super) struct Reading<'a> {
    text: &'a str,
    at: usize,
    /// Byte at which the first lone surrogate escape stands; it reads as U+FFFD.
    pub(super) lone: Option<usize>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, lone: None }
    }

    /// The one value of the text, white space around it allowed; None: the text is no JSON.
    pub(super) fn whole(&mut self) -> Option<Value<'a>> {
        let value = self.value(0)?;
        self.skip_space();
        (self.at == self.text.len()).then_some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    fn skip_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// Recurses no deeper than [`DEPTH_MAX`].
    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        let first = self.skip_space()?;
        let start = self.at;
        let data = match first {
            b'{' | b'[' if depth >= DEPTH_MAX => self.deep()?,
            b'{' => Data::Object(self.object(depth)?),
            b'[' => Data::Array(self.array(depth)?),
            b'"' => Data::String(self.string()?),
            b'n' => self.word("null", Data::Null)?,
            b't' => self.word("true", Data::Bool(true))?,
            b'f' => self.word("false", Data::Bool(false))?,
            _ => self.number()?,
        };
        Some(Value { start, text: &self.text[start..self.at], data })
    }

    fn object(&mut self, depth: usize) -> Option<Object<'a>> {
        self.at += 1;
        let mut members = Vec::new();
        if self.skip_space()? == b'}' {
            self.at += 1;
            return Some(Object::new(members));
        }
        loop {
            if self.skip_space()? != b'"' {
                return None;
            }
            let key_start = self.at;
            let key = self.string()?;
            if self.skip_space()? != b':' {
                return None;
            }
            self.at += 1;
            members.push(Member { key, key_start, value: self.value(depth + 1)? });
            if self.ends(b'}')? {
                return Some(Object::new(members));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Value<'a>>> {
        self.at += 1;
        let mut items = Vec::new();
        if self.skip_space()? == b']' {
            self.at += 1;
            return Some(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Some(items);
            }
        }
    }

    /// Behind a member or element: whether the container ends here; else a comma is taken.
    fn ends(&mut self, close: u8) -> Option<bool> {
        let byte = self.skip_space()?;
        self.at += 1;
        (byte == close || byte == b',').then_some(byte == close)
    }

    /// A container that stays closed is skimmed, without recursion.
    fn deep(&mut self) -> Option<Data<'a>> {
        let mut rest = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter::<&RawValue>();
        self.at += rest.next()?.ok()?.get().len();
        Some(Data::Deep)
    }

    /// A string from its opening quote on, decoded.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let end = start + plain_text(&bytes[start..]);
        if *bytes.get(end)? == b'"' {
            self.at = end + 1;
            return Some(Cow::Borrowed(&self.text[start..end]));
        }
        self.decoded(start, end).map(Cow::Owned)
    }

    /// The string that begins at `start`, of which the part before `at` is plain.
    fn decoded(&mut self, start: usize, mut at: usize) -> Option<String> {
        let bytes = self.text.as_bytes();
        // No longer than the string, and mostly as long.
        let guess = memchr::memchr(b'"', &bytes[at..])?;
        let mut out = String::with_capacity(at - start + guess);
        let mut from = start;
        loop {
            out.push_str(&self.text[from..at]);
            let byte = *bytes.get(at)?;
            if byte == b'"' {
                self.at = at + 1;
                return Some(out);
            }
            if byte != b'\\' {
                return None;
            }
            from = match escaped(*bytes.get(at + 1)?) {
                0 => self.unicode(at, &mut out)?,
                c => {
                    out.push(c.into());
                    at + 2
                }
            };
            at = from + plain_text(&bytes[from..]);
        }
    }

    /// Adds the character of an escape by code point, whose backslash stands here; the byte behind it.
    fn unicode(&mut self, at: usize, out: &mut String) -> Option<usize> {
        let digits = self.text.as_bytes().get(at + 2..at + 6)?;
        if self.text.as_bytes()[at + 1] != b'u' || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let (c, len) = escape(&self.text[at..]);
        if c.is_none() {
            self.lone.get_or_insert(at);
        }
        out.push(c.unwrap_or('\u{FFFD}'));
        Some(at + len)
    }

    fn word(&mut self, word: &str, data: Data<'a>) -> Option<Data<'a>> {
        self.text.as_bytes()[self.at..].starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            data
        })
    }

    fn number(&mut self) -> Option<Data<'a>> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(Data::Number)
    }

    /// One digit or more.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}
