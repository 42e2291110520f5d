//! Texts that come in pieces: what the messages of a run say is looked at as the screen shows it.

use crate::ingest::Loaded;
use crate::model::{Bytes, LocatedFinding, Problem, Record, Span, cast, lossy};
use crate::rules::data;

/// What is found in messages of which several records hold pieces, and in none of these by itself.
///
/// # Errors
/// The input can no longer be read.
pub(super) fn found(loaded: &Loaded) -> Result<Vec<LocatedFinding>, Problem> {
    let (mut all, bytes) = (Vec::new(), loaded.input.as_ref());
    for number in 0..loaded.trajectories()? {
        let run = loaded.run(number)?;
        for step in 0..cast::to_step(run.step_count()) {
            let spans = run.spans(step);
            if spans.len() < 2 {
                continue;
            }
            let Some(turn) = run.turn(step, bytes) else { continue };
            let records = records(loaded, &spans)?;
            all.extend(turn.parts.iter().flat_map(|part| data::in_pieces(part.text(), &records)));
        }
    }
    Ok(all)
}

/// The records that begin at these places, each with its text.
fn records(loaded: &Loaded, spans: &[Span]) -> Result<Vec<(Record, String)>, Problem> {
    let known = loaded.records()?;
    let record = |span: &Span| {
        let (mut low, mut high) = (0, known.len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            let is_before = known.get(middle).is_some_and(|record| record.place.span.offset <= span.offset);
            (low, high) = if is_before { (middle, high) } else { (low, middle) };
        }
        known.get(low)
    };
    let read = |record: Record| {
        let text = lossy(&loaded.input.read(record.place.span)?).into_owned();
        Ok((record, text))
    };
    spans.iter().filter_map(record).map(read).collect()
}
