//! Parquet files, read as what they hold: a line of JSON for each row, with its columns as members.
//!
//! Rows come page by page, so a file of any size needs no more memory than its largest pages. Bytes become base64;
//! times and decimals their text, as JSON has no type for them.

mod assembly;
mod pages;
mod values;

use crate::model::Problem;
use assembly::Rows;
use pages::Pages;
use parquet::errors::ParquetError;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

/// How such a file begins.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// Bytes of lines made at once.
const BATCH_BYTES: usize = 1 << 16;

/// The rows of a Parquet file, as JSON Lines.
///
/// # Errors
/// Its end, which says what it holds, is missing or damaged; its pages are packed as nobody here unpacks.
pub(super) fn lines(file: File, name: &str) -> Result<impl Read + use<>, Problem> {
    let damaged = |e: ParquetError| {
        let problem = Problem::unreadable(format!("{name} is a Parquet file that cannot be read: {e}"));
        problem.hint("it may be cut off, as its content is listed at its end; get the file again")
    };
    let reader = Pages::open(file).map_err(damaged)?;
    if let Some(packing) = reader.foreign_packing() {
        let problem = Problem::unreadable(format!("{name} is a Parquet file packed with {packing}, which is not read"));
        let hint = "pack it otherwise, as with duckdb: COPY (FROM 'FILE') TO 'OTHER.parquet' (COMPRESSION zstd)";
        return Err(problem.hint(hint));
    }
    Ok(Lines { pages: reader, next_group: 0, rows: None, pending: Vec::new(), at: 0, failure: None })
}

struct Lines {
    pages: Pages,
    next_group: usize,
    /// What is left of the group before it.
    rows: Option<Rows>,
    pending: Vec<u8>,
    /// How much of it was read.
    at: usize,
    /// Why no more rows can be made.
    failure: Option<ParquetError>,
}

impl Lines {
    fn make(&mut self) -> io::Result<()> {
        self.pending.clear();
        self.at = 0;
        while self.pending.len() < BATCH_BYTES && self.failure.is_none() {
            let whole = self.pending.len();
            match self.write_row() {
                Ok(true) => self.pending.push(b'\n'),
                Ok(false) => break,
                Err(e) => {
                    self.pending.truncate(whole);
                    self.failure = Some(e);
                }
            }
        }
        // What was made before is read first.
        match self.failure.take_if(|_| self.pending.is_empty()) {
            Some(e) => Err(io::Error::new(ErrorKind::InvalidData, e)),
            None => Ok(()),
        }
    }
}

impl Lines {
    /// Writes the next row; false at the end.
    fn write_row(&mut self) -> Result<bool, ParquetError> {
        loop {
            if let Some(rows) = &mut self.rows
                && rows.write(&mut self.pending)?
            {
                return Ok(true);
            }
            self.rows = self.pages.group(self.next_group)?;
            self.next_group += 1;
            if self.rows.is_none() {
                return Ok(false);
            }
        }
    }
}

impl Read for Lines {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        if self.at == self.pending.len() {
            self.make()?;
        }
        let n = block.len().min(self.pending.len() - self.at);
        block[..n].copy_from_slice(&self.pending[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
