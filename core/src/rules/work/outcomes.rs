//! W4: the outcomes of all steps with results, in 12 bytes each.

use super::Work;
use super::outcome::{Outcome, OutcomeLevel};
use crate::model::{Chunks, StepNo};
use std::collections::BTreeMap;

/// Outcomes by step.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    /// By step, ascending.
    list: Chunks<Packed>,
    /// Those that do not fit: of an exit status beyond 32 bits, or of a step before the last one.
    other: BTreeMap<StepNo, Outcome>,
    /// The reasons that there are, by number.
    reasons: Vec<&'static str>,
    /// Milliseconds that calls took whose results say it, by step.
    took_ms: BTreeMap<StepNo, u64>,
}

impl Work {
    /// Milliseconds that the calls took whose results a step brings, as these report it; of several the longest.
    #[must_use]
    pub fn took_ms(&self, step: StepNo) -> Option<u64> {
        self.outcomes.took_ms.get(&step).copied()
    }
}

#[derive(Debug, Clone, Copy)]
struct Packed {
    step: StepNo,
    exit: i32,
    /// Number of the reason, from 1; 0: no reason.
    reason: u8,
    verdict: OutcomeLevel,
    has_exit: bool,
}

impl Outcomes {
    /// The outcome of a step.
    pub(super) fn get(&self, step: StepNo) -> Option<Outcome> {
        if let Some(other) = self.other.get(&step) {
            return Some(*other);
        }
        let packed = self.list.get(self.list.partition_point(|packed| packed.step < step))?;
        let Packed { exit, reason, verdict, has_exit, .. } = *packed;
        let reason = usize::from(reason).checked_sub(1).and_then(|number| self.reasons.get(number).copied());
        let outcome = Outcome { verdict, reason, exit: has_exit.then_some(i64::from(exit)) };
        (packed.step == step).then_some(outcome)
    }

    /// A result of a step says how long its call took.
    pub(super) fn set_took(&mut self, step: StepNo, ms: Option<u64>) {
        if let Some(ms) = ms {
            let longest = self.took_ms.entry(step).or_default();
            *longest = ms.max(*longest);
        }
    }

    /// Sets the outcome of a step.
    pub(super) fn set(&mut self, step: StepNo, outcome: Outcome) {
        let packed = self.packed(step, outcome);
        match (packed, self.list.last_mut()) {
            (Some(packed), Some(last)) if last.step == step => *last = packed,
            (Some(packed), last) if last.as_ref().is_none_or(|last| last.step < step) => self.list.push(packed),
            _ => {
                self.other.insert(step, outcome);
                return;
            }
        }
        self.other.remove(&step);
    }

    fn packed(&mut self, step: StepNo, outcome: Outcome) -> Option<Packed> {
        let Outcome { verdict, reason, exit } = outcome;
        let mut number = |reason: &'static str| match self.reasons.iter().position(|known| *known == reason) {
            Some(number) => number,
            None => {
                self.reasons.push(reason);
                self.reasons.len() - 1
            }
        };
        let reason = u8::try_from(reason.map_or(0, |reason| number(reason) + 1)).ok()?;
        let exit_or = i32::try_from(exit.unwrap_or_default()).ok()?;
        Some(Packed { step, exit: exit_or, reason, verdict, has_exit: exit.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_come_out_as_they_went_in() {
        assert_eq!(size_of::<Packed>(), 12);
        let of = |verdict, reason, exit| Outcome { verdict, reason, exit };
        let all = [
            (0, of(OutcomeLevel::Ok, None, None)),
            (3, of(OutcomeLevel::Error, Some("exit"), Some(-1))),
            (3, of(OutcomeLevel::Error, Some("flag"), Some(0))),
            (9, of(OutcomeLevel::Suspect, Some("exit"), Some(1 << 40))),
            (10, of(OutcomeLevel::Ok, Some("no-match"), Some(1))),
            (4, of(OutcomeLevel::Ok, None, Some(0))),
        ];
        let mut outcomes = Outcomes::default();
        for (step, outcome) in all {
            outcomes.set(step, outcome);
            assert_eq!(outcomes.get(step), Some(outcome));
        }
        let steps: Vec<StepNo> = (-1..12).filter(|step| outcomes.get(*step).is_some()).collect();
        assert_eq!(steps, [0, 3, 4, 9, 10]);
        assert_eq!(outcomes.get(3), Some(all[2].1));
    }
}
