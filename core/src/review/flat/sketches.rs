//! What identifies copies and near copies of records, as rows that a join finds them by, however many machines they are
//! on.

use super::{Cell, ColumnType, FlatSchema};
use crate::model::Record;
use crate::review::ContentKey;
use crate::rules::data;
use crate::rules::trajectory::Way;

/// The schema of the rows. Records with an equal `body` are the same sample; those that share one of `bands` are
/// compared by the share of equal `bins`, which are 64 of 8 hexadecimal digits each.
pub static SKETCHES: FlatSchema = FlatSchema {
    name: "obelus.sketches",
    columns: &[
        ("digest", ColumnType::Text),
        ("file", ColumnType::Text),
        ("record", ColumnType::Int),
        ("id", ColumnType::Text),
        ("body", ColumnType::Text),
        ("bands", ColumnType::Texts),
        ("bins", ColumnType::Text),
    ],
};

/// The row of a record of a file, read in that way; one that cannot be read has neither body nor bands.
#[must_use]
pub fn sketch_row(file: &str, record: &Record, text: &[u8], way: Way) -> Vec<Cell> {
    let sketch = data::sketch(record, text, way);
    let (bands, bins) = sketch.as_ref().map(|sketch| (sketch.bands(), sketch.bins())).unwrap_or_default();
    vec![
        Cell::Text(sketch.as_ref().map(|_| ContentKey::of(text).to_string())),
        Cell::text(file),
        Cell::count(record.number as u64),
        Cell::text(sketch.as_ref().and_then(|sketch| sketch.id()).unwrap_or_default()),
        Cell::text(sketch.as_ref().map(|sketch| sketch.body()).unwrap_or_default()),
        Cell::Texts(bands),
        Cell::text(bins),
    ]
}
