//! What a check says of a record, a step or a path.

use super::Place;
use serde::Serialize;
use std::borrow::Borrow;
use std::sync::Arc;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For the record; nothing is wrong.
    Info,
    /// Readable; look at it.
    Warning,
    /// A strict reader rejects it, or data is lost.
    Error,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding. Its place in a list is its order by record, step, path and rule (A45, D16).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Record number, from 0.
    pub record: usize,
    /// Step, from 0; None for a finding of the whole record.
    pub step: Option<super::StepNo>,
    /// Where in the record or state, in the notation of its rule.
    pub path: Option<Arc<str>>,
    /// Stable id with the prefix of its family, as `acts.invalid-json`.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// For people: what is wrong and what to do.
    pub message: Arc<str>,
}

/// A finding and where in the input it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The finding.
    pub finding: Finding,
    /// The value that it is about, as near as its path leads; else its step, else its record.
    pub place: Place,
}

impl Finding {
    /// The order in which findings are told (A45, D16).
    #[must_use]
    pub fn order(&self) -> (usize, Option<super::StepNo>, Option<&str>, &str) {
        (self.record, self.step, self.path.as_deref(), self.rule)
    }

    /// Findings in their order, one for each record, step, path and rule.
    #[must_use]
    pub fn in_order<F: Borrow<Self>>(mut all: Vec<F>) -> Vec<F> {
        all.sort_by(|a, b| a.borrow().order().cmp(&b.borrow().order()));
        all.dedup_by(|a, b| (*a).borrow().order() == (*b).borrow().order());
        all
    }
}
