//! SQLite databases, read by their file format: tables of rows, with the write-ahead log beside them laid over.
//!
//! Nothing is written, locked or created: SQLite itself, opening a database read-only beside a writer, leaves an index
//! of the log there. What the log holds after its last commit is not read. Indexes are not needed, so their pages are
//! not read either. See <https://www.sqlite.org/fileformat2.html>.

mod btree;
mod pager;
mod row;
mod schema;
mod wal;

use super::unpack::Zstd;
use crate::model::{ContainerValue, Problem, RowSink, Table, Tables};
use pager::Pager;
use schema::Root;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How such a file begins.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// Why a database cannot be read: a few words.
type Fault = String;

/// An open database.
#[derive(Debug)]
pub(super) struct Database {
    name: String,
    pager: Pager,
    tables: Vec<Table>,
    /// Where each table of `tables` begins.
    roots: Vec<Root>,
}

impl Database {
    /// Reads which tables there are.
    ///
    /// # Errors
    /// It is cut off or damaged.
    pub(super) fn open(file: File, path: &Path) -> Result<Self, Problem> {
        let name = path.display().to_string();
        let opened = Pager::open(file, path).and_then(|pager| {
            let (tables, roots) = schema::read(&pager)?;
            Ok(Self { name: name.clone(), pager, tables, roots })
        });
        opened.map_err(|why| unreadable(&name, &why))
    }

    fn root(&self, table: &str) -> Result<(&Table, &Root), Problem> {
        let mut all = self.tables.iter().zip(&self.roots);
        all.find(|(known, _)| known.name.eq_ignore_ascii_case(table))
            .ok_or_else(|| Problem::unreadable(format!("{} has no table `{table}`", self.name)))
    }

    /// What is asked for of a table: where each column is in a row.
    fn picked(&self, table: &str, columns: &[&str]) -> Result<(u32, row::Picked), Problem> {
        let (table, root) = self.root(table)?;
        let place = |column: &&str| table.columns.iter().position(|known| known == column);
        let places = columns.iter().map(place).collect();
        Ok((root.page, row::Picked { places, alias: root.alias, encoding: self.pager.encoding }))
    }
}

impl Tables for Database {
    fn tables(&self) -> &[Table] {
        &self.tables
    }

    fn rows(&mut self, table: &str, columns: &[&str], take: &mut RowSink<'_>) -> Result<(), Problem> {
        let (page, picked) = self.picked(table, columns)?;
        let mut walk = btree::Walk::new(&self.pager, page);
        while let Some((number, payload)) = walk.next().map_err(|why| unreadable(&self.name, &why))? {
            let cells = picked.cells(number, &payload, &self.pager).map_err(|why| unreadable(&self.name, &why))?;
            take(number, &cells)?;
        }
        Ok(())
    }

    fn row(&mut self, table: &str, number: i64, columns: &[&str]) -> Result<Option<Vec<ContainerValue>>, Problem> {
        let (page, picked) = self.picked(table, columns)?;
        let found = btree::find(&self.pager, page, number)
            .and_then(|found| found.map(|payload| picked.cells(number, &payload, &self.pager)).transpose());
        found.map_err(|why| unreadable(&self.name, &why))
    }

    fn unpack_up_to(&self, packed: &[u8], len_max: usize) -> Option<Vec<u8>> {
        let most = u64::try_from(len_max).ok()?.checked_add(1)?;
        let mut whole = Vec::new();
        Zstd::new(packed).take(most).read_to_end(&mut whole).ok()?;
        (whole.len() <= len_max).then_some(whole)
    }
}

/// Where the write-ahead log of a database is, if it has one.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(wal::SUFFIX);
    name.into()
}

fn unreadable(name: &str, why: &str) -> Problem {
    let problem = Problem::unreadable(format!("{name} is an SQLite database that cannot be read to its end: {why}"));
    problem.hint("it may be cut off, damaged, or written just now; open it again, or get a copy")
}

/// Numbers of the format, the highest byte first.
fn number_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    number_at(bytes, at).map(u16::from_be_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    number_at(bytes, at).map(u32::from_be_bytes)
}

/// A number of one to nine bytes, and how many they are: seven bits in each, the highest first; the ninth has eight.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (i, &byte) in bytes.iter().take(9).enumerate() {
        if i == 8 {
            return Some((number << 8 | u64::from(byte), 9));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((number, i + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests;
