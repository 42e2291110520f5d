//! `obelus query --where` without an expression: the records that a filter lets through, or how many.

use super::Options;
use crate::cli::args::FileName;
use crate::cli::each_file::LeftOut;
use crate::cli::filter::Where;
use crate::cli::inputs::Inputs;
use crate::cli::out::{self, Out, raw};
use crate::cli::task_groups::groups_of_files;
use crate::cli::{Stop, load};
use crate::ingest::{self, Loaded};
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
        filter.count_groups(|| groups_of_files(&inputs, options.format.forced()))?;
    }
    let (mut status, mut left_out) = (inputs.complain(), LeftOut::default());
    for (name, is_found) in inputs.files() {
        let opened = load(name, options.format.forced(), out).map(|loaded| loaded.with_rewards(&inputs.rewards));
        let answered = opened.map_err(Stop::from).and_then(|loaded| {
            if is_found && left_out.takes(name, &loaded)? {
                return Ok(0);
            }
            file((name, &loaded), has_several, options, filter, marks, out)
        });
        match answered {
            Err(Stop::Problem(problem)) => left_out.add_unread(name, &problem, is_found),
            answered => status = status.max(answered?),
        }
    }
    left_out.add_passed_over(&inputs);
    Ok(status.max(left_out.complain(&inputs)))
}

/// Reports one; the status: 1 if a column of the configuration failed.
fn file(
    (name, loaded): (&FileName, &Loaded),
    has_several: bool,
    options: &Options,
    filter: &Where,
    marks: &Marks,
    out: &mut Out,
) -> Result<u8, Stop> {
    let rows = options.count && ingest::is_run(loaded);
    let passing = if rows { filter.passing_rows(loaded, marks)? } else { filter.passing_records(loaded, marks)? };
    let count = passing.records.iter().filter(|passes| **passes).count();
    match (options.count, options.json) {
        (true, true) => {
            let records = raw(&passing.records.len())?;
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
