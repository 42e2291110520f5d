//! Rows: the only thing that a pane makes. A painter and the command line show them alike.

use crate::model::StepNo;
use crate::text::{Role, SafeText, width};
use std::ops::Range;

/// A run of text of one meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub role: Role,
    /// What it says.
    pub text: SafeText,
}

impl Piece {
    /// Foreign text, made safe.
    #[must_use]
    pub fn of(role: Role, foreign: &str) -> Self {
        Self { role, text: SafeText::of(foreign) }
    }

    /// Text that is safe already.
    #[must_use]
    pub fn safe(role: Role, text: SafeText) -> Self {
        Self { role, text }
    }

    /// Cells that it takes.
    #[must_use]
    pub fn width(&self) -> usize {
        width(self.text.as_str())
    }
}

/// Cells that pieces take together.
#[must_use]
pub fn pieces_width(pieces: &[Piece]) -> usize {
    pieces.iter().map(Piece::width).sum()
}

/// What a click on a row or a part of a bar means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hit {
    /// Nothing.
    #[default]
    None,
    /// Row of the pane's own model.
    Row(usize),
    /// A step.
    Step(StepNo),
}

/// Most bytes of the rest of a wrapped line, before and after a row, in which the ends of hits are looked for.
const AROUND_BYTES_MAX: usize = 256;

/// Of a row that is a part of a wrapped line, what of that line is in the rows above and below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// The first piece of the row that belongs to the line.
    pub first: usize,
    /// The line before the row.
    pub before: SafeText,
    /// The line after it.
    pub after: SafeText,
}

/// Fewest cells that the left part of a row has beside a right part.
const ROOM_MIN: usize = 8;

/// One line of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// From the left.
    pub left: Vec<Piece>,
    /// How many of these pieces stay where they are while the others are scrolled sideways.
    pub fixed: usize,
    /// At the right edge; it wins over the left where space is short.
    pub right: Vec<Piece>,
    /// What a click means.
    pub hit: Hit,
    /// Whether the cursor is on it.
    pub is_cursor: bool,
    /// The rest of the line that it is a part of, if that is wrapped.
    pub around: Option<Box<Around>>,
    /// Whether it only says what could be there: no search takes it for data.
    pub is_remark: bool,
}

impl Row {
    /// A row of pieces.
    #[must_use]
    pub fn new(left: Vec<Piece>) -> Self {
        Self { left, ..Self::default() }
    }

    /// A row of one piece.
    #[must_use]
    pub fn text(role: Role, foreign: &str) -> Self {
        Self::new(vec![Piece::of(role, foreign)])
    }

    /// Excludes the first `pieces` pieces from horizontal scrolling.
    #[must_use]
    pub fn fixed(mut self, pieces: usize) -> Self {
        self.fixed = pieces;
        self
    }

    /// Cells that its left part needs beyond the room that it has in a pane so wide.
    #[must_use]
    pub fn overhang(&self, width_cells: usize) -> usize {
        let moving = self.left.get(self.fixed..).unwrap_or_default();
        if moving.is_empty() { 0 } else { pieces_width(&self.left).saturating_sub(self.room(width_cells)) }
    }

    /// Cells that its left part has in a pane so wide: the right part gives way where hardly any would be left.
    #[must_use]
    pub fn room(&self, width_cells: usize) -> usize {
        let right = pieces_width(&self.right);
        if right + ROOM_MIN > width_cells { width_cells } else { width_cells - right }
    }

    /// Says that its pieces from `first` on are this part of a line, whose rest is in other rows.
    #[must_use]
    pub fn part_of(mut self, line: &str, part: &Range<usize>, first: usize) -> Self {
        if part.start > 0 || part.end < line.len() {
            let from = floor(line, part.start.saturating_sub(AROUND_BYTES_MAX));
            let to = floor(line, (part.end + AROUND_BYTES_MAX).min(line.len()));
            let text = |range: Range<usize>| SafeText::of(line.get(range).unwrap_or_default());
            self.around = Some(Box::new(Around { first, before: text(from..part.start), after: text(part.end..to) }));
        }
        self
    }

    /// Sets what is at the right edge.
    #[must_use]
    pub fn right(mut self, right: Vec<Piece>) -> Self {
        self.right = right;
        self
    }

    /// Says that it is no data.
    #[must_use]
    pub fn remark(mut self) -> Self {
        self.is_remark = true;
        self
    }

    /// Sets what a click means.
    #[must_use]
    pub fn hit(mut self, hit: Hit) -> Self {
        self.hit = hit;
        self
    }

    /// Puts the cursor on it or not.
    #[must_use]
    pub fn cursor(mut self, is_cursor: bool) -> Self {
        self.is_cursor = is_cursor;
        self
    }

    /// The row as one that stands back, with a word that says why.
    #[must_use]
    pub fn dimmed(mut self, why: &str) -> Self {
        self.left.iter_mut().for_each(|piece| piece.role = Role::Dim);
        self.right.push(Piece::of(Role::Dim, why));
        self
    }

    /// The row as plain text.
    #[must_use]
    pub fn plain(&self) -> String {
        let text = |pieces: &[Piece]| pieces.iter().map(|p| p.text.as_str()).collect::<String>();
        let right = text(&self.right);
        if right.is_empty() { text(&self.left) } else { format!("{}  {right}", text(&self.left)) }
    }
}

/// The nearest border of a character at or before a byte.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The window of rows that a pane shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// The visible rows, first at the top.
    pub rows: Vec<Row>,
    /// Rows above them.
    pub top: usize,
    /// All rows, as far as known.
    pub total: usize,
}

impl Window {
    /// A few sentences in an otherwise empty pane: why it is empty and what to do (wrapped by the caller's width).
    #[must_use]
    pub fn notice(lines: &[&str], width_cells: usize) -> Self {
        let mut rows = vec![Row::default()];
        for (i, line) in lines.iter().enumerate() {
            let role = if i == 0 { Role::Text } else { Role::Dim };
            for range in crate::text::wrap(line, width_cells.saturating_sub(4)) {
                rows.push(Row::new(vec![Piece::of(role, "  "), Piece::of(role, &line[range])]));
            }
        }
        let total = rows.len();
        Self { rows, top: 0, total }
    }
}

/// Size of the inside of a pane, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Columns.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

/// Where a pane is scrolled to and where its cursor is, in rows of its own model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    /// First visible row.
    pub top: usize,
    /// Row under the cursor.
    pub cursor: usize,
    /// Columns scrolled sideways.
    pub aside: usize,
    /// The cursor was sent somewhere: if it is not visible there, it is shown in the middle, with what is around it.
    pub is_jump: bool,
}

/// Rows kept visible above and below the cursor.
const MARGIN: usize = 2;

/// Which of the hits of a search it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nth {
    /// Its number, from 0.
    pub at: usize,
    /// How many there are.
    pub of: usize,
}

/// The next or previous of some hits (in order) from a place, around the end.
pub fn next_hit<T: Ord>(hits: &[T], here: &T, is_forward: bool) -> Option<Nth> {
    let last = hits.len().checked_sub(1)?;
    let at = if is_forward {
        hits.partition_point(|hit| hit <= here) % hits.len()
    } else {
        hits.partition_point(|hit| hit < here).checked_sub(1).unwrap_or(last)
    };
    Some(Nth { at, of: hits.len() })
}

impl Scroll {
    /// Moves the cursor by some rows, within `total`.
    pub fn move_by(&mut self, delta: isize, total: usize) {
        self.cursor = self.cursor.saturating_add_signed(delta).min(total.saturating_sub(1));
    }

    /// Puts the cursor on the next or previous of some rows (in order), around the end; which one it is, if there is
    /// one.
    pub fn move_to_hit(&mut self, hits: &[usize], is_forward: bool) -> Option<Nth> {
        let found = next_hit(hits, &self.cursor, is_forward)?;
        self.cursor = hits[found.at];
        Some(found)
    }

    /// Sends the cursor to a row.
    pub fn jump_to(&mut self, row: usize) {
        self.cursor = row;
        self.is_jump = true;
    }

    /// Moves the window so that the cursor is inside, with a margin, and no further than needed. A pane that is not on
    /// the screen (of no height) stays as it is.
    pub fn show_cursor(&mut self, height: usize, total: usize) {
        self.cursor = self.cursor.min(total.saturating_sub(1));
        if height == 0 {
            return;
        }
        if std::mem::take(&mut self.is_jump) && !(self.top..self.top + height).contains(&self.cursor) {
            self.top = self.cursor.saturating_sub(height / 2);
        }
        let margin = MARGIN.min(height.saturating_sub(1) / 2);
        let top_max = total.saturating_sub(height);
        self.top = self.top.min(top_max);
        if self.cursor < self.top + margin {
            self.top = self.cursor.saturating_sub(margin);
        } else if self.cursor + margin + 1 > self.top + height {
            self.top = (self.cursor + margin + 1).saturating_sub(height).min(top_max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_go_around_both_ways() {
        let mut s = Scroll { cursor: 4, ..Scroll::default() };
        let mut go = |hits: &[usize], is_forward| (s.move_to_hit(hits, is_forward), s.cursor);
        let nth = |at, of| Some(Nth { at, of });
        assert_eq!(go(&[1, 4, 7], true), (nth(2, 3), 7));
        assert_eq!(go(&[1, 4, 7], true), (nth(0, 3), 1));
        assert_eq!(go(&[1, 4, 7], false), (nth(2, 3), 7));
        assert_eq!(go(&[7], true), (nth(0, 1), 7));
        assert_eq!(go(&[], true), (None, 7));
    }

    #[test]
    fn scrolls_no_further_than_needed() {
        let mut s = Scroll { cursor: 9, ..Scroll::default() };
        s.show_cursor(10, 100);
        assert_eq!(s.top, 2);
        s.cursor = 5;
        s.show_cursor(10, 100);
        assert_eq!(s.top, 2);
        s.cursor = 99;
        s.show_cursor(10, 100);
        assert_eq!(s.top, 90);
        s.show_cursor(0, 100);
        assert_eq!(s.top, 90);
        s.show_cursor(10, 3);
        assert_eq!((s.top, s.cursor), (0, 2));
    }

    #[test]
    fn a_jump_shows_what_is_around() {
        let mut s = Scroll::default();
        s.jump_to(40);
        s.show_cursor(0, 100);
        s.show_cursor(10, 100);
        assert_eq!(s.top, 35);
        s.jump_to(36);
        s.show_cursor(10, 100);
        assert_eq!(s.top, 34);
    }
}
