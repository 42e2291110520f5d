//! The entries of an LLM view, made one by one, so that a screen makes those around its window alone.

use super::answer::ViewEntry;
use std::ops::Range;

/// An LLM view whose entries are made when they are asked for.
pub struct ViewList<'v> {
    count: usize,
    entry: Box<dyn Fn(usize) -> Option<ViewEntry> + 'v>,
    is_eager: bool,
}

/// The place in an LLM view around which entries are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ViewAnchor {
    /// Its end.
    #[default]
    End,
    /// An entry, by its position.
    Entry(usize),
}

/// How much of an LLM view is laid out on each side of its anchor.
#[derive(Debug, Clone, Copy)]
pub struct ViewLimit {
    /// Most entries.
    pub entries: usize,
    /// Bytes of text after which no further entry is taken.
    pub bytes: usize,
}

/// Entries of an LLM view that follow one another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ViewPart {
    /// The positions that they cover.
    pub range: Range<usize>,
    /// How many positions the view has.
    pub count: usize,
    /// The entries and their positions; positions without a text have none.
    pub entries: Vec<(usize, ViewEntry)>,
}

impl<'v> ViewList<'v> {
    /// A view of `count` positions; those whose entry is None have no text.
    pub fn new(count: usize, entry: impl Fn(usize) -> Option<ViewEntry> + 'v) -> Self {
        Self { count, entry: Box::new(entry), is_eager: false }
    }

    /// A view whose entries are there.
    #[must_use]
    pub fn of(entries: Vec<ViewEntry>) -> Self {
        let count = entries.len();
        Self { is_eager: true, ..Self::new(count, move |position| entries.get(position).cloned()) }
    }

    /// How many positions it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether all of it was made at once: asking for the list again makes all of it again.
    #[must_use]
    pub fn is_eager(&self) -> bool {
        self.is_eager
    }

    /// The entry at a position.
    #[must_use]
    pub fn entry(&self, position: usize) -> Option<ViewEntry> {
        (self.entry)(position)
    }

    /// All of it.
    #[must_use]
    pub fn all(&self) -> Vec<ViewEntry> {
        (0..self.count).filter_map(|position| self.entry(position)).collect()
    }

    /// The entries around an anchor, within a limit on each side.
    #[must_use]
    pub fn part(&self, anchor: ViewAnchor, limit: ViewLimit) -> ViewPart {
        let from = match anchor {
            ViewAnchor::Entry(position) if position < self.count => position,
            _ => self.count,
        };
        let (start, mut entries) = self.taken((0..from).rev(), limit);
        entries.reverse();
        let (last, after) = self.taken(from..self.count, limit);
        entries.extend(after);
        let range = start.unwrap_or(from)..last.map_or(from, |last| last + 1);
        ViewPart { range, count: self.count, entries }
    }

    /// The entries at some positions until the limit is reached, and the last position that was asked for.
    fn taken(
        &self,
        positions: impl Iterator<Item = usize>,
        limit: ViewLimit,
    ) -> (Option<usize>, Vec<(usize, ViewEntry)>) {
        let (mut last, mut used, mut entries) = (None, 0, Vec::new());
        for position in positions {
            if entries.len() >= limit.entries || used >= limit.bytes {
                break;
            }
            last = Some(position);
            if let Some(entry) = self.entry(position) {
                used += entry.text.len();
                entries.push((position, entry));
            }
        }
        (last, entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StepNo;
    use std::cell::RefCell;

    #[test]
    fn of_a_long_view_only_what_is_around_the_anchor_is_made() {
        let asked = RefCell::new(Vec::new());
        let list = ViewList::new(100, |position| {
            asked.borrow_mut().push(position);
            let (text, step) = ("four".to_owned(), StepNo::try_from(position).unwrap());
            (position != 97).then_some(ViewEntry { role: None, content: None, text, step, identity: None })
        });
        let part = |anchor, entries, bytes| {
            let part = list.part(anchor, ViewLimit { entries, bytes });
            let positions: Vec<usize> = part.entries.iter().map(|(position, _)| *position).collect();
            (part.range, positions, asked.take())
        };
        assert_eq!(part(ViewAnchor::End, 3, 100), (96..100, vec![96, 98, 99], vec![99, 98, 97, 96]));
        assert_eq!(part(ViewAnchor::End, 9, 5), (98..100, vec![98, 99], vec![99, 98]), "4 bytes are fewer than 5");
        assert_eq!(part(ViewAnchor::Entry(0), 2, 100), (0..2, vec![0, 1], vec![0, 1]));
        assert_eq!(part(ViewAnchor::Entry(50), 2, 100), (48..52, vec![48, 49, 50, 51], vec![49, 48, 50, 51]));
        assert_eq!(part(ViewAnchor::Entry(500), 1, 100).0, 99..100, "of a view that became shorter the end");
        assert_eq!(list.all().len(), 99);
        assert_eq!(ViewList::of(list.all()).part(ViewAnchor::End, ViewLimit { entries: 1, bytes: 1 }).range, 98..99);
    }
}
