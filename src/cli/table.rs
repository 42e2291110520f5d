//! `obelus table`: a row of facts on each record, as the table of the screen shows them, for people and programs.

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::clean::CleanOption;
use super::entries::{Pass, Passed};
use super::filter::{Passing, Where, WhereOption};
use super::finding_policy::FindingPolicy;
use super::flat::{self, FlatFile};
use super::inputs::Inputs;
use super::out::{Out, Tone};
use super::task_groups::{groups_of_files, task_groups};
use super::{Command, Stop, TROUBLE, complain, survey};
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Problem, Record};
use crate::review::flat::{
    Cell, FlatSchema, RECORD_FIELDS, RECORDS, SKETCHES, csv_row, record_row, run_row, sketch_row,
};
use crate::review::{Marks, TaskGroups, Tokenizer};
use crate::text::{counted, fit};
use clap::{ArgMatches, Args};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const COMMAND: Command = Command { name: "table", describe: Options::augment_args, run };

/// Most rows that are printed for people.
const ROWS_MAX: usize = 1_000;

/// Print a row of facts on each record: steps, calls, tokens, reward, findings; as JSON Lines, CSV or Parquet too
#[derive(Debug, Args)]
struct Options {
    /// Files or folders to read, packed ones too; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Print JSON: one value for each record, with all members
    #[arg(long)]
    json: bool,
    /// Print CSV for spreadsheets: one table of all files, all columns, their names in the first line
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write the same rows into a file: JSON Lines, CSV if it ends in .csv, or Parquet if it ends in .parquet
    #[arg(long, short, value_name = "OUT", conflicts_with_all = ["json", "csv"])]
    out: Option<PathBuf>,
    /// Overwrite an existing file (never an input)
    #[arg(long, requires = "out")]
    force: bool,
    /// Print sketches instead, which a join of other files and machines finds copies and near copies by: the digest of
    /// the body, bands that near copies share, and the bins that measure similarity (docs/scale.md)
    #[arg(long)]
    sketches: bool,
    /// Add figures of the attempts at the record's task: how many, mean and deviation of their rewards, the share that
    /// succeeds, whether there is a signal, and how far this one is above the mean; by a second pass
    #[arg(long, conflicts_with = "sketches")]
    groups: bool,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    clean: CleanOption,
    #[command(flatten)]
    marks: MarksOption,
}

/// Columns that people see.
const SHOWN: &[&str] = &[
    "record",
    "id",
    "body",
    "bins",
    "task",
    "mark",
    "steps",
    "calls",
    "failed",
    "suspect",
    "tokens",
    "reward",
    "group_n",
    "group_mean",
    "group_sd",
    "group_pass",
    "group_signal",
    "group_advantage",
    "finish",
    "errors",
    "warnings",
    "words",
];

/// Widest cell for people, in characters.
const CELL_CHARS_MAX: usize = 40;

/// Where rows go.
enum Rows {
    Lines,
    Csv,
    File(Box<FlatFile>),
    /// The first ones, and how many there are.
    Shown(Vec<Vec<Cell>>, usize),
}

struct TableRequest {
    schema: &'static FlatSchema,
    filter: Option<Where>,
    marks: Marks,
    tokenizer: Option<Arc<dyn Tokenizer>>,
    /// Whether what all attempts at a task come to is asked for.
    has_groups: bool,
    /// The same over several files.
    groups: Option<TaskGroups>,
    /// Which findings count.
    policy: RefCell<FindingPolicy>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let filter = options.clean.filter(&options.filter)?;
    let marks = options.marks.read_or_report(filter.as_ref().is_some_and(Where::has_marks))?;
    let schema = if options.sketches { &SKETCHES } else { &RECORDS };
    let (tokenizer, has_groups) = (options.filter.tokenizer()?, options.groups);
    let policy = RefCell::new(options.filter.policy()?);
    let inputs = Inputs::of(&options.files);
    let count = || groups_of_files(&inputs.names, options.format.forced());
    let has_several = inputs.names.len() > 1;
    if let Some(filter) = filter.as_ref().filter(|_| has_several) {
        filter.count_groups(count)?;
    }
    let groups = if has_groups && has_several { Some(count()?) } else { None };
    let wanted = TableRequest { schema, filter, marks, tokenizer, has_groups, groups, policy };
    let mut rows = match &options.out {
        _ if options.json => Rows::Lines,
        _ if options.csv => {
            out.line(&schema.csv_head())?;
            Rows::Csv
        }
        Some(path) => {
            let journal = options.marks.path();
            let read: Vec<&Path> = inputs.names.iter().map(AsRef::as_ref).chain(journal.as_deref()).collect();
            Rows::File(Box::new(FlatFile::create(path, schema, options.force, &read)?))
        }
        None => Rows::Shown(Vec::new(), 0),
    };
    let mut status = inputs.complain();
    for file in &inputs.names {
        let loaded = super::load(file, options.format.forced(), out).map_err(Stop::from);
        let answer = if options.sketches { sketches } else { write_rows };
        let result = loaded.and_then(|loaded| answer(file, &loaded, &wanted, &mut rows, out));
        match result {
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
                continue;
            }
            done => status = status.max(done?),
        }
        if let Rows::Shown(shown, count) = &mut rows {
            people(file, schema, &std::mem::take(shown), std::mem::take(count), out)?;
        }
    }
    if let Rows::File(file) = rows {
        file.finish()?;
    }
    Ok(status)
}

impl Rows {
    fn push(&mut self, schema: &FlatSchema, row: Vec<Cell>, out: &mut Out) -> Result<(), Stop> {
        match self {
            Self::Lines => Ok(out.json(&flat::json(schema, &row)?)?),
            // A line end in a text is one in a quoted cell.
            Self::Csv => Ok(out.text(&format!("{}\n", csv_row(&row)))?),
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

fn write_rows(
    file: &FileName,
    loaded: &Loaded,
    wanted: &TableRequest,
    rows: &mut Rows,
    out: &mut Out,
) -> Result<u8, Stop> {
    let format = loaded.detected.format;
    if format.survey(crate::format::Purpose::Table).is_none() {
        return runs(file, loaded, wanted, rows, out).map(|()| 0);
    }
    let passing = wanted.filter.as_ref().map(|filter| filter.passing(loaded, &wanted.marks)).transpose()?;
    let status = passing.as_ref().map_or(0, Passing::status);
    let passing = passing.map(|passing| passing.records);
    let pass = Pass {
        fields: &RECORD_FIELDS,
        marks: Some(&wanted.marks),
        tokenizer: wanted.tokenizer.as_deref(),
        passing: passing.as_deref(),
        policy: &wanted.policy,
    };
    let place = (file.text(), format.name());
    let of_file = if wanted.has_groups && wanted.groups.is_none() { Some(task_groups(loaded)?) } else { None };
    let groups = wanted.groups.as_ref().or(of_file.as_ref());
    pass.each(
        loaded,
        |_, _| (),
        |Passed { entry, name, line, key, .. }| {
            let entry = entry.with_groups(groups);
            rows.push(&RECORDS, record_row((&place.0, place.1), &entry, (line, key), name), out)
        },
    )?;
    Ok(status)
}

/// The rows of a file that is one run, or some: what `stats` says of each.
fn runs(file: &FileName, loaded: &Loaded, wanted: &TableRequest, rows: &mut Rows, out: &mut Out) -> Result<(), Stop> {
    if wanted.filter.is_some() {
        let message = format!("the records of {} are not trajectories, which --where asks", loaded.input.name());
        return Err(Problem::usage(message).hint("`obelus steps --where` asks the steps of a run").into());
    }
    let format = loaded.detected.format.name();
    survey::stats(loaded, |stats| match run_row((&file.text(), format), stats) {
        Some(row) => rows.push(&RECORDS, row, out),
        None => Ok(()),
    })
}

/// The rows of what identifies copies of the records of a file.
fn sketches(
    file: &FileName,
    loaded: &Loaded,
    wanted: &TableRequest,
    rows: &mut Rows,
    out: &mut Out,
) -> Result<u8, Stop> {
    let format = loaded.detected.format;
    if format.layout() == Layout::Run && !format.is_any() {
        let message =
            format!("{} is one run: its records are messages, which no dataset has twice", loaded.input.name());
        return Err(Problem::usage(message).hint("`obelus table` tells the run").into());
    }
    let passing = wanted.filter.as_ref().map(|filter| filter.passing(loaded, &wanted.marks)).transpose()?;
    let (name, way) = (file.text(), loaded.detected.format.way());
    let is_wanted = |record: &Record| passing.as_ref().is_none_or(|passing| passing.has(record.number));
    let row = |record: &Record, text: &[u8]| is_wanted(record).then(|| sketch_row(&name, record, text, way));
    ingest::look_at_known(loaded, row, |row| match row {
        Some(row) => rows.push(wanted.schema, row, out),
        None => Ok(()),
    })?;
    Ok(passing.as_ref().map_or(0, Passing::status))
}

/// The rows of a file for people: columns that hold something.
fn people(file: &FileName, schema: &FlatSchema, rows: &[Vec<Cell>], count: usize, out: &mut Out) -> Result<(), Stop> {
    out.line(&format!("{file}  {}", counted(count, "record")))?;
    let is_filled = |cell: &Cell| !matches!(cell, Cell::Int(None | Some(0)) | Cell::Float(None) | Cell::Text(None));
    let is_same = |(one, other): (usize, usize)| rows.iter().all(|row| row.get(one) == row.get(other));
    let at = |name: &str| schema.columns.iter().position(|(known, _)| *known == name);
    // Where no task has several attempts the ids say it all.
    let names_tasks = !at("id").zip(at("task")).is_some_and(is_same);
    let shown = SHOWN.iter().filter(|name| names_tasks || **name != "task");
    let non_empty: Vec<(usize, &str)> = shown
        .filter_map(|name| Some((at(name)?, *name)))
        .filter(|(at, name)| *name == "record" || rows.iter().any(|row| row.get(*at).is_some_and(is_filled)))
        .collect();
    let mut table = vec![non_empty.iter().map(|(_, name)| (Tone::Dim, (*name).to_owned())).collect::<Vec<_>>()];
    for row in rows {
        let cells = non_empty.iter().filter_map(|(at, name)| Some((row.get(*at)?, *name)));
        table.push(cells.map(|(cell, name)| (tone(name, cell), cell_text(cell))).collect());
    }
    table.iter_mut().filter_map(|row| row.first_mut()).for_each(|(_, text)| text.insert_str(0, "  "));
    out.cells(&table)?;
    if count > rows.len() {
        let more = format!("  … and {} more; --json, --csv and --out have all", count - rows.len());
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

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Int(Some(number)) => number.to_string(),
        Cell::Float(Some(number)) => number.to_string(),
        Cell::Text(Some(text)) => fit(text, CELL_CHARS_MAX).into_owned(),
        Cell::Texts(texts) => texts.join(" "),
        Cell::Int(None) | Cell::Float(None) | Cell::Text(None) => "–".to_owned(),
    }
}
