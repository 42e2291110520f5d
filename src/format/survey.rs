//! What only a look at every record of a file tells: findings across records, statistics.

use crate::model::{Finding, Record};
use serde_json::value::RawValue;

/// A pass over a file, record by record. It holds counts and hashes, no records.
pub trait Survey: Send {
    /// Takes the next record; `text` are its bytes (of a broken one at most the first 64 KiB).
    fn take(&mut self, record: &Record, text: &[u8]) -> Surveyed;
    /// Statistics of the records so far, as a JSON object whose `type` is `dataset`; None: what the runs tell is all.
    fn dataset(&self) -> Option<Box<RawValue>> {
        None
    }
}

/// One record of a survey.
#[derive(Debug)]
pub struct Surveyed {
    /// All its findings, in order.
    pub findings: Vec<Finding>,
    /// Its statistics, as a JSON object whose `type` is `trajectory`; None for a record that cannot be read.
    pub stats: Option<Box<RawValue>>,
}
