//! Findings that a filter of records can ask for and that `check` makes on request only: of rules that look at records
//! beside one another (`check --data`), and of how conversations train (`check --loss`).

use super::check::data::Data;
use super::check::loss;
use crate::ingest::Loaded;
use crate::model::{LocatedFinding, Problem};
use crate::review::{Filter, LossCheck};
use crate::rules::data::NEAR;
use std::collections::BTreeMap;

/// A rule of datasets that needs another dataset.
const CONTAMINATED: &str = "data.contaminated";

/// The findings of each record by its number.
pub(super) type ByRecord = BTreeMap<usize, Vec<LocatedFinding>>;

/// The checks that a filter asks for. They see the files in the order in which they are asked.
#[derive(Default)]
pub(super) struct ExtraFindings {
    data: Option<Data>,
    loss: Option<LossCheck>,
}

impl ExtraFindings {
    /// The checks that a filter needs; `loss` says how conversations train.
    ///
    /// # Errors
    /// The filter asks for findings that need something else to be said: what, and how.
    pub(super) fn of(filter: &Filter, loss: Option<LossCheck>) -> Result<Self, Problem> {
        if filter.asks_for_rule_alone(CONTAMINATED) {
            let problem = Problem::usage(format!("finding:{CONTAMINATED} needs the dataset to compare with"));
            return Err(problem.hint("`obelus check --against OTHER FILE` reports the samples that both have"));
        }
        let wants_loss = filter.asks_for_family("loss");
        if wants_loss && loss.is_none() {
            let problem = Problem::usage("finding:loss.* depends on the chat template in which records train");
            return Err(problem.hint("add --loss NAME or --loss FILE, as in `obelus check --loss`"));
        }
        let data = if filter.asks_for_family("data") { Some(Data::of_dataset(NEAR)) } else { None };
        Ok(Self { data, loss: if wants_loss { loss } else { None } })
    }

    /// What is found in a file.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub(super) fn of_file(&mut self, loaded: &Loaded) -> Result<ByRecord, Problem> {
        let mut out = ByRecord::new();
        let mut take = |found: LocatedFinding| {
            out.entry(found.finding.record).or_default().push(found);
            Ok(())
        };
        if let Some(data) = &mut self.data {
            data.file(loaded.input.name(), loaded, |found, _| take(found))?;
        }
        if let Some(check) = &self.loss {
            loss::file(check, loaded, &mut take)?;
        }
        Ok(out)
    }
}
