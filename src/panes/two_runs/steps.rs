//! The rows of both runs beside each other, below what each came to.

use super::columns::{Columns, sign};
use super::{Ending, Pairing, Side, TwoRuns};
use crate::model::StepNo;
use crate::panes::value::count_of;
use crate::panes::{Extent, Hit, Piece, Row, Scroll, Window, steps};
use crate::review::ending_words;
use crate::text::{Role, SafeText, cut_start};

/// Rows above the list: what each run is called, and what it came to.
pub const HEAD_ROWS: usize = 2;
/// In a lower pane names and endings share a row.
const HEAD_HEIGHT_MIN: usize = 8;

/// Rows at the top of a pane that do not scroll.
#[must_use]
pub fn head_rows(extent: Extent) -> usize {
    if extent.height >= HEAD_HEIGHT_MIN { HEAD_ROWS } else { 1 }
}

/// What the runs are called and what they came to.
#[must_use]
pub fn head(runs: &TwoRuns, front: usize, extent: Extent) -> Vec<Row> {
    let columns = Columns::of(extent.width, front);
    let middle = || Piece::of(Role::Border, "│");
    let name = |side: usize| {
        let cells = columns.cells(side).unwrap_or(0);
        let role = if side == front { Role::Accent } else { Role::Title };
        let name = cut_start_to(&runs.sides[side].data.name, cells.saturating_sub(3));
        let sign = if side == 0 { " A " } else { " B " };
        vec![Piece::of(if side == 0 { Role::Removed } else { Role::Added }, sign), Piece::safe(role, name)]
    };
    let ending_of = |side: usize| ending(&runs.sides[side]);
    let rows = match head_rows(extent) {
        HEAD_ROWS => vec![
            columns.join([Row::new(name(0)), Row::new(name(1))], middle()),
            columns.join([Row::new(ending_of(0)), Row::new(ending_of(1))], middle()),
        ],
        _ => vec![columns.join([0, 1].map(|side| Row::new(name(side)).right(ending_of(side))), middle())],
    };
    rows.into_iter().map(|row| row.fixed(usize::MAX)).collect()
}

/// The end of a name, which distinguishes it from others.
fn cut_start_to(name: &str, cells: usize) -> SafeText {
    let text = SafeText::of(name);
    let more = crate::text::width(text.as_str()).saturating_sub(cells);
    if more == 0 { text } else { SafeText::literal("…").join(&cut_start(&text, more + 1)) }
}

/// What a run came to: reward, end, steps, failures.
fn ending(side: &Side) -> Vec<Piece> {
    let Ending { reward, finish, failed } = &side.data.ending;
    let failures = [(failed.0, "✗", Role::Error), (failed.1, "?", Role::Warning)];
    let mut out = Vec::new();
    let between = |out: &mut Vec<Piece>| out.push(Piece::of(Role::Dim, if out.is_empty() { "   " } else { " · " }));
    if let Some(reward) = reward {
        between(&mut out);
        out.extend([Piece::of(Role::Dim, "reward "), Piece::of(Role::JsonNumber, &steps::one_line(reward))]);
    }
    if let Some(finish) = finish {
        between(&mut out);
        out.push(Piece::of(Role::Text, ending_words(&steps::one_line(finish))));
    }
    for (count, sign, role) in failures.into_iter().filter(|(count, ..)| *count > 0) {
        between(&mut out);
        out.push(Piece::of(role, &format!("{sign} {count}")));
    }
    between(&mut out);
    out.push(Piece::of(Role::Dim, &count_of(side.data.steps.len(), "step")));
    out
}

/// The visible rows.
#[must_use]
pub fn window(runs: &TwoRuns, scroll: &Scroll, front: usize, extent: Extent) -> Window {
    let mut rows = head(runs, front, extent);
    let columns = Columns::of(extent.width, front);
    let total = runs.rows.len();
    let (top, height) = (scroll.top.min(total), extent.height.saturating_sub(rows.len()));
    rows.extend((top..total.min(top + height)).map(|i| {
        let is_cursor = i == scroll.cursor;
        row(runs, i, (columns, front), is_cursor).hit(Hit::Row(i)).cursor(is_cursor)
    }));
    if total == 0 {
        rows.push(Row::text(Role::Dim, "  Neither run has a step."));
    }
    Window { rows, top, total }
}

fn row(runs: &TwoRuns, number: usize, (columns, front): (Columns, usize), is_cursor: bool) -> Row {
    let aligned = runs.rows[number];
    if !columns.is_both() {
        return alone(runs, number, front, is_cursor);
    }
    let cell = |side: usize| {
        let cells = columns.cells(side).unwrap_or(0);
        let row = match aligned.step(side) {
            Some(step) => step_cell(runs, (side, step), cells, is_cursor && side == front),
            None => Row::text(Role::Accent, if is_cursor && side == front { "▌" } else { "" }),
        };
        // What is on the left already is read there.
        if side == 1 && !aligned.pairing.differs() { faint(row) } else { row }
    };
    columns.join([cell(0), cell(1)], sign(aligned.pairing))
}

/// The row of the side in front; where that has none, the one of the other. A sign says what the other side has there.
fn alone(runs: &TwoRuns, number: usize, front: usize, is_cursor: bool) -> Row {
    let aligned = runs.rows[number];
    let (side, step) = match aligned.step(front) {
        Some(step) => (front, step),
        None => (1 - front, aligned.step_before(1 - front)),
    };
    let cells = BESIDE_SIGN_CELLS;
    let mut row = step_cell(runs, (side, step), cells, is_cursor);
    if side != front {
        row = faint(row);
    }
    let sign = match aligned.pairing {
        Pairing::Same | Pairing::Alike => Piece::of(Role::Text, " "),
        other => sign(other),
    };
    row.left.insert(1.min(row.left.len()), Piece::of(Role::Text, " "));
    row.left.insert(1.min(row.left.len()), sign);
    row.fixed += 2;
    row
}

/// Cells for which a row is made that is alone: outcomes are their signs.
const BESIDE_SIGN_CELLS: usize = 38;

/// The row of a step; numbers of both sides are as wide.
fn step_cell(runs: &TwoRuns, (side, step): (usize, StepNo), cells: usize, is_cursor: bool) -> Row {
    let last = runs.sides.iter().map(|side| side.data.steps.end.saturating_sub(1)).max().unwrap_or(0).max(0);
    let digits = last.to_string().len();
    runs.sides[side]
        .session
        .open()
        .map_or_else(Row::default, |open| steps::cell(&open, step, (digits, cells), is_cursor))
}

/// The row in a colour that stands back.
fn faint(mut row: Row) -> Row {
    let keeps = |role: Role| matches!(role, Role::Accent | Role::Error | Role::Warning);
    for piece in row.left.iter_mut().chain(&mut row.right).filter(|piece| !keeps(piece.role)) {
        piece.role = Role::Dim;
    }
    row
}

/// How many rows are of which sort, for the line at the top.
#[must_use]
pub fn counts(runs: &TwoRuns) -> Vec<Piece> {
    let [same, changed, left, right] = runs.counts;
    let mut out = vec![Piece::of(Role::Text, &format!("{same} same"))];
    for (count, sign, role) in [(changed, "~", Role::Changed), (left, "−", Role::Removed), (right, "+", Role::Added)]
    {
        if count > 0 {
            out.push(Piece::of(role, &format!(" {sign}{count}")));
        }
    }
    out
}

/// What a row says on both sides, for a search and to copy.
#[must_use]
pub fn row_texts(runs: &TwoRuns, number: usize) -> [String; 2] {
    let reason_of = |side: usize| {
        let step = runs.rows.get(number)?.step(side)?;
        let open = runs.sides[side].session.open()?;
        let step = open.describe(step);
        let action = step.action.as_ref().map(|action| format!("{} {}", action.verb, action.object));
        Some(format!("{} {}", step.label, action.unwrap_or_else(|| step.summary.clone())))
    };
    [0, 1].map(|side| reason_of(side).unwrap_or_default())
}
