//! Zip archives: the members that the central directory names, unpacked one by one.
//!
//! Read are methods 0 (stored), 8 (deflate) and 93 (Zstandard, also of several frames), and zip64. A member's name is
//! text and leads nowhere: nothing is ever written under it.

mod directory;

use super::unpack::Zstd;
use crate::model::{Archive, Problem, Sink};
use crate::platform::ReadAt;
use directory::{ZipEntry, directory};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};

/// How such a file begins; an empty archive is only its end.
pub(super) const MAGIC: &[&[u8]] = &[b"PK\x03\x04", b"PK\x05\x06"];

const STORED: u16 = 0;
const DEFLATE: u16 = 8;
const ZSTD: u16 = 93;

/// Bytes of a member that are unpacked at once.
const BLOCK_BYTES: usize = 1 << 16;

/// A zip archive.
#[derive(Debug)]
pub(super) struct Zip {
    file: File,
    name: String,
    entries: Vec<ZipEntry>,
    names: Vec<String>,
}

impl Zip {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// It is cut off or damaged, or its members overlap.
    pub(super) fn open(file: File, name: &str) -> Result<Self, Problem> {
        let (entries, names) = directory(&file).map_err(|why| {
            let problem = Problem::unreadable(format!("{name} is a zip archive that cannot be read: {why}"));
            problem.hint("its directory is at its end: it may be cut off, or still be written")
        })?;
        Ok(Self { file, name: name.to_owned(), entries, names })
    }

    fn stream(&self, entry: &ZipEntry) -> io::Result<Box<dyn Read>> {
        let file = self.file.try_clone()?;
        let packed = Window { file, at: entry.data_offset(&self.file)?, left: entry.packed_bytes };
        let packed = BufReader::with_capacity(BLOCK_BYTES, packed);
        match entry.method {
            STORED => Ok(Box::new(packed)),
            DEFLATE => Ok(Box::new(DeflateDecoder::new(packed))),
            ZSTD => Ok(Box::new(Zstd::new(packed))),
            directory::ENCRYPTED_METHOD => Err(io::Error::other("it is encrypted")),
            other => Err(io::Error::other(format!("it is packed by method {other}, which is not read"))),
        }
    }

    /// Unpacks a member; the error of `take` stays one, that of the archive says which member it is.
    fn unpack(&self, number: usize, take: &mut Sink<'_>) -> Result<(), Problem> {
        let entry = self.entries.get(number).ok_or_else(|| Problem::unreadable("there is no such member"))?;
        let damaged = |e: io::Error| {
            let member = self.names.get(number).map_or("", String::as_str);
            let message = format!("member `{member}` of {} is cut off or damaged: {e}", self.name);
            Problem::unreadable(message).hint("what comes before can be read; get the file again")
        };
        let mut stream = self.stream(entry).map_err(damaged)?;
        let mut block = vec![0; BLOCK_BYTES];
        let (mut left, mut crc) = (entry.bytes, Crc::new());
        loop {
            let n = match stream.read(&mut block) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(damaged(e)),
            };
            let piece = &block[..n];
            // A bomb says less than it holds.
            left = left.checked_sub(n as u64).ok_or_else(|| damaged(io::Error::other("it is longer than it says")))?;
            crc.update(piece);
            take(piece)?;
        }
        if left > 0 {
            return Err(damaged(io::Error::other(format!("{left} bytes are missing"))));
        }
        if crc.sum() != entry.crc {
            return Err(damaged(io::Error::other("the checksum is wrong")));
        }
        Ok(())
    }
}

impl Archive for Zip {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn read(&mut self, number: usize, take: &mut Sink<'_>) -> Result<(), Problem> {
        self.unpack(number, take)
    }
}

/// A part of a file, read by place, so that nobody's position moves.
struct Window {
    file: File,
    at: u64,
    left: u64,
}

impl Read for Window {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(block.len());
        let n = self.file.read_at(&mut block[..wanted], self.at)?;
        self.at += n as u64;
        self.left -= n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests;
