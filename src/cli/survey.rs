//! A file surveyed for `stats`: by its format, or by its runs where the format has no survey of its own.

use super::Stop;
use super::out::raw;
use crate::batch::RunsStats;
use crate::format::Purpose;
use crate::ingest::{self, Loaded, usage_with_parts};
use crate::lint::Policy;
use crate::model::{Finding, Problem};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Gives the statistics of each trajectory in turn, then those of the dataset.
pub(super) fn stats(loaded: &Loaded, each: impl FnMut(&RawValue) -> Result<(), Stop>) -> Result<(), Stop> {
    stats_by(loaded, &Policy::default(), each)
}

/// The same; `policy` says which findings count.
pub(super) fn stats_by(
    loaded: &Loaded,
    policy: &Policy,
    mut each: impl FnMut(&RawValue) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let survey = loaded.detected.format.survey(Purpose::Statistics);
    if let Some(mut survey) = survey.filter(|survey| survey.dataset().is_some()) {
        let policy = policy.clone();
        survey.judge_by(Box::new(move |finding| policy.judge(finding)));
        ingest::survey(loaded, survey.as_mut(), |surveyed| surveyed.stats.map_or(Ok(()), |stats| each(&stats)))?;
        return survey.dataset().map_or(Ok(()), |dataset| each(&dataset));
    }
    let mut dataset = RunsStats::default();
    // A file without records opens as an empty run, and has none.
    for record in 0..loaded.trajectories()?.min(loaded.records()?.len()) {
        let (run, bytes) = (loaded.run(record)?, loaded.input.as_ref());
        let (found, usage) = (ingest::findings_of(run.as_ref(), bytes)?, usage_with_parts(run.as_ref(), bytes));
        let judged = |found: Arc<Finding>| policy.judge(Arc::unwrap_or_clone(found)).map(Arc::new);
        let found: Vec<_> = found.into_iter().filter_map(judged).collect();
        if let Some(stats) = dataset.add_run((record, run.as_ref()), bytes, &found, usage)? {
            each(&stats)?;
        }
    }
    each(&dataset.line("dataset")?)
}

/// A statistics object as one line of `--json`: the version, the file and the stage that its name says (D2) before its
/// own members.
pub(super) fn line(file: &str, stage: Option<&str>, stats: &RawValue) -> Result<String, Problem> {
    let members = stats.get().strip_prefix('{').unwrap_or_default();
    let stage = stage.map_or_else(String::new, |stage| format!("\"stage\":\"{stage}\","));
    Ok(format!("{{\"obelus\":1,\"file\":{},{stage}{members}", raw(file)?))
}

/// Whether a statistics object is that of the whole file.
pub(super) fn is_of_dataset(stats: &RawValue) -> bool {
    stats.get().starts_with("{\"type\":\"dataset\"")
}
