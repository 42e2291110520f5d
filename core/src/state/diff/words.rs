//! The words in which two texts differ.

use imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Longest text that is compared word by word, in bytes: the search is quadratic where nothing is alike.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Most lines that are compared, for the same reason.
const LINES_MAX: usize = 1_000;
/// Of a longer word only the part that differs is reported.
const WORD_CHARS_MAX: usize = 64;

/// Ranges of bytes that differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// In the old text.
    pub removed: Vec<Range<usize>>,
    /// In the new text.
    pub added: Vec<Range<usize>>,
}

/// The words in which two texts differ; None where they have no word in common. Of long texts what both begin and end
/// with is left out first; if what is left is still long, whole lines are compared, or nothing is distinguished in it.
#[must_use]
pub fn words(old: &str, new: &str) -> Option<Words> {
    if old.len().max(new.len()) <= TEXT_BYTES_MAX {
        return compared(&by_words(old), &by_words(new));
    }
    let (start, end) = alike(old, new);
    let (was, is) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let is_alike = start + end > 0;
    let lines = was.lines().count().max(is.lines().count());
    let found = match was.len().max(is.len()) {
        0..=TEXT_BYTES_MAX => compared(&by_words(was), &by_words(is)),
        _ if lines <= LINES_MAX => compared(&by_lines(was), &by_lines(is)),
        _ => None,
    };
    let whole = || Words { removed: single_range(was), added: single_range(is) };
    let mut found = found.or_else(|| is_alike.then(whole))?;
    for range in found.removed.iter_mut().chain(&mut found.added) {
        *range = range.start + start..range.end + start;
    }
    Some(found)
}

fn single_range(text: &str) -> Vec<Range<usize>> {
    std::iter::once(0..text.len()).filter(|range| !range.is_empty()).collect()
}

/// How many bytes two texts both begin with, and end with after that, in whole words where those are not too long.
fn alike(old: &str, new: &str) -> (usize, usize) {
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let mut start = old.bytes().zip(new.bytes()).take_while(same).count();
    while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    if let Some(gap) = old[..start].char_indices().rev().take(WORD_CHARS_MAX).find(|(_, c)| !c.is_alphanumeric()) {
        start = gap.0 + gap.1.len_utf8();
    }
    let (was, is) = (&old[start..], &new[start..]);
    let mut end = was.bytes().rev().zip(is.bytes().rev()).take_while(same).count();
    while !was.is_char_boundary(was.len() - end) || !is.is_char_boundary(is.len() - end) {
        end -= 1;
    }
    let tail = &was[was.len() - end..];
    if let Some((gap, _)) = tail.char_indices().take(WORD_CHARS_MAX).find(|(_, c)| !c.is_alphanumeric()) {
        end -= gap;
    }
    (start, end)
}

fn by_words(text: &str) -> Vec<&str> {
    text.split_word_bounds().collect()
}

fn by_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Compares two texts in pieces, which are all of each.
fn compared(old: &[&str], new: &[&str]) -> Option<Words> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let is_common = |(i, word): (u32, &&str)| !diff.is_removed(i) && word.chars().any(char::is_alphanumeric);
    let has_common = (0..).zip(old).any(is_common);
    has_common.then(|| Words { removed: ranges(old, |i| diff.is_removed(i)), added: ranges(new, |i| diff.is_added(i)) })
}

/// The ranges of bytes of the pieces that differ. Those that touch are one.
fn ranges(pieces: &[&str], differs: impl Fn(u32) -> bool) -> Vec<Range<usize>> {
    let (mut found, mut at): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for (i, piece) in (0..).zip(pieces) {
        let end = at + piece.len();
        if differs(i) {
            match found.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => found.push(at..end),
            }
        }
        at = end;
    }
    found
}
