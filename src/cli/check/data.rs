//! `obelus check --data` and `--against`: the rules of datasets, which look at records beside one another.

use crate::cli::Stop;
use crate::cli::args::FileName;
use crate::cli::inputs::Inputs;
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Found, Problem};
use crate::rules::data::{self, Dataset, Looked, Unit};

/// The one rule that `--against` alone asks for.
const CONTAMINATED: &str = "data.contaminated";

/// What was seen of all files so far.
pub(in crate::cli) struct Data {
    dataset: Dataset,
    /// Whether all rules were asked for, or only whether samples are shared.
    is_all: bool,
}

impl Data {
    /// All rules, without another dataset.
    pub(in crate::cli) fn of_dataset(near: f64) -> Self {
        Self { dataset: Dataset::new(near), is_all: true }
    }

    /// Reads the other dataset.
    ///
    /// # Errors
    /// It cannot be read to its end: what is shared with it could not be told.
    pub(super) fn new(is_all: bool, near: f64, against: &[FileName], format: Option<&str>) -> Result<Self, Stop> {
        let mut dataset = Dataset::new(near);
        let inputs = Inputs::of(against);
        if inputs.complain() > 0 {
            return Err(Problem::unreadable("the files of --against cannot all be read").into());
        }
        for file in &inputs.names {
            let loaded = ingest::open(file, format)?;
            if let Some(trouble) = loaded.trouble {
                return Err(trouble.into());
            }
            dataset.begin_other(&file.to_string());
            looked(&loaded, |looked| {
                dataset.learn(looked);
                Ok(())
            })?;
        }
        Ok(Self { dataset, is_all })
    }

    /// Gives the findings of a file: record by record, then those that only all records tell.
    pub(in crate::cli) fn file(
        &mut self,
        file: &str,
        loaded: &Loaded,
        mut each: impl FnMut(Found) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Self { dataset, is_all } = self;
        let mut tell = |found: Vec<Found>| {
            let asked = found.into_iter().filter(|found| *is_all || found.finding.rule == CONTAMINATED);
            asked.into_iter().try_for_each(&mut each)
        };
        dataset.begin(file);
        looked(loaded, |looked| tell(dataset.take(looked)))?;
        tell(dataset.end())
    }
}

/// Looks at all records, on all processors, and gives what was seen in the order of the file.
fn looked(loaded: &Loaded, each: impl FnMut(Looked) -> Result<(), Stop>) -> Result<(), Stop> {
    let format = loaded.detected.format;
    let is_set = format.layout() == Layout::Set || format.is_any();
    let unit = if is_set { Unit::Sample } else { Unit::Message };
    ingest::look_at_known(loaded, |record, text| data::look(record, text, unit, format.way()), each)
}
