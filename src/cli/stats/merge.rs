//! `obelus stats --merge`: what was printed of parts, as if the whole had been asked.

use super::{Options, write_dataset};
use crate::batch::{MIXED, RunsStats, SummaryBuilder};
use crate::cli::inputs::Inputs;
use crate::cli::out::{Out, raw};
use crate::cli::{Stop, survey};
use crate::json::{self, Value};
use crate::model::Problem;
use crate::rules::statistics::Parts;
use crate::text::counted;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};

/// Longest line of a part, in bytes.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// The file that the lines of the whole name: it has none.
const TOTAL_FILE: &str = "-";

/// What the parts are statistics of.
enum MergedStats {
    /// Trajectories of a dataset, a record each, of which more is counted.
    Records(Box<Parts>),
    /// Runs of any format.
    Runs(Box<RunsStats>),
    /// Summaries, which merge in any order.
    Summary(Box<SummaryBuilder>),
}

/// Puts the parts together; the exit status. Unlike elsewhere a part that cannot be read is the end: a sum of the
/// others would be wrong.
pub(super) fn run(options: &Options, out: &mut Out) -> Result<u8, Stop> {
    let inputs = Inputs::of_answers(&options.files);
    let status = inputs.complain();
    let mut merge = Merge { options, out, merged: None, trajectories: 0 };
    for file in &inputs.names {
        if file.is_stdin() {
            merge.part("standard input", io::stdin().lock())?;
            continue;
        }
        let part = File::open(file).map_err(|e| Problem::unreadable(format!("{file} cannot be opened: {e}")))?;
        merge.part(&file.to_string(), BufReader::new(part))?;
    }
    merge.end()?;
    Ok(status)
}

/// The lines of a part. A device may give one that never ends.
fn lines(mut from: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    let mut next = move || -> io::Result<Option<String>> {
        let mut line = String::new();
        if from.by_ref().take(LINE_BYTES_MAX + 1).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line.len() as u64 > LINE_BYTES_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it is longer than {LINE_BYTES_MAX} bytes"),
            ));
        }
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        Ok(Some(line))
    };
    std::iter::from_fn(move || next().transpose())
}

struct Merge<'o, 'w> {
    options: &'o Options,
    out: &'o mut Out<'w>,
    merged: Option<MergedStats>,
    /// Trajectories of the part that is being read, of any format.
    trajectories: u64,
}

impl Merge<'_, '_> {
    /// Reads what was printed of one part, or of several.
    fn part(&mut self, name: &str, from: impl BufRead) -> Result<(), Stop> {
        let mut is_ended = true;
        for (number, line) in lines(from).enumerate() {
            let fault = |why: &str| {
                let problem = Problem::unreadable(format!("{name}:{}: {why}", number + 1));
                Stop::from(problem.hint("the parts are what `obelus stats --json` printed"))
            };
            let line = line.map_err(|e| fault(&format!("this cannot be read: {e}")))?;
            let value = json::parse(&line).map_err(|e| fault(&format!("this is not valid JSON: {}", e.message)))?;
            match value.get("obelus").and_then(Value::as_number) {
                Some(VERSION) => {}
                Some(other) => return Err(fault(&format!("this is of version {other}, which is not known here"))),
                None => return Err(fault("this is not a line of statistics")),
            }
            match value.get("type").and_then(Value::as_str) {
                Some("trajectory") => {
                    is_ended = false;
                    // The numbers of a part may be anything.
                    let count = value.get("trajectories").and_then(count).unwrap_or(1);
                    self.trajectories = self.trajectories.saturating_add(count);
                    self.trajectory(&value).map_err(|why| why.unwrap_or_else(fault))?;
                }
                Some("summary") if is_ended => self.summary(&line, &value).map_err(fault)?,
                Some("dataset") => {
                    is_ended = true;
                    self.dataset(&line, &value).map_err(fault)?;
                }
                _ => return Err(fault("this is not a line of statistics")),
            }
        }
        if !is_ended {
            return Err(Problem::unreadable(format!("{name} is cut off: the line of its dataset is missing")).into());
        }
        Ok(())
    }

    fn trajectory(&mut self, line: &Value<'_>) -> Result<(), Fault> {
        let is_of_records = line.get("shape").is_some();
        let renumbered = match (self.merged_stats(is_of_records)?, is_of_records) {
            (MergedStats::Records(parts), _) => {
                let renumbered = parts.trajectory(line).ok_or(Fault::Line("this is not a line of a trajectory"))?;
                let mut members = vec![("record", raw(&renumbered.record)?), ("warnings", raw(&renumbered.warnings)?)];
                members.extend(renumbered.found.map(|found| raw(&found)).transpose()?.map(|found| ("found", found)));
                members
            }
            (MergedStats::Summary(_), _) => return Err(Fault::Line(MIXED)),
            (MergedStats::Runs(stats), _) => {
                let record = line.get("record").and_then(count);
                let record = record.ok_or(Fault::Line("this is not a line of a trajectory"))?;
                vec![("record", raw(&record.saturating_add(stats.runs()))?)]
            }
        };
        if !self.options.json {
            return Ok(());
        }
        let members = line.as_object().map(|object| object.entries().collect::<Vec<_>>()).unwrap_or_default();
        let members = members.into_iter().map(|(key, value)| {
            let other = renumbered.iter().find(|(name, _)| *name == key).map(|(_, other)| other.get());
            let value = if key == "file" { &json::quote(TOTAL_FILE) } else { other.unwrap_or(value.text) };
            format!("{}:{value}", json::quote(key))
        });
        let text = members.collect::<Vec<_>>().join(",");
        self.out.json(&format!("{{{text}}}")).map_err(|e| Fault::Stop(e.into()))
    }

    fn dataset(&mut self, text: &str, line: &Value<'_>) -> Result<(), &'static str> {
        let is_of_records = line.get("records").is_some();
        let fault = "this is not a line of a dataset";
        let trajectories = std::mem::take(&mut self.trajectories);
        let is_whole = match self.merged_stats(is_of_records).map_err(|_| MIXED)? {
            MergedStats::Records(parts) => parts.end(line).ok_or(fault)?,
            MergedStats::Summary(_) => return Err(MIXED),
            MergedStats::Runs(stats) => {
                let part: RunsStats = serde_json::from_str(text).map_err(|_| fault)?;
                stats.merge(&part);
                part.trajectories() == trajectories
            }
        };
        if is_whole { Ok(()) } else { Err("the lines before it are not those of its trajectories") }
    }

    fn summary(&mut self, text: &str, line: &Value<'_>) -> Result<(), &'static str> {
        match self.merged.get_or_insert_with(|| MergedStats::Summary(Box::default())) {
            MergedStats::Summary(whole) => whole.merge(text, line),
            MergedStats::Records(_) | MergedStats::Runs(_) => Err(MIXED),
        }
    }

    fn merged_stats(&mut self, is_of_records: bool) -> Result<&mut MergedStats, Fault> {
        let whole = self.merged.get_or_insert_with(|| {
            if is_of_records { MergedStats::Records(Box::default()) } else { MergedStats::Runs(Box::default()) }
        });
        match (&whole, is_of_records) {
            (MergedStats::Records(_), true) | (MergedStats::Runs(_), false) => Ok(whole),
            _ => Err(Fault::Line(MIXED)),
        }
    }

    /// The dataset, as its line or for people.
    fn end(self) -> Result<(), Stop> {
        let (dataset, what): (Box<RawValue>, _) = match &self.merged {
            None => return Err(Problem::usage("there are no parts to merge").into()),
            Some(MergedStats::Records(parts)) => (raw(&parts.stats().summary())?, "Agent Data Protocol"),
            Some(MergedStats::Runs(stats)) => (stats.line("dataset")?, "runs"),
            Some(MergedStats::Summary(whole)) => (whole.line()?, whole.what()),
        };
        if self.options.json {
            return Ok(self.out.json(&survey::line(TOTAL_FILE, None, &dataset)?)?);
        }
        write_dataset(&counted(self.options.files.len(), "part"), what, Some(&dataset), self.out)
    }
}

/// The version of the lines that are understood.
const VERSION: &str = "1";

/// A number that counts something.
fn count(value: &Value<'_>) -> Option<u64> {
    value.as_number()?.parse().ok()
}

/// What is wrong with a line, or with the output.
enum Fault {
    Line(&'static str),
    Stop(Stop),
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Stop(problem.into())
    }
}

impl Fault {
    fn unwrap_or_else(self, to_stop: impl FnOnce(&str) -> Stop) -> Stop {
        match self {
            Self::Line(why) => to_stop(why),
            Self::Stop(stop) => stop,
        }
    }
}
