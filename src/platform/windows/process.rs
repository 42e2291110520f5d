//! Processes: the memory of one that runs foreign code, answers waited for so long and no longer, the end by Ctrl-C.

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use std::io::{self, ErrorKind, Read};
use std::os::windows::io::AsRawHandle;
use std::process::{Child, ChildStdout, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;
use win32job::{ExtendedLimitInfo, Job};

/// The exit status of a program that Ctrl-C ended, as elsewhere.
const INTERRUPT_STATUS: i32 = 130;
/// Bytes of one piece of what a child writes.
const PIECE_BYTES: usize = 1 << 16;
/// Pieces that wait to be read.
const PIECES_MAX: usize = 4;

/// Gives this process the limits of one that runs foreign code. Its parent ends it ([`ChildGuard`]) and bounds its
/// time; memory is not bounded on this system.
///
/// # Errors
/// None on this system.
pub(crate) fn confine(_memory_bytes_max: u64) -> io::Result<()> {
    Ok(())
}

/// Ends a child with this process: the job that it belongs to is closed then.
#[derive(Debug)]
pub(crate) struct ChildGuard {
    _job: Job,
}

impl ChildGuard {
    /// For a child that was started just now.
    ///
    /// # Errors
    /// The system gives no job.
    pub(crate) fn new(child: &Child) -> io::Result<Self> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        job.assign_process(child.as_raw_handle() as isize).map_err(io::Error::other)?;
        Ok(Self { _job: job })
    }
}

/// What a child writes, up to a time. A thread reads it, since a pipe cannot be waited for.
#[derive(Debug)]
pub(crate) struct TimedPipe {
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// What was received and not read yet.
    left: Vec<u8>,
    until: Instant,
}

impl TimedPipe {
    /// Nothing is waited for until [`TimedPipe::wait_until`] says so.
    ///
    /// # Errors
    /// There is no thread.
    pub(crate) fn new(mut pipe: ChildStdout) -> io::Result<Self> {
        let (give, pieces) = bounded(PIECES_MAX);
        let read = move || {
            loop {
                let mut piece = vec![0; PIECE_BYTES];
                let read = pipe.read(&mut piece);
                let is_end = !matches!(read, Ok(n) if n > 0);
                let piece = read.map(|n| {
                    piece.truncate(n);
                    piece
                });
                if give.send(piece).is_err() || is_end {
                    return;
                }
            }
        };
        thread::Builder::new().name("answers".to_owned()).spawn(read)?;
        Ok(Self { pieces, left: Vec::new(), until: Instant::now() })
    }

    /// How long the next bytes are waited for.
    pub(crate) fn wait_until(&mut self, until: Instant) {
        self.until = until;
    }
}

impl Read for TimedPipe {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            self.left = match self.pieces.recv_deadline(self.until) {
                Ok(piece) => piece?,
                Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => Vec::new(),
            };
        }
        let n = self.left.len().min(block.len());
        block[..n].copy_from_slice(&self.left[..n]);
        self.left.drain(..n);
        Ok(n)
    }
}

/// Whether the reader of standard output is gone: the next write reports.
pub(crate) fn is_stdout_unread() -> bool {
    false
}

/// Lets everything else go before this thread: not known here.
pub(crate) fn lower_priority() {}

/// Files that this process may have open at once: as many as it wants.
pub(crate) fn open_files_max() -> Option<u64> {
    None
}

/// A command line as the user typed it, for the shell.
pub(crate) fn shell_command(line: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", line]);
    shell
}

/// Ctrl-C is for another program from now on. Where that cannot be said, it ends this one as any other.
pub(crate) fn ignore_interrupt() {
    let _heard = ctrlc::try_set_handler(|| {});
}

/// Calls `on_end`, on a thread of its own, when the user asks for the end.
///
/// # Errors
/// There is no handler.
pub(crate) fn on_end_signal(on_end: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::try_set_handler(move || on_end()).map_err(io::Error::other)
}

/// Ctrl-C, put off until this process says so.
pub(crate) struct EndSignals(Arc<AtomicBool>);

impl EndSignals {
    /// From now on Ctrl-C only takes note.
    ///
    /// # Errors
    /// There is no handler.
    pub(crate) fn put_off() -> io::Result<Self> {
        let is_any = Arc::new(AtomicBool::new(false));
        let note = Arc::clone(&is_any);
        ctrlc::try_set_handler(move || note.store(true, Ordering::Relaxed)).map_err(io::Error::other)?;
        Ok(Self(is_any))
    }

    /// Whether it came.
    pub(crate) fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the process as Ctrl-C would have, if it came.
    ///
    /// # Errors
    /// None on this system.
    pub(crate) fn end_if_any(&self) -> io::Result<()> {
        if self.is_any() {
            exit_now(INTERRUPT_STATUS);
        }
        Ok(())
    }
}

/// Ends the process.
#[expect(clippy::disallowed_methods, reason = "the terminal was given back")]
pub(crate) fn exit_now(status: i32) -> ! {
    std::process::exit(status)
}
