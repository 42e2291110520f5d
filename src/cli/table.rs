//! `obelus table`: a row of facts on each record, as the table of the screen shows them, for people and programs.

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::entries::{Pass, Passed};
use super::filter::{Passing, WhereOption};
use super::flat::{Cell, FlatFile, Schema, Type};
use super::inputs::Inputs;
use super::out::{Out, Tone, counted};
use super::{Command, Stop, TROUBLE, complain, survey};
use crate::ingest::Loaded;
use crate::json;
use crate::model::cast;
use crate::model::{Problem, lossy};
use crate::review::{Entry, Field, Marks, Names, Numbers, Scope, Subject, Texts, Tokenizer, values_of};
use crate::rules::trajectory::{record_id, task};
use clap::{ArgMatches, Args};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const COMMAND: Command = Command { name: "table", describe: Options::augment_args, run };

/// Most rows that are printed for people.
const ROWS_MAX: usize = 1_000;

/// Print a row of facts on each record: steps, calls, tokens, reward, findings; as JSON Lines or Parquet for programs
#[derive(Debug, Args)]
struct Options {
    /// Files or folders to read, packed ones too; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Answer for programs: one JSON text a record, each with all members
    #[arg(long)]
    json: bool,
    /// Write the same rows into a file: JSON Lines, or Parquet if it ends in .parquet
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Write over a file that is there (never over an input)
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    marks: MarksOption,
}

/// The schema of the rows.
static RECORDS: Schema = Schema {
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
    ],
};

/// Columns that people see.
const SHOWN: &[&str] = &[
    "record", "id", "task", "mark", "steps", "calls", "failed", "suspect", "tokens", "reward", "finish", "errors",
    "warnings", "words",
];

/// Widest cell for people, in characters.
const CELL_CHARS_MAX: usize = 40;

/// All that a row has of the facts: the pass that gives the words gives the rest with findings and outcomes.
const FIELDS: [Option<Field>; 4] = [
    None,
    Some(Field::Name(Names::Finding)),
    Some(Field::Number(Numbers::Failed)),
    Some(Field::Number(Numbers::Tokens)),
];

/// Where rows go.
enum Rows {
    Lines,
    File(Box<FlatFile>),
    /// The first ones, and how many there are.
    Shown(Vec<Vec<Cell>>, usize),
}

struct Wanted {
    filter: Option<super::filter::Where>,
    marks: Marks,
    tokenizer: Option<Arc<dyn Tokenizer>>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let marks = if options.marks.path().is_some() { options.marks.read()?.0 } else { Marks::default() };
    let filter = options.filter.filter(Scope::Records)?;
    let wanted = Wanted { filter, marks, tokenizer: options.filter.tokenizer()? };
    let inputs = Inputs::of(&options.files);
    let mut rows = match &options.out {
        _ if options.json => Rows::Lines,
        Some(path) => {
            let journal = options.marks.path();
            let read: Vec<&Path> = inputs.names.iter().map(AsRef::as_ref).chain(journal.as_deref()).collect();
            Rows::File(Box::new(FlatFile::create(path, &RECORDS, options.force, &read)?))
        }
        None => Rows::Shown(Vec::new(), 0),
    };
    let mut status = inputs.complain();
    for file in &inputs.names {
        let loaded = super::load(file, options.format.forced(), out).map_err(Stop::from);
        let told = loaded.and_then(|loaded| tell(file, &loaded, &wanted, &mut rows, out));
        match told {
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
            }
            done => status = status.max(done?),
        }
        if let Rows::Shown(shown, count) = &mut rows {
            people(file, &std::mem::take(shown), std::mem::take(count), out)?;
        }
    }
    if let Rows::File(file) = rows {
        file.finish()?;
    }
    Ok(status)
}

impl Rows {
    fn push(&mut self, row: Vec<Cell>, out: &mut Out) -> Result<(), Stop> {
        match self {
            Self::Lines => Ok(out.json(&RECORDS.json(&row)?)?),
            Self::File(file) => Ok(file.push(row)?),
            Self::Shown(rows, count) => {
                *count += 1;
                if rows.len() < ROWS_MAX {
                    rows.push(row);
                }
                Ok(())
            }
        }
    }
}

/// What a row has of the text of its record.
struct Named {
    id: String,
    task: String,
}

fn tell(file: &FileName, loaded: &Loaded, wanted: &Wanted, rows: &mut Rows, out: &mut Out) -> Result<u8, Stop> {
    let format = loaded.detected.format;
    if format.survey(crate::format::Purpose::Table).is_none() {
        return runs(file, loaded, wanted, rows, out).map(|()| 0);
    }
    let passing = wanted.filter.as_ref().map(|filter| filter.passing(loaded, &wanted.marks)).transpose()?;
    let status = passing.as_ref().map_or(0, Passing::status);
    let passing = passing.map(|passing| passing.records);
    let pass = Pass {
        fields: &FIELDS,
        marks: Some(&wanted.marks),
        tokenizer: wanted.tokenizer.as_deref(),
        passing: passing.as_deref(),
    };
    let named = |text: &[u8]| {
        let text = lossy(text);
        let value = json::parse(&text).ok();
        let id = value.as_ref().and_then(record_id).map(|id| id.as_str().unwrap_or(id.text).to_owned());
        let task = value.as_ref().and_then(|value| task(value, None));
        Named { id: id.unwrap_or_default(), task: task.unwrap_or_default() }
    };
    let place = (file.text(), format.name());
    pass.each(loaded, |_, text| named(text), |passed| rows.push(row((&place.0, place.1), passed), out))?;
    Ok(status)
}

/// The row of a record.
fn row((file, format): (&str, &str), passed: Passed<'_, Named>) -> Vec<Cell> {
    let Passed { entry, line, key, also: Named { id, task } } = passed;
    let names = |names: Names| Cell::Texts(values_of(&entry, Field::Name(names)));
    vec![
        Cell::Text(key.map(|key| key.to_string())),
        Cell::text(file),
        Cell::count(entry.record() as u64),
        Cell::count(line),
        Cell::text(format),
        Cell::text(id),
        Cell::text(task),
        number(&entry, Numbers::Steps),
        number(&entry, Numbers::Actions),
        number(&entry, Numbers::Calls),
        number(&entry, Numbers::Failed),
        number(&entry, Numbers::Suspect),
        number(&entry, Numbers::Tokens),
        number(&entry, Numbers::Chars),
        number(&entry, Numbers::Size),
        Cell::Float(entry.number(Numbers::Reward)),
        Cell::text(values_of(&entry, Field::Name(Names::Finish)).join(" ")),
        number(&entry, Numbers::Errors),
        number(&entry, Numbers::Warnings),
        names(Names::Tool),
        names(Names::Class),
        names(Names::Finding),
        Cell::text(values_of(&entry, Field::Name(Names::Mark)).join(" ")),
        names(Names::Tag),
        Cell::text(entry.text(Texts::Words)),
    ]
}

fn number(entry: &Entry<'_>, number: Numbers) -> Cell {
    Cell::Int(entry.number(number).map(cast::f64_to_i64))
}

/// The members of statistics of a run that rows have.
#[derive(Deserialize)]
struct RunLine {
    record: Option<i64>,
    id: Option<String>,
    steps: Option<serde_json::Value>,
    calls: Option<i64>,
    tokens_est: Option<i64>,
    chars: Option<i64>,
    errors: Option<i64>,
    warnings: Option<i64>,
    #[serde(default)]
    tools: std::collections::BTreeMap<String, u64>,
}

/// The rows of a file that is one run, or some: what `stats` says of each.
fn runs(file: &FileName, loaded: &Loaded, wanted: &Wanted, rows: &mut Rows, out: &mut Out) -> Result<(), Stop> {
    if wanted.filter.is_some() {
        let message = format!("the records of {} are no trajectories, which --where asks", loaded.input.name());
        return Err(Problem::usage(message).hint("`obelus steps --where` asks the steps of a run").into());
    }
    survey::stats(loaded, |stats| {
        let Ok(line) = serde_json::from_str::<RunLine>(stats.get()) else { return Ok(()) };
        if survey::is_of_dataset(stats) {
            return Ok(());
        }
        let cell = |(name, kind): &(&str, Type)| match *name {
            "file" => Cell::text(file.text()),
            "format" => Cell::text(loaded.detected.format.name()),
            "record" => Cell::Int(line.record),
            "id" => Cell::Text(line.id.clone()),
            "steps" => Cell::Int(line.steps.as_ref().and_then(serde_json::Value::as_i64)),
            "calls" => Cell::Int(line.calls),
            "tokens" => Cell::Int(line.tokens_est),
            "chars" => Cell::Int(line.chars),
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
        rows.push(RECORDS.columns.iter().map(cell).collect(), out)
    })
}

/// The rows of a file for people: columns that hold something.
fn people(file: &FileName, rows: &[Vec<Cell>], count: usize, out: &mut Out) -> Result<(), Stop> {
    out.line(&format!("{file}  {}", counted(count, "record")))?;
    let is_told = |cell: &Cell| !matches!(cell, Cell::Int(None | Some(0)) | Cell::Float(None) | Cell::Text(None));
    let is_same = |(one, other): (usize, usize)| rows.iter().all(|row| row.get(one) == row.get(other));
    let at = |name: &str| RECORDS.columns.iter().position(|(known, _)| *known == name);
    // Where no task has several attempts the ids say it all.
    let names_tasks = !at("id").zip(at("task")).is_some_and(is_same);
    let shown = SHOWN.iter().filter(|name| names_tasks || **name != "task");
    let held: Vec<(usize, &str)> = shown
        .filter_map(|name| Some((at(name)?, *name)))
        .filter(|(at, name)| *name == "record" || rows.iter().any(|row| row.get(*at).is_some_and(is_told)))
        .collect();
    let mut table = vec![held.iter().map(|(_, name)| (Tone::Dim, (*name).to_owned())).collect::<Vec<_>>()];
    for row in rows {
        let cells = held.iter().filter_map(|(at, name)| Some((row.get(*at)?, *name)));
        table.push(cells.map(|(cell, name)| (tone(name, cell), told(cell))).collect());
    }
    table.iter_mut().filter_map(|row| row.first_mut()).for_each(|(_, text)| text.insert_str(0, "  "));
    out.cells(&table)?;
    if count > rows.len() {
        let more = format!("  … and {} more; --json and --out have all", count - rows.len());
        out.styled(&[(Tone::Dim, &more)])?;
    }
    Ok(())
}

fn tone(name: &str, cell: &Cell) -> Tone {
    match (name, cell) {
        ("record" | "words" | "task", _) => Tone::Dim,
        ("failed" | "errors", Cell::Int(Some(1..))) => Tone::Error,
        ("warnings" | "suspect", Cell::Int(Some(1..))) => Tone::Warning,
        _ => Tone::Plain,
    }
}

fn told(cell: &Cell) -> String {
    match cell {
        Cell::Int(Some(number)) => number.to_string(),
        Cell::Float(Some(number)) => number.to_string(),
        Cell::Text(Some(text)) if text.chars().count() > CELL_CHARS_MAX => {
            text.chars().take(CELL_CHARS_MAX - 1).chain(['…']).collect()
        }
        Cell::Text(Some(text)) => text.clone(),
        Cell::Texts(texts) => texts.join(" "),
        Cell::Int(None) | Cell::Float(None) | Cell::Text(None) => "–".to_owned(),
    }
}
