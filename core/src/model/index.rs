//! Where records are: 12 bytes a record, any record by its number in constant time, growth without a copy.

use super::{Chunks, Place, Record, RecordBody, Span};
use std::collections::BTreeMap;

/// The places of all records found so far, in order.
#[derive(Debug, Clone, Default)]
pub struct RecordIndex {
    entries: Chunks<IndexEntry>,
    /// Records whose line is not the one after their predecessor's, and their line.
    lines: Vec<(usize, u64)>,
    /// Lengths of records of 4 GiB and more.
    long: BTreeMap<usize, u64>,
    broken: BTreeMap<usize, String>,
    next_line: u64,
    version: u64,
    /// Whether the records are rows of columns.
    is_of_rows: bool,
}

#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
struct IndexEntry {
    offset: u64,
    len: u32,
}

impl RecordIndex {
    /// An empty index, of records that are rows of columns or not.
    #[must_use]
    pub fn of(is_of_rows: bool) -> Self {
        Self { is_of_rows, ..Self::default() }
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Grows each time that records were taken back (by `truncate`): what was read of them is void.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// A record by its number, from 0.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<Record> {
        let entry = *self.entries.get(number)?;
        let len = match entry.len {
            u32::MAX => self.long.get(&number).copied().unwrap_or(u64::from(u32::MAX)),
            len => u64::from(len),
        };
        let run = self.lines.partition_point(|&(first, _)| first <= number);
        let line = self.lines[..run].last().map_or(0, |&(first, line)| line + (number - first) as u64);
        let body = if self.broken.is_empty() {
            RecordBody::Text
        } else {
            self.broken.get(&number).map_or(RecordBody::Text, |why| RecordBody::Broken(why.clone()))
        };
        let place = Place { span: Span { offset: entry.offset, len }, line };
        Some(Record { number, place, body, is_row: self.is_of_rows })
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = Record> + '_ {
        (0..self.len()).map_while(|number| self.get(number))
    }

    /// Records that the framing found broken, and why.
    pub fn broken(&self) -> impl Iterator<Item = (usize, &str)> {
        self.broken.iter().map(|(&number, why)| (number, why.as_str()))
    }

    /// Adds the next record.
    pub fn push(&mut self, place: Place, broken: Option<String>) {
        let number = self.len();
        if place.line != self.next_line || self.lines.is_empty() {
            self.lines.push((number, place.line));
        }
        self.next_line = place.line + 1;
        let len = u32::try_from(place.span.len).unwrap_or(u32::MAX);
        if len == u32::MAX {
            self.long.insert(number, place.span.len);
        }
        if let Some(why) = broken {
            self.broken.insert(number, why);
        }
        self.entries.push(IndexEntry { offset: place.span.offset, len });
    }

    /// Takes records back: keeps the first `len`. A new version, if that were not all.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        self.next_line = len.checked_sub(1).and_then(|last| self.get(last)).map_or(0, |r| r.place.line + 1);
        self.entries.truncate(len);
        self.lines.truncate(self.lines.partition_point(|&(first, _)| first < len));
        self.long.split_off(&len);
        self.broken.split_off(&len);
        self.version += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: usize = 1 << 12;

    fn place(offset: u64, len: u64, line: u64) -> Place {
        Place { span: Span { offset, len }, line }
    }

    #[test]
    fn gives_back_what_was_put_in() {
        let mut index = RecordIndex::default();
        let count = CHUNK as u64 * 2 + 5;
        let at = |i: u64| place(i * 10, if i % 1000 == 3 { u64::from(u32::MAX) + i } else { 7 }, i + 1 + i / 100);
        for i in 0..count {
            index.push(at(i), (i % 500 == 1).then(|| format!("broken {i}")));
        }
        assert_eq!(index.len() as u64, count);
        for (record, i) in index.iter().zip(0..) {
            assert_eq!((record.place, record.number as u64), (at(i), i));
            assert_eq!(record.body != RecordBody::Text, i % 500 == 1);
        }
        assert_eq!(index.get(count as usize), None);
        for keep in [count, count - 1, CHUNK as u64 * 2, CHUNK as u64 + 1, CHUNK as u64, 1, 0] {
            index.truncate(keep as usize);
            assert_eq!(index.len() as u64, keep);
            assert_eq!(index.iter().last().map(|r| r.place), keep.checked_sub(1).map(at));
        }
        for i in [0, 250, 251] {
            index.push(at(i), None);
            index.truncate(index.len() - 1);
            index.push(at(i), None);
            assert_eq!(index.iter().last().unwrap().place, at(i));
        }
        assert_eq!((size_of::<IndexEntry>(), index.version()), (12, 9));
    }
}
