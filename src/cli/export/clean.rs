//! What `export --only-clean` looks for, and which rules left records out.

use super::Options;
use crate::cli::Stop;
use crate::cli::check::baseline::Contents;
use crate::cli::check::data::Data;
use crate::cli::check::loss;
use crate::cli::finding_policy::FindingPolicy;
use crate::ingest::{self, Loaded};
use crate::model::{LocatedFinding, Problem, Severity};
use crate::review::LossCheck;
use std::collections::BTreeMap;

/// Which records `--only-clean` leaves out.
pub(super) struct CleanCheck {
    policy: FindingPolicy,
    loss: Option<LossCheck>,
    data: Option<Data>,
    /// In how many records each rule found something, and in which last.
    rules: BTreeMap<&'static str, (usize, Option<usize>)>,
}

impl CleanCheck {
    pub(super) fn of(options: &Options) -> Result<Self, Problem> {
        let data = options.data.then(|| Data::of_dataset(options.near));
        let (policy, loss) = (options.filter.policy()?, options.filter.loss()?);
        Ok(Self { policy, loss, data, rules: BTreeMap::new() })
    }

    /// The records of an input in which a rule found an error or a warning that counts.
    pub(super) fn findings(&mut self, loaded: &Loaded) -> Result<Vec<bool>, Stop> {
        let Self { policy, loss, data, rules } = self;
        let mut out = vec![false; loaded.records()?.len()];
        let mut contents = Contents::new(loaded);
        rules.values_mut().for_each(|(_, last)| *last = None);
        let mut take = |found: Vec<LocatedFinding>| {
            let counting = policy.counting(found, &mut contents)?;
            for LocatedFinding { finding, .. } in counting.into_iter().filter(|f| f.finding.severity > Severity::Info) {
                if let Some(record) = out.get_mut(finding.record) {
                    *record = true;
                    let (count, last) = rules.entry(finding.rule).or_default();
                    *count += usize::from(last.replace(finding.record) != Some(finding.record));
                }
            }
            Ok::<(), Stop>(())
        };
        ingest::findings(loaded, &mut take)?;
        if let Some(check) = loss {
            loss::file(check, loaded, |found| take(vec![found]))?;
        }
        if let Some(data) = data {
            data.file(loaded.input.name(), loaded, |found, _| take(vec![found]))?;
        }
        Ok(out)
    }

    /// The rules by how many records they leave out, the most first.
    pub(super) fn rules(self) -> Vec<(&'static str, usize)> {
        let mut rules: Vec<_> = self.rules.into_iter().map(|(rule, (count, _))| (rule, count)).collect();
        rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        rules
    }
}
