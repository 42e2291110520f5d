//! W13: a trajectory fed to the rules for tool-using runs.

use crate::json::Value;
use crate::model::{Finding, StepNo, Surroundings, TurnPart, Usage};
use crate::rules::trajectory::{Ask, Body, Hint, Reading, TrajectoryStep, atif, hints, turn, usage};
use crate::rules::work::{Answered, Dialect, NoSink, SlotSink, ToolOutcomes, Work};
use smallvec::{SmallVec, smallvec};

/// Feeds the steps of a trajectory in order.
pub(super) struct Feed<'r, 'a> {
    root: &'r Value<'a>,
    hints: Vec<Hint>,
    /// First steps of further trajectories.
    starts: Vec<usize>,
    /// Tokens by the steps that report them, in order.
    usage: Vec<(usize, Usage)>,
    pub(super) work: Work,
}

impl<'r, 'a> Feed<'r, 'a> {
    pub(super) fn new(reading: &Reading<'a>) -> Self
    where
        'a: 'r,
    {
        let (root, starts) = (reading.root, reading.further_tracks().map(|track| track.steps.start).collect());
        let usage = usage(reading);
        Self { root, hints: hints(reading), starts, usage, work: Work::new(Dialect::Common) }
    }

    /// Whether a trajectory begins at a step that knows nothing of the one before.
    pub(super) fn is_start(&self, step: usize) -> bool {
        self.starts.binary_search(&step).is_ok()
    }

    /// W2: the next step.
    pub(super) fn step(&mut self, step: usize, entry: &TrajectoryStep<'_>, sink: &mut dyn SlotSink) {
        let at = StepNo::try_from(step).unwrap_or(StepNo::MAX);
        if self.is_start(step) {
            self.work.begin_trajectory(at, sink);
        }
        let (model, is_compaction) = (self.model(entry).map(Into::into), compaction(entry).is_some());
        self.work.surroundings(at, &Surroundings { model, is_compaction, ..Surroundings::default() }, sink);
        let hint = self.hints.get(step).copied().unwrap_or_default();
        let turn = turn(entry, hint);
        let results = turn.parts.iter().filter_map(|part| match part {
            TurnPart::Result(result) => Some(result.id.is_some()),
            _ => None,
        });
        let answered = answered(entry, step, hint, results);
        self.work.turn(at, &turn, &answered, sink);
        let reported = self.usage.binary_search_by_key(&step, |(step, _)| *step).ok().map(|place| self.usage[place].1);
        if let Some(usage) = atif::usage(entry).or(reported) {
            self.work.usage(at, None, &usage, sink);
        }
    }

    /// D18: the model of an agent's turn, its own or the trajectory's.
    fn model(&self, entry: &TrajectoryStep<'_>) -> Option<String> {
        let is_agents = matches!(entry.body, Body::Turn) && entry.role == crate::model::StepRole::Agent;
        let model_name = entry.value.get("model_name").and_then(Value::as_str);
        let model = model_name.or_else(|| self.root.get("agent")?.get("model_name")?.as_str());
        model.filter(|_| is_agents).map(str::to_owned)
    }
}

/// D10, D17: the calls that the results of a step answer. A result of a turn that names no call has no link of its own.
fn answered(
    entry: &TrajectoryStep<'_>,
    step: usize,
    hint: Hint,
    results: impl Iterator<Item = bool>,
) -> SmallVec<[Answered; 1]> {
    let to_call = |link: Option<(usize, usize)>| match link {
        Some((step, place)) => Answered::Call(StepNo::try_from(step).unwrap_or(StepNo::MAX), place),
        None => Answered::Nothing,
    };
    if !matches!(entry.body, Body::Turn) {
        let is_fenced = hint == Hint::Answer && !entry.has_answered();
        if is_fenced {
            return smallvec![to_call(step.checked_sub(1).map(|step| (step, 0)))];
        }
        // Results that are together in a message have a link each.
        let links = entry.links.iter().take(entry.results.max(1)).copied();
        return if entry.links.is_empty() { smallvec![Answered::Nothing] } else { links.map(to_call).collect() };
    }
    let mut links = entry.asks.iter().zip(&entry.links).filter(|(ask, _)| matches!(ask, Ask::Id(_)));
    results
        .map(|has_id| if has_id { to_call(links.next().and_then(|(_, link)| *link)) } else { Answered::ById })
        .collect()
}

/// `FORMATS.md` 5: what a step that compacts the context says of it.
fn compaction<'v>(entry: &TrajectoryStep<'v>) -> Option<&'v Value<'v>> {
    let management = entry.value.get("extra")?.get("context_management")?;
    Some(management).filter(|management| management.get("type").and_then(Value::as_str) == Some("compaction"))
}

/// Whether a step takes the place of all before it in what the model sees.
#[must_use]
pub fn replaces_context(entry: &TrajectoryStep<'_>) -> bool {
    let boundary = compaction(entry).map(|management| management.get("boundary").and_then(Value::as_str));
    boundary.is_some_and(|boundary| boundary.is_none_or(|boundary| boundary == "replace"))
}

/// What the run of a trajectory did, as far as checks and tables report it.
pub(super) struct RunOutcome {
    /// W11: its findings.
    pub(super) findings: Vec<Finding>,
    /// W4: steps with a result that is an error.
    pub(super) failed: u64,
    /// W4: steps with a result that is suspect.
    pub(super) suspect: u64,
    /// W4: how the calls of each tool came out.
    pub(super) outcomes: Vec<(String, ToolOutcomes)>,
}

/// W4, W11: goes through the run of a trajectory.
pub(super) fn run_outcome(reading: &Reading<'_>, record: usize) -> RunOutcome {
    let mut feed = Feed::new(reading);
    for (step, entry) in reading.entries.iter().enumerate() {
        feed.step(step, entry, &mut NoSink);
    }
    let Feed { work, .. } = feed;
    RunOutcome {
        findings: work.findings(record),
        failed: work.error_steps().len() as u64,
        suspect: work.suspect_steps().len() as u64,
        outcomes: work.tools().map(|(tool, of)| (tool.to_owned(), *of)).collect(),
    }
}

#[cfg(test)]
mod tests;
