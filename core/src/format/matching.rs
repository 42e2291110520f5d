//! How records show that they are of a format.

/// A format that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// What in the content shows it, in one sentence.
    pub reason: String,
}

/// How far records resemble a format that does not fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The share that agrees, from 0 to 1.
    pub share: f64,
    /// The same in words.
    pub description: String,
}

impl Near {
    /// `n` of `all` agree; `what` names them, as in "3 of 4 members".
    #[must_use]
    pub fn of(n: usize, all: usize, what: &str) -> Self {
        Self { share: n as f64 / all.max(1) as f64, description: format!("{n} of {all} {what}") }
    }
}
