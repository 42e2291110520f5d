//! What is kept of a step.

use super::Form;
use super::sink::{Draft, Kind};
use crate::model::{Place, Role, Span, StepNo};
use std::sync::Arc;

/// A text that names something, kept once.
pub(super) type Name = Option<Arc<str>>;

/// What is kept of a step; the rest is read again on demand.
pub(super) struct Kept {
    pub(super) record: usize,
    pub(super) place: Place,
    /// Values beside the first.
    pub(super) more: Vec<Span>,
    pub(super) time: Option<Span>,
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
            record,
            place,
            more: Vec::new(),
            time,
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

    /// Its values in order.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        std::iter::once(self.place.span).chain(self.more.iter().copied())
    }
}
