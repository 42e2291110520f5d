//! `obelus stats --summary`: statistics of a file in a line of constant size.

use super::{Options, what, write_dataset};
use crate::batch::SummaryBuilder;
use crate::cli::args::FileName;
use crate::cli::out::Out;
use crate::cli::{Stop, survey};
use crate::ingest::Loaded;
use crate::lint::Policy;

/// Reports one file.
pub(super) fn write_report(
    file: &FileName,
    loaded: &Loaded,
    (options, policy): (&Options, &Policy),
    out: &mut Out,
) -> Result<(), Stop> {
    let mut summary = SummaryBuilder::default();
    survey::stats_by(loaded, policy, |stats| Ok(summary.add(stats)?))?;
    let line = summary.line()?;
    if options.json {
        let stage = loaded.detected.format.stage(&file.text());
        return Ok(out.json(&survey::line(&file.text(), stage, &line)?)?);
    }
    write_dataset(&file.to_string(), &what(file, loaded), Some(&line), out)
}
