//! The order of identities at any step: first appearance, since the last drop (A30, S10), or as a rebuilt context has
//! it (A4).

use super::member_order::CROWD;
use crate::model::StepNo;
use crate::state::IdentityId;
use std::collections::HashSet;

/// Which identities exist, and where, from which step on.
#[derive(Debug, Default)]
pub(in crate::state) struct Order {
    /// By identity: the steps at which it came (true) and went.
    standing: Vec<Vec<(StepNo, bool)>>,
    /// How many are now.
    live: usize,
    /// Lists, each from a step on; an identity that came again is in the last one twice, and its last place counts.
    epochs: Vec<(StepNo, Vec<(IdentityId, StepNo)>)>,
}

impl Order {
    /// An identity is there from `at` on, at the end if it was not there before.
    pub(in crate::state) fn touch(&mut self, at: StepNo, id: IdentityId) {
        if self.stands_now(id) {
            return;
        }
        if self.epochs.last().is_none_or(|(_, entries)| entries.len() > 2 * self.live + CROWD) {
            let present = self.at(StepNo::MAX);
            self.epochs.push((at, present.into_iter().map(|id| (id, at)).collect()));
        }
        self.mark(at, id, true);
        self.live += 1;
        if let Some((_, entries)) = self.epochs.last_mut() {
            entries.push((id, at));
        }
    }

    /// An identity is gone from `at` on.
    pub(in crate::state) fn drop(&mut self, at: StepNo, id: IdentityId) {
        if self.stands_now(id) {
            self.mark(at, id, false);
            self.live -= 1;
        }
    }

    /// A new order from `at` on; identities that exist and are not named follow as before.
    pub(in crate::state) fn reorder(&mut self, at: StepNo, order: &[IdentityId]) {
        let old = self.at(StepNo::MAX);
        let mut placed = HashSet::new();
        let named = order.iter().copied().filter(|id| self.stands_now(*id));
        let new: Vec<_> = named.chain(old.iter().copied()).filter(|id| placed.insert(*id)).collect();
        if new != old {
            self.epochs.push((at, new.into_iter().map(|id| (id, at)).collect()));
        }
    }

    /// From `at` on these identities come last, in this order; those that do not exist are passed over.
    pub(in crate::state) fn put_last(&mut self, at: StepNo, ids: &[IdentityId]) {
        if self.epochs.last().is_none_or(|(_, entries)| entries.len() > 2 * self.live + CROWD) {
            let present = self.at(StepNo::MAX);
            self.epochs.push((at, present.into_iter().map(|id| (id, at)).collect()));
        }
        let present: Vec<_> = ids.iter().copied().filter(|id| self.stands_now(*id)).map(|id| (id, at)).collect();
        if let Some((_, entries)) = self.epochs.last_mut() {
            entries.extend(present);
        }
    }

    /// Whether an identity exists at a step.
    pub(in crate::state) fn stands(&self, id: IdentityId, step: StepNo) -> bool {
        let Some(marks) = self.standing.get(id.0 as usize) else { return false };
        let end = marks.partition_point(|(at, _)| *at <= step);
        end > 0 && marks[end - 1].1
    }

    /// The identities that are at a step, in order.
    pub(in crate::state) fn at(&self, step: StepNo) -> Vec<IdentityId> {
        let end = self.epochs.partition_point(|(from, _)| *from <= step);
        let Some((_, entries)) = end.checked_sub(1).map(|i| &self.epochs[i]) else { return Vec::new() };
        let mut seen = HashSet::new();
        let end = entries.partition_point(|(_, from)| *from <= step);
        let present = entries[..end].iter().rev().filter(|(id, _)| seen.insert(*id));
        let mut order: Vec<_> = present.map(|(id, _)| *id).filter(|id| self.stands(*id, step)).collect();
        order.reverse();
        order
    }

    #[cfg(test)]
    pub(in crate::state) fn longest(&self) -> usize {
        self.epochs.iter().map(|(_, entries)| entries.len()).max().unwrap_or(0)
    }

    fn stands_now(&self, id: IdentityId) -> bool {
        self.stands(id, StepNo::MAX)
    }

    fn mark(&mut self, at: StepNo, id: IdentityId, stands: bool) {
        let index = id.0 as usize;
        if self.standing.len() <= index {
            self.standing.resize_with(index + 1, Vec::new);
        }
        self.standing[index].push((at, stands));
    }
}
