//! An input whose end is final, for headless commands: its records and any of its runs.

use super::container::prepared;
use super::parts::attach_parts;
use super::rewards::Beside;
use super::{Detected, RewardFiles, detect, open_input};
use crate::format::{Layout, Run, Surveyed};
use crate::model::{Bytes, Problem, Record};
use crate::source::{Input, RecordIndex, RecordReader, RecordReport, index_all, index_and_look};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// An input whose end is final, its format and, once they are asked for, its records.
pub struct Loaded {
    /// The bytes.
    pub input: Arc<Input>,
    /// The format, and why.
    pub detected: Detected,
    records: OnceLock<RecordIndex>,
    /// What a table has of the run that it is, without findings and with them.
    pub(super) run_rows: [OnceLock<Arc<Vec<Surveyed>>>; 2],
    /// Files with the rewards of runs.
    pub(super) rewards: Arc<RewardFiles>,
    pub(super) beside: OnceLock<Beside>,
}

/// Most records that one run is made of: a stream of messages that never ends must not take all memory.
const RUN_RECORDS_MAX: usize = 1 << 24;

/// Checks that a run of `records` records can take one more.
///
/// # Errors
/// It is at its bound.
pub(super) fn check_room(name: &str, records: usize) -> Result<(), Problem> {
    check_room_below(name, records, RUN_RECORDS_MAX)
}

fn check_room_below(name: &str, records: usize, most: usize) -> Result<(), Problem> {
    if records < most {
        return Ok(());
    }
    let message = format!("{name} is one run of more than {most} records, which is the most that obelus reads of one");
    Err(Problem::unreadable(message).hint("read a part of it, as `head -n 1000000 FILE | obelus -`"))
}

/// Bytes that a stream brings before its format is asked for: more than detection looks at, so that the answer is that
/// for the whole.
const HEAD_BYTES: u64 = (1 << 20) + 1;

/// Opens and loads a file, or standard input for `-`; `forced` names a format (None, `auto`: by content).
///
/// # Errors
/// It cannot be opened or read, is not text, or there is no such format.
pub fn open(path_or_dash: impl AsRef<Path>, forced: Option<&str>) -> Result<Loaded, Problem> {
    load(input(path_or_dash.as_ref())?, forced)
}

/// Opens a file, or standard input for `-`, and finds its format. It does not wait for the end of a stream or of a
/// packed file: callers that need all records wait for it, others examine records as they arrive.
///
/// # Errors
/// As [`fn@open`].
pub fn begin(path_or_dash: impl AsRef<Path>, forced: Option<&str>) -> Result<Loaded, Problem> {
    let input = input(path_or_dash.as_ref())?;
    // A format that is named needs no look.
    input.wait_for(if forced.is_some_and(|name| name != "auto") { 1 } else { HEAD_BYTES });
    if input.is_empty() {
        input.wait()?;
    }
    loaded(input, forced)
}

fn input(path: &Path) -> Result<Arc<Input>, Problem> {
    if path.as_os_str() == "-" { prepared(Input::stdin()?) } else { open_input(path) }
}

/// Loads an open input as it is; a stream is waited for. What came before it broke off is loaded too.
///
/// # Errors
/// As [`fn@open`].
pub fn load(input: Arc<Input>, forced: Option<&str>) -> Result<Loaded, Problem> {
    match input.wait() {
        Err(problem) if input.is_empty() => Err(problem),
        _ => loaded(input, forced),
    }
}

fn loaded(input: Arc<Input>, forced: Option<&str>) -> Result<Loaded, Problem> {
    let detected = detect(&input, forced)?;
    Ok(Loaded::new(input, detected))
}

/// The same of an input that is about to be mapped.
///
/// # Errors
/// As [`load`].
pub(super) fn as_it_stands(input: Arc<Input>, forced: Option<&str>) -> Result<Loaded, Problem> {
    // What came before it broke off is loaded.
    let _ = input.wait();
    let detected = super::detect::as_it_stands(&input, forced)?;
    Ok(Loaded::new(input, detected))
}

impl Loaded {
    fn new(input: Arc<Input>, detected: Detected) -> Self {
        let (run_rows, rewards) = Default::default();
        Self { input, detected, records: OnceLock::new(), run_rows, rewards, beside: OnceLock::new() }
    }

    /// The same with files of rewards that were read for others.
    #[must_use]
    pub fn with_rewards(self, rewards: &Arc<RewardFiles>) -> Self {
        Self { rewards: Arc::clone(rewards), ..self }
    }

    /// The error with which a stream broke off after these records. Waits for the end of the stream.
    #[must_use]
    pub fn trouble(&self) -> Option<Problem> {
        self.input.wait().err()
    }

    /// All records. They are found when they are asked for first; then the end of a stream is waited for.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub fn records(&self) -> Result<&RecordIndex, Problem> {
        match self.records.get() {
            Some(records) => Ok(records),
            None => {
                let records = index_all(&self.input, self.detected.format.framing())?;
                Ok(self.records.get_or_init(|| records))
            }
        }
    }

    /// Finds the records, if that is not done, and looks at them meanwhile: passes what was seen of the first records
    /// to `each`, in their order, and returns their number.
    ///
    /// # Errors
    /// The input can no longer be read, or what `each` says.
    pub(super) fn look_first<S: RecordReport, E: From<Problem>>(
        &self,
        look: &(impl Fn(&Record, &[u8]) -> S + Sync),
        mut each: impl FnMut(S) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut reported = 0;
        if self.records.get().is_none() {
            let records = index_and_look(&self.input, self.detected.format.framing(), look, |seen| {
                reported += 1;
                each(seen)
            })?;
            self.records.get_or_init(|| records);
        }
        Ok(reported)
    }

    /// Number of runs: of a format whose file is one list of steps 1, else one a record.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub fn trajectories(&self) -> Result<usize, Problem> {
        Ok(match self.detected.format.layout() {
            Layout::Run => 1,
            Layout::Set => self.records()?.len(),
        })
    }

    /// Number of trajectories: as [`Loaded::trajectories`], but those that one list of steps consists of are counted
    /// apart. A file without records opens as an empty run, and has none.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub fn trajectory_count(&self) -> Result<usize, Problem> {
        let records = self.records()?.len();
        let format = self.detected.format;
        match format.layout() {
            Layout::Run if records > 0 && format.has_trajectories() => return Ok(self.run(0)?.trajectory_count()),
            Layout::Run => return Ok(records.min(1)),
            Layout::Set if !format.has_trajectories() => return Ok(records),
            Layout::Set => {}
        }
        let (mut reader, mut count) = (RecordReader::new(&self.input), 0);
        for record in self.records()?.iter() {
            count += format.trajectories_in(reader.text(&record)?);
        }
        Ok(count)
    }

    /// A trajectory: that of a record, or, where all records make one, the whole file's (`record` is not looked at).
    ///
    /// # Errors
    /// There is no such record, or the input can no longer be read.
    pub fn run(&self, record: usize) -> Result<Box<dyn Run>, Problem> {
        let format = self.detected.format;
        match format.layout() {
            Layout::Run => {
                let records = self.records()?;
                // Before any of them is merged.
                check_room(self.input.name(), records.len().saturating_sub(1))?;
                let (mut run, mut reader) = (format.run(), RecordReader::new(&self.input));
                for record in records.iter() {
                    let text = if format.needs_text() { reader.text(&record)? } else { &[] };
                    run.push(&record, text, self.input.as_ref());
                }
                Ok(self.finished(run))
            }
            Layout::Set => {
                let count = self.records()?.len();
                let wanted = self.records()?.get(record).ok_or_else(|| {
                    Problem::usage(format!("{} has no record {record}", self.input.name()))
                        .hint(format!("it has {count}, counted from 0"))
                })?;
                // Only the bytes of the record: a reader takes a block, most of which the next one would take again.
                let text = if format.needs_text() { self.input.read(wanted.shown())? } else { Vec::new() };
                let mut run = format.run();
                run.push(&wanted, &text, self.input.as_ref());
                Ok(self.finished(run))
            }
        }
    }

    fn finished(&self, mut run: Box<dyn Run>) -> Box<dyn Run> {
        run.finish(self.input.as_ref());
        attach_parts(self.detected.format, run.as_mut(), self.input.path());
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_end_is_refused_at_its_bound() {
        assert!(check_room_below("-", 2, 3).is_ok());
        let problem = check_room_below("-", 3, 3).unwrap_err();
        assert!(problem.to_string().starts_with("- is one run of more than 3 records"), "{problem}");
    }
}
