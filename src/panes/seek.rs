//! The next step of a kind or of a time, however far away it is.

use crate::model::{Step, StepKind, StepNo, StepRole, Timestamp};
use std::ops::Range;
use std::sync::Arc;

/// What a step is looked for as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeekGoal {
    /// It reports an error, or is one of these.
    Error(Arc<[StepNo]>),
    /// It calls a tool.
    Call,
    /// The user says something.
    User,
    /// It happened then or later.
    NotBefore(Timestamp),
    /// It happened then or earlier.
    NotAfter(Timestamp),
}

/// Steps that are looked at one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The steps.
    pub steps: Range<StepNo>,
    /// Whether the first of them comes first.
    pub is_forward: bool,
    /// What is looked for.
    pub goal: SeekGoal,
}

impl SeekGoal {
    /// Whether a step is what is looked for.
    #[must_use]
    pub fn is_met(&self, step: &Step) -> bool {
        let moment = || Timestamp::read(step.time.as_deref()?);
        match self {
            Self::Error(known) => {
                known.binary_search(&step.number).is_ok() || matches!(step.sign, StepKind::Error | StepKind::Broken)
            }
            Self::Call => step.sign == StepKind::Call,
            // What writes state, plans or fails in the user's name is no turn.
            Self::User => step.role == StepRole::User && matches!(step.sign, StepKind::Message | StepKind::Other),
            Self::NotBefore(least) => moment().is_some_and(|moment| moment >= *least),
            Self::NotAfter(most) => moment().is_some_and(|moment| moment <= *most),
        }
    }
}

impl Pass {
    /// The first `count` steps of it, and the others.
    #[must_use]
    pub fn split(&self, count: StepNo) -> (Self, Self) {
        let Range { start, end } = self.steps;
        let count = count.clamp(0, (end - start).max(0));
        let (near, far) = if self.is_forward {
            (start..start + count, start + count..end)
        } else {
            (end - count..end, start..end - count)
        };
        let part = |steps| Self { steps, ..self.clone() };
        (part(near), part(far))
    }

    /// The range in pieces of `count` steps, in the order in which they are searched.
    #[must_use]
    pub fn pieces(&self, count: StepNo) -> Vec<Self> {
        let (mut pieces, mut rest) = (Vec::new(), self.clone());
        while !rest.steps.is_empty() {
            let (near, far) = rest.split(count.max(1));
            pieces.push(near);
            rest = far;
        }
        pieces
    }

    /// Those of its steps that are what is looked for, in the order in which they are looked at.
    pub fn hits<S: std::borrow::Borrow<Step>>(&self, describe: impl Fn(StepNo) -> S) -> impl Iterator<Item = StepNo> {
        let Range { start, end } = self.steps;
        let order = (start..end).map(move |at| if self.is_forward { at } else { end - 1 - (at - start) });
        order.filter(move |step| self.goal.is_met(describe(*step).borrow()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_steps_in_order_both_ways() {
        let call = |number| Step { number, sign: StepKind::Call, ..Step::default() };
        for is_forward in [true, false] {
            let pass = Pass { steps: 3..13, is_forward, goal: SeekGoal::Call };
            let pieces = pass.pieces(4);
            assert_eq!(pieces.len(), 3);
            let all: Vec<StepNo> = pieces.iter().flat_map(|piece| piece.hits(call).collect::<Vec<_>>()).collect();
            let mut expect: Vec<StepNo> = (3..13).collect();
            if !is_forward {
                expect.reverse();
            }
            assert_eq!(all, expect);
        }
        assert!(Pass { steps: 5..5, is_forward: true, goal: SeekGoal::Call }.pieces(4).is_empty());
    }
}
