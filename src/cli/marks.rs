//! `obelus marks`: what was decided, of everything or of files; and journals of several people as one.

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::filter::{Passing, Where, WhereOption};
use super::inputs::Inputs;
use super::out::{Out, Tone};
use super::{Command, Stop, TROUBLE, complain, output_path};
use crate::format::Layout;
use crate::ingest::Loaded;
use crate::model::{Problem, StepNo, Timestamp};
use crate::review::{ContentKey, Mark, MarkEvent, MarkTarget, Marks, Scope, Units, Verdict};
use crate::shell::mark_journal::JournalContents;
use crate::source::Journal;
use crate::text::counted;
use clap::{ArgMatches, Args, Subcommand};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(super) const COMMAND: Command = Command { name: "marks", describe: Options::augment_args, run };

/// Print the marks of the journal, all or those on the records of files
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    action: Option<Action>,
    /// Files or folders: only marks on their contents, and how many of their records have one
    #[arg(value_name = "FILE")]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    marks: MarksOption,
    /// Print JSON: one value for each line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print several journals as one: each line once, in the order in which they count
    Merge {
        /// Journals
        #[arg(value_name = "JOURNAL", required = true)]
        journals: Vec<PathBuf>,
        /// File to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "out")]
        force: bool,
    },
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    if let Some(Action::Merge { journals, out: file, force }) = &options.action {
        return merge(journals, file.as_deref(), *force, out);
    }
    let filter = options.filter.filter(Scope::Records)?;
    if filter.is_some() && options.files.is_empty() {
        return Err(Problem::usage("--where asks of the records of a FILE, and none is named").into());
    }
    let (marks, gathered) = options.marks.read()?;
    warn_left_out(&gathered);
    if options.files.is_empty() {
        return write_marks(marks.iter().map(|(target, mark)| (None, target, mark)), &marks, options.json, out);
    }
    let inputs = Inputs::of(&options.files);
    let mut status = inputs.complain();
    for file in &inputs.names {
        match of_file(&options, file, filter.as_ref(), &marks, out) {
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
            }
            done => status = status.max(done?),
        }
    }
    Ok(status)
}

/// The marks on the content of a file, and the progress of its review.
fn of_file(
    options: &Options,
    file: &FileName,
    filter: Option<&Where>,
    marks: &Marks,
    out: &mut Out,
) -> Result<u8, Stop> {
    let loaded = super::load(file, options.format.forced(), out)?;
    let units = units(&loaded)?;
    let passing = filter.map(|filter| filter.passing(&loaded, marks)).transpose()?;
    let is_wanted = |unit| passing.as_ref().is_none_or(|passing| passing.has(unit));
    let here = units.marks(marks).into_iter().filter(|(unit, ..)| is_wanted(*unit));
    let here = here.map(|(unit, target, mark)| (Some(unit), target, mark));
    write_marks(here, marks, options.json, out)?;
    progress(&file.text(), &loaded, &units, marks, options.json, out)?;
    Ok(passing.as_ref().map_or(0, Passing::status))
}

fn warn_left_out(gathered: &JournalContents) {
    let (broken, newer) = (gathered.broken, gathered.newer.len());
    if broken > 0 {
        let are = if broken == 1 { "is" } else { "are" };
        complain(&format!("{} of the journal cannot be read and {are} left out", counted(broken, "line")));
    }
    if newer > 0 {
        let are = if newer == 1 { "is" } else { "are" };
        complain(&format!("{} of the journal {are} of a later obelus and left out", counted(newer, "line")));
    }
}

/// The keys of a file's units.
pub(super) fn units(loaded: &Loaded) -> Result<Units, Problem> {
    let is_run = loaded.detected.format.layout() == Layout::Run;
    let mut units = Units::new(is_run);
    let key = |span| ContentKey::read(loaded.input.as_ref(), span);
    let keys: Result<Vec<ContentKey>, Problem> = if is_run {
        let run = loaded.run(0)?;
        let steps = 0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX);
        steps.map(|step| run.place(step).map_or(Ok(ContentKey::of(b"")), |place| key(place.place.span))).collect()
    } else {
        loaded.records()?.iter().map(|record| key(record.place.span)).collect()
    };
    units.extend(keys?);
    Ok(units)
}

/// One mark for `--json`.
#[derive(Serialize)]
struct MarkedLine<'m> {
    obelus: u32,
    key: String,
    id: Option<&'m str>,
    file: Option<&'m str>,
    record: Option<u64>,
    step: Option<StepNo>,
    path: Option<&'m str>,
    instance: Option<&'m str>,
    decision: Option<&'static str>,
    flagged: bool,
    tags: &'m BTreeSet<String>,
    note: Option<&'m str>,
    author: Option<&'m str>,
    time: Option<u64>,
}

/// Marks, each with the number of its unit in the file asked for.
fn write_marks<'m>(
    all: impl Iterator<Item = (Option<usize>, &'m MarkTarget, &'m Mark)>,
    marks: &Marks,
    is_json: bool,
    out: &mut Out,
) -> Result<u8, Stop> {
    let mut rows = Vec::new();
    for (unit, target, mark) in all {
        let last = marks.last_event(target);
        if is_json {
            out.json(&json(target, mark, last)?)?;
        } else {
            rows.push(row(unit, target, mark, last));
        }
    }
    out.table(&rows)?;
    Ok(0)
}

fn json(target: &MarkTarget, mark: &Mark, last: Option<&MarkEvent>) -> Result<String, Problem> {
    let line = MarkedLine {
        obelus: 1,
        key: target.key.to_string(),
        id: last.and_then(|e| e.about.id.as_deref()),
        file: last.and_then(|e| e.about.file.as_deref()),
        record: last.and_then(|e| e.about.record),
        step: target.step,
        path: target.path.as_deref(),
        instance: target.instance.as_deref(),
        decision: mark.verdict.map(Verdict::name),
        flagged: mark.is_flagged,
        tags: &mark.tags,
        note: mark.note.as_deref(),
        author: last.map(|e| e.author.as_str()),
        time: last.map(|e| e.time_ms),
    };
    serde_json::to_string(&line).map_err(|e| Problem::unreadable(format!("a mark has no JSON: {e}")))
}

fn row(unit: Option<usize>, target: &MarkTarget, mark: &Mark, last: Option<&MarkEvent>) -> Vec<String> {
    let about = last.map(|e| e.about.clone()).unwrap_or_default();
    let record = unit.map(|n| n as u64).or(about.record).filter(|_| target.step.is_none() || about.id.is_some());
    let mut place = vec![about.id.unwrap_or_else(|| target.key.to_string()[..12].to_owned())];
    place.extend(record.map(|n| format!("#{n}")));
    place.extend(target.step.map(|step| format!("@{step}")));
    place.extend(target.path.clone());
    place.extend(target.instance.clone());
    let tags = mark.tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>().join(" ");
    let flag = if mark.is_flagged { "⚑" } else { "" };
    vec![
        format!("{}{flag}", mark.verdict.map_or("", Verdict::name)),
        place.join(" "),
        tags,
        mark.note.as_deref().unwrap_or_default().replace(['\n', '\r'], " "),
        last.map(|e| format!("{} {}", e.author, Timestamp::of_millis(e.time_ms).dated())).unwrap_or_default(),
    ]
}

/// How far the review of a file is.
#[derive(Serialize)]
struct Progress<'f> {
    obelus: u32,
    file: &'f str,
    records: usize,
    decided: usize,
    good: usize,
    bad: usize,
    unsure: usize,
}

fn progress(
    file: &str,
    loaded: &Loaded,
    units: &Units,
    marks: &Marks,
    is_json: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    if loaded.detected.format.layout() == Layout::Run {
        return Ok(());
    }
    let [good, bad, unsure] = units.count(marks, 0);
    let (records, decided) = (units.len(), good + bad + unsure);
    if is_json {
        let line = Progress { obelus: 1, file, records, decided, good, bad, unsure };
        let text = serde_json::to_string(&line).map_err(|e| Problem::unreadable(format!("no JSON: {e}")))?;
        return Ok(out.json(&text)?);
    }
    let text = format!("{file}: {decided}/{records} decided, {bad} dropped, {good} kept, {unsure} unsure");
    Ok(out.styled(&[(Tone::Strong, &text)])?)
}

/// The union of the lines of several journals. The same lines in any order give the same text.
fn merge(journals: &[PathBuf], file: Option<&Path>, is_forced: bool, out: &mut Out) -> Result<u8, Stop> {
    let mut events: BTreeMap<String, MarkEvent> = BTreeMap::new();
    let mut newer = BTreeSet::new();
    for journal in journals {
        let gathered = JournalContents::of(&Journal::at(journal).all_lines()?);
        if gathered.broken > 0 {
            let are = if gathered.broken == 1 { "is" } else { "are" };
            let lines = counted(gathered.broken, "line");
            complain(&format!("{}: {lines} cannot be read and {are} left out", journal.display()));
        }
        events.extend(gathered.events.into_iter().map(|event| (event.line(), event)));
        newer.extend(gathered.newer);
    }
    let mut lines: Vec<(String, MarkEvent)> = events.into_iter().collect();
    lines.sort_by(|(a, first), (b, second)| first.compare(second).then_with(|| a.cmp(b)));
    let mut all = lines.into_iter().map(|(line, _)| line).chain(newer);
    let Some(file) = file else {
        all.try_for_each(|line| out.json(&line))?;
        return Ok(0);
    };
    let inputs: Vec<&Path> = journals.iter().map(PathBuf::as_path).collect();
    let mut output = output_path::create_journal(file, is_forced, &inputs)?;
    all.try_for_each(|line| output.write(format!("{line}\n").as_bytes()))?;
    output.finish()?.publish()?;
    Ok(0)
}
