//! Keys of a path, and JSON Pointers.

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

/// The JSON Pointer of a path; the root is the empty string.
#[must_use]
pub fn pointer(path: &[Key]) -> String {
    path.iter().fold(String::new(), |mut out, key| {
        out.push('/');
        out.push_str(&pointer_escape(&key.to_string()));
        out
    })
}
