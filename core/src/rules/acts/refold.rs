//! Folds an identity again where a context was rebuilt (A4): whole, or step by step while new messages come in the
//! middle of it.

use super::cover::Cover;
use super::finding::Note;
use super::fold::{Listing, apply, set};
use super::log::{Input, Log, Prepared, Reader};
use super::write::{self, Planned};
use super::write_checks;
use crate::model::StepNo;
use crate::model::cast;
use crate::state::{IdentityId, Tree, Write};

/// A4: where the new messages of a rebuilt context have come to in one identity.
///
/// New messages come in the order of the context, so those before the one at hand only grow in number and are folded
/// once, while those that follow it are messages that stay.
#[derive(Debug)]
pub(super) struct Folding {
    /// The messages in the order of the context, those that are still to come too.
    members: Vec<StepNo>,
    /// Those that hold from the step on at which the context was rebuilt, in the same order.
    staying: Vec<StepNo>,
    /// How many of the members, and of those that stay, are up to the message at hand.
    passed: usize,
    staying_passed: usize,
    /// What the first of the members make, where one had messages behind it.
    head: Option<Folded>,
    /// What those that stay write, from the first that was behind a new message on.
    cover: Option<Cover>,
}

impl Folding {
    /// Of the messages of an identity in the order of the context, which was rebuilt at step `at`.
    pub(super) fn new(at: StepNo, members: Vec<StepNo>) -> Self {
        let staying = members.iter().copied().filter(|step| *step <= at).collect();
        Self { members, staying, passed: 0, staying_passed: 0, head: None, cover: None }
    }

    /// Goes on to a new message.
    fn pass(&mut self, step: StepNo) {
        while let Some(member) = self.members.get(self.passed) {
            self.passed += 1;
            if *member == step {
                return;
            }
            if self.staying.get(self.staying_passed) == Some(member) {
                self.staying_passed += 1;
            }
        }
    }

    /// Whether a step is the first of its identity in the context.
    pub(super) fn is_first(&self, step: StepNo) -> bool {
        self.members.first() == Some(&step)
    }
}

impl Log {
    /// A4: folds an identity again from its messages in the order of the context, from step `at` on. `at` may be the
    /// step of one of them.
    pub(super) fn refold(&mut self, at: StepNo, id: IdentityId, members: &[StepNo], reader: Reader<'_>) {
        let mut folded = Folded::default();
        self.fold_on(&mut folded, id, members, at, reader);
        self.take_folded(at, id, folded);
    }

    /// A4: a new message comes at its place in the context: those of its identity before it are folded already.
    pub(super) fn insert_data(
        &mut self,
        step: StepNo,
        prepared: &Prepared<'_>,
        folding: &mut Folding,
        input: &Input<'_>,
    ) {
        let Some(id) = prepared.id else { return };
        folding.pass(step);
        if folding.staying_passed == folding.staying.len() {
            (folding.head, folding.cover) = (None, None);
            return self.append_data(step, prepared, input.base(), Listing::InMiddle);
        }
        if folding.cover.is_none() {
            folding.cover = Some(self.cover(folding, input.reader()));
        }
        let Folding { members, passed, staying, staying_passed, head, cover } = folding;
        let (Some(planned), Some(cover)) = (&prepared.planned, &*cover) else { return };
        let head = head.get_or_insert_default();
        self.fold_on(head, id, &members[head.len..*passed - 1], step, input.reader());
        let head_id = head.tree.intern(self.tree.identity(id));
        let meeting = cover.meet(*staying_passed, planned, (&head.tree, head_id), (&self.tree, id));
        self.fold_on(head, id, &[step], step, input.reader());
        if let Some(meeting) = meeting {
            let value = planned.value.as_deref();
            let write = Write { at: step, author: step, identity: id, value, base: Some(input.base()), ops: &[] };
            meeting.write(&mut self.tree, &write);
            let behind = |last: Option<(usize, StepNo)>| last.filter(|(number, _)| *number >= *staying_passed);
            let schema = behind(cover.schema).map(|(_, author)| author).or(head.schema);
            let description = behind(cover.description).map(|(_, author)| author).or(head.description);
            let notes = std::mem::take(&mut head.notes);
            self.note_folded(step, id, schema, description, notes);
        } else {
            let mut whole = head.copy();
            self.fold_on(&mut whole, id, &staying[*staying_passed..], step, input.reader());
            self.take_folded(step, id, whole);
        }
        if planned.is_erase {
            self.erases.push(step);
        }
    }

    /// What the messages behind the one at hand write.
    fn cover(&self, folding: &Folding, reader: Reader<'_>) -> Cover {
        let mut cover = Cover::default();
        for (number, author) in folding.staying.iter().copied().enumerate().skip(folding.staying_passed) {
            self.with_message(author, reader, |message, _| {
                cover.add(number, author, &write::plan(message, &mut Vec::new()));
            });
        }
        cover
    }

    /// Folds further messages; `at` may be the step of one of them.
    fn fold_on(&self, folded: &mut Folded, id: IdentityId, members: &[StepNo], at: StepNo, reader: Reader<'_>) {
        let identity = folded.tree.intern(self.tree.identity(id));
        for author in members.iter().copied() {
            self.with_message(author, reader, |message, base| {
                let planned = write::plan(message, &mut Vec::new());
                folded.add(author, identity, &planned, base, author == at);
            });
            folded.len += 1;
        }
    }

    /// An identity becomes what was folded.
    fn take_folded(&mut self, at: StepNo, id: IdentityId, folded: Folded) {
        if let Some(built) = folded.tree.find(self.tree.identity(id)) {
            self.tree.adopt(at, id, &folded.tree, built);
        }
        self.note_folded(at, id, folded.schema, folded.description, folded.notes);
    }

    fn note_folded(
        &mut self,
        at: StepNo,
        id: IdentityId,
        schema: Option<StepNo>,
        description: Option<StepNo>,
        notes: Vec<Note>,
    ) {
        self.moves += 1;
        self.set_schema(id, at, schema);
        set(&mut self.slot(id).description, at, description);
        for note in notes {
            self.note(at, note);
        }
    }
}

/// An identity that is being folded.
#[derive(Debug, Default)]
struct Folded {
    tree: Tree,
    /// How many messages were folded.
    len: usize,
    schema: Option<StepNo>,
    description: Option<StepNo>,
    notes: Vec<Note>,
}

impl Folded {
    fn add(&mut self, author: StepNo, id: IdentityId, planned: &Planned<'_>, base: u64, is_at_hand: bool) {
        let at = cast::to_step(self.len);
        if is_at_hand {
            write_checks::before(&self.tree, id, planned, &mut self.notes);
        }
        apply(&mut self.tree, at, author, id, planned, base, Tree::write);
        if is_at_hand {
            write_checks::after(&self.tree, at, id, &mut self.notes);
        }
        if planned.schema.is_some() {
            self.schema = Some(author);
        }
        if planned.description.is_some() {
            self.description = Some(author);
        }
    }

    /// The same to fold on, with the notes, which are of one message only.
    fn copy(&mut self) -> Self {
        let mut tree = Tree::new();
        if let Some(identity) = self.tree.named_identity(0).cloned() {
            let id = tree.intern(&identity);
            if let Some(built) = self.tree.find(&identity) {
                tree.adopt(cast::to_step(self.len), id, &self.tree, built);
            }
        }
        let notes = std::mem::take(&mut self.notes);
        Self { tree, len: self.len + 1, schema: self.schema, description: self.description, notes }
    }
}
