//! The fingerprint of what was read of a file: whether those bytes still are there (TAIL T2).

use super::Input;
use crate::model::cast;
use crate::model::{Bytes, Span};
use std::hash::{DefaultHasher, Hasher};

/// Bytes at the beginning, and before the position, that are compared at each look.
const HEAD_BYTES: usize = 1024;
const TAIL_BYTES: usize = 256;

/// Bytes that one digest stands for, and how many bytes from the start have one each.
const BLOCK: u64 = 16 << 10;
const ALL_BYTES: u64 = 64 << 20;

/// Beyond that, one block of this many has a digest.
const SAMPLE: u64 = 256;

#[derive(Debug, Clone, Copy)]
struct Block {
    span: Span,
    digest: u64,
}

/// What was read from the start of a file up to a position.
#[derive(Debug, Clone, Default)]
pub(super) struct Fingerprint {
    end: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Blocks, and what their digests are.
    blocks: Vec<Block>,
    /// What was read of the block at the position.
    part: Vec<u8>,
    /// Whether `part` begins where its block does.
    is_part_whole: bool,
}

impl Fingerprint {
    /// The fingerprint of nothing.
    pub(super) fn new() -> Self {
        Self { is_part_whole: true, ..Self::default() }
    }

    /// The position: all bytes before it were noted or passed over.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Notes bytes that were read at `offset`; what lies before the position is known already.
    pub(super) fn note(&mut self, offset: u64, bytes: &[u8]) {
        if offset > self.end {
            self.pass(offset);
        }
        let known = usize::try_from(self.end - offset).unwrap_or(usize::MAX);
        let Some(mut new) = bytes.get(known..) else { return };
        let head = new.len().min(HEAD_BYTES.saturating_sub(self.head.len()));
        self.head.extend_from_slice(&new[..head]);
        self.end_with(new);
        while !new.is_empty() {
            let room = cast::to_usize(BLOCK - self.end % BLOCK);
            let (now, rest) = new.split_at(room.min(new.len()));
            self.part.extend_from_slice(now);
            self.end += now.len() as u64;
            new = rest;
            if self.end.is_multiple_of(BLOCK) {
                self.end_block();
            }
        }
    }

    /// Goes over zeros that were not read.
    pub(super) fn pass(&mut self, to: u64) {
        let len = to.saturating_sub(self.end);
        let zeros = |max: usize| vec![0; usize::try_from(len).map_or(max, |len| len.min(max))];
        let head = HEAD_BYTES.saturating_sub(self.head.len());
        self.head.extend(zeros(head));
        self.end_with(&zeros(TAIL_BYTES));
        self.end = self.end.max(to);
        self.part.clear();
        self.is_part_whole = self.end.is_multiple_of(BLOCK);
    }

    /// Needs as little memory as can be, for a file that rests.
    pub(super) fn rest(&mut self) {
        if self.is_part_whole && !self.part.is_empty() {
            self.keep_part();
            self.is_part_whole = false;
        }
        self.part = Vec::new();
    }

    /// Whether the beginning and the bytes before the position are as they were.
    pub(super) fn is_alike(&self, input: &Input) -> bool {
        let tail = self.end - self.tail.len() as u64;
        holds(input, 0, &self.head) && holds(input, tail, &self.tail)
    }

    /// Whether all that was read is as it was; beyond 64 MiB by samples.
    pub(super) fn is_same(&self, input: &Input) -> bool {
        let has = |block: &Block| input.read(block.span).is_ok_and(|bytes| digest(&bytes) == block.digest);
        let part = self.end - self.part.len() as u64;
        self.is_alike(input) && holds(input, part, &self.part) && self.blocks.iter().all(has)
    }

    fn end_with(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL_BYTES));
    }

    fn end_block(&mut self) {
        let start = self.end - BLOCK;
        let is_wanted = start < ALL_BYTES || (start / BLOCK).is_multiple_of(SAMPLE);
        if self.is_part_whole && is_wanted {
            self.keep_part();
        }
        self.part.clear();
        self.is_part_whole = true;
    }

    fn keep_part(&mut self) {
        let len = self.part.len() as u64;
        self.blocks.push(Block { span: Span { offset: self.end - len, len }, digest: digest(&self.part) });
    }
}

fn holds(input: &Input, offset: u64, bytes: &[u8]) -> bool {
    input.read(Span { offset, len: bytes.len() as u64 }).is_ok_and(|now| now == bytes)
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i * 31 % 251) as u8).collect()
    }

    fn noted(bytes: &[u8], pieces: usize) -> Fingerprint {
        let mut print = Fingerprint::new();
        let mut at = 0;
        for piece in bytes.chunks(pieces) {
            print.note(at, piece);
            at += piece.len() as u64;
        }
        print
    }

    #[test]
    fn sees_any_changed_byte_of_what_was_read_and_no_other() {
        let bytes = text(40_000);
        for (pieces, rests) in [(1, false), (700, true), (16 << 10, false), (50_000, true)] {
            let mut print = noted(&bytes[..20_000], pieces);
            if rests {
                print.rest();
            }
            print.note(20_000, &bytes[20_000..35_000]);
            assert!(print.is_same(&Input::memory("same", bytes.clone())));
            for at in [0, 1500, 16_383, 16_384, 33_000, 34_999] {
                let mut other = bytes.clone();
                other[at] ^= 1;
                let other = Input::memory("other", other);
                assert!(!print.is_same(&other), "{at}");
                assert_eq!(print.is_alike(&other), (1024..34_744).contains(&at), "{at}");
            }
            let mut behind = bytes.clone();
            behind[36_000] ^= 1;
            assert!(print.is_same(&Input::memory("behind", behind)));
            assert!(!print.is_alike(&Input::memory("short", &bytes[..30_000])));
        }
    }

    #[test]
    fn goes_over_holes_and_over_what_is_read_again() {
        let mut bytes = text(100_000);
        bytes[500..70_000].fill(0);
        let mut print = Fingerprint::new();
        print.note(0, &bytes[..500]);
        print.pass(70_000);
        print.note(70_000, &bytes[70_000..90_000]);
        print.note(80_000, &bytes[80_000..100_000]);
        assert_eq!(print.end(), 100_000);
        assert!(print.is_same(&Input::memory("same", bytes.clone())));
        bytes[99_000] ^= 1;
        assert!(!print.is_same(&Input::memory("other", bytes)));
    }
}
