//! Where each step stands, in 24 bytes a step.

use super::message::Type;
use crate::model::{Place, Span, StepNo, StepPlace};
use crate::state::IdentityId;

const TYPE_BITS: u32 = 5;
const HAS_CREDIT: u32 = 1 << TYPE_BITS;
const HAS_VALUE: u32 = 1 << (TYPE_BITS + 1);
const IDENTITY_SHIFT: u32 = TYPE_BITS + 2;
const NO_IDENTITY: u32 = u32::MAX >> IDENTITY_SHIFT;

/// One step: the bytes of its message, and what is asked of it often.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    offset: u64,
    len: u32,
    record: u32,
    line: u32,
    tag: u32,
}

/// What a row is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowFacts {
    /// The type of the message.
    pub kind: Type,
    /// Its bytes and line.
    pub place: Place,
    /// Whose data it is, if it writes data.
    pub identity: Option<IdentityId>,
    /// Whether it tells a tool or a date (A28).
    pub has_credit: bool,
    /// Whether it carries a value.
    pub has_value: bool,
}

impl Row {
    fn new(facts: &RowFacts, record: usize) -> Self {
        let identity = facts.identity.map_or(NO_IDENTITY, |id| id.0.min(NO_IDENTITY));
        let flags = if facts.has_credit { HAS_CREDIT } else { 0 } | if facts.has_value { HAS_VALUE } else { 0 };
        Self {
            offset: facts.place.span.offset,
            len: u32::try_from(facts.place.span.len).unwrap_or(u32::MAX),
            record: u32::try_from(record).unwrap_or(u32::MAX),
            line: u32::try_from(facts.place.line).unwrap_or(0),
            tag: facts.kind as u32 | flags | identity << IDENTITY_SHIFT,
        }
    }

    /// The type of the message.
    pub(super) fn kind(self) -> Type {
        Type::numbered((self.tag & ((1 << TYPE_BITS) - 1)) as u8)
    }

    /// Whose data the message is, if it writes data.
    pub(super) fn identity(self) -> Option<IdentityId> {
        Some(self.tag >> IDENTITY_SHIFT).filter(|id| *id != NO_IDENTITY).map(IdentityId)
    }

    /// Whether the message tells a tool or a date.
    pub(super) fn has_credit(self) -> bool {
        self.tag & HAS_CREDIT != 0
    }

    /// Whether the message carries a value.
    pub(super) fn has_value(self) -> bool {
        self.tag & HAS_VALUE != 0
    }

    /// The record that it stands in.
    pub(super) fn record(self) -> usize {
        self.record as usize
    }

    /// The bytes of the message.
    pub(super) fn span(self) -> Span {
        Span { offset: self.offset, len: u64::from(self.len) }
    }
}

/// All steps of a run.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    /// Records that are more than the one message: number and bytes.
    wider: Vec<(u32, Span)>,
    /// Steps whose message is of type `error`.
    errors: Vec<StepNo>,
}

impl Rows {
    /// Appends a step; says its number.
    pub(super) fn push(&mut self, facts: &RowFacts, record: usize, record_span: Span) -> StepNo {
        let row = Row::new(facts, record);
        if facts.place.span != record_span && self.wider.last().is_none_or(|(r, _)| *r != row.record) {
            self.wider.push((row.record, record_span));
        }
        self.rows.push(row);
        let step = self.rows.len() as StepNo - 1;
        if facts.kind == Type::Error {
            self.errors.push(step);
        }
        step
    }

    /// Steps whose message is of type `error`, in order.
    pub(super) fn errors(&self) -> &[StepNo] {
        &self.errors
    }

    /// Number of steps.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// One step.
    pub(super) fn get(&self, step: StepNo) -> Option<Row> {
        usize::try_from(step).ok().and_then(|i| self.rows.get(i)).copied()
    }

    /// Where a step stands.
    pub(super) fn place(&self, step: StepNo) -> Option<StepPlace> {
        let row = self.get(step)?;
        let wider = self.wider.binary_search_by_key(&row.record, |(r, _)| *r).ok();
        let record_span = wider.map_or(row.span(), |i| self.wider[i].1);
        let place = Place { span: row.span(), line: u64::from(row.line) };
        Some(StepPlace { record: row.record(), place, record_span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_its_facts_in_24_bytes() {
        assert_eq!(size_of::<Row>(), 24);
        let place = Place { span: Span { offset: 7, len: 3 }, line: 2 };
        let facts = RowFacts {
            kind: Type::EnvelopeSolution,
            place,
            identity: Some(IdentityId(5)),
            has_credit: true,
            has_value: false,
        };
        let mut rows = Rows::default();
        rows.push(&facts, 4, Span { offset: 0, len: 20 });
        rows.push(&RowFacts { identity: None, ..facts }, 5, place.span);
        let row = rows.get(0).unwrap();
        assert_eq!((row.kind(), row.identity()), (Type::EnvelopeSolution, Some(IdentityId(5))));
        assert_eq!((row.has_credit(), row.has_value()), (true, false));
        assert_eq!(rows.get(1).unwrap().identity(), None);
        assert_eq!(rows.place(0).unwrap().record_span.len, 20);
        assert_eq!(rows.place(1).unwrap().record_span, place.span);
        assert_eq!((rows.get(-1).is_none(), rows.get(2).is_none()), (true, true));
    }
}
