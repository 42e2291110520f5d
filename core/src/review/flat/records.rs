//! Facts on records as rows of one flat schema, as the table of the screen shows them.

use super::{Cell, ColumnType, FlatSchema};
use crate::model::cast;
use crate::review::{ContentKey, FilterField, Names, Numbers, RecordFacts, Subject, Texts, values_of};
use crate::rules::trajectory::RecordName;

/// The schema of the rows.
pub static RECORDS: FlatSchema = FlatSchema {
    name: "obelus.records",
    columns: &[
        ("digest", ColumnType::Text),
        ("file", ColumnType::Text),
        ("record", ColumnType::Int),
        ("line", ColumnType::Int),
        ("format", ColumnType::Text),
        ("id", ColumnType::Text),
        ("task", ColumnType::Text),
        ("steps", ColumnType::Int),
        ("actions", ColumnType::Int),
        ("calls", ColumnType::Int),
        ("failed", ColumnType::Int),
        ("suspect", ColumnType::Int),
        ("tokens", ColumnType::Int),
        ("chars", ColumnType::Int),
        ("size", ColumnType::Int),
        ("reward", ColumnType::Float),
        ("reward_from", ColumnType::Text),
        ("finish", ColumnType::Text),
        ("agent", ColumnType::Text),
        ("model", ColumnType::Text),
        ("cost", ColumnType::Float),
        ("duration", ColumnType::Float),
        ("input_tokens", ColumnType::Int),
        ("output_tokens", ColumnType::Int),
        ("cache_read_tokens", ColumnType::Int),
        ("cache_write_tokens", ColumnType::Int),
        ("errors", ColumnType::Int),
        ("warnings", ColumnType::Int),
        ("tools", ColumnType::Texts),
        ("classes", ColumnType::Texts),
        ("rules", ColumnType::Texts),
        ("mark", ColumnType::Text),
        ("tags", ColumnType::Texts),
        ("words", ColumnType::Text),
        ("group_n", ColumnType::Int),
        ("group_mean", ColumnType::Float),
        ("group_sd", ColumnType::Float),
        ("group_pass", ColumnType::Float),
        ("group_signal", ColumnType::Int),
        ("group_advantage", ColumnType::Float),
    ],
};

/// All that a row has of the facts: the pass that gives the words gives the rest with findings and outcomes.
pub const RECORD_FIELDS: [Option<FilterField>; 4] = [
    None,
    Some(FilterField::Name(Names::Finding)),
    Some(FilterField::Number(Numbers::Failed)),
    Some(FilterField::Number(Numbers::Tokens)),
];

/// The row of a record of a file of that format, which begins in a line; its reward may be from a file beside it.
#[must_use]
pub fn record_row(
    (file, format): (&str, &str),
    entry: &RecordFacts<'_>,
    (line, key): (u64, Option<ContentKey>),
    (RecordName { id, task }, reward_from): (RecordName, Option<String>),
) -> Vec<Cell> {
    let names = |names: Names| Cell::Texts(values_of(entry, FilterField::Name(names)));
    let name = |names: Names| Cell::text(values_of(entry, FilterField::Name(names)).join(" "));
    vec![
        Cell::Text(key.map(|key| key.to_string())),
        Cell::text(file),
        Cell::count(entry.record() as u64),
        Cell::count(line),
        Cell::text(format),
        Cell::text(id),
        Cell::text(task.unwrap_or_default()),
        number(entry, Numbers::Steps),
        number(entry, Numbers::Actions),
        number(entry, Numbers::Calls),
        number(entry, Numbers::Failed),
        number(entry, Numbers::Suspect),
        number(entry, Numbers::Tokens),
        number(entry, Numbers::Chars),
        number(entry, Numbers::Size),
        Cell::Float(entry.number(Numbers::Reward)),
        Cell::Text(reward_from),
        name(Names::Finish),
        name(Names::Agent),
        name(Names::Model),
        Cell::Float(entry.number(Numbers::Cost)),
        Cell::Float(entry.number(Numbers::Duration)),
        number(entry, Numbers::InputTokens),
        number(entry, Numbers::OutputTokens),
        number(entry, Numbers::CacheReadTokens),
        number(entry, Numbers::CacheWriteTokens),
        number(entry, Numbers::Errors),
        number(entry, Numbers::Warnings),
        names(Names::Tool),
        names(Names::Class),
        names(Names::Finding),
        name(Names::Mark),
        names(Names::Tag),
        Cell::text(entry.text(Texts::Words)),
        number(entry, Numbers::GroupSize),
        Cell::Float(entry.number(Numbers::GroupMean)),
        Cell::Float(entry.number(Numbers::GroupDeviation)),
        Cell::Float(entry.number(Numbers::GroupPass)),
        number(entry, Numbers::GroupSignal),
        Cell::Float(entry.number(Numbers::GroupAdvantage)),
    ]
}

fn number(entry: &RecordFacts<'_>, number: Numbers) -> Cell {
    Cell::Int(entry.number(number).map(cast::f64_to_i64))
}
