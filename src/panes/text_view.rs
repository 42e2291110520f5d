//! Plain text to read: the LLM view, raw records, a comparison of two steps. Lines are wrapped once per width.

use super::{Extent, Hit, Nth, Piece, Row, Scroll, Window};
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::text::{Pattern, Role, wrap_hanging};
use std::ops::Range;
use std::rc::Rc;

/// A line of text, unwrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// What it is.
    pub role: Role,
    /// What it says, not yet safe to paint.
    pub text: String,
    /// The step that it comes from.
    pub step: Option<StepNo>,
    /// Parts of it that are something else, in order, as ranges of bytes.
    pub marks: Vec<(Range<usize>, Role)>,
    /// The value that it reports.
    pub target: Option<(Identity, Vec<Key>)>,
    /// What it stands for, if it is a fold: the name to unfold it by.
    pub fold: Option<String>,
}

impl TextLine {
    /// A line that comes from no step.
    #[must_use]
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), step: None, marks: Vec::new(), target: None, fold: None }
    }

    /// Names the step that it comes from.
    #[must_use]
    pub fn from_step(mut self, step: StepNo) -> Self {
        self.step = Some(step);
        self
    }

    /// Names the value that it reports.
    #[must_use]
    pub fn of_value(mut self, target: (Identity, Vec<Key>)) -> Self {
        self.target = Some(target);
        self
    }

    /// A part of it as pieces, cut where marks begin and end.
    fn pieces(&self, part: &Range<usize>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = part.start;
        let mut put = |to: usize, role: Role| {
            if to > at {
                pieces.push(Piece::of(role, &self.text[at..to]));
                at = to;
            }
        };
        for (range, role) in &self.marks {
            put(range.start.min(part.end), self.role);
            put(range.end.min(part.end), *role);
        }
        put(part.end, self.role);
        pieces
    }
}

/// A text on screen.
#[derive(Debug, Default)]
pub struct TextView {
    /// Scroll and cursor, in wrapped rows.
    pub scroll: Scroll,
    lines: Rc<Vec<TextLine>>,
    version: u64,
    cache: std::cell::RefCell<Option<Wrapped>>,
}

/// Row of every wrapped line: the line's number and its bytes.
type WrappedRows = Rc<Vec<(usize, Range<usize>)>>;

#[derive(Debug, Clone)]
struct Wrapped {
    version: u64,
    cells: usize,
    rows: WrappedRows,
}

impl TextView {
    /// Shows a text; the scroll position stays where it was as far as the text reaches.
    pub fn set(&mut self, lines: Vec<TextLine>) {
        self.lines = Rc::new(lines);
        self.version += 1;
    }

    /// The lines.
    #[must_use]
    pub fn lines(&self) -> &[TextLine] {
        &self.lines
    }

    /// Rows at a width.
    #[must_use]
    pub fn row_count(&self, cells: usize) -> usize {
        self.wrapped(cells).len()
    }

    /// The line under the cursor.
    #[must_use]
    pub fn line(&self, cells: usize) -> Option<&TextLine> {
        let at = self.wrapped(cells).get(self.scroll.cursor)?.0;
        self.lines.get(at)
    }

    /// The number of the line under the cursor.
    #[must_use]
    pub fn line_number(&self, cells: usize) -> Option<usize> {
        self.line_of_row(self.scroll.cursor, cells)
    }

    /// Whether the cursor is on the last row, as the text was last laid out; of one that never was it is.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        let wrapped = self.cache.borrow();
        wrapped
            .as_ref()
            .is_none_or(|w| w.version != self.version || self.scroll.cursor.saturating_add(1) >= w.rows.len())
    }

    /// The first row of a line.
    #[must_use]
    pub fn row_of(&self, line: usize, cells: usize) -> usize {
        self.wrapped(cells).partition_point(|(wrapped_line, _)| *wrapped_line < line)
    }

    /// Puts the cursor on the next or previous row in which a match begins, around the end; which one it is.
    pub fn search(&mut self, pattern: &Pattern, cells: usize, is_forward: bool) -> Option<Nth> {
        let hits = self.hits(pattern, cells);
        self.scroll.move_to_hit(&hits, is_forward)
    }

    /// The rows in which a match begins, in order.
    #[must_use]
    pub fn hits(&self, pattern: &Pattern, cells: usize) -> Vec<usize> {
        let rows = self.wrapped(cells);
        let mut hits = Vec::new();
        let mut row = 0;
        for (i, line) in self.lines.iter().enumerate() {
            for start in pattern.starts(&line.text) {
                // The row that holds the start; a match that begins in blanks cut off at a break is that of the next.
                while rows.get(row).is_some_and(|(l, range)| *l < i || (*l == i && range.end <= start)) {
                    row += 1;
                }
                hits.push(row.min(rows.len().saturating_sub(1)));
            }
        }
        hits.dedup();
        hits
    }

    /// The width at which the text was last laid out.
    #[must_use]
    pub fn cells(&self) -> Option<usize> {
        self.cache.borrow().as_ref().map(|wrapped| wrapped.cells)
    }

    /// The number of the line of a row.
    #[must_use]
    pub fn line_of_row(&self, row: usize, cells: usize) -> Option<usize> {
        self.wrapped(cells).get(row).map(|(line, _)| *line)
    }

    fn wrapped(&self, cells: usize) -> WrappedRows {
        if let Some(w) = self.cache.borrow().as_ref().filter(|w| w.version == self.version && w.cells == cells) {
            return Rc::clone(&w.rows);
        }
        let room = cells.saturating_sub(2).max(4);
        let rows = self
            .lines
            .iter()
            .enumerate()
            .flat_map(|(i, line)| {
                let rows = wrap_hanging(&line.text, room, hanging(&line.text, room));
                rows.into_iter().map(move |range| (i, range))
            })
            .collect();
        let wrapped = Wrapped { version: self.version, cells, rows: Rc::new(rows) };
        let rows = Rc::clone(&wrapped.rows);
        *self.cache.borrow_mut() = Some(wrapped);
        rows
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, extent: Extent, has_focus: bool) -> Window {
        let wrapped = self.wrapped(extent.width);
        let top = self.scroll.top.min(wrapped.len());
        let rows = wrapped[top..wrapped.len().min(top + extent.height)]
            .iter()
            .enumerate()
            .map(|(i, (line, range))| {
                let line = &self.lines[*line];
                // What goes on from the row above must not be where lines have their signs.
                let indent = if range.start == 0 { 0 } else { hanging(&line.text, extent.width.saturating_sub(2)) };
                let mut pieces = vec![Piece::of(Role::Text, &" ".repeat(1 + indent))];
                pieces.extend(line.pieces(range));
                let row = Row::new(pieces).part_of(&line.text, range, 1);
                row.hit(Hit::Row(top + i)).cursor(has_focus && top + i == self.scroll.cursor)
            })
            .collect();
        Window { rows, top, total: wrapped.len() }
    }
}

/// Cells by which a line is indented where it goes on, in a pane of so much room: as it begins, and by those of a sign.
fn hanging(text: &str, room: usize) -> usize {
    let indent = text.bytes().take_while(|byte| *byte == b' ').count();
    if room < HANGING_ROOM_MIN { 0 } else { indent.clamp(SIGN_CELLS, room / 2) }
}

/// Cells of the signs that lines begin with.
const SIGN_CELLS: usize = 2;
/// Least room in which lines are indented where they go on.
const HANGING_ROOM_MIN: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_cut_a_line_into_pieces_wherever_it_is_wrapped() {
        let mut line = TextLine::new(Role::Text, "one two three");
        line.marks = vec![(4..7, Role::Added), (8..9, Role::Removed)];
        let text_of = |range: Range<usize>| {
            let pieces = line.pieces(&range);
            pieces.iter().map(|p| format!("{:?}:{}", p.role, p.text.as_str())).collect::<Vec<_>>().join("|")
        };
        assert_eq!(text_of(0..13), "Text:one |Added:two|Text: |Removed:t|Text:hree");
        assert_eq!(text_of(0..5), "Text:one |Added:t");
        assert_eq!(text_of(5..13), "Added:wo|Text: |Removed:t|Text:hree");
        assert_eq!(text_of(9..13), "Text:hree");
    }

    #[test]
    fn a_search_goes_to_the_row_of_a_long_line() {
        let mut reader = TextView::default();
        let line = |text: &str| TextLine::new(Role::Text, text);
        reader.set(vec![line("one two three four"), line(""), line("two"), line("a twofold two")]);
        let pattern = Pattern::new("two").unwrap();
        let mut rows = Vec::new();
        for _ in 0..5 {
            assert_eq!(reader.search(&pattern, 8, true).map(|nth| nth.of), Some(4));
            rows.push(reader.scroll.cursor);
        }
        let texts: Vec<&str> = reader.wrapped(8).iter().map(|(l, r)| &reader.lines[*l].text[r.clone()]).collect();
        assert!(rows.iter().all(|r| texts[*r].contains("two")), "{rows:?} {texts:?}");
        assert_eq!(rows[4], rows[0], "{texts:?}");
        assert_eq!(reader.search(&Pattern::new("five").unwrap(), 8, true), None);
    }
}
