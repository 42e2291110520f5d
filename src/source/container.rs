//! Containers: zip archives, SQLite databases and pickles, recognised by their first bytes, and folders, recognised by
//! the names in them. What they hold becomes a text of records in a private file; which records, the caller says.

use super::folder::Folder;
use super::input::Input;
use super::sqlite::{self, Database};
use super::unopened::cannot_open;
use super::unpack;
use super::zip::{self, Zip};
use crate::model::{Contents, Problem, Sink};
use crate::platform::ReadAt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open container.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Zip(Zip),
    Sqlite(Database),
    Pickle(Vec<u8>),
    Folder(Folder),
}

/// How pickles of protocols 2 to 5 begin, and the greatest that are read: a value may refer to any before it.
const PICKLE: [&[u8]; 4] = [b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"];
const PICKLE_BYTES_MAX: u64 = 1 << 30;
/// Most bytes of a container that is packed itself.
const UNPACKED_BYTES_MAX: u64 = 16 << 30;

impl Container {
    /// Opens a file or folder that is a container; None: it is invalid, or no file.
    ///
    /// # Errors
    /// It is one and damaged.
    pub fn open(path: &Path) -> Result<Option<Self>, Problem> {
        let name = path.display().to_string();
        // Opening a pipe would wait, and take what it brings.
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_file() => {}
            Ok(meta) if meta.is_dir() => {
                let folder = Folder::open(path)?;
                return Ok(folder.map(|folder| Self { path: path.to_owned(), kind: Kind::Folder(folder) }));
            }
            Ok(_) | Err(_) => return Ok(None),
        }
        let file = unpacked(File::open(path).map_err(|e| cannot_open(&name, &e))?, &name)?;
        let mut head = [0; 16];
        let got = file.read_at(&mut head, 0).map_err(|e| cannot_open(&name, &e))?;
        let head = &head[..got];
        let kind = if zip::MAGIC.iter().any(|magic| head.starts_with(magic)) {
            Kind::Zip(Zip::open(file, &name)?)
        } else if head.starts_with(sqlite::MAGIC) {
            Kind::Sqlite(Database::open(file, path)?)
        } else if PICKLE.iter().any(|magic| head.starts_with(magic)) {
            Kind::Pickle(read_all(file, &name)?)
        } else {
            return Ok(None);
        };
        Ok(Some(Self { path: path.to_owned(), kind }))
    }

    /// What it holds.
    pub fn contents(&mut self) -> Contents<'_> {
        match &mut self.kind {
            Kind::Zip(zip) => Contents::Archive(zip),
            Kind::Sqlite(database) => Contents::Tables(database),
            Kind::Pickle(bytes) => Contents::Pickle(bytes),
            Kind::Folder(folder) => Contents::Folder(folder),
        }
    }

    /// The text that `assemble` makes of it, written in the background.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub fn assembled(
        mut self,
        assemble: impl FnOnce(Contents<'_>, &mut Sink<'_>) -> Result<(), Problem> + Send + 'static,
    ) -> Result<Arc<Input>, Problem> {
        let path = self.path.clone();
        let name = path.display().to_string();
        Input::derived(&name, Some(&path), move |out| assemble(self.contents(), out))
    }
}

/// Whether something that begins so is a container.
pub(super) fn is_container(head: &[u8]) -> bool {
    let mut magics = zip::MAGIC.iter().copied().chain([sqlite::MAGIC]).chain(PICKLE);
    magics.any(|magic| head.starts_with(magic))
}

/// A file as it is; of one that is a packed container what it holds, in a private file that nobody else sees.
fn unpacked(mut file: File, name: &str) -> Result<File, Problem> {
    let failed = |e: io::Error| Problem::unreadable(format!("{name} cannot be unpacked: {e}"));
    let mut head = [0; 16];
    let got = file.read_at(&mut head, 0).map_err(failed)?;
    if !unpack::is_packed(&head[..got]) {
        return Ok(file);
    }
    let mut begin = Vec::new();
    {
        let (stream, _) = unpack::unpacked(&file).map_err(failed)?;
        // What is damaged so early says so where it is read as a text.
        let _ = stream.take(head.len() as u64).read_to_end(&mut begin);
    }
    file.rewind().map_err(failed)?;
    if !is_container(&begin) {
        return Ok(file);
    }
    let (stream, _) = unpack::unpacked(&file).map_err(failed)?;
    let mut private = tempfile::tempfile().map_err(failed)?;
    let copied = io::copy(&mut stream.take(UNPACKED_BYTES_MAX + 1), &mut private).map_err(failed)?;
    if copied > UNPACKED_BYTES_MAX {
        let message = format!("{name} holds a container of more than {UNPACKED_BYTES_MAX} bytes");
        return Err(Problem::unreadable(message).hint("unpack it first"));
    }
    Ok(private)
}

/// All bytes of a file.
fn read_all(mut file: File, name: &str) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let len = file.metadata().map_err(|e| cannot_open(name, &e))?.len();
    if len > PICKLE_BYTES_MAX {
        return Err(Problem::unreadable(format!("{name} is a pickle of more than {PICKLE_BYTES_MAX} bytes")));
    }
    file.read_to_end(&mut bytes).map_err(|e| cannot_open(name, &e))?;
    Ok(bytes)
}
