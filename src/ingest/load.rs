//! An input loaded whole, for headless commands: its records and any of its runs.

use super::{Detected, detect};
use crate::format::{Layout, Run};
use crate::model::{Problem, Record};
use crate::source::{Input, Reader, RecordIndex, index_all};
use std::path::Path;
use std::sync::Arc;

/// An input whose end is final, its format and its records.
pub struct Loaded {
    /// The bytes.
    pub input: Arc<Input>,
    /// The format, and why.
    pub detected: Detected,
    /// All records.
    pub records: RecordIndex,
    /// Why there is no more, of a stream that broke off behind these records.
    pub trouble: Option<Problem>,
}

/// Opens and loads a file, or standard input for `-`; `forced` names a format (None, `auto`: by content).
///
/// # Errors
/// It cannot be opened or read, is no text, or there is no such format.
pub fn open(path_or_dash: impl AsRef<Path>, forced: Option<&str>) -> Result<Loaded, Problem> {
    let path = path_or_dash.as_ref();
    let input = if path.as_os_str() == "-" { Input::stdin()? } else { Input::open(path)? };
    load(input, forced)
}

/// Loads an open input as it stands; a stream is waited for. What came before it broke off is loaded too.
///
/// # Errors
/// As [`open`].
pub fn load(input: Arc<Input>, forced: Option<&str>) -> Result<Loaded, Problem> {
    let trouble = match input.wait() {
        Err(problem) if input.is_empty() => return Err(problem),
        ended => ended.err(),
    };
    let detected = detect(&input, forced)?;
    let records = index_all(&input, detected.format.framing())?;
    Ok(Loaded { input, detected, records, trouble })
}

impl Loaded {
    /// Number of trajectories: of a format whose file is one run 1, else one a record.
    #[must_use]
    pub fn trajectories(&self) -> usize {
        match self.detected.format.layout() {
            Layout::Run => 1,
            Layout::Set => self.records.len(),
        }
    }

    /// A trajectory: that of a record, or, where all records make one, the whole file's (`record` is not looked at).
    ///
    /// # Errors
    /// There is no such record, or the input can no longer be read.
    pub fn run(&self, record: usize) -> Result<Box<dyn Run>, Problem> {
        match self.detected.format.layout() {
            Layout::Run => self.fold(self.records.iter()),
            Layout::Set => {
                let count = self.records.len();
                let wanted = self.records.get(record).ok_or_else(|| {
                    Problem::usage(format!("{} has no record {record}", self.input.name()))
                        .hint(format!("it has {count}, counted from 0"))
                })?;
                self.fold(std::iter::once(wanted))
            }
        }
    }

    fn fold(&self, records: impl Iterator<Item = Record>) -> Result<Box<dyn Run>, Problem> {
        let format = self.detected.format;
        let mut run = format.run();
        let mut reader = Reader::new(&self.input);
        for record in records {
            let text = if format.needs_text() { reader.text(&record)? } else { &[] };
            run.push(&record, text, self.input.as_ref());
        }
        run.finish(self.input.as_ref());
        Ok(run)
    }
}
