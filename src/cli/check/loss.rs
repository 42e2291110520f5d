//! `obelus check --loss`: how the conversations of a file would train.

use crate::cli::Stop;
use crate::ingest::{self, Loaded};
use crate::model::{Found, Record};
use crate::review::LossCheck;

/// Gives the findings of a file, record by record, in its order. A file that is one run has no conversations.
pub(in crate::cli) fn file(
    check: &LossCheck,
    loaded: &Loaded,
    mut each: impl FnMut(Found) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if !loaded.detected.format.has_conversations() {
        return Ok(());
    }
    let way = loaded.detected.format.way();
    let look = |record: &Record, text: &[u8]| check.look(record, text, way);
    ingest::look_at_known(loaded, look, |found: Vec<Found>| found.into_iter().try_for_each(&mut each))
}
