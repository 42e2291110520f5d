//! W2: calls that wait for their results.

use super::call::Call;
use super::path::last_name;
use crate::model::StepNo;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;

/// Steps that `call/main/open` lists at most: the last ones.
const LISTED_MAX: usize = 64;

/// A call without a result.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    pub(super) step: StepNo,
    /// Its place among the calls of its step.
    pub(super) place: usize,
    pub(super) id: Option<Box<str>>,
    pub(super) call: Call,
    /// Last names of files that it edits and that were nowhere before it.
    pub(super) unnamed: Vec<String>,
}

impl OpenCall {
    /// W11: whether the last name of a file that it edits was nowhere before it.
    pub(super) fn is_first_to_name(&self, path: &str) -> bool {
        self.unnamed.iter().any(|name| name == last_name(path))
    }
}

/// Which call a result answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answered {
    /// The earliest open call of its id; without id the earliest open one without.
    #[default]
    ById,
    /// The call of this step with this place among its calls.
    Call(StepNo, usize),
    /// None.
    Nothing,
}

/// The open calls in order.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    next: u64,
    calls: BTreeMap<u64, OpenCall>,
    by_id: HashMap<Option<Box<str>>, VecDeque<u64>>,
    by_place: BTreeMap<(StepNo, usize), u64>,
    /// How many calls of each step are open.
    by_step: BTreeMap<StepNo, usize>,
    /// Steps of earlier trajectories whose calls got no result.
    unanswered: BTreeSet<StepNo>,
}

impl OpenCalls {
    pub(super) fn add(&mut self, step: StepNo, place: usize, id: Option<&str>, call: Call, unnamed: Vec<String>) {
        let number = self.next;
        self.next += 1;
        let id: Option<Box<str>> = id.map(Into::into);
        self.by_id.entry(id.clone()).or_default().push_back(number);
        self.by_place.insert((step, place), number);
        *self.by_step.entry(step).or_default() += 1;
        self.calls.insert(number, OpenCall { step, place, id, call, unnamed });
    }

    /// Takes the call that a result of this id answers.
    pub(super) fn take(&mut self, id: Option<&str>, answered: Answered) -> Option<OpenCall> {
        let number = match answered {
            Answered::Nothing => return None,
            Answered::Call(step, place) => self.by_place.get(&(step, place)).copied()?,
            Answered::ById => {
                let waiting = self.by_id.get_mut(&id.map(Into::into))?;
                // Calls that were answered by their places are still listed here.
                while waiting.front().is_some_and(|number| !self.calls.contains_key(number)) {
                    waiting.pop_front();
                }
                *waiting.front()?
            }
        };
        let call = self.calls.remove(&number)?;
        self.by_place.remove(&(call.step, call.place));
        if let Entry::Occupied(mut open) = self.by_step.entry(call.step) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
        if let Some(waiting) = self.by_id.get_mut(&call.id) {
            // One that is answered out of order stays listed until it is the first.
            if waiting.front() == Some(&number) {
                waiting.pop_front();
            }
            if waiting.is_empty() {
                self.by_id.remove(&call.id);
            }
        }
        Some(call)
    }

    /// How many open calls a result of this id may answer.
    pub(super) fn count(&self, id: Option<&str>, answered: Answered) -> usize {
        match answered {
            Answered::Nothing => 0,
            Answered::Call(step, place) => self.by_place.range((step, place)..=(step, usize::MAX)).count(),
            Answered::ById => self
                .by_id
                .get(&id.map(Into::into))
                .map_or(0, |waiting| waiting.iter().filter(|number| self.calls.contains_key(number)).count()),
        }
    }

    /// W5: the steps of open calls, as JSON text.
    pub(super) fn steps(&self) -> String {
        let steps: Vec<StepNo> = self.by_step.keys().rev().take(LISTED_MAX).copied().collect();
        let mut out = String::from("[");
        for (i, step) in steps.iter().rev().enumerate() {
            let _ = write!(out, "{}{step}", if i > 0 { "," } else { "" });
        }
        out.push(']');
        out
    }

    /// Another trajectory begins: its results answer none of these calls.
    pub(super) fn abandon(&mut self) {
        let mut unanswered = std::mem::take(&mut self.unanswered);
        unanswered.extend(self.calls.values().map(|call| call.step));
        *self = Self { unanswered, ..Self::default() };
    }

    /// Whether some call waits that this step made.
    pub(super) fn is_waiting(&self, step: StepNo) -> bool {
        let is_left = self.unanswered.contains(&step);
        is_left || self.by_place.range((step, 0)..=(step, usize::MAX)).next().is_some()
    }
}
