//! A process in which foreign code runs: this program started again, asked over a pipe, and killed when it takes too
//! long. What it may do there is in [`confine`]. Expressions ([`super::query`]) and chat templates ([`super::chat`])
//! run in such processes; an abort ends the process and never the screen.

pub(crate) mod frame;

pub(crate) use crate::platform::confine;

use crate::platform::{ChildGuard, TimedPipe};
use std::io::{self, BufReader, BufWriter, ErrorKind};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A running process. Dropped, it is killed.
#[derive(Debug)]
pub(crate) struct Worker {
    process: Child,
    /// What it reads.
    pub(crate) to: BufWriter<ChildStdin>,
    /// What it writes, up to a time.
    pub(crate) from: BufReader<TimedPipe>,
    _guard: ChildGuard,
}

/// Why a worker has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It took too long.
    TimedOut,
    /// It died.
    Died,
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::TimedOut { Self::TimedOut } else { Self::Died }
    }
}

impl Worker {
    /// Starts this program with arguments, without an environment.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start(arguments: &[&str]) -> io::Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(to), Some(pipe)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let guard = ChildGuard::new(&process)?;
        Ok(Self { process, to: BufWriter::new(to), from: BufReader::new(TimedPipe::new(pipe)?), _guard: guard })
    }

    /// What it writes is waited for so long from now.
    pub(crate) fn wait_for(&mut self, time: Duration) {
        self.from.get_mut().wait_until(Instant::now() + time);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be at its end already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
