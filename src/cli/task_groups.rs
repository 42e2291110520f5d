//! The attempts at each task of a file, for fields such as `group.mean`: a pass of its own before the records are
//! reported.

use crate::format::Purpose;
use crate::ingest::{self, Loaded};
use crate::model::Problem;
use crate::review::{ChunkBuilder, TaskGroups};

/// Of all records of a file; none where its records are not trajectories.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn task_groups(loaded: &Loaded) -> Result<TaskGroups, Problem> {
    let mut groups = TaskGroups::default();
    let Some(mut survey) = loaded.detected.format.survey(Purpose::Measures) else { return Ok(groups) };
    let mut number = 0;
    ingest::survey(loaded, survey.as_mut(), |surveyed| -> Result<(), Problem> {
        let mut maker = ChunkBuilder::new(number);
        maker.push(&surveyed.facts.unwrap_or_default(), 0);
        maker.finish().iter().for_each(|entry| groups.add(&entry));
        number += 1;
        Ok(())
    })?;
    Ok(groups)
}
