//! Expressions, which are foreign code and run in a process of their own: how it is started, asked and ended. What runs
//! there is `obelus query --worker`.

mod child;

use super::worker::frame;
use crate::model::Problem;
use std::io::{self, Read, Write};
use std::time::Duration;

pub(crate) use super::worker::Ended;
pub(crate) use child::Child;

/// What is asked of each record.
pub(crate) struct RecordQuery {
    /// The expression.
    pub(crate) expression: String,
    /// Whether the results are wanted, or only whether one is true.
    pub(crate) wants_results: bool,
    /// Longest time for one record.
    pub(crate) limit: Duration,
}

impl RecordQuery {
    /// A worker that knows the question.
    ///
    /// # Errors
    /// It cannot be started, or the expression is invalid.
    pub(crate) fn child(&self) -> Result<Child, Problem> {
        Child::start(self)
    }
}

/// What an expression says of a record.
#[derive(Debug, Default)]
pub(crate) struct RecordAnswer {
    /// Its results as JSON, each with a newline.
    pub(crate) results: String,
    /// Whether one is neither false nor null.
    pub(crate) is_true: bool,
    /// Why there are no more results.
    pub(crate) failure: Option<String>,
}

impl RecordAnswer {
    /// Writes it to the parent.
    pub(crate) fn put(&self, to: &mut impl Write) -> io::Result<()> {
        frame::put_number(u64::from(self.is_true), to)?;
        frame::put(self.results.as_bytes(), to)?;
        frame::put_number(u64::from(self.failure.is_some()), to)?;
        frame::put(self.failure.as_deref().unwrap_or_default().as_bytes(), to)
    }

    /// Reads it from a worker.
    pub(crate) fn get(from: &mut impl Read) -> io::Result<Self> {
        let is_true = frame::number(from)? != 0;
        let results = frame::text(from)?;
        let has_failed = frame::number(from)? != 0;
        let failure = Some(frame::text(from)?).filter(|_| has_failed);
        Ok(Self { results, is_true, failure })
    }
}
