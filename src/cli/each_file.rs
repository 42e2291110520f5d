//! The files of a command that makes rows of them, one after the other: those that are runs are read ahead, on several
//! threads.

use super::args::FileName;
use super::inputs::Inputs;
use super::out::Out;
use super::{Stop, TROUBLE, complain, report_trouble};
use crate::ingest::{self, Loaded};
use crate::model::{Problem, RecordBody};
use crate::source;
use crate::text::counted;

/// Gives each file to `each`, in order. What cannot be read is reported, as is what `each` says of a file; of folders
/// the files are left out that hold neither runs nor trajectories. The exit status.
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
            let loaded = ingest::open(file, format)?;
            if ingest::is_run(&loaded) {
                // What is wrong is reported in the order of the files.
                let _ = ingest::survey_runs(&loaded, wants_findings);
            }
            Ok(loaded)
        }
    };
    let mut next = files.iter();
    source::in_order(&files, open, |opened: Result<Loaded, Problem>| {
        let Some((file, is_found)) = next.next() else { return Ok(()) };
        let answered = opened.map_err(Stop::from).and_then(|loaded| {
            report_trouble(&loaded, out);
            if *is_found && is_other(&loaded)? {
                left_out.add(file);
                return Ok(0);
            }
            each(file, &loaded, out)
        });
        match answered {
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
            }
            answered => status = status.max(answered?),
        }
        Ok::<(), Stop>(())
    })?;
    left_out.complain();
    Ok(status)
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

/// Files of folders that are left out.
#[derive(Default)]
struct LeftOut {
    count: usize,
    first: Option<FileName>,
}

impl LeftOut {
    fn add(&mut self, file: &FileName) {
        self.count += 1;
        self.first.get_or_insert_with(|| file.clone());
    }

    fn complain(&self) {
        let Some(first) = &self.first else { return };
        let such_as = if self.count > 1 { ", such as" } else { ":" };
        let files = counted(self.count, "file");
        complain(&format!("{files} without runs or trajectories left out{such_as} {first}"));
    }
}
