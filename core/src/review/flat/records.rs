//! Facts on records as rows of one flat schema, as the table of the screen shows them.

use super::{Cell, ColumnType, FlatSchema};
use crate::model::cast;
use crate::review::{ContentKey, FilterField, Names, Numbers, RecordFacts, Subject, Texts, values_of};
use crate::rules::trajectory::RecordName;
use serde::Deserialize;
use serde_json::value::RawValue;

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
        ("finish", ColumnType::Text),
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

/// The row of a record of a file of that format, which begins in a line.
#[must_use]
pub fn record_row(
    (file, format): (&str, &str),
    entry: &RecordFacts<'_>,
    (line, key): (u64, Option<ContentKey>),
    RecordName { id, task }: RecordName,
) -> Vec<Cell> {
    let names = |names: Names| Cell::Texts(values_of(entry, FilterField::Name(names)));
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
        Cell::text(values_of(entry, FilterField::Name(Names::Finish)).join(" ")),
        number(entry, Numbers::Errors),
        number(entry, Numbers::Warnings),
        names(Names::Tool),
        names(Names::Class),
        names(Names::Finding),
        Cell::text(values_of(entry, FilterField::Name(Names::Mark)).join(" ")),
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

/// The members of statistics of a run that rows have.
#[derive(Deserialize)]
struct RunLine {
    r#type: String,
    record: Option<i64>,
    id: Option<String>,
    steps: Option<serde_json::Value>,
    calls: Option<i64>,
    tokens_est: Option<i64>,
    chars: Option<i64>,
    reward: Option<f64>,
    errors: Option<i64>,
    warnings: Option<i64>,
    failed: Option<i64>,
    suspect: Option<i64>,
    #[serde(default)]
    tools: std::collections::BTreeMap<String, u64>,
}

/// The row of a run of a file of that format, from its line of `stats --json`; None: it is the line of the file.
#[must_use]
pub fn run_row((file, format): (&str, &str), stats: &RawValue) -> Option<Vec<Cell>> {
    let line: RunLine = serde_json::from_str(stats.get()).ok().filter(|line: &RunLine| line.r#type == "trajectory")?;
    let cell = |(name, kind): &(&str, ColumnType)| match *name {
        "file" => Cell::text(file),
        "format" => Cell::text(format),
        "record" => Cell::Int(line.record),
        "id" => Cell::Text(line.id.clone()),
        "steps" => Cell::Int(line.steps.as_ref().and_then(serde_json::Value::as_i64)),
        "calls" => Cell::Int(line.calls),
        "tokens" => Cell::Int(line.tokens_est),
        "chars" => Cell::Int(line.chars),
        "reward" => Cell::Float(line.reward),
        "errors" => Cell::Int(line.errors),
        "warnings" => Cell::Int(line.warnings),
        "failed" => Cell::Int(line.failed),
        "suspect" => Cell::Int(line.suspect),
        "tools" => Cell::Texts(line.tools.keys().cloned().collect()),
        _ => match kind {
            ColumnType::Int => Cell::Int(None),
            ColumnType::Float => Cell::Float(None),
            ColumnType::Text => Cell::Text(None),
            ColumnType::Texts => Cell::Texts(Vec::new()),
        },
    };
    Some(RECORDS.columns.iter().map(cell).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_run_has_its_reward() {
        let at = |name: &str| RECORDS.columns.iter().position(|(known, _)| *known == name).unwrap();
        let row = |line: &str| run_row(("a.jsonl", "acts"), &RawValue::from_string(line.to_owned()).unwrap());
        let rewarded = row(r#"{"type":"trajectory","record":0,"steps":3,"reward":0.5}"#).unwrap();
        assert_eq!((&rewarded[at("reward")], &rewarded[at("steps")]), (&Cell::Float(Some(0.5)), &Cell::Int(Some(3))));
        let bare = row(r#"{"type":"trajectory","record":0,"steps":3,"reward":null}"#).unwrap();
        assert_eq!(bare[at("reward")], Cell::Float(None));
        assert_eq!(row(r#"{"type":"dataset","steps":3}"#), None);
    }
}
