//! The outline of an input: its first records, with long strings and deep values cut.

use super::Source;
use crate::format::signature::{self, Head};
use crate::json::{self, Outline, OutlineLayout, Outliner, Value};
use crate::model::Problem;

/// Bytes read at first; each further piece is as long as all before it, up to [`PIECE_MAX_BYTES`].
const PIECE_BYTES: usize = 1 << 16;
const PIECE_MAX_BYTES: usize = 1 << 22;

/// Bytes of an input that are searched for its first records. The members that identify a format may follow long ones;
/// a record that is not identified within this many bytes is shown as it is.
const LOOKED_MAX_BYTES: u64 = 64 << 20;

/// Reads the outline of an input, until 20 records have ended or the part read has the signature of a format.
///
/// # Errors
/// The input cannot be read.
pub(super) fn read(input: &dyn Source) -> Result<Outline, Problem> {
    let mut outliner = Outliner::default();
    let mut piece = vec![0; PIECE_BYTES];
    let mut offset = 0;
    loop {
        let got = input.read_at(offset, &mut piece)?;
        offset += got as u64;
        let is_more = got > 0 && outliner.feed(piece.get(..got).unwrap_or_default()) && offset < LOOKED_MAX_BYTES;
        if !is_more || has_signature(&outliner.outline()) {
            return Ok(outliner.outline());
        }
        let len = usize::try_from(offset).unwrap_or(PIECE_MAX_BYTES).min(PIECE_MAX_BYTES);
        piece.resize(len, 0);
    }
}

/// Whether the records read so far have the signature of a format. The signature of a conversation does not count,
/// since later members may name another format.
fn has_signature(outline: &Outline) -> bool {
    let records = values(outline);
    signature::recognize(&head(outline.layout, &records)).is_some_and(|(signature, _)| !signature.is_last())
}

/// The records that are JSON.
pub(super) fn values(outline: &Outline) -> Vec<Value<'_>> {
    outline.records.iter().filter_map(|text| json::parse_lenient(text).ok()).collect()
}

/// The records as the input of signatures.
pub(super) fn head<'v, 'a>(layout: OutlineLayout, records: &'v [Value<'a>]) -> Head<'v, 'a> {
    Head { layout, records }
}
