//! What `--only-clean` looks for, and which rules leave records out.

use super::Stop;
use super::check::baseline::Contents;
use super::check::data::Data;
use super::check::loss;
use super::filter::{Where, WhereOption};
use super::finding_policy::FindingPolicy;
use crate::ingest::{self, Loaded};
use crate::model::{LocatedFinding, Problem, Severity};
use crate::review::{LossCheck, Scope};
use clap::Args;
use std::collections::BTreeMap;

/// Share of runs of five words from which records are near copies, where nothing else is said.
const NEAR: f64 = 0.85;

/// Records without findings, beside a filter.
#[derive(Debug, Clone, Args)]
pub(super) struct CleanOption {
    /// Only records in which `check` finds neither error nor warning; with --loss `check --loss`
    #[arg(long)]
    only_clean: bool,
    /// With --only-clean, also those in which `check --data` finds something: copies, secrets, personal data, loops …
    #[arg(long, requires = "only_clean")]
    data: bool,
}

impl CleanOption {
    /// The filter of records with this; None: all records.
    ///
    /// # Errors
    /// As [`WhereOption::filter`].
    pub(super) fn filter(&self, filter: &WhereOption) -> Result<Option<Where>, Problem> {
        let read = filter.filter_beside(Scope::Records, self.only_clean)?;
        if !self.only_clean {
            return Ok(read);
        }
        let clean = CleanCheck::of(filter, self.data.then_some(NEAR))?;
        Ok(Some(read.unwrap_or_default().with_clean(clean)))
    }
}

/// Which records `--only-clean` leaves out.
pub(super) struct CleanCheck {
    policy: FindingPolicy,
    loss: Option<LossCheck>,
    data: Option<Data>,
    /// In how many records each rule found something, and in which last.
    rules: BTreeMap<&'static str, (usize, Option<usize>)>,
}

impl CleanCheck {
    /// With `near` what `check --data` finds too: the share from which records are near copies.
    pub(super) fn of(filter: &WhereOption, near: Option<f64>) -> Result<Self, Problem> {
        let data = near.map(Data::of_dataset);
        let (policy, loss) = (filter.policy()?, filter.loss()?);
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
