//! Whether a file is still what it was when it was opened: for those who write something that speaks of it.
//!
//! What was appended since then changes nothing of what was read; anything else may have.

use crate::model::Problem;
use crate::platform::{FileId, ReadAt, change_times};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes at the beginning and at the end of a file that say whether what came was appended to them.
const END_BYTES: u64 = 4096;

/// A file as it was at one moment.
#[derive(Debug)]
pub struct Stamp {
    path: PathBuf,
    meta: Metadata,
    id: FileId,
    ends: Vec<u8>,
}

impl Stamp {
    /// Looks at a file; to be done before it is opened. None for what is not a file: a stream is read but once.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let file = std::fs::metadata(path).is_ok_and(|meta| meta.is_file()).then(|| File::open(path).ok())??;
        let meta = file.metadata().ok()?;
        let (id, ends) = (FileId::of_open(&meta, &file), ends(&file, meta.len()).ok()?);
        Some(Self { path: path.to_owned(), meta, id, ends })
    }

    /// Looks again.
    ///
    /// # Errors
    /// The path leads to another file, to none, or to one that was written otherwise than at its end.
    pub fn check(&self) -> Result<(), Problem> {
        if self.is_same().unwrap_or(false) {
            return Ok(());
        }
        let problem = Problem::unreadable(format!("{} was changed while it was read", self.path.display()));
        Err(problem.hint("nothing was written; do it again when the file is at rest"))
    }

    fn is_same(&self) -> io::Result<bool> {
        let now = std::fs::metadata(&self.path)?;
        let (old, len) = (&self.meta, self.meta.len());
        let is_at_rest = change_times(old) == change_times(&now);
        let is_there = FileId::of(&now, &self.path) == self.id;
        if !is_there || now.len() <= len {
            return Ok(is_there && is_at_rest && now.len() == len);
        }
        Ok(ends(&File::open(&self.path)?, len)? == self.ends)
    }
}

/// The first and the last bytes of what precedes a byte.
fn ends(file: &File, len: u64) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    for (from, to) in [(0, len.min(END_BYTES)), (len.saturating_sub(END_BYTES), len)] {
        let mut piece = vec![0; usize::try_from(to - from).unwrap_or(0)];
        file.read_exact_at(&mut piece, from)?;
        out.append(&mut piece);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::time::SystemTime;

    #[test]
    fn only_what_is_appended_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let text = "0123456789\n".repeat(2_000);
        let stamp = || {
            fs::write(&path, &text).unwrap();
            Stamp::of(&path).unwrap()
        };
        let was = stamp();
        was.check().unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"more\n").unwrap();
        was.check().unwrap();
        let was = stamp();
        // The clock of a file system may be coarse.
        fs::write(&path, text.replace('5', "x")).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(was.check().unwrap_err().to_string().contains("was changed while it was read"));
        let was = stamp();
        fs::write(&path, format!("{}and more\n", text.replace('5', "x"))).unwrap();
        assert!(was.check().is_err(), "it grew, and holds something else");
        let was = stamp();
        fs::write(&path, "short").unwrap();
        assert!(was.check().is_err());
        let was = stamp();
        fs::copy(&path, folder.path().join("b")).unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        assert!(was.check().is_err(), "another file");
        let was = stamp();
        fs::remove_file(&path).unwrap();
        assert!(was.check().is_err());
        assert!(Stamp::of(Path::new("/dev/null")).is_none() && Stamp::of(&path).is_none());
    }
}
