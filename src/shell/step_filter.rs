//! Which steps of the open run pass a filter, reported piece by piece; the run is held for one step at a time, so that
//! the writer that fills it goes on.

use super::jobs::Source;
use crate::app::{Job, Msg};
use crate::model::StepNo;
use crate::review::{StepEntry, StepNotes};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Steps, and the time, after which what was found is reported.
const PIECE_STEPS: usize = 4_096;
const PIECE_TIME: Duration = Duration::from_millis(30);

/// Looks at steps in order, until that is not wanted any more.
pub(super) fn filter_steps(source: &Source, job: Job, is_wanted: &dyn Fn() -> bool, send: &mut dyn FnMut(Msg)) {
    let Job::FilterSteps { number, filter, from, to, checks, marks } = job else { return };
    let Some(run) = &source.run else { return };
    let read = || run.read().unwrap_or_else(PoisonError::into_inner);
    let findings =
        if filter.has_findings() { [read().findings(), checks.findings().to_vec()].concat() } else { Vec::new() };
    let notes = StepNotes::new(findings.iter().map(Arc::as_ref), marks);
    let (mut passing, mut reported, mut since) = (Vec::new(), from, Instant::now());
    for at in from..to {
        if !is_wanted() {
            return;
        }
        let step = StepNo::try_from(at).unwrap_or(StepNo::MAX);
        let run = read();
        if filter.holds(&StepEntry::new(run.as_ref(), source.bytes.as_ref(), &notes, step)) {
            passing.push(step);
        }
        drop(run);
        if at + 1 - reported >= PIECE_STEPS || since.elapsed() >= PIECE_TIME {
            send(Msg::StepsFiltered(number, at + 1, std::mem::take(&mut passing)));
            (reported, since) = (at + 1, Instant::now());
        }
    }
    send(Msg::StepsFiltered(number, to, passing));
}
