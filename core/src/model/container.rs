//! What a file holds that is itself a file system of records: members of an archive, tables of a database.
//!
//! Rooms of the core ask a container for its contents through these traits, so that they name no file: `source` reads
//! the container, a format says what its members and rows are, and what comes out is text of records.

use super::Problem;

/// Takes pieces of a text or of a member as they come; an error ends the reading.
pub type Sink<'s> = dyn FnMut(&[u8]) -> Result<(), Problem> + 's;

/// An archive: members with names.
pub trait Archive {
    /// The names of its members, each once, in the order of the archive's directory.
    fn names(&self) -> &[String];

    /// Unpacks a member, by its number in [`Archive::names`], piece by piece.
    ///
    /// # Errors
    /// It is damaged or packed in an unknown way, or what `take` returns. What came before was taken.
    fn read(&mut self, number: usize, take: &mut Sink<'_>) -> Result<(), Problem>;

    /// The number of the member of that name.
    fn find(&self, name: &str) -> Option<usize> {
        self.names().iter().position(|other| other == name)
    }

    /// A member as a whole, if it has at most `max_bytes` bytes.
    ///
    /// # Errors
    /// As [`Archive::read`], or it is longer.
    fn read_whole(&mut self, number: usize, max_bytes: usize) -> Result<Vec<u8>, Problem> {
        let mut whole = Vec::new();
        self.read(number, &mut |piece| {
            if whole.len() + piece.len() > max_bytes {
                return Err(Problem::unreadable(format!("a member has more than {max_bytes} bytes")));
            }
            whole.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(whole)
    }
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ContainerValue {
    /// `NULL`
    #[default]
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// Text; invalid UTF-8 is replaced.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl ContainerValue {
    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Its bytes: those of a text or of a blob.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text.as_bytes()),
            Self::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A table of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The names of its columns, in lower case.
    pub columns: Vec<String>,
}

/// Takes the number of a row and its cells, one for each column asked for; an error ends the reading.
pub type RowSink<'s> = dyn FnMut(i64, &[ContainerValue]) -> Result<(), Problem> + 's;

/// A database: tables of rows, each row with a number of its own.
pub trait Tables {
    /// The tables.
    fn tables(&self) -> &[Table];

    /// Reads these columns of all rows of a table in the order of their numbers. A column that the table does not have
    /// is `NULL`; what is in other columns costs no memory.
    ///
    /// # Errors
    /// There is no such table, the database is damaged, or what `take` returns.
    fn rows(&mut self, table: &str, columns: &[&str], take: &mut RowSink<'_>) -> Result<(), Problem>;

    /// Reads these columns of one row; None: there is no such row.
    ///
    /// # Errors
    /// As [`Tables::rows`].
    fn row(&mut self, table: &str, number: i64, columns: &[&str]) -> Result<Option<Vec<ContainerValue>>, Problem>;

    /// The content of a Zstandard frame in a cell; None: it cannot be unpacked, or to more than `len_max` bytes.
    fn unpack_up_to(&self, packed: &[u8], len_max: usize) -> Option<Vec<u8>>;

    /// The same where it is known how long the content is.
    fn unpack(&self, packed: &[u8], len: usize) -> Option<Vec<u8>> {
        self.unpack_up_to(packed, len).filter(|whole| whole.len() == len)
    }

    /// Whether there is a table of that name with these columns.
    fn has(&self, table: &str, columns: &[&str]) -> bool {
        let is_it = |t: &&Table| t.name.eq_ignore_ascii_case(table);
        let found = self.tables().iter().find(is_it);
        found.is_some_and(|t| columns.iter().all(|column| t.columns.iter().any(|c| c == column)))
    }
}

/// What a container holds.
pub enum Contents<'c> {
    /// Members.
    Archive(&'c mut dyn Archive),
    /// Tables.
    Tables(&'c mut dyn Tables),
    /// The JSON files of a folder, and those of stores that lie there, by their paths below it.
    Folder(&'c mut dyn Archive),
    /// The bytes of a serialized value of another language, whole.
    Pickle(&'c [u8]),
}
