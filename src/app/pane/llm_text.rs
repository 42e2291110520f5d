//! What is laid out of an LLM view: entries that follow one another, as lines, and where each begins.

use crate::panes::text_view::TextLine;
use std::ops::Range;

/// Lines of a part of an LLM view.
#[derive(Debug, Default)]
pub struct ViewLines {
    /// The lines.
    pub lines: Vec<TextLine>,
    /// Entries and their first lines, in order.
    pub starts: Vec<(usize, usize)>,
    /// The entries that are laid out.
    pub range: Range<usize>,
    /// How many entries the view has.
    pub count: usize,
}

/// Which entries of an LLM view are laid out.
#[derive(Debug, Default)]
pub(super) struct LaidOut {
    starts: Vec<(usize, usize)>,
    /// The entries.
    pub range: Range<usize>,
    /// How many entries the view has.
    pub count: usize,
}

/// A place in an LLM view that stays the same when another part of it is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryPlace {
    /// The entry.
    pub entry: usize,
    /// A line of it.
    pub line: usize,
    /// A row of that line.
    pub row: usize,
}

impl LaidOut {
    /// Takes the lines out of a part.
    pub(super) fn of(part: ViewLines) -> (Self, Vec<TextLine>) {
        (Self { starts: part.starts, range: part.range, count: part.count }, part.lines)
    }

    /// Whether all of the view is laid out.
    pub(super) fn is_whole(&self) -> bool {
        self.range == (0..self.count)
    }

    /// Whether the last entry is laid out.
    pub(super) fn has_end(&self) -> bool {
        self.range.end >= self.count
    }

    /// The entry of a line, and the first line of that entry.
    pub(super) fn entry_of(&self, line: usize) -> (usize, usize) {
        let at = self.starts.partition_point(|(_, first)| *first <= line).saturating_sub(1);
        self.starts.get(at).copied().unwrap_or((self.range.start, 0))
    }

    /// The lines of an entry, or of the next one that has some; `end` is how many lines there are.
    pub(super) fn lines_of(&self, entry: usize, end: usize) -> Range<usize> {
        let at = self.starts.partition_point(|(number, _)| *number < entry);
        let first = |at: usize| self.starts.get(at).map_or(end, |(_, first)| *first);
        first(at)..first(at + 1)
    }

    /// Entries for which rows stand that are not laid out, before and behind, given how many rows are.
    pub(super) fn rows_around(&self, rows: usize) -> (usize, usize) {
        let of = |entries: usize| entries.saturating_mul(rows) / self.range.len().max(1);
        (of(self.range.start), of(self.count.saturating_sub(self.range.end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_of_an_entry_and_an_entry_has_lines() {
        let part = ViewLines { starts: vec![(4, 0), (6, 3), (7, 9)], range: 4..8, count: 20, ..ViewLines::default() };
        let (laid_out, _) = LaidOut::of(part);
        assert_eq!([0, 2, 3, 8, 9, 99].map(|line| laid_out.entry_of(line).0), [4, 4, 6, 6, 7, 7]);
        assert_eq!([4, 5, 6, 7, 8].map(|entry| laid_out.lines_of(entry, 12)), [0..3, 3..9, 3..9, 9..12, 12..12]);
        assert_eq!(laid_out.rows_around(40), (40, 120));
        assert!(!laid_out.is_whole() && !laid_out.has_end());
    }
}
