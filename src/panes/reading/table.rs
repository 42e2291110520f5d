//! Tables: the columns share the width, cells wrap in theirs.

use super::layout::{Spans, leads_of, leads_width};
use super::line::Lead;
use crate::panes::{Piece, Row};
use crate::text::{Role, SafeText, width, wrap};
use std::ops::Range;
use std::sync::Arc;

/// Fewest cells of a column; a table with narrower ones is shown row by row as lines.
const COLUMN_CELLS_MIN: usize = 4;
/// Widest column that a table asks for.
const COLUMN_CELLS_MAX: usize = 200;
/// What is between columns.
const BETWEEN: &str = " │ ";

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) leads: Vec<Lead>,
    pub(super) cells: Vec<Vec<(Role, String)>>,
    /// What all its rows share.
    pub(super) shape: Arc<TableShape>,
    pub(super) is_head: bool,
}

/// The columns of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TableShape {
    /// Cells that each would need.
    widths: Vec<usize>,
    /// Whether its numbers are at the right.
    pub(super) is_right: Vec<bool>,
}

impl TableShape {
    /// The columns of rows of cells.
    pub(super) fn of(rows: &[Vec<Vec<(Role, String)>>], is_right: Vec<bool>) -> Self {
        let mut widths: Vec<usize> = Vec::new();
        for row in rows {
            widths.resize(widths.len().max(row.len()), 1);
            for (column, cell) in widths.iter_mut().zip(row) {
                let cells: usize = cell.iter().map(|(_, text)| width(SafeText::of(text).as_str())).sum();
                *column = (*column).max(cells.min(COLUMN_CELLS_MAX));
            }
        }
        Self { widths, is_right }
    }

    /// The widths of the columns in `cells` cells; None: that is not enough for all columns.
    fn fitted(&self, cells: usize) -> Option<Vec<usize>> {
        let between = width(BETWEEN) * self.widths.len().saturating_sub(1);
        let room = cells.checked_sub(between)?;
        let mut fitted = self.widths.clone();
        let total: usize = fitted.iter().sum();
        if total <= room {
            return Some(fitted);
        }
        // What is narrower than its share keeps its width; the others share what is left.
        let (mut left, mut open) = (room, fitted.len());
        let mut order: Vec<usize> = (0..fitted.len()).collect();
        order.sort_by_key(|column| self.widths[*column]);
        for column in order {
            fitted[column] = self.widths[column].min(left / open.max(1));
            (left, open) = (left - fitted[column], open - 1);
        }
        fitted.iter().zip(&self.widths).all(|(cells, width)| *cells >= COLUMN_CELLS_MIN.min(*width)).then_some(fitted)
    }
}

/// The rows of a row of a table.
pub(super) fn rows(table: &Table, cells: usize) -> Vec<Row> {
    let room = cells.saturating_sub(leads_width(&table.leads, cells));
    let texts: Vec<Spans> =
        table.cells.iter().map(|cell| Spans::of(cell.iter().map(|(role, text)| (*role, text.as_str())))).collect();
    let Some(widths) = table.shape.fitted(room) else { return as_line(table, &texts, cells, room) };
    let parts: Vec<Vec<Range<usize>>> =
        texts.iter().zip(&widths).map(|(text, cells)| wrap(&text.text, *cells)).collect();
    let height = parts.iter().map(Vec::len).max().unwrap_or(1);
    let row = |number: usize| {
        let mut left = leads_of(&table.leads, cells, number == 0);
        for (column, cells) in widths.iter().enumerate() {
            if column > 0 {
                left.push(Piece::of(Role::Border, BETWEEN));
            }
            let part = parts.get(column).and_then(|parts| parts.get(number)).cloned().unwrap_or(0..0);
            let pieces = texts.get(column).map(|text| text.pieces(&part)).unwrap_or_default();
            let blanks = cells.saturating_sub(pieces.iter().map(Piece::width).sum());
            let is_right = table.shape.is_right.get(column).copied().unwrap_or_default();
            let fill = Piece::of(Role::Text, &" ".repeat(blanks));
            if is_right {
                left.extend(std::iter::once(fill).chain(pieces));
            } else {
                left.extend(pieces.into_iter().chain(std::iter::once(fill)));
            }
        }
        Row::new(left)
    };
    let mut rows: Vec<Row> = (0..height).map(row).collect();
    if table.is_head {
        let mut left = leads_of(&table.leads, cells, false);
        let lines: Vec<String> = widths.iter().map(|cells| "─".repeat(*cells)).collect();
        left.push(Piece::of(Role::Border, &lines.join("─┼─")));
        rows.push(Row::new(left));
    }
    rows
}

/// A row of a table that is too wide, as a line.
fn as_line(table: &Table, texts: &[Spans], cells: usize, room: usize) -> Vec<Row> {
    let text = texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join(BETWEEN);
    let role = if table.is_head { Role::Title } else { Role::Text };
    let row = |(number, part): (usize, Range<usize>)| {
        let mut left = leads_of(&table.leads, cells, number == 0);
        left.push(Piece::of(role, &text[part]));
        Row::new(left)
    };
    wrap(&text, room.max(1)).into_iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_the_width_and_cells_wrap() {
        let cell = |text: &str| vec![(Role::Text, text.to_owned())];
        let cells = vec![vec![cell("id"), cell("what it says")], vec![cell("7"), cell("several words that wrap")]];
        let shape = Arc::new(TableShape::of(&cells, vec![true, false]));
        let table = |row: usize| Table {
            leads: Vec::new(),
            cells: cells[row].clone(),
            shape: Arc::clone(&shape),
            is_head: row == 0,
        };
        let shown = |width: usize| -> Vec<String> {
            let rows = (0..2).flat_map(|row| rows(&table(row), width));
            rows.map(|row| row.plain().trim_end().to_owned()).collect()
        };
        assert_eq!(shown(40), ["id │ what it says", "───┼────────────────────────", " 7 │ several words that wrap"]);
        let narrow = ["id │ what it says", "───┼──────────────", " 7 │ several", "   │ words that", "   │ wrap"];
        assert_eq!(shown(18), narrow);
        assert_eq!(shown(6), ["id │", "what", "it", "says", "7 │", "severa", "l", "words", "that", "wrap"]);
    }
}
