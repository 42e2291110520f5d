//! What broke its schema, from which step to which.

use super::schema_checker::{Change, Judgement};
use super::{IdentityId, SchemaFault, Violation};
use crate::json::Key;
use crate::model::StepNo;
use crate::model::cast;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A violation and how long it held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Where, and what the schema wants.
    pub violation: Arc<Violation>,
    /// The step that broke it.
    pub since: StepNo,
    /// The step from which on this is the reason; mostly `since`.
    pub from: StepNo,
    /// The step at which it ended, or another reason took its place; None: it holds.
    pub until: Option<StepNo>,
    /// Whether that step repaired it: the identity still exists, and nothing is wrong at the path any more.
    pub is_repaired: bool,
}

impl Invalid {
    /// The step that broke it; None where it was broken for another reason before.
    #[must_use]
    pub fn begun_at(&self) -> Option<StepNo> {
        (self.since == self.from).then_some(self.since)
    }

    /// The step that repaired it.
    #[must_use]
    pub fn repaired_at(&self) -> Option<StepNo> {
        self.until.filter(|_| self.is_repaired)
    }

    /// Whether it holds at a step.
    #[must_use]
    pub fn holds_at(&self, step: StepNo) -> bool {
        self.from <= step && self.until.is_none_or(|until| until > step)
    }
}

/// A time in which an identity broke its schema, at whatever paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViolationInterval {
    /// The step that broke it.
    pub since: StepNo,
    /// The step at which nothing was wrong any more; None: it goes on.
    pub until: Option<StepNo>,
    /// Whether that step repaired it; else what was wrong, or the schema, went away.
    pub is_repaired: bool,
}

/// All that a schema check found so far.
#[derive(Debug, Default)]
pub struct Violations {
    judged: StepNo,
    faults: Vec<(StepNo, SchemaFault)>,
    unchecked: Vec<(StepNo, IdentityId, String)>,
    slots: HashMap<IdentityId, Slot>,
    /// Each once: a run breaks the same again and again.
    known: HashSet<Arc<Violation>>,
    /// Those that a step broke again: whose, and their places in its list.
    begun: Vec<(IdentityId, u32)>,
    /// Where outputs of solutions break the schemas of their requests.
    outputs: Vec<(StepNo, Violation)>,
    /// Why outputs of solutions were not checked, or not all of them.
    unchecked_outputs: Vec<(StepNo, String)>,
}

/// How much of what a schema check found was reported.
#[derive(Debug, Default, Clone, Copy)]
pub struct ReportedCounts {
    faults: usize,
    unchecked: usize,
    begun: usize,
    outputs: usize,
    unchecked_outputs: usize,
}

#[derive(Debug, Default)]
struct Slot {
    /// In the order of `from`.
    all: Vec<Invalid>,
    /// Those that hold, by path.
    open: HashMap<Vec<Key>, usize>,
}

impl Violations {
    /// Takes what the next turn brought.
    pub fn add(&mut self, judgement: Judgement) {
        let at = judgement.at;
        self.judged = judgement.judged.unwrap_or(self.judged);
        self.faults.extend(judgement.fault.map(|why| (at, why)));
        self.outputs.extend(judgement.outputs.into_iter().map(|violation| (at, violation)));
        self.unchecked.extend(judgement.unchecked.map(|(id, why)| (at, id, why)));
        self.unchecked_outputs.extend(judgement.unchecked_output.map(|why| (at, why)));
        for (id, changes) in judgement.changes {
            let slot = self.slots.entry(id).or_default();
            for change in changes {
                let number = slot.all.len();
                slot.add(at, change, &mut self.known);
                let is_begun = slot.all.get(number).is_some_and(|new| new.since == new.from);
                self.begun.extend(is_begun.then_some((id, cast::to_u32(number))));
            }
        }
    }

    /// The number of steps that were looked at.
    #[must_use]
    pub fn judged(&self) -> StepNo {
        self.judged
    }

    /// Steps whose schemas nothing is checked against, and why (A20).
    #[must_use]
    pub fn faults(&self) -> &[(StepNo, SchemaFault)] {
        &self.faults
    }

    /// All violations of an identity, in the order in which they came up.
    #[must_use]
    pub fn of(&self, id: IdentityId) -> &[Invalid] {
        self.slots.get(&id).map_or(&[], |slot| &slot.all)
    }

    /// The violations of an identity that hold at a step, by path.
    #[must_use]
    pub fn at(&self, id: IdentityId, step: StepNo) -> Vec<&Invalid> {
        let mut invalid: Vec<&Invalid> = self.of(id).iter().filter(|i| i.holds_at(step)).collect();
        invalid.sort_by(|a, b| a.violation.path.cmp(&b.violation.path));
        invalid
    }

    /// The time in which an identity breaks its schema at a step; else the last before it, else the first after it.
    #[must_use]
    pub fn spell(&self, id: IdentityId, step: StepNo) -> Option<ViolationInterval> {
        let mut spells: Vec<ViolationInterval> = Vec::new();
        for one in self.of(id) {
            let new = ViolationInterval { since: one.from, until: one.until, is_repaired: one.is_repaired };
            match spells.last_mut() {
                Some(last) if last.until.is_none_or(|until| until >= new.since) => last.take(new),
                _ => spells.push(new),
            }
        }
        let begun = spells.partition_point(|spell| spell.since <= step);
        spells.get(begun.saturating_sub(1)).copied()
    }

    /// The next or previous step at which something at or below a path breaks its schema, or is repaired.
    #[must_use]
    pub fn turn(&self, id: IdentityId, path: &[Key], step: StepNo, is_forward: bool) -> Option<StepNo> {
        let below = self.of(id).iter().filter(|one| one.violation.path.starts_with(path));
        let turns = below.flat_map(|one| [one.begun_at(), one.repaired_at()]).flatten();
        if is_forward { turns.filter(|at| *at > step).min() } else { turns.filter(|at| *at < step).max() }
    }

    /// All that was found so far, as reported.
    #[must_use]
    pub fn counts(&self) -> ReportedCounts {
        let (faults, unchecked, begun) = (self.faults.len(), self.unchecked.len(), self.begun.len());
        let (outputs, unchecked_outputs) = (self.outputs.len(), self.unchecked_outputs.len());
        ReportedCounts { faults, unchecked, begun, outputs, unchecked_outputs }
    }

    /// Steps whose schemas nothing is checked against, but for those that were reported.
    #[must_use]
    pub fn faults_after(&self, reported: ReportedCounts) -> &[(StepNo, SchemaFault)] {
        self.faults.get(reported.faults..).unwrap_or_default()
    }

    /// A2, A37: where outputs of solutions break the schemas of their requests, but for what was reported.
    #[must_use]
    pub fn outputs_after(&self, reported: ReportedCounts) -> &[(StepNo, Violation)] {
        self.outputs.get(reported.outputs..).unwrap_or_default()
    }

    /// Outputs of solutions that were not checked, or not all of them, and why, but for those that were reported.
    #[must_use]
    pub fn unchecked_outputs_after(&self, reported: ReportedCounts) -> &[(StepNo, String)] {
        self.unchecked_outputs.get(reported.unchecked_outputs..).unwrap_or_default()
    }

    /// Values that were not checked, or not all of them, and why, but for those that were reported.
    #[must_use]
    pub fn unchecked_after(&self, reported: ReportedCounts) -> &[(StepNo, IdentityId, String)] {
        self.unchecked.get(reported.unchecked..).unwrap_or_default()
    }

    /// Every violation at the step that broke it, with its identity (A42), but for those that were reported.
    pub fn begun_after(&self, reported: ReportedCounts) -> impl Iterator<Item = (IdentityId, &Invalid)> {
        let begun = self.begun.get(reported.begun..).unwrap_or_default();
        begun.iter().filter_map(|(id, number)| Some((*id, self.of(*id).get(*number as usize)?)))
    }
}

impl ViolationInterval {
    /// Takes what begins before it is over, or where it is.
    fn take(&mut self, other: Self) {
        if other.until.is_none_or(|end| self.until.is_some_and(|until| until <= end)) {
            (self.until, self.is_repaired) = (other.until, other.is_repaired);
        }
    }
}

/// The one that is known already, if it is.
fn shared(violation: Violation, known: &mut HashSet<Arc<Violation>>) -> Arc<Violation> {
    if let Some(known) = known.get(&violation) {
        return Arc::clone(known);
    }
    let new = Arc::new(violation);
    known.insert(Arc::clone(&new));
    new
}

impl Slot {
    fn add(&mut self, at: StepNo, change: Change, known: &mut HashSet<Arc<Violation>>) {
        match change {
            Change::Begun(violation) => self.open(shared(violation, known), at, at),
            Change::Turned(violation) => {
                let since = self.close(&violation.path, at, false).unwrap_or(at);
                self.open(shared(violation, known), since, at);
            }
            Change::Ended { path, is_repaired } => {
                self.close(&path, at, is_repaired);
            }
        }
    }

    fn open(&mut self, violation: Arc<Violation>, since: StepNo, from: StepNo) {
        self.open.insert(violation.path.clone(), self.all.len());
        self.all.push(Invalid { violation, since, from, until: None, is_repaired: false });
    }

    /// Ends what holds at a path; says since when it was wrong.
    fn close(&mut self, path: &[Key], at: StepNo, is_repaired: bool) -> Option<StepNo> {
        let invalid = self.open.remove(path).and_then(|i| self.all.get_mut(i))?;
        (invalid.until, invalid.is_repaired) = (Some(at), is_repaired);
        Some(invalid.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_again_is_kept_once() {
        let path = vec![Key::Name("a".into())];
        let violation =
            |message: &str| Violation { path: path.clone(), message: message.to_owned(), reasons: Vec::new() };
        let ended = || Change::Ended { path: path.clone(), is_repaired: true };
        let mut violations = Violations::default();
        let changes =
            [Change::Begun(violation("x")), ended(), Change::Begun(violation("x")), Change::Turned(violation("y"))];
        for (at, change) in (1..).zip(changes) {
            violations.add(Judgement { at, changes: vec![(IdentityId(0), vec![change])], ..Judgement::default() });
        }
        let all = violations.of(IdentityId(0));
        assert_eq!(all.iter().map(|one| (one.since, one.from)).collect::<Vec<_>>(), [(1, 1), (3, 3), (3, 4)]);
        assert!(Arc::ptr_eq(&all[0].violation, &all[1].violation) && violations.known.len() == 2);
    }
}
