//! What only a look at every record of a file reports: findings across records, statistics.

use super::Facts;
use crate::json::Value;
use crate::model::{Bytes, Finding, LocatedFinding, Record, RunPart};
use serde_json::value::RawValue;
use std::any::Any;

/// Looks at one record by itself; several can be looked at at once, in any order.
pub type LookFn = Box<dyn Fn(&Record, &[u8]) -> BoxedLook + Send + Sync>;

/// The same, and shows the value of the record, None without one, to another look, so that it is parsed once for both.
pub type SharedLookFn = Box<dyn Fn(&Record, &[u8], &mut dyn FnMut(Option<&Value<'_>>)) -> BoxedLook + Send + Sync>;

/// A finding as it counts; None: it does not.
pub type JudgeFinding = Box<dyn Fn(Finding) -> Option<Finding> + Send>;

/// A pass over a file in two parts: the look at each record by itself, and what their order reports. It holds counts
/// and hashes, no records.
pub trait Survey: Send {
    /// How a record is looked at: the record, and its bytes (of a broken one at most the first 64 KiB).
    fn look(&self) -> LookFn;
    /// The same look, which shows the values of records; None: it does not parse them whole.
    fn shared_look(&self) -> Option<SharedLookFn> {
        None
    }
    /// Takes the next record of the file, whose bytes are these.
    fn take(&mut self, looked: BoxedLook, bytes: &dyn Bytes) -> Surveyed;
    /// Which findings count from the next record on, and as what; without it all do.
    fn judge_by(&mut self, _judge: JudgeFinding) {}
    /// Statistics of the records so far, as a JSON object whose `type` is `dataset`; None: what the runs report is all.
    fn dataset(&self) -> Option<Box<RawValue>> {
        None
    }
}

/// What a pass over a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Findings alone.
    Findings,
    /// Statistics, and the findings that they count.
    Statistics,
    /// Facts for a table of records. A format whose records are trajectories gives them.
    Table,
    /// Facts without those on findings.
    Measures,
    /// Only the facts on findings.
    Judged,
    /// Only the facts on outcomes of the calls of each tool, and on rewards.
    Outcomes,
    /// Only the id and the beginning of the first text of the user.
    Heads,
    /// Only the id and the whole first text of the user.
    WholeHeads,
    /// Only the names of the tools that are called.
    Calls,
    /// Only the number of steps, their classes, tools and rewards, and how the trajectory ends.
    Outline,
}

/// One record, looked at by itself: what only the survey knows that had it looked at.
pub trait LookedRecord: Any + Send {
    /// Whether it could be read.
    fn is_read(&self) -> bool;
    /// Renumbers the record from an earlier place of the input, `records` records and `lines` lines before.
    fn shift(&mut self, records: usize, lines: u64);
    /// Other files that it refers to, which nobody looked for.
    fn parts(&self) -> &[RunPart] {
        &[]
    }
    /// Adds what is found of the record beside its text.
    fn add_findings(&mut self, _found: Vec<LocatedFinding>) {}
}

/// The same, on its way to its survey.
pub type BoxedLook = Box<dyn LookedRecord>;

/// What a look of this type saw; None: another survey had it looked at.
pub(in crate::format) fn looked<T: LookedRecord>(looked: BoxedLook) -> Option<T> {
    let any: Box<dyn Any> = looked;
    any.downcast().ok().map(|seen| *seen)
}

/// Findings are all that there is.
impl LookedRecord for Vec<LocatedFinding> {
    fn is_read(&self) -> bool {
        false
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.iter_mut().for_each(|found| found.shift(records, lines));
    }
}

/// One record of a survey.
#[derive(Debug, Default)]
pub struct Surveyed {
    /// All its findings, in order.
    pub findings: Vec<LocatedFinding>,
    /// Its statistics, as a JSON object whose `type` is `trajectory`; None for a record that cannot be read, or where
    /// it was not asked for.
    pub stats: Option<Box<RawValue>>,
    /// Its facts, where they were asked for.
    pub facts: Option<Facts>,
}
