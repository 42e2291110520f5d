//! Which contents an input holds, by their keys: what marks are found by.
//!
//! The units of a dataset are its records; those of a file that is one run are the messages of its steps.

use super::mark_event::{ContentKey, MarkTarget, Verdict};
use super::marks::{Mark, Marks};
use crate::model::Chunks;
use std::collections::{BTreeMap, HashMap};

/// The keys of an input's units in order, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct Units {
    keys: Chunks<ContentKey>,
    /// Keys of units that were reported before their turn.
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
    pub fn set_key(&mut self, unit: usize, key: ContentKey) {
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

    /// Where the marks of a run belong: each at the step with its message; of several the nearest to where it was, of
    /// two as near the first. One look at all units.
    #[must_use]
    pub fn placed(&self, marks: &Marks) -> BTreeMap<usize, Vec<MarkTarget>> {
        let mut places: HashMap<ContentKey, Vec<usize>> =
            marks.iter().map(|(target, _)| (target.key, Vec::new())).collect();
        let mut ahead: Vec<(usize, ContentKey)> = self.ahead.iter().map(|(unit, key)| (*unit, *key)).collect();
        ahead.sort_unstable();
        for (unit, key) in self.keys.iter().copied().enumerate().chain(ahead) {
            if let Some(units) = places.get_mut(&key) {
                units.push(unit);
            }
        }
        let mut out: BTreeMap<usize, Vec<MarkTarget>> = BTreeMap::new();
        for (target, _) in marks.iter() {
            let Some(step_number) = target.step.and_then(|step| usize::try_from(step).ok()) else { continue };
            let units = places.get(&target.key).map(Vec::as_slice).unwrap_or_default();
            if let Some(unit) = units.iter().min_by_key(|unit| unit.abs_diff(step_number)) {
                out.entry(*unit).or_default().push(target.clone());
            }
        }
        out
    }

    /// All marks on the units and their parts, in the order of the units.
    #[must_use]
    pub fn marks<'m>(&self, marks: &'m Marks) -> Vec<(usize, &'m MarkTarget, &'m Mark)> {
        let mut out = Vec::new();
        if self.is_run {
            for (unit, targets) in self.placed(marks) {
                let here = |target: &MarkTarget| marks.get_pair(target).map(|(target, mark)| (unit, target, mark));
                out.extend(targets.iter().filter_map(here));
            }
            return out;
        }
        for (unit, key) in self.keys.iter().enumerate() {
            out.extend(marks.of(*key).map(|(target, mark)| (unit, target, mark)));
        }
        out
    }

    /// Whether a unit from a number on has marks.
    #[must_use]
    pub fn has_marks(&self, marks: &Marks, from: usize) -> bool {
        self.keys.since(from).any(|key| marks.of(*key).next().is_some())
    }

    /// How many records of each verdict there are, in the order of [`Verdict::ALL`].
    #[must_use]
    pub fn count(&self, marks: &Marks, from: usize) -> [usize; 3] {
        let mut counts = [0; 3];
        for key in self.keys.since(from) {
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
    use crate::review::{About, Change, MarkEvent};

    #[test]
    fn a_mark_of_a_run_moves_with_its_message() {
        let [a, ok, b] = ["a", "ok", "b"].map(|text| ContentKey::of(text.as_bytes()));
        let units = |keys: &[ContentKey]| {
            let mut units = Units::new(true);
            units.extend(keys.to_vec());
            units
        };
        let place = |keys: &[ContentKey], key, step| {
            let mut marks = Marks::default();
            let (target, change) = (MarkTarget::step(key, step), Change::Flag(true));
            marks.apply(MarkEvent { time_ms: 1, author: "a".into(), target, change, about: About::default() });
            let placed = units(keys).placed(&marks);
            assert!(placed.len() <= 1);
            placed.into_keys().next()
        };
        assert_eq!(place(&[a, ok, b, ok], ok, 3), Some(3));
        assert_eq!(place(&[a, a, ok, b, ok], ok, 3), Some(2), "the nearest, the first of two");
        assert_eq!(place(&[a, a, a, ok, b, b, ok], ok, 3), Some(3));
        assert_eq!(place(&[ok, b], ok, 9), Some(0));
        assert_eq!(place(&[a, b], ok, 1), None, "never on another message");
    }
}
