//! A file that is a run of its own as rows of a table: as a survey gives them of records that are runs.

use super::{Loaded, findings_of, pass, rewards};
use crate::format::{Layout, Surveyed, survey_of_run};
use crate::model::{Finding, LocatedFinding, Problem, Severity};
use std::sync::Arc;

/// Whether all records of an input make one run, so that it is a row of a table and its records are none.
#[must_use]
pub fn is_run(loaded: &Loaded) -> bool {
    loaded.detected.format.layout() == Layout::Run && !loaded.detected.format.is_any()
}

/// The size of the run that an input is: that of its records.
///
/// # Errors
/// The input can no longer be read.
pub fn record_bytes(loaded: &Loaded) -> Result<u64, Problem> {
    Ok(loaded.records()?.iter().map(|record| record.place.span.len).sum())
}

/// Facts on the run that an input is, on each of its trajectories if it has several; on findings only where they are
/// wanted. An input without records has none.
///
/// # Errors
/// The input can no longer be read, or there is no step in it that can.
pub fn survey_runs(loaded: &Loaded, wants_findings: bool) -> Result<Arc<Vec<Surveyed>>, Problem> {
    let [bare, whole] = &loaded.run_rows;
    let known = whole.get().or_else(|| bare.get().filter(|_| !wants_findings));
    if let Some(known) = known {
        return Ok(Arc::clone(known));
    }
    let surveyed = Arc::new(read(loaded, wants_findings)?);
    let cell = if wants_findings { whole } else { bare };
    Ok(Arc::clone(cell.get_or_init(|| surveyed)))
}

fn read(loaded: &Loaded, wants_findings: bool) -> Result<Vec<Surveyed>, Problem> {
    if loaded.records()?.is_empty() {
        return Ok(Vec::new());
    }
    let run = loaded.run(0)?;
    let found: Vec<LocatedFinding> = if wants_findings || run.step_count() == 0 {
        let (records, all) = (loaded.records()?, findings_of(run.as_ref(), loaded.input.as_ref())?);
        let place = |finding: &Finding| pass::place(records, run.as_ref(), finding);
        let located = all.into_iter().map(Arc::unwrap_or_clone);
        located.map(|finding| LocatedFinding { place: place(&finding), finding }).collect()
    } else {
        Vec::new()
    };
    let error = || found.iter().find(|found| found.finding.severity == Severity::Error);
    if let Some(error) = error().filter(|_| run.step_count() == 0) {
        let (name, line) = (loaded.input.name(), error.place.line);
        return Err(Problem::unreadable(format!("{name}:{line}: {}", error.finding.message)));
    }
    let mut surveyed = survey_of_run((loaded.detected.format.name(), run.as_ref()), loaded.input.as_ref(), &found);
    let is_one = surveyed.len() == 1;
    surveyed
        .iter_mut()
        .filter_map(|surveyed| surveyed.facts.as_mut())
        .try_for_each(|facts| rewards::join(loaded, facts, is_one))?;
    Ok(surveyed)
}
