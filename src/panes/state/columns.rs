//! Where keys and values of the state pane are.

use super::{Open, StateLine, StateRowTarget};
use crate::json::Key;
use crate::text::{SafeText, width};

/// Widest column of keys.
const KEY_CELLS_MAX: usize = 20;

/// Cells of the signs before a key.
const SIGN_CELLS: usize = 4;

/// Panes of fewer cells are narrow: keys, indentation and steps give way to values.
const NARROW: usize = 32;

/// Cells by which a row is indented. Deep values go no further in than half of the width (in a narrow pane a quarter),
/// so that they can be seen.
pub(super) fn indent_of(depth: u32, cells: usize) -> usize {
    let most = if cells < NARROW { cells / 4 } else { cells / 2 };
    (depth as usize * if cells < 50 { 1 } else { 2 }).min(most)
}

/// A key is cut to fewer cells nowhere.
pub(super) fn key_cells_min(cells: usize) -> usize {
    if cells < NARROW { 5 } else { 8 }
}

/// Cells that a value has before the step that wrote it is shown beside it.
pub(super) const VALUE_CELLS_MIN: usize = 6;

/// Where values begin, so that they are in one column: after the widest visible key, its indentation included. Keys
/// that would leave less than half of the width to all values are cut.
pub(super) fn value_column(open: &Open<'_>, lines: &[StateLine], pane: usize) -> usize {
    let cells = |line: &StateLine| {
        if matches!(line.place, StateRowTarget::Field(..)) {
            return None;
        }
        let key = match line.key(open).filter(|_| line.is_open.is_none())? {
            Key::Index(i) => i.to_string().len() + 2,
            Key::Name(n) => width(SafeText::of(&n).as_str()),
        };
        Some(indent_of(line.depth, pane) + key.min(KEY_CELLS_MAX))
    };
    lines.iter().filter_map(cells).max().unwrap_or(0).min((pane / 2).saturating_sub(SIGN_CELLS))
}
