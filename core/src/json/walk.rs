//! Goes through a whole JSON text and names its values in document order, without making any.

use super::parse::{DEPTH_MAX, SyntaxError, fault};
use super::read::Reading;
use super::scan::LONE_SURROGATE;
use std::ops::Range;

/// What a [`walk`] comes upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walked {
    /// An object; what is in it follows.
    Object,
    /// An array; what is in it follows.
    Array,
    /// A string.
    String,
    /// A number, true, false or null.
    Scalar,
    /// A container nested deeper than [`DEPTH_MAX`].
    Deep,
}

/// Takes the values of a text.
pub trait Visitor {
    /// A value begins: the bytes of its key with quotes (empty for elements and the whole value), its first byte.
    fn begin(&mut self, what: Walked, key: Range<usize>, start: usize);
    /// The value that began last and did not end ends before this byte.
    fn end(&mut self, end: usize);
}

/// Names all values of a text as [`parse_lenient`](super::parse_lenient) reads it; what [`parse`](super::parse) says
/// against it, if anything.
///
/// # Errors
/// What is not valid JSON; the visitor knows its beginning then.
pub fn walk(text: &str, visitor: &mut impl Visitor) -> Result<Option<SyntaxError>, SyntaxError> {
    let mut reading = Reading::new(text);
    let is_read = value(&mut reading, 0..0, 0, visitor).is_some() && reading.is_at_end();
    match reading.lone {
        _ if !is_read => Err(fault(text)),
        lone => Ok(lone.map(|byte| SyntaxError { byte, message: LONE_SURROGATE.to_owned() })),
    }
}

/// Recurses no deeper than [`DEPTH_MAX`].
fn value(reading: &mut Reading<'_>, key: Range<usize>, depth: usize, visitor: &mut impl Visitor) -> Option<()> {
    let first = reading.skip_space()?;
    let what = match first {
        b'{' | b'[' if depth >= DEPTH_MAX => Walked::Deep,
        b'{' => Walked::Object,
        b'[' => Walked::Array,
        b'"' => Walked::String,
        _ => Walked::Scalar,
    };
    visitor.begin(what, key, reading.at());
    match what {
        Walked::Deep => drop(reading.deep()?),
        Walked::Object | Walked::Array => container(reading, what, depth, visitor)?,
        Walked::String => reading.pass_string()?,
        Walked::Scalar => drop(reading.scalar(first)?),
    }
    visitor.end(reading.at());
    Some(())
}

fn container(reading: &mut Reading<'_>, what: Walked, depth: usize, visitor: &mut impl Visitor) -> Option<()> {
    let close = if what == Walked::Object { b'}' } else { b']' };
    if reading.opens_empty(close)? {
        return Some(());
    }
    loop {
        let key = match what {
            Walked::Object => {
                reading.skip_space();
                let start = reading.at();
                start..reading.key(|reading| reading.pass_string().map(|()| reading.at()))?
            }
            _ => 0..0,
        };
        value(reading, key, depth + 1, visitor)?;
        if reading.ends(close)? {
            return Some(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Data, Value, parse, parse_lenient};
    use super::*;
    use proptest::prelude::*;

    #[derive(Default)]
    struct WalkRecorder(Vec<(Walked, Range<usize>, usize, usize)>, Vec<usize>);

    impl Visitor for WalkRecorder {
        fn begin(&mut self, what: Walked, key: Range<usize>, start: usize) {
            self.1.push(self.0.len());
            self.0.push((what, key, start, 0));
        }

        fn end(&mut self, end: usize) {
            let at = self.1.pop().unwrap();
            self.0[at].3 = end;
        }
    }

    /// The same of a value that was made.
    fn put(value: &Value<'_>, text: &str, key: Range<usize>, out: &mut Vec<(Walked, Range<usize>, usize, usize)>) {
        let what = match &value.data {
            Data::Object(_) => Walked::Object,
            Data::Array(_) => Walked::Array,
            Data::String(_) => Walked::String,
            Data::Deep => Walked::Deep,
            Data::Null | Data::Bool(_) | Data::Number => Walked::Scalar,
        };
        out.push((what, key, value.start, value.start + value.text.len()));
        match &value.data {
            Data::Object(object) => object.members.iter().for_each(|m| {
                let quoted = text[m.key_start..m.value.start].trim_end().trim_end_matches(':').trim_end();
                put(&m.value, text, m.key_start..m.key_start + quoted.len(), out);
            }),
            Data::Array(items) => items.iter().for_each(|item| put(item, text, 0..0, out)),
            _ => {}
        }
    }

    fn check(text: &str) {
        let mut seen = WalkRecorder::default();
        match (walk(text, &mut seen), parse_lenient(text)) {
            (Ok(fault), Ok(value)) => {
                let mut expected = Vec::new();
                put(&value, text, 0..0, &mut expected);
                assert_eq!(seen.0, expected, "{text}");
                assert_eq!(fault, parse(text).err(), "{text}");
            }
            (walked, read) => assert_eq!(walked.err(), read.err(), "{text}"),
        }
    }

    #[test]
    fn names_what_is_read() {
        check(r#" {"a\u0062" : [1, {"x:" :"]\""}, []] , "c":{}, "d" : "\ud83d\ude00", "a":"\ud800" } "#);
        for depth in [DEPTH_MAX - 1, DEPTH_MAX, DEPTH_MAX + 1, 100_000] {
            check(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        }
    }

    proptest! {
        #[test]
        fn names_what_is_read_of_any_text(text in r#"[\[\]{}:, a-c0-2."\\nuxdD8t\n-]{0,12}"#) {
            check(&text);
        }
    }
}
