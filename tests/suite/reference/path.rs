//! Paths, references and expressions (A32, A33, A35, A36).

use super::json::quote;

/// A step down into a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Name(String),
    Index(usize),
}

/// A segment of a reference as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Name(String),
    Index(usize),
    /// `.0`: an index on an array, a key on an object.
    Dot(String),
}

impl Segment {
    /// Whether it can mean this key.
    pub(crate) fn can_be(&self, key: &Key) -> bool {
        match (self, key) {
            (Self::Name(a) | Self::Dot(a), Key::Name(b)) => a == b,
            (Self::Index(a), Key::Index(b)) => a == b,
            (Self::Dot(a), Key::Index(b)) => *a == b.to_string(),
            _ => false,
        }
    }
}

/// A reference as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ref {
    pub(crate) kind: String,
    pub(crate) path: Vec<Segment>,
    /// Whether it ends in a bare `.length`.
    pub(crate) is_length: bool,
}

/// Gates, each of alternatives: all gates must have a value, of each the first alternative that has one counts.
pub(crate) type Gates = Vec<Vec<Ref>>;

/// What a string is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expr {
    /// No expression at all.
    Text,
    Gates(Gates),
    /// Of the wider language, with the references in it.
    Wider(Vec<Ref>),
    Invalid,
}

const NOT_BARE: &str = ".[]\"\\†|&*<>()!?";

fn is_bare(c: char) -> bool {
    !NOT_BARE.contains(c) && !c.is_whitespace()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The canonical form of a kind (A33).
pub(crate) fn kind_text(kind: &str) -> String {
    if !kind.is_empty() && kind.chars().all(is_bare) { kind.to_owned() } else { format!("[{}]", quote(kind)) }
}

/// The canonical form of segments.
pub(crate) fn path_text(path: &[Key]) -> String {
    let mut out = String::new();
    for key in path {
        match key {
            Key::Index(n) => out.push_str(&format!("[{n}]")),
            Key::Name(k) if k.is_empty() || is_digits(k) || !k.chars().all(is_bare) => {
                out.push_str(&format!("[{}]", quote(k)));
            }
            Key::Name(k) => out.push_str(&format!(".{k}")),
        }
    }
    out
}

pub(crate) fn reference(kind: &str, path: &[Key]) -> String {
    format!("†{}{}", kind_text(kind), path_text(path))
}

/// A path within a message or record, without dagger: the first key stands without a dot.
pub(crate) fn inner_path(path: &[Key]) -> String {
    let text = path_text(path);
    text.strip_prefix('.').map_or(text.clone(), str::to_owned)
}

/// A bracket segment at the beginning: the segment and its length in bytes.
fn bracket(text: &str) -> Option<(Segment, usize)> {
    let inner = text.strip_prefix('[')?;
    if inner.starts_with('"') {
        let mut is_escaped = false;
        for (i, c) in inner.char_indices().skip(1) {
            if c == '"' && !is_escaped {
                let name = super::json::parse(&inner[..=i])?;
                inner[i + 1..].starts_with(']').then_some(())?;
                return Some((Segment::Name(name.str()?.to_owned()), 1 + i + 1 + 1));
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        return None;
    }
    let end = inner.find(']')?;
    let digits = &inner[..end];
    (is_digits(digits) && (digits.len() == 1 || !digits.starts_with('0'))).then_some(())?;
    Some((Segment::Index(digits.parse().ok()?), end + 2))
}

/// A bare name at the beginning, escapes resolved: the name, whether it had escapes, its length in bytes.
fn bare(text: &str, stops: &str) -> (String, bool, usize) {
    let (mut name, mut has_escape, mut chars) = (String::new(), false, text.char_indices());
    while let Some((i, c)) = chars.next() {
        if c == '\\' {
            match chars.next() {
                Some((_, next)) => name.push(next),
                None => return (name, has_escape, i),
            }
            has_escape = true;
        } else if is_bare(c) && !stops.contains(c) {
            name.push(c);
        } else {
            return (name, has_escape, i);
        }
    }
    (name, has_escape, text.len())
}

/// A reference at the beginning, and its length in bytes; characters of `stops` end it too.
fn reference_at(text: &str, stops: &str) -> Option<(Ref, usize)> {
    let mut at = '†'.len_utf8();
    text.strip_prefix('†')?;
    let kind = if text[at..].starts_with('[') {
        let (segment, len) = bracket(&text[at..])?;
        at += len;
        match segment {
            Segment::Name(kind) if !kind.is_empty() => kind,
            _ => return None,
        }
    } else {
        let (kind, _, len) = bare(&text[at..], stops);
        at += len;
        (!kind.is_empty()).then_some(kind)?
    };
    let mut found = Ref { kind, path: Vec::new(), is_length: false };
    loop {
        let rest = &text[at..];
        if let Some((segment, len)) = bracket(rest) {
            found.path.push(segment);
            found.is_length = false;
            at += len;
        } else if let Some(after) = rest.strip_prefix('.') {
            let (name, has_escape, len) = bare(after, stops);
            (len > 0).then_some(())?;
            found.is_length = name == "length" && !has_escape;
            let is_index = is_digits(&name) && (name.len() == 1 || !name.starts_with('0')) && !has_escape;
            found.path.push(if is_index { Segment::Dot(name) } else { Segment::Name(name) });
            at += 1 + len;
        } else {
            return Some((found, at));
        }
    }
}

/// One reference that is the whole string.
pub(crate) fn whole_reference(text: &str) -> Option<Ref> {
    reference_at(text, "").filter(|(_, len)| *len == text.len()).map(|(found, _)| found)
}

/// The text with what stands in bracket quotes and escapes blotted out.
fn blotted(text: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let quoted = text[at..].starts_with("[\"").then(|| bracket(&text[at..])).flatten();
        if let Some((_, len)) = quoted {
            out.push_str("[_]");
            at += len;
        } else if c == '\\' {
            out.push_str("__");
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

fn is_operator(word: &str) -> bool {
    ["||", "<|>", "&&", "*>"].contains(&word)
}

/// Whether a string that begins an expression is of the wider language (A36).
fn is_wider(text: &str) -> bool {
    let plain = blotted(text);
    plain.contains(['(', ')', '!', '?'])
        || plain.contains("=>")
        || plain.split(char::is_whitespace).skip(1).any(|w| !w.is_empty() && !is_operator(w) && !w.starts_with('†'))
}

fn begins(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| "!(".contains(c) || c.is_whitespace());
    text.starts_with('†') || (text.starts_with(['!', '(']) && after.starts_with('†'))
}

/// The references in a string of the wider language.
fn references_in(text: &str) -> Vec<Ref> {
    const STOPS: &str = ",;:+=-/%{}'`";
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(found) = text[at..].find('†') {
        at += found;
        if let Some((mut reference, len)) = reference_at(&text[at..], STOPS) {
            let is_bare_end = !text[..at + len].ends_with(']');
            if text[at + len..].starts_with('(') && is_bare_end {
                reference.path.pop();
            }
            out.push(reference);
            at += len;
        } else {
            at += '†'.len_utf8();
        }
    }
    out
}

pub(crate) fn parse(text: &str) -> Expr {
    if !begins(text) {
        return Expr::Text;
    }
    if is_wider(text) {
        return Expr::Wider(references_in(text));
    }
    gates(text).map_or(Expr::Invalid, Expr::Gates)
}

fn gates(text: &str) -> Option<Gates> {
    let (first, mut at) = reference_at(text, "")?;
    let mut gates = vec![vec![first]];
    while at < text.len() {
        let rest = text[at..].trim_start();
        (rest.len() < text.len() - at).then_some(())?;
        let word = rest.split(char::is_whitespace).next()?;
        is_operator(word).then_some(())?;
        let after = &rest[word.len()..];
        let reference = after.trim_start();
        (reference.len() < after.len()).then_some(())?;
        let (found, len) = reference_at(reference, "")?;
        if ["||", "<|>"].contains(&word) {
            gates.last_mut()?.push(found);
        } else {
            gates.push(vec![found]);
        }
        at = text.len() - reference.len() + len;
    }
    Some(gates)
}

/// All references of an expression.
pub(crate) fn references(expr: &Expr) -> Vec<Ref> {
    match expr {
        Expr::Gates(gates) => gates.iter().flatten().cloned().collect(),
        Expr::Wider(all) => all.clone(),
        Expr::Text | Expr::Invalid => Vec::new(),
    }
}
