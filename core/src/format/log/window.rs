//! What leaves the model's window by compactions, edits and roll-backs, and what the log puts in its place.

use crate::format::Exclusion;
use crate::model::StepNo;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Steps that the model sees no more.
pub(super) enum Dropped {
    /// All before this one.
    Before(StepNo),
    /// These.
    These(Box<[StepNo]>),
    /// These, in whose place a summary is.
    Span(Range<StepNo>),
    /// No span any more that was dropped before.
    NoSpans,
}

/// The changes of a run's window.
#[derive(Default)]
pub(super) struct Window {
    /// What left, each with the step from which on it is gone.
    dropped: Vec<(StepNo, Dropped)>,
    /// Characters that steps have in the window although they are no messages.
    summaries: HashMap<StepNo, u64>,
    /// Steps that are no messages and say something to the model all the same.
    prompts: HashSet<StepNo>,
    /// Steps that the model sees whatever is compacted, each until a step at which it is like others; None: to the end.
    fixed: HashMap<StepNo, Option<StepNo>>,
    /// Messages and calls that are not for the model.
    asides: HashMap<StepNo, Exclusion>,
    /// Steps that an edit of the context took out.
    removed: HashSet<StepNo>,
    /// Steps of an answer behind results of its first calls.
    continued: HashSet<StepNo>,
}

impl Window {
    /// From a step on the model sees these no more.
    pub(super) fn drop(&mut self, at: StepNo, dropped: Dropped) {
        self.dropped.push((at, dropped));
    }

    /// A step puts words into the window: a summary, what stands for an edited message.
    pub(super) fn summarize(&mut self, at: StepNo, chars: u64) {
        if chars > 0 {
            self.summaries.insert(at, chars);
        }
    }

    /// A step says something to the model, although it is no message.
    pub(super) fn prompt(&mut self, at: StepNo) {
        self.prompts.insert(at);
    }

    /// The model sees a step whatever is compacted.
    pub(super) fn fix(&mut self, at: StepNo) {
        self.fixed.insert(at, None);
    }

    /// From a step on one that was fixed is like others.
    pub(super) fn release(&mut self, step: StepNo, from: StepNo) {
        self.fixed.entry(step).and_modify(|until| *until = Some(from));
    }

    /// Whether the model sees a step, at another one, whatever is compacted.
    pub(super) fn is_fixed(&self, step: StepNo, at: StepNo) -> bool {
        self.fixed.get(&step).is_some_and(|until| until.is_none_or(|until| at < until))
    }

    /// A message or call is not for the model.
    pub(super) fn aside(&mut self, at: StepNo, why: Exclusion) {
        self.asides.insert(at, why);
    }

    /// Whether a message or call is not for the model.
    pub(super) fn is_aside(&self, step: StepNo) -> bool {
        self.asides.contains_key(&step)
    }

    /// An edit of the context takes steps out: no conversation of the run has them.
    pub(super) fn remove(&mut self, steps: &[StepNo]) {
        self.removed.extend(steps);
    }

    /// A step belongs to the last answer before it, although results are between.
    pub(super) fn go_on(&mut self, step: StepNo) {
        self.continued.insert(step);
    }

    /// Whether a step belongs to the last answer before it, although results are between.
    pub(super) fn goes_on(&self, step: StepNo) -> bool {
        self.continued.contains(&step)
    }

    /// Why a conversation of the run leaves a step out.
    pub(super) fn exclusion(&self, step: StepNo) -> Option<Exclusion> {
        self.asides.get(&step).copied().or_else(|| self.removed.contains(&step).then_some(Exclusion::Removed))
    }

    /// Whether a step that is no message has words in the window.
    pub(super) fn has_words(&self, step: StepNo) -> bool {
        self.summaries.contains_key(&step) || self.prompts.contains(&step)
    }

    /// Whether a step that is no message says something to the model.
    pub(super) fn is_prompt(&self, step: StepNo) -> bool {
        self.prompts.contains(&step)
    }

    /// The characters that a step has in the window although it is no message.
    pub(super) fn summary_chars(&self, step: StepNo) -> Option<u64> {
        self.summaries.get(&step).copied()
    }

    /// The steps of a window as the model sees them: what replaces others is in their place, before what is left.
    pub(super) fn ordered(&self, mut seen: Vec<StepNo>) -> Vec<StepNo> {
        let place = |step: StepNo| {
            let of_drop = |(_, dropped): &(StepNo, Dropped)| match dropped {
                Dropped::Before(first) => Some(*first),
                Dropped::These(steps) => steps.iter().min().copied(),
                Dropped::Span(steps) => Some(steps.start),
                Dropped::NoSpans => None,
            };
            let is_summary = self.summaries.contains_key(&step);
            // What left is in the order of the steps.
            let begin = self.dropped.partition_point(|(from, _)| *from < step);
            let of_step = self.dropped[begin..].iter().take_while(|(from, _)| *from == step);
            let first = is_summary.then(|| of_step.filter_map(of_drop).min()).flatten();
            first.map_or((step, 1), |first| (first.min(step), 0))
        };
        seen.sort_by_cached_key(|step| place(*step));
        seen
    }

    /// What the model sees at a step: the first step, and those after it that are gone. Changes on branches that do
    /// not lead to the step count for nothing.
    pub(super) fn at(&self, step: StepNo, leads_here: impl Fn(StepNo) -> bool) -> (StepNo, HashSet<StepNo>) {
        let (mut first, mut gone, mut has_spans) = (0, HashSet::new(), true);
        let end = self.dropped.partition_point(|(from, _)| *from <= step);
        for (from, dropped) in self.dropped[..end].iter().rev() {
            match dropped {
                _ if !leads_here(*from) => {}
                Dropped::Before(step) => first = first.max(*step),
                Dropped::These(steps) => gone.extend(steps.iter().copied()),
                Dropped::Span(steps) if has_spans => gone.extend(steps.clone()),
                Dropped::Span(_) => {}
                Dropped::NoSpans => has_spans = false,
            }
        }
        (first, gone)
    }
}
