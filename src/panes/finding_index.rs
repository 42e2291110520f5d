//! The findings of a run in order, with what is asked of them at every frame: there can be as many as steps.

use super::Open;
use crate::model::{Finding, Severity, StepNo};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// How the names of the rules of datasets begin.
const OF_DATASETS: &str = "data.";

/// Findings in the order of [`Finding::order`].
#[derive(Debug, Default)]
pub struct Listed {
    all: Vec<Arc<Finding>>,
    /// How many there are of each severity, from the mildest.
    counts: [usize; 3],
}

impl Listed {
    /// Puts findings in order.
    #[must_use]
    pub fn new(all: Vec<Arc<Finding>>) -> Self {
        // A run gives them in order, which costs less to see than to bring about.
        let is_in_order = all.is_sorted_by(|a, b| a.order() < b.order());
        let all = if is_in_order { all } else { Finding::in_order(all) };
        let mut counts = [0; 3];
        all.iter().for_each(|finding| counts[finding.severity as usize] += 1);
        Self { all, counts }
    }

    /// These and others, in order. A place may have several of one rule of datasets, such as two secrets in one text.
    #[must_use]
    pub fn with(&self, mut others: Vec<Arc<Finding>>) -> Self {
        others.sort_by(|a, b| a.order().cmp(&b.order()));
        let (mut all, mut counts) = (Vec::with_capacity(self.all.len() + others.len()), self.counts);
        let mut rest = self.all.as_slice();
        for other in others {
            let before = rest.iter().take_while(|f| f.order() <= other.order()).count();
            all.extend_from_slice(&rest[..before]);
            rest = &rest[before..];
            let mut of_place = all.iter().rev().take_while(|known: &&Arc<Finding>| known.order() == other.order());
            if !of_place.any(|known| *known == other || !other.rule.starts_with(OF_DATASETS)) {
                counts[other.severity as usize] += 1;
                all.push(other);
            }
        }
        all.extend_from_slice(rest);
        Self { all, counts }
    }

    /// How many there are of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// Where the findings of a step are, which is in this record; an empty range where they would.
    #[must_use]
    pub fn of_step(&self, record: usize, step: StepNo) -> Range<usize> {
        let key = (record, Some(step));
        let start = self.all.partition_point(|f| (f.record, f.step) < key);
        start..start + self.all[start..].partition_point(|f| (f.record, f.step) == key)
    }
}

impl Open<'_> {
    /// Where the findings of a step are among all of one look; an empty range where they would be. A thread that checks
    /// values adds to them: another look may have more.
    #[must_use]
    pub fn findings_at(&self, all: &Listed, step: StepNo) -> Range<usize> {
        let record = self.run().place(step).map_or(self.session.trajectory, |place| place.record);
        all.of_step(record, step)
    }

    /// Findings of one step.
    #[must_use]
    pub fn findings_of(&self, step: StepNo) -> Vec<Arc<Finding>> {
        let all = self.findings();
        all[self.findings_at(&all, step)].to_vec()
    }
}

impl Deref for Listed {
    type Target = [Arc<Finding>];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Remark;

    #[test]
    fn findings_stand_by_step() {
        let finding = |record, step, severity| {
            let (path, message) = (None, "".into());
            let rule = if severity == Severity::Error { "a" } else { "b" };
            Arc::new(Finding::new(record, step, Remark { path, rule, severity, message }))
        };
        let (error, warning) = (Severity::Error, Severity::Warning);
        let listed = Listed::new(vec![
            finding(2, Some(5), warning),
            finding(0, Some(1), warning),
            finding(0, Some(1), error),
            finding(0, None, error),
            finding(0, Some(1), error),
        ]);
        assert_eq!((listed.len(), listed.count(error), listed.count(warning)), (4, 2, 2));
        assert_eq!(listed.of_step(0, 1), 1..3);
        assert_eq!(listed.of_step(2, 5), 3..4);
        let others = || vec![finding(0, Some(1), error), finding(1, None, error), finding(9, None, warning)];
        let (both, wanted) = (listed.with(others()), Listed::new([others(), listed.to_vec()].concat()));
        assert_eq!((&both.all, both.counts, both.len()), (&wanted.all, wanted.counts, 6));
        assert_eq!(Listed::default().with(others()).counts, [0, 1, 2]);
        let secret = |message: &str| {
            let remark = Remark { path: Some("/a".into()), rule: "data.s", severity: warning, message: message.into() };
            Arc::new(Finding::new(0, Some(1), remark))
        };
        let twice = listed.with(vec![secret("x"), secret("y"), secret("x")]);
        assert_eq!((twice.len(), twice.of_step(0, 1)), (6, 1..5), "each of two that one rule finds in one text");
        assert_eq!([(0, 0), (0, 2), (1, 4), (2, 6)].map(|(r, s)| listed.of_step(r, s)), [1..1, 3..3, 3..3, 4..4]);
    }
}
