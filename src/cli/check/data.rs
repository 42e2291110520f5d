//! `obelus check --data` and `--against`: the rules of datasets, which look at records beside one another.

use crate::cli::Stop;
use crate::cli::args::FileName;
use crate::cli::inputs::Inputs;
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Found, Problem};
use crate::rules::data::{self, Dataset, Looked, Unit};
use crate::source::Reader;
use std::ops::Range;

/// Bytes of records that are looked at at once.
const BATCH_BYTES: u64 = 1 << 20;

/// The one rule that `--against` alone asks for.
const CONTAMINATED: &str = "data.contaminated";

/// What was seen of all files so far.
pub(super) struct Data {
    dataset: Dataset,
    /// Whether all rules were asked for, or only whether samples are shared.
    is_all: bool,
}

impl Data {
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
    pub(super) fn file(
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
fn looked(loaded: &Loaded, mut each: impl FnMut(Looked) -> Result<(), Stop>) -> Result<(), Stop> {
    let format = loaded.detected.format;
    let is_set = format.layout() == Layout::Set || format.name() == "generic";
    let unit = if is_set { Unit::Sample } else { Unit::Message };
    let records = loaded.records()?;
    let work = || {
        let mut reader = Reader::new(&loaded.input);
        move |numbers: Range<usize>| {
            let records = numbers.filter_map(|number| records.get(number));
            records.map(|r| Ok(data::look(&r, reader.text(&r)?, unit))).collect::<Result<Vec<_>, Problem>>()
        }
    };
    ingest::in_order(loaded, BATCH_BYTES, work, |batch: Vec<Looked>| batch.into_iter().try_for_each(&mut each))
}
