//! A process in which foreign code runs: this program started again, asked over a pipe, and killed when it takes too
//! long. What it may do there is in [`confine`]. Expressions ([`super::query`]) and chat templates ([`super::chat`])
//! run in such processes; an abort ends the process and never the screen.

mod confine;
pub(crate) mod frame;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod refused;

pub(crate) use confine::confine;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A running process. Dropped, it is killed.
#[derive(Debug)]
pub(crate) struct Worker {
    process: Child,
    /// What it reads.
    pub(crate) to: BufWriter<ChildStdin>,
    /// What it writes, up to a time.
    pub(crate) from: BufReader<Timed>,
}

/// Why a worker has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It took too long.
    Late,
    /// It died.
    Died,
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::TimedOut { Self::Late } else { Self::Died }
    }
}

/// What a worker writes, up to a time.
#[derive(Debug)]
pub(crate) struct Timed {
    pipe: ChildStdout,
    until: Instant,
}

impl Read for Timed {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(|_| ErrorKind::InvalidInput)?;
            match poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], Some(&timeout)) {
                Ok(0) => return Err(ErrorKind::TimedOut.into()),
                Ok(_) => return self.pipe.read(block),
                Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
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
        let from = BufReader::new(Timed { pipe, until: Instant::now() });
        Ok(Self { process, to: BufWriter::new(to), from })
    }

    /// What it writes is waited for so long from now.
    pub(crate) fn wait_for(&mut self, time: Duration) {
        self.from.get_mut().until = Instant::now() + time;
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be at its end already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
