//! Files of a list, as the file system reports them; nothing of what they hold.

use std::path::PathBuf;

/// A file of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedFile {
    /// Where it is; no other file of the list has it.
    pub path: PathBuf,
    /// The path below the folder that all have in common, for people.
    pub name: String,
    /// Its size in bytes.
    pub len: u64,
    /// When it was last written: milliseconds since 1970, UTC; None where the file system does not say.
    pub written: Option<i64>,
    /// Whether it came or changed a short time ago, while the list was looked at.
    pub is_live: bool,
    /// What it is.
    pub kind: ListedKind,
    /// The agent in whose place of sessions it lies, as it is named on the command line; empty: it lies in none.
    pub agent: &'static str,
    /// What its place says of the project, for people; empty where it says nothing.
    pub project: String,
}

/// What is at the path of a listed file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ListedKind {
    /// A file.
    #[default]
    File,
    /// A pipe or device: what can be read once.
    Stream,
    /// Nothing, although it was named; it may come.
    Missing,
}

/// What a look at the files found that the look before had not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListChange {
    /// What is listed, in a few words.
    pub title: String,
    /// Folders in which sessions are looked for; empty: files are listed, not sessions.
    pub places: Vec<String>,
    /// Files that came or changed.
    pub changed: Vec<ListedFile>,
    /// Files that are listed no more.
    pub gone: Vec<PathBuf>,
    /// Whether files whose content has to be looked at are not in it yet: the next change has them.
    pub is_partial: bool,
    /// What could not be looked at, as sentences.
    pub troubles: Vec<String>,
    /// The time of the look: milliseconds since 1970, UTC.
    pub now: i64,
    /// Milliseconds by which the clock where the user is goes ahead of UTC.
    pub ahead: i64,
}
