//! The files of a command that makes rows of them, one after the other: those that are runs are read ahead, on several
//! threads. What is left out of a folder is said once, and why.

use super::args::FileName;
use super::inputs::Inputs;
use super::out::Out;
use super::{Stop, TROUBLE, complain, report_trouble};
use crate::ingest::{self, Loaded};
use crate::model::{Problem, RecordBody};
use crate::source;
use crate::text::counted;
use std::path::Path;

/// Most files of folders that are named one by one because they cannot be read.
const UNREAD_MAX: usize = 5;

/// Gives each file to `each`, in order, until that wants no more. What cannot be read is reported, as is what `each`
/// says of a file; of folders the files are left out that hold neither runs nor trajectories. The exit status.
///
/// # Errors
/// The answer cannot be written.
pub(super) fn each_file(
    inputs: &Inputs,
    format: Option<&str>,
    wants_findings: bool,
    out: &mut Out,
    mut each: impl FnMut(&FileName, &Loaded, &mut Out) -> Result<u8, Stop>,
) -> Result<u8, Stop> {
    let (mut status, mut left_out) = (0, LeftOut::default());
    let files: Vec<(&FileName, bool)> = inputs.files().collect();
    let open = || {
        |(file, _): &(&FileName, bool)| {
            let loaded = ingest::open(file, format)?.with_rewards(&inputs.rewards);
            if ingest::is_run(&loaded) {
                // What is wrong is reported in the order of the files.
                let _ = ingest::survey_runs(&loaded, wants_findings);
            }
            Ok(loaded)
        }
    };
    let mut next = files.iter();
    let ended = source::in_order(&files, open, |opened: Result<Loaded, Problem>| {
        let Some((file, is_found)) = next.next() else { return Ok(()) };
        let answered = opened.map_err(Stop::from).and_then(|loaded| {
            report_trouble(&loaded, out);
            if *is_found && left_out.takes(file, &loaded)? {
                return Ok(0);
            }
            each(file, &loaded, out)
        });
        match answered {
            Err(Stop::Problem(problem)) => left_out.add_unread(file, &problem, *is_found),
            answered => status = status.max(answered?),
        }
        Ok::<(), Stop>(())
    });
    match ended {
        Err(Stop::Enough) => {}
        ended => {
            ended?;
            left_out.add_passed_over(inputs);
        }
    }
    Ok(status.max(left_out.complain(inputs)))
}

/// Files that are left out.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Those of folders that hold neither runs nor trajectories, and those without a byte.
    others: Vec<FileName>,
    empty: Vec<FileName>,
    /// How many could not be read, and those of folders that were not named.
    unread: usize,
    unnamed: Vec<FileName>,
}

impl LeftOut {
    /// Takes a file of a folder, if it holds neither runs nor trajectories.
    ///
    /// # Errors
    /// It is no JSON at all, which is as if it could not be read.
    pub(super) fn takes(&mut self, file: &FileName, loaded: &Loaded) -> Result<bool, Problem> {
        if loaded.input.is_empty() {
            self.empty.push(file.clone());
            return Ok(true);
        }
        let is_other = loaded.records()?.is_empty() || is_other(loaded)?;
        if is_other {
            self.others.push(file.clone());
        }
        Ok(is_other)
    }

    /// Takes a file that cannot be read, or of which there is no answer. Of many of a folder the first are named.
    pub(super) fn add_unread(&mut self, file: &FileName, problem: &Problem, is_found: bool) {
        self.unread += 1;
        if is_found && self.unread > UNREAD_MAX {
            self.unnamed.push(file.clone());
        } else {
            complain(&problem.to_string());
        }
    }

    /// Takes the files of folders that are named like logs and are none.
    pub(super) fn add_passed_over(&mut self, inputs: &Inputs) {
        for file in inputs.passed_over() {
            let taken = ingest::open(file, None).and_then(|loaded| self.takes(file, &loaded));
            match taken {
                // Any program may have a database.
                Err(problem) if !may_be_database(file.as_ref()) => self.add_unread(file, &problem, true),
                Ok(true) => {}
                Ok(false) | Err(_) => self.others.push(file.clone()),
            }
        }
    }

    /// Says what was left out; the exit status that this means. Files with rewards were not left out.
    pub(super) fn complain(&mut self, inputs: &Inputs) -> u8 {
        self.others.retain(|file| !inputs.rewards.has(file.as_ref()));
        let files = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let such_as = |all: &[FileName]| match all {
            [first, _, ..] => format!(", such as {first}"),
            [only] => format!(": {only}"),
            [] => String::new(),
        };
        if !self.unnamed.is_empty() {
            let (files, first) = (files(self.unnamed.len(), "more file"), such_as(&self.unnamed));
            complain(&format!("{files} that cannot be read{first}; name a file to see why"));
        }
        if !self.empty.is_empty() {
            complain(&format!("{} left out{}", files(self.empty.len(), "empty file"), such_as(&self.empty)));
        }
        if !self.others.is_empty() {
            let files = counted(self.others.len(), "file");
            complain(&format!("{files} without runs or trajectories left out{}", such_as(&self.others)));
        }
        if self.unread > 0 { TROUBLE } else { 0 }
    }
}

fn may_be_database(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.contains(".db") || name.contains(".sqlite")
}

/// Whether a file holds neither runs nor trajectories; one that is no JSON at all cannot be read.
fn is_other(loaded: &Loaded) -> Result<bool, Problem> {
    if !loaded.detected.format.is_any() {
        return Ok(false);
    }
    let records = loaded.records()?;
    match records.get(0).filter(|_| records.len() == 1).map(|record| (record.body, record.place.line)) {
        Some((RecordBody::Broken(why), line)) => {
            Err(Problem::unreadable(format!("{}:{line}: {why}", loaded.input.name())))
        }
        _ => Ok(true),
    }
}
