//! The words in which two texts differ.

use similar::{Algorithm, TextDiffConfig};
use std::ops::Range;

/// Longest text that is compared word by word, in bytes: the search is quadratic where nothing is alike.
const TEXT_BYTES_MAX: usize = 8 << 10;

/// Ranges of bytes that differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// In the old text.
    pub removed: Vec<Range<usize>>,
    /// In the new text.
    pub added: Vec<Range<usize>>,
}

/// The words in which two texts differ; None where they are too long, or have no word in common.
#[must_use]
pub fn words(old: &str, new: &str) -> Option<Words> {
    if old.len().max(new.len()) > TEXT_BYTES_MAX {
        return None;
    }
    let mut config = TextDiffConfig::default();
    let diff = config.algorithm(Algorithm::Myers).diff_unicode_words(old, new);
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
