//! Merges a data message into the state, after the messages that are there (A15 to A20).

use super::log::{Log, Prepared, Reader, Slot};
use super::message::{ActsMessage, MessageType};
use super::write::Planned;
use super::write_checks;
use crate::json;
use crate::model::StepNo;
use crate::state::{IdentityId, Tree, Write};

/// How the lists of the context know a step whose message comes last of those of its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// They do not know it yet; it comes last.
    New,
    /// They know it, and it comes last.
    Known,
    /// They know it, and messages of other identities follow it: events are in the order of the document (A30).
    InMiddle,
}

impl Log {
    /// A15 to A20: writes the data of a step whose message comes last in the context.
    pub(super) fn append_data(&mut self, step: StepNo, prepared: &Prepared<'_>, base: u64, listing: Listing) {
        let (Some(planned), Some(id)) = (&prepared.planned, prepared.id) else { return };
        self.moves += 1;
        let mut notes = Vec::new();
        write_checks::before(&self.tree, id, planned, &mut notes);
        match listing {
            Listing::InMiddle => apply(&mut self.tree, step, step, id, planned, base, Tree::write_in_document_order),
            _ => apply(&mut self.tree, step, step, id, planned, base, Tree::write),
        }
        write_checks::after(&self.tree, step, id, &mut notes);
        for note in notes {
            self.note(step, note);
        }
        if planned.schema.is_some() {
            self.set_schema(id, step, Some(step));
        }
        let slot = self.slot(id);
        if listing == Listing::New {
            slot.members.append(step);
        }
        if planned.description.is_some() {
            set(&mut slot.description, step, Some(step));
        }
        if planned.is_erase {
            self.erases.push(step);
        }
    }

    /// The tables of an identity.
    pub(super) fn slot(&mut self, id: IdentityId) -> &mut Slot {
        let index = id.0 as usize;
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, Slot::default);
        }
        &mut self.slots[index]
    }

    /// An identity has no messages any more.
    pub(super) fn forget(&mut self, at: StepNo, id: IdentityId) {
        self.set_schema(id, at, None);
        set(&mut self.slot(id).description, at, None);
    }

    /// A20: whose schema counts for an identity from a step on.
    pub(super) fn set_schema(&mut self, id: IdentityId, at: StepNo, author: Option<StepNo>) {
        if set(&mut self.slot(id).schema, at, author) {
            self.brought.note_move(at, id);
        }
    }

    /// Reads the message of a step again; `then` gets it with the place of the text that its values count from.
    /// None for a step without message, or where the input no longer holds it.
    pub(super) fn with_message<R>(
        &self,
        step: StepNo,
        reader: Reader<'_>,
        then: impl FnOnce(&ActsMessage<'_>, u64) -> R,
    ) -> Option<R> {
        let row = self.row(step)?;
        if matches!(row.kind(), MessageType::Broken | MessageType::Rebuilt) {
            return None;
        }
        let span = row.span();
        let current = reader.current.and_then(|(record, text)| {
            let start = usize::try_from(span.offset.checked_sub(record.offset)?).ok()?;
            text.get(start..start + usize::try_from(span.len).ok()?)
        });
        let read;
        let text = match current {
            Some(text) => text,
            None => {
                read = reader.bytes.read(span).ok()?;
                std::str::from_utf8(&read).ok()?
            }
        };
        let value = json::parse(text).ok()?;
        let message = if row.kind() == MessageType::EnvelopeSolution {
            ActsMessage::solution(&value)
        } else {
            ActsMessage::of(&value)
        };
        Some(then(&message, span.offset))
    }
}

/// A15 to A19: one message into a tree.
pub(super) fn apply(
    tree: &mut Tree,
    at: StepNo,
    author: StepNo,
    id: IdentityId,
    planned: &Planned<'_>,
    base: u64,
    write: impl Fn(&mut Tree, &Write<'_>),
) {
    if planned.value.is_none() && !planned.is_erase {
        return tree.touch(at, id);
    }
    let value = planned.value.as_deref();
    write(tree, &Write { at, author, identity: id, value, base: Some(base), ops: &planned.ops });
}

/// Stores what applies from a step on; returns whether it differs from before.
pub(super) fn set(versions: &mut Vec<(StepNo, Option<StepNo>)>, at: StepNo, author: Option<StepNo>) -> bool {
    let is_other = versions.last().and_then(|(_, a)| *a) != author;
    if is_other {
        versions.push((at, author));
    }
    is_other
}
