//! A file surveyed for `stats`: by its format, or by its runs where the format has no survey of its own.

use super::Stop;
use super::out::raw;
use crate::format::{Purpose, Run, StepCalls};
use crate::ingest::{self, Loaded, Spent, WithParts, add_spent};
use crate::model::{Problem, Severity, StepKind, StepNo, estimated_tokens};
use crate::source::Input;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Gives the statistics of each trajectory in turn, then those of the dataset.
pub(super) fn stats(loaded: &Loaded, mut each: impl FnMut(&RawValue) -> Result<(), Stop>) -> Result<(), Stop> {
    let survey = loaded.detected.format.survey(Purpose::Statistics);
    if let Some(mut survey) = survey.filter(|survey| survey.dataset().is_some()) {
        ingest::survey(loaded, survey.as_mut(), |surveyed| surveyed.stats.map_or(Ok(()), |stats| each(&stats)))?;
        return survey.dataset().map_or(Ok(()), |dataset| each(&dataset));
    }
    let mut dataset = DatasetStats::default();
    // A file without records opens as an empty run, and has none.
    for record in 0..loaded.trajectories()?.min(loaded.records()?.len()) {
        let stats = RunStats::of(record, loaded.run(record)?.as_ref(), loaded.input.as_ref())?;
        dataset.add(&stats);
        each(raw(&stats)?.as_ref())?;
    }
    each(raw(&dataset)?.as_ref())
}

type Counts = BTreeMap<String, u64>;

fn count(counts: &mut Counts, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

/// Statistics of a run as its steps give them. Serialized, its line of `stats --json`.
#[derive(Serialize)]
struct RunStats {
    r#type: &'static str,
    record: usize,
    id: Option<String>,
    steps: u64,
    kinds: Counts,
    classes: Counts,
    roles: Counts,
    tools: Counts,
    /// Calls and results, also where a step holds several of them (`CLI.md`).
    calls: u64,
    results: u64,
    chars: u64,
    tokens_est: u64,
    /// Sum of the rewards of the steps; None without any.
    reward: Option<f64>,
    /// Tokens and cost as the log gives them; None: it does not.
    spent: Option<Spent>,
    /// The same with the files of its sub-agents; None: there are none.
    with_parts: Option<WithParts>,
    unreadable: u64,
    errors: u64,
    warnings: u64,
}

impl RunStats {
    fn of(record: usize, run: &dyn Run, bytes: &Input) -> Result<Self, Problem> {
        let mut stats = Self {
            r#type: "trajectory",
            record,
            id: run.title(),
            steps: run.step_count() as u64,
            kinds: Counts::new(),
            classes: Counts::new(),
            roles: Counts::new(),
            tools: Counts::new(),
            calls: 0,
            results: 0,
            chars: 0,
            tokens_est: 0,
            reward: None,
            spent: ingest::spent(run),
            with_parts: ingest::spent_with_parts(run, bytes),
            unreadable: 0,
            errors: 0,
            warnings: 0,
        };
        for number in 0..run.step_count() {
            let number = StepNo::try_from(number).unwrap_or(StepNo::MAX);
            let step = run.step(number, bytes);
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
        stats.tokens_est = estimated_tokens(stats.chars);
        for finding in ingest::findings_of(run, bytes)? {
            stats.errors += u64::from(finding.severity == Severity::Error);
            stats.warnings += u64::from(finding.severity == Severity::Warning);
        }
        Ok(stats)
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
#[derive(Serialize, Deserialize)]
pub(super) struct DatasetStats {
    #[serde(skip_deserializing, default = "dataset")]
    r#type: &'static str,
    trajectories: u64,
    steps: u64,
    kinds: Counts,
    classes: Counts,
    roles: Counts,
    tools: Counts,
    #[serde(default)]
    calls: u64,
    #[serde(default)]
    results: u64,
    chars: u64,
    #[serde(skip_deserializing)]
    tokens_est: u64,
    #[serde(default)]
    reward: RewardSum,
    #[serde(default)]
    spent: Option<Spent>,
    #[serde(default)]
    with_parts: Option<WithParts>,
    unreadable: u64,
    with_errors: u64,
    with_warnings: u64,
}

fn dataset() -> &'static str {
    "dataset"
}

impl Default for DatasetStats {
    fn default() -> Self {
        Self {
            r#type: dataset(),
            trajectories: 0,
            steps: 0,
            kinds: Counts::new(),
            classes: Counts::new(),
            roles: Counts::new(),
            tools: Counts::new(),
            calls: 0,
            results: 0,
            chars: 0,
            tokens_est: 0,
            reward: RewardSum::default(),
            spent: None,
            with_parts: None,
            unreadable: 0,
            with_errors: 0,
            with_warnings: 0,
        }
    }
}

impl DatasetStats {
    fn add(&mut self, one: &RunStats) {
        self.trajectories += 1;
        self.steps += one.steps;
        self.calls += one.calls;
        self.results += one.results;
        self.chars += one.chars;
        self.tokens_est = estimated_tokens(self.chars);
        if let Some(reward) = one.reward {
            self.reward.trajectories += 1;
            self.reward.sum += reward;
        }
        add_spent(&mut self.spent, one.spent.as_ref());
        self.add_parts(one.with_parts.as_ref());
        self.unreadable += one.unreadable;
        self.with_errors += u64::from(one.errors > 0);
        self.with_warnings += u64::from(one.warnings > 0);
        add_counts(&mut self.kinds, &one.kinds);
        add_counts(&mut self.classes, &one.classes);
        add_counts(&mut self.roles, &one.roles);
        add_counts(&mut self.tools, &one.tools);
    }

    /// Adds those of another part.
    pub(super) fn merge(&mut self, other: &Self) {
        self.trajectories += other.trajectories;
        self.steps += other.steps;
        self.calls += other.calls;
        self.results += other.results;
        self.chars += other.chars;
        self.tokens_est = estimated_tokens(self.chars);
        self.reward.trajectories += other.reward.trajectories;
        self.reward.sum += other.reward.sum;
        add_spent(&mut self.spent, other.spent.as_ref());
        self.add_parts(other.with_parts.as_ref());
        self.unreadable += other.unreadable;
        self.with_errors += other.with_errors;
        self.with_warnings += other.with_warnings;
        add_counts(&mut self.kinds, &other.kinds);
        add_counts(&mut self.classes, &other.classes);
        add_counts(&mut self.roles, &other.roles);
        add_counts(&mut self.tools, &other.tools);
    }

    fn add_parts(&mut self, more: Option<&WithParts>) {
        if let Some(more) = more {
            let sum = self.with_parts.get_or_insert_with(WithParts::default);
            sum.sub_agents += more.sub_agents;
            sum.missing += more.missing;
            add_spent(&mut sum.spent, more.spent.as_ref());
        }
    }

    /// How many trajectories there are.
    pub(super) fn trajectories(&self) -> u64 {
        self.trajectories
    }
}

fn add_counts(all: &mut Counts, some: &Counts) {
    some.iter().for_each(|(name, n)| *all.entry(name.clone()).or_default() += n);
}

/// A statistics object as one line of `--json`: the version, the file and the stage that its name says (D2) before its
/// own members.
pub(super) fn line(file: &str, stage: Option<&str>, stats: &RawValue) -> Result<String, Problem> {
    let members = stats.get().strip_prefix('{').unwrap_or_default();
    let stage = stage.map_or_else(String::new, |stage| format!("\"stage\":\"{stage}\","));
    Ok(format!("{{\"obelus\":1,\"file\":{},{stage}{members}", raw(file)?))
}

/// Whether a statistics object is that of the whole file.
pub(super) fn is_of_dataset(stats: &RawValue) -> bool {
    stats.get().starts_with("{\"type\":\"dataset\"")
}
