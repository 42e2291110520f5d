//! A list that grows without a copy, in pieces of one size. A vector that moves to twice its room leaves a hole behind,
//! which stays in the memory of a program that keeps all it reads.

use std::ops::{Index, IndexMut};

/// Entries of a piece.
const CHUNK: usize = 1 << 12;

/// A list that grows at its end.
#[derive(Debug, Clone)]
pub struct Chunks<T> {
    /// All full but the last.
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T> Chunks<T> {
    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// An entry by its number, from 0.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&T> {
        self.chunks.get(number / CHUNK)?.get(number % CHUNK)
    }

    /// An entry by its number, to be changed.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.chunks.get_mut(number / CHUNK)?.get_mut(number % CHUNK)
    }

    /// The last entry.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.chunks.last()?.last()
    }

    /// The last entry, to be changed.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.chunks.last_mut()?.last_mut()
    }

    /// Appends an entry.
    pub fn push(&mut self, entry: T) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(entry),
            last => {
                // A short list takes no more room than a vector would.
                let mut chunk = Vec::with_capacity(last.map_or(1, |_| CHUNK));
                chunk.push(entry);
                self.chunks.push(chunk);
            }
        }
    }

    /// Keeps the first `len` entries.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.chunks.truncate(len.div_ceil(CHUNK));
            if let Some(last) = self.chunks.last_mut() {
                last.truncate(len - (len - 1) / CHUNK * CHUNK);
            }
        }
    }

    /// The entries from a number on.
    pub fn since(&self, start: usize) -> impl Iterator<Item = &T> {
        let chunks = self.chunks.get(start / CHUNK..).unwrap_or_default();
        let (first, rest) = chunks.split_first().map_or((&[][..], chunks), |(first, rest)| (first.as_slice(), rest));
        first.get(start % CHUNK..).unwrap_or_default().iter().chain(rest.iter().flatten())
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// How many entries at the beginning are so; after them none may be.
    #[must_use]
    pub fn partition_point(&self, is_so: impl Fn(&T) -> bool) -> usize {
        let whole = self.chunks.partition_point(|chunk| chunk.last().is_some_and(&is_so));
        let rest = |chunk: &Vec<T>| whole * CHUNK + chunk.partition_point(&is_so);
        self.chunks.get(whole).map_or(self.len(), rest)
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, number: usize) -> &T {
        &self.chunks[number / CHUNK][number % CHUNK]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.chunks[number / CHUNK][number % CHUNK]
    }
}

impl<T> Extend<T> for Chunks<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_a_vector() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 7] {
            let vector: Vec<usize> = (0..count).map(|n| n / 3).collect();
            let mut chunks = Chunks::default();
            chunks.extend(vector.iter().copied());
            let places = [0, 1, 5, CHUNK - 1, CHUNK, CHUNK + 1, count.saturating_sub(1), count, count + 1, 9 * CHUNK];
            for at in places {
                assert_eq!(chunks.get(at), vector.get(at), "{count} {at}");
                assert!(chunks.since(at).eq(vector.get(at..).unwrap_or_default()), "{count} {at}");
                let is_so = |entry: &usize| *entry < at / 3;
                assert_eq!(chunks.partition_point(is_so), vector.partition_point(is_so), "{count} {at}");
                let (mut short, mut cut) = (vector.clone(), chunks.clone());
                short.truncate(at);
                cut.truncate(at);
                assert_eq!((cut.len(), cut.is_empty(), cut.last()), (short.len(), short.is_empty(), short.last()));
                cut.push(7);
                assert!(cut.iter().eq(short.iter().chain([&7])), "{count} {at}");
            }
        }
    }

    #[test]
    fn a_short_list_takes_little_room() {
        let mut chunks = Chunks::default();
        chunks.push(1_u64);
        assert!(chunks.chunks[0].capacity() <= 4);
        chunks.extend(0..CHUNK as u64);
        assert!(chunks.chunks.iter().all(|chunk| chunk.capacity() == CHUNK));
    }
}
