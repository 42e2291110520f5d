//! `obelus check --loss`: how the conversations of a file would train.

use crate::cli::Stop;
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Found, Problem};
use crate::review::LossCheck;
use crate::source::Reader;
use std::ops::Range;

/// Bytes of records that are looked at at once.
const BATCH_BYTES: u64 = 1 << 20;

/// Gives the findings of a file, record by record, in its order. A file that is one run has no conversations.
pub(super) fn file(
    check: &LossCheck,
    loaded: &Loaded,
    mut each: impl FnMut(Found) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if loaded.detected.format.layout() != Layout::Set {
        return Ok(());
    }
    let records = loaded.records()?;
    let work = || {
        let mut reader = Reader::new(&loaded.input);
        move |numbers: Range<usize>| {
            let records = numbers.filter_map(|number| records.get(number));
            records.map(|record| Ok(check.look(&record, reader.text(&record)?))).collect::<Result<Vec<_>, Problem>>()
        }
    };
    ingest::in_order(loaded, BATCH_BYTES, work, |batch: Vec<Vec<Found>>| {
        batch.into_iter().flatten().try_for_each(&mut each)
    })
}
