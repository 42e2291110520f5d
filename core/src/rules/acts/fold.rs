//! Merges a data message into the state: it is appended, or its identity is folded again where a context was rebuilt
//! (A4, A15 to A20).

use super::finding::Note;
use super::log::{Log, Prepared, Reader, Slot};
use super::message::{ActsMessage, MessageType};
use super::write::{self, Planned};
use super::write_checks;
use crate::json;
use crate::model::StepNo;
use crate::state::{IdentityId, Tree, Write};

impl Log {
    /// A15 to A20: writes the data of a step whose message comes last in the context. `enlists` is false where the
    /// lists of the context know the step already.
    pub(super) fn append_data(&mut self, step: StepNo, prepared: &Prepared<'_>, base: u64, enlists: bool) {
        let (Some(planned), Some(id)) = (&prepared.planned, prepared.id) else { return };
        self.moves += 1;
        let mut notes = Vec::new();
        write_checks::before(&self.tree, id, planned, &mut notes);
        apply(&mut self.tree, step, step, id, planned, base);
        write_checks::after(&self.tree, step, id, &mut notes);
        for note in notes {
            self.note(step, note);
        }
        if planned.schema.is_some() {
            self.set_schema(id, step, Some(step));
        }
        let slot = self.slot(id);
        if enlists {
            slot.members.append(step);
        }
        if planned.description.is_some() {
            set(&mut slot.description, step, Some(step));
        }
        if planned.is_erase {
            self.erases.push(step);
        }
    }

    /// A4: folds an identity again from its messages in the order of the context, from step `at` on. `own` is the
    /// message of that step, if it is one of them.
    pub(super) fn refold(&mut self, at: StepNo, id: IdentityId, members: &[StepNo], reader: Reader<'_>) {
        self.moves += 1;
        let mut folded = Folded::default();
        let identity = folded.tree.intern(self.tree.identity(id));
        for (position, author) in (0..).zip(members.iter().copied()) {
            let is_author = author == at;
            self.with_message(author, reader, |message, base| {
                let planned = write::plan(message, &mut Vec::new());
                folded.add(position, author, identity, &planned, base, is_author);
            });
        }
        self.tree.adopt(at, id, &folded.tree, identity);
        self.set_schema(id, at, folded.schema);
        set(&mut self.slot(id).description, at, folded.description);
        for note in folded.notes {
            self.note(at, note);
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
    fn set_schema(&mut self, id: IdentityId, at: StepNo, author: Option<StepNo>) {
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

/// An identity that is being folded.
#[derive(Default)]
struct Folded {
    tree: Tree,
    schema: Option<StepNo>,
    description: Option<StepNo>,
    notes: Vec<Note>,
}

impl Folded {
    fn add(&mut self, at: StepNo, author: StepNo, id: IdentityId, planned: &Planned<'_>, base: u64, is_author: bool) {
        if is_author {
            write_checks::before(&self.tree, id, planned, &mut self.notes);
        }
        apply(&mut self.tree, at, author, id, planned, base);
        if is_author {
            write_checks::after(&self.tree, at, id, &mut self.notes);
        }
        if planned.schema.is_some() {
            self.schema = Some(author);
        }
        if planned.description.is_some() {
            self.description = Some(author);
        }
    }
}

/// A15 to A19: one message into a tree.
fn apply(tree: &mut Tree, at: StepNo, author: StepNo, id: IdentityId, planned: &Planned<'_>, base: u64) {
    if planned.value.is_none() && !planned.is_erase {
        return tree.touch(at, id);
    }
    let value = planned.value.as_deref();
    tree.write(&Write { at, author, identity: id, value, base: Some(base), ops: &planned.ops });
}

/// Stores what applies from a step on; returns whether it differs from before.
fn set(versions: &mut Vec<(StepNo, Option<StepNo>)>, at: StepNo, author: Option<StepNo>) -> bool {
    let is_other = versions.last().and_then(|(_, a)| *a) != author;
    if is_other {
        versions.push((at, author));
    }
    is_other
}
