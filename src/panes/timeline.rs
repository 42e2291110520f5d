//! The whole run in one line: density of writes, writes of the value in focus, errors, where we are.

use super::{Open, Piece};
use crate::model::{Severity, StepNo};
use crate::state::EventOp;
use crate::text::Role;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Cells that the run's line takes of a width, and where it starts.
#[must_use]
pub fn track(open: &Open<'_>, cells: usize) -> (usize, usize) {
    let last = open.last().max(0).to_string().len();
    (3, cells.saturating_sub(last + 6))
}

/// The step under a cell of the line.
#[must_use]
pub fn step_at(open: &Open<'_>, cells: usize, column: usize) -> Option<StepNo> {
    let (start, len) = track(open, cells);
    let cell = column.checked_sub(start)?;
    (cell < len && open.count() > 0).then(|| {
        let step = (cell * open.count()).div_ceil(len.max(1)).min(open.count() - 1);
        StepNo::try_from(step).unwrap_or(StepNo::MAX)
    })
}

/// The line.
#[must_use]
pub fn line(open: &Open<'_>, cells: usize) -> Vec<Piece> {
    let (_, len) = track(open, cells);
    let count = open.count();
    if len < 4 || count == 0 {
        return Vec::new();
    }
    let cell_of = |step: StepNo| (usize::try_from(step.max(0)).unwrap_or(0) * len / count).min(len - 1);
    let mut writes = vec![0_usize; len];
    for (step, n) in open.tree().activity() {
        writes[cell_of(step)] += n;
    }
    let most = writes.iter().copied().max().unwrap_or(0).max(1);
    let mut out: Vec<(Role, &'static str)> = writes
        .iter()
        .map(|&n| match n {
            0 => (Role::Dim, " "),
            _ => (Role::Dim, BARS[bar(n, most)]),
        })
        .collect();
    for finding in open.run().findings().iter().filter(|f| f.severity == Severity::Error) {
        if let Some(step) = finding.step {
            out[cell_of(step)] = (Role::Error, "✗");
        }
    }
    if let Some((_, node)) = open.focus_node() {
        for event in open.tree().history(node, open.last()) {
            let sign = if event.op == EventOp::Same { "◇" } else { "◆" };
            let cell = &mut out[cell_of(event.at)];
            if cell.1 != "◆" {
                *cell = (Role::Focus, sign);
            }
        }
    }
    let here = cell_of(open.step());
    let is_write = matches!(out[here].1, "◆" | "◇");
    out[here] = (Role::Accent, if is_write { out[here].1 } else { "│" });
    let mut pieces = vec![Piece::of(Role::Dim, " 0 ")];
    for (role, text) in out {
        match pieces.last_mut().filter(|p| p.role == role) {
            Some(piece) => piece.text = piece.text.clone().join(&crate::text::SafeText::literal(text)),
            None => pieces.push(Piece::of(role, text)),
        }
    }
    pieces.push(Piece::of(Role::Dim, &format!(" {}", open.last())));
    pieces
}

/// Height of a bar: logarithmic, so that one busy step does not flatten all others.
fn bar(n: usize, most: usize) -> usize {
    let log = |x: usize| usize::BITS - x.leading_zeros();
    ((log(n) * 7) / log(most).max(1)) as usize
}

#[cfg(test)]
mod tests {
    #[test]
    fn bars_grow_with_the_count() {
        let heights: Vec<_> = [1, 4, 60, 1000].iter().map(|&n| super::bar(n, 1000)).collect();
        assert!(heights.windows(2).all(|w| w[0] < w[1]) && heights[3] == 7, "{heights:?}");
    }
}
