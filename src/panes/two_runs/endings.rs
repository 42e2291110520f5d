//! What a run came to, and the trajectories that it consists of.

use super::{Ending, RunData};
use crate::format::Run;
use crate::json;
use crate::model::{StepNo, lossy};
use crate::review::ending_of;
use crate::rules::work::OutcomeLevel;
use std::ops::Range;

/// Steps at the end of a run that are looked at for its reward.
const REWARD_STEPS_MAX: StepNo = 64;

/// What a run came to: as its record says it, else its last steps.
#[must_use]
pub fn ending(data: &RunData, record: Option<&[u8]>) -> Ending {
    let run = data.run.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let text = record.map(lossy).unwrap_or_default();
    let (reward, finish) = json::parse(&text).map(|record| ending_of(&record)).unwrap_or_default();
    let last = data.steps.end.saturating_sub(REWARD_STEPS_MAX).max(0)..data.steps.end;
    let of_step = || last.rev().find_map(|step| run.step(step, data.bytes.as_ref()).reward);
    Ending { reward: reward.or_else(of_step), finish, failed: failures(run.as_ref(), &data.steps) }
}

/// Results among some steps that report an error, and that may.
#[must_use]
pub fn failures(run: &dyn Run, steps: &Range<StepNo>) -> (usize, usize) {
    let mut out = (0, 0);
    for outcome in steps.clone().filter_map(|step| run.outcome(step)) {
        match outcome.verdict {
            OutcomeLevel::Error => out.0 += 1,
            OutcomeLevel::Suspect => out.1 += 1,
            OutcomeLevel::Ok => {}
        }
    }
    out
}

/// A trajectory of a run: its name, as `chosen`, and its steps.
pub type Trajectory = (Option<String>, Range<StepNo>);

/// The trajectories of a run, one after the other.
#[must_use]
pub fn trajectories(data: &RunData, run: &dyn Run) -> Vec<Trajectory> {
    let mut out: Vec<Trajectory> = Vec::new();
    for step in data.steps.clone() {
        let name = run.step(step, data.bytes.as_ref()).trajectory;
        match out.last_mut() {
            Some((before, range)) if *before == name => range.end = step + 1,
            _ => out.push((name, step..step + 1)),
        }
    }
    out
}
