//! What `obelus stats` counts in one file, or in all files as one.

use super::by::Groups;
use super::histogram::Histogram;
use super::measure::RecordQuestion;
use super::outcomes::Outcomes;
use super::tasks::Tasks;
use super::{Options, RecordSelection, StatsQuestion};
use crate::cli::args::FileName;
use crate::cli::each_file::each_file;
use crate::cli::filter::Passing;
use crate::cli::inputs::Inputs;
use crate::cli::out::{Out, raw};
use crate::cli::task_groups::groups_of_files;
use crate::cli::{Stop, complain};
use crate::ingest::{self, Loaded};
use crate::model::Problem;
use crate::review::TaskGroups;
use crate::rules::trajectory::task_key;
use crate::text::counted;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// Of what an answer is.
pub(super) enum Together<'f> {
    /// One file.
    One(&'f FileName),
    /// A number of files as one.
    All(usize),
}

impl Together<'_> {
    /// The member of an answer for programs that says it.
    pub(super) fn member(&self) -> Result<(&'static str, Box<RawValue>), Problem> {
        Ok(match self {
            Self::One(file) => ("file", raw(&file.text())?),
            Self::All(count) => ("files", raw(count)?),
        })
    }
}

impl fmt::Display for Together<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(file) => file.fmt(f),
            Self::All(count) => f.write_str(&counted(*count, "file")),
        }
    }
}

/// What is counted.
pub(super) enum Counts {
    Tasks(Tasks),
    By(Groups),
    Histogram(Histogram),
    Outcomes(Outcomes),
}

impl Counts {
    /// Nothing was counted yet; None where the question is another one.
    pub(super) fn new(options: &Options) -> Result<Option<Self>, Stop> {
        Ok(match options.question() {
            StatsQuestion::Tasks => Some(Self::Tasks(Tasks::default())),
            StatsQuestion::By(by) => Some(Self::By(Groups::new(options, by)?)),
            StatsQuestion::Outcomes => Some(Self::Outcomes(Outcomes::default())),
            StatsQuestion::Histogram(number) => Some(Self::Histogram(Histogram::new(options, number)?)),
            _ => None,
        })
    }

    /// Takes the records of a file.
    pub(super) fn add(&mut self, options: &Options, question: &RecordQuestion<'_>) -> Result<(), Stop> {
        match self {
            Self::Tasks(tasks) => Ok(tasks.add(options, question.loaded, question.passing)?),
            Self::By(groups) => groups.add(question),
            Self::Histogram(histogram) => histogram.add(question),
            Self::Outcomes(outcomes) => outcomes.add_file(question.loaded, question.passing),
        }
    }

    /// Reports them; the status.
    pub(super) fn write_report(self, of: &Together<'_>, json: bool, out: &mut Out) -> Result<u8, Stop> {
        match self {
            Self::Tasks(tasks) => tasks.write_report(of, json, out).map(|()| 0),
            Self::By(groups) => groups.write_report(of, json, out),
            Self::Histogram(histogram) => histogram.write_report(of, json, out),
            Self::Outcomes(outcomes) => outcomes.write_report(of, json, out).map(|()| 0),
        }
    }
}

/// The tasks of the files so far, by their keys: attempts at one task may be in several.
#[derive(Default)]
struct TaskNames {
    seen: HashSet<u64>,
    several: HashSet<u64>,
}

impl TaskNames {
    /// Takes the tasks of the next file.
    fn take(&mut self, counts: &Counts) {
        let Counts::Tasks(tasks) = counts else { return };
        for key in tasks.names().map(task_key) {
            if !self.seen.insert(key) {
                self.several.insert(key);
            }
        }
    }

    /// Says on stderr how many tasks were counted in parts.
    fn complain(&self) {
        if !self.several.is_empty() {
            let tasks = counted(self.several.len(), "task");
            complain(&format!("{tasks} with attempts in several files: --together counts these as one group"));
        }
    }
}

/// Reports all files as one.
pub(super) fn run(options: &Options, wanted: &RecordSelection, inputs: &Inputs, out: &mut Out) -> Result<u8, Stop> {
    let Some(mut counts) = Counts::new(options)? else {
        let hint = "`obelus stats --json FILE | obelus stats --merge -` counts parts of a dataset as one";
        return Err(Problem::usage("--together goes with --tasks, --by, --histogram and --outcomes").hint(hint).into());
    };
    let count_groups = || groups_of_files(inputs, options.format.forced());
    if let Some(filter) = &wanted.filter {
        filter.count_groups(count_groups)?;
    }
    let groups = if options.asks_for_groups() { Some(count_groups()?) } else { None };
    let mut read = 0;
    let status = each_file(inputs, options.format.forced(), asks_for_findings(options), out, |_, loaded, _| {
        let failed = add(&mut counts, (options, wanted), loaded, groups.as_ref())?;
        read += 1;
        Ok(failed)
    })?;
    Ok(status.max(counts.write_report(&Together::All(read), options.json, out)?))
}

/// Reports each file by itself; those of one run each as one, behind the others.
pub(super) fn run_each(
    options: &Options,
    wanted: &RecordSelection,
    inputs: &Inputs,
    out: &mut Out,
) -> Result<u8, Stop> {
    let Some(mut of_runs) = Counts::new(options)? else { return Ok(0) };
    let (mut seen, mut runs, mut groups) = (TaskNames::default(), Vec::new(), None);
    let has_several = inputs.names.len() > 1;
    let status = each_file(inputs, options.format.forced(), asks_for_findings(options), out, |file, loaded, out| {
        if ingest::is_run(loaded) || loaded.records()?.len() <= 1 {
            // The attempts at a task are runs in other files.
            let count_groups = || groups_of_files(inputs, options.format.forced());
            if let Some(filter) = wanted.filter.as_ref().filter(|_| runs.is_empty() && has_several) {
                filter.count_groups(count_groups)?;
            }
            if options.asks_for_groups() && runs.is_empty() {
                groups = Some(count_groups()?);
            }
            runs.push(file.clone());
            return add(&mut of_runs, (options, wanted), loaded, groups.as_ref());
        }
        let Some(mut counts) = Counts::new(options)? else { return Ok(0) };
        let failed = add(&mut counts, (options, wanted), loaded, None)?;
        seen.take(&counts);
        Ok(failed.max(counts.write_report(&Together::One(file), options.json, out)?))
    })?;
    let reported = match runs.as_slice() {
        [] => 0,
        [only] => of_runs.write_report(&Together::One(only), options.json, out)?,
        several => {
            seen.take(&of_runs);
            of_runs.write_report(&Together::All(several.len()), options.json, out)?
        }
    };
    seen.complain();
    Ok(status.max(reported))
}

/// Counts the records of a file; the status.
fn add(
    counts: &mut Counts,
    (options, wanted): (&Options, &RecordSelection),
    loaded: &Loaded,
    groups: Option<&TaskGroups>,
) -> Result<u8, Stop> {
    let passing = wanted.passing(loaded)?;
    let records = passing.as_ref().map(|passing| passing.records.as_slice());
    counts.add(options, &RecordQuestion { loaded, wanted, passing: records, groups })?;
    Ok(passing.as_ref().map_or(0, Passing::status))
}

/// Whether findings may be asked for: what is read ahead has them then.
fn asks_for_findings(options: &Options) -> bool {
    let names = ["finding", "errors", "warnings"];
    let mut asked = [&options.by, &options.of, &options.histogram].into_iter().flatten();
    asked.any(|text| names.iter().any(|name| text.contains(name)))
}
