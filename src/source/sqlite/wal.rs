//! The write-ahead log beside a database: which of its pages hold, by its last commit.

use super::{Fault, u32_at};
use crate::platform::ReadAt;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

const HEADER_LEN: usize = 32;
const FRAME_HEADER_LEN: usize = 24;

/// The last bit of the magic number: the words that the checksums add have their highest byte first.
const MAGIC: u32 = 0x377f_0682;

/// What a database file's log is called.
pub(super) const SUFFIX: &str = "-wal";

/// A log with at least one commit.
#[derive(Debug)]
pub(super) struct Wal {
    file: File,
    salt: [u8; 8],
    /// Where the frame of each page is that the log has.
    frames: HashMap<u32, u64>,
    /// Pages of the database after the last commit.
    pub(super) page_count: u32,
}

/// A running checksum: two sums over pairs of words.
#[derive(Debug, Clone, Copy)]
struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |pair: &[u8], at: usize| {
            let bytes = super::number_at(pair, at).unwrap_or_default();
            if self.is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let (mut a, mut b) = self.sums;
        for pair in bytes.chunks_exact(8) {
            a = a.wrapping_add(word(pair, 0)).wrapping_add(b);
            b = b.wrapping_add(word(pair, 4)).wrapping_add(a);
        }
        self.sums = (a, b);
    }

    fn is(&self, bytes: &[u8], at: usize) -> bool {
        (u32_at(bytes, at), u32_at(bytes, at + 4)) == (Some(self.sums.0), Some(self.sums.1))
    }
}

impl Wal {
    /// The log beside a database; None: there is none, or nothing in it holds.
    pub(super) fn beside(path: &Path, page_len: usize) -> Result<Option<Self>, Fault> {
        match File::open(super::log_of(path)) {
            Ok(file) => Self::read_frames(file, page_len).map_err(|e| format!("its log cannot be read ({e})")),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(format!("its log cannot be opened ({e})")),
        }
    }

    fn read_frames(file: File, page_len: usize) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER_LEN];
        let len = file.metadata()?.len();
        if len < HEADER_LEN as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut header, 0)?;
        let magic = u32_at(&header, 0).unwrap_or_default();
        let mut sum = Checksum { is_big_endian: magic & 1 == 1, sums: (0, 0) };
        sum.add(&header[..24]);
        let has_pages_of = |len: usize| u32_at(&header, 8).is_some_and(|page_size| page_size as usize == len);
        if magic & !1 != MAGIC || !sum.is(&header, 24) || !has_pages_of(page_len) {
            return Ok(None);
        }
        let salt = super::number_at(&header, 16).unwrap_or_default();
        let mut wal = Self { file, salt, frames: HashMap::new(), page_count: 0 };
        wal.take_frames(len, page_len, sum)?;
        Ok((wal.page_count > 0).then_some(wal))
    }

    /// Takes the frames up to the last commit. The first that does not check is the end: what follows is left from an
    /// earlier use of the log.
    fn take_frames(&mut self, len: u64, page_len: usize, mut sum: Checksum) -> io::Result<()> {
        let mut frame = vec![0; FRAME_HEADER_LEN + page_len];
        let (mut at, mut open) = (HEADER_LEN as u64, Vec::new());
        while at + frame.len() as u64 <= len {
            self.file.read_exact_at(&mut frame, at)?;
            let (page, count) = (u32_at(&frame, 0).unwrap_or_default(), u32_at(&frame, 4).unwrap_or_default());
            sum.add(&frame[..8]);
            sum.add(&frame[FRAME_HEADER_LEN..]);
            if frame[8..16] != self.salt || !sum.is(&frame, 16) || page == 0 {
                break;
            }
            open.push((page, at));
            if count > 0 {
                self.page_count = count;
                self.frames.extend(open.drain(..));
            }
            at += frame.len() as u64;
        }
        Ok(())
    }

    /// Reads a page, if the log has it.
    pub(super) fn read(&self, number: u32, page: &mut [u8]) -> Result<bool, Fault> {
        let Some(&at) = self.frames.get(&number) else { return Ok(false) };
        let changed = || "its log was rewritten while it was read".to_owned();
        let mut header = [0; FRAME_HEADER_LEN];
        self.file.read_exact_at(page, at + FRAME_HEADER_LEN as u64).map_err(|_| changed())?;
        self.file.read_exact_at(&mut header, at).map_err(|_| changed())?;
        if u32_at(&header, 0) != Some(number) || header[8..16] != self.salt {
            return Err(changed());
        }
        Ok(true)
    }
}
