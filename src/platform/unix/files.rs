//! Files: reading at a place, identity, times, locks, permissions, holes.

use rustix::fs::{Access, FlockOperation, SeekFrom, access, flock, fstatvfs, seek};
use rustix::io::Errno;
use std::fs::{DirBuilder, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Time between two attempts at a lock.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Reads at a byte, whatever the position of the handle is.
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
        FileExt::read_at(self, block, offset)
    }

    fn read_exact_at(&self, block: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, block, offset)
    }
}

/// Writes behind what was written to a handle before, which is `_len` bytes long.
///
/// # Errors
/// There is no room, or the disk failed.
pub(crate) fn append(mut file: &File, bytes: &[u8], _len: u64) -> io::Result<()> {
    file.write_all(bytes)
}

/// Which file it is, whatever its name: its device and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Of what a path leads to, of which the metadata is known.
    pub(crate) fn of(meta: &Metadata, _path: &Path) -> Self {
        Self(meta.dev(), meta.ino())
    }

    /// Of an open file, of which the metadata is known.
    pub(crate) fn of_open(meta: &Metadata, _file: &File) -> Self {
        Self(meta.dev(), meta.ino())
    }
}

/// Numbers that change whenever the content does, as far as the clock of the file system reports.
pub(crate) fn change_times(meta: &Metadata) -> [i64; 4] {
    [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()]
}

/// Whether opening it may wait for another program.
pub(crate) fn is_pipe_or_socket(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// Whether it is of a kind that holds no text: a socket, a disk.
pub(crate) fn refuses_reading(kind: FileType) -> bool {
    kind.is_socket() || kind.is_block_device()
}

/// The first byte from `offset` on for which the file system keeps data; `len` if there is none before that, `offset`
/// where it cannot know. Moves the position of the handle.
pub(crate) fn next_data(file: &File, offset: u64, len: u64) -> u64 {
    match seek(file, SeekFrom::Data(offset)) {
        Ok(data) => data,
        Err(Errno::NXIO) => len,
        Err(_) => offset,
    }
}

/// Whether a path led from link to link without end.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

/// Bytes that this user may still write to the disk of a file, if the system reports.
pub(crate) fn free_bytes(file: &File) -> Option<u64> {
    let disk = fstatvfs(file).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Whether this user may write to what a path leads to.
pub(crate) fn is_writable(path: &Path) -> bool {
    access(path, Access::WRITE_OK).is_ok()
}

/// Makes folders that nobody else can look into.
pub(crate) fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
}

/// Opens a file, which nobody else can read if it is made, and waits until no other program holds its lock. The lock
/// ends with the handle. A file system without locks still appends whole writes.
///
/// # Errors
/// It cannot be opened, or another program holds the lock for longer than `wait`.
#[expect(clippy::disallowed_methods, reason = "a lock of another process wakes nobody")]
pub(crate) fn open_locked(path: &Path, options: &mut OpenOptions, wait: Duration) -> io::Result<File> {
    let file = options.mode(0o600).open(path)?;
    let until = Instant::now() + wait;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) | Err(Errno::NOTSUP | Errno::NOLCK | Errno::NOSYS) => return Ok(file),
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < until => thread::sleep(LOCK_PAUSE),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {
                return Err(io::Error::new(ErrorKind::WouldBlock, "another program holds it for too long"));
            }
            Err(e) => return Err(e.into()),
        }
    }
}

/// A temporary file that will be kept has the permissions of any new file: what the user's mask leaves of them.
pub(crate) fn with_default_permissions<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(Permissions::from_mode(0o666))
}

/// Gives a file the permissions of another.
///
/// # Errors
/// The file system does not let us.
pub(crate) fn keep_permissions(from: &Metadata, to: &File) -> io::Result<()> {
    to.set_permissions(Permissions::from_mode(from.permissions().mode() & 0o7777))
}
