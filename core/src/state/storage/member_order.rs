//! The members of objects in order. An object has a new list whenever it is made, or put in another order.

use super::list_arena::{List, Lists};
use crate::model::Chunks;
use crate::model::cast;
use crate::state::NodeId;

/// Entries of gone members that a list may always hold.
pub(in crate::state) const CROWD: usize = 32;

/// Marks a list in which some member was removed and came again: its last entry counts.
const AGAIN: u32 = 1 << 31;

/// All lists of members, each since an object was last made or put in another order.
#[derive(Debug, Default)]
pub(in crate::state) struct Epochs {
    epochs: Chunks<Epoch>,
    entries: Lists<MemberEpoch>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Epoch {
    list: List,
    /// Members present now, and the mark [`AGAIN`].
    live: u32,
}

/// A member in a list.
#[derive(Debug, Clone, Copy)]
pub(in crate::state) struct MemberEpoch {
    pub(in crate::state) node: NodeId,
    /// It counts for limits above this.
    pub(in crate::state) from: u32,
}

impl Epochs {
    /// A new list.
    pub(in crate::state) fn make(&mut self) -> u32 {
        self.epochs.push(Epoch::default());
        cast::to_u32(self.epochs.len() - 1)
    }

    /// The entries of a list, in order.
    pub(in crate::state) fn entries(&self, epoch: u32) -> &[MemberEpoch] {
        self.entries.of(self.epochs[epoch as usize].list)
    }

    /// Whether some member was removed and came again: its last entry counts.
    pub(in crate::state) fn has_again(&self, epoch: u32) -> bool {
        self.epochs[epoch as usize].live & AGAIN != 0
    }

    /// Whether most entries are of members that are gone: time for another list, so that reading costs what is there.
    pub(in crate::state) fn is_crowded(&self, epoch: u32) -> bool {
        let Epoch { list, live } = self.epochs[epoch as usize];
        list.len() > 2 * (live & !AGAIN) as usize + CROWD
    }

    /// Appends a member; says its place. `before` is the place at which it was before, if it was in this list.
    pub(in crate::state) fn push(&mut self, epoch: u32, entry: MemberEpoch, before: u32) -> u32 {
        let is_again = self.entries(epoch).get(before as usize).is_some_and(|e| e.node == entry.node);
        let epoch = &mut self.epochs[epoch as usize];
        self.entries.push(&mut epoch.list, entry);
        epoch.live = (epoch.live + 1) | if is_again { AGAIN } else { 0 };
        cast::to_u32(epoch.list.len()) - 1
    }

    /// Sets the number of members that are present now.
    pub(in crate::state) fn set_live(&mut self, epoch: u32, live: u32) {
        let epoch = &mut self.epochs[epoch as usize];
        epoch.live = live | epoch.live & AGAIN;
    }

    /// How many members are present now.
    pub(in crate::state) fn live(&self, epoch: u32) -> u32 {
        self.epochs[epoch as usize].live & !AGAIN
    }

    /// A member has gone; how many are left.
    pub(in crate::state) fn remove(&mut self, epoch: u32) -> u32 {
        let epoch = &mut self.epochs[epoch as usize];
        epoch.live -= 1;
        epoch.live & !AGAIN
    }

    #[cfg(test)]
    pub(in crate::state) fn longest(&self) -> usize {
        self.epochs.iter().map(|epoch| epoch.list.len()).max().unwrap_or(0)
    }
}
