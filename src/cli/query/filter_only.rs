//! `obelus query --where` without an expression: the records that a filter lets through, or how many.

use super::Options;
use crate::cli::args::FileName;
use crate::cli::filter::Where;
use crate::cli::inputs::Inputs;
use crate::cli::out::{self, Out, raw};
use crate::cli::task_groups::groups_of_files;
use crate::cli::{Stop, TROUBLE, complain, load};
use crate::review::Marks;
use crate::source::RecordReader;

/// Reports each file.
///
/// # Errors
/// What is reported cannot be written. What is wrong with a file is reported, and the others are looked at.
pub(super) fn run(options: &Options, filter: &Where, marks: &Marks, out: &mut Out) -> Result<u8, Stop> {
    let inputs = Inputs::of(&options.files_and_expression);
    let has_several = inputs.names.len() > 1;
    if has_several {
        filter.count_groups(|| groups_of_files(&inputs.names, options.format.forced()))?;
    }
    let mut status = inputs.complain();
    for name in &inputs.names {
        match file(name, has_several, options, filter, marks, out) {
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
            }
            result => status = status.max(result?),
        }
    }
    Ok(status)
}

/// Reports one; the status: 1 if a column of the configuration failed.
fn file(
    name: &FileName,
    has_several: bool,
    options: &Options,
    filter: &Where,
    marks: &Marks,
    out: &mut Out,
) -> Result<u8, Stop> {
    let loaded = load(name, options.format.forced(), out)?;
    let passing = filter.passing(&loaded, marks)?;
    let count = passing.records.iter().filter(|passes| **passes).count();
    match (options.count, options.json) {
        (true, true) => {
            let records = raw(&loaded.records()?.len())?;
            let members = vec![
                ("file", raw(&name.text())?),
                ("records", records),
                ("count", raw(&count)?),
                ("failed", raw(&passing.failed)?),
            ];
            out.json(&out::plain(&members))?;
        }
        (true, false) if has_several => out.line(&format!("{name}:{count}"))?,
        (true, false) => out.line(&count.to_string())?,
        (false, _) => {
            let mut reader = RecordReader::new(&loaded.input);
            for record in loaded.records()?.iter().filter(|record| passing.has(record.number)) {
                out.record(reader.text(&record)?)?;
            }
        }
    }
    Ok(passing.status())
}
