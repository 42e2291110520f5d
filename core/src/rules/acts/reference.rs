//! References: `†kind.key[0]["any key"]` (A32), and their canonical form (A33).

use crate::json::{self, Key};
use std::fmt::Write as _;

/// The sign that begins a reference.
pub(super) const DAGGER: char = '†';

/// A32: one segment of a path as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment {
    /// `.key`; of digits an index on an array (A33).
    Dot(Box<str>),
    /// `["key"]`: always a key.
    Quoted(Box<str>),
    /// `[n]`: always an index.
    Index(u64),
}

/// A32: one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The kind.
    pub kind: String,
    /// The path below it.
    pub path: Vec<PathSegment>,
}

impl PathSegment {
    /// A33: the key that it means on an object; None for an index.
    #[must_use]
    pub fn on_object(&self) -> Option<&str> {
        match self {
            Self::Dot(key) | Self::Quoted(key) => Some(key),
            Self::Index(_) => None,
        }
    }

    /// A33: the index that it means on an array; None for a key.
    #[must_use]
    pub fn on_array(&self) -> Option<u32> {
        match self {
            Self::Dot(key) => index(key).and_then(|n| u32::try_from(n).ok()),
            Self::Index(n) => u32::try_from(*n).ok(),
            Self::Quoted(_) => None,
        }
    }

    /// A33: as it is printed where no state says what `.0` is.
    pub(super) fn as_key(&self) -> Self {
        match self {
            Self::Dot(key) => Self::Quoted(key.clone()),
            other => other.clone(),
        }
    }

    /// Whether two segments can mean the same member or element, in some state.
    fn meets(&self, other: &Self) -> bool {
        let keys = self.on_object().is_some() && self.on_object() == other.on_object();
        keys || (self.on_array().is_some() && self.on_array() == other.on_array())
    }
}

impl Reference {
    /// Whether one path can be a prefix of the other in some state, of the same kind.
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        self.kind == other.kind && self.path.iter().zip(&other.path).all(|(a, b)| a.meets(b))
    }

    /// A33: the canonical form where no state says what `.0` is: then it is a key.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.put(put_key)
    }

    /// A33: equal for two references that mean the same whatever the state is: `.0` is neither `[0]` nor `["0"]`.
    pub(super) fn meaning(&self) -> String {
        self.put(|key, out| match index(key) {
            Some(n) => _ = write!(out, ".{n}"),
            None => put_key(key, out),
        })
    }

    /// A33: whether the state says what the reference means.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.path.iter().any(|segment| matches!(segment, PathSegment::Dot(key) if index(key).is_some()))
    }

    fn put(&self, put_dot: impl Fn(&str, &mut String)) -> String {
        let mut out = canonical(&self.kind, &[]);
        for segment in &self.path {
            match segment {
                PathSegment::Dot(key) => put_dot(key, &mut out),
                PathSegment::Quoted(key) => put_key(key, &mut out),
                PathSegment::Index(n) => put_index(*n, &mut out),
            }
        }
        out
    }
}

/// A33: the canonical form of a path.
#[must_use]
pub fn canonical(kind: &str, path: &[Key]) -> String {
    let mut out = String::from(DAGGER);
    if is_bare(kind) {
        out.push_str(kind);
    } else {
        put_quoted(kind, &mut out);
    }
    for key in path {
        match key {
            Key::Name(name) => put_key(name, &mut out),
            Key::Index(n) => put_index(u64::from(*n), &mut out),
        }
    }
    out
}

/// A33: appends one key in canonical form; at the start of a text without its dot (paths in a message, A44).
pub(super) fn put_key(key: &str, out: &mut String) {
    if !is_bare(key) || key.bytes().all(|b| b.is_ascii_digit()) {
        return put_quoted(key, out);
    }
    if !out.is_empty() {
        out.push('.');
    }
    out.push_str(key);
}

/// A33: appends one index in canonical form.
pub(super) fn put_index(index: u64, out: &mut String) {
    let _ = write!(out, "[{index}]");
}

fn put_quoted(key: &str, out: &mut String) {
    let _ = write!(out, "[{}]", json::quote(key));
}

fn is_bare(key: &str) -> bool {
    !key.is_empty() && key.chars().all(is_bare_char)
}

/// A32: whether a character can be in a bare key without `\`.
fn is_bare_char(c: char) -> bool {
    !c.is_whitespace() && !".[]\"\\†|&*<>()!?".contains(c)
}

/// A36: what ends a reference inside the wider language, beside what ends it everywhere.
fn ends_in_wider_text(c: char) -> bool {
    ",;:+=-/%{}'`".contains(c)
}

/// A33: an index has no sign and no leading zero.
fn index(text: &str) -> Option<u64> {
    let is_index = text == "0" || (!text.starts_with('0') && !text.is_empty());
    if !is_index || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}

/// A32: a whole string as one reference.
#[must_use]
pub fn parse(text: &str) -> Option<Reference> {
    prefix(text).filter(|(_, len)| *len == text.len()).map(|(r, _)| r)
}

/// A32: the reference at the start of a text, and its length; ends before the first character that cannot belong to it.
pub(super) fn prefix(text: &str) -> Option<(Reference, usize)> {
    let mut reader = Reader { text, at: 0, is_wider: false };
    let kind = reader.kind()?;
    let mut path = Vec::new();
    while reader.rest().starts_with(['.', '[']) {
        path.push(reader.segment()?);
    }
    Some((Reference { kind, path }, reader.at))
}

/// A36: the reference at the start of a text of the wider language, and where reading goes on.
pub(super) fn wider_prefix(text: &str) -> (Option<Reference>, usize) {
    let mut reader = Reader { text, at: 0, is_wider: true };
    let Some(kind) = reader.kind() else {
        return (None, DAGGER.len_utf8());
    };
    let mut path = Vec::new();
    loop {
        let before = reader.at;
        match reader.segment() {
            Some(segment) => path.push(segment),
            None => {
                reader.at = before;
                break;
            }
        }
    }
    if reader.rest().starts_with('(') && matches!(path.last(), Some(PathSegment::Dot(_))) {
        path.pop();
    }
    (Some(Reference { kind, path }), reader.at)
}

/// The length of a `["…"]` at the start of a text, its quotes closed or not.
pub(super) fn quoted_len(text: &str) -> usize {
    let Some(body) = text.strip_prefix("[\"") else { return 0 };
    match string_end(body) {
        Some(end) => 2 + end + 1,
        None => text.len(),
    }
}

/// Where the closing quote of a JSON string is, counted after the opening one.
fn string_end(body: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (i, b) in body.bytes().enumerate() {
        match b {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(i),
            _ => {}
        }
    }
    None
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    is_wider: bool,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn kind(&mut self) -> Option<String> {
        if !self.rest().starts_with(DAGGER) {
            return None;
        }
        self.at += DAGGER.len_utf8();
        if self.rest().starts_with('[') { self.quoted() } else { self.bare() }
    }

    fn segment(&mut self) -> Option<PathSegment> {
        if self.rest().starts_with('.') {
            self.at += 1;
            return self.bare().map(|key| PathSegment::Dot(key.into()));
        }
        if self.rest().starts_with("[\"") {
            return self.quoted().map(|key| PathSegment::Quoted(key.into()));
        }
        let body = self.rest().strip_prefix('[')?;
        let end = body.find(']')?;
        let n = index(&body[..end])?;
        self.at += end + 2;
        Some(PathSegment::Index(n))
    }

    /// A32: `["JSON string"]`.
    fn quoted(&mut self) -> Option<String> {
        let body = self.rest().strip_prefix("[\"")?;
        let end = string_end(body)?;
        let value = json::parse(&self.rest()[1..end + 3]).ok()?;
        let key = value.as_str()?.to_owned();
        body[end + 1..].starts_with(']').then(|| self.at += end + 4)?;
        Some(key)
    }

    /// A32: a bare key, at least one character.
    fn bare(&mut self) -> Option<String> {
        let mut key = String::new();
        loop {
            let mut chars = self.rest().chars();
            match chars.next() {
                Some('\\') => key.push(chars.next()?),
                Some(c) if is_bare_char(c) && !(self.is_wider && ends_in_wider_text(c)) => key.push(c),
                _ => break,
            }
            self.at = self.text.len() - chars.as_str().len();
        }
        (!key.is_empty()).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> Option<String> {
        parse(text).map(|r| r.canonical())
    }

    #[test]
    fn reads_and_prints_the_canonical_form() {
        for (text, canonical) in [
            ("†state", "†state"),
            ("†state.a[0].b", "†state.a[0].b"),
            ("†[\"my kind\"][\"a.b\"][\"\"]", "†[\"my kind\"][\"a.b\"][\"\"]"),
            ("†state.a\\.b", "†state[\"a.b\"]"),
            ("†state[\"a\\u0062\"]", "†state.ab"),
            ("†state.\u{e4}-+", "†state.\u{e4}-+"),
            ("†state.\\ ", "†state[\" \"]"),
            ("†state.007", "†state[\"007\"]"),
            ("†[\"[\"].x", "†[\"[\"].x"),
        ] {
            assert_eq!(round(text).as_deref(), Some(canonical), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_reference_is_refused() {
        for text in [
            "",
            "†",
            "†.a",
            "†state.",
            "†state..a",
            "†state[x]",
            "†state[01]",
            "†state[-1]",
            "†state[0",
            "state.a",
            "†a b",
            "†a\\",
            "†a[\"x]",
            "†a[\"x\"",
            "†a[\"x\" ]",
            "†a[\"\\ud800\"]",
            " †a",
            "†a ",
            "†a[]",
            "††a",
            "†a[1]b",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_digit_segment_is_what_its_container_makes_it() {
        let r = parse("†k.0[1].x").unwrap();
        assert_eq!((r.path[0].on_array(), r.path[0].on_object()), (Some(0), Some("0")));
        assert_eq!((r.path[1].on_array(), r.path[1].on_object()), (Some(1), None));
        assert_eq!(r.path[2].on_array(), None);
        assert!(r.touches(&parse("†k[0]").unwrap()) && r.touches(&parse("†k[\"0\"].1").unwrap()));
        assert!(!r.touches(&parse("†k.1").unwrap()) && !r.touches(&parse("†j").unwrap()));
    }

    #[test]
    fn reads_what_it_can_in_wider_text() {
        let read = |t: &str| wider_prefix(t).0.map(|r| r.canonical());
        assert_eq!(read("†state.items.filter(i => i)").as_deref(), Some("†state.items"));
        assert_eq!(read("†state?.first").as_deref(), Some("†state"));
        assert_eq!(read("†a.b-1").as_deref(), Some("†a.b"));
        assert_eq!(read("†a[x]").as_deref(), Some("†a"));
        assert_eq!(read("†a.").as_deref(), Some("†a"));
        assert_eq!(read("†)"), None);
    }
}
