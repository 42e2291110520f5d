//! D23: statistics of a dataset, which merge in any order.

use super::trajectory_stats::{Counts, TrajectoryStats, add, count, is_of_run};
use crate::json::Value;
use crate::model::{LocatedFinding, Severity};
use serde::Serialize;
use std::collections::BTreeMap;

/// D23: a dataset so far. Two parts of it merge in any order.
#[derive(Debug, Clone, Default)]
pub struct DatasetStats {
    records: u64,
    unreadable: u64,
    shapes: Counts,
    versions: Counts,
    classes: Counts,
    roles: Counts,
    tools: Counts,
    finish: Counts,
    rules: Counts,
    with_errors: u64,
    with_warnings: u64,
    failed: u64,
    suspect: u64,
    /// W11: findings on what runs did, by rule.
    work: Counts,
    found: FoundRecords,
    calls: u64,
    calls_with_thought: u64,
    rewarded: u64,
    rewarded_steps: u64,
    /// Trajectories whose notes alone say a reward.
    noted: u64,
    rewards: ExactSum,
    steps: Spread,
    chars: Spread,
}

impl DatasetStats {
    /// D23: counts one record: its statistics (None: it cannot be read) and all its findings.
    pub fn add(&mut self, stats: Option<&TrajectoryStats>, found: &[LocatedFinding]) {
        self.records += 1;
        let of_record = || found.iter().filter(|found| !is_of_run(found));
        let has = |severity| u64::from(of_record().any(|f| f.finding.severity == severity));
        self.with_errors += has(Severity::Error);
        self.with_warnings += has(Severity::Warning);
        merge(&mut self.rules, &count(of_record().map(|f| f.finding.rule)));
        let has = |severity| u64::from(found.iter().any(|f| f.finding.severity == severity));
        self.found.with_errors += has(Severity::Error);
        self.found.with_warnings += has(Severity::Warning);
        merge(&mut self.work, &count(found.iter().filter(|found| is_of_run(found)).map(|f| f.finding.rule)));
        let Some(one) = stats else {
            self.unreadable += 1;
            return;
        };
        add(&mut self.shapes, one.shape, 1);
        add(&mut self.versions, one.version.as_deref().unwrap_or("none"), 1);
        add(&mut self.finish, one.finish, 1);
        merge(&mut self.classes, &one.classes);
        merge(&mut self.roles, &one.roles);
        merge(&mut self.tools, &one.tools);
        self.calls += one.calls;
        self.calls_with_thought += one.calls_with_thought;
        self.rewarded += u64::from(one.reward.is_some());
        self.rewarded_steps += one.rewarded_steps;
        self.noted += u64::from(one.noted_reward.is_some());
        self.failed += one.failed;
        self.suspect += one.suspect;
        self.rewards.add(one.reward.unwrap_or(0.0));
        self.steps.add(one.steps, 1);
        self.chars.add(one.chars, 1);
    }

    /// D23: joins the statistics of another part of the dataset.
    pub fn merge(&mut self, other: &Self) {
        self.records += other.records;
        self.unreadable += other.unreadable;
        self.with_errors += other.with_errors;
        self.with_warnings += other.with_warnings;
        self.calls += other.calls;
        self.calls_with_thought += other.calls_with_thought;
        self.rewarded += other.rewarded;
        self.rewarded_steps += other.rewarded_steps;
        self.noted += other.noted;
        self.failed += other.failed;
        self.suspect += other.suspect;
        self.found.with_errors += other.found.with_errors;
        self.found.with_warnings += other.found.with_warnings;
        merge(&mut self.work, &other.work);
        self.rewards.merge(&other.rewards);
        merge(&mut self.shapes, &other.shapes);
        merge(&mut self.versions, &other.versions);
        merge(&mut self.classes, &other.classes);
        merge(&mut self.roles, &other.roles);
        merge(&mut self.tools, &other.tools);
        merge(&mut self.finish, &other.finish);
        merge(&mut self.rules, &other.rules);
        self.steps.merge(&other.steps);
        self.chars.merge(&other.chars);
    }

    /// D23: counts what only the line of a trajectory reports.
    pub(in crate::rules) fn add_line(&mut self, steps: u64, chars: u64, reward: Option<f64>) {
        self.steps.add(steps, 1);
        self.chars.add(chars, 1);
        self.rewards.add(reward.unwrap_or(0.0));
    }

    /// D15, D23: counts findings of repetition in a record that had no warning before, or some: on the record, or any.
    pub(in crate::rules) fn add_repeats(&mut self, rules: &[&str], has_warning: bool, has_any: bool) {
        rules.iter().for_each(|rule| add(&mut self.rules, rule, 1));
        self.with_warnings += u64::from(!rules.is_empty() && !has_warning);
        self.found.with_warnings += u64::from(!rules.is_empty() && !has_any);
    }

    /// D23: counts what the last line of a part reports beside those before it; None if it is no such line.
    pub(in crate::rules) fn add_totals(&mut self, line: &Value<'_>) -> Option<()> {
        let number = |value: Option<&Value<'_>>| value?.as_number()?.parse::<u64>().ok();
        let reward = line.get("reward")?;
        for (into, value) in [
            (&mut self.records, line.get("records")),
            (&mut self.unreadable, line.get("unreadable")),
            (&mut self.with_errors, line.get("with_errors")),
            (&mut self.with_warnings, line.get("with_warnings")),
            (&mut self.calls, line.get("calls")),
            (&mut self.calls_with_thought, line.get("calls_with_thought")),
            (&mut self.rewarded, reward.get("trajectories")),
            (&mut self.rewarded_steps, reward.get("steps")),
        ] {
            *into += number(value)?;
        }
        for (into, key) in [
            (&mut self.shapes, "shapes"),
            (&mut self.versions, "versions"),
            (&mut self.classes, "classes"),
            (&mut self.roles, "roles"),
            (&mut self.tools, "tools"),
            (&mut self.finish, "finish"),
            (&mut self.rules, "rules"),
        ] {
            for (name, n) in line.get(key)?.as_object()?.entries() {
                add(into, name, number(Some(n))?);
            }
        }
        self.add_run_totals(line);
        if reward.get("sum")?.is_null() {
            // A sum that is no finite number has no JSON, and nothing mends it.
            self.rewards.special = f64::NAN;
        }
        Some(())
    }

    /// W4, W11: the same of what runs did, which lines of earlier versions do not have.
    fn add_run_totals(&mut self, line: &Value<'_>) {
        let number = |value: Option<&Value<'_>>| value?.as_number()?.parse::<u64>().ok();
        let of = |key: &str, member: &str| number(line.get(key).and_then(|value| value.get(member)));
        self.failed += number(line.get("failed")).unwrap_or(0);
        self.suspect += number(line.get("suspect")).unwrap_or(0);
        self.found.with_errors += of("found", "with_errors").unwrap_or(0);
        self.found.with_warnings += of("found", "with_warnings").unwrap_or(0);
        self.noted += number(line.get("noted_rewards")).unwrap_or(0);
        for (rule, n) in line.get("work").and_then(Value::as_object).iter().flat_map(|work| work.entries()) {
            add(&mut self.work, rule, number(Some(n)).unwrap_or(0));
        }
    }

    /// D23: what is said of the dataset.
    #[must_use]
    pub fn summary(&self) -> DatasetSummary {
        self.summary_of("dataset", self.rewards.value(), &self.steps.values)
    }

    /// The same as a line of that type, with this sum of rewards and these numbers of steps.
    pub(super) fn summary_of(&self, line: &'static str, rewards: f64, steps: &BTreeMap<u64, u64>) -> DatasetSummary {
        DatasetSummary {
            line,
            records: self.records,
            unreadable: self.unreadable,
            shapes: self.shapes.clone(),
            versions: self.versions.clone(),
            classes: self.classes.clone(),
            roles: self.roles.clone(),
            tools: self.tools.clone(),
            finish: self.finish.clone(),
            rules: self.rules.clone(),
            with_errors: self.with_errors,
            with_warnings: self.with_warnings,
            failed: self.failed,
            suspect: self.suspect,
            work: self.work.clone(),
            found: self.found,
            calls: self.calls,
            calls_with_thought: self.calls_with_thought,
            reward: Rewards { trajectories: self.rewarded, steps: self.rewarded_steps, sum: rewards },
            noted_rewards: self.noted,
            steps: self.steps.summary(),
            chars: self.chars.summary(),
            gates: self.gates(steps.get(&2).copied().unwrap_or(0)),
        }
    }

    /// D23: the gates of upstream's quality script, where `pairs` trajectories have two steps.
    fn gates(&self, pairs: u64) -> Gates {
        let trajectories = self.records - self.unreadable;
        let is_most = |n: u64| n * 5 > trajectories * 4;
        let finished = self.finish.get("finish").copied().unwrap_or(0);
        let has_rule = |rule| self.rules.contains_key(rule);
        Gates {
            finish: is_most(finished) || is_most(pairs),
            thoughts: self.calls_with_thought * 5 >= self.calls * 4,
            alternate: !has_rule("sft.alternate") && !has_rule("adp.consecutive"),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

fn merge(into: &mut Counts, from: &Counts) {
    for (name, n) in from {
        add(into, name, *n);
    }
}

/// D23: a dataset. Serialized, it is the last line of `stats --json` after the header.
#[derive(Debug, Clone, Serialize)]
pub struct DatasetSummary {
    #[serde(rename = "type")]
    line: &'static str,
    /// Records, also those that cannot be read.
    pub records: u64,
    /// Records that cannot be read.
    pub unreadable: u64,
    /// Trajectories by shape.
    pub shapes: Counts,
    /// Trajectories by version; `none` without.
    pub versions: Counts,
    /// Steps by class.
    pub classes: Counts,
    /// Steps by role.
    pub roles: Counts,
    /// Calls by tool.
    pub tools: Counts,
    /// Trajectories by how they end.
    pub finish: Counts,
    /// Findings by rule.
    pub rules: Counts,
    /// Records with an error.
    pub with_errors: u64,
    /// Records with a warning.
    pub with_warnings: u64,
    /// W4: steps with a result that is an error.
    pub failed: u64,
    /// W4: steps with a result that is suspect.
    pub suspect: u64,
    /// W11: findings on what runs did and on the files that belong to them, by rule.
    pub work: Counts,
    /// Records with findings of any rule.
    pub found: FoundRecords,
    /// Calls.
    pub calls: u64,
    /// Calls that come with a thought.
    pub calls_with_thought: u64,
    /// Rewards.
    pub reward: Rewards,
    /// Trajectories whose notes alone say a reward.
    #[serde(skip_serializing_if = "is_none")]
    pub noted_rewards: u64,
    /// Steps of a trajectory.
    pub steps: SpreadSummary,
    /// Unicode scalars of a trajectory.
    pub chars: SpreadSummary,
    /// Whether the gates of upstream's quality script are passed.
    pub gates: Gates,
}

impl DatasetSummary {
    /// Its members that count names.
    pub(super) fn counts_mut(&mut self) -> [&mut Counts; 8] {
        let Self { shapes, versions, classes, roles, tools, finish, rules, work, .. } = self;
        [shapes, versions, classes, roles, tools, finish, rules, work]
    }
}

/// D23: rewards of a dataset.
#[derive(Debug, Clone, Serialize)]
pub struct Rewards {
    /// Trajectories with a reward.
    pub trajectories: u64,
    /// Steps with a reward.
    pub steps: u64,
    /// Their sum.
    pub sum: f64,
}

/// Records with findings of any rule.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct FoundRecords {
    /// Those with errors.
    pub with_errors: u64,
    /// Those with warnings.
    pub with_warnings: u64,
}

/// D23: the gates of upstream's quality script.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Gates {
    /// More than 80 % finish, or more than 80 % have two steps.
    pub finish: bool,
    /// At least 80 % of the calls come with a thought.
    pub thoughts: bool,
    /// Roles alternate everywhere.
    pub alternate: bool,
}

/// D23: how a number spreads over the trajectories; None without any.
#[derive(Debug, Clone, Serialize)]
pub struct SpreadSummary {
    /// The least.
    pub min: Option<u64>,
    /// Half are at most this (nearest rank).
    pub p50: Option<u64>,
    /// Nine of ten are at most this (nearest rank).
    pub p90: Option<u64>,
    /// The greatest.
    pub max: Option<u64>,
    /// Their sum.
    pub sum: u64,
    /// Trajectories by powers of two: `0`, `1`, `2-3`, `4-7` …
    pub hist: serde_json::Map<String, serde_json::Value>,
}

/// How often each value occurs: exact, and merges in any order.
#[derive(Debug, Clone, Default)]
pub(super) struct Spread {
    values: BTreeMap<u64, u64>,
}

impl Spread {
    /// Of values with how often each occurs.
    pub(super) fn of(values: BTreeMap<u64, u64>) -> Self {
        Self { values }
    }

    fn add(&mut self, value: u64, n: u64) {
        *self.values.entry(value).or_default() += n;
    }

    fn merge(&mut self, other: &Self) {
        other.values.iter().for_each(|(&value, &n)| self.add(value, n));
    }

    /// D23: percentiles by nearest rank.
    fn percentile(&self, percent: u64) -> Option<u64> {
        let total: u64 = self.values.values().sum();
        let rank = (total * percent).div_ceil(100);
        let mut seen = 0;
        self.values.iter().find_map(|(&value, n)| {
            seen += n;
            (seen >= rank).then_some(value)
        })
    }

    pub(super) fn summary(&self) -> SpreadSummary {
        let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
        for (&value, n) in &self.values {
            *buckets.entry(u64::BITS - value.leading_zeros()).or_default() += n;
        }
        SpreadSummary {
            min: self.values.first_key_value().map(|(&v, _)| v),
            p50: self.percentile(50),
            p90: self.percentile(90),
            max: self.values.last_key_value().map(|(&v, _)| v),
            sum: self.values.iter().fold(0, |sum: u64, (value, n)| sum.saturating_add(value.saturating_mul(*n))),
            hist: buckets.into_iter().map(|(bits, n)| (bucket_name(bits), n.into())).collect(),
        }
    }
}

/// D23: the name of the bucket of values with `bits` binary digits.
fn bucket_name(bits: u32) -> String {
    match bits {
        0 | 1 => bits.to_string(),
        _ => format!("{}-{}", 1_u64 << (bits - 1), (1_u128 << bits) - 1),
    }
}

/// A sum of floats without rounding on the way (Shewchuk's partials), so that the order of addition does not matter.
#[derive(Debug, Clone, Default)]
pub(super) struct ExactSum {
    partials: Vec<f64>,
    /// What no 64-bit float holds: infinite once the sum exceeded one, NaN where it is not known.
    special: f64,
}

impl ExactSum {
    /// Numbers that add up to it without rounding, the same for equal sums; None: no float holds it.
    pub(super) fn parts(&self) -> Option<Vec<f64>> {
        let mut rest = (self.special == 0.0).then(|| self.clone())?;
        let mut parts = Vec::new();
        while let Some(part) = Some(rest.value()).filter(|part| *part != 0.0) {
            parts.push(part);
            rest.add(-part);
        }
        parts.reverse();
        Some(parts)
    }

    pub(super) fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return self.exceed(value);
        }
        let mut rest = value;
        let mut partials = Vec::with_capacity(self.partials.len() + 1);
        for &partial in &self.partials {
            let (big, small) = if rest.abs() < partial.abs() { (partial, rest) } else { (rest, partial) };
            let sum = big + small;
            if sum.is_infinite() {
                return self.exceed(sum);
            }
            let lost = small - (sum - big);
            if lost != 0.0 {
                partials.push(lost);
            }
            rest = sum;
        }
        partials.push(rest);
        self.partials = partials;
    }

    fn merge(&mut self, other: &Self) {
        if other.special != 0.0 {
            self.exceed(other.special);
        }
        other.partials.iter().for_each(|&p| self.add(p));
    }

    /// The first value that no float holds decides.
    fn exceed(&mut self, value: f64) {
        if self.special == 0.0 {
            self.special = value;
        }
    }

    /// D20: a sum that exceeds a 64-bit float is its greatest value, since JSON has no infinity.
    pub(super) fn value(&self) -> f64 {
        (self.special + rounded(&self.partials)).clamp(f64::MIN, f64::MAX)
    }
}

/// The float nearest to the sum of partials, which grow and do not overlap; ties go to the even one. Different partials
/// of one sum give the same float, as in Python's `math.fsum`.
fn rounded(partials: &[f64]) -> f64 {
    let mut smaller = partials.iter().rev();
    let (mut sum, mut lost) = (smaller.next().copied().unwrap_or(0.0), 0.0);
    for &partial in smaller.by_ref() {
        let before = sum;
        sum = before + partial;
        lost = partial - (sum - before);
        if lost != 0.0 {
            break;
        }
    }
    // What was lost may be half a unit, rounded to even, while the rest shows on which side of it the sum lies.
    let is_beyond_tie =
        smaller.next().is_some_and(|rest| *rest != 0.0 && lost.is_sign_positive() == rest.is_sign_positive());
    let next = sum + lost * 2.0;
    if is_beyond_tie && next - sum == lost * 2.0 { next } else { sum }
}
