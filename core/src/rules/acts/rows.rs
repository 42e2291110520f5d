//! Where each step is, in 12 bytes a step.

use super::message::MessageType;
use crate::model::cast;
use crate::model::{Chunks, Place, Span, StepNo, StepPlace};
use crate::state::IdentityId;

const TYPE_BITS: u32 = 5;
const HAS_CREDIT: u32 = 1 << TYPE_BITS;
const HAS_VALUE: u32 = 1 << (TYPE_BITS + 1);
const IDENTITY_SHIFT: u32 = TYPE_BITS + 2;
const NO_IDENTITY: u32 = u32::MAX >> IDENTITY_SHIFT;

/// One step: the bytes of its message, and what is asked of it often.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    span: Span,
    tag: u32,
}

/// A row as it is kept.
#[derive(Debug, Clone, Copy)]
struct Packed {
    /// The lower half of the offset; the upper one is that of [`Rows::uppers`].
    lower: u32,
    len: u32,
    tag: u32,
}

/// Steps of which each is one record and one line after the one before.
#[derive(Debug, Clone, Copy)]
struct Series {
    first: StepNo,
    record: u32,
    line: u32,
}

/// What a row is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowFacts {
    /// The type of the message.
    pub kind: MessageType,
    /// Its bytes and line.
    pub place: Place,
    /// Whose data it is, if it writes data.
    pub identity: Option<IdentityId>,
    /// Whether it gives a tool or a date (A28).
    pub has_attribution: bool,
    /// Whether it carries a value.
    pub has_value: bool,
}

impl Row {
    fn new(facts: &RowFacts) -> Self {
        let identity = facts.identity.map_or(NO_IDENTITY, |id| id.0.min(NO_IDENTITY));
        let flags = if facts.has_attribution { HAS_CREDIT } else { 0 } | if facts.has_value { HAS_VALUE } else { 0 };
        Self { span: facts.place.span, tag: facts.kind as u32 | flags | identity << IDENTITY_SHIFT }
    }

    /// The type of the message.
    pub(super) fn kind(self) -> MessageType {
        MessageType::numbered((self.tag & ((1 << TYPE_BITS) - 1)) as u8)
    }

    /// Whose data the message is, if it writes data.
    pub(super) fn identity(self) -> Option<IdentityId> {
        Some(self.tag >> IDENTITY_SHIFT).filter(|id| *id != NO_IDENTITY).map(IdentityId)
    }

    /// Whether the message gives a tool or a date.
    pub(super) fn has_attribution(self) -> bool {
        self.tag & HAS_CREDIT != 0
    }

    /// Whether the message carries a value.
    pub(super) fn has_value(self) -> bool {
        self.tag & HAS_VALUE != 0
    }

    /// The bytes of the message.
    pub(super) fn span(self) -> Span {
        self.span
    }
}

/// All steps of a run.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: Chunks<Packed>,
    /// From which step on which upper half of the offset holds.
    uppers: Vec<(StepNo, u32)>,
    /// Their records and lines.
    series: Vec<Series>,
    /// Records that are more than the one message: number and bytes.
    wider: Vec<(u32, Span)>,
    /// Steps whose message is of type `error`.
    errors: Vec<StepNo>,
}

impl Rows {
    /// Appends a step; says its number.
    pub(super) fn push(&mut self, facts: &RowFacts, record: usize, record_span: Span) -> StepNo {
        let record = u32::try_from(record).unwrap_or(u32::MAX);
        let line = u32::try_from(facts.place.line).unwrap_or(0);
        if facts.place.span != record_span && self.wider.last().is_none_or(|(r, _)| *r != record) {
            self.wider.push((record, record_span));
        }
        let step = cast::to_step(self.rows.len());
        if self.stands(step) != Some((record, line)) {
            self.series.push(Series { first: step, record, line });
        }
        let Row { span: Span { offset, len }, tag } = Row::new(facts);
        let upper = (offset >> u32::BITS) as u32;
        if self.uppers.last().is_none_or(|(_, last)| *last != upper) {
            self.uppers.push((step, upper));
        }
        self.rows.push(Packed { lower: cast::low_u32(offset), len: u32::try_from(len).unwrap_or(u32::MAX), tag });
        if facts.kind == MessageType::Error {
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
        let Packed { lower, len, tag } = *self.rows.get(usize::try_from(step).ok()?)?;
        let at = self.uppers.partition_point(|(from, _)| *from <= step);
        let (_, upper) = *self.uppers.get(at.checked_sub(1)?)?;
        let offset = u64::from(upper) << u32::BITS | u64::from(lower);
        Some(Row { span: Span { offset, len: u64::from(len) }, tag })
    }

    /// The record that a step is in.
    pub(super) fn record(&self, step: StepNo) -> Option<usize> {
        self.get(step).and_then(|_| self.stands(step)).map(|(record, _)| record as usize)
    }

    /// Where a step is.
    pub(super) fn place(&self, step: StepNo) -> Option<StepPlace> {
        let row = self.get(step)?;
        let (record, line) = self.stands(step)?;
        let wider = self.wider.binary_search_by_key(&record, |(r, _)| *r).ok();
        let record_span = wider.map_or(row.span(), |i| self.wider[i].1);
        let place = Place { span: row.span(), line: u64::from(line) };
        Some(StepPlace { record: record as usize, place, record_span })
    }

    /// Record and line of a step, if its series goes on so far.
    fn stands(&self, step: StepNo) -> Option<(u32, u32)> {
        let at = self.series.partition_point(|series| series.first <= step);
        let Series { first, record, line } = *self.series.get(at.checked_sub(1)?)?;
        let behind = u32::try_from(step - first).ok()?;
        Some((record.checked_add(behind)?, line.checked_add(behind)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_its_facts_in_12_bytes() {
        assert_eq!(size_of::<Packed>(), 12);
        let place = Place { span: Span { offset: 7, len: 3 }, line: 2 };
        let facts = RowFacts {
            kind: MessageType::EnvelopeSolution,
            place,
            identity: Some(IdentityId(5)),
            has_attribution: true,
            has_value: false,
        };
        let mut rows = Rows::default();
        rows.push(&facts, 4, Span { offset: 0, len: 20 });
        rows.push(&RowFacts { identity: None, ..facts }, 5, place.span);
        let row = rows.get(0).unwrap();
        assert_eq!((row.kind(), row.identity()), (MessageType::EnvelopeSolution, Some(IdentityId(5))));
        assert_eq!((row.has_attribution(), row.has_value()), (true, false));
        assert_eq!(rows.get(1).unwrap().identity(), None);
        assert_eq!(rows.place(0).unwrap().record_span.len, 20);
        assert_eq!(rows.place(1).unwrap().record_span, place.span);
        assert_eq!((rows.get(-1).is_none(), rows.get(2).is_none()), (true, true));
    }

    #[test]
    fn offsets_beyond_4_gb_come_out_as_they_went_in() {
        let four = 1 << 32;
        let offsets = [0, four - 1, four, four + 7, 3 * four + 1, 5, u64::MAX];
        let mut rows = Rows::default();
        for offset in offsets {
            let place = Place { span: Span { offset, len: 2 }, line: 1 };
            let kind = MessageType::Unknown;
            let facts = RowFacts { kind, place, identity: None, has_attribution: false, has_value: false };
            rows.push(&facts, 0, place.span);
        }
        let found = (0..rows.len() as StepNo).map(|step| rows.get(step).unwrap().span().offset);
        assert!(found.eq(offsets));
    }

    #[test]
    fn records_and_lines_come_out_as_they_went_in() {
        let max = u32::MAX as usize;
        let records = [3, 4, 5, 5, 5, 6, 9, 9, 10, max - 1, max, max];
        let lines = [4, 5, 6, 7, 7, 8, 0, 0, 0, u64::from(u32::MAX), 1, 2];
        let mut rows = Rows::default();
        for (record, line) in records.into_iter().zip(lines) {
            let place = Place { span: Span { offset: 1, len: 2 }, line };
            let kind = MessageType::Unknown;
            rows.push(
                &RowFacts { kind, place, identity: None, has_attribution: false, has_value: false },
                record,
                place.span,
            );
        }
        let places = (0..rows.len() as StepNo).map(|step| rows.place(step).unwrap());
        assert!(places.map(|p| (p.record, p.place.line)).eq(records.into_iter().zip(lines)));
        assert_eq!((rows.record(2), rows.record(12), rows.record(-1), rows.series.len()), (Some(5), None, None, 9));
    }
}
