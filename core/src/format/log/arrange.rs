//! Which values of a file are read, in which order, where later records can change that.

use crate::json::Value;
use crate::model::Span;

/// A value of the input that is read as one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) struct Piece {
    /// Number of the record in which it is, counted from the first of the run.
    pub(in crate::format) record: usize,
    /// Where it begins in the record's text, and its length, in bytes.
    pub(in crate::format) start: usize,
    pub(in crate::format) len: usize,
}

impl Piece {
    /// A value of a record.
    pub(in crate::format) fn of(record: usize, value: &Value<'_>) -> Self {
        Self { record, start: value.start, len: value.text.len() }
    }

    /// Where it is in the input.
    pub(in crate::format) fn span(self, record: Span) -> Span {
        record.part(self.start, self.len)
    }
}

/// What a further record does to the order of what is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) enum PlacedPieces {
    /// These values are read behind all others.
    Added(Vec<Piece>),
    /// What is read is in another order, or is something else.
    Rearranged,
}

/// Looks at records as they come and says which of their values are read, and in which order.
pub(in crate::format) trait Arrange: Send + Sync {
    /// Looks at the next record.
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces;
    /// What is read of the records so far, in order.
    fn order(&mut self) -> Vec<Piece>;
}
