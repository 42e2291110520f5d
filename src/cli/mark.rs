//! `obelus mark`: a decision on records, a step or a value, as the keys of the screen make it.

use super::args::{FileName, FormatOption, MarksOption, parsed, step};
use super::clean::CleanOption;
use super::filter::{Passing, WhereOption};
use super::out::Out;
use super::{Command, Stop};
use crate::format::{Instances, Layout, Run, TypedPath};
use crate::ingest::{self, Loaded, is_input_folder};
use crate::model::{Problem, StepNo};
use crate::review::{About, Change, ContentKey, MarkTarget, Marks, Verdict};
use crate::shell::mark_journal::MarkJournal;
use crate::source::Stamp;
use crate::text::counted;
use clap::{ArgMatches, Args, ValueEnum};
use std::path::Path;

pub(super) const COMMAND: Command = Command { name: "mark", describe: Options::augment_args, run };

/// Mark records, a step or a value: good, bad, unsure, flags, tags, notes
#[derive(Debug, Args)]
struct Options {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: FileName,
    #[command(flatten)]
    format: FormatOption,
    /// Records of a dataset, from 0: numbers and ranges, such as 3,7,10-19 [default: 0; with --where all]
    #[arg(long, value_name = "R", value_parser = ranges)]
    record: Option<Ranges>,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    clean: CleanOption,
    /// Step of the record; a file that is one run needs it
    #[arg(long, value_name = "N", value_parser = step)]
    step: Option<StepNo>,
    /// Value of the state at that step, such as †state.budget
    #[arg(long, value_name = "PATH", requires = "step")]
    path: Option<String>,
    /// Instance of that value, such as ①
    #[arg(long, value_name = "I", requires = "path")]
    instance: Option<String>,
    #[command(flatten)]
    what: MarkSubject,
    #[command(flatten)]
    marks: MarksOption,
}

/// What to use where runs are files of their own.
const ELSEWHERE: &str = "`obelus table --where FILTER FOLDER` lists runs, `obelus export --to messages --where FILTER \
                         FOLDER` writes those that match";

/// What is decided; at least one of them.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct MarkSubject {
    /// Decision
    #[arg(long, value_name = "VERDICT")]
    r#as: Option<Decision>,
    /// Flag it
    #[arg(long, conflicts_with = "unflag")]
    flag: bool,
    /// Remove the flag
    #[arg(long)]
    unflag: bool,
    /// Add a tag; repeatable
    #[arg(long, value_name = "TAG", value_parser = tag)]
    tag: Vec<String>,
    /// Remove a tag; repeatable
    #[arg(long, value_name = "TAG", value_parser = tag)]
    untag: Vec<String>,
    /// Write a note; an empty one removes it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Undo the last decision on it
    #[arg(long, conflicts_with_all = ["as", "flag", "unflag", "tag", "untag", "note"])]
    undo: bool,
}

/// A decision as typed.
#[derive(Debug, Clone, Copy, ValueEnum, PartialEq, Eq)]
pub(super) enum Decision {
    /// Keep it.
    Good,
    /// Drop it.
    Bad,
    /// Looked at, not decided.
    Unsure,
    /// No decision.
    Undecided,
}

impl Decision {
    /// The verdict; None is absent.
    pub(super) fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Good => Some(Verdict::Good),
            Self::Bad => Some(Verdict::Bad),
            Self::Unsure => Some(Verdict::Unsure),
            Self::Undecided => None,
        }
    }
}

/// Numbers and ranges of records.
#[derive(Debug, Clone)]
struct Ranges(Vec<(usize, usize)>);

fn ranges(text: &str) -> Result<Ranges, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last).then_some((first, last))
    };
    let all: Option<Vec<_>> = text.split(',').map(range).collect();
    all.map(Ranges).ok_or_else(|| "records are numbers from 0 and ranges of them, as 3,7,10-19".to_owned())
}

fn tag(text: &str) -> Result<String, String> {
    let has_letters = !text.trim().is_empty();
    if has_letters { Ok(text.to_owned()) } else { Err("a tag has at least one letter".to_owned()) }
}

impl MarkSubject {
    fn changes(&self) -> Vec<Change> {
        let mut out: Vec<Change> = self.r#as.map(|decision| Change::Decide(decision.verdict())).into_iter().collect();
        out.extend((self.flag || self.unflag).then_some(Change::Flag(self.flag)));
        out.extend(self.tag.iter().cloned().map(Change::Tag));
        out.extend(self.untag.iter().cloned().map(Change::Untag));
        out.extend(self.note.iter().cloned().map(Change::Note));
        out
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let filter = options.clean.filter(&options.filter)?;
    let stamp = Stamp::of(options.file.as_ref()).filter(|_| !options.file.is_stdin());
    let path: &Path = options.file.as_ref();
    if path.is_dir() && !is_input_folder(path) {
        let message = format!("{} is a folder: marks are of the records of one file", options.file);
        return Err(Problem::usage(message).hint(ELSEWHERE).into());
    }
    let loaded = super::load(&options.file, options.format.forced(), out)?;
    if ingest::is_run(&loaded) && filter.is_some() {
        let message =
            format!("{} is one run: marks are of its messages, which no filter of runs chooses", options.file);
        return Err(Problem::usage(message).hint(format!("choose one with --step; {ELSEWHERE}")).into());
    }
    let mut mark_journal = MarkJournal::new(Some(&options.marks.journal()?));
    let mut marks = Marks::default();
    mark_journal.gather()?.events.into_iter().for_each(|event| {
        marks.apply(event);
    });
    let passing = filter.map(|filter| filter.passing(&loaded, &marks)).transpose()?;
    let targets = targets(&options, &loaded, passing.as_ref())?;
    if options.what.undo {
        for (target, about) in targets.clone() {
            let Some(last) = marks.last_event(&target) else { continue };
            mark_journal.decide(vec![(target, Change::Undo(last.id()), about)]);
        }
    }
    for change in options.what.changes() {
        let all = targets.iter().map(|(target, about)| (target.clone(), change.clone(), about.clone()));
        mark_journal.decide(all.collect());
    }
    let count = mark_journal.unsaved();
    // A mark belongs to bytes that were read; of a file that was changed meanwhile they may be none of its records.
    stamp.map_or(Ok(()), |stamp| stamp.check())?;
    mark_journal.save()?;
    let summary = format!("{} on {} written", counted(count, "decision"), target_list(&targets));
    if let Err(error) = out.line(&summary).and_then(|()| out.finish()) {
        // They are in the journal whether or not that can be said.
        super::complain(&summary);
        return Err(error.into());
    }
    Ok(passing.map_or(0, |passing| passing.status()))
}

fn target_list(targets: &[(MarkTarget, About)]) -> String {
    match targets {
        [(target, about)] => {
            let record = about.id.clone().or(about.record.map(|n| format!("record {n}"))).unwrap_or_default();
            let step = target.step.map(|step| format!("step {step}"));
            let parts = [Some(record).filter(|r| !r.is_empty()), step, target.path.clone(), target.instance.clone()];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        all => format!("{} records", all.len()),
    }
}

/// What is decided on, with where it is; `passing` are the records that a filter lets through.
fn targets(options: &Options, loaded: &Loaded, passing: Option<&Passing>) -> Result<Vec<(MarkTarget, About)>, Problem> {
    let file = options.file.as_ref().file_name().map(|name| name.to_string_lossy().into_owned());
    if loaded.detected.format.layout() == Layout::Run {
        let hint = "choose one with --step: in such a file, marks belong to its messages";
        let step = options.step.ok_or_else(|| Problem::usage("the file is one run").hint(hint))?;
        let run = loaded.run(0)?;
        let place = run.place(step).ok_or_else(|| no_step(run.as_ref(), step))?;
        let key = ContentKey::read(loaded.input.as_ref(), place.place.span)?;
        let about = About { id: run.title(), file, record: Some(place.record as u64) };
        return Ok(vec![(target(options, run.as_ref(), key)?, about)]);
    }
    let mut out = Vec::new();
    let count = loaded.records()?.len();
    let ranges = match (&options.record, passing) {
        (Some(Ranges(ranges)), _) => ranges.clone(),
        (None, None) => vec![(0, 0)],
        (None, Some(_)) => count.checked_sub(1).map(|last| (0, last)).into_iter().collect(),
    };
    for number in ranges.into_iter().flat_map(|(first, last)| first..=last) {
        let record = loaded.records()?.get(number).ok_or_else(|| {
            Problem::usage(format!("{} has no record {number}", options.file)).hint(format!("it has {count}, from 0"))
        })?;
        if passing.is_some_and(|passing| !passing.has(number)) {
            continue;
        }
        let run = loaded.run(number)?;
        let key = ContentKey::read(loaded.input.as_ref(), record.place.span)?;
        let about = About { id: run.title(), file: file.clone(), record: Some(number as u64) };
        if let Some(step) = options.step.filter(|step| run.place(*step).is_none()) {
            return Err(no_step(run.as_ref(), step));
        }
        out.push((target(options, run.as_ref(), key)?, about));
    }
    Ok(out)
}

fn no_step(run: &dyn Run, step: StepNo) -> Problem {
    Problem::usage(format!("there is no step {step}")).hint(format!("there are {}, counted from 0", run.step_count()))
}

/// The target, its path in the notation that the screen uses too.
fn target(options: &Options, run: &dyn Run, key: ContentKey) -> Result<MarkTarget, Problem> {
    let mut target = MarkTarget { step: options.step, ..MarkTarget::record(key) };
    let (Some(path), Some(step)) = (&options.path, options.step) else { return Ok(target) };
    let tree = run.tree();
    let typed = TypedPath::read(run, path, options.instance.as_deref(), step)?;
    let mut found = typed.everywhere().to_vec();
    found.retain(|(id, keys)| tree.node(*id, keys).is_some_and(|node| tree.shape(node, step).is_some()));
    let instance_of = |id| tree.identity(id).instance.clone();
    // A pointer names its instance itself; of a shorter path the only instance that has the value is marked.
    let is_named = run.instances() == Instances::InPath && typed.instance.is_none() && found.len() == 1;
    let is_chosen = |id| is_named || instance_of(id) == typed.instance;
    let (id, keys) = found.iter().find(|(id, _)| is_chosen(*id)).ok_or_else(|| {
        let problem = Problem::usage(format!("the state has no {path} at step {step}"));
        let others: Vec<String> = found.iter().filter_map(|(id, _)| instance_of(*id)).collect();
        if others.is_empty() {
            problem
        } else {
            problem.hint(format!("choose one with --instance: {}", others.join(", ")))
        }
    })?;
    target.path = Some(run.reference(tree.identity(*id), keys));
    target.instance = instance_of(*id);
    Ok(target)
}
