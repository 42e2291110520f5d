//! Many short lists that grow, all in one place: most have one entry or two, and a vector for each would be more than
//! what it holds.
//!
//! A list has room for a power of two. A full one moves to twice the room, unless it is last; what it leaves is given
//! to the next that asks for as much.

use super::arena::Arena;
use crate::model::cast;

/// Where a list is. Its owner asks [`Lists`] for its entries.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::state) struct List {
    start: u32,
    len: u32,
}

impl List {
    /// How many entries it has.
    pub(in crate::state) fn len(self) -> usize {
        self.len as usize
    }
}

/// The entries of all lists.
#[derive(Debug)]
pub(in crate::state) struct Lists<T> {
    entries: Arena<T>,
    /// Arena that lists have left: where they begin, by the logarithm of their size.
    free: Vec<Vec<u32>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { entries: Arena::default(), free: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// The entries of a list, in order.
    pub(in crate::state) fn of(&self, list: List) -> &[T] {
        self.entries.of(list.start as usize, list.len as usize)
    }

    /// The last entry of a list, to be changed.
    pub(in crate::state) fn last_mut(&mut self, list: List) -> Option<&mut T> {
        let last = list.len.checked_sub(1)?;
        Some(self.entries.of_mut(list.start as usize, last as usize))
    }

    /// Appends an entry to a list.
    pub(in crate::state) fn push(&mut self, list: &mut List, entry: T) {
        if list.len == 0 {
            list.start = self.room(1, entry);
        } else if list.len.is_power_of_two() {
            self.grow(list, entry);
        }
        *self.entries.of_mut(list.start as usize, list.len as usize) = entry;
        list.len += 1;
    }

    /// Gives a full list twice its room; `fill` is where nothing else does yet.
    fn grow(&mut self, list: &mut List, fill: T) {
        let (start, room) = (list.start as usize, list.len as usize);
        if self.entries.grow_in_place(start, room, 2 * room, fill) {
            return;
        }
        let new = self.room(2 * room, fill);
        self.entries.copy(start, room, new as usize);
        let class = room.ilog2() as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(list.start);
        list.start = new;
    }

    /// Room for `size` entries, a power of two.
    fn room(&mut self, size: usize, fill: T) -> u32 {
        if let Some(start) = self.free.get_mut(size.ilog2() as usize).and_then(Vec::pop) {
            return start;
        }
        cast::to_u32(self.entries.make(size, fill))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_list_may_be_far_longer_than_the_others() {
        let mut lists = Lists::default();
        let (mut long, mut short) = (List::default(), vec![List::default(); 400]);
        for n in 0..40_000_u32 {
            lists.push(&mut long, n);
            lists.push(&mut short[n as usize % 400], n);
        }
        assert!(lists.of(long).iter().copied().eq(0..40_000));
        let is_whole = |(at, list): (u32, &List)| lists.of(*list).iter().copied().eq((at..40_000).step_by(400));
        assert!((0..).zip(&short).all(is_whole));
    }

    #[test]
    fn lists_grow_beside_one_another() {
        let mut lists = Lists::default();
        let mut known = [List::default(); 7];
        let mut wanted = [const { Vec::new() }; 7];
        for n in 0..3_000_usize {
            let at = n * n % 7 * (n % 3) % 7;
            lists.push(&mut known[at], n);
            wanted[at].push(n);
            assert_eq!(lists.last_mut(known[at]).copied(), Some(n));
        }
        for (list, wanted) in known.iter().zip(&wanted) {
            assert_eq!((lists.of(*list), list.len()), (wanted.as_slice(), wanted.len()));
        }
        assert_eq!(lists.last_mut(List::default()), None);
    }

    #[test]
    fn room_that_was_left_is_used_again() {
        let mut lists = Lists::default();
        let mut known = vec![List::default(); 1_000];
        for round in 0..8 {
            known.iter_mut().for_each(|list| lists.push(list, round));
        }
        let before = lists.entries.len();
        assert!(before <= 1_000 * (1 + 2 + 4 + 8), "{before}");
        let mut more = vec![List::default(); 1_000];
        (0..3).for_each(|n| more.iter_mut().for_each(|list| lists.push(list, n)));
        assert!(lists.entries.len() <= before + 1_000, "{}", lists.entries.len() - before);
        assert!(more.iter().all(|list| lists.of(*list) == [0, 1, 2]));
    }
}
