//! Slot pointers: `/kind/instance/slot`, with `~0` for `~` and `~1` for `/`.

use crate::json::{Key, pointer, pointer_escape};
use crate::model::Identity;

/// D20: what a slot pointer names. A shorter one names all below it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointer {
    /// The kind; None is everything.
    pub kind: Option<String>,
    /// The instance; None is all of the kind.
    pub instance: Option<String>,
    /// The slot, and what a pointer that is too long names below it.
    pub path: Vec<Key>,
}

impl Pointer {
    /// Reads a pointer; None: it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let mut segments = text.strip_prefix('/')?.split('/').map(unescape);
        let kind = Some(segments.next()??);
        let instance = segments.next().map_or(Some(None), |s| s.map(Some))?;
        let path = segments.map(|s| s.map(|s| Key::name(&s))).collect::<Option<_>>()?;
        Some(Self { kind, instance, path })
    }

    /// Whether an identity is the one that is named, or one of those.
    #[must_use]
    pub fn names(&self, identity: &Identity) -> bool {
        self.kind.as_ref().is_none_or(|kind| *kind == identity.kind)
            && (self.instance.is_none() || self.instance == identity.instance)
    }
}

/// D20: the pointer of a slot.
#[must_use]
pub fn slot_pointer(identity: &Identity, path: &[Key]) -> String {
    let instance = identity.instance.as_deref().unwrap_or_default();
    format!("/{}/{}{}", pointer_escape(&identity.kind), pointer_escape(instance), pointer(path))
}

/// One segment decoded; None: a `~` that is no escape.
fn unescape(segment: &str) -> Option<String> {
    let mut parts = segment.split('~');
    let first = parts.next()?.to_owned();
    parts.try_fold(first, |mut out, part| {
        let rest = match part.strip_prefix('0') {
            Some(rest) => {
                out.push('~');
                rest
            }
            None => {
                let rest = part.strip_prefix('1')?;
                out.push('/');
                rest
            }
        };
        out.push_str(rest);
        Some(out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_read_and_written() {
        let pointer = Pointer::parse("/tool/a~1b~01/calls").unwrap();
        assert_eq!(pointer.instance.as_deref(), Some("a/b~1"));
        let identity = Identity::of("tool", "a/b~1");
        assert!(pointer.names(&identity) && !pointer.names(&Identity::of("tool", "a")));
        assert_eq!(slot_pointer(&identity, &pointer.path), "/tool/a~1b~01/calls");
        assert!(Pointer::parse("/tool").unwrap().names(&identity));
        assert!(Pointer::parse("").unwrap().names(&identity));
        for text in ["tool", "/a~", "/a/b~2", "/a/b/~x"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
    }
}
