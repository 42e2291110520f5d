//! A worker that knows an expression, as its parent sees it: asked, and waited for so long and no longer.

use super::{RecordAnswer, RecordQuery};
use crate::model::Problem;
use crate::shell::worker::{Ended, Worker, frame};
use std::io::{self, Write};
use std::time::Duration;

/// Longest time for a worker to start and read its expression.
const START: Duration = Duration::from_secs(30);

/// A running worker. Dropped, it is killed.
pub(crate) struct Child {
    worker: Worker,
    limit: Duration,
}

impl Child {
    /// Starts a worker for a question.
    ///
    /// # Errors
    /// It cannot be started, or the expression is invalid.
    pub(crate) fn start(question: &RecordQuery) -> Result<Self, Problem> {
        let trouble = |e: io::Error| Problem::unreadable(format!("no process to run EXPR in: {e}"));
        let worker = Worker::start(&["query", "--worker"]).map_err(trouble)?;
        let mut child = Self { worker, limit: question.limit };
        match child.introduce(question).map_err(trouble)? {
            why if why.is_empty() => Ok(child),
            why => Err(Problem::usage(format!("EXPR cannot be read: {why}"))),
        }
    }

    fn introduce(&mut self, question: &RecordQuery) -> io::Result<String> {
        let Worker { to, .. } = &mut self.worker;
        frame::put(question.expression.as_bytes(), to)?;
        frame::put_number(u64::from(question.wants_results), to)?;
        to.flush()?;
        self.worker.wait_for(START);
        frame::text(&mut self.worker.from)
    }

    /// Asks about some records at once, for all of which there is the time for one; the answers from the first on, and
    /// why there are no more. The first comes as soon as it is known: where there is none, the first record is the one
    /// that ended the worker.
    pub(crate) fn ask(&mut self, records: &[Vec<u8>]) -> (Vec<RecordAnswer>, Option<Ended>) {
        let mut answers = Vec::with_capacity(records.len());
        let ended = self.exchange(records, &mut answers).err().map(Ended::from);
        (answers, ended)
    }

    fn exchange(&mut self, records: &[Vec<u8>], answers: &mut Vec<RecordAnswer>) -> io::Result<()> {
        let Worker { to, .. } = &mut self.worker;
        frame::put_number(records.len() as u64, to)?;
        records.iter().try_for_each(|record| frame::put(record, to))?;
        to.flush()?;
        self.worker.wait_for(self.limit);
        for _ in records {
            answers.push(RecordAnswer::get(&mut self.worker.from)?);
        }
        Ok(())
    }
}
