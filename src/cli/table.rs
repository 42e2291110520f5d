//! `obelus table`: a row of facts on each record, as the table of the screen shows them, for people and programs.

mod people;
mod rows;

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::clean::CleanOption;
use super::each_file::each_file;
use super::entries::{Pass, Passed};
use super::filter::{Passing, Where, WhereOption};
use super::finding_policy::FindingPolicy;
use super::flat::FlatFile;
use super::inputs::Inputs;
use super::out::Out;
use super::task_groups::{groups_of_files, task_groups};
use super::{Command, Stop};
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Problem, Record};
use crate::review::flat::{RECORD_FIELDS, RECORDS, SKETCHES, record_row, sketch_row};
use crate::review::{Marks, TaskGroups, Tokenizer};
use clap::{ArgMatches, Args};
use people::{Source, common_folder};
use rows::{RowTarget, Rows, SortOrder};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const COMMAND: Command = Command { name: "table", describe: Options::augment_args, run };

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
    /// Order rows by this column, `-COLUMN` by the greatest first; what is not known comes last; rows wait in memory
    #[arg(long, value_name = "[-]COLUMN", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Only the first rows: of the order, or as they come
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    clean: CleanOption,
    #[command(flatten)]
    marks: MarksOption,
}

struct TableRequest {
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
    let sort = options.sort.as_deref().map(|column| SortOrder::read(column, schema)).transpose()?;
    let (tokenizer, has_groups) = (options.filter.tokenizer()?, options.groups);
    let policy = RefCell::new(options.filter.policy()?);
    let inputs = Inputs::of(&options.files);
    let count = || groups_of_files(&inputs, options.format.forced());
    let has_several = inputs.names.len() > 1;
    if let Some(filter) = filter.as_ref().filter(|_| has_several) {
        filter.count_groups(count)?;
    }
    let groups = if has_groups && has_several { Some(count()?) } else { None };
    let wanted = TableRequest { filter, marks, tokenizer, has_groups, groups, policy };
    let target = match &options.out {
        _ if options.json => RowTarget::Lines,
        _ if options.csv => {
            out.line(&schema.csv_head())?;
            RowTarget::Csv
        }
        Some(path) => {
            let journal = options.marks.path();
            let read: Vec<&Path> = inputs.names.iter().map(AsRef::as_ref).chain(journal.as_deref()).collect();
            RowTarget::File(Box::new(FlatFile::create(path, schema, options.force, &read)?))
        }
        None => RowTarget::Shown(Vec::new(), 0),
    };
    let mut rows = Rows::new(target, schema, sort, options.limit.unwrap_or(usize::MAX));
    let status = inputs.complain();
    let answer = if options.sketches { sketches } else { write_rows };
    let wants_findings = !options.sketches;
    let read = each_file(&inputs, options.format.forced(), wants_findings, out, |file, loaded, out| {
        let status = match answer(file, loaded, &wanted, &mut rows, out) {
            Err(Stop::Enough) => 0,
            answered => answered?,
        };
        if !has_several {
            rows.show(&Source::One(file), out)?;
        }
        if rows.is_full() { Err(Stop::Enough) } else { Ok(status) }
    })?;
    rows.finish(&inputs.names, &common_folder(&inputs.names), out)?;
    Ok(status.max(read))
}

fn write_rows(
    file: &FileName,
    loaded: &Loaded,
    wanted: &TableRequest,
    rows: &mut Rows,
    out: &mut Out,
) -> Result<u8, Stop> {
    let format = loaded.detected.format;
    let passing = wanted.filter.as_ref().map(|filter| filter.passing_rows(loaded, &wanted.marks)).transpose()?;
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
        |Passed { entry, name, reward_from, line, key, .. }| {
            let entry = entry.with_groups(groups);
            rows.push(record_row((&place.0, place.1), &entry, (line, key), (name, reward_from)), out)
        },
    )?;
    Ok(status)
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
        return Err(Problem::usage(message).hint("`obelus table` has a row of it").into());
    }
    let passing = wanted.filter.as_ref().map(|filter| filter.passing(loaded, &wanted.marks)).transpose()?;
    let (name, way) = (file.text(), loaded.detected.format.way());
    let is_wanted = |record: &Record| passing.as_ref().is_none_or(|passing| passing.has(record.number));
    let row = |record: &Record, text: &[u8]| is_wanted(record).then(|| sketch_row(&name, record, text, way));
    ingest::look_at_known(loaded, row, |row| match row {
        Some(row) => rows.push(row, out),
        None => Ok(()),
    })?;
    Ok(passing.as_ref().map_or(0, Passing::status))
}
