//! What a run answers at a step: the context, solutions, schemas (A4, A20, A37).

use super::check;
use super::log::{Log, Reader};
use super::message::ActsMessage;
use crate::json;
use crate::model::cast;
use crate::model::{Bytes, StepNo};
use crate::state::{EventOp, HistoryEvent, IdentityId};

impl Log {
    /// A4: the steps of the context at a step, in its order.
    pub fn context(&self, step: StepNo) -> impl Iterator<Item = StepNo> + '_ {
        self.context.at(step)
    }

    /// A4, A37: whether a message holds at a step: in the context, or a solution that is not in it.
    pub(super) fn holds(&self, message: StepNo, step: StepNo) -> bool {
        if message > step || !self.context.was_renewed() {
            // Calls and what is not a message stay aside; nobody asks for them.
            return message <= step;
        }
        let is_solution = self.row(message).is_some_and(|row| row.kind().is_solution());
        self.context.at(step).any(|s| s == message) || (is_solution && !self.is_cleared(message, step))
    }

    /// A4: whether an envelope kept nothing since a solution came, or was in the context last.
    fn is_cleared(&self, solution: StepNo, step: StepNo) -> bool {
        let clears = &self.solutions.clears;
        let last = clears[..clears.partition_point(|c| *c <= step)].last().copied();
        last.is_some_and(|clear| clear > solution && !self.context.was_listed_between(solution, clear, step))
    }

    /// A37: the step of the last solution with an output, and the output as compact JSON text.
    #[must_use]
    pub fn output(&self, step: StepNo, bytes: &dyn Bytes) -> Option<(StepNo, String)> {
        let at = self.solutions.outputs.iter().rev().copied().find(|s| *s <= step && self.holds(*s, step))?;
        self.read(at, bytes, |message| check::output(message).map(json::compact))?.map(|text| (at, text))
    }

    /// Least and greatest step of the context that touch an identity.
    #[must_use]
    pub fn touched(&self, id: IdentityId, step: StepNo) -> Option<(StepNo, StepNo)> {
        let slot = self.slots.get(id.0 as usize)?;
        slot.members.at(step).fold(None, |range, s| match range {
            None => Some((s, s)),
            Some((first, last)) => Some((first.min(s), last.max(s))),
        })
    }

    /// A20: the step that set the schema of an identity.
    #[must_use]
    pub fn schema_at(&self, id: IdentityId, step: StepNo) -> Option<StepNo> {
        current(&self.slots.get(id.0 as usize)?.schema, step)
    }

    /// A20: the schema of an identity as compact JSON text, and the step that set it.
    #[must_use]
    pub fn schema(&self, id: IdentityId, step: StepNo, bytes: &dyn Bytes) -> Option<(String, StepNo)> {
        let at = self.schema_at(id, step)?;
        self.read(at, bytes, |message| message.get("schema").map(json::compact))?.map(|text| (text, at))
    }

    /// A20: the step that set the description of an identity.
    #[must_use]
    pub fn description_at(&self, id: IdentityId, step: StepNo) -> Option<StepNo> {
        current(&self.slots.get(id.0 as usize)?.description, step)
    }

    /// A20: the description of an identity.
    #[must_use]
    pub fn description(&self, id: IdentityId, step: StepNo, bytes: &dyn Bytes) -> Option<String> {
        let at = self.description_at(id, step)?;
        self.read(at, bytes, |message| message.text("description").map(str::to_owned))?
    }

    /// A28: `_call._tool` and `_date` of a step, where they are strings.
    #[must_use]
    pub fn attribution(&self, step: StepNo, bytes: &dyn Bytes) -> (Option<String>, Option<String>) {
        if !self.row(step).is_some_and(|row| row.has_attribution()) {
            return (None, None);
        }
        let text = |value: Option<&json::Value<'_>>| value.and_then(json::Value::as_str).map(str::to_owned);
        let tool_and_date = self.read(step, bytes, |message| (text(message.call("_tool")), text(message.get("_date"))));
        tool_and_date.unwrap_or_default()
    }

    /// A30: whether the message of an event's author accounts for it: not for what is gone where a step did more to the
    /// context than append its message.
    #[must_use]
    pub fn accounts_for(&self, event: &HistoryEvent) -> bool {
        !matches!(event.op, EventOp::Drop | EventOp::Reset) || self.rebuilt.binary_search(&event.at).is_err()
    }

    /// A4: what a step itself withdrew and restored.
    #[must_use]
    pub fn withdrawn(&self, step: StepNo) -> (&[StepNo], &[StepNo]) {
        match self.changes.binary_search_by_key(&step, |c| c.at) {
            Ok(i) => (&self.changes[i].withdrawn, &self.changes[i].restored),
            Err(_) => (&[], &[]),
        }
    }

    /// The identities of a kind that were ever seen: the global one first, then by first appearance.
    #[must_use]
    pub fn identities_of(&self, kind: &str) -> Vec<IdentityId> {
        let ids = (0..cast::to_u32(self.slots.len())).map(IdentityId);
        let mut ids: Vec<_> = ids.filter(|id| self.tree.identity(*id).kind == kind).collect();
        ids.sort_by_key(|id| self.tree.identity(*id).instance.is_some());
        ids
    }

    /// Reads the message of a step. None for a step without message, or where the input no longer holds it.
    pub fn read<R>(&self, step: StepNo, bytes: &dyn Bytes, then: impl FnOnce(&ActsMessage<'_>) -> R) -> Option<R> {
        self.with_message(step, Reader { bytes, current: None }, |message, _| then(message))
    }

    /// The type of the message of a step.
    #[must_use]
    pub fn kind(&self, step: StepNo) -> Option<super::MessageType> {
        self.row(step).map(|row| row.kind())
    }

    /// The identity that a step writes.
    #[must_use]
    pub fn identity(&self, step: StepNo) -> Option<IdentityId> {
        self.row(step).and_then(|row| row.identity())
    }
}

/// The message that counts at a step.
pub(super) fn current(versions: &[(StepNo, Option<StepNo>)], step: StepNo) -> Option<StepNo> {
    let end = versions.partition_point(|(at, _)| *at <= step);
    versions[..end].last().and_then(|(_, author)| *author)
}
