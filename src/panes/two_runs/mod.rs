//! Two runs beside each other: their steps aligned by what was done, the states of both at the row in focus, and what
//! both say there. Each side is a session of its own, so that all rows are those of the panes of one run.

pub mod alignment;
mod columns;
pub mod endings;
pub mod messages;
pub mod states;
pub mod steps;

pub use alignment::{AlignedRow, Pairing};

use super::{Records, Session};
use crate::format::Format;
use crate::format::SharedRun;
use crate::model::{Bytes, StepNo};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// From this width on the sides of a row are beside each other; else the one in front is shown.
pub const BESIDE_CELLS_MIN: usize = 60;

/// Which run of which input is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlace {
    /// The file; None: the input that is open, which may be none.
    pub file: Option<PathBuf>,
    /// Name of its format; None: by content.
    pub format: Option<String>,
    /// The record, where each is a run.
    pub record: usize,
    /// Which of several trajectories of the run: the first or second of a pair; None: all that there are.
    pub trajectory: Option<usize>,
    /// What it is called.
    pub name: String,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ending {
    /// Its reward, as written.
    pub reward: Option<String>,
    /// How it ended, as written.
    pub finish: Option<String>,
    /// Results that report an error, and that may.
    pub failed: (usize, usize),
}

/// A run of the two, with what is needed to show it. Made by a job.
#[derive(Clone)]
pub struct RunData {
    /// Where it is.
    pub place: RunPlace,
    /// What it is called, as `record 3 · fix-attempt-2`.
    pub name: String,
    /// What it came to.
    pub ending: Ending,
    /// The steps that are compared.
    pub steps: Range<StepNo>,
    /// The format.
    pub format: &'static dyn Format,
    /// The bytes of its input.
    pub bytes: Arc<dyn Bytes>,
    /// The records of its input.
    pub records: Arc<dyn Records>,
    /// The run.
    pub run: SharedRun,
}

impl fmt::Debug for RunData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunData").field("place", &self.place).field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// Two runs as a job gives them, and their rows.
pub type AlignedRuns = ([RunData; 2], Vec<AlignedRow>);

/// A side of the two.
pub struct Side {
    /// What a job made of it.
    pub data: RunData,
    /// The same as a session, whose step in focus is that of the row in focus.
    pub session: Session,
}

impl Side {
    fn of(data: RunData) -> Self {
        let (bytes, records) = (Arc::clone(&data.bytes), Arc::clone(&data.records));
        let mut session = Session::new(&data.name, data.format, Vec::new(), bytes, records);
        session.set_run(Arc::clone(&data.run), data.place.record);
        session.is_complete = true;
        Self { data, session }
    }
}

/// Two runs and how their rows are aligned.
pub struct TwoRuns {
    /// The left and the right one.
    pub sides: [Side; 2],
    /// The rows.
    pub rows: Vec<AlignedRow>,
    /// The first row of each stretch that differs, in order.
    pub differences: Vec<usize>,
    /// How many rows there are of each sort: the same on both sides, otherwise on both, left only, right only.
    pub counts: [usize; 4],
    /// Whether one of them has a state.
    pub has_state: bool,
    /// Whether no row is the same on both sides, nor the same call with another result.
    pub is_unrelated: bool,
}

impl TwoRuns {
    /// Two runs whose rows were aligned.
    #[must_use]
    pub fn of(sides: [RunData; 2], rows: Vec<AlignedRow>) -> Self {
        let differs = |row: usize| rows[row].pairing.differs();
        let differences = (0..rows.len()).filter(|row| differs(*row) && (*row == 0 || !differs(row - 1))).collect();
        let mut counts = [0; 4];
        for row in &rows {
            counts[match row.pairing {
                Pairing::Same | Pairing::Alike => 0,
                Pairing::Result | Pairing::Changed => 1,
                Pairing::Left => 2,
                Pairing::Right => 3,
            }] += 1;
        }
        let is_shared = |row: &AlignedRow| matches!(row.pairing, Pairing::Same | Pairing::Alike | Pairing::Result);
        let is_unrelated = !rows.iter().any(is_shared);
        let sides = sides.map(Side::of);
        let has_state = sides.iter().any(|side| {
            side.data.format.has_state() && side.session.open().is_some_and(|open| open.tree().identity_count() > 0)
        });
        Self { sides, rows, differences, counts, has_state, is_unrelated }
    }

    /// Puts a row in focus: the panes of each side are at its step.
    pub fn focus(&mut self, row: usize) {
        let Some(row) = self.rows.get(row) else { return };
        for (number, side) in self.sides.iter_mut().enumerate() {
            side.session.focus.step = row.step_before(number);
        }
    }

    /// The last steps of both sides at a row: those whose states are compared.
    #[must_use]
    pub fn ends(&self, row: usize) -> Option<[StepNo; 2]> {
        let row = self.rows.get(row)?;
        let end = |side: usize| {
            let run = self.sides[side].data.run.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let step = row.step_before(side);
            if step < 0 { step } else { alignment::end_of_row(run.as_ref(), step) }
        };
        Some([end(0), end(1)])
    }

    /// The first row of the next or previous stretch that differs.
    #[must_use]
    pub fn difference(&self, row: usize, is_forward: bool) -> Option<usize> {
        if is_forward {
            self.differences.get(self.differences.partition_point(|first| *first <= row)).copied()
        } else {
            self.differences[..self.differences.partition_point(|first| *first < row)].last().copied()
        }
    }

    /// Which stretch that differs a row is in or after, from 1; 0 before the first.
    #[must_use]
    pub fn difference_number(&self, row: usize) -> usize {
        self.differences.partition_point(|first| *first <= row)
    }
}
