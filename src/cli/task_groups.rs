//! The attempts at each task, for fields such as `group.mean`: a pass of its own before the records are reported.

use super::args::FileName;
use crate::format::{Layout, Purpose};
use crate::ingest::{self, Loaded};
use crate::json::Value;
use crate::model::Problem;
use crate::review::{ChunkBuilder, Rollout, TaskGroups};

/// The attempts that a record is, with the steps that the table counts. `number` is that of the record through all
/// inputs, `by` the field that names the task.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn rollouts(
    loaded: &Loaded,
    record: usize,
    value: &Value<'_>,
    (number, by): (usize, Option<&str>),
) -> Result<Vec<Rollout>, Problem> {
    let format = loaded.detected.format;
    let mut rollouts = Rollout::all_of(number, value, by, format.way());
    let is_of_run = format.layout() == Layout::Set && !format.is_stage();
    if let Some(only) = rollouts.first_mut().filter(|rollout| is_of_run && rollout.answer.is_none()) {
        // The run of a log may make several steps of a message.
        only.steps = Some(loaded.run(record)?.step_count() as u64).filter(|steps| *steps > 0).unwrap_or(only.steps);
    }
    Ok(rollouts)
}

/// Of all records of a file; none where its records are not trajectories.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn task_groups(loaded: &Loaded) -> Result<TaskGroups, Problem> {
    let mut groups = TaskGroups::default();
    add_to(&mut groups, loaded)?;
    Ok(groups)
}

/// Of all records of several inputs: attempts at one task may be in different files.
///
/// # Errors
/// An input can no longer be read.
pub(super) fn groups_of_all<'l>(inputs: impl IntoIterator<Item = &'l Loaded>) -> Result<TaskGroups, Problem> {
    let mut groups = TaskGroups::default();
    inputs.into_iter().try_for_each(|loaded| add_to(&mut groups, loaded))?;
    Ok(groups)
}

/// The same of files that are read one after the other later; what cannot be read is reported then.
///
/// # Errors
/// A file can no longer be read.
pub(super) fn groups_of_files(files: &[FileName], format: Option<&str>) -> Result<TaskGroups, Problem> {
    let mut groups = TaskGroups::default();
    let readable = files.iter().filter(|file| !file.is_stdin()).filter_map(|file| ingest::open(file, format).ok());
    readable.into_iter().try_for_each(|loaded| add_to(&mut groups, &loaded))?;
    Ok(groups)
}

fn add_to(groups: &mut TaskGroups, loaded: &Loaded) -> Result<(), Problem> {
    let Some(mut survey) = loaded.detected.format.survey(Purpose::Measures) else { return Ok(()) };
    let mut number = 0;
    ingest::survey(loaded, survey.as_mut(), |surveyed| -> Result<(), Problem> {
        let mut maker = ChunkBuilder::new(number);
        maker.push(&surveyed.facts.unwrap_or_default(), 0);
        maker.finish().iter().for_each(|entry| groups.add(&entry));
        number += 1;
        Ok(())
    })
}
