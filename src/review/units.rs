//! Which contents an input holds, by their keys: what marks are found by.
//!
//! The units of a dataset are its records; those of a file that is one run are the messages of its steps.

use super::event::{ContentKey, Target, Verdict};
use super::marks::{Mark, Marks};
use crate::model::StepNo;
use std::collections::HashMap;

/// The keys of an input's units in order, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct Units {
    keys: Vec<ContentKey>,
    /// Keys of units that were told before their turn.
    ahead: HashMap<usize, ContentKey>,
    is_run: bool,
}

impl Units {
    /// None known yet; `is_run`: the units are the messages of one run.
    #[must_use]
    pub fn new(is_run: bool) -> Self {
        Self { is_run, ..Self::default() }
    }

    /// Number of units known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key of a unit.
    #[must_use]
    pub fn get(&self, unit: usize) -> Option<ContentKey> {
        self.keys.get(unit).or_else(|| self.ahead.get(&unit)).copied()
    }

    /// Whether the units are the messages of one run.
    #[must_use]
    pub fn is_run(&self) -> bool {
        self.is_run
    }

    /// Takes the key of a unit whose turn has not come.
    pub fn tell(&mut self, unit: usize, key: ContentKey) {
        if unit >= self.keys.len() {
            self.ahead.insert(unit, key);
        }
    }

    /// Takes the keys of further units.
    pub fn extend(&mut self, keys: Vec<ContentKey>) {
        self.keys.extend(keys);
        let known = self.keys.len();
        self.ahead.retain(|unit, _| *unit >= known);
    }

    /// Where a mark of a run belongs: the step with that message; of several the nearest to where it stood.
    #[must_use]
    pub fn place(&self, target: &Target) -> Option<StepNo> {
        let meant = i64::from(target.step?);
        let alike = self.keys.iter().zip(0_i64..).filter(|(key, _)| **key == target.key).map(|(_, unit)| unit);
        let step = match self.get(usize::try_from(meant).ok()?) {
            Some(key) if key == target.key => meant,
            _ => alike.min_by_key(|unit| (unit - meant).abs())?,
        };
        StepNo::try_from(step).ok()
    }

    /// The marks on a unit and on its parts: of a record with all its steps, of a run those that belong to the step.
    #[must_use]
    pub fn marks<'m>(&self, unit: usize, marks: &'m Marks) -> Vec<(&'m Target, &'m Mark)> {
        let Some(key) = self.get(unit) else { return Vec::new() };
        let is_here = |target: &Target| {
            !self.is_run || self.place(target).and_then(|step| usize::try_from(step).ok()) == Some(unit)
        };
        marks.of(key).filter(|(target, _)| is_here(target)).collect()
    }

    /// The steps of a run that have marks, in order.
    #[must_use]
    pub fn marked_steps(&self, marks: &Marks) -> Vec<StepNo> {
        let mut steps: Vec<StepNo> = Vec::new();
        for (unit, key) in self.keys.iter().enumerate() {
            if marks.of(*key).next().is_some() && !self.marks(unit, marks).is_empty() {
                steps.extend(StepNo::try_from(unit).ok());
            }
        }
        steps
    }

    /// How many records of each verdict there are, in the order of [`Verdict::ALL`].
    #[must_use]
    pub fn count(&self, marks: &Marks, from: usize) -> [usize; 3] {
        let mut counts = [0; 3];
        for key in self.keys.iter().skip(from) {
            let verdict = marks.verdict(*key);
            if let Some(i) = Verdict::ALL.iter().position(|v| Some(*v) == verdict) {
                counts[i] += 1;
            }
        }
        counts
    }

    /// How many units have this key.
    #[must_use]
    pub fn count_of(&self, key: ContentKey) -> usize {
        self.keys.iter().filter(|other| **other == key).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_a_run_moves_with_its_message() {
        let [a, ok, b] = ["a", "ok", "b"].map(|text| ContentKey::of(text.as_bytes()));
        let units = |keys: &[ContentKey]| {
            let mut units = Units::new(true);
            units.extend(keys.to_vec());
            units
        };
        let place = |keys: &[ContentKey], key, step| units(keys).place(&Target::step(key, step));
        assert_eq!(place(&[a, ok, b, ok], ok, 3), Some(3));
        assert_eq!(place(&[a, a, ok, b, ok], ok, 3), Some(2), "the nearest, the first of two");
        assert_eq!(place(&[a, a, a, ok, b, b, ok], ok, 3), Some(3));
        assert_eq!(place(&[ok, b], ok, 9), Some(0));
        assert_eq!(place(&[a, b], ok, 1), None, "never on another message");
    }
}
