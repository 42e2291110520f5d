//! W11: which names were somewhere in a run, as digests.

use crate::model::cast;
use memchr::memmem;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Longest word that is kept, in bytes.
const WORD_BYTES_MAX: usize = 200;
/// Bytes of texts that wait in most short runs.
const WAITING_BYTES: usize = 32 << 10;
/// Most bytes of texts that wait.
const WAITING_BYTES_MAX: usize = 256 << 10;
/// How often texts that wait are searched through, about, before it is cheaper to add their words.
const SEARCHES_MAX: usize = 16;

/// Words of all texts so far that may be names of files.
///
/// Every text of a run goes through here, so a word takes four bytes and a look-up is a multiplication. Nobody asks for
/// a name in most short runs, so texts wait until somebody does, or until they are many.
#[derive(Debug, Default)]
pub(super) struct Names {
    digests: Digests,
    /// Texts whose words are not added yet, a line end after each.
    waiting: String,
    /// Bytes of these that were searched through.
    searched: usize,
}

/// Digests from which on a set is in segments, of which one grows at a time, and how many of these there are.
const SEGMENTED_FROM: usize = 1 << 15;
const SEGMENTS: usize = 64;

/// A set of digests.
#[derive(Debug, Default)]
struct Digests {
    /// None, one, or all segments.
    segments: Vec<HashSet<u32, BuildHasherDefault<Spread>>>,
}

impl Digests {
    fn contains(&self, digest: u32) -> bool {
        self.segments.get(self.segment(digest)).is_some_and(|segment| segment.contains(&digest))
    }

    fn insert(&mut self, digest: u32) {
        match self.segments.as_mut_slice() {
            [] => self.segments.push(HashSet::default()),
            [only] if only.len() >= SEGMENTED_FROM => {
                let whole = std::mem::take(only);
                self.segments.resize_with(SEGMENTS, HashSet::default);
                for digest in whole {
                    let at = self.segment(digest);
                    self.segments[at].insert(digest);
                }
            }
            _ => {}
        }
        let at = self.segment(digest);
        if let Some(segment) = self.segments.get_mut(at) {
            segment.insert(digest);
        }
    }

    fn segment(&self, digest: u32) -> usize {
        if self.segments.len() > 1 { digest as usize % SEGMENTS } else { 0 }
    }
}

/// Digests are as good as random already: they are spread over 64 bits, no more.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, digest: u32) {
        self.0 = (self.0 ^ u64::from(digest)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@')
}

/// Whether a byte is part of a word; of a byte that is not ASCII, its letter reports.
const IS_PART: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'@');
        byte += 1;
    }
    table
};

/// How many bytes from `start` on are part of a word, or are not.
fn run_of(text: &str, start: usize, is_word: bool) -> usize {
    let bytes = &text.as_bytes()[start..];
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let (is_so, len) = match IS_PART.get(usize::from(*byte)) {
            Some(is_so) => (*is_so, 1),
            None => text[start + at..].chars().next().map_or((false, 1), |c| (is_part(c), c.len_utf8())),
        };
        if is_so != is_word {
            break;
        }
        at += len;
    }
    at
}

impl Names {
    /// Adds the words of a text.
    pub(super) fn add(&mut self, text: &str) {
        if self.waiting.len() + text.len() > WAITING_BYTES_MAX {
            self.settle();
            return self.add_words(text);
        }
        if self.waiting.is_empty() {
            self.waiting.reserve(WAITING_BYTES.max(text.len() + 1));
        }
        self.waiting.push_str(text);
        self.waiting.push('\n');
    }

    fn settle(&mut self) {
        self.searched = 0;
        let waiting = std::mem::take(&mut self.waiting);
        self.add_words(&waiting);
    }

    /// Adds the words of a text now.
    fn add_words(&mut self, text: &str) {
        each_word(text, |word| self.digests.insert(Self::digest(word)));
    }

    /// Whether a name was somewhere; one that is no single word counts as one that did.
    pub(super) fn has(&mut self, name: &str) -> bool {
        if !is_word(name) || self.digests.contains(Self::digest(name)) {
            return true;
        }
        if self.searched > self.waiting.len() * SEARCHES_MAX {
            self.settle();
            return self.digests.contains(Self::digest(name));
        }
        self.searched += self.waiting.len();
        has_word(&self.waiting, name)
    }

    /// A digest of a word; a chance match only hides an info.
    fn digest(word: &str) -> u32 {
        let mut chunks = word.as_bytes().chunks_exact(8);
        let mix = |hash: u64, part: u64| (hash.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = chunks
            .by_ref()
            .fold(word.len() as u64, |hash, chunk| mix(hash, chunk.try_into().map_or(0, u64::from_le_bytes)));
        let rest = chunks.remainder().iter().fold(0, |part, byte| (part << 8) | u64::from(*byte));
        let hash = mix(hash, rest);
        cast::low_u32(hash ^ (hash >> 32))
    }
}

/// The words of a text that may be names. JSON's escapes end a word.
pub(super) fn each_word<'t>(text: &'t str, mut take: impl FnMut(&'t str)) {
    let mut at = 0;
    while at < text.len() {
        let start = at + run_of(text, at, false);
        at = start + run_of(text, start, true);
        words_of(text, start, at).into_iter().flatten().for_each(&mut take);
    }
}

/// Whether a name is one word.
fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_part)
}

/// Whether a name is a word of a text: to look for one is quicker than to add all words.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    if !is_word(name) {
        return false;
    }
    let is_other = |c: char| !is_part(c);
    let mut from = 0;
    // No word is looked at twice.
    while let Some(found) = memmem::find(&text.as_bytes()[from..], name.as_bytes()) {
        let at = from + found;
        let before = text[from..at].char_indices().rev().find(|(_, c)| is_other(*c));
        let start = from + before.map_or(0, |(i, c)| i + c.len_utf8());
        let end = text[at..].find(is_other).map_or(text.len(), |len| at + len);
        if words_of(text, start, end).into_iter().flatten().any(|word| word == name) {
            return true;
        }
        from = end;
    }
    false
}

/// What a word between two places of a text may be as a name.
fn words_of(text: &str, start: usize, end: usize) -> [Option<&str>; 3] {
    let word = &text[start..end];
    if word.is_empty() || word.len() > WORD_BYTES_MAX {
        return [None; 3];
    }
    let trimmed = word.trim_matches(['.', '-']);
    // After a backslash the first letter may belong to the escape.
    let is_escape = start > 0 && text.as_bytes()[start - 1] == b'\\' && trimmed.starts_with(['n', 't', 'r']);
    let tail = trimmed.get(1..).filter(|tail| is_escape && !tail.is_empty());
    [Some(word), Some(trimmed).filter(|trimmed| *trimmed != word), tail]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it is with those that were added.
    #[test]
    fn w11_a_name_is_found_where_it_waits() {
        let texts =
            ["see /w/app.py, lib.rs. x\\nmain.c -a.b- \\\\tt.x tt.y", "übergröße_2.py\u{3000}ende", "a a.b a.b.c"];
        for text in texts {
            let (mut waiting, mut added) = (Names::default(), Names::default());
            waiting.add(text);
            added.add_words(text);
            let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            for (i, from) in chars.iter().enumerate() {
                for to in &chars[i..] {
                    let name = &text[*from..*to];
                    assert_eq!(waiting.has(name), added.has(name), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_large_set_is_as_a_small_one() {
        let mut digests = Digests::default();
        let digest = |n: u32| n.wrapping_mul(2_654_435_761);
        (0..100_000).step_by(2).for_each(|n| digests.insert(digest(n)));
        assert_eq!(digests.segments.len(), SEGMENTS);
        assert!((0..100_000).all(|n| digests.contains(digest(n)) == (n % 2 == 0)));
        assert!(!Digests::default().contains(0));
    }

    #[test]
    fn w11_names_are_words() {
        let mut names = Names::default();
        names.add("see /w/app.py, lib.rs. x\\nmain.c name.c übergröße_2.py\u{3000}ende");
        for name in ["app.py", "lib.rs", "main.c", "a b", "übergröße_2.py", "ende"] {
            assert!(names.has(name), "{name}");
        }
        names.add(&"x".repeat(WAITING_BYTES_MAX));
        names.add("late.rs");
        assert!(names.has("late.rs") && names.has("ende"));
        for name in ["pp.py", "other.py", "ame.c", "größe_2.py", ""] {
            assert_eq!(names.has(name), name.is_empty(), "{name}");
        }
    }
}
