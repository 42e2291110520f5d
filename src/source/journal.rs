//! A file of lines that several programs append to: what was appended stays, whatever happens to the writer.
//!
//! A line is written whole with one write, under a lock, and is on the disk when [`Journal::append`] returns. A line
//! that a killed program left unfinished ends where the next one begins; one that a full disk cut off is taken back.
//! Knows nothing of what the lines say.

use crate::framing::BYTE_ORDER_MARK;
use crate::model::Problem;
use crate::platform::{ReadAt, is_pipe_or_socket, open_locked, private_folder};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another program may hold the lock.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Bytes of the first lines.
const FIRST_BYTES: u64 = 1 << 20;

/// A journal at a path. It is opened for each read and append, so a file that was replaced is noticed.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// The byte up to which lines were read.
    position: u64,
}

impl Journal {
    /// The journal at a path, of which nothing was read yet. It need not be there.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), position: 0 }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole lines that came since the last call; all, if the file is shorter than it was. None where there is no
    /// file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn new_lines(&mut self) -> Result<Vec<Vec<u8>>, Problem> {
        let mut bytes = self.read_from(self.position)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        bytes.truncate(whole);
        self.position += whole as u64;
        Ok(lines(&bytes))
    }

    /// The lines of its first mebibyte, the last one even if it has no line end; none where there is no file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn first_lines(&self) -> Result<Vec<Vec<u8>>, Problem> {
        let mut bytes = Vec::new();
        match open_regular(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            file => file.and_then(|file| {
                let len = file.metadata()?.len();
                file.take(len.min(FIRST_BYTES)).read_to_end(&mut bytes)
            }),
        }
        .map(|_| lines(&bytes))
        .map_err(|e| self.cannot("read", &e))
    }

    /// All lines, the last one even if it has no line end.
    ///
    /// # Errors
    /// The file is not there, or cannot be read.
    pub fn all_lines(&self) -> Result<Vec<Vec<u8>>, Problem> {
        let mut bytes = Vec::new();
        let file = open_regular(&self.path);
        // No more than its length: a device may go on for ever.
        let read = file.and_then(|file| {
            let len = file.metadata()?.len();
            file.take(len).read_to_end(&mut bytes)
        });
        read.map(|_| lines(&bytes)).map_err(|e| self.cannot("read", &e))
    }

    fn read_from(&mut self, position: u64) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        let mut file = match open_regular(&self.path) {
            Ok(file) => file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(bytes),
            Err(e) => return Err(self.cannot("read", &e)),
        };
        let read = file.metadata().map(|meta| meta.len()).and_then(|len| {
            // A file that is shorter than what was read of it is another one.
            self.position = if len < position { 0 } else { position };
            file.seek(SeekFrom::Start(self.position))?;
            file.take(len - self.position).read_to_end(&mut bytes)
        });
        read.map(|_| bytes).map_err(|e| self.cannot("read", &e))
    }

    /// Appends lines, given without line ends. When it returns they are on the disk; if it fails none of them counts,
    /// and they can be given again.
    ///
    /// # Errors
    /// The file cannot be made, locked or written: no permission, no room, another program holds it.
    pub fn append(&mut self, lines: &[String]) -> Result<(), Problem> {
        self.append_or_fail(lines).map_err(|e| self.cannot("written", &e))
    }

    fn append_or_fail(&self, lines: &[String]) -> io::Result<()> {
        let is_new = !self.path.exists();
        let folder = folder_of(&self.path);
        if is_new {
            // What somebody decided and noted is for nobody else to read.
            private_folder().create(folder)?;
        }
        refuse_special(&self.path)?;
        let options = &mut OpenOptions::new();
        let mut file = open_locked(&self.path, options.read(true).append(true).create(true), LOCK_WAIT)?;
        let len = file.metadata()?.len();
        let written = file.write_all(&text(lines, is_torn(&file, len)?)).and_then(|()| file.sync_data());
        if let Err(e) = written {
            // Nobody else appends while the lock is held. A device cannot be cut, and need not be.
            let _cut = file.set_len(len);
            return Err(e);
        }
        if is_new {
            // The name of the new file must outlive a crash too. Some file systems cannot promise it.
            let _synced = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }

    fn cannot(&self, what: &str, e: &io::Error) -> Problem {
        let problem = Problem::unreadable(format!("the marks in {} cannot be {what}: {e}", self.path.display()));
        match e.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                problem.hint("make room, or name another file with --marks")
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                problem.hint("name a file that you may write with --marks")
            }
            _ => problem,
        }
    }
}

/// The folder that holds a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Opens a file for reading. A pipe would wait for a writer for ever.
fn open_regular(path: &Path) -> io::Result<File> {
    refuse_special(path)?;
    File::open(path)
}

/// A folder, a pipe or a socket is not a journal.
fn refuse_special(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() || is_pipe_or_socket(meta.file_type()) => {
            Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"))
        }
        _ => Ok(()),
    }
}

/// Whether the file ends within a line.
fn is_torn(file: &File, len: u64) -> io::Result<bool> {
    let Some(last) = len.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    Ok(file.read_at(&mut byte, last)? == 1 && byte != *b"\n")
}

fn text(lines: &[String], is_torn: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum::<usize>() + 1);
    if is_torn {
        out.push(b'\n');
    }
    for line in lines {
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
    out
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    // An editor may have put a mark before the first.
    let bare = |line: &[u8]| line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii().to_vec();
    let all = bytes.split(|byte| *byte == b'\n').map(bare);
    all.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: Vec<Vec<u8>>) -> Vec<String> {
        lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn a_torn_line_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/marks.jsonl");
        let mut journal = Journal::at(&path);
        assert!(journal.new_lines().unwrap().is_empty() && journal.all_lines().is_err());
        journal.append(&["one".into(), "two".into()]).unwrap();
        std::fs::write(&path, "one\ntwo\nthr").unwrap();
        assert_eq!(texts(journal.new_lines().unwrap()), ["one", "two"]);
        assert_eq!(texts(journal.all_lines().unwrap()), ["one", "two", "thr"]);
        journal.append(&["four".into()]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthr\nfour\n");
        assert_eq!(texts(journal.new_lines().unwrap()), ["thr", "four"]);
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(texts(journal.new_lines().unwrap()), ["new"], "a shorter file is read from its start");
    }

    #[test]
    fn a_byte_order_mark_costs_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks.jsonl");
        std::fs::write(&path, "\u{feff}one\r\ntwo\n").unwrap();
        for lines in [Journal::at(&path).all_lines(), Journal::at(&path).first_lines(), Journal::at(&path).new_lines()]
        {
            assert_eq!(texts(lines.unwrap()), ["one", "two"]);
        }
    }

    #[test]
    fn what_cannot_be_written_is_reported() {
        let mut full = Journal::at(Path::new("/dev/full"));
        let problem = full.append(&["x".into()]).unwrap_err().to_string();
        assert!(problem.contains("cannot be written") && problem.contains("make room"), "{problem}");
        let folder = tempfile::tempdir().unwrap();
        let problem = Journal::at(folder.path()).append(&["x".into()]).unwrap_err().to_string();
        assert!(problem.contains("not a file"), "{problem}");
    }
}
