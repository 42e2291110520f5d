//! Files: reading at a place, identity, times, locks, permissions, holes.

use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind};
use std::os::windows::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use winapi_util::file::information;

/// Time between two attempts at a lock.
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// Other handles on the file may read (`FILE_SHARE_READ`).
const SHARE_READ: u32 = 1;
/// Another handle has the file in a way that excludes this one (`ERROR_SHARING_VIOLATION`).
const SHARING_VIOLATION: i32 = 32;
/// Opens folders too (`FILE_FLAG_BACKUP_SEMANTICS`).
const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// Reads at a byte. The position of the handle moves, so that whoever reads so must not rely on it.
pub(crate) trait ReadAt {
    /// Reads some bytes; 0 at the end.
    ///
    /// # Errors
    /// The file system failed.
    fn read_at(&self, block: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Fills the block.
    ///
    /// # Errors
    /// The file ends before, or the file system failed.
    fn read_exact_at(&self, block: &mut [u8], offset: u64) -> io::Result<()>;
}

impl ReadAt for File {
    fn read_at(&self, block: &mut [u8], offset: u64) -> io::Result<usize> {
        self.seek_read(block, offset)
    }

    fn read_exact_at(&self, mut block: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !block.is_empty() {
            match self.seek_read(block, offset) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    block = block.get_mut(n..).unwrap_or_default();
                    offset += n as u64;
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// Writes behind what was written to a handle before, which is `len` bytes long: readers move its position.
///
/// # Errors
/// There is no room, or the disk failed.
pub(crate) fn append(file: &File, mut bytes: &[u8], mut len: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, len) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = bytes.get(n..).unwrap_or_default();
                len += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Which file it is, whatever its name: its volume and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Of what a path leads to; of one that cannot be opened, as good as the path reports.
    pub(crate) fn of(_meta: &Metadata, path: &Path) -> Self {
        let open = OpenOptions::new().access_mode(0).custom_flags(BACKUP_SEMANTICS).open(path);
        open.ok().and_then(|file| Self::of_handle(&file)).unwrap_or_else(|| {
            let mut hasher = DefaultHasher::new();
            path.hash(&mut hasher);
            Self(u64::MAX, hasher.finish())
        })
    }

    /// Of an open file.
    pub(crate) fn of_open(meta: &Metadata, file: &File) -> Self {
        Self::of_handle(file).unwrap_or(Self(u64::MAX, meta.creation_time()))
    }

    fn of_handle(file: &File) -> Option<Self> {
        let known = information(file).ok()?;
        Some(Self(known.volume_serial_number(), known.file_index()))
    }
}

/// Numbers that change whenever the content does, as far as the clock of the file system reports.
pub(crate) fn change_times(meta: &Metadata) -> [i64; 4] {
    let as_signed = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
    [as_signed(meta.last_write_time()), 0, as_signed(meta.creation_time()), 0]
}

/// Whether opening it may wait for another program: named pipes are in no folder.
pub(crate) fn is_pipe_or_socket(_kind: FileType) -> bool {
    false
}

/// Whether it is of a kind that holds no text.
pub(crate) fn refuses_reading(_kind: FileType) -> bool {
    false
}

/// The first byte from `offset` on for which the file system keeps data: it does not report.
pub(crate) fn next_data(_file: &File, offset: u64, _len: u64) -> u64 {
    offset
}

/// Whether a path led from link to link without end.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    // ERROR_CANT_RESOLVE_FILENAME
    error.raw_os_error() == Some(1921)
}

/// Bytes that this user may still write to the disk of a file: not asked.
pub(crate) fn free_bytes(_file: &File) -> Option<u64> {
    None
}

/// Whether this user may write to what a path leads to, as far as its attributes report.
pub(crate) fn is_writable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_dir() || !meta.permissions().readonly())
}

/// Makes folders; who may look into them follows from the folder above, which is the user's own.
pub(crate) fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    builder
}

/// Opens a file that no other program can write while the handle is open, and waits until none does.
///
/// # Errors
/// It cannot be opened, or another program holds it for longer than `wait`.
#[expect(clippy::disallowed_methods, reason = "a lock of another process wakes nobody")]
pub(crate) fn open_locked(path: &Path, options: &mut OpenOptions, wait: Duration) -> io::Result<File> {
    let until = Instant::now() + wait;
    loop {
        match options.share_mode(SHARE_READ).open(path) {
            Err(e) if e.raw_os_error() == Some(SHARING_VIOLATION) && Instant::now() < until => {
                thread::sleep(LOCK_PAUSE);
            }
            Err(e) if e.raw_os_error() == Some(SHARING_VIOLATION) => {
                return Err(io::Error::new(ErrorKind::WouldBlock, "another program holds it for too long"));
            }
            done => return done,
        }
    }
}

/// A temporary file that will be kept has the permissions of any new file, which follow from its folder.
pub(crate) fn with_default_permissions<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// Gives a file the permissions of another: whether it is read-only.
///
/// # Errors
/// The file system does not let us.
pub(crate) fn keep_permissions(from: &Metadata, to: &File) -> io::Result<()> {
    to.set_permissions(from.permissions())
}
