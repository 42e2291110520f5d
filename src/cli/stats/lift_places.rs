//! Where phrases and tools are, by the steps that a record shows: the run of a rollout of a log may make several steps
//! of a message.

use crate::format::{Layout, Run};
use crate::ingest::Loaded;
use crate::model::{Bytes, Problem, StepNo};
use crate::review::Lift;
use crate::rules::trajectory::read_text;
use crate::source::RecordReader;
use std::ops::Range;

/// Puts the steps of runs in place of the messages of records.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn to_steps<'l>(loaded: &Loaded, lifts: impl Iterator<Item = &'l mut Lift>) -> Result<(), Problem> {
    let format = loaded.detected.format;
    if format.layout() != Layout::Set || format.is_stage() {
        return Ok(());
    }
    let mut reader = RecordReader::new(&loaded.input);
    for lift in lifts {
        for (number, step) in &mut lift.places {
            let Some(record) = loaded.records()?.get(*number) else { continue };
            let Ok(value) = read_text(&record, reader.text(&record)?) else { continue };
            let reading = format.way().with_written_calls().read(&value);
            let Some(message) = reading.entries.get(*step).map(|entry| entry.value) else { continue };
            let begin = record.place.span.offset + message.start as u64;
            let run = loaded.run(*number)?;
            let found = step_with(&lift.feature, run.as_ref(), loaded, begin..begin + message.text.len() as u64)?;
            *step = found.unwrap_or(*step);
        }
    }
    Ok(())
}

/// The first step within some bytes that has a feature, else the first there.
fn step_with(feature: &str, run: &dyn Run, loaded: &Loaded, bytes: Range<u64>) -> Result<Option<usize>, Problem> {
    let mut first = None;
    for number in 0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX) {
        let Some(span) = run.place(number).map(|place| place.place.span) else { continue };
        if span.offset < bytes.start || bytes.end < span.end() {
            continue;
        }
        let place = usize::try_from(number).ok();
        let has_feature = match feature.strip_prefix("tool ") {
            Some(tool) => run.step(number, loaded.input.as_ref()).tool.as_deref() == Some(tool),
            None => {
                let text = loaded.input.read(span)?;
                let text = String::from_utf8_lossy(&text).to_lowercase();
                feature.split(' ').all(|word| text.contains(word))
            }
        };
        if has_feature {
            return Ok(place);
        }
        first = first.or(place);
    }
    Ok(first)
}
