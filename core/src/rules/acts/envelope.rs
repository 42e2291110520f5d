//! A request in the log: its context is aligned with the one before, and may rebuild it (A3, A4).

use super::check;
use super::context::{Aligner, Alignment};
use super::digest;
use super::finding::{CONTEXT_REBUILT, Note};
use super::fold::Listing;
use super::log::{Change, Input, Log, Prepared, duplicate_keys};
use super::lost;
use super::message::{ActsMessage, Envelope, MessageType};
use super::refold::Folding;
use crate::json::Value;
use crate::model::StepNo;
use crate::state::{EventOp, IdentityId};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// The steps of each identity, in the order of the new context; those that are still to come too.
type Groups = HashMap<IdentityId, Vec<StepNo>>;

/// A4: a rebuilt context whose new messages come one after the other.
struct Placing {
    /// The step that rebuilt it.
    at: StepNo,
    groups: Groups,
    /// Its steps in its order, those that are still to come too.
    order: Vec<StepNo>,
    /// The first of the new steps that come last.
    tail: StepNo,
    foldings: HashMap<IdentityId, Folding>,
    /// Where in the order the message at hand is.
    place: usize,
    /// Identities whose first message is behind it, with the place of that.
    behind: VecDeque<(usize, IdentityId)>,
}

impl Placing {
    /// The order of identities from one on whose first message is now that of a step.
    fn from(&mut self, step: StepNo, id: IdentityId) -> Vec<IdentityId> {
        while self.order.get(self.place).is_some_and(|other| *other != step) {
            self.place += 1;
        }
        while self.behind.front().is_some_and(|(place, _)| *place < self.place) {
            self.behind.pop_front();
        }
        self.behind.retain(|(_, other)| *other != id);
        std::iter::once(id).chain(self.behind.iter().map(|(_, other)| *other)).collect()
    }
}

impl Log {
    /// A2 to A5: takes an envelope.
    pub(super) fn push_envelope(&mut self, envelope: &Envelope<'_>, input: &mut Input<'_>) {
        if self.has_begun {
            self.ticks.advance();
        }
        self.has_begun = true;
        let first = self.last_step() + 1;
        if self.rows.len() == 0 {
            for value in envelope.messages {
                self.push_placed(ActsMessage::of(value), input);
            }
        } else {
            self.align(envelope, input);
        }
        if let Some(solution) = envelope.solution {
            self.push_message(ActsMessage::solution(solution), input);
            let schema = envelope.value.get("schema").filter(|schema| schema.as_object().is_some());
            if let Some(schema) = schema.filter(|_| check::has_output(&ActsMessage::solution(solution))) {
                self.brought.add_output(self.last_step(), schema, input.base());
            }
        }
        // A request that makes no step belongs to the last one.
        self.requests.add(first.min(self.last_step()), envelope, input.base());
        self.note_duplicates(envelope.value, first, input);
    }

    /// A6: keys of the envelope itself that occur more than once, at the first step that it made. One that made none
    /// has the finding without a step: of two contexts one is lost.
    fn note_duplicates(&mut self, envelope: &Value<'_>, first: StepNo, input: &Input<'_>) {
        let mut notes = Vec::new();
        if let Some(object) = envelope.as_object() {
            duplicate_keys(object, "", &mut notes);
        }
        for note in notes {
            if first <= self.last_step() {
                self.note(first, note);
            } else {
                self.note_record(input.record_number(), &note);
            }
        }
    }

    /// A message of an envelope that comes last in the context; of any type, since the request shows it.
    fn push_placed(&mut self, message: ActsMessage<'_>, input: &mut Input<'_>) {
        let prepared = self.prepare(message);
        let step = self.begin(&prepared, true, false, input);
        self.context.append(step);
        self.append_data(step, &prepared, input.base(), Listing::New);
    }

    fn align(&mut self, envelope: &Envelope<'_>, input: &mut Input<'_>) {
        let digests: Vec<_> = envelope.messages.iter().map(digest::of).collect();
        let mut aligner = self.aligner.take().unwrap_or_else(|| self.new_aligner(input));
        let alignment = aligner.align(self.context.now(), &digests);
        self.aligner = Some(aligner);
        let new = envelope.messages.iter().zip(&alignment.taken).filter(|(_, taken)| taken.is_none());
        let new: Vec<&Value<'_>> = new.map(|(value, _)| value).collect();
        if alignment.is_append(self.context.now()) {
            new.into_iter().for_each(|value| self.push_placed(ActsMessage::of(value), input));
            return;
        }
        let prepared: Vec<_> = new.into_iter().map(|value| self.prepare(ActsMessage::of(value))).collect();
        let withdraws = !alignment.withdrawn.is_empty();
        let at = match prepared.first() {
            Some(first) => self.begin(first, true, withdraws, input),
            None => self.begin_rebuilt(envelope.value, withdraws, input),
        };
        self.note_change(at, &alignment);
        self.rebuilt.push(at);
        self.moves += 1;
        if alignment.keeps_nothing() {
            self.reset(at, input, &prepared);
        } else {
            self.rebuild(at, &alignment, input, &prepared);
        }
        self.note_rebuilt(at, &alignment.withdrawn);
    }

    /// A44: `context-rebuilt`, once all messages of the envelope are there, which may bring back what was lost.
    fn note_rebuilt(&mut self, at: StepNo, withdrawn: &[StepNo]) {
        let steps = match withdrawn {
            [] => return,
            [one] => format!("step {one}"),
            more => format!("{} of its steps", more.len()),
        };
        let lost = lost::text(&self.tree, at, self.last_step());
        self.note(at, Note::new(CONTEXT_REBUILT, format!("the context no longer holds {steps}; {lost}")));
    }

    /// A4: the tables for the steps before the first envelope that needs them.
    fn new_aligner(&self, input: &Input<'_>) -> Aligner {
        let mut aligner = Aligner::default();
        let placed: HashSet<StepNo> = self.context.now().iter().copied().collect();
        for step in 0..=self.last_step() {
            let digest = self.with_message(step, input.reader(), |message, _| match message.kind {
                MessageType::EnvelopeSolution => digest::of_solution(message.written),
                _ => digest::of(message.written),
            });
            aligner.add(digest, placed.contains(&step));
        }
        aligner
    }

    /// A4, A41: what the step did to the context.
    fn note_change(&mut self, at: StepNo, alignment: &Alignment) {
        let Alignment { withdrawn, restored, .. } = alignment;
        let values = withdrawn.iter().filter_map(|s| self.row(*s)).filter(|r| r.has_value());
        let lost: BTreeSet<IdentityId> = values.filter_map(|r| r.identity()).collect();
        for id in lost {
            self.lost.entry(self.tree.identity(id).kind.clone()).or_insert(at);
        }
        let old_len = self.context.now().len();
        if old_len > 0 && withdrawn.len() == old_len {
            self.solutions.clears.push(at);
        }
        if !withdrawn.is_empty() || !restored.is_empty() {
            self.changes.push(Change { at, withdrawn: withdrawn.clone(), restored: restored.clone() });
        }
    }

    /// A4: an envelope that takes no step drops all identities before its first message.
    fn reset(&mut self, at: StepNo, input: &mut Input<'_>, prepared: &[Prepared<'_>]) {
        self.resets.push(at);
        for view in self.tree.identities(at) {
            self.tree.drop_identity(at, view.id, EventOp::Reset);
            self.forget(at, view.id);
            self.slot(view.id).members.renew(at, Vec::new());
        }
        self.context.renew(at, Vec::new());
        for (index, prepared) in prepared.iter().enumerate() {
            let step = if index == 0 { at } else { self.begin(prepared, true, false, input) };
            self.context.append(step);
            self.append_data(step, prepared, input.base(), Listing::New);
        }
    }

    /// A4: the context is another; its identities are folded again where their messages differ.
    fn rebuild(&mut self, at: StepNo, alignment: &Alignment, input: &mut Input<'_>, prepared: &[Prepared<'_>]) {
        let mut new = prepared.iter().zip(at..);
        let mut call_identities: HashMap<StepNo, Option<IdentityId>> = HashMap::new();
        let order: Vec<StepNo> = alignment
            .taken
            .iter()
            .filter_map(|taken| {
                taken.or_else(|| {
                    let (prepared, step) = new.next()?;
                    call_identities.insert(step, prepared.id);
                    Some(step)
                })
            })
            .collect();
        let mut groups = Groups::new();
        for step in &order {
            let id = call_identities.get(step).copied().flatten().or_else(|| self.row(*step)?.identity());
            if let Some(id) = id {
                groups.entry(id).or_default().push(*step);
            }
        }
        self.context.renew(at, order.clone());
        let present = by_first(&groups, &order, at);
        self.refold_changed(at, &groups, &present, input);
        self.tree.reorder(at, &present);
        let first_is_erase = prepared.first().and_then(|p| p.planned.as_ref()).is_some_and(|p| p.is_erase);
        if first_is_erase {
            self.erases.push(at);
        }
        let last_taken = alignment.taken.iter().rposition(Option::is_some).map_or(0, |i| i + 1);
        let tail = order.get(last_taken).copied().unwrap_or(StepNo::MAX);
        let places: HashMap<StepNo, usize> = order.iter().copied().zip(0..).collect();
        let first_place = |id: &IdentityId| groups[id].iter().find(|s| **s <= at).map(|s| places[s]);
        let behind = present.iter().filter_map(|id| Some((first_place(id)?, *id))).collect();
        let mut placing = Placing { at, groups, order, tail, foldings: HashMap::new(), place: 0, behind };
        for prepared in prepared.iter().skip(1) {
            self.insert(prepared, &mut placing, input);
        }
    }

    /// A4: a further new message of a rebuilt context.
    fn insert(&mut self, prepared: &Prepared<'_>, placing: &mut Placing, input: &mut Input<'_>) {
        let step = self.begin(prepared, true, false, input);
        if step >= placing.tail {
            return self.append_data(step, prepared, input.base(), Listing::Known);
        }
        self.rebuilt.push(step);
        let Some(id) = prepared.id else { return };
        let members = || placing.groups.get(&id).cloned().unwrap_or_default();
        let folding = placing.foldings.entry(id).or_insert_with(|| Folding::new(placing.at, members()));
        self.insert_data(step, prepared, folding, input);
        if folding.is_first(step) {
            self.tree.put_identities_last(step, &placing.from(step, id));
        }
    }

    /// Folds again, at the step that rebuilt the context, the identities whose messages are not those before it:
    /// `present` are those with messages at that step, in their order. All others may still get some.
    fn refold_changed(&mut self, at: StepNo, groups: &Groups, present: &[IdentityId], input: &Input<'_>) {
        let standing = (0..).zip(&self.slots).filter(|(_, slot)| !slot.members.now().is_empty());
        let known = standing.map(|(i, _)| IdentityId(i)).chain(groups.keys().copied());
        let placed: HashSet<IdentityId> = present.iter().copied().collect();
        let others: BTreeSet<IdentityId> = known.filter(|id| !placed.contains(id)).collect();
        for id in others.into_iter().chain(present.iter().copied()) {
            let full = groups.get(&id).cloned().unwrap_or_default();
            let now: Vec<StepNo> = full.iter().copied().filter(|s| *s <= at).collect();
            let slot = self.slot(id);
            let is_same = now == slot.members.now();
            slot.members.renew(at, full);
            if is_same {
                continue;
            }
            if now.is_empty() {
                self.tree.drop_identity(at, id, EventOp::Drop);
                self.forget(at, id);
            } else {
                self.refold(at, id, &now, input.reader());
            }
        }
    }
}

/// A4: identities in the order of their first messages in the context at a step.
fn by_first(groups: &Groups, order: &[StepNo], at: StepNo) -> Vec<IdentityId> {
    let first = |(id, steps): (&IdentityId, &Vec<StepNo>)| Some((*steps.iter().find(|s| **s <= at)?, *id));
    let firsts: HashMap<StepNo, IdentityId> = groups.iter().filter_map(first).collect();
    order.iter().filter_map(|step| firsts.get(step).copied()).collect()
}
