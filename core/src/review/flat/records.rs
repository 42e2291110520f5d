//! Facts on records as rows of one flat schema, as the table of the screen shows them.

use super::{Cell, Schema, Type};
use crate::model::cast;
use crate::review::{ContentKey, Entry, Field, Names, Numbers, Subject, Texts, values_of};
use crate::rules::trajectory::RecordName;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The schema of the rows.
pub static RECORDS: Schema = Schema {
    name: "obelus.records",
    columns: &[
        ("digest", Type::Text),
        ("file", Type::Text),
        ("record", Type::Int),
        ("line", Type::Int),
        ("format", Type::Text),
        ("id", Type::Text),
        ("task", Type::Text),
        ("steps", Type::Int),
        ("actions", Type::Int),
        ("calls", Type::Int),
        ("failed", Type::Int),
        ("suspect", Type::Int),
        ("tokens", Type::Int),
        ("chars", Type::Int),
        ("size", Type::Int),
        ("reward", Type::Float),
        ("finish", Type::Text),
        ("errors", Type::Int),
        ("warnings", Type::Int),
        ("tools", Type::Texts),
        ("classes", Type::Texts),
        ("rules", Type::Texts),
        ("mark", Type::Text),
        ("tags", Type::Texts),
        ("words", Type::Text),
        ("group_n", Type::Int),
        ("group_mean", Type::Float),
        ("group_sd", Type::Float),
        ("group_pass", Type::Float),
        ("group_signal", Type::Int),
        ("group_advantage", Type::Float),
    ],
};

/// All that a row has of the facts: the pass that gives the words gives the rest with findings and outcomes.
pub const RECORD_FIELDS: [Option<Field>; 4] = [
    None,
    Some(Field::Name(Names::Finding)),
    Some(Field::Number(Numbers::Failed)),
    Some(Field::Number(Numbers::Tokens)),
];

/// The row of a record of a file of that format, which begins in a line.
#[must_use]
pub fn record_row(
    (file, format): (&str, &str),
    entry: &Entry<'_>,
    (line, key): (u64, Option<ContentKey>),
    RecordName { id, task }: RecordName,
) -> Vec<Cell> {
    let names = |names: Names| Cell::Texts(values_of(entry, Field::Name(names)));
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
        Cell::text(values_of(entry, Field::Name(Names::Finish)).join(" ")),
        number(entry, Numbers::Errors),
        number(entry, Numbers::Warnings),
        names(Names::Tool),
        names(Names::Class),
        names(Names::Finding),
        Cell::text(values_of(entry, Field::Name(Names::Mark)).join(" ")),
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

fn number(entry: &Entry<'_>, number: Numbers) -> Cell {
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
    #[serde(default)]
    tools: std::collections::BTreeMap<String, u64>,
}

/// The row of a run of a file of that format, from its line of `stats --json`; None: it is the line of the file.
#[must_use]
pub fn run_row((file, format): (&str, &str), stats: &RawValue) -> Option<Vec<Cell>> {
    let line: RunLine = serde_json::from_str(stats.get()).ok().filter(|line: &RunLine| line.r#type == "trajectory")?;
    let cell = |(name, kind): &(&str, Type)| match *name {
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
        "tools" => Cell::Texts(line.tools.keys().cloned().collect()),
        _ => match kind {
            Type::Int => Cell::Int(None),
            Type::Float => Cell::Float(None),
            Type::Text => Cell::Text(None),
            Type::Texts => Cell::Texts(Vec::new()),
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
