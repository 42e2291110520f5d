//! A worker as its parent sees it: started, asked, waited for so long and no longer, killed.

use super::{Question, RecordAnswer, frame};
use crate::model::Problem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time for a worker to start and read its expression.
const START: Duration = Duration::from_secs(30);

/// A running worker. Dropped, it is killed.
pub(crate) struct Child {
    process: std::process::Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<Timed>,
    limit: Duration,
}

/// Why a worker has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It took too long.
    Late,
    /// It died.
    Died,
}

/// What a worker writes, up to a time.
struct Timed {
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

impl Child {
    /// Starts a worker for a question.
    ///
    /// # Errors
    /// It cannot be started, or the expression is none.
    pub(crate) fn start(question: &Question) -> Result<Self, Problem> {
        let trouble = |e: io::Error| Problem::unreadable(format!("no process to run EXPR in: {e}"));
        let mut process = Command::new(std::env::current_exe().map_err(trouble)?)
            .args(["query", "--worker"])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(trouble)?;
        let (Some(to), Some(pipe)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(trouble(ErrorKind::BrokenPipe.into()));
        };
        let from = BufReader::new(Timed { pipe, until: Instant::now() + START });
        let mut child = Self { process, to: BufWriter::new(to), from, limit: question.limit };
        match child.introduce(question).map_err(trouble)? {
            why if why.is_empty() => Ok(child),
            why => Err(Problem::usage(format!("EXPR cannot be read: {why}"))),
        }
    }

    fn introduce(&mut self, question: &Question) -> io::Result<String> {
        frame::put(question.expression.as_bytes(), &mut self.to)?;
        frame::put_number(u64::from(question.wants_results), &mut self.to)?;
        self.to.flush()?;
        frame::text(&mut self.from)
    }

    /// Asks about some records at once, for all of which there is the time for one; an answer for each.
    pub(crate) fn ask(&mut self, records: &[Vec<u8>]) -> Result<Vec<RecordAnswer>, Ended> {
        self.exchange(records).map_err(|e| match e.kind() {
            ErrorKind::TimedOut => Ended::Late,
            _ => Ended::Died,
        })
    }

    fn exchange(&mut self, records: &[Vec<u8>]) -> io::Result<Vec<RecordAnswer>> {
        frame::put_number(records.len() as u64, &mut self.to)?;
        records.iter().try_for_each(|record| frame::put(record, &mut self.to))?;
        self.to.flush()?;
        self.from.get_mut().until = Instant::now() + self.limit;
        records.iter().map(|_| RecordAnswer::get(&mut self.from)).collect()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may be at its end already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
