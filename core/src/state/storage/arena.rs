//! Arena of entries that are side by side, in pieces of one size: what grows copies nothing of what is there.

/// Entries of a piece. A larger room is a piece of its own, and takes as many numbers as the pieces that it stands for.
const CHUNK: usize = 1 << 13;

/// The entries of all rooms.
#[derive(Debug)]
pub(in crate::state) struct Arena<T> {
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T: Copy> Arena<T> {
    /// The `len` entries from number `start` on.
    pub(in crate::state) fn of(&self, start: usize, len: usize) -> &[T] {
        if len == 0 { &[] } else { &self.chunks[start / CHUNK][start % CHUNK..][..len] }
    }

    /// An entry of a room, to be changed.
    pub(in crate::state) fn of_mut(&mut self, start: usize, number: usize) -> &mut T {
        &mut self.chunks[start / CHUNK][start % CHUNK + number]
    }

    /// The last piece if that many entries have room in it.
    fn open(&mut self, size: usize) -> Option<&mut Vec<T>> {
        self.chunks.last_mut().filter(|chunk| !chunk.is_empty() && chunk.len() + size <= CHUNK)
    }

    /// Allocates `size` entries with the value `fill`; returns the number of the first.
    pub(in crate::state) fn make(&mut self, size: usize, fill: T) -> usize {
        let number = self.chunks.len().saturating_sub(1) * CHUNK;
        if let Some(chunk) = self.open(size) {
            let start = chunk.len();
            chunk.resize(start + size, fill);
            return number + start;
        }
        let number = self.chunks.len() * CHUNK;
        // The first piece grows as a vector does: what is small stays small.
        let mut chunk = Vec::with_capacity(if number == 0 { size } else { size.max(CHUNK) });
        chunk.resize(size, fill);
        self.chunks.push(chunk);
        (1..size.div_ceil(CHUNK)).for_each(|_| self.chunks.push(Vec::new()));
        number
    }

    /// Makes a room for some entries. The number of its first.
    pub(in crate::state) fn keep(&mut self, entries: &[T]) -> usize {
        let Some((first, rest)) = entries.split_first() else { return 0 };
        let start = self.make(entries.len(), *first);
        self.chunks[start / CHUNK][start % CHUNK + 1..][..rest.len()].copy_from_slice(rest);
        start
    }

    /// Makes a room larger where it is, if it is the last one and its piece has room.
    pub(in crate::state) fn grow_in_place(&mut self, start: usize, len: usize, to: usize, fill: T) -> bool {
        let is_last = start / CHUNK + 1 == self.chunks.len();
        match self.open(to - len).filter(|chunk| is_last && start % CHUNK + len == chunk.len()) {
            Some(chunk) => chunk.resize(start % CHUNK + to, fill),
            None => return false,
        }
        true
    }

    /// Copies `len` entries from number `from` on to number `to` on.
    pub(in crate::state) fn copy(&mut self, from: usize, len: usize, to: usize) {
        let (a, b) = (from / CHUNK, to / CHUNK);
        let (here, there) = (from % CHUNK, to % CHUNK);
        if a == b {
            return self.chunks[a].copy_within(here..here + len, there);
        }
        let (low, high) = self.chunks.split_at_mut(a.max(b));
        let (source, target) = if a < b { (&low[a], &mut high[0]) } else { (&high[0], &mut low[b]) };
        target[there..there + len].copy_from_slice(&source[here..here + len]);
    }

    /// Number of entries in memory.
    #[cfg(test)]
    pub(in crate::state) fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_of_all_sizes_keep_what_is_in_them() {
        let mut rooms = Arena::default();
        let mut known: Vec<(usize, usize)> = Vec::new();
        for (n, size) in
            [1, CHUNK - 1, 1, 2, CHUNK, 3, 2 * CHUNK, 5 * CHUNK + 1, 1, CHUNK / 2, CHUNK / 2, 7].iter().enumerate()
        {
            let start = rooms.make(*size, n);
            assert!(known.iter().all(|(other, len)| other + len <= start));
            known.push((start, *size));
        }
        let is_whole = |rooms: &Arena<usize>| {
            known.iter().enumerate().all(|(n, (start, len))| rooms.of(*start, *len).iter().all(|entry| *entry == n))
        };
        assert!(is_whole(&rooms));
        let (last, len) = known[known.len() - 1];
        assert!(
            rooms.grow_in_place(last, len, 2 * len, 99) && rooms.of(last, 14)[7..].iter().all(|entry| *entry == 99)
        );
        assert!(!rooms.grow_in_place(last, 14, CHUNK + 1, 99) && !rooms.grow_in_place(known[2].0, 1, 2, 99));
        assert!(is_whole(&rooms));
        for (from, to) in [(0, last), (last, 0), (known[2].0, known[3].0)] {
            *rooms.of_mut(from, 0) = 77;
            rooms.copy(from, 1, to);
            assert_eq!(rooms.of(to, 1), [77]);
        }
        assert!(rooms.of(usize::MAX, 0).is_empty());
    }

    #[test]
    fn what_is_kept_stands_in_one_piece() {
        let mut rooms = Arena::default();
        let texts: Vec<Vec<u16>> = (0..3_000).map(|n| vec![n; usize::from(n % 23)]).collect();
        let starts: Vec<usize> = texts.iter().map(|text| rooms.keep(text)).collect();
        assert!(starts.iter().zip(&texts).all(|(start, text)| rooms.of(*start, text.len()) == text));
        assert!(rooms.len() > 3 * CHUNK, "several pieces are needed");
    }
}
