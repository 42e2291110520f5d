//! In which order files are listed, and which of them.

use crate::model::ListedFile;
use std::cmp::{Ordering, Reverse};

/// In which order files are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileOrder {
    /// The one that was written last first.
    #[default]
    Newest,
    /// By name, folder by folder, numbers by what they are worth.
    Name,
    /// The largest first.
    Size,
}

impl FileOrder {
    /// The one after it, around.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Newest => Self::Name,
            Self::Name => Self::Size,
            Self::Size => Self::Newest,
        }
    }

    /// What it is, for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Newest => "the one written last first",
            Self::Name => "by name, folder by folder",
            Self::Size => "the largest first",
        }
    }

    /// What it is in a title; empty for the one that is usual.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Newest => "",
            Self::Name => "▲ name ",
            Self::Size => "▼ size ",
        }
    }

    /// How two files relate to one another.
    pub(super) fn compare(self, a: &ListedFile, b: &ListedFile) -> Ordering {
        let by_name = || natural(&a.name, &b.name).then_with(|| a.path.cmp(&b.path));
        match self {
            Self::Newest => (Reverse(a.written), &a.name, &a.path).cmp(&(Reverse(b.written), &b.name, &b.path)),
            Self::Name => by_name(),
            Self::Size => Reverse(a.len).cmp(&Reverse(b.len)).then_with(by_name),
        }
    }
}

/// Names as people sort them: what is in a folder together, runs of digits as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let folders = |name: &'_ str| name.matches('/').count();
    for (a, b) in a.split('/').zip(b.split('/')) {
        let by_part = part(a, b);
        if by_part != Ordering::Equal {
            return by_part;
        }
    }
    folders(a).cmp(&folders(b)).then_with(|| a.cmp(b))
}

fn part(mut a: &str, mut b: &str) -> Ordering {
    loop {
        let (in_a, in_b) = (run(a), run(b));
        let (first, second) = (&a[..in_a], &b[..in_b]);
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let by_run = if is_number(first) && is_number(second) {
            let (first, second) = (first.trim_start_matches('0'), second.trim_start_matches('0'));
            (first.len(), first).cmp(&(second.len(), second))
        } else {
            first.cmp(second)
        };
        if by_run != Ordering::Equal || (in_a == 0 && in_b == 0) {
            return by_run;
        }
        (a, b) = (&a[in_a..], &b[in_b..]);
    }
}

/// Length of the digits, or of what is no digit, at the beginning.
fn run(text: &str) -> usize {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    text.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_folder_and_numbers_by_their_worth() {
        let sorted = ["a/run-2.json", "a/run-010.json", "a/run-10.json", "a10/x", "a-b/x.json", "b", "b.json", "ä/1"];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, sorted);
        assert_eq!(natural("99999999999999999999999/x", "1/x"), Ordering::Greater);
        assert_eq!((natural("", ""), natural("", "a")), (Ordering::Equal, Ordering::Less));
    }
}
