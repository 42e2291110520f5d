//! What the rules of datasets found in the open dataset: made by a job when it is asked for, shown beside the findings
//! of its format.

use super::Records;
use crate::format::Facts;
use crate::model::{Bytes, Finding, Problem, Severity};
use crate::rules::data::{self, Dataset, Unit};
use crate::rules::trajectory::Way;
use crate::text::count_of;
use std::collections::HashMap;
use std::sync::Arc;

/// Most findings that are kept.
const STORED_MAX: usize = 200_000;

/// The findings of family `data`, by record.
#[derive(Debug, Default)]
pub struct DatasetFindings {
    by_record: HashMap<usize, Vec<Arc<Finding>>>,
    stored: usize,
    total: usize,
}

impl DatasetFindings {
    /// Looks at all records; None when it is no longer wanted.
    ///
    /// # Errors
    /// A record can no longer be read.
    pub fn look(
        records: &dyn Records,
        bytes: &dyn Bytes,
        way: Way,
        is_wanted: &dyn Fn() -> bool,
    ) -> Option<Result<Self, Problem>> {
        let mut dataset = Dataset::new(data::NEAR);
        dataset.begin("");
        let mut all = Self::default();
        for record in (0..records.count()).map_while(|number| records.get(number)) {
            if !is_wanted() {
                return None;
            }
            let text = match bytes.read(record.place.span) {
                Ok(text) => text,
                Err(problem) => return Some(Err(problem)),
            };
            let found = dataset.take(data::look(&record, &text, Unit::Sample, way, None));
            found.all().for_each(|found| all.add(found.finding));
        }
        dataset.end().into_iter().for_each(|found| all.add(found.finding));
        Some(Ok(all))
    }

    /// Takes a finding; one more than are kept is only counted.
    fn add(&mut self, finding: Finding) {
        self.total += 1;
        if self.stored < STORED_MAX {
            self.stored += 1;
            self.by_record.entry(finding.record).or_default().push(Arc::new(finding));
        }
    }

    /// The findings of a record.
    #[must_use]
    pub fn of(&self, record: usize) -> &[Arc<Finding>] {
        self.by_record.get(&record).map_or(&[], Vec::as_slice)
    }

    /// Adds what was found in a record to the facts on it.
    pub fn add_to(&self, record: usize, facts: &mut Facts) {
        for finding in self.of(record) {
            match finding.severity {
                Severity::Error => facts.errors += 1,
                Severity::Warning => facts.warnings += 1,
                Severity::Info => {}
            }
            match facts.rules.iter_mut().find(|(rule, _)| rule == finding.rule) {
                Some((_, count)) => *count += 1,
                None => facts.rules.push((finding.rule.to_owned(), 1)),
            }
        }
    }

    /// How much was found, in a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let records = self.by_record.len();
        match self.total {
            0 => "the rules of datasets (data.*) find nothing".to_owned(),
            found => format!(
                "{} of data.* in {}{} · & finding:data.* shows them",
                count_of(found, "finding"),
                count_of(records, "record"),
                if self.stored < found { ", of which the first are kept" } else { "" },
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Remark;

    #[test]
    fn more_than_are_kept_are_counted() {
        let remark = Remark { path: None, rule: "data.loop", severity: Severity::Warning, message: "".into() };
        let finding = |record| Finding::new(record, None, remark.clone());
        let mut data = DatasetFindings::default();
        (0..=STORED_MAX).for_each(|record| data.add(finding(record % 3)));
        assert_eq!((0..4).map(|record| data.of(record).len()).sum::<usize>(), STORED_MAX);
        assert!(data.summary().starts_with("200,001 findings of data.* in 3 records, of which"), "{}", data.summary());
        let mut facts = Facts::default();
        data.add_to(2, &mut facts);
        data.add_to(9, &mut facts);
        assert_eq!((facts.warnings, facts.rules.len()), (data.of(2).len() as u64, 1));
    }
}
