//! A pass over all records of a loaded input: looked at on several threads, told in the order of the file.

use super::{Loaded, findings_of};
use crate::format::{Looked, Purpose, Run, Survey, Surveyed};
use crate::model::{Finding, Found, Place, Problem};
use crate::source::{self, Reader};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that a thread looks at before it hands on what it found.
const BATCH_BYTES: u64 = 1 << 20;
/// Inputs shorter than so many batches are not worth a second thread.
const ALONE_BATCHES: u64 = 4;

/// Gives the findings of each trajectory in turn, in their order (A45, D16).
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn findings<E: From<Problem>>(loaded: &Loaded, mut each: impl FnMut(Vec<Found>) -> Result<(), E>) -> Result<(), E> {
    match loaded.detected.format.survey(Purpose::Findings) {
        Some(mut survey) => self::survey(loaded, survey.as_mut(), |surveyed| each(surveyed.found)),
        None => (0..loaded.trajectories()).try_for_each(|record| {
            let run = loaded.run(record)?;
            let place = |finding: &Finding| place(loaded, run.as_ref(), finding);
            let found = findings_of(run.as_ref(), loaded.input.as_ref())?
                .into_iter()
                .map(|finding| Found { place: place(&finding), finding: Arc::unwrap_or_clone(finding) });
            each(found.collect())
        }),
    }
}

/// Where a finding of a run stands: at its step, else at its record.
fn place(loaded: &Loaded, run: &dyn Run, finding: &Finding) -> Place {
    let step = finding.step.and_then(|step| run.place(step)).map(|step| step.place);
    step.or_else(|| loaded.records.get(finding.record).map(|record| record.place)).unwrap_or_default()
}

/// Gives what a survey says of each record, in the order of the file.
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn survey<E: From<Problem>>(
    loaded: &Loaded,
    survey: &mut dyn Survey,
    mut each: impl FnMut(Surveyed) -> Result<(), E>,
) -> Result<(), E> {
    let look = survey.look();
    let work = || {
        let mut reader = Reader::new(&loaded.input);
        move |numbers: Range<usize>| {
            let records = numbers.filter_map(|number| loaded.records.get(number));
            records.map(|record| Ok(look(&record, reader.text(&record)?))).collect::<Result<Vec<_>, Problem>>()
        }
    };
    in_order(loaded, BATCH_BYTES, work, |batch: Vec<Looked>| {
        batch.into_iter().try_for_each(|looked| each(survey.take(looked, loaded.input.as_ref())))
    })
}

/// Does a piece of work for each batch of records, `batch_bytes` long or a little more, on several threads if that is
/// worth it, and gives the answers in the order of the file. `work` makes what each thread works with.
///
/// # Errors
/// What the work or `each` says.
pub fn in_order<T: Send, W, E>(
    loaded: &Loaded,
    batch_bytes: u64,
    work: impl Fn() -> W + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    W: FnMut(Range<usize>) -> Result<T, Problem>,
    E: From<Problem>,
{
    let batches = batches(loaded, batch_bytes);
    if loaded.input.len() < ALONE_BATCHES * batch_bytes {
        let mut work = work();
        return batches.into_iter().try_for_each(|batch| each(work(batch)?));
    }
    let work = || {
        let mut work = work();
        move |batch: &Range<usize>| work(batch.clone())
    };
    source::in_order(&batches, work, |answer| each(answer?))
}

/// The numbers of all records, in batches of about the same size.
fn batches(loaded: &Loaded, batch_bytes: u64) -> Vec<Range<usize>> {
    let (mut batches, mut start, mut bytes) = (Vec::new(), 0, 0);
    for record in loaded.records.iter() {
        bytes += record.place.span.len;
        if bytes >= batch_bytes {
            batches.push(start..record.number + 1);
            (start, bytes) = (record.number + 1, 0);
        }
    }
    batches.push(start..loaded.records.len());
    batches
}
