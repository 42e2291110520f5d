//! W11: which names stood somewhere in a run, as digests.

use std::collections::HashSet;

/// Longest word that is kept, in bytes.
const WORD_BYTES_MAX: usize = 200;

/// Words of all texts so far that may be names of files.
#[derive(Debug, Default)]
pub(super) struct Names {
    digests: HashSet<u64>,
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@')
}

impl Names {
    /// FNV-1a: words are short, and a chance match only hides an info.
    pub(super) fn digest(word: &str) -> u64 {
        word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// Adds the words of a text and tells each. JSON's escapes end a word.
    pub(super) fn add(&mut self, text: &str, mut each: impl FnMut(u64)) {
        for word in text.split(|c| !is_part(c)) {
            if word.is_empty() || word.len() > WORD_BYTES_MAX {
                continue;
            }
            let trimmed = word.trim_matches(['.', '-']);
            // Behind a backslash the first letter may belong to the escape.
            let tail = trimmed.get(1..).filter(|tail| trimmed.starts_with(['n', 't', 'r']) && !tail.is_empty());
            for word in [Some(word), Some(trimmed).filter(|trimmed| *trimmed != word), tail].into_iter().flatten() {
                let digest = Self::digest(word);
                self.digests.insert(digest);
                each(digest);
            }
        }
    }

    /// Whether a name stood somewhere; one that is no single word counts as one that did.
    pub(super) fn has(&self, name: &str) -> bool {
        name.is_empty() || !name.chars().all(is_part) || self.digests.contains(&Self::digest(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w11_names_are_words() {
        let mut names = Names::default();
        names.add("see /w/app.py, lib.rs. x\\nmain.c", |_| {});
        for name in ["app.py", "lib.rs", "main.c", "a b"] {
            assert!(names.has(name), "{name}");
        }
        assert!(!names.has("pp.py") && !names.has("other.py"));
    }
}
