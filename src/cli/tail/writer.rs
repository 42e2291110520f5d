//! The thread that writes to stdout, so that a reader who does not read stops nothing else.

use crate::platform::is_stdout_unread;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, select};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between looks whether anybody still reads.
const LOOK: Duration = Duration::from_secs(1);

/// Longest wait for the thread to take something, before the path is looked at.
const OFFER: Duration = Duration::from_millis(100);

/// What waits to be written, and who writes it.
pub(super) struct Writer {
    waiting: VecDeque<Vec<u8>>,
    give: Option<Sender<Vec<u8>>>,
    closed: Receiver<()>,
    is_open: bool,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Writer {
    /// Starts the thread.
    ///
    /// # Errors
    /// There is none to be had.
    pub(super) fn start() -> io::Result<Self> {
        // No room: what is in flight is one piece here and one there.
        let (give, take) = bounded::<Vec<u8>>(0);
        let (open, closed) = bounded(0);
        let work = move || {
            let written = write(&take);
            drop(open);
            written
        };
        let thread = std::thread::Builder::new().name("write".to_owned()).spawn(work)?;
        Ok(Self { waiting: VecDeque::new(), give: Some(give), closed, is_open: true, thread: Some(thread) })
    }

    /// Whether somebody may still read.
    pub(super) fn is_open(&self) -> bool {
        self.is_open && !matches!(self.closed.try_recv(), Err(crossbeam_channel::TryRecvError::Disconnected))
    }

    /// Hears of the end of the thread.
    pub(super) fn closed(&self) -> &Receiver<()> {
        &self.closed
    }

    /// Whether nothing waits here.
    pub(super) fn is_free(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a piece.
    pub(super) fn add(&mut self, piece: Vec<u8>) {
        if !piece.is_empty() {
            self.waiting.push_back(piece);
        }
    }

    /// Gives the thread a piece as soon as it takes it, but does not wait long.
    pub(super) fn offer(&mut self) {
        self.give_until(Instant::now() + OFFER);
    }

    fn give_until(&mut self, until: Instant) {
        let (Some(piece), Some(give)) = (self.waiting.pop_front(), &self.give) else { return };
        match give.send_deadline(piece, until) {
            Ok(()) => {}
            Err(crossbeam_channel::SendTimeoutError::Timeout(piece)) => self.waiting.push_front(piece),
            Err(crossbeam_channel::SendTimeoutError::Disconnected(_)) => self.is_open = false,
        }
    }

    /// Writes what waits, to the end or to a point in time.
    ///
    /// # Errors
    /// What the thread could not write.
    pub(super) fn finish(&mut self, until: Option<Instant>) -> io::Result<()> {
        while !self.waiting.is_empty() && self.is_open && until.is_none_or(|until| Instant::now() < until) {
            self.give_until(until.unwrap_or_else(|| Instant::now() + LOOK));
        }
        self.give = None;
        let ended = match until {
            Some(until) => select! {
                recv(self.closed) -> _ => true,
                default(until.saturating_duration_since(Instant::now())) => false,
            },
            None => true,
        };
        match self.thread.take().filter(|_| ended).map(JoinHandle::join) {
            Some(Ok(written)) => written,
            // Nobody reads: the exit ends the thread.
            _ => Ok(()),
        }
    }
}

fn write(pieces: &Receiver<Vec<u8>>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    loop {
        match pieces.recv_timeout(LOOK) {
            Ok(piece) => {
                out.write_all(&piece)?;
                out.flush()?;
            }
            Err(RecvTimeoutError::Timeout) if is_stdout_unread() => return Err(io::ErrorKind::BrokenPipe.into()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
