//! Statistics of runs of any format, as their steps give them.

use super::run_usage::{UsageWithParts, run_usage};
use crate::format::call_time::{CallClock, MICROS_IN_MS};
use crate::format::{Run, StepCalls};
use crate::model::{Bytes, Finding, Problem, Severity, StepKind, StepNo, estimated_tokens};
use crate::rules::statistics::{RunUsage, add_usage};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The finding on a record of a log that is not valid JSON.
const INVALID_JSON: &str = "data.invalid-json";

type Counts = BTreeMap<String, u64>;

fn count(counts: &mut Counts, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

/// Statistics of a run as its steps give them. Serialized, its line of `stats --json`.
#[derive(Debug, Serialize)]
struct RunStats {
    r#type: &'static str,
    record: usize,
    id: Option<String>,
    /// How many trajectories the steps are those of, where a file is a list of the steps of several (traces).
    #[serde(skip_serializing_if = "is_one")]
    trajectories: u64,
    steps: u64,
    kinds: Counts,
    classes: Counts,
    roles: Counts,
    tools: Counts,
    /// Milliseconds that the calls of each tool took together, where the log says it.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    tool_ms: Counts,
    /// Calls and results, also where a step holds several of them (`CLI.md`).
    calls: u64,
    results: u64,
    chars: u64,
    tokens_est: u64,
    /// Sum of the rewards of the steps; None without any.
    reward: Option<f64>,
    /// Tokens and cost as the log gives them; None: it does not.
    #[serde(rename = "spent")]
    usage: Option<RunUsage>,
    /// The same with the files of its sub-agents; None: there are none.
    with_parts: Option<UsageWithParts>,
    unreadable: u64,
    errors: u64,
    warnings: u64,
    /// Steps that the run reports as failed, a result that is an error (W4) or an error of its own; those with a result
    /// that is suspect.
    failed: u64,
    suspect: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_one(count: &u64) -> bool {
    *count == 1
}

impl RunStats {
    fn of(
        (record, run): (usize, &dyn Run),
        bytes: &dyn Bytes,
        found: &[Arc<Finding>],
        with_parts: Option<UsageWithParts>,
    ) -> Self {
        let mut stats = Self {
            r#type: "trajectory",
            record,
            id: run.title(),
            trajectories: run.trajectory_count().max(1) as u64,
            steps: run.step_count() as u64,
            kinds: Counts::new(),
            classes: Counts::new(),
            roles: Counts::new(),
            tools: Counts::new(),
            tool_ms: Counts::new(),
            calls: 0,
            results: 0,
            chars: 0,
            tokens_est: 0,
            reward: None,
            usage: run_usage(run),
            with_parts,
            unreadable: 0,
            errors: 0,
            warnings: 0,
            failed: run.error_steps().len() as u64,
            suspect: run.suspect_steps().len() as u64,
        };
        let mut clock = CallClock::default();
        for number in 0..run.step_count() {
            let number = StepNo::try_from(number).unwrap_or(StepNo::MAX);
            let step = run.step(number, bytes);
            clock.add(run, &step);
            count(&mut stats.kinds, &step.kind);
            count(&mut stats.roles, step.role.name());
            step.class.iter().for_each(|class| count(&mut stats.classes, class));
            match StepCalls::of(run, &step, bytes) {
                Some(StepCalls { tools, results }) => {
                    stats.calls += tools.len() as u64;
                    stats.results += results;
                    tools.iter().for_each(|tool| count(&mut stats.tools, tool));
                }
                // What wrote a value, though nobody sees it called.
                None if step.sign != StepKind::Result => {
                    step.tool.iter().for_each(|tool| count(&mut stats.tools, tool));
                }
                None => {}
            }
            stats.chars += step.chars as u64;
            if let Some(reward) = step.reward.as_ref().and_then(|reward| reward.parse::<f64>().ok()) {
                stats.reward = Some(stats.reward.unwrap_or_default() + reward).filter(|sum| sum.is_finite());
            }
            stats.unreadable += u64::from(step.sign == StepKind::Broken);
        }
        // A result without its call may name no tool.
        let named = clock.times.spreads().filter(|(tool, _)| !tool.is_empty());
        stats.tool_ms = named.map(|(tool, of)| (tool.to_owned(), of.total / MICROS_IN_MS)).collect();
        stats.tokens_est = estimated_tokens(stats.chars);
        // In logs of agents such a record is no step, and in others a step that is broken.
        let of_logs = found.iter().filter(|finding| finding.rule == INVALID_JSON).count() as u64;
        stats.unreadable = stats.unreadable.max(of_logs);
        for finding in found {
            stats.errors += u64::from(finding.severity == Severity::Error);
            stats.warnings += u64::from(finding.severity == Severity::Warning);
        }
        stats
    }

    /// Whether anything could be read of it.
    fn is_read(&self) -> bool {
        self.steps > 0 || self.unreadable == 0
    }
}

/// Rewards of trajectories.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RewardSum {
    /// How many have one.
    trajectories: u64,
    sum: f64,
}

/// The same of all runs of a file. It is its line of `stats --json`, and is read from one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RunsStats {
    trajectories: u64,
    /// Records that are runs, also those that cannot be read: the records of the next part are numbered behind them.
    #[serde(default)]
    runs: u64,
    steps: u64,
    kinds: Counts,
    classes: Counts,
    roles: Counts,
    tools: Counts,
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    tool_ms: Counts,
    #[serde(default)]
    calls: u64,
    #[serde(default)]
    results: u64,
    chars: u64,
    #[serde(skip_deserializing)]
    tokens_est: u64,
    #[serde(default)]
    reward: RewardSum,
    #[serde(default, rename = "spent")]
    usage: Option<RunUsage>,
    #[serde(default)]
    with_parts: Option<UsageWithParts>,
    unreadable: u64,
    with_errors: u64,
    with_warnings: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    suspect: u64,
}

/// Statistics of runs as a line of that type.
#[derive(Serialize)]
struct TypedStats<'s> {
    r#type: &'s str,
    #[serde(flatten)]
    stats: &'s RunsStats,
}

impl RunsStats {
    /// As a line of that type: `dataset`, or `summary`.
    ///
    /// # Errors
    /// It has no JSON.
    pub fn line(&self, r#type: &str) -> Result<Box<RawValue>, Problem> {
        line_of(&TypedStats { r#type, stats: self })
    }

    /// Counts the run of a record, in which this was found, and gives its line; None: the record cannot be read and is
    /// no trajectory. `with_parts` is what it spent with its sub-agents.
    ///
    /// # Errors
    /// It has no JSON.
    pub fn add_run(
        &mut self,
        run: (usize, &dyn Run),
        bytes: &dyn Bytes,
        found: &[Arc<Finding>],
        with_parts: Option<UsageWithParts>,
    ) -> Result<Option<Box<RawValue>>, Problem> {
        let stats = RunStats::of(run, bytes, found, with_parts);
        self.add(&stats);
        stats.is_read().then(|| line_of(&stats)).transpose()
    }

    fn add(&mut self, one: &RunStats) {
        self.runs += 1;
        self.trajectories += if one.is_read() { one.trajectories } else { 0 };
        self.steps += one.steps;
        self.calls += one.calls;
        self.results += one.results;
        self.chars += one.chars;
        self.tokens_est = estimated_tokens(self.chars);
        if let Some(reward) = one.reward {
            self.reward.trajectories += 1;
            self.reward.sum += reward;
        }
        add_usage(&mut self.usage, one.usage.as_ref());
        self.add_parts(one.with_parts.as_ref());
        self.unreadable += one.unreadable;
        self.with_errors += u64::from(one.errors > 0);
        self.with_warnings += u64::from(one.warnings > 0);
        self.failed += one.failed;
        self.suspect += one.suspect;
        add_counts(&mut self.kinds, &one.kinds);
        add_counts(&mut self.classes, &one.classes);
        add_counts(&mut self.roles, &one.roles);
        add_counts(&mut self.tools, &one.tools);
        add_counts(&mut self.tool_ms, &one.tool_ms);
    }

    /// Adds those of another part, whose numbers may be anything: sums end at the greatest number.
    pub fn merge(&mut self, other: &Self) {
        self.trajectories = self.trajectories.saturating_add(other.trajectories);
        self.runs = self.runs.saturating_add(other.runs);
        self.steps = self.steps.saturating_add(other.steps);
        self.calls = self.calls.saturating_add(other.calls);
        self.results = self.results.saturating_add(other.results);
        self.chars = self.chars.saturating_add(other.chars);
        self.tokens_est = estimated_tokens(self.chars);
        self.reward.trajectories = self.reward.trajectories.saturating_add(other.reward.trajectories);
        self.reward.sum += other.reward.sum;
        add_usage(&mut self.usage, other.usage.as_ref());
        self.add_parts(other.with_parts.as_ref());
        self.unreadable = self.unreadable.saturating_add(other.unreadable);
        self.with_errors = self.with_errors.saturating_add(other.with_errors);
        self.with_warnings = self.with_warnings.saturating_add(other.with_warnings);
        self.failed = self.failed.saturating_add(other.failed);
        self.suspect = self.suspect.saturating_add(other.suspect);
        add_counts(&mut self.kinds, &other.kinds);
        add_counts(&mut self.classes, &other.classes);
        add_counts(&mut self.roles, &other.roles);
        add_counts(&mut self.tools, &other.tools);
        add_counts(&mut self.tool_ms, &other.tool_ms);
    }

    fn add_parts(&mut self, more: Option<&UsageWithParts>) {
        if let Some(more) = more {
            let sum = self.with_parts.get_or_insert_with(UsageWithParts::default);
            sum.sub_agents = sum.sub_agents.saturating_add(more.sub_agents);
            sum.missing = sum.missing.saturating_add(more.missing);
            add_usage(&mut sum.usage, more.usage.as_ref());
        }
    }

    /// How many records are runs, also those that cannot be read.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// How many trajectories there are.
    #[must_use]
    pub fn trajectories(&self) -> u64 {
        self.trajectories
    }
}

/// Statistics as a line of JSON.
pub(super) fn line_of(stats: &impl Serialize) -> Result<Box<RawValue>, Problem> {
    to_raw_value(stats).map_err(|e| Problem::unreadable(format!("statistics have no JSON: {e}")))
}

fn add_counts(all: &mut Counts, some: &Counts) {
    some.iter().for_each(|(name, n)| {
        let sum = all.entry(name.clone()).or_default();
        *sum = sum.saturating_add(*n);
    });
}
