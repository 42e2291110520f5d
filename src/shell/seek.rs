//! The look for a step through a whole run, on all processors; the run is held for one step at a time, so that the
//! writer that fills it goes on.

use super::jobs::Source;
use super::lanes::IsWanted;
use crate::app::Msg;
use crate::model::StepNo;
use crate::panes::seek::Pass;
use crate::source::in_order;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Steps that are looked at between two looks whether the answer is still wanted.
const PIECE_STEPS: StepNo = 64;
/// Time between two reports how far it is.
const PROGRESS: Duration = Duration::from_millis(100);

/// Looks for the `nth` step of the first pass that has one.
pub(super) fn seek(
    source: &Source,
    (number, passes, nth): (u64, &[Pass], usize),
    is_wanted: &IsWanted<'_>,
    send: &mut dyn FnMut(Msg),
) {
    let (mut count, mut found) = (0, None);
    for pass in passes.iter().filter(|pass| !pass.steps.is_empty()) {
        let (mut done, mut last_report) = (0, Instant::now());
        let pieces = pass.pieces(PIECE_STEPS);
        let look = || |piece: &Pass| if is_wanted() { hits(source, piece) } else { Vec::new() };
        let _ended = in_order(&pieces, look, |hits: Vec<StepNo>| {
            done += 1;
            let taken = &hits[..hits.len().min(nth - count)];
            (count, found) = (count + taken.len(), taken.last().copied().or(found));
            if last_report.elapsed() >= PROGRESS {
                last_report = Instant::now();
                send(Msg::Seeking(number, done * 100 / pieces.len()));
            }
            if count < nth && is_wanted() { Ok(()) } else { Err(()) }
        });
        if count > 0 {
            break;
        }
    }
    if is_wanted() {
        send(Msg::Sought(number, count, found));
    }
}

fn hits(source: &Source, piece: &Pass) -> Vec<StepNo> {
    let Some(run) = &source.run else { return Vec::new() };
    let read = || run.read().unwrap_or_else(PoisonError::into_inner);
    piece.hits(|step| read().step(step, source.bytes.as_ref())).collect()
}
