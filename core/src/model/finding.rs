//! What a check says of a record, a step or a path.

use super::Place;
use serde::Serialize;
use std::borrow::Borrow;
use std::ops::Deref;
use std::sync::Arc;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
///
/// There can be as many as steps, and many say the same: so what they say is apart, and can be shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Record number, from 0.
    pub record: usize,
    /// Step, from 0; None for a finding of the whole record.
    pub step: Option<super::StepNo>,
    /// What it says, readable as if it were the finding's own.
    pub remark: Arc<Remark>,
}

/// What a finding says, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Remark {
    /// Where in the record or state, in the notation of its rule.
    pub path: Option<Arc<str>>,
    /// Stable id with the prefix of its family, as `acts.invalid-json`.
    pub rule: &'static str,
    /// How bad.
    pub severity: Severity,
    /// For people: what is wrong and what to do.
    pub message: Arc<str>,
}

/// A finding and where in the input it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedFinding {
    /// The finding.
    pub finding: Finding,
    /// The value that it is about, as near as its path leads; else its step, else its record.
    pub place: Place,
}

impl LocatedFinding {
    /// Renumbers it from an earlier place of the input, `records` records and `lines` lines before.
    pub fn shift(&mut self, records: usize, lines: u64) {
        self.finding.record += records;
        self.place.line += lines;
    }
}

impl Deref for Finding {
    type Target = Remark;

    fn deref(&self) -> &Remark {
        &self.remark
    }
}

impl Finding {
    /// A finding of a step of a record, or of the whole record.
    #[must_use]
    pub fn new(record: usize, step: Option<super::StepNo>, remark: impl Into<Arc<Remark>>) -> Self {
        Self { record, step, remark: remark.into() }
    }

    /// The order in which findings are reported (A45, D16).
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
