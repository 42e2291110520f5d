//! The conversation so far, as a model sees it.

use super::compact_step::CompactStep;
use super::describe;
use super::run::LogRun;
use super::values::{text_at, with_values};
use crate::format::{Run, ViewEntry};
use crate::json;
use crate::model::{Bytes, StepNo, Turn};

impl LogRun {
    /// What the record of a step says: of a long output that is in another file the notice in its place.
    pub(super) fn recorded_turn(&self, compact: &CompactStep, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        let turn = with_values(compact, bytes, |values| (self.readers.turn)(compact.form, values).into_owned()).ok()?;
        Some(Turn { is_injected: compact.is_injected() || turn.is_injected, role: compact.role, ..turn })
    }

    /// Steps of the window in the order in which the model sees them at a step: what replaces others is in their place,
    /// what a compaction preserved is behind its summary.
    pub(super) fn in_window_order(&self, step: StepNo, seen: Vec<StepNo>) -> Vec<StepNo> {
        let seen = self.steps.window.ordered(seen);
        let at = |step: StepNo| self.steps.get(step)?.record().checked_sub(self.first);
        let Some(moved) = self.steps.threads.moved(at(step)) else { return seen };
        let Some(anchor) = seen.iter().rposition(|number| at(*number) == Some(moved.behind)) else { return seen };
        let (before, after) = seen.split_at(anchor + 1);
        let is_moved = |number: &&StepNo| at(**number).is_some_and(|at| moved.records.contains(&at));
        let (preserved, others): (Vec<StepNo>, Vec<StepNo>) = before.iter().partition(is_moved);
        others.into_iter().chain(preserved).chain(after.iter().copied()).collect()
    }

    /// A step of the conversation so far: who, and what.
    pub(super) fn seen_entry(&self, step: StepNo, compact: &CompactStep, bytes: &dyn Bytes) -> Option<ViewEntry> {
        if let Some(turn) = self.prompt(step, bytes) {
            return Some(describe::entry_of(&turn, step));
        }
        let text = describe::turn_text(&self.recorded_turn(compact, bytes)?);
        let content = text_at(compact.place().span, bytes).ok();
        let content = content.and_then(|text| json::parse_lenient(&text).ok().map(|value| json::compact(&value)));
        let role = compact.role.name().to_owned();
        Some(ViewEntry { text: format!("{role}: {text}"), role: Some(role), content, step, identity: None })
    }
}
