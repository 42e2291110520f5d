//! Rows of two sides as one row: each side in exactly its cells.

use super::{BESIDE_CELLS_MIN, Pairing};
use crate::panes::row::pieces_width;
use crate::panes::{Piece, Row};
use crate::text::{Role, SafeText, cut};

/// Cells between the sides.
const MIDDLE_CELLS: usize = 3;

/// How many cells each side has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    /// The sides that are shown.
    cells: [Option<usize>; 2],
}

impl Columns {
    /// The columns of a pane so wide; `front` is the side in front, which is alone in a narrow one.
    #[must_use]
    pub(super) fn of(cells: usize, front: usize) -> Self {
        if cells < BESIDE_CELLS_MIN {
            let alone = |side: usize| (side == front).then_some(cells);
            return Self { cells: [alone(0), alone(1)] };
        }
        let left = (cells - MIDDLE_CELLS) / 2;
        Self { cells: [Some(left), Some(cells - MIDDLE_CELLS - left)] }
    }

    /// The cells of a side; None: it is not shown.
    #[must_use]
    pub(super) fn cells(self, side: usize) -> Option<usize> {
        self.cells[side]
    }

    /// Whether both sides are shown.
    #[must_use]
    pub(super) fn is_both(self) -> bool {
        self.cells.iter().all(Option::is_some)
    }

    /// The rows of both sides as one; what is between them says how they relate to each other.
    #[must_use]
    pub(super) fn join(self, sides: [Row; 2], middle: Piece) -> Row {
        let [left, right] = sides;
        match self.cells {
            [Some(a), Some(b)] => {
                let mut pieces = fitted(&left, a);
                pieces.extend([Piece::of(Role::Text, " "), middle, Piece::of(Role::Text, " ")]);
                pieces.extend(fitted(&right, b));
                Row::new(pieces).fixed(usize::MAX)
            }
            [Some(_), None] => left,
            [None, _] => right,
        }
    }
}

/// The sign of a row: what the right side has that the left one has not, or the reverse, or otherwise.
#[must_use]
pub(super) fn sign(pairing: Pairing) -> Piece {
    match pairing {
        Pairing::Same | Pairing::Alike => Piece::of(Role::Border, "│"),
        Pairing::Result | Pairing::Changed => Piece::of(Role::Changed, "~"),
        Pairing::Left => Piece::of(Role::Removed, "−"),
        Pairing::Right => Piece::of(Role::Added, "+"),
    }
}

/// A row in exactly `cells` cells.
#[must_use]
pub(super) fn fitted(row: &Row, cells: usize) -> Vec<Piece> {
    let room = row.room(cells);
    let mut out = filled(&row.left, room);
    out.extend(filled(&row.right, cells - room));
    out
}

/// Pieces in exactly `cells` cells: cut with `…`, or with blanks after them.
#[must_use]
pub(super) fn filled(pieces: &[Piece], cells: usize) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut left = cells;
    for piece in pieces {
        if left == 0 {
            break;
        }
        let text: SafeText = cut(&piece.text, left);
        let piece = Piece::safe(piece.role, text);
        left -= piece.width().min(left);
        out.push(piece);
    }
    let used = pieces_width(&out);
    out.push(Piece::of(Role::Text, &" ".repeat(cells.saturating_sub(used))));
    out
}
