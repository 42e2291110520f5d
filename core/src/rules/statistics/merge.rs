//! D23: the statistics of parts of a dataset, put together from what was printed of each.
//!
//! All but what one part repeats of another is in the lines; that comes from their digests (D15).

use super::dataset_stats::DatasetStats;
use super::trajectory_stats::FoundCounts;
use crate::json::Value;
use std::collections::HashSet;

/// D15, D23: parts, read one after the other. Keeps counts and digests.
#[derive(Debug, Default)]
pub struct Parts {
    total: DatasetStats,
    /// Digests seen so far: ids, bodies.
    seen: [HashSet<u128>; 2],
    /// The same of the part that is being read.
    seen_in_part: [HashSet<u128>; 2],
    /// Trajectories of that part.
    lines: u64,
    /// Records of the parts before it.
    records: u64,
}

/// What the line of a trajectory says otherwise in the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renumbered {
    /// Its record.
    pub record: u64,
    /// Its warnings.
    pub warnings: u64,
    /// All its findings; None: a line of an earlier version has none.
    pub found: Option<FoundCounts>,
}

/// The members of `digests`, each with the rule that says what repeats.
const REPEATS: [(&str, &str); 2] = [("id", "adp.duplicate-id"), ("body", "adp.duplicate-content")];

impl Parts {
    /// D22: takes the line of a trajectory; None if it is not one.
    pub fn trajectory(&mut self, line: &Value<'_>) -> Option<Renumbered> {
        let number = |key: &str| line.get(key)?.as_number()?.parse::<u64>().ok();
        let (record, warnings) = (number("record")?, number("warnings")?);
        let (steps, chars) = (number("steps")?, number("chars")?);
        let digests = line.get("digests")?;
        let mut repeats = Vec::new();
        for (i, (key, rule)) in REPEATS.into_iter().enumerate() {
            let Some(digest) = digests.get(key)?.as_str() else { continue };
            let digest = u128::from_str_radix(digest, 16).ok()?;
            let is_new_in_part = self.seen_in_part[i].insert(digest);
            if !self.seen[i].insert(digest) && is_new_in_part {
                repeats.push(rule);
            }
        }
        let reward = line.get("reward")?.as_number().and_then(|text| text.parse().ok());
        self.lines += 1;
        self.total.add_line(steps, chars, reward);
        let found = |key: &str| line.get("found")?.get(key)?.as_number()?.parse::<u64>().ok();
        let found = found("errors").zip(found("warnings"));
        self.total.add_repeats(&repeats, warnings > 0, found.is_none_or(|(_, warnings)| warnings > 0));
        let more = repeats.len() as u64;
        Some(Renumbered {
            record: record + self.records,
            warnings: warnings + more,
            found: found.map(|(errors, warnings)| FoundCounts { errors, warnings: warnings + more }),
        })
    }

    /// D23: takes the last line of a part; None if it is not one. Whether the lines before it are all of its
    /// trajectories.
    pub fn end(&mut self, line: &Value<'_>) -> Option<bool> {
        let number = |key: &str| line.get(key)?.as_number()?.parse::<u64>().ok();
        let (records, unreadable) = (number("records")?, number("unreadable")?);
        self.total.add_totals(line)?;
        self.records += records;
        self.seen_in_part = Default::default();
        Some(records.checked_sub(unreadable) == Some(std::mem::take(&mut self.lines)))
    }

    /// D23: the statistics of all parts.
    #[must_use]
    pub fn stats(&self) -> &DatasetStats {
        &self.total
    }
}
