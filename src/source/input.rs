//! An open input: a file read by `pread`, a stream spooled to a temporary file, or bytes in memory.

use super::spool::{Packing, Spool, no_room};
use super::unopened::cannot_open;
use super::{binary_detect, unpack};
use crate::model::{Bytes, Problem, Sink, Span};
use crate::platform::{FileId, ReadAt, next_data, refuses_reading};
use std::fs::{File, Metadata};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Bytes read at once by those who read an input from end to end: a processor's second cache holds them until they are
/// parsed.
pub const BLOCK: usize = 1 << 18;

/// What a stream should have brought before it is asked what it is, and how long it is waited for after its first byte.
const HEAD_BYTES: u64 = 1 << 16;
const HEAD_WAIT: Duration = Duration::from_millis(100);

/// An open input. Its length is what was last looked at ([`Input::refresh`]), so that all readers agree on it.
#[derive(Debug)]
pub struct Input {
    name: String,
    path: Option<PathBuf>,
    store: Store,
    /// Whether its lines are rows of columns.
    has_rows: bool,
    /// Whether this program makes it of a file.
    is_derived: bool,
}

#[derive(Debug)]
enum Store {
    File { file: File, len: AtomicU64 },
    Spool(Arc<Spool>),
    Memory(Vec<u8>),
}

/// Why an input of these first bytes and this name is not read.
type Refused = fn(&[u8], &str) -> Option<Problem>;

impl Input {
    /// Opens a file for reading. A pipe or device is spooled in the background, as [`Input::stdin`]; so is what a
    /// packed file holds.
    ///
    /// # Errors
    /// It is missing, a folder, not ours to read, or no text (R9); each reported with what to do.
    pub fn open(path: &Path) -> Result<Arc<Self>, Problem> {
        Self::open_unless(path, binary_detect::refused)
    }

    /// The same for the reporter of each line that is not JSON: bytes of no known kind are taken.
    ///
    /// # Errors
    /// As [`Input::open`], but for those.
    pub fn open_lines(path: &Path) -> Result<Arc<Self>, Problem> {
        Self::open_unless(path, binary_detect::foreign)
    }

    fn open_unless(path: &Path, refused: Refused) -> Result<Arc<Self>, Problem> {
        let name = path.display().to_string();
        let meta = std::fs::metadata(path).map_err(|e| cannot_open(&name, &e))?;
        if meta.is_dir() {
            let problem = Problem::unreadable(format!("{name} is a folder, not a file"));
            return Err(problem.hint("name a file in it"));
        }
        if !meta.is_file() {
            return Self::open_stream(path, name, &meta);
        }
        let input = Self::open_any(path)?;
        if let Some(file) = input.sizeless()? {
            return Self::spooled(name, Some(path.to_owned()), Packing::Unknown, move || {
                // Such a file may give all at its first read, and nothing after a shorter one.
                Ok(BufReader::with_capacity(BLOCK, file))
            });
        }
        let mut head = [0; 4];
        input.read_at(0, &mut head)?;
        if unpack::is_packed(&head) {
            // What it holds cannot be followed, so it is a stream.
            let file = File::open(path).map_err(|e| cannot_open(&name, &e))?;
            return Self::spooled(name, Some(path.to_owned()), Packing::Unknown, move || Ok(file));
        }
        #[cfg(feature = "parquet")]
        if head == super::parquet::MAGIC {
            let file = File::open(path).map_err(|e| cannot_open(&name, &e))?;
            let (whole, label) = (Some(path.to_owned()), name.clone());
            return Self::spooled(name, whole, Packing::Unpacked, move || super::parquet::lines(file, &label));
        }
        input.check_by(refused)?;
        Ok(input)
    }

    /// Opens a file for reading, whatever it holds.
    ///
    /// # Errors
    /// It is missing or not ours to read.
    pub(super) fn open_any(path: &Path) -> Result<Arc<Self>, Problem> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| cannot_open(&name, &e))?;
        Self::of_file(file, path, name)
    }

    /// A handle on a file that has content although its size is 0, as those of `/proc` have: reading reports its end.
    fn sizeless(&self) -> Result<Option<File>, Problem> {
        let (Store::File { file, .. }, 0) = (&self.store, self.len()) else { return Ok(None) };
        let failed = |e| cannot_open(&self.name, &e);
        let has_content = file.read_at(&mut [0], 0).map_err(failed)? > 0;
        // A file that somebody began to write meanwhile has a size by now.
        let is_sizeless = has_content && file.metadata().map_err(failed)?.len() == 0;
        is_sizeless.then(|| file.try_clone().map_err(failed)).transpose()
    }

    fn of_file(file: File, path: &Path, name: String) -> Result<Arc<Self>, Problem> {
        let len = file.metadata().map_err(|e| cannot_open(&name, &e))?.len();
        let store = Store::File { file, len: AtomicU64::new(len) };
        Ok(Arc::new(Self { name, path: Some(path.to_owned()), store, has_rows: false, is_derived: false }))
    }

    /// The same open file once more, of the length it has now: for a new content of it.
    ///
    /// # Errors
    /// There is no handle left for it, or it is not a file.
    pub(super) fn again(&self) -> Result<Arc<Self>, Problem> {
        match (&self.store, &self.path) {
            (Store::File { file, .. }, Some(path)) => {
                let file = file.try_clone().map_err(|e| cannot_open(&self.name, &e))?;
                Self::of_file(file, path, self.name.clone())
            }
            _ => Err(Problem::unreadable(format!("{} is not a file", self.name))),
        }
    }

    fn open_stream(path: &Path, name: String, meta: &Metadata) -> Result<Arc<Self>, Problem> {
        if refuses_reading(meta.file_type()) {
            let problem = Problem::unreadable(format!("{name} is not a file that holds text"));
            return Err(problem.hint("name a file, a pipe, or `-` for standard input"));
        }
        let (from, label) = (path.to_owned(), name.clone());
        // Opening a pipe waits for its writer, so the spooling thread does that too.
        Self::spooled(name, Some(path.to_owned()), Packing::Unknown, move || {
            File::open(&from).map_err(|e| cannot_open(&label, &e))
        })
    }

    /// Standard input, spooled in the background to an unlinked temporary file, unpacked if it is packed; what came so
    /// far can be read at once.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub fn stdin() -> Result<Arc<Self>, Problem> {
        Self::spooled(binary_detect::STDIN.to_owned(), None, Packing::Unknown, || Ok(io::stdin()))
    }

    /// Bytes in memory, for tests and what is built in.
    #[must_use]
    pub fn memory(name: &str, bytes: impl Into<Vec<u8>>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            path: None,
            store: Store::Memory(bytes.into()),
            has_rows: false,
            is_derived: false,
        })
    }

    /// An empty temporary file, unlinked, that [`Input::append`] fills; `path` says what it stands for.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub(crate) fn scratch(name: &str, path: Option<&Path>) -> Result<Arc<Self>, Problem> {
        let spool = Spool::new().map_err(|e| no_room(name, &e))?;
        Ok(Arc::new(Self {
            name: name.to_owned(),
            path: path.map(Path::to_owned),
            store: Store::Spool(Arc::new(spool)),
            has_rows: false,
            is_derived: false,
        }))
    }

    /// Adds bytes to a scratch, or to what was spooled to its end; where they begin.
    ///
    /// # Errors
    /// There is no room, or this is a file or memory.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64, Problem> {
        let Store::Spool(spool) = &self.store else {
            return Err(Problem::unreadable(format!("{} is not ours to write", self.name)));
        };
        spool.append(bytes).map_err(|e| no_room(&self.name, &e))
    }

    /// What somebody plays, spooled in the background like standard input.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub fn played(name: String, stream: impl Read + Send + 'static) -> Result<Arc<Self>, Problem> {
        Self::spooled(name, None, Packing::Unknown, move || Ok(stream))
    }

    /// What is made of the contents of a file, or of another input, of this name and path, written in the background to
    /// an unlinked temporary file.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub(crate) fn derived(
        name: &str,
        path: Option<&Path>,
        write: impl FnOnce(&mut Sink<'_>) -> Result<(), Problem> + Send + 'static,
    ) -> Result<Arc<Self>, Problem> {
        let spool = Spool::written(name, write)?;
        let (name, path, store) = (name.to_owned(), path.map(Path::to_owned), Store::Spool(spool));
        Ok(Arc::new(Self { name, path, store, has_rows: false, is_derived: true }))
    }

    fn spooled<R: Read>(
        name: String,
        path: Option<PathBuf>,
        packing: Packing,
        open: impl FnOnce() -> Result<R, Problem> + Send + 'static,
    ) -> Result<Arc<Self>, Problem> {
        let spool = Spool::filled(&name, packing, open)?;
        // Nothing else is unpacked before it comes here.
        let has_rows = matches!(packing, Packing::Unpacked);
        // A file without a size may be a stream, as some of the kernel's are.
        let is_whole = |meta: Metadata| meta.is_file() && meta.len() > 0;
        let is_derived = path.as_deref().and_then(|path| path.metadata().ok()).is_some_and(is_whole);
        Ok(Arc::new(Self { name, path, store: Store::Spool(spool), has_rows, is_derived }))
    }

    /// For people: the path as given, or what the stream is.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its lines are rows of columns: those of a Parquet file, which name every column, also where it is null.
    #[must_use]
    pub fn has_rows(&self) -> bool {
        self.has_rows
    }

    /// The path, if the input has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Bytes that can be read: of a file as last looked at, of a stream as came so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.store {
            Store::File { len, .. } => len.load(Ordering::Acquire),
            Store::Spool(spool) => spool.len(),
            Store::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Whether there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether more may come: a file may always grow, a stream until it has ended.
    #[must_use]
    pub fn may_grow(&self) -> bool {
        match &self.store {
            Store::File { .. } => true,
            Store::Spool(spool) => !spool.is_done(),
            Store::Memory(_) => false,
        }
    }

    /// Whether it is a file, which can be replaced and truncated, and not a stream or memory.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.store, Store::File { .. })
    }

    /// Whether it is a file of our own, of a stream or of what text is made of.
    pub(super) fn is_spooled(&self) -> bool {
        matches!(self.store, Store::Spool(_))
    }

    /// What the file system says of the open file.
    ///
    /// # Errors
    /// It no longer answers, or this is not a file.
    pub(crate) fn metadata(&self) -> Result<Metadata, Problem> {
        match &self.store {
            Store::File { file, .. } => file.metadata().map_err(|e| self.broken_off(&e)),
            _ => Err(Problem::unreadable(format!("{} is not a file", self.name))),
        }
    }

    /// Which file is open, of which the metadata is known; of what is not a file it says nothing.
    pub(crate) fn id(&self, meta: &Metadata) -> Option<FileId> {
        match &self.store {
            Store::File { file, .. } => Some(FileId::of_open(meta, file)),
            _ => None,
        }
    }

    /// Time since the file was last written; zero for what is not a file, or a file of the future.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.metadata().ok().and_then(|meta| meta.modified().ok()?.elapsed().ok()).unwrap_or_default()
    }

    /// Waits until a stream has brought enough to know what it is: its end, a good part, or a pause after something.
    pub fn wait_for_head(&self) {
        self.wait_for(1);
        self.wait_at_most(HEAD_BYTES, HEAD_WAIT);
    }

    /// Whether this program makes it of a file: it is whole only when all of it is there, however long that takes.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.is_derived
    }

    /// Waits until `len` bytes are there, or it has ended; of a stream no longer than until its writer pauses.
    pub fn wait_for_part(&self, len: u64) {
        if self.is_derived { self.wait_for(len) } else { self.wait_unless_paused(len) }
    }

    /// Looks at the file again and takes its present size as its length.
    ///
    /// # Errors
    /// The file system no longer answers for it.
    pub fn refresh(&self) -> Result<u64, Problem> {
        if let Store::File { len, .. } = &self.store {
            len.store(self.metadata()?.len(), Ordering::Release);
        }
        Ok(self.len())
    }

    /// Waits until a stream has ended; returns at once for files.
    ///
    /// # Errors
    /// The stream could not be read or spooled to its end.
    pub fn wait(&self) -> Result<(), Problem> {
        self.wait_spool(u64::MAX, None).map_or(Ok(()), Err)
    }

    /// Waits until a stream has brought `len` bytes, or has ended; returns at once for files.
    pub fn wait_for(&self, len: u64) {
        self.wait_spool(len, None);
    }

    /// The same, but no longer than this.
    pub fn wait_at_most(&self, len: u64, limit: Duration) {
        self.wait_spool(len, Some(limit));
    }

    /// The same, but no longer than until the writer of the stream pauses.
    pub fn wait_unless_paused(&self, len: u64) {
        if let Store::Spool(spool) = &self.store {
            spool.wait_unless_paused(len);
        }
    }

    fn wait_spool(&self, len: u64, limit: Option<Duration>) -> Option<Problem> {
        match &self.store {
            Store::Spool(spool) => spool.wait_for(len, limit),
            _ => None,
        }
    }

    /// Whether it is text at all, by its first bytes (R9). For a stream, call it again when more bytes have arrived.
    ///
    /// # Errors
    /// It is compressed, UTF-16, binary: named, with advice.
    pub fn check(&self) -> Result<(), Problem> {
        self.check_by(binary_detect::refused)
    }

    /// Whether it may be lines of text: of a kind that is known to be something else it is not. Other bytes are broken
    /// lines.
    ///
    /// # Errors
    /// It is an archive, a database, UTF-16: named, with advice.
    pub fn check_lines(&self) -> Result<(), Problem> {
        self.check_by(binary_detect::foreign)
    }

    fn check_by(&self, refused: Refused) -> Result<(), Problem> {
        let mut head = [0; binary_detect::HEAD];
        let len = self.read_at(0, &mut head)?;
        refused(&head[..len], &self.name).map_or(Ok(()), Err)
    }

    /// Fills `block` from `offset` on, up to the present length; returns how many bytes it got, 0 at the end.
    ///
    /// # Errors
    /// The disk or file system failed.
    pub fn read_at(&self, offset: u64, block: &mut [u8]) -> Result<usize, Problem> {
        let left = usize::try_from(self.len().saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = left.min(block.len());
        let mut got = 0;
        while got < wanted {
            match self.read_some(offset + got as u64, &mut block[got..wanted]) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.broken_off(&e)),
            }
        }
        Ok(got)
    }

    /// How much of a piece that was read at `offset` is written: zeros up to the end of a file are not written yet,
    /// they were only set aside (TAIL T12).
    pub(crate) fn written(&self, offset: u64, piece: &[u8]) -> usize {
        let end = offset + piece.len() as u64;
        if piece.last() != Some(&0) || end + self.hole_at(end) < self.len() {
            return piece.len();
        }
        piece.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)
    }

    /// Length of the hole at a byte: zeros that the file system keeps no data for; 0 where it has data or cannot know.
    pub(crate) fn hole_at(&self, offset: u64) -> u64 {
        let Store::File { file, .. } = &self.store else { return 0 };
        // The file's own position moves, which nobody uses.
        next_data(file, offset, self.len()).min(self.len()).saturating_sub(offset)
    }

    fn read_some(&self, offset: u64, block: &mut [u8]) -> io::Result<usize> {
        match &self.store {
            Store::File { file, .. } => file.read_at(block, offset),
            Store::Spool(spool) => spool.file().read_at(block, offset),
            Store::Memory(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
                let n = rest.len().min(block.len());
                block[..n].copy_from_slice(&rest[..n]);
                Ok(n)
            }
        }
    }

    fn broken_off(&self, e: &io::Error) -> Problem {
        Problem::unreadable(format!("{} can no longer be read: {e}", self.name))
    }
}

impl Bytes for Input {
    fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
        let gone = || Problem::gone(span);
        let end = span.offset.checked_add(span.len).ok_or_else(gone)?;
        let len = usize::try_from(span.len).map_err(|_| gone())?;
        if end > self.len() {
            return Err(gone());
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| {
            let problem = Problem::unreadable(format!("no memory for a piece of {len} bytes of {}", self.name));
            problem.hint("it can be seen in parts, not as a whole")
        })?;
        bytes.resize(len, 0);
        if self.read_at(span.offset, &mut bytes)? < len {
            return Err(gone());
        }
        Ok(bytes)
    }
}

/// Why a path leads to nothing that could be opened, if it does not.
///
/// # Errors
/// There is nothing, or it cannot be looked at.
pub fn reachable(path: &Path) -> Result<(), Problem> {
    std::fs::metadata(path).map(|_| ()).map_err(|e| cannot_open(&path.display().to_string(), &e))
}

/// Whether nothing is at a path. What cannot be looked at, as in a folder that may not be read, may well be there.
#[must_use]
pub fn is_missing(path: &Path) -> bool {
    let is_absent = |e: &io::Error| matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    std::fs::metadata(path).err().as_ref().is_some_and(is_absent)
}

#[cfg(test)]
mod tests;
