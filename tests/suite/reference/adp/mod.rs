//! ADP std records, written from the text of `ADP.md` alone. Chat and ATIF records are not read here.

mod check;
mod shape;
mod state;

use super::Finding;
use super::json::J;
use shape::Shape;

/// A file, read.
pub(crate) struct Adp {
    records: Vec<Option<J>>,
}

impl Adp {
    pub(crate) fn read(text: &str) -> Self {
        Self { records: shape::records(text) }
    }

    /// Whether all records are of the shapes that are read here.
    pub(crate) fn is_whole(&self) -> bool {
        self.records.iter().all(|record| check::is_read(record.as_ref()))
    }

    pub(crate) fn count(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        check::findings(&self.records)
    }

    /// State and blame of a std record after a step; None: it is no std record.
    pub(crate) fn state(&self, record: usize, step: i64) -> Option<(J, J)> {
        let value = self.records[record].as_ref().filter(|v| shape::shape(v) == Shape::Std)?;
        let (head, steps) = state::std(value);
        let last = usize::try_from(step).ok().and_then(|step| steps.get(step.min(steps.len().checked_sub(1)?)));
        Some(state::shown(last.map_or(&head, |step| &step.state)))
    }

    /// The steps of a std record as `steps --json` lists them.
    pub(crate) fn steps(&self, record: usize) -> Option<Vec<J>> {
        let value = self.records[record].as_ref().filter(|v| shape::shape(v) == Shape::Std)?;
        Some(state::std(value).1.into_iter().map(|step| J::object(step.members)).collect())
    }
}
