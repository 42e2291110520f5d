//! Findings as rows of one flat schema, keyed by the content of their records.

use super::{Cell, ColumnType, FlatSchema};
use crate::model::{Finding, LocatedFinding};
use crate::review::ContentKey;

/// The schema of the rows.
pub static FINDINGS: FlatSchema = FlatSchema {
    name: "obelus.findings",
    columns: &[
        ("digest", ColumnType::Text),
        ("file", ColumnType::Text),
        ("record", ColumnType::Int),
        ("step", ColumnType::Int),
        ("line", ColumnType::Int),
        ("path", ColumnType::Text),
        ("rule", ColumnType::Text),
        ("family", ColumnType::Text),
        ("severity", ColumnType::Text),
        ("message", ColumnType::Text),
    ],
};

/// The row of a finding in a record of that content; None: in the file as a whole.
#[must_use]
pub fn finding_row(file: &str, found: &LocatedFinding, digest: Option<ContentKey>) -> Vec<Cell> {
    let LocatedFinding { finding: Finding { record, step, remark }, place } = found;
    vec![
        Cell::Text(digest.map(|digest| digest.to_string())),
        Cell::text(file),
        Cell::count(*record as u64),
        Cell::Int(step.map(i64::from)),
        Cell::count(place.line),
        Cell::Text(remark.path.as_deref().map(str::to_owned)),
        Cell::text(remark.rule),
        Cell::text(remark.rule.split('.').next().unwrap_or_default()),
        Cell::text(remark.severity.name()),
        Cell::text(&*remark.message),
    ]
}
