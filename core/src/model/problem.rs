//! What went wrong with the input, reported alike in panes, on stderr and in `--json`.

use super::{Place, Span};
use std::fmt;

/// What kind of problem, which decides the exit status and the sign on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The file, folder or stream cannot be read.
    Unreadable,
    /// A record is not valid JSON.
    Syntax,
    /// The question does not fit: a path that does not parse, a command that the format has no answer for.
    Usage,
}

/// One problem: what, where, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// Where in the input, if it is somewhere.
    pub place: Option<Place>,
    /// One sentence: what is wrong.
    pub message: String,
    /// One sentence: what to do, if there is something.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem without place or hint.
    #[must_use]
    pub fn new(kind: ProblemKind, message: impl Into<String>) -> Self {
        Self { kind, place: None, message: message.into(), hint: None }
    }

    /// A usage problem.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Usage, message)
    }

    /// The input cannot be read.
    #[must_use]
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self::new(ProblemKind::Unreadable, message)
    }

    /// Bytes that were there are there no more.
    #[must_use]
    pub fn gone(span: Span) -> Self {
        let message = format!("the input no longer holds bytes {} to {}", span.offset, span.end());
        Self::unreadable(message).hint("it was truncated or replaced while it was open; open it again")
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place
            && place.line > 0
        {
            write!(f, "line {}: ", place.line)?;
        }
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
