//! A whole file, record by record: findings with those across records, and statistics.

use super::dataset::DatasetStats;
use super::examine::{Examined, examine};
use super::repeat::Repeats;
use super::stats::TrajectoryStats;
use crate::model::{Finding, Record};

/// D15, D23: what was seen of a file so far. It holds counts and hashes, no records.
#[derive(Debug, Default)]
pub struct Survey {
    repeats: Repeats,
    stats: DatasetStats,
}

/// D16, D22: one record of a file.
#[derive(Debug)]
pub struct Surveyed {
    /// D16: all its findings, in order.
    pub findings: Vec<Finding>,
    /// D22: its statistics; None for a record that cannot be read.
    pub stats: Option<TrajectoryStats>,
}

impl Survey {
    /// D15, D22, D23: takes the next record of the file; `text` are its bytes.
    pub fn take(&mut self, record: &Record, text: &[u8]) -> Surveyed {
        let Examined { mut findings, stats, keys } = examine(record, text);
        let repeated = self.repeats.note(record.number, &keys);
        let stats = stats.map(|s| s.with_findings(&repeated));
        findings.extend(repeated);
        findings.sort_by(|a, b| a.order().cmp(&b.order()));
        self.stats.add(stats.as_ref(), &findings);
        Surveyed { findings, stats }
    }

    /// D23: the statistics of the records so far.
    #[must_use]
    pub fn stats(&self) -> &DatasetStats {
        &self.stats
    }
}
