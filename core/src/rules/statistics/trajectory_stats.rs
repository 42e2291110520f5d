//! D22: statistics of a trajectory.

use super::repeat::RepeatDigests;
use super::run_usage::{RunUsage, add_usage};
use crate::json::Value;
use crate::model::{LocatedFinding, Severity, StepRole, estimated_tokens};
use crate::rules::trajectory::{
    Body, Class, Reading, RecordShape, TrajectoryStep, Way, atif, detailed_reward, is_finishing, number::add_reward,
};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Name to count; a count of 0 is never there.
pub type Counts = BTreeMap<String, u64>;

/// D22: one trajectory. Serialized, it is its line of `stats --json` after the header.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TrajectoryStats {
    #[serde(rename = "type")]
    pub(in crate::rules) line: &'static str,
    /// Record number, from 0.
    pub record: usize,
    /// The record's own id as written, in formats that are not the protocol's also what it has in its place; None is
    /// null.
    pub id: Option<Box<RawValue>>,
    /// D2.
    pub shape: &'static str,
    /// The version as written, if it is a string.
    pub version: Option<String>,
    /// Number of steps.
    pub steps: u64,
    /// Steps by class.
    pub classes: Counts,
    /// Steps by role.
    pub roles: Counts,
    /// Calls by tool.
    pub tools: Counts,
    /// Times the agent began to speak.
    pub turns: u64,
    /// Unicode scalars of all steps.
    pub chars: u64,
    /// An estimate: a quarter of `chars`, rounded up.
    pub tokens_est: u64,
    /// Sum of the steps' rewards, else the reward of the whole; None without any.
    pub reward: Option<f64>,
    /// The reward that its notes alone say, which `reward` does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noted_reward: Option<f64>,
    /// Steps with a reward.
    pub rewarded_steps: u64,
    /// Calls.
    pub calls: u64,
    /// What came back of calls: observations and messages of the environment or that answer a call, and the results
    /// of ATIF steps.
    pub results: u64,
    /// Calls that come with a thought.
    pub calls_with_thought: u64,
    /// How it ends.
    pub finish: &'static str,
    /// ATIF: tokens and cost of the turns; None: they report none.
    #[serde(rename = "spent", skip_serializing_if = "Option::is_none")]
    pub usage: Option<RunUsage>,
    /// Findings on the record that are errors.
    pub errors: u64,
    /// Findings on the record that are warnings.
    pub warnings: u64,
    /// W4: steps with a result that is an error.
    pub failed: u64,
    /// W4: steps with a result that is suspect.
    pub suspect: u64,
    /// W11: findings on what its run did and on the files that belong to it, by rule.
    pub work: Counts,
    /// All its findings.
    pub found: FoundCounts,
    /// D15: what of it may repeat.
    pub digests: RepeatDigests,
}

/// Findings of any rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FoundCounts {
    /// Those that are errors.
    pub errors: u64,
    /// Those that are warnings.
    pub warnings: u64,
}

/// Families of rules that look at what the run of a trajectory did, which D22 and D23 do not count.
const RUN_FAMILIES: [&str; 2] = ["work.", "run."];

/// Whether a finding is on the run of a trajectory rather than on its record.
pub(super) fn is_of_run(found: &LocatedFinding) -> bool {
    RUN_FAMILIES.iter().any(|family| found.finding.rule.starts_with(family))
}

/// How many findings are that severe.
fn count_of<'f>(found: impl Iterator<Item = &'f LocatedFinding>, severity: Severity) -> u64 {
    found.filter(|found| found.finding.severity == severity).count() as u64
}

impl TrajectoryStats {
    /// D22: counts one record; findings are counted by [`with_findings`](Self::with_findings).
    #[must_use]
    pub fn of(reading: &Reading<'_>, record: usize) -> Self {
        let entries = &reading.entries;
        let chars = entries.iter().map(|e| e.chars() as u64).sum();
        let rewards = step_rewards(reading);
        let thoughtful = entries.iter().filter(|e| e.has_thought);
        let calls = entries.iter().flat_map(|e| &e.calls);
        let id = if reading.way == Way::Protocol { reading.id().map(|(_, id)| id) } else { reading.name() };
        let reward = reward_sum(&rewards).or_else(|| reading.outcome());
        Self {
            line: "trajectory",
            record,
            id: id.and_then(|id| RawValue::from_string(id.text.to_owned()).ok()),
            shape: reading.shape.name(),
            version: reading.root.get("schema_version").and_then(Value::as_str).map(str::to_owned),
            steps: entries.len() as u64,
            classes: count(entries.iter().map(class)),
            roles: count(entries.iter().map(|e| e.role.name())),
            turns: turns(entries),
            chars,
            tokens_est: estimated_tokens(chars),
            reward,
            noted_reward: if reward.is_none() { detailed_reward(reading.root) } else { None },
            rewarded_steps: rewards.len() as u64,
            calls: calls.clone().count() as u64,
            results: entries.iter().map(results).sum(),
            calls_with_thought: thoughtful.map(|e| e.calls.len() as u64).sum(),
            tools: count(calls.map(|c| c.tool.as_ref())),
            finish: finish(reading),
            usage: usage(entries),
            ..Self::default()
        }
    }

    /// D15: takes the digests of what may repeat.
    #[must_use]
    pub fn with_digests(self, digests: RepeatDigests) -> Self {
        Self { digests, ..self }
    }

    /// D22, W11: counts all findings of the record.
    #[must_use]
    pub fn with_findings(self, found: &[LocatedFinding]) -> Self {
        let of_record = || found.iter().filter(|found| !is_of_run(found));
        Self {
            errors: count_of(of_record(), Severity::Error),
            warnings: count_of(of_record(), Severity::Warning),
            work: count(found.iter().filter(|found| is_of_run(found)).map(|found| found.finding.rule)),
            found: FoundCounts {
                errors: count_of(found.iter(), Severity::Error),
                warnings: count_of(found.iter(), Severity::Warning),
            },
            ..self
        }
    }
}

fn step_rewards(reading: &Reading<'_>) -> Vec<f64> {
    reading.entries.iter().filter_map(|entry| entry.reward.as_ref().map(|reward| reward.value)).collect()
}

/// The reward of a record for whoever looks at a dataset: D20, D22, else what its notes say of how it went.
#[must_use]
pub fn reward(reading: &Reading<'_>) -> Option<f64> {
    reward_sum(&step_rewards(reading)).or_else(|| reading.outcome()).or_else(|| detailed_reward(reading.root))
}

/// D20, D22: the sum of rewards, added in order; None without any.
pub(in crate::rules) fn reward_sum(rewards: &[f64]) -> Option<f64> {
    let sum = rewards.iter().fold(0.0, |sum, reward| add_reward(sum, *reward));
    (!rewards.is_empty()).then_some(sum)
}

/// How often each name occurs.
pub(in crate::rules) fn count<'s>(names: impl Iterator<Item = &'s str>) -> Counts {
    let mut counts = Counts::new();
    for name in names {
        add(&mut counts, name, 1);
    }
    counts
}

/// Counts a name `n` times more.
pub(in crate::rules) fn add(counts: &mut Counts, name: &str, n: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += n,
        None => {
            counts.insert(name.to_owned(), n);
        }
    }
}

/// W10: the tokens and the cost of all turns.
fn usage(entries: &[TrajectoryStep<'_>]) -> Option<RunUsage> {
    let mut sum = None;
    let of_turns = entries.iter().filter_map(atif::usage).filter_map(|usage| RunUsage::of(&usage));
    of_turns.for_each(|usage| add_usage(&mut sum, Some(&usage)));
    sum
}

/// D19: an item of unknown class counts as `unknown`.
fn class<'a>(entry: &TrajectoryStep<'a>) -> &'a str {
    match &entry.body {
        Body::Item(item) => item.class.map_or("unknown", Class::name),
        Body::Message(_) | Body::Turn | Body::Record => entry.class().unwrap_or("unknown"),
    }
}

/// `CLI.md`: the results that are in a step.
fn results(entry: &TrajectoryStep<'_>) -> u64 {
    let is_result = || entry.role == StepRole::Environment || entry.has_answered();
    match &entry.body {
        Body::Turn => atif::results(entry.value).count() as u64,
        Body::Message(_) if entry.results > 0 => entry.results as u64,
        Body::Item(_) | Body::Message(_) => u64::from(is_result()),
        Body::Record => 0,
    }
}

/// D20: the agent's steps that do not follow one of the agent.
fn turns(entries: &[TrajectoryStep<'_>]) -> u64 {
    let mut before = None;
    let mut turns = 0;
    for entry in entries {
        if entry.role == StepRole::Agent && before != Some(StepRole::Agent) {
            turns += 1;
        }
        before = Some(entry.role);
    }
    turns
}

/// D22: whether a message says that all is done.
pub(in crate::rules) fn is_marked_finished(text: &str) -> bool {
    text.contains("<finish>") && text.contains("</finish>")
}

/// D22: how a trajectory ends.
fn finish(reading: &Reading<'_>) -> &'static str {
    let Some(last) = reading.entries.last() else { return "empty" };
    let by_call = || if last.calls.iter().any(|c| is_finishing(&c.tool)) { "finish" } else { "open-call" };
    match reading.shape {
        RecordShape::Other => "unknown",
        RecordShape::Std => match last.known_item() {
            None => "unknown",
            Some((_, class)) if class.is_tool() => by_call(),
            Some((item, Class::MessageAction)) if item.text("content").is_some_and(is_marked_finished) => "finish",
            Some((_, Class::MessageAction)) => "message",
            Some((_, Class::TextObservation)) if last.role == StepRole::Agent => "message",
            Some(_) => "observation",
        },
        RecordShape::Atif if !last.calls.is_empty() && atif::results(last.value).next().is_some() => "observation",
        RecordShape::Chat | RecordShape::Atif if last.role != StepRole::Agent => "observation",
        RecordShape::Chat | RecordShape::Atif if last.calls.is_empty() => "message",
        RecordShape::Chat | RecordShape::Atif => by_call(),
    }
}
