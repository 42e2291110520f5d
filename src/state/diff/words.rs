//! The words in which two texts differ.

use similar::{Algorithm, TextDiffConfig};
use std::ops::Range;

/// Longest text that is compared word by word, in bytes: the search is quadratic where nothing is alike.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Most lines that are compared, for the same reason.
const LINES_MAX: usize = 1_000;
/// Of a longer word only the part that differs is told.
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
/// with is left out first; if what is left is still long, whole lines are compared, or nothing is told apart in it.
#[must_use]
pub fn words(old: &str, new: &str) -> Option<Words> {
    if old.len().max(new.len()) <= TEXT_BYTES_MAX {
        return compared(old, new, By::Words);
    }
    let (start, end) = alike(old, new);
    let (was, is) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let is_alike = start + end > 0;
    let lines = was.lines().count().max(is.lines().count());
    let found = match was.len().max(is.len()) {
        0..=TEXT_BYTES_MAX => compared(was, is, By::Words),
        _ if lines <= LINES_MAX => compared(was, is, By::Lines),
        _ => None,
    };
    let whole = || Words { removed: whole(was), added: whole(is) };
    let mut found = found.or_else(|| is_alike.then(whole))?;
    for range in found.removed.iter_mut().chain(&mut found.added) {
        *range = range.start + start..range.end + start;
    }
    Some(found)
}

fn whole(text: &str) -> Vec<Range<usize>> {
    std::iter::once(0..text.len()).filter(|range| !range.is_empty()).collect()
}

/// How many bytes two texts both begin with, and end with behind that, in whole words where those are not too long.
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

enum By {
    Words,
    Lines,
}

fn compared(old: &str, new: &str, by: By) -> Option<Words> {
    let mut config = TextDiffConfig::default();
    let config = config.algorithm(Algorithm::Myers);
    let diff = match by {
        By::Words => config.diff_unicode_words(old, new),
        By::Lines => config.diff_lines(old, new),
    };
    let mut found = Words::default();
    let (mut at_old, mut at_new, mut has_common) = (0, 0, false);
    for change in diff.iter_all_changes() {
        let text = *change.value_ref();
        match (change.old_index(), change.new_index()) {
            (Some(_), Some(_)) => {
                has_common |= text.chars().any(char::is_alphanumeric);
                at_old += text.len();
                at_new += text.len();
            }
            (Some(_), None) => put(&mut found.removed, &mut at_old, text.len()),
            _ => put(&mut found.added, &mut at_new, text.len()),
        }
    }
    has_common.then_some(found)
}

/// Adds so many bytes from a place on; what touches the range before becomes part of it.
fn put(ranges: &mut Vec<Range<usize>>, at: &mut usize, len: usize) {
    let end = *at + len;
    match ranges.last_mut() {
        Some(last) if last.end == *at => last.end = end,
        _ => ranges.push(*at..end),
    }
    *at = end;
}
