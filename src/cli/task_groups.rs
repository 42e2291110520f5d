//! The attempts at each task, for fields such as `group.mean`: a pass of its own before the records are reported.

use super::inputs::Inputs;
use crate::format::{Facts, Layout, Purpose, Surveyed, run_names};
use crate::ingest::{self, Loaded};
use crate::json::Value;
use crate::model::{Bytes as _, Problem};
use crate::review::{ChunkBuilder, Rollout, TaskGroups};
use crate::rules::trajectory::{RecordName, read_text, scalar, task};
use crate::source::RecordReader;

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
    if rollouts.is_empty() {
        return Ok(rollouts_of_log(loaded, record, value, by));
    }
    let is_of_run = format.layout() == Layout::Set && !format.is_stage();
    if let Some(only) = rollouts.first_mut().filter(|rollout| is_of_run && rollout.answer.is_none()) {
        // The run of a log may make several steps of a message.
        only.steps = Some(loaded.run(record)?.step_count() as u64).filter(|steps| *steps > 0).unwrap_or(only.steps);
    }
    if let Some(only) = rollouts.first_mut().filter(|rollout| rollout.answer.is_none()) {
        let name = RecordName::of(value);
        let has_task = by.is_some() || (only.task.is_some() && !name.has_guessed_task());
        if only.reward.is_none() || !has_task {
            let evaluated = ingest::evaluation_of(loaded, &run_names(&name))?;
            only.reward = only.reward.or(evaluated.reward);
            only.task = evaluated.task.filter(|_| !has_task).or(only.task.take());
        }
    }
    Ok(rollouts)
}

/// The attempts that the run of a file is, of several trajectories each; `by` is the path at which its records name the
/// task.
///
/// # Errors
/// The input can no longer be read, or there is no step in it that can.
pub(super) fn rollouts_of_run(loaded: &Loaded, by: Option<&str>) -> Result<Vec<Vec<Rollout>>, Problem> {
    let named = match by {
        Some(path) => first_of_run(loaded, &[path])?.into_iter().next().flatten(),
        None => None,
    };
    let rollouts = |surveyed: &Surveyed| {
        let facts = surveyed.facts.clone().unwrap_or_default();
        let task = if by.is_some() { named.clone() } else { facts.name.task.clone() };
        let cost = facts.run.usage.cost;
        let named = |rollout| Rollout { task: task.clone(), cost, ..rollout };
        Rollout::of_facts(&facts).into_iter().map(named).collect()
    };
    Ok(ingest::survey_runs(loaded, false)?.iter().map(rollouts).collect())
}

/// What the records of a run have at some paths: of each the first that is there.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn first_of_run(loaded: &Loaded, paths: &[&str]) -> Result<Vec<Option<String>>, Problem> {
    let (mut reader, mut found) = (RecordReader::new(&loaded.input), vec![None; paths.len()]);
    for record in loaded.records()?.iter() {
        let Ok(value) = read_text(&record, reader.text(&record)?) else { continue };
        for (path, found) in paths.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            // A path as jq writes it means the same.
            *found = scalar(&value, path.strip_prefix('.').unwrap_or(path));
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(found)
}

/// The attempts that a record of a log is, as its run gives them; none of one that cannot be read.
fn rollouts_of_log(loaded: &Loaded, record: usize, value: &Value<'_>, by: Option<&str>) -> Vec<Rollout> {
    let facts = || {
        let mut survey = loaded.detected.format.survey(Purpose::Measures)?;
        let record = loaded.records().ok()?.get(record)?;
        let looked = survey.look()(&record, &loaded.input.read(record.shown()).ok()?);
        let surveyed = ingest::take(loaded, survey.as_mut(), looked).ok()?;
        surveyed.facts.filter(|facts| facts.counted.is_some())
    };
    let Some(facts) = facts() else { return Vec::new() };
    let named = if by.is_some() { task(value, by) } else { facts.name.task.clone() };
    let cost = facts.run.usage.cost;
    let rollouts = Rollout::of_facts(&facts).into_iter();
    rollouts.map(|rollout| Rollout { task: named.clone(), cost, ..rollout }).collect()
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
pub(super) fn groups_of_files(inputs: &Inputs, format: Option<&str>) -> Result<TaskGroups, Problem> {
    let mut groups = TaskGroups::default();
    let readable =
        inputs.names.iter().filter(|file| !file.is_stdin()).filter_map(|file| ingest::open(file, format).ok());
    let mut loaded = readable.map(|loaded| loaded.with_rewards(&inputs.rewards));
    loaded.try_for_each(|loaded| add_to(&mut groups, &loaded))?;
    Ok(groups)
}

fn add_to(groups: &mut TaskGroups, loaded: &Loaded) -> Result<(), Problem> {
    let mut number = 0;
    let mut add = |surveyed: &Surveyed| -> Result<(), Problem> {
        let mut maker = ChunkBuilder::new(number);
        maker.push(surveyed.facts.as_ref().unwrap_or(&Facts::default()), 0);
        maker.finish().iter().for_each(|entry| groups.add(&entry));
        number += 1;
        Ok(())
    };
    match loaded.detected.format.survey(Purpose::Measures) {
        Some(mut survey) => ingest::survey(loaded, survey.as_mut(), |surveyed| add(&surveyed)),
        // A file in which nothing can be read is reported when its rows are.
        None if ingest::is_run(loaded) => {
            ingest::survey_runs(loaded, false).unwrap_or_default().iter().try_for_each(&mut add)
        }
        None => Ok(()),
    }
}
