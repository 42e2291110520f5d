//! The whole run in one line: density of writes, writes of the value in focus, errors, long pauses, where we are.

use super::{Open, Piece, spend};
use crate::model::{StepNo, cast};
use crate::state::{EventOp, NodeId};
use crate::text::{Role, SafeText};
use std::cell::RefCell;
use std::rc::Rc;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Where we are; where the value in focus is written there; where a mark is.
const HERE: &str = "│";
const HERE_WRITTEN: &str = "◈";
const HERE_FLAGGED: &str = "⚐";

/// Largest message that is read only to know when it came.
const TIMED_BYTES_MAX: u64 = 32 << 10;

/// Cells that the run's line takes of a width, and where it starts.
#[must_use]
pub fn track(open: &Open<'_>, cells: usize) -> (usize, usize) {
    (3, cells.saturating_sub(crate::text::width(&end_label(open)) + 6))
}

/// What is behind the line: the last step, if it is known.
fn end_label(open: &Open<'_>) -> String {
    if is_growing(open) { "…".to_owned() } else { open.last().max(0).to_string() }
}

/// Whether what the input holds is still read; of one that is written meanwhile what it held when it was opened.
fn is_growing(open: &Open<'_>) -> bool {
    let is_read_first = !open.session.is_live || open.session.live.known.is_none();
    !open.session.is_complete && is_read_first && open.session.replay.is_none()
}

/// The steps that a line of `len` cells has room for: those of the run, and while it is read a power of two of them
/// in each cell, so that the line fills and what is on it stays where it is.
fn extent(open: &Open<'_>, len: usize) -> usize {
    let count = open.count();
    if is_growing(open) { len * count.div_ceil(len.max(1)).next_power_of_two() } else { count }
}

/// The step under a cell of the line.
#[must_use]
pub fn step_at(open: &Open<'_>, cells: usize, column: usize) -> Option<StepNo> {
    let (start, len) = track(open, cells);
    let cell = column.checked_sub(start)?;
    (cell < len && open.count() > 0).then(|| {
        let step = (cell * extent(open, len)).div_ceil(len.max(1)).min(open.count() - 1);
        StepNo::try_from(step).unwrap_or(StepNo::MAX)
    })
}

/// The step nearest to a column: before the line the first, after it the last.
#[must_use]
pub fn step_near(open: &Open<'_>, cells: usize, column: usize) -> Option<StepNo> {
    let (start, len) = track(open, cells);
    let is_there = len > 0 && open.count() > 0;
    match column {
        _ if !is_there => None,
        column if column < start => Some(0),
        column if column >= start + len => Some(open.last()),
        column => step_at(open, cells, column),
    }
}

type Cell = (Role, &'static str);
type CacheKey = (u64, usize, usize, Option<NodeId>, (bool, bool), u64);

/// The line, kept until the run, the width or the value in focus changes: a step only moves the cursor on it.
#[derive(Debug, Default)]
pub struct Timeline {
    cache: RefCell<Option<(CacheKey, Rc<Vec<Cell>>)>>,
}

impl Timeline {
    /// The line with the cursor at the step in focus. `is_spend`: its bars are what was spent, not what was written.
    #[must_use]
    pub fn line(&self, open: &Open<'_>, cells: usize, is_spend: bool) -> Vec<Piece> {
        let (_, len) = track(open, cells);
        if len < 4 || open.count() == 0 {
            return Vec::new();
        }
        let mut out = self.cells(open, len, is_spend).as_ref().clone();
        let here = cell_of(open.step(), len, extent(open, len));
        // Where one is must not look like any other place, with and without colour.
        let sign = match out[here].1 {
            "◆" | "◇" => HERE_WRITTEN,
            super::marks::FLAG => HERE_FLAGGED,
            _ => HERE,
        };
        out[here] = (Role::Accent, sign);
        let mut pieces = vec![Piece::of(Role::Dim, " 0 ")];
        for (role, text) in out {
            match pieces.last_mut().filter(|p| p.role == role) {
                Some(piece) => piece.text = piece.text.clone().join(&SafeText::literal(text)),
                None => pieces.push(Piece::of(role, text)),
            }
        }
        pieces.push(Piece::of(Role::Dim, &format!(" {}", end_label(open))));
        pieces
    }

    fn cells(&self, open: &Open<'_>, len: usize, is_spend: bool) -> Rc<Vec<Cell>> {
        let focus = open.focus_node().map(|(_, node)| node);
        let is_settled = !is_growing(open);
        let grown = open.count() / grain(open.count(), len);
        let key = (open.session.generation, grown, len, focus, (is_settled, is_spend), open.session.review.version);
        if let Some((_, cells)) = self.cache.borrow().as_ref().filter(|(k, _)| *k == key) {
            return Rc::clone(cells);
        }
        let cells = Rc::new(build_cells(open, len, focus, is_spend));
        *self.cache.borrow_mut() = Some((key, Rc::clone(&cells)));
        cells
    }
}

/// Steps that change too little to draw a long line again while it grows: half of a cell; 1 for what is short.
fn grain(count: usize, len: usize) -> usize {
    (count.next_power_of_two() / (2 * len)).max(1)
}

fn cell_of(step: StepNo, len: usize, count: usize) -> usize {
    (usize::try_from(step.max(0)).unwrap_or(0) * len / count.max(1)).min(len - 1)
}

/// The first step of a cell, if one is in it.
fn first_of(cell: usize, len: usize, count: usize) -> Option<StepNo> {
    let step = (cell * count).div_ceil(len);
    (step < count && step * len / count == cell).then(|| StepNo::try_from(step).unwrap_or(StepNo::MAX))
}

/// Bars of how much was written in each cell.
fn written(open: &Open<'_>, len: usize) -> Vec<Cell> {
    let mut writes = vec![0_usize; len];
    let extent = extent(open, len);
    for (step, n) in open.tree().activity() {
        writes[cell_of(step, len, extent)] += n;
    }
    let most = writes.iter().copied().max().unwrap_or(0).max(1);
    let bar_of = |&n: &usize| (Role::Dim, if n == 0 { " " } else { BARS[bar(n, most)] });
    writes.iter().map(bar_of).collect()
}

/// Bars of what was spent in each cell, as high as it was much.
fn spend_cells(open: &Open<'_>, len: usize) -> Vec<Cell> {
    let mut amounts = vec![0.0_f64; len];
    let extent = extent(open, len);
    if let Some(spend) = spend::recorded(open) {
        let mut before = 0.0;
        for step in spend.steps(open) {
            let now = spend.at(open, step);
            amounts[cell_of(step, len, extent)] += (now - before).max(0.0);
            before = now;
        }
    }
    let most = amounts.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let height = |amount: f64| {
        cast::to_usize(cast::f64_to_u64((amount / most * BARS.len() as f64).ceil())).clamp(1, BARS.len()) - 1
    };
    let bar_of = |&amount: &f64| (Role::JsonNumber, if amount > 0.0 { BARS[height(amount)] } else { " " });
    amounts.iter().map(bar_of).collect()
}

fn build_cells(open: &Open<'_>, len: usize, focus: Option<NodeId>, is_spend: bool) -> Vec<Cell> {
    let count = extent(open, len);
    let mut out = if is_spend { spend_cells(open, len) } else { written(open, len) };
    // Signs would hide what was spent.
    if is_spend {
        return out;
    }
    if !is_growing(open) || open.session.is_live {
        // A step for each cell that holds one: to ask all of a long run for their times would take too long.
        let is_small = |step: &StepNo| open.run().place(*step).is_some_and(|p| p.place.span.len <= TIMED_BYTES_MAX);
        let firsts = (0..len).filter_map(|cell| first_of(cell, len, count)).filter(is_small).collect::<Vec<_>>();
        for step in super::times::pauses(open, &firsts) {
            out[cell_of(step, len, count)] = (Role::Dim, "┊");
        }
    }
    for step in &open.failed_steps().suspect {
        out[cell_of(*step, len, count)] = (Role::Warning, "?");
    }
    for step in open.error_steps() {
        out[cell_of(step, len, count)] = (Role::Error, "✗");
    }
    for step in super::marks::marked_steps(open).into_iter().filter(|step| (0..=open.last()).contains(step)) {
        out[cell_of(step, len, count)] = (Role::Accent, super::marks::FLAG);
    }
    // A container's history is that of all below it; a mark in every cell would say nothing.
    if let Some(node) = focus.filter(|n| open.tree().child_count(*n, open.step()) == 0) {
        for event in open.tree().history(node, open.last()) {
            let sign = if event.op == EventOp::Same { "◇" } else { "◆" };
            let cell = &mut out[cell_of(event.at, len, count)];
            if cell.1 != "◆" {
                *cell = (Role::Focus, sign);
            }
        }
    }
    out
}

/// Height of a bar: logarithmic, so that one busy step does not flatten all others.
fn bar(n: usize, most: usize) -> usize {
    let log = |x: usize| usize::BITS - x.leading_zeros();
    ((log(n) * 7) / log(most).max(1)) as usize
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_cell_knows_its_first_step() {
        for (len, count) in [(10, 3), (10, 10), (10, 37), (7, 100), (100, 7)] {
            let firsts: Vec<_> = (0..len).filter_map(|cell| super::first_of(cell, len, count)).collect();
            assert!(firsts.windows(2).all(|w| w[0] < w[1]) && firsts[0] == 0);
            assert_eq!(firsts.len(), len.min(count));
            assert!(firsts.iter().all(|step| super::cell_of(*step, len, count) < len));
        }
    }

    #[test]
    fn bars_grow_with_the_count() {
        let heights: Vec<_> = [1, 4, 60, 1000].iter().map(|&n| super::bar(n, 1000)).collect();
        assert!(heights.windows(2).all(|w| w[0] < w[1]) && heights[3] == 7, "{heights:?}");
    }
}
