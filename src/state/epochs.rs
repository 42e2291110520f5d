//! The members of objects in order. An object has a new list whenever it is made, or put in another order; all lists
//! stand in one, since most are short and many.

use super::NodeId;

/// Entries of gone members that a list may always hold.
pub(super) const CROWD: usize = 32;

/// All lists of members, each since an object was last made or put in another order.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    lists: Vec<List>,
    entries: Vec<Entry>,
}

/// A list: where it stands among the entries, and for how many there is room.
#[derive(Debug, Clone, Copy)]
struct List {
    start: u32,
    len: u32,
    room: u32,
    /// Members present now.
    live: u32,
    /// Some member was removed and came again: its last entry counts.
    has_again: bool,
}

/// A member in a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) node: NodeId,
    /// It counts for limits above this.
    pub(super) from: u32,
}

impl Epochs {
    /// A new list, for about so many members.
    pub(super) fn make(&mut self, members: usize) -> u32 {
        let (start, room) = self.reserve(members as u32);
        self.lists.push(List { start, len: 0, room, live: 0, has_again: false });
        (self.lists.len() - 1) as u32
    }

    fn reserve(&mut self, room: u32) -> (u32, u32) {
        let start = self.entries.len() as u32;
        self.entries.resize(start as usize + room as usize, Entry { node: NodeId(u32::MAX), from: u32::MAX });
        (start, room)
    }

    /// The entries of a list, in order.
    pub(super) fn entries(&self, epoch: u32) -> &[Entry] {
        let list = &self.lists[epoch as usize];
        &self.entries[list.start as usize..][..list.len as usize]
    }

    /// Whether some member was removed and came again: its last entry counts.
    pub(super) fn has_again(&self, epoch: u32) -> bool {
        self.lists[epoch as usize].has_again
    }

    /// Whether most entries are of members that are gone: time for another list, so that reading costs what is there.
    pub(super) fn is_crowded(&self, epoch: u32) -> bool {
        let list = &self.lists[epoch as usize];
        list.len as usize > 2 * list.live as usize + CROWD
    }

    /// Appends a member; says its place. `before` is the place at which it stood before, if it stood in this list.
    pub(super) fn push(&mut self, epoch: u32, entry: Entry, before: u32) -> u32 {
        let is_again = self.entries(epoch).get(before as usize).is_some_and(|e| e.node == entry.node);
        if self.lists[epoch as usize].len == self.lists[epoch as usize].room {
            self.grow(epoch);
        }
        let list = &mut self.lists[epoch as usize];
        self.entries[(list.start + list.len) as usize] = entry;
        list.has_again |= is_again;
        list.len += 1;
        list.live += 1;
        list.len - 1
    }

    /// Gives a full list as much room again, at the end: the last one where it is, another elsewhere.
    fn grow(&mut self, epoch: u32) {
        let list = self.lists[epoch as usize];
        let more = list.room.max(2);
        let is_last = (list.start + list.room) as usize == self.entries.len();
        if is_last {
            self.reserve(more);
            self.lists[epoch as usize].room += more;
        } else {
            let (start, room) = self.reserve(list.len + more);
            let old = list.start as usize;
            self.entries.copy_within(old..old + list.len as usize, start as usize);
            self.lists[epoch as usize] = List { start, room, ..list };
        }
    }

    /// So many members are present now.
    pub(super) fn set_live(&mut self, epoch: u32, live: u32) {
        self.lists[epoch as usize].live = live;
    }

    /// A member has gone; how many are left.
    pub(super) fn remove(&mut self, epoch: u32) -> u32 {
        let list = &mut self.lists[epoch as usize];
        list.live -= 1;
        list.live
    }

    #[cfg(test)]
    pub(super) fn longest(&self) -> usize {
        self.lists.iter().map(|list| list.len as usize).max().unwrap_or(0)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.lists.len() * size_of::<List>() + self.entries.len() * size_of::<Entry>()
    }
}
