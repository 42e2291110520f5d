//! A whole file, record by record: findings with those across records, and statistics.

use super::examine::Examined;
use crate::model::{Bytes, Finding, LocatedFinding};
use crate::rules::statistics::{DatasetStats, Repeats, TrajectoryStats};

/// D15, D23: what was seen of a file so far. It holds counts and hashes, no records.
#[derive(Debug, Default)]
pub struct AdpSurvey {
    repeats: Repeats,
    stats: DatasetStats,
}

/// D16, D22: one record of a file.
#[derive(Debug)]
pub struct AdpSurveyed {
    /// D16: all its findings, in order.
    pub findings: Vec<LocatedFinding>,
    /// D22: its statistics; None for a record that cannot be read, or where it was not asked for.
    pub stats: Option<TrajectoryStats>,
}

impl AdpSurvey {
    /// D15, D22, D23: takes the next record of the file, examined. `bytes` are those of the file; `judge` says which
    /// findings count, and as what.
    pub fn take(
        &mut self,
        examined: Examined,
        bytes: &dyn Bytes,
        judge: &dyn Fn(Finding) -> Option<Finding>,
    ) -> AdpSurveyed {
        let Examined { record, findings: mut found, stats, keys, .. } = examined;
        let repeated = self.repeats.note(record, &keys, bytes);
        if !repeated.is_empty() {
            found.extend(repeated);
            found.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
        }
        let judged = |found: LocatedFinding| Some(LocatedFinding { finding: judge(found.finding)?, ..found });
        let found: Vec<LocatedFinding> = found.into_iter().filter_map(judged).collect();
        let stats = stats.map(|stats| stats.with_findings(&found));
        self.stats.add(stats.as_ref(), &found);
        AdpSurveyed { findings: found, stats }
    }

    /// D23: the statistics of the records so far.
    #[must_use]
    pub fn stats(&self) -> &DatasetStats {
        &self.stats
    }
}
