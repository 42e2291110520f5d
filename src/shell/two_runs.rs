//! Two runs to compare: both read, their rows aligned, and what each came to.

use super::headless::CompleteRecords;
use super::jobs::{Source, read_run};
use super::lanes::IsWanted;
use crate::app::Msg;
use crate::format::SharedRun;
use crate::format::{Format, Layout, Run};
use crate::ingest;
use crate::json;
use crate::model::{Bytes, Problem, Record, StepNo, lossy};
use crate::panes::Records;
use crate::panes::two_runs::alignment::{Rows, aligned};
use crate::panes::two_runs::endings::{ending, failures, trajectories};
use crate::panes::two_runs::states::{self, StatePairQuery};
use crate::panes::two_runs::{AlignedRuns, Ending, RunData, RunPlace};
use crate::review::record_id;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Steps between two reports of how far the reading is.
const PROGRESS_STEPS: usize = 512;

/// Reads two runs and aligns them; the answers go to `send`.
pub(super) fn align(
    source: &Source,
    (number, places): (u64, [(bool, RunPlace); 2]),
    is_wanted: &IsWanted<'_>,
    send: &mut dyn FnMut(Msg),
) {
    let rows = build_rows(source, places, is_wanted, &mut |per_cent| send(Msg::Aligning(number, per_cent)));
    if let Some(rows) = rows.transpose() {
        send(Msg::RunsAligned(number, Box::new(rows)));
    }
}

/// Compares the states of two runs.
pub(super) fn compare_states(of: (u64, StatePairQuery), sides: &[RunData; 2]) -> Msg {
    Msg::StatesCompared(of, states::compare([&sides[0].run, &sides[1].run], of.1))
}

/// None: it is no longer wanted.
fn build_rows(
    source: &Source,
    places: [(bool, RunPlace); 2],
    is_wanted: &IsWanted<'_>,
    report: &mut dyn FnMut(usize),
) -> Result<Option<AlignedRuns>, String> {
    let is_one_file = places[0].1.file == places[1].1.file;
    let [left, right] = places;
    let is_pair = left.1.trajectory.is_some() && right.1.trajectory.is_some();
    let mut left = side(source, left, is_one_file)?;
    if !is_wanted() {
        return Ok(None);
    }
    let mut right = if is_pair {
        trajectory(RunData { place: right.1, ..left.clone() })?
    } else {
        side(source, right, is_one_file)?
    };
    if !is_one_file {
        distinguish(&mut left, &mut right);
    }
    let left = trajectory(left)?;
    let (a, b) = (guard(&left.run), (!is_pair).then(|| guard(&right.run)));
    let (run_a, run_b): (&dyn Run, &dyn Run) = (a.as_ref(), b.as_ref().map_or(a.as_ref(), |b| b.as_ref()));
    let Some(old) = rows(&left, run_a, is_wanted, &mut |half| report(half / 2))? else { return Ok(None) };
    let Some(new) = rows(&right, run_b, is_wanted, &mut |half| report(50 + half / 2))? else { return Ok(None) };
    let rows = aligned(&old, &new, &|| is_wanted());
    drop((old, new));
    drop((a, b));
    Ok(rows.map(|rows| ([left, right], rows)))
}

/// The rows of a run; how far the reading is, is reported in percent.
fn rows<'r>(
    side: &'r RunData,
    run: &'r dyn Run,
    is_wanted: &IsWanted<'_>,
    report: &mut dyn FnMut(usize),
) -> Result<Option<Rows<'r>>, String> {
    let mut wanted = |at: usize, of: usize| {
        if at.is_multiple_of(PROGRESS_STEPS) {
            report(at * 100 / of.max(1));
        }
        is_wanted()
    };
    Rows::read(run, side.bytes.as_ref(), &side.steps, &mut wanted).map_err(|problem| problem.to_string())
}

fn guard(run: &SharedRun) -> std::sync::RwLockReadGuard<'_, Box<dyn Run>> {
    run.read().unwrap_or_else(PoisonError::into_inner)
}

/// A run with all of its steps.
fn side(source: &Source, (is_open, place): (bool, RunPlace), is_one_file: bool) -> Result<RunData, String> {
    let (format, bytes, records, run) = match (&place.file, is_open) {
        (Some(file), false) => opened(file, &place)?,
        _ => {
            let run = match source.format.layout() {
                Layout::Run => source.run.clone().ok_or("the run is not read yet")?,
                Layout::Set => {
                    let record = source.records.get(place.record).ok_or("there is no such record")?;
                    Arc::new(RwLock::new(read_run(source, &record)?))
                }
            };
            (source.format, Arc::clone(&source.bytes), Arc::clone(&source.records), run)
        }
    };
    let count = StepNo::try_from(guard(&run).step_count()).unwrap_or(StepNo::MAX);
    let (record, set) = (records.get(place.record), format.layout() == Layout::Set);
    let (name_of, none) = (String::new(), Ending::default());
    let mut data = RunData { name: name_of, ending: none, steps: 0..count, format, bytes, records, run, place };
    let record = record.filter(|_| set);
    data.name = name(&data, record.as_ref(), is_one_file);
    let text = record.and_then(|record| data.bytes.read(record.place.span).ok());
    data.ending = ending(&data, text.as_deref());
    Ok(data)
}

type Parts = (&'static dyn Format, Arc<dyn Bytes>, Arc<dyn Records>, SharedRun);

/// A run of another file.
fn opened(file: &Path, place: &RunPlace) -> Result<Parts, String> {
    let message_of = |problem: Problem| problem.to_string();
    let loaded = ingest::open(file, place.format.as_deref()).map_err(message_of)?;
    let run = loaded.run(place.record).map_err(message_of)?;
    let records = CompleteRecords(loaded.records().map_err(message_of)?.clone());
    let bytes: Arc<dyn Bytes> = Arc::clone(&loaded.input) as _;
    Ok((loaded.detected.format, bytes, Arc::new(records), Arc::new(RwLock::new(run))))
}

/// Files of the same name are called by what distinguishes their paths.
fn distinguish(left: &mut RunData, right: &mut RunData) {
    let (Some(a), Some(b)) = (left.place.file.clone(), right.place.file.clone()) else { return };
    if left.name != right.name {
        return;
    }
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    let (a, b) = (parts(&a), parts(&b));
    let alike = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let differing = [&a, &b].map(|parts| {
        let from = parts.len().saturating_sub(alike + 1);
        let between = parts.len().saturating_sub(1).max(from);
        parts[from..between].iter().collect::<PathBuf>()
    });
    for (side, folder) in [left, right].into_iter().zip(differing) {
        side.name = folder.join(&side.name).to_string_lossy().into_owned();
    }
}

/// What a run is called: the file, the record with its id.
fn name(data: &RunData, record: Option<&Record>, is_one_file: bool) -> String {
    let file = data.place.file.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let Some(record) = record else { return file.unwrap_or_else(|| data.place.name.clone()) };
    let text = data.bytes.read(record.place.span).unwrap_or_default();
    let id = json::parse(&lossy(&text)).ok().and_then(|record| record_id(&record));
    let mut parts = vec![format!("record {}", data.place.record)];
    parts.extend(id);
    if let (Some(file), false) = (file, is_one_file) {
        parts.insert(0, file);
    }
    parts.join(" · ")
}

/// Only the trajectory of the run that is meant, of a run that has several.
fn trajectory(mut data: RunData) -> Result<RunData, String> {
    let Some(wanted) = data.place.trajectory else { return Ok(data) };
    let run = guard(&data.run);
    let (name, steps) =
        trajectories(&data, run.as_ref()).into_iter().nth(wanted).ok_or("the record holds one trajectory only")?;
    let failed = failures(run.as_ref(), &steps);
    drop(run);
    (data.ending.failed, data.steps) = (failed, steps);
    if let Some(name) = name {
        data.name = format!("{name} · {}", data.name);
    }
    Ok(data)
}
