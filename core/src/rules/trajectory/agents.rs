//! Other trajectories that an ATIF trajectory refers to: those that are in it, and those in files of their own
//! (`FORMATS.md` 0.4, 5).

use super::atif;
use super::reading::{Reading, Way};
use super::shape::RecordShape;
use crate::json::Value;
use crate::model::{PartRole, RunPart, StepNo};
use std::collections::{HashMap, HashSet};

/// Files that a record refers to, at the steps that do.
#[must_use]
pub fn parts(reading: &Reading<'_>, record: usize) -> Vec<RunPart> {
    if reading.way != Way::Formats || reading.shape != RecordShape::Atif {
        return Vec::new();
    }
    let inside = atif::trajectories(reading.root);
    let names: HashSet<&str> = inside.iter().flat_map(|(_, trajectory)| ids(trajectory)).collect();
    let is_inside = |id: &str| names.contains(id);
    let part = |role, file: String, step: usize| RunPart {
        role,
        folder: "",
        file,
        identity: None,
        record,
        step: StepNo::try_from(step).ok(),
    };
    let mut found = Vec::new();
    for ((_, trajectory), track) in inside.iter().zip(&reading.tracks) {
        for step in track.steps.clone() {
            let results = reading.entries.get(step).into_iter().flat_map(|entry| atif::results(entry.value));
            let files = results.flat_map(atif::references).filter_map(|one| missing_file(one, &is_inside));
            found.extend(files.map(|file| part(PartRole::SubAgent, file, step)));
        }
        let continued = trajectory.get("continued_trajectory_ref").and_then(reference_path);
        found.extend(continued.map(|file| part(PartRole::Continuation, file, track.steps.end.saturating_sub(1))));
    }
    found
}

/// The first steps of the sub-agents that are in a record, each with the step that refers to it.
#[must_use]
pub fn callers(reading: &Reading<'_>) -> HashMap<usize, usize> {
    let mut callers = HashMap::new();
    if reading.tracks.len() < 2 || reading.shape != RecordShape::Atif {
        return callers;
    }
    let inside = atif::trajectories(reading.root);
    let mut of_name = HashMap::new();
    for ((_, trajectory), track) in inside.iter().zip(&reading.tracks).filter(|(_, track)| track.is_sub_agent) {
        ids(trajectory).for_each(|id| {
            of_name.entry(id).or_insert(track.steps.start);
        });
    }
    for (step, entry) in reading.entries.iter().enumerate() {
        for id in atif::results(entry.value).flat_map(atif::references).flat_map(ids) {
            if let Some(first) = of_name.get(id) {
                callers.entry(*first).or_insert(step);
            }
        }
    }
    callers
}

/// By what a trajectory is called, and a reference names it: its id, and the session of one from before ids.
fn ids<'a>(reference: &'a Value<'a>) -> impl Iterator<Item = &'a str> {
    let named = ["trajectory_id", "session_id"].into_iter().filter_map(|key| reference.get(key)?.as_str());
    reference.as_str().into_iter().chain(named)
}

/// The file in which a trajectory is that is not in the record. A session alone says no file.
fn missing_file(reference: &Value<'_>, is_inside: &impl Fn(&str) -> bool) -> Option<String> {
    if ids(reference).any(is_inside) {
        return None;
    }
    let of_id = || reference.get("trajectory_id")?.as_str().map(|id| format!("{id}.json"));
    reference_path(reference).or_else(of_id)
}

fn reference_path(reference: &Value<'_>) -> Option<String> {
    let path = reference.as_str().or_else(|| reference.get("trajectory_path")?.as_str());
    path.filter(|path| !path.is_empty()).map(str::to_owned)
}
