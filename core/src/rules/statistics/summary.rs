//! D23: statistics of a dataset in constant size, however many trajectories it has: what parts of any number merge to
//! where lines of trajectories would be too many.
//!
//! Counts and sums are those of the whole to the last digit. Percentiles come from counts of values whose first eight
//! binary digits are equal (at most 0.8 % too low), numbers of different ids and bodies from sketches (0.8 % standard
//! error). Parts may be merged in any order and grouping, and give the same line.

use super::dataset_stats::{DatasetStats, DatasetSummary, ExactSum, Spread, SpreadSummary};
use super::distinct::Distinct;
use crate::json::Value;
use serde::Serialize;
use std::collections::BTreeMap;

/// Binary digits of a value that are kept.
const DIGITS: u32 = 8;
/// Most names that a member of counts has; what is counted under rarer ones is summed up.
const NAMES_MAX: usize = 1_000;
/// What is counted under names that are left out.
const OTHER: &str = "(other)";

/// D23: a dataset so far.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    totals: DatasetStats,
    rewards: ExactSum,
    steps: CoarseSpread,
    chars: CoarseSpread,
    ids: Distinct,
    bodies: Distinct,
}

/// D23: the line of a summary, behind the header of `stats --json`.
#[derive(Debug, Clone, Serialize)]
pub struct SummaryLine {
    #[serde(flatten)]
    dataset: DatasetSummary,
    /// About how many different ones there are.
    distinct: DistinctCounts,
    sketch: Sketches,
}

#[derive(Debug, Clone, Serialize)]
struct DistinctCounts {
    ids: u64,
    bodies: u64,
}

/// What merges.
#[derive(Debug, Clone, Serialize)]
struct Sketches {
    /// Numbers that add up to the sum of the rewards without rounding; None: that is not a number.
    rewards: Option<Vec<f64>>,
    steps: CoarseSpread,
    chars: CoarseSpread,
    ids: String,
    bodies: String,
}

/// How a number spreads, in constant size: how often there are values that begin with the same digits.
#[derive(Debug, Clone, Default, Serialize)]
struct CoarseSpread {
    min: Option<u64>,
    max: Option<u64>,
    sum: u64,
    counts: BTreeMap<u64, u64>,
}

/// A value with all but its first binary digits 0.
fn coarse(value: u64) -> u64 {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(DIGITS);
    value >> shift << shift
}

impl CoarseSpread {
    fn add(&mut self, value: u64) {
        self.min = Some(self.min.map_or(value, |min| min.min(value)));
        self.max = self.max.max(Some(value));
        self.sum = self.sum.saturating_add(value);
        *self.counts.entry(coarse(value)).or_default() += 1;
    }

    /// Takes one that was printed; None: it is not one.
    fn merge(&mut self, other: &Value<'_>) -> Option<()> {
        let number = |value: &Value<'_>| value.as_number()?.parse::<u64>().ok();
        for (key, n) in other.get("counts")?.as_object()?.entries() {
            let value = key.parse::<u64>().ok().filter(|value| coarse(*value) == *value)?;
            let count = self.counts.entry(value).or_default();
            *count = count.saturating_add(number(n)?);
        }
        let (min, max) = (other.get("min")?, other.get("max")?);
        if !min.is_null() {
            let min = number(min)?;
            self.min = Some(self.min.map_or(min, |known| known.min(min)));
            self.max = self.max.max(Some(number(max)?));
        }
        self.sum = self.sum.saturating_add(number(other.get("sum")?)?);
        Some(())
    }

    fn summary(&self) -> SpreadSummary {
        let spread = Spread::of(self.counts.clone());
        let within = |value: u64| value.max(self.min.unwrap_or(value)).min(self.max.unwrap_or(value));
        let summary = spread.summary();
        let (p50, p90) = (summary.p50.map(within), summary.p90.map(within));
        SpreadSummary { min: self.min, p50, p90, max: self.max, sum: self.sum, hist: summary.hist }
    }
}

fn float(value: &Value<'_>) -> Option<f64> {
    value.as_number()?.parse().ok()
}

impl Summary {
    /// D22: takes the line of a trajectory; None if it is not one.
    pub fn trajectory(&mut self, line: &Value<'_>) -> Option<()> {
        let number = |key: &str| line.get(key)?.as_number()?.parse::<u64>().ok();
        self.steps.add(number("steps")?);
        self.chars.add(number("chars")?);
        let digests = line.get("digests")?;
        for (sketch, key) in [(&mut self.ids, "id"), (&mut self.bodies, "body")] {
            if let Some(digest) = digests.get(key)?.as_str() {
                sketch.add(u128::from_str_radix(digest, 16).ok()?);
            }
        }
        self.rewards.add(float(line.get("reward")?).unwrap_or(0.0));
        Some(())
    }

    /// D23: takes the line of the dataset that these trajectories are; None if it is not one.
    pub fn dataset(&mut self, line: &Value<'_>) -> Option<()> {
        self.totals.add_totals(line)
    }

    /// D23: takes the line of another summary; None if it is not one.
    pub fn merge(&mut self, line: &Value<'_>) -> Option<()> {
        let sketch = line.get("sketch")?;
        self.dataset(line)?;
        self.steps.merge(sketch.get("steps")?)?;
        self.chars.merge(sketch.get("chars")?)?;
        for (mine, key) in [(&mut self.ids, "ids"), (&mut self.bodies, "bodies")] {
            mine.merge(&Distinct::read(sketch.get(key)?.as_str()?)?);
        }
        match sketch.get("rewards")?.as_array() {
            Some(parts) => parts.iter().try_for_each(|part| float(part).map(|part| self.rewards.add(part))),
            None => {
                // No float holds the sum; the greatest stands for one that exceeds all.
                self.rewards.add(float(line.get("reward")?.get("sum")?).unwrap_or(f64::NAN));
                Some(())
            }
        }
    }

    /// D23: what is said of the dataset.
    #[must_use]
    pub fn line(&self) -> SummaryLine {
        let mut dataset = self.totals.summary_of("summary", self.rewards.value(), &self.steps.counts);
        (dataset.steps, dataset.chars) = (self.steps.summary(), self.chars.summary());
        for counts in dataset.counts_mut() {
            bound(counts);
        }
        SummaryLine {
            dataset,
            distinct: DistinctCounts { ids: self.ids.estimate(), bodies: self.bodies.estimate() },
            sketch: Sketches {
                rewards: self.rewards.parts(),
                steps: self.steps.clone(),
                chars: self.chars.clone(),
                ids: self.ids.text(),
                bodies: self.bodies.text(),
            },
        }
    }
}

/// Leaves the most frequent names, the first of equals, and sums up the others.
fn bound(counts: &mut BTreeMap<String, u64>) {
    if counts.len() <= NAMES_MAX {
        return;
    }
    let mut all: Vec<(String, u64)> = std::mem::take(counts).into_iter().collect();
    all.sort_by(|(a, n), (b, m)| (a == OTHER).cmp(&(b == OTHER)).then(m.cmp(n)).then(a.cmp(b)));
    let rest = all.split_off(NAMES_MAX - 1);
    counts.extend(all);
    *counts.entry(OTHER.to_owned()).or_default() += rest.iter().map(|(_, n)| n).sum::<u64>();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn percentiles_are_at_most_a_hundredth_too_low() {
        let values: Vec<u64> = (0..5_000_u64).map(|i| i * i * 7 + 3).collect();
        let mut spread = CoarseSpread::default();
        values.iter().for_each(|value| spread.add(*value));
        let summary = spread.summary();
        for (estimate, exact) in [(summary.p50, values[2_499]), (summary.p90, values[4_499])] {
            let estimate = estimate.unwrap();
            assert!(estimate <= exact && (exact - estimate) as f64 <= exact as f64 * 0.008, "{estimate} for {exact}");
        }
        assert_eq!((summary.min, summary.max, summary.sum), (Some(3), values.last().copied(), values.iter().sum()));
        assert!(spread.counts.len() < 128 * 20, "{}", spread.counts.len());
        assert_eq!([0, 1, 255, 256, 257, 511, 513].map(coarse), [0, 1, 255, 256, 256, 510, 512]);
    }

    #[test]
    fn rare_names_are_summed_up() {
        let mut counts: BTreeMap<String, u64> = (0..2_000).map(|i| (format!("n{i:04}"), 1 + i / 1_999)).collect();
        bound(&mut counts);
        assert_eq!((counts.len(), counts[OTHER], counts["n1999"]), (NAMES_MAX, 2_001 - 1_000, 2));
        counts.extend((0..10).map(|i| (format!("m{i}"), 5)));
        bound(&mut counts);
        assert_eq!((counts.len(), counts["m0"], counts.values().sum::<u64>()), (NAMES_MAX, 5, 2_001 + 50));
    }

    #[test]
    fn what_is_no_summary_is_reported() {
        for text in ["{}", "7", r#"{"type":"summary","sketch":{}}"#] {
            assert_eq!(Summary::default().merge(&parse(text).unwrap()), None, "{text}");
        }
        let line = serde_json::to_string(&Summary::default().line()).unwrap();
        assert!(Summary::default().merge(&parse(&line).unwrap()).is_some(), "{line}");
    }
}
