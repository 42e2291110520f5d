//! Paths to values of a record, as format files write them: `data.actor`, `calls[].name`, `usage[0]."in tokens"`.
//!
//! Names are separated by dots, `[]` is each element of an array, `[N]` one element. A name with characters other than
//! letters, digits, `_` and `-` is quoted. `.` is the value itself. A path that begins with `$` starts at the record,
//! any other path at the step, or at the item of a list.

use crate::json::Value;
use serde::Deserialize;
use std::fmt;

/// Most bytes and segments of a path.
const BYTES_MAX: usize = 1024;
const SEGMENTS_MAX: usize = 32;

/// A path to values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct FieldPath {
    text: Box<str>,
    is_of_record: bool,
    segments: Box<[Segment]>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    /// A member.
    Name(Box<str>),
    /// Each element of an array.
    Each,
    /// One element.
    At(usize),
}

/// Where paths begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'v, 'a> {
    /// The record.
    pub(super) record: &'v Value<'a>,
    /// The step, or an item of a list in it.
    pub(super) item: &'v Value<'a>,
}

impl<'v, 'a> Scope<'v, 'a> {
    /// The scope of an item.
    pub(super) fn at(self, item: &'v Value<'a>) -> Self {
        Self { item, ..self }
    }
}

impl FieldPath {
    /// Reads a path.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fail = |why: String| Err(format!("the path {} {why}", shown(text)));
        if text.len() > BYTES_MAX {
            return fail(format!("is longer than {BYTES_MAX} bytes"));
        }
        let (is_of_record, rest) = match text.strip_prefix('$') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let segments = if rest == "." || (is_of_record && rest.is_empty()) { Ok(Vec::new()) } else { segments(rest) };
        match segments {
            Ok(segments) if segments.len() > SEGMENTS_MAX => fail(format!("has more than {SEGMENTS_MAX} parts")),
            Ok(segments) => Ok(Self { text: text.into(), is_of_record, segments: segments.into() }),
            Err(why) => fail(why),
        }
    }

    /// Whether it begins at the record.
    pub(super) fn is_of_record(&self) -> bool {
        self.is_of_record
    }

    /// Its last name, if it ends in one.
    pub(super) fn last_name(&self) -> Option<&str> {
        match self.segments.last()? {
            Segment::Name(name) => Some(name),
            Segment::Each | Segment::At(_) => None,
        }
    }

    /// The first value that it leads to.
    pub(super) fn find<'v, 'a>(&self, scope: Scope<'v, 'a>) -> Option<&'v Value<'a>> {
        first(&self.segments, self.root(scope), &|_| true)
    }

    /// The first value that it leads to and that is not null.
    pub(super) fn first<'v, 'a>(&self, scope: Scope<'v, 'a>) -> Option<&'v Value<'a>> {
        first(&self.segments, self.root(scope), &|value| !value.is_null())
    }

    /// Whether one of the values satisfies a condition.
    pub(super) fn has(&self, scope: Scope<'_, '_>, is_such: &dyn Fn(&Value<'_>) -> bool) -> bool {
        first(&self.segments, self.root(scope), is_such).is_some()
    }

    /// All values that it leads to, except nulls.
    pub(super) fn all<'v, 'a>(&self, scope: Scope<'v, 'a>) -> Vec<&'v Value<'a>> {
        let mut out = Vec::new();
        collect(&self.segments, self.root(scope), &mut out);
        out
    }

    fn root<'v, 'a>(&self, scope: Scope<'v, 'a>) -> &'v Value<'a> {
        if self.is_of_record { scope.record } else { scope.item }
    }
}

impl TryFrom<String> for FieldPath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Goes no deeper than a path has segments.
fn first<'v, 'a>(
    segments: &[Segment],
    value: &'v Value<'a>,
    is_such: &dyn Fn(&Value<'_>) -> bool,
) -> Option<&'v Value<'a>> {
    match segments.split_first() {
        None => is_such(value).then_some(value),
        Some((Segment::Name(name), rest)) => first(rest, value.get(name)?, is_such),
        Some((Segment::At(index), rest)) => first(rest, value.as_array()?.get(*index)?, is_such),
        Some((Segment::Each, rest)) => value.as_array()?.iter().find_map(|element| first(rest, element, is_such)),
    }
}

fn collect<'v, 'a>(segments: &[Segment], value: &'v Value<'a>, out: &mut Vec<&'v Value<'a>>) {
    let below = |next: Option<&'v Value<'a>>, rest: &[Segment], out: &mut Vec<&'v Value<'a>>| {
        next.into_iter().for_each(|next| collect(rest, next, out));
    };
    match segments.split_first() {
        None if value.is_null() => {}
        None => out.push(value),
        Some((Segment::Name(name), rest)) => below(value.get(name), rest, out),
        Some((Segment::At(index), rest)) => below(value.as_array().and_then(|all| all.get(*index)), rest, out),
        Some((Segment::Each, rest)) => {
            value.as_array().into_iter().flatten().for_each(|element| collect(rest, element, out));
        }
    }
}

/// A path in an error message: no longer than a line.
fn shown(text: &str) -> String {
    let end = text.char_indices().nth(60).map_or(text.len(), |(at, _)| at);
    if end < text.len() { format!("{:?}…", &text[..end]) } else { format!("{text:?}") }
}

fn segments(text: &str) -> Result<Vec<Segment>, String> {
    let mut rest = text.strip_prefix('.').unwrap_or(text);
    if rest.is_empty() {
        return Err("is empty; `.` is the value itself".to_owned());
    }
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let behind = if let Some(inner) = rest.strip_prefix('[') {
            let (index, behind) = inner.split_once(']').ok_or("has a `[` without `]`")?;
            segments.push(element(index)?);
            behind
        } else if let Some(inner) = rest.strip_prefix('"') {
            let (name, behind) = inner.split_once('"').ok_or("has a quote without its end")?;
            segments.push(Segment::Name(name.into()));
            behind
        } else {
            let end = rest.find(['.', '[', '"']).unwrap_or(rest.len());
            segments.push(Segment::Name(bare(&rest[..end])?.into()));
            &rest[end..]
        };
        rest = match behind.strip_prefix('.') {
            Some("") => return Err("ends in a dot".to_owned()),
            Some(next) => next,
            None if behind.is_empty() || behind.starts_with('[') => behind,
            None => return Err(format!("lacks a dot before `{behind}`")),
        };
    }
    Ok(segments)
}

/// The inside of brackets.
fn element(index: &str) -> Result<Segment, String> {
    match index {
        "" => Ok(Segment::Each),
        _ => index.parse().map(Segment::At).map_err(|_| format!("has `[{index}]`; an index is a number from 0")),
    }
}

/// A name that needs no quotes.
fn bare(name: &str) -> Result<&str, String> {
    match name {
        "" => Err("has an empty name; an empty member is written `\"\"`".to_owned()),
        _ if is_bare(name) => Ok(name),
        _ => Err(format!("has the name `{name}`, which needs quotes: '\"{name}\"'")),
    }
}

/// Whether a name needs no quotes.
pub(super) fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '@' | ':' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn texts_at(path: &str, text: &str) -> Vec<String> {
        let value = parse(text).unwrap();
        let path = FieldPath::parse(path).unwrap();
        let scope = Scope { record: &value, item: value.get("step").unwrap_or(&value) };
        let all: Vec<String> = path.all(scope).iter().map(|value| value.text.to_owned()).collect();
        assert_eq!(path.first(scope).map(|value| value.text.to_owned()), all.first().cloned(), "{path}");
        all
    }

    #[test]
    fn a_path_leads_to_all_values_of_its_shape() {
        let text = r#"{"a":{"b c":[{"n":1},{"n":null},{"n":3},4]},"step":{"a":"inner"}}"#;
        assert_eq!(texts_at("a", text), [r#""inner""#]);
        assert_eq!(texts_at(r#"$.a."b c"[].n"#, text), ["1", "3"]);
        assert_eq!(texts_at(r#"$a."b c"[2].n"#, text), ["3"]);
        assert_eq!(texts_at(".", r#"{"x":1}"#), [r#"{"x":1}"#]);
        assert_eq!(texts_at("$", text).len(), 1);
        assert_eq!(texts_at("a.b.c[9]", text), [""; 0]);
        assert_eq!(texts_at("[].k", r#"[{"k":1},{"k":2}]"#), ["1", "2"]);
    }

    #[test]
    fn what_is_no_path_is_reported() {
        for (path, why) in [
            ("", "is empty"),
            ("a.", "ends in a dot"),
            ("a..b", "empty name"),
            ("a[", "`[` without `]`"),
            ("a[x]", "a number from 0"),
            ("a[-1]", "a number from 0"),
            ("a[0]b", "lacks a dot"),
            ("\"a", "without its end"),
            ("a b", "needs quotes"),
        ] {
            let message = FieldPath::parse(path).unwrap_err();
            assert!(message.contains(why), "{path}: {message}");
        }
        let long = FieldPath::parse(&"a.".repeat(100_000)).unwrap_err();
        assert!(long.contains("longer than 1024 bytes") && long.len() < 200, "{long}");
        assert!(FieldPath::parse(&"[]".repeat(40)).unwrap_err().contains("more than 32 parts"));
    }
}
