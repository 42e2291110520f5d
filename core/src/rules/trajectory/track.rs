//! The trajectories of a record: one as a rule, two of a preference pair, those of the sub-agents of an ATIF file.

use std::borrow::Cow;
use std::ops::Range;

/// A trajectory of a record (`FORMATS.md` 5, 8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// `chosen` or `rejected` of a pair, what a sub-agent's trajectory is called; None: the record has no other.
    pub label: Option<String>,
    /// Its steps, as they are numbered in the record.
    pub steps: Range<usize>,
    /// Whether it is a sub-agent's.
    pub is_sub_agent: bool,
    /// Whether it is an attempt that was left for another one.
    pub is_left: bool,
    /// A step that goes on with what the one before says, so that both are one message (Alpaca).
    pub goes_on: Option<usize>,
    stretches: Vec<Stretch>,
}

/// Steps that are one after the other in one list, or a step that is a value of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    /// The first of them.
    first: usize,
    /// The list, or the value.
    pointer: Cow<'static, str>,
    /// The place of the first in its list; None: it is the value.
    place: Option<usize>,
}

impl Track {
    /// Whether it is an answer of the record: no sub-agent's, and not left for another attempt.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        !self.is_sub_agent && !self.is_left
    }

    /// Whether steps of it are in a member of the record.
    pub(crate) fn is_in(&self, member: &str) -> bool {
        self.stretches.iter().any(|stretch| stretch.pointer.split('/').nth(1) == Some(member))
    }

    /// Whether it is a value of its own and nothing else, such as what a model answered to a request that is elsewhere.
    pub(in crate::rules) fn is_one_value(&self) -> bool {
        matches!(&*self.stretches, [Stretch { pointer, place: None, .. }] if !pointer.is_empty())
    }

    /// Where the steps of it are, as pointers to lists, or to values of their own.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &str> {
        self.stretches.iter().map(|stretch| stretch.pointer.as_ref())
    }

    /// A trajectory that begins at a step.
    pub(in crate::rules) fn begin(first: usize, label: Option<String>) -> Self {
        Self { label, steps: first..first, is_sub_agent: false, is_left: false, goes_on: None, stretches: Vec::new() }
    }

    /// The only trajectory of a record: the `len` steps of one list.
    pub(in crate::rules) fn of_list(pointer: &'static str, len: usize) -> Self {
        let mut track = Self::begin(0, None);
        track.stretch(Cow::Borrowed(pointer), Some(0));
        track.steps.end = len;
        track
    }

    /// What is added from here on is in a list from a place on, or is a value of its own.
    pub(in crate::rules) fn stretch(&mut self, pointer: Cow<'static, str>, place: Option<usize>) {
        self.stretches.push(Stretch { first: self.steps.end, pointer, place });
    }

    /// The path of one of its steps, or of its first list where it has none.
    pub(crate) fn path(&self, step: usize) -> String {
        let after = self.stretches.partition_point(|stretch| stretch.first <= step);
        match self.stretches.get(after.saturating_sub(1)) {
            Some(Stretch { first, pointer, place: Some(place) }) => {
                format!("{pointer}/{}", place + step.saturating_sub(*first))
            }
            Some(stretch) => stretch.pointer.to_string(),
            None => String::new(),
        }
    }

    /// The path of its first list.
    pub(crate) fn list(&self) -> String {
        self.stretches.first().map(|stretch| stretch.pointer.to_string()).unwrap_or_default()
    }
}
