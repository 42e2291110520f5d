//! What is kept of a step.

use super::Form;
use super::sink::{Draft, Kind};
use crate::model::{Place, Role, Span, StepNo};
use std::sync::Arc;

/// A text that names something, kept once.
pub(super) type Name = Option<Arc<str>>;

/// What is kept of a step; the rest is read again on demand.
pub(super) struct Kept {
    record: u32,
    pub(super) place: Place,
    /// Values beside the first.
    more: Box<[Span]>,
    /// Where its time is, and how long that is; 0: it has none.
    time: (u64, u16),
    pub(super) form: Form,
    pub(super) kind: Kind,
    pub(super) role: Role,
    pub(super) is_injected: bool,
    pub(super) class: Name,
    pub(super) tool: Name,
    pub(super) answers: Option<StepNo>,
    pub(super) chars: u32,
    pub(super) tokens: Option<u32>,
    pub(super) is_failed: bool,
}

impl Kept {
    pub(super) fn new(draft: &Draft<'_, '_>, record: usize, place: Place, time: Option<Span>) -> Self {
        Self {
            record: u32::try_from(record).unwrap_or(u32::MAX),
            place,
            more: Box::default(),
            time: time.map_or((0, 0), |time| (time.offset, u16::try_from(time.len).unwrap_or(0))),
            form: draft.form,
            kind: draft.kind,
            role: draft.role,
            is_injected: draft.is_injected,
            class: draft.class.map(Into::into),
            tool: None,
            answers: None,
            chars: 0,
            tokens: draft.tokens.and_then(|n| u32::try_from(n).ok()),
            is_failed: draft.is_failed,
        }
    }

    /// The record that it is in.
    pub(super) fn record(&self) -> usize {
        self.record as usize
    }

    /// Where its time is.
    pub(super) fn time(&self) -> Option<Span> {
        let (offset, len) = self.time;
        (len > 0).then(|| Span { offset, len: u64::from(len) })
    }

    /// The values that it shows, all of them.
    pub(super) fn show(&mut self, spans: Vec<Span>) {
        let mut spans = spans.into_iter();
        self.place.span = spans.next().unwrap_or_default();
        self.more = spans.collect();
    }

    /// The value that it shows in place of those after its first.
    pub(super) fn supersede(&mut self, span: Span) {
        self.more = Box::new([span]);
    }

    /// It shows one more value.
    pub(super) fn extend(&mut self, span: Span) {
        let mut more = std::mem::take(&mut self.more).into_vec();
        more.push(span);
        self.more = more.into_boxed_slice();
    }

    /// Its values in order.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        std::iter::once(self.place.span).chain(self.more.iter().copied())
    }
}
