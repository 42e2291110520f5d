//! One pass over a JSON text that makes its [`Value`], and what [`Skim`](super::Skim) needs of it. It says only whether
//! the text is JSON; what is wrong with one that is not is asked of `serde_json` ([`parse`](super::parse)), which is
//! slower and needs no messages of ours.

use super::parse::{DEPTH_MAX, escape};
use super::strings::{escaped, inside_text, plain_text};
use super::value::{Data, Member, Object, Value};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Depths of which the number of members of the last object is known, and the greatest that counts.
const KNOWN_DEPTHS: usize = 8;
const MEMBERS_MAX: usize = 32;

/// Room that is taken at once for decoding strings with escapes, in bytes, if so much of the text is left.
const DECODED_BYTES: usize = 16 << 10;

/// The text, how far it is read, and the first lone surrogate on the way.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    text: &'a str,
    at: usize,
    /// Byte at which the first lone surrogate escape is; it reads as U+FFFD.
    pub(super) lone: Option<usize>,
    /// Members of the root below which members that are null are left out, as at the root itself.
    without_nulls: &'static [&'static str],
    /// Whether the place is below one of these.
    is_below: bool,
    /// Room in which strings with escapes are decoded before their length is known.
    decoded: String,
    /// Members of the last object at each depth: the next has as many, mostly.
    members: [usize; KNOWN_DEPTHS],
}

impl<'a> Reading<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (decoded, members) = (String::new(), [0; KNOWN_DEPTHS]);
        Self { text, at: 0, lone: None, without_nulls: &[], is_below: false, decoded, members }
    }

    /// The same without the members that are null, in the root and below these members of it; below all if none is
    /// named.
    pub(super) fn without_nulls(text: &'a str, below: &'static [&'static str]) -> Self {
        Self { without_nulls: below, is_below: below.is_empty(), ..Self::new(text) }
    }

    /// The one value of the text, white space around it allowed; None: the text is not valid JSON.
    pub(super) fn single_value(&mut self) -> Option<Value<'a>> {
        let value = self.value(0)?;
        self.is_at_end().then_some(value)
    }

    /// Whether only white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.text.len()
    }

    /// Whether the whole text is read, and is JSON by the strict rules (A1, D1).
    pub(super) fn is_whole(&mut self) -> bool {
        self.is_at_end() && self.lone.is_none()
    }

    /// The next byte, and the text from such a one to here.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// Reads on from an earlier byte.
    pub(super) fn go_back(&mut self, at: usize) {
        self.at = at.min(self.at);
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    pub(super) fn skip_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// Recurses no deeper than [`DEPTH_MAX`].
    pub(super) fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        let first = self.skip_space()?;
        let start = self.at;
        let data = match first {
            b'{' | b'[' if depth >= DEPTH_MAX => self.deep()?,
            b'{' => Data::Object(self.object(depth)?),
            b'[' => Data::Array(self.array(depth)?),
            b'"' => Data::String(self.string()?),
            _ => self.scalar(first)?,
        };
        Some(Value { start, text: self.since(start), data })
    }

    /// A word or number, whose first byte this is.
    pub(super) fn scalar(&mut self, first: u8) -> Option<Data<'a>> {
        match first {
            b'n' => self.word("null", Data::Null),
            b't' => self.word("true", Data::Bool(true)),
            b'f' => self.word("false", Data::Bool(false)),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Object<'a>> {
        if self.opens_empty(b'}')? {
            return Some(Object::new(Vec::new()));
        }
        let mut members = Vec::with_capacity(self.members.get(depth).copied().unwrap_or_default());
        loop {
            self.skip_space();
            let key_start = self.at;
            let key = self.key(Self::string)?;
            let is_root = depth == 0 && !self.without_nulls.is_empty();
            let is_left_out = is_root || self.is_below;
            self.is_below |= is_root && self.without_nulls.contains(&key.as_ref());
            let value = self.value(depth + 1)?;
            self.is_below &= !is_root;
            if !(is_left_out && matches!(value.data, Data::Null)) {
                members.push(Member { key, key_start, value });
            }
            if self.ends(b'}')? {
                if let Some(last) = self.members.get_mut(depth) {
                    *last = members.len().min(MEMBERS_MAX);
                }
                return Some(Object::new(members));
            }
        }
    }

    /// A key, read in this way, and its colon.
    pub(super) fn key<K>(&mut self, read: impl FnOnce(&mut Self) -> Option<K>) -> Option<K> {
        if self.skip_space()? != b'"' {
            return None;
        }
        let key = read(self)?;
        if self.skip_space()? != b':' {
            return None;
        }
        self.at += 1;
        Some(key)
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Value<'a>>> {
        let mut items = Vec::new();
        if self.opens_empty(b']')? {
            return Some(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Some(items);
            }
        }
    }

    /// Goes into a container: whether it ends at once.
    pub(super) fn opens_empty(&mut self, close: u8) -> Option<bool> {
        self.at += 1;
        let is_empty = self.skip_space()? == close;
        self.at += usize::from(is_empty);
        Some(is_empty)
    }

    /// After a member or element: whether the container ends here; else a comma is taken.
    pub(super) fn ends(&mut self, close: u8) -> Option<bool> {
        let byte = self.skip_space()?;
        let is_taken = byte == close || byte == b',';
        // Whatever else is here stays: it may be a part of a character.
        self.at += usize::from(is_taken);
        is_taken.then_some(byte == close)
    }

    /// A container that stays closed is skimmed, without recursion.
    pub(super) fn deep(&mut self) -> Option<Data<'a>> {
        let mut rest = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter::<&RawValue>();
        self.at += rest.next()?.ok()?.get().len();
        Some(Data::Deep)
    }

    /// A string from its opening quote on, decoded.
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let end = start + plain_text(&bytes[start..]);
        if *bytes.get(end)? == b'"' {
            self.at = end + 1;
            return Some(Cow::Borrowed(&self.text[start..end]));
        }
        self.decoded(start, end).map(Cow::Owned)
    }

    /// Passes over a string from its opening quote on.
    pub(super) fn pass_string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            at += inside_text(&bytes[at..]);
            if *bytes.get(at)? == b'"' {
                self.at = at + 1;
                return Some(());
            }
            // An escape of one letter does not stop it.
            at += self.unicode(at)?.1;
        }
    }

    /// The string that begins at `start`, of which the part before `at` is plain.
    fn decoded(&mut self, start: usize, mut at: usize) -> Option<String> {
        let bytes = self.text.as_bytes();
        self.decoded.clear();
        if self.decoded.capacity() == 0 {
            self.decoded.reserve(DECODED_BYTES.min(bytes.len() - start));
        }
        let mut from = start;
        loop {
            self.decoded.push_str(&self.text[from..at]);
            let byte = *bytes.get(at)?;
            if byte == b'"' {
                self.at = at + 1;
                return Some(self.decoded.as_str().to_owned());
            }
            if byte != b'\\' {
                return None;
            }
            from = match escaped(*bytes.get(at + 1)?) {
                0 => {
                    let (c, len) = self.unicode(at)?;
                    self.decoded.push(c);
                    at + len
                }
                c => {
                    self.decoded.push(c.into());
                    at + 2
                }
            };
            at = from + plain_text(&bytes[from..]);
        }
    }

    /// The character of an escape by code point, whose backslash is here, and its length in bytes.
    fn unicode(&mut self, at: usize) -> Option<(char, usize)> {
        let bytes = self.text.as_bytes();
        let digits = bytes.get(at + 2..at + 6)?;
        if &bytes[at..at + 2] != b"\\u" || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let (c, len) = escape(&self.text[at..]);
        if c.is_none() {
            self.lone.get_or_insert(at);
        }
        Some((c.unwrap_or('\u{FFFD}'), len))
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
