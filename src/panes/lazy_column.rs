//! A column of items whose heights are known only once they are laid out: nothing but what is around the window is. A
//! place is an item and a row of it, so that no row above the window needs to be counted.

use super::{Extent, Hit, Row, Window};

/// A row of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct At {
    /// The item.
    pub item: usize,
    /// The row in it.
    pub row: usize,
}

/// A move by this many rows goes to the first or last row.
const FAR_ROWS: usize = 1 << 20;
/// Rows kept visible above and below the cursor.
const MARGIN: usize = 2;

/// What is in a column.
pub trait Items {
    /// How many there are.
    fn count(&self) -> usize;
    /// Rows of one at a width; at least one.
    fn height(&self, item: usize, cells: usize) -> usize;
    /// The rows themselves.
    fn rows(&self, item: usize, cells: usize) -> Vec<Row>;
}

/// Where a column is scrolled to, and its cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Column {
    /// The first visible row.
    pub top: At,
    /// The row under the cursor.
    pub cursor: At,
    /// The cursor was sent somewhere: if it is not visible there, it is shown with what is around it.
    pub is_jump: bool,
}

impl Column {
    /// Moves the cursor by some rows.
    pub fn move_by(&mut self, delta: isize, items: &dyn Items, cells: usize) {
        self.cursor = walk(items, self.cursor, delta, cells);
    }

    /// Moves cursor and window by some rows.
    pub fn page_by(&mut self, delta: isize, items: &dyn Items, cells: usize) {
        self.top = walk(items, self.top, delta, cells);
        self.move_by(delta, items, cells);
    }

    /// Sends the cursor to a row.
    pub fn jump_to(&mut self, at: At) {
        self.cursor = at;
        self.is_jump = true;
    }

    /// Moves the window so that the cursor is inside, with a margin, and no further than needed.
    pub fn show_cursor(&mut self, items: &dyn Items, extent: Extent) {
        let Extent { width, height } = extent;
        (self.top, self.cursor) = (within(items, self.top, width), within(items, self.cursor, width));
        if height == 0 {
            return;
        }
        let by =
            |from: At, rows: usize, sign: isize| walk(items, from, sign * isize::try_from(rows).unwrap_or(0), width);
        let margin = MARGIN.min(height.saturating_sub(1) / 2);
        let is_visible = self.cursor >= self.top && self.cursor <= by(self.top, height - 1, 1);
        if std::mem::take(&mut self.is_jump) && !is_visible {
            self.top = by(self.cursor, height / 3, -1);
        }
        self.top = self.top.clamp(by(self.cursor, height - 1 - margin, -1), by(self.cursor, margin, -1));
        self.top = self.top.min(by(last(items, width), height - 1, -1));
    }

    /// The visible rows; `Hit::Row` is the place of a row in the window.
    #[must_use]
    pub fn window(&self, items: &dyn Items, extent: Extent, has_focus: bool) -> Window {
        let mut rows = Vec::new();
        let mut at = self.top;
        while rows.len() < extent.height && at.item < items.count() {
            let row_count = items.rows(at.item, extent.width);
            for (number, row) in row_count.into_iter().enumerate().skip(at.row).take(extent.height - rows.len()) {
                let is_cursor = self.cursor == At { item: at.item, row: number };
                let number = rows.len();
                rows.push(row.hit(Hit::Row(number)).cursor(has_focus && is_cursor));
            }
            at = At { item: at.item + 1, row: 0 };
        }
        let is_end = rows.len() < extent.height || at.item >= items.count();
        let (top, total) = self.thumb(items.count(), extent.height, rows.len(), is_end);
        Window { rows, top, total }
    }

    /// Where the window is among all, in rows as far as these are known: an item counts as one.
    fn thumb(&self, count: usize, height: usize, shown: usize, is_end: bool) -> (usize, usize) {
        if self.top == At::default() && is_end {
            return (0, shown);
        }
        let total = (count + self.top.row).max(height.saturating_mul(2));
        let end = total - height;
        (if is_end { end } else { (self.top.item + self.top.row.min(1)).min(end.saturating_sub(1)) }, total)
    }

    /// The place of a row of the window.
    #[must_use]
    pub fn at_row(&self, row: usize, items: &dyn Items, cells: usize) -> At {
        walk(items, self.top, isize::try_from(row).unwrap_or(0), cells)
    }
}

/// The place some rows from one, or the first or last there is.
#[must_use]
pub fn walk(items: &dyn Items, from: At, delta: isize, cells: usize) -> At {
    let mut at = within(items, from, cells);
    let mut left = delta.unsigned_abs();
    if items.count() == 0 {
        return At::default();
    }
    if left >= FAR_ROWS {
        return if delta < 0 { At::default() } else { last(items, cells) };
    }
    if delta < 0 {
        while left > at.row {
            if at.item == 0 {
                return At::default();
            }
            left -= at.row + 1;
            let item = at.item - 1;
            at = At { item, row: items.height(item, cells).saturating_sub(1) };
        }
        return At { row: at.row - left, ..at };
    }
    loop {
        let height = items.height(at.item, cells).max(1);
        if at.row + left < height {
            return At { row: at.row + left, ..at };
        }
        if at.item + 1 >= items.count() {
            return At { row: height - 1, ..at };
        }
        left -= height - at.row;
        at = At { item: at.item + 1, row: 0 };
    }
}

fn last(items: &dyn Items, cells: usize) -> At {
    let Some(item) = items.count().checked_sub(1) else { return At::default() };
    At { item, row: items.height(item, cells).saturating_sub(1) }
}

/// The nearest place that there is.
fn within(items: &dyn Items, at: At, cells: usize) -> At {
    let Some(most) = items.count().checked_sub(1) else { return At::default() };
    if at.item > most {
        return last(items, cells);
    }
    At { row: at.row.min(items.height(at.item, cells).saturating_sub(1)), ..at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;

    /// Items of given heights; rows are named by item and row.
    struct Heights(Vec<usize>);

    impl Items for Heights {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn height(&self, item: usize, _cells: usize) -> usize {
            self.0[item]
        }

        fn rows(&self, item: usize, _cells: usize) -> Vec<Row> {
            (0..self.0[item]).map(|row| Row::text(Role::Text, &format!("{item}.{row}"))).collect()
        }
    }

    fn shown(column: &Column, items: &Heights, height: usize) -> Vec<String> {
        let window = column.window(items, Extent { width: 80, height }, true);
        window.rows.iter().map(|row| format!("{}{}", row.plain(), if row.is_cursor { "<" } else { "" })).collect()
    }

    #[test]
    fn the_window_follows_the_cursor_and_is_a_slice_of_all_rows() {
        let items = Heights(vec![1, 4, 1, 7, 2, 1, 1, 3]);
        let all = shown(&Column::default(), &Heights(items.0.clone()), 100);
        let all: Vec<String> = all.iter().map(|row| row.trim_end_matches('<').to_owned()).collect();
        let mut column = Column::default();
        for height in [1, 2, 3, 5, 8, 19, 20, 21] {
            for delta in [1, 1, 1, 3, -2, 9, 40, -1, -1, -7, isize::MAX / 2, -3, isize::MIN / 2, 11] {
                column.move_by(delta, &items, 80);
                column.show_cursor(&items, Extent { width: 80, height });
                let rows = shown(&column, &items, height);
                let cursor = rows.iter().filter(|row| row.ends_with('<')).count();
                assert_eq!(cursor, 1, "{height} {delta} {column:?} {rows:?}");
                assert_eq!(rows.len(), height.min(all.len()), "{height} {delta} {column:?}");
                let plain: Vec<String> = rows.iter().map(|row| row.trim_end_matches('<').to_owned()).collect();
                assert!(all.windows(plain.len()).any(|part| part == plain), "{plain:?}");
            }
        }
    }

    #[test]
    fn a_click_is_the_row_of_the_window() {
        let items = Heights(vec![1, 4, 1, 7]);
        let column = Column { top: At { item: 1, row: 2 }, ..Column::default() };
        assert_eq!(column.at_row(0, &items, 80), At { item: 1, row: 2 });
        assert_eq!(column.at_row(3, &items, 80), At { item: 3, row: 0 });
        assert_eq!(column.at_row(50, &items, 80), At { item: 3, row: 6 });
    }
}
