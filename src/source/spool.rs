//! A stream on its way into an unlinked temporary file, so that it can be read anywhere and again.

use super::{caught, unpack};
use crate::model::{Problem, Sink};
use crate::platform;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Room that a stream leaves on the disk, and how much it writes between two looks at that.
const ROOM_LEFT_BYTES: u64 = 256 << 20;
const ROOM_LOOK_BYTES: u64 = 16 << 20;

/// A stream that begins with this many NUL bytes is a device, or was set aside and never written: no text comes.
const ZEROS_MAX: u64 = 1 << 20;

/// A writer that brings nothing for so long has paused: what it brought is looked at meanwhile.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes that are put down at once of what is written piece by piece.
const BATCH_BYTES: usize = 1 << 16;

/// Whether a stream is what a packed file holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Packing {
    /// Its first bytes say whether it is; then it is unpacked.
    Unknown,
    /// It is, and unpacked already.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet files need it"))]
    Unpacked,
}

/// A stream on its way into a temporary file.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    len: AtomicU64,
    /// Room to leave on the disk.
    room_left: u64,
    is_done: AtomicBool,
    /// Why the stream ended, if it ended badly; waited on together with `changed`.
    failure: Mutex<Option<Problem>>,
    /// Bytes arrived, or the stream ended.
    changed: Condvar,
}

impl Spool {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            len: AtomicU64::new(0),
            room_left: ROOM_LEFT_BYTES,
            is_done: AtomicBool::new(false),
            failure: Mutex::new(None),
            changed: Condvar::new(),
        })
    }

    /// One that a thread fills with what a stream holds.
    ///
    /// # Errors
    /// No temporary file can be made, or no thread.
    pub(super) fn filled<R: Read>(
        name: &str,
        packing: Packing,
        open: impl FnOnce() -> Result<R, Problem> + Send + 'static,
    ) -> Result<Arc<Self>, Problem> {
        let label = name.to_owned();
        Self::start(name, move |spool| open().and_then(|stream| spool.fill(stream, packing, &label)))
    }

    /// One that a thread fills with what somebody writes: an empty piece makes all that was written readable at once.
    /// When nobody can read it any more, writing ends.
    ///
    /// # Errors
    /// As [`Spool::filled`].
    pub(super) fn written(
        name: &str,
        write: impl FnOnce(&mut Sink<'_>) -> Result<(), Problem> + Send + 'static,
    ) -> Result<Arc<Self>, Problem> {
        let label = name.to_owned();
        Self::start(name, move |spool| {
            let mut pending = Vec::new();
            let result = write(&mut |piece| {
                pending.extend_from_slice(piece);
                if pending.len() < BATCH_BYTES && !piece.is_empty() {
                    return Ok(());
                }
                if Arc::strong_count(spool) == 1 {
                    return Err(Problem::unreadable(format!("{label} was closed")));
                }
                spool.put(&pending, &label)?;
                pending.clear();
                Ok(())
            });
            // What came before a fault can be read.
            spool.put(&pending, &label)?;
            result
        })
    }

    fn start(
        name: &str,
        fill: impl FnOnce(&Arc<Self>) -> Result<(), Problem> + Send + 'static,
    ) -> Result<Arc<Self>, Problem> {
        let spool = Arc::new(Self::new().map_err(|e| no_room(name, &e))?);
        let (filled, label) = (Arc::clone(&spool), name.to_owned());
        let fill = move || {
            let end = caught(|| fill(&filled)).unwrap_or_else(|_| {
                let message = format!("{label} is damaged behind {} bytes of text: its reader failed", filled.len());
                Err(Problem::unreadable(message).hint("what comes before can be read; get the file again"))
            });
            filled.end(end.err());
        };
        std::thread::Builder::new().name("spool".to_owned()).spawn(fill).map_err(|e| no_room(name, &e))?;
        Ok(spool)
    }

    pub(super) fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        platform::append(&self.file, bytes, self.len())?;
        Ok(self.len.fetch_add(bytes.len() as u64, Ordering::AcqRel))
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Reads a stream to its end, or until nobody can read what it brings.
    fn fill<'r>(self: &Arc<Self>, stream: impl Read + 'r, packing: Packing, name: &str) -> Result<(), Problem> {
        let broke_off = |e: io::Error| Problem::unreadable(format!("{name} broke off: {e}"));
        let (mut stream, is_packed): (Box<dyn Read + 'r>, bool) = match packing {
            Packing::Unknown => unpack::unpacked(stream).map_err(broke_off)?,
            Packing::Unpacked => (Box::new(stream), true),
        };
        let mut block = vec![0; 1 << 16];
        let mut has_text = false;
        loop {
            let n = match stream.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) if is_packed => {
                    let message = format!("{name} is cut off or damaged behind {} bytes of text: {e}", self.len());
                    return Err(Problem::unreadable(message).hint("what comes before can be read; get the file again"));
                }
                Err(e) => return Err(broke_off(e)),
            };
            if Arc::strong_count(self) == 1 {
                return Ok(());
            }
            self.put(&block[..n], name)?;
            has_text = has_text || block[..n].iter().any(|byte| *byte != 0);
            if !has_text && self.len() >= ZEROS_MAX {
                let message = format!("{name} begins with 1 MiB of NUL bytes, so it holds no text");
                return Err(Problem::unreadable(message).hint("name a file, or a pipe that brings records"));
            }
        }
    }

    /// Adds a piece, as long as that leaves room on the disk.
    fn put(&self, piece: &[u8], name: &str) -> Result<(), Problem> {
        let before = self.len() / ROOM_LOOK_BYTES;
        self.append(piece).map_err(|e| no_room(name, &e))?;
        // Whoever looked at the length before waits by now.
        drop(self.failure.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
        if self.len() / ROOM_LOOK_BYTES != before {
            self.leave_room(name)?;
        }
        Ok(())
    }

    pub(super) fn len(&self) -> u64 {
        self.len.load(Ordering::Acquire)
    }

    /// A few bytes can unpack to more than any disk holds, and a pipe may never end: other programs need some room too.
    fn leave_room(&self, name: &str) -> Result<(), Problem> {
        if platform::free_bytes(&self.file).is_none_or(|free| free >= self.room_left) {
            return Ok(());
        }
        let message = format!("no room to keep more of {name}: it has more than {} bytes of text", self.len());
        Err(Problem::unreadable(message).hint("set TMPDIR to a folder with room"))
    }

    fn end(&self, failure: Option<Problem>) {
        let mut slot = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = failure;
        self.is_done.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Waits until `len` bytes are there, the stream has ended, or `limit` has passed; returns the error that ended the
    /// stream, if any.
    pub(super) fn wait_for(&self, len: u64, limit: Option<Duration>) -> Option<Problem> {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut slot = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_done() && self.len() < len {
            let Some(end) = end else {
                slot = self.changed.wait(slot).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else { break };
            (slot, _) = self.changed.wait_timeout(slot, left).unwrap_or_else(PoisonError::into_inner);
        }
        slot.clone()
    }

    /// The same, but no longer than until its writer pauses.
    pub(super) fn wait_unless_paused(&self, len: u64) {
        let mut before = None;
        while !self.is_done() && self.len() < len && before != Some(self.len()) {
            before = Some(self.len());
            self.wait_for(len.min(self.len() + 1), Some(PAUSE));
        }
    }
}

pub(super) fn no_room(name: &str, e: &io::Error) -> Problem {
    let hint = "set TMPDIR to a folder with room, or write the stream to a file and open that";
    Problem::unreadable(format!("no room to keep {name}: {e}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_zeros_ends_soon() {
        let spool = Arc::new(Spool::new().unwrap());
        let _reader = Arc::clone(&spool);
        let problem = spool.fill(io::repeat(0), Packing::Unknown, "zero").unwrap_err();
        assert!(problem.message.contains("zero begins with 1 MiB of NUL bytes"), "{problem}");
        let late = io::repeat(0).take(ZEROS_MAX / 2).chain(&b"{}"[..]).chain(io::repeat(0).take(4 * ZEROS_MAX));
        let spool = Arc::new(Spool::new().unwrap());
        let _reader = Arc::clone(&spool);
        assert!(spool.fill(late, Packing::Unknown, "late").is_ok(), "holes before and behind text are read");
    }

    /// A pipe that never ends leaves others as much of the disk as a packed file does.
    #[test]
    fn a_pipe_leaves_room_on_the_disk() {
        let spool = Arc::new(Spool { room_left: u64::MAX, ..Spool::new().unwrap() });
        let _reader = Arc::clone(&spool);
        let problem = spool.fill(io::repeat(b'x'), Packing::Unknown, "pipe").unwrap_err();
        assert!(problem.message.contains("no room to keep more of pipe"), "{problem}");
        assert!(spool.len() < 2 * ROOM_LOOK_BYTES, "{}", spool.len());
    }
}
