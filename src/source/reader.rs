//! The texts of many records in order, read in blocks, so that small records cost no system call each.

use super::{BLOCK, Input};
use crate::model::{Bytes, Problem, Record, Span};

/// Reads records, best in order: each block is read once.
#[derive(Debug)]
pub struct RecordReader<'a> {
    input: &'a Input,
    block: Vec<u8>,
    start: u64,
}

impl<'a> RecordReader<'a> {
    /// A reader of this input.
    #[must_use]
    pub fn new(input: &'a Input) -> Self {
        Self { input, block: Vec::new(), start: 0 }
    }

    /// The bytes of a record; of a broken one only the first 64 KiB.
    ///
    /// # Errors
    /// The input no longer holds them.
    pub fn text(&mut self, record: &Record) -> Result<&[u8], Problem> {
        let span = record.shown();
        if span.len > BLOCK as u64 / 2 {
            self.block = self.input.read(span)?;
            self.start = span.offset;
        } else if span.offset < self.start || span.end() > self.start + self.block.len() as u64 {
            let left = usize::try_from(self.input.len().saturating_sub(span.offset)).unwrap_or(BLOCK);
            self.block.resize(BLOCK.min(left), 0);
            self.block.shrink_to(BLOCK);
            self.start = span.offset;
            let got = self.input.read_at(self.start, &mut self.block)?;
            self.block.truncate(got);
        }
        self.block_bytes(span).ok_or_else(|| Problem::gone(span))
    }

    fn block_bytes(&self, span: Span) -> Option<&[u8]> {
        let from = usize::try_from(span.offset - self.start).ok()?;
        self.block.get(from..from.checked_add(usize::try_from(span.len).ok()?)?)
    }
}
