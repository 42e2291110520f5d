//! Which columns of the table fit, and how wide each is: as what the rows shown hold asks for, and kept while they
//! scroll; only a longer id that comes into view widens its column.

use super::TablePane;
use super::cells::{self, RecordCells};
use crate::panes::row::pieces_width;
use crate::panes::{Extent, Piece, Row, Session};
use crate::review::{Column, Filter, Sort};
use crate::text::{Role, SafeText, pad, width};

/// Cells between two columns: for the sign of the order after the one, and for that of the focus before the other.
const GAP: usize = 2;
/// Cells of a row beside its columns: the edge, and after the last column the sign of the order.
const EDGES: usize = 2;

/// What the columns would like to have, in cells.
#[derive(Debug, Clone, Default)]
pub(super) struct PreferredWidths {
    cells: Vec<(Column, usize)>,
    /// The filter whose rows were measured, and the size of the pane.
    of: Option<(Filter, Extent)>,
    /// Whether the rows measured fill the pane, and all was known that they show.
    is_sure: bool,
}

impl PreferredWidths {
    /// Whether they hold for such columns, rows that pass such a filter, and a pane of that size.
    pub(super) fn fit(&self, columns: &[Column], filter: &Filter, extent: Extent) -> bool {
        let is_same = self.of.as_ref().is_some_and(|(of, size)| of == filter && *size == extent);
        is_same && self.cells.iter().map(|(column, _)| column).eq(columns)
    }

    /// Whether they hold until one of these is another.
    pub(super) fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// Gives a column at least `least` cells.
    pub(super) fn widen(&mut self, column: Column, least: usize) {
        self.cells.iter_mut().filter(|(shown, _)| *shown == column).for_each(|(_, cells)| *cells = (*cells).max(least));
    }

    /// Measures the rows that are shown.
    pub(super) fn of(table: &TablePane, columns: &[Column], session: &Session, extent: Extent) -> Self {
        let rows = extent.height.saturating_sub(1);
        let mut is_sure = table.visible(session, rows).count() == rows;
        let mut cells: Vec<(Column, usize)> = columns.iter().map(|column| (*column, 0)).collect();
        for record in table.visible(session, rows) {
            let known = table.known(record);
            is_sure &= known.facts.is_some() && columns.iter().all(|column| table.has_value(*column, record));
            for (column, most) in &mut cells {
                *most = (*most).max(pieces_width(&cells::cell(*column, record, session, &known)));
            }
        }
        for (column, most) in &mut cells {
            *most = (*most).max(floor(*column, session.records.count()));
        }
        Self { cells, of: Some((table.ordered.clone(), extent)), is_sure }
    }
}

/// Cells of a column whatever is shown: its heading, and what its numbers may become.
fn floor(column: Column, records: usize) -> usize {
    let content = match column {
        Column::Number => records.saturating_sub(1).to_string().len(),
        Column::Chars
        | Column::Cost
        | Column::Reward
        | Column::GroupMean
        | Column::GroupDeviation
        | Column::GroupAdvantage => 6,
        Column::GroupPass => 5,
        Column::Size => 8,
        _ => 0,
    };
    content.max(width(column.title()))
}

/// The columns that fit, with their widths.
#[derive(Debug)]
pub(super) struct TableWidths {
    columns: Vec<(Column, usize)>,
    has_more: (bool, bool),
}

impl TableWidths {
    /// The columns from the first on, as many as fit; if the one in focus is not among them, those up to it. Number,
    /// mark and id stay at the left while there is room for them beside the one in focus. `records` is the number of
    /// records so far, `finish` the cells that the names of endings take.
    pub(super) fn of(wants: &PreferredWidths, focus: Column, cells: usize, (records, finish): (usize, usize)) -> Self {
        let want = |(column, want): &(Column, usize)| {
            let grown = match column {
                Column::Number => floor(*column, records),
                Column::Finish => finish,
                _ => 0,
            };
            (*column, (*want).max(grown).min(most(*column, cells)))
        };
        let wanted: Vec<(Column, usize)> = wants.cells.iter().map(want).collect();
        let least: Vec<usize> = wanted.iter().map(|(column, want)| (*want).min(least(*column, cells))).collect();
        let room = (cells + GAP).saturating_sub(EDGES);
        let used = |range: std::ops::Range<usize>| least[range].iter().map(|n| n + GAP).sum::<usize>();
        let at = wanted.iter().position(|(column, _)| *column == focus).unwrap_or(0);
        let is_pinned = |(column, _): &&(Column, usize)| matches!(column, Column::Number | Column::Mark | Column::Id);
        let mut fixed = wanted.iter().take_while(is_pinned).count().min(at);
        while fixed > 0 && used(0..fixed) + used(at..at + 1) > room {
            fixed -= 1;
        }
        let mut first = fixed;
        while first < at && used(0..fixed) + used(first..at + 1) > room {
            first += 1;
        }
        let mut end = (first.max(at) + 1).min(wanted.len());
        let position = |column: Column| wanted.iter().position(|(other, _)| *other == column);
        let (words, reward) = (position(Column::Words), position(Column::Reward));
        let is_next = |end: usize| {
            let now = used(0..fixed) + used(first..end);
            let next = now + least[end] + GAP;
            // How attempts ended does not take the place of what they are measured by.
            let is_finish = wanted[end].0 == Column::Finish;
            let reserved = reward.filter(|reward| is_finish && *reward > end).map_or(0, |reward| least[reward] + GAP);
            next + reserved <= room
                && leaves_words(wanted[end].0, words.is_some_and(|words| words > end), (now, next), room)
        };
        while end < wanted.len() && is_next(end) {
            end += 1;
        }
        let mut shown: Vec<usize> = (0..fixed).chain(first..end).collect();
        let mut left = room.saturating_sub(used(0..fixed) + used(first..end));
        let mut columns: Vec<(Column, usize)> =
            shown.iter().map(|i| (wanted[*i].0, least[*i].min(cells.saturating_sub(1)))).collect();
        // What attempts are measured by comes before words, wherever its column is.
        let reward = reward.filter(|at| *at >= end).map(|at| (at, least[at]));
        if let Some((reward, cells)) = reward.filter(|(_, cells)| left >= cells + GAP) {
            shown.push(reward);
            columns.push((Column::Reward, cells));
            left -= cells + GAP;
        }
        // They come after what fits, in what is left.
        if let Some(words) = words.filter(|words| !shown.contains(words) && left >= WORDS_CELLS_MIN + GAP) {
            shown.push(words);
            columns.push((Column::Words, WORDS_CELLS_MIN));
            left -= WORDS_CELLS_MIN + GAP;
        }
        let wanted: Vec<usize> = shown.iter().map(|i| wanted[*i].1).collect();
        widen(&mut columns, &wanted, left, cells);
        Self { columns, has_more: (first > fixed, end < wants.cells.len()) }
    }

    /// The column at a cell; the cells between two belong to the one before which or after which their signs are.
    pub(super) fn column_at(&self, cell: usize) -> Option<Column> {
        let mut end = 0;
        let is_there = |(_, cells): &&(Column, usize)| {
            end += cells + GAP;
            cell < end
        };
        self.columns.iter().find(is_there).map(|(column, _)| *column)
    }

    /// The headings; the column in focus and the one that the rows are sorted by have a sign.
    pub(super) fn heading(&self, focus: Column, sort: Option<Sort>, counts_tokens: bool) -> Row {
        let (mut pieces, mut before) = (Vec::new(), if self.has_more.0 { "‹" } else { " " });
        for (i, (column, cells)) in self.columns.iter().enumerate() {
            let order = match sort {
                Some(Sort { column: by, is_reversed: true }) if by == *column => "▼",
                Some(Sort { column: by, .. }) if by == *column => "▲",
                _ => " ",
            };
            let title = if *column == Column::Tokens && counts_tokens { "tokens" } else { column.title() };
            let (title, mut mark) = (title, if *column == focus { "▸" } else { "" });
            let fill = cells.saturating_sub(width(title));
            let (text, mut behind) = match fill {
                0 => (title.to_owned(), order),
                _ if cells::is_right(*column) => {
                    let mark = std::mem::take(&mut mark);
                    (format!("{}{mark}{title}", " ".repeat(fill - width(mark))), order)
                }
                _ => (format!("{title}{order}"), " "),
            };
            if i + 1 == self.columns.len() && self.has_more.1 && behind == " " {
                behind = "›";
            }
            let role = if *column == focus { Role::Accent } else { Role::Dim };
            pieces.push(Piece::of(Role::Accent, if mark.is_empty() { before } else { mark }));
            pieces.push(Piece::safe(role, pad(&SafeText::of(&text), *cells)));
            pieces.push(Piece::of(role, behind));
            before = " ";
        }
        Row::new(pieces)
    }

    /// The cells of a record.
    pub(super) fn row(&self, record: usize, session: &Session, known: &RecordCells<'_>, edge: &str) -> Row {
        let mut pieces = vec![Piece::of(Role::Accent, edge)];
        for (i, (column, cells)) in self.columns.iter().enumerate() {
            if i > 0 {
                pieces.push(Piece::of(Role::Text, &" ".repeat(GAP)));
            }
            pieces.extend(cells::placed(*column, cells::cell(*column, record, session, known), *cells));
        }
        Row::new(pieces)
    }
}

/// Fewest cells in which first words say something.
const WORDS_CELLS_MIN: usize = 12;
/// Most cells that numbers leave to first words that come after them.
const WORDS_CELLS_RESERVED: usize = 20;

/// Whether the next column leaves room for first words that come later: they say what a record is. What failed comes
/// before them. `now` cells are used without it, `next` with it.
fn leaves_words(column: Column, has_words_later: bool, (now, next): (usize, usize), room: usize) -> bool {
    let is_failure = matches!(column, Column::Findings | Column::Failed);
    let has_no_room = now + WORDS_CELLS_MIN + GAP > room;
    let reserved = (room / 4).clamp(WORDS_CELLS_MIN, WORDS_CELLS_RESERVED) + GAP;
    !has_words_later || is_failure || has_no_room || next + reserved <= room
}

/// Fewest cells in which a column of words is worth showing.
fn least(column: Column, cells: usize) -> usize {
    match column {
        Column::Id => (cells / 6).clamp(8, 16),
        Column::Words if cells < 100 => (cells / 5).max(WORDS_CELLS_MIN),
        Column::Words => worth(cells),
        Column::Tools | Column::Actions => (cells / 8).clamp(10, 24),
        Column::Model => (cells / 10).clamp(8, 20),
        Column::Custom(name) => width(name.as_str()).max(12),
        _ => usize::MAX,
    }
}

/// Cells that first words are worth before anything else has more than its least.
fn worth(cells: usize) -> usize {
    (cells * 3 / 10).clamp(12, 48)
}

/// Most cells that a column of words is given while others want some.
fn most(column: Column, cells: usize) -> usize {
    match column {
        Column::Id => (cells / 4).clamp(12, 40),
        Column::Tools | Column::Actions | Column::Custom(_) => (cells / 4).clamp(16, 40),
        Column::Finish => 12,
        Column::Model => (cells / 6).clamp(12, 32),
        _ => usize::MAX,
    }
}

/// Gives away the cells that are left: to first words what they are worth, then to the id, to first words, to other
/// words, as far as they want some; the rest to first words, whose further rows may have longer ones, else to the last
/// column. `cells` are those of the pane.
fn widen(columns: &mut [(Column, usize)], wanted: &[usize], mut left: usize, cells: usize) {
    let mut give = |i: usize, most: usize, columns: &mut [(Column, usize)]| {
        let more = most.min(wanted[i]).saturating_sub(columns[i].1).min(left);
        columns[i].1 += more;
        left -= more;
    };
    let rank = |column: Column| match column {
        Column::Id => 0,
        Column::Words => 1,
        _ => 2,
    };
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|i| rank(columns[*i].0));
    if let Some(words) = columns.iter().position(|(column, _)| *column == Column::Words) {
        give(words, worth(cells), columns);
    }
    order.into_iter().for_each(|i| give(i, usize::MAX, columns));
    let last = columns.len().saturating_sub(1);
    let at = columns.iter().position(|(column, _)| *column == Column::Words).unwrap_or(last);
    if let Some((_, cells)) = columns.get_mut(at).filter(|(column, _)| !cells::is_right(*column)) {
        *cells += left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants(long: usize) -> PreferredWidths {
        let cells = Column::ALL.map(|column| {
            let is_wide = least(column, 400) < usize::MAX;
            (column, floor(column, 100_000).max(if is_wide { long } else { 0 }))
        });
        PreferredWidths { cells: cells.to_vec(), ..PreferredWidths::default() }
    }

    fn shape(focus: Column, cells: usize, long: usize) -> TableWidths {
        TableWidths::of(&wants(long), focus, cells, (100_000, 9))
    }

    fn shown(focus: Column, cells: usize) -> Vec<Column> {
        shape(focus, cells, 90).columns.iter().map(|(column, _)| *column).collect()
    }

    #[test]
    fn the_column_in_focus_is_always_shown_whole_and_no_row_is_wider_than_the_pane() {
        for (cells, long) in (1..240).flat_map(|cells| [(cells, 3), (cells, 90)]) {
            for focus in Column::ALL {
                let shape = shape(focus, cells, long);
                assert!(shape.columns.iter().any(|(column, _)| *column == focus), "{focus:?} at {cells}");
                let used: usize = EDGES + shape.columns.iter().map(|(_, n)| n + GAP).sum::<usize>() - GAP;
                assert!(used <= cells || cells < 15, "{used} of {cells} for {focus:?}");
            }
        }
    }

    #[test]
    fn number_and_id_stay_while_others_scroll() {
        assert_eq!(shown(Column::Steps, 40)[2..4], [Column::Id, Column::Steps]);
        let far = shown(Column::Size, 60);
        assert_eq!(far[..3], [Column::Number, Column::Mark, Column::Id]);
        assert!(far.contains(&Column::Size) && !far.contains(&Column::Steps));
        assert_eq!(shown(Column::Steps, 400), Column::ALL);
    }

    #[test]
    fn a_narrow_table_shows_the_reward_before_the_ending() {
        let columns = [(Column::Number, 2), (Column::Id, 12), (Column::Finish, 12), (Column::Reward, 6)];
        let wants = PreferredWidths { cells: columns.to_vec(), ..PreferredWidths::default() };
        let shown = |cells| {
            let widths = TableWidths::of(&wants, Column::Number, cells, (10, 12));
            widths.columns.iter().map(|(column, _)| *column).collect::<Vec<_>>()
        };
        assert_eq!(shown(34), [Column::Number, Column::Id, Column::Reward]);
        assert_eq!(shown(60), columns.map(|(column, _)| column));
    }

    #[test]
    fn a_column_has_what_it_wants_and_the_first_words_have_the_rest() {
        let cells = |columns: &[(Column, usize)], cells| {
            let wants = PreferredWidths { cells: columns.to_vec(), ..PreferredWidths::default() };
            TableWidths::of(&wants, columns[0].0, cells, (10, 6)).columns.iter().map(|(_, n)| *n).collect::<Vec<_>>()
        };
        let all = [(Column::Number, 4), (Column::Id, 9), (Column::Finish, 6), (Column::Words, 50)];
        assert_eq!(cells(&all, 80), [4, 9, 6, 53]);
        assert_eq!(cells(&all, 60), [4, 9, 6, 33]);
        let narrow = [(Column::Number, 4), (Column::Id, 30), (Column::Words, 50), (Column::Tools, 30)];
        assert_eq!(cells(&narrow, 80), [4, 20, 38, 10]);
        let tight = [(Column::Id, 30), (Column::Size, 30), (Column::Chars, 30), (Column::Words, 50)];
        assert_eq!(cells(&tight, 80), [20, 30, 24], "numbers leave room for words");
        let few = [(Column::Number, 2), (Column::Steps, 5)];
        assert_eq!(cells(&few, 80), [2, 5], "numbers are not spread");
    }
}
