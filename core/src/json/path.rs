//! Keys of a path, and JSON Pointers.

use super::{Data, Value};
use std::fmt;

/// One step of a path into a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Member of an object.
    Name(Box<str>),
    /// Element of an array, from 0.
    Index(u32),
}

impl Key {
    /// A member's key.
    #[must_use]
    pub fn name(key: &str) -> Self {
        Self::Name(key.into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(n) => f.write_str(n),
            Self::Index(i) => write!(f, "{i}"),
        }
    }
}

/// Escapes one segment of a JSON Pointer (RFC 6901): `~` is `~0`, `/` is `~1`.
#[must_use]
pub fn pointer_escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// What an escaped segment of a JSON Pointer stands for.
#[must_use]
pub fn pointer_unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// The value that a JSON Pointer names, or, where it names nothing, the last on the way to it.
#[must_use]
pub fn nearest<'v, 'a>(root: &'v Value<'a>, pointer: &str) -> &'v Value<'a> {
    let mut at = root;
    for segment in pointer.split('/').skip(1) {
        let below = match &at.data {
            Data::Object(object) => object.get(&pointer_unescape(segment)),
            Data::Array(items) => segment.parse().ok().and_then(|i: usize| items.get(i)),
            _ => None,
        };
        match below {
            Some(value) => at = value,
            None => break,
        }
    }
    at
}

/// The JSON Pointer of a path; the root is the empty string.
#[must_use]
pub fn pointer(path: &[Key]) -> String {
    path.iter().fold(String::new(), |mut out, key| {
        out.push('/');
        out.push_str(&pointer_escape(&key.to_string()));
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_leads_as_far_as_there_is_something() {
        let root = crate::json::parse(r#"{"a/b":[1,{"~":true}],"c":2}"#).unwrap();
        for (pointer, text) in
            [("", root.text), ("/a~1b/1/~0", "true"), ("/a~1b/0/x/y", "1"), ("/c/0", "2"), ("/d", root.text)]
        {
            assert_eq!(nearest(&root, pointer).text, text, "{pointer}");
        }
    }
}
