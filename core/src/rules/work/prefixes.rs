//! What patterns of the tables begin with: a text that begins otherwise is not searched, and a pattern is compiled when
//! a text begins as it does.

use regex_syntax::hir::Look;
use regex_syntax::hir::literal::Extractor;

/// Longest prefix, in bytes: enough to distinguish patterns.
const PREFIX_BYTES_MAX: usize = 12;
/// What patterns begin with that match at the start of a text alone. Others are not parsed.
const ANCHORS: &[&str] = &[r"\A", "^", r"(?s)\A", "(?s)^"];

/// Texts of which each match of a pattern begins with one, at the start of the searched text.
#[derive(Debug)]
pub(super) struct Prefixes {
    /// By byte, whether a text begins with it.
    first_bytes: [bool; 256],
    texts: Vec<Box<[u8]>>,
}

impl Prefixes {
    /// None: the pattern also matches elsewhere, or begins with too many texts, or with any.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        if !ANCHORS.iter().any(|anchor| pattern.starts_with(anchor)) {
            return None;
        }
        let pattern = regex_syntax::parse(pattern).ok()?;
        if !pattern.properties().look_set_prefix().contains(Look::Start) {
            return None;
        }
        let mut prefixes = Extractor::new().extract(&pattern);
        prefixes.keep_first_bytes(PREFIX_BYTES_MAX);
        prefixes.dedup();
        let texts: Vec<Box<[u8]>> = prefixes.literals()?.iter().map(|text| text.as_bytes().into()).collect();
        let mut first_bytes = [false; 256];
        for text in &texts {
            first_bytes[usize::from(*text.first()?)] = true;
        }
        Some(Self { first_bytes, texts })
    }

    /// Whether a text begins with one of them.
    pub(super) fn begin(&self, text: &str) -> bool {
        let text = text.as_bytes();
        text.first().is_some_and(|first| self.first_bytes[usize::from(*first)])
            && self.texts.iter().any(|prefix| text.starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_those_of_the_pattern() {
        for (pattern, begins, begins_otherwise) in [
            (
                r"\A(?:Usage: (?:open|goto) |No file open)",
                &["Usage: open x", "No file open"][..],
                &["Usage: edit", "no", ""][..],
            ),
            (
                r"^(?:Chunk: [^\n]*\n)?(?:Exit: \d+\n)?Output:\n?",
                &["Chunk: 1\n", "Exit: 2\n", "Output:"],
                &["Out", " Exit: 1"],
            ),
            (r"(?s)\A<a>(.*)", &["<a>"], &["a", "<b>"]),
            (r"^[ab]c", &["ac", "bc"], &["cc", "a"]),
        ] {
            let prefixes = Prefixes::of(pattern).unwrap();
            assert!(begins.iter().all(|text| prefixes.begin(text)), "{pattern}");
            assert!(!begins_otherwise.iter().any(|text| prefixes.begin(text)), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_without_prefixes_has_none() {
        for pattern in [r"a", r"\A", r"\A|b", r"^a|b", r"(?m)^a", r"\A\s*a", r"\Aa?", r"\A\w", r"\A(", r"\A(?:|a)"] {
            assert!(Prefixes::of(pattern).is_none(), "{pattern}");
        }
    }
}
