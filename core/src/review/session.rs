//! The review of what is open: the marks, the contents that the input holds, and how far the decisions are.

use super::content_index::Units;
use super::mark_event::{About, Change, ContentKey, MarkEvent, MarkTarget, Verdict};
use super::marks::{Mark, Marks};
use crate::model::{Span, StepNo};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// By step of a run: the targets of the marks that belong there.
type Placed = Rc<BTreeMap<usize, Vec<MarkTarget>>>;

/// Above this number of events, records are counted again in place of once per event.
const COUNTED_EACH_MAX: usize = 32;

/// What is decided on, before or after its bytes were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewSubject {
    /// A unit of the input by its number and bytes, or a part of it.
    Unit {
        /// Its number.
        unit: usize,
        /// Its bytes.
        span: Span,
        /// The step in it, or at which it is.
        step: Option<StepNo>,
        /// A value of the state, and its instance.
        path: Option<(String, Option<String>)>,
    },
    /// What was decided on before.
    Target(MarkTarget),
}

/// Something to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// On what.
    pub what: ReviewSubject,
    /// What.
    pub change: Change,
    /// Where it is.
    pub about: About,
}

/// An event that came to be, or that another program brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// The unit of the input, where it was decided here.
    pub unit: Option<usize>,
    /// The event.
    pub event: MarkEvent,
}

/// How far the review of a dataset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Records decided.
    pub decided: usize,
    /// Of these, those to drop.
    pub dropped: usize,
    /// Whether all records were looked at.
    pub is_complete: bool,
}

/// The review of an input.
#[derive(Debug, Clone, Default)]
pub struct Review {
    marks: Marks,
    units: Units,
    counts: [usize; 3],
    is_begun: bool,
    /// Marks that are not in the journal yet.
    pub unsaved: usize,
    /// Grows with every change of marks and units.
    pub version: u64,
    /// Where the marks of a run belong, for a version.
    placed: RefCell<Option<(u64, Placed)>>,
}

/// The marks of the records of a dataset as they are now: for a job.
#[derive(Debug, Clone, Default)]
pub struct RecordMarks {
    marks: Marks,
    units: Units,
}

impl RecordMarks {
    /// The mark of a record itself.
    #[must_use]
    pub fn get(&self, record: usize) -> Option<&Mark> {
        self.marks.get(&MarkTarget::record(self.units.get(record)?))
    }
}

impl Review {
    /// The marks of the records, for a job.
    #[must_use]
    pub fn record_marks(&self) -> RecordMarks {
        RecordMarks { marks: self.marks.clone(), units: self.units.clone() }
    }

    /// The marks.
    #[must_use]
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The units of the input.
    #[must_use]
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// The input has another content.
    pub fn restart(&mut self, is_run: bool) {
        self.units = Units::new(is_run);
        self.counts = [0; 3];
        self.is_begun = false;
        self.version += 1;
    }

    /// Takes events.
    pub fn take_all(&mut self, events: Vec<Marked>) {
        self.is_begun |= events.iter().any(|marked| marked.unit.is_some());
        if events.len() <= COUNTED_EACH_MAX {
            return events.into_iter().for_each(|marked| self.take(marked));
        }
        for Marked { unit, event } in events {
            if let Some(unit) = unit {
                self.units.set_key(unit, event.target.key);
            }
            self.marks.apply(event);
        }
        self.counts = self.units.count(&self.marks, 0);
        self.version += 1;
    }

    /// Takes an event.
    fn take(&mut self, marked: Marked) {
        let Marked { unit, event } = marked;
        let key = event.target.key;
        if let Some(unit) = unit {
            self.units.set_key(unit, key);
        }
        let before = self.marks.verdict(key);
        self.marks.apply(event);
        let now = self.marks.verdict(key);
        if before != now {
            let n = self.units.count_of(key);
            for (i, verdict) in Verdict::ALL.iter().enumerate() {
                self.counts[i] -= if before == Some(*verdict) { n } else { 0 };
                self.counts[i] += if now == Some(*verdict) { n } else { 0 };
            }
        }
        self.version += 1;
    }

    /// Takes the keys of further units, if they are those that come next.
    pub fn extend(&mut self, from: usize, keys: Vec<ContentKey>) {
        if from != self.units.len() {
            return;
        }
        self.units.extend(keys);
        for (count, more) in self.counts.iter_mut().zip(self.units.count(&self.marks, from)) {
            *count += more;
        }
        self.is_begun |= self.units.has_marks(&self.marks, from);
        self.version += 1;
    }

    /// Whether anything of this input has a mark, as far as is known: a journal is of many inputs.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// The progress of the review of a dataset of `records` records.
    #[must_use]
    pub fn progress(&self, records: usize) -> Progress {
        let [good, bad, unsure] = self.counts;
        Progress { decided: good + bad + unsure, dropped: bad, is_complete: self.units.len() >= records }
    }

    /// The decision on a unit: a record, or the message of a step.
    #[must_use]
    pub fn verdict(&self, unit: usize) -> Option<Verdict> {
        self.unit_mark(unit)?.verdict
    }

    /// The mark of a unit itself.
    #[must_use]
    pub fn unit_mark(&self, unit: usize) -> Option<&Mark> {
        if self.units.is_run() {
            let all = self.run_marks(unit);
            return all.into_iter().find(|(target, _)| target.path.is_none()).map(|(_, mark)| mark);
        }
        self.marks.get(&MarkTarget::record(self.units.get(unit)?))
    }

    /// Whether a unit or a part of it has a mark.
    #[must_use]
    pub fn has_marks(&self, unit: usize) -> bool {
        if self.units.is_run() {
            self.placed().contains_key(&unit)
        } else {
            self.units.get(unit).is_some_and(|key| self.marks.of(key).next().is_some())
        }
    }

    /// The marks of a step of a record (of a run: of the run), its values included.
    #[must_use]
    pub fn step_marks(&self, record: usize, step: StepNo) -> Vec<(&MarkTarget, &Mark)> {
        if self.units.is_run() {
            return usize::try_from(step).map_or_else(|_| Vec::new(), |unit| self.run_marks(unit));
        }
        let Some(key) = self.units.get(record) else { return Vec::new() };
        self.marks.of(key).filter(|(target, _)| target.step == Some(step)).collect()
    }

    /// The steps of a record (of a run: of the run) that have marks, in order.
    #[must_use]
    pub fn marked_steps(&self, record: usize) -> Vec<StepNo> {
        if self.units.is_run() {
            return self.placed().keys().filter_map(|unit| StepNo::try_from(*unit).ok()).collect();
        }
        let Some(key) = self.units.get(record) else { return Vec::new() };
        let mut steps: Vec<StepNo> = self.marks.of(key).filter_map(|(target, _)| target.step).collect();
        steps.dedup();
        steps
    }

    /// Whether there are any.
    #[must_use]
    pub fn has_marked_steps(&self, record: usize) -> bool {
        if self.units.is_run() {
            return !self.placed().is_empty();
        }
        self.units.get(record).is_some_and(|key| self.marks.of(key).any(|(target, _)| target.step.is_some()))
    }

    fn run_marks(&self, unit: usize) -> Vec<(&MarkTarget, &Mark)> {
        let placed = self.placed();
        let targets = placed.get(&unit).map(Vec::as_slice).unwrap_or_default();
        targets.iter().filter_map(|target| self.marks.get_pair(target)).collect()
    }

    fn placed(&self) -> Placed {
        if let Some((_, placed)) = self.placed.borrow().as_ref().filter(|(version, _)| *version == self.version) {
            return Rc::clone(placed);
        }
        let placed = Rc::new(if self.marks.is_empty() { BTreeMap::new() } else { self.units.placed(&self.marks) });
        *self.placed.borrow_mut() = Some((self.version, Rc::clone(&placed)));
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time_ms: u64, key: ContentKey, change: Change) -> MarkEvent {
        MarkEvent { time_ms, author: "a".into(), target: MarkTarget::record(key), change, about: About::default() }
    }

    #[test]
    fn progress_counts_records_as_they_come_and_change() {
        let keys: Vec<ContentKey> = ["a", "b", "a", "c"].iter().map(|t| ContentKey::of(t.as_bytes())).collect();
        let mut review = Review::default();
        review.restart(false);
        let bad = event(1, keys[0], Change::Decide(Some(Verdict::Bad)));
        review.take(Marked { unit: None, event: bad.clone() });
        assert_eq!(review.progress(4), Progress::default());
        review.extend(0, keys[..2].to_vec());
        review.extend(0, keys.clone());
        review.extend(2, keys[2..].to_vec());
        assert_eq!(review.progress(4), Progress { decided: 2, dropped: 2, is_complete: true }, "equal records");
        review.take(Marked { unit: Some(3), event: event(2, keys[3], Change::Decide(Some(Verdict::Unsure))) });
        review.take(Marked { unit: None, event: event(3, keys[0], Change::Undo(bad.id())) });
        assert_eq!(review.progress(5), Progress { decided: 1, dropped: 0, is_complete: false });
        review.restart(false);
        assert_eq!(review.progress(4), Progress::default());
    }

    #[test]
    fn many_events_count_as_each_alone() {
        let keys: Vec<ContentKey> = (0..100_u8).map(|n| ContentKey::of(&[n % 90])).collect();
        let decided = |n: usize| {
            let verdict = Verdict::ALL[n % 3];
            Marked { unit: Some(n), event: event(n as u64, keys[n], Change::Decide(Some(verdict))) }
        };
        let (mut one, mut all) = (Review::default(), Review::default());
        for review in [&mut one, &mut all] {
            review.restart(false);
            review.extend(0, keys.clone());
        }
        (0..100).for_each(|n| one.take_all(vec![decided(n)]));
        all.take_all((0..100).map(decided).collect());
        assert_eq!(one.progress(100), all.progress(100));
        assert_eq!((all.progress(100).decided, one.marks()), (100, all.marks()));
    }

    #[test]
    fn what_is_decided_shows_before_all_keys_are_known() {
        let key = ContentKey::of(b"late");
        let mut review = Review::default();
        review.take(Marked { unit: Some(9), event: event(1, key, Change::Decide(Some(Verdict::Good))) });
        assert_eq!((review.verdict(9), review.verdict(8)), (Some(Verdict::Good), None));
    }
}
