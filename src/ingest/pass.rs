//! A pass over all records of a loaded input: looked at on several threads, reported in the order of the file.

use super::{Loaded, findings_of, parts, rewards};
use crate::format::{BoxedLook, Purpose, Run, Survey, Surveyed};
use crate::json::Value;
use crate::model::{Finding, LocatedFinding, PartState, Place, Problem, Record, RecordIndex, RunPart};
use crate::source::{self, RecordReader, RecordReport};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes that a thread looks at before it hands on what it found.
const BATCH_BYTES: u64 = 1 << 20;
/// Inputs shorter than this many batches are not worth a second thread.
const ALONE_BATCHES: u64 = 4;

/// Gives the findings of each trajectory in turn, in their order (A45, D16).
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn findings<E: From<Problem>>(
    loaded: &Loaded,
    mut each: impl FnMut(Vec<LocatedFinding>) -> Result<(), E>,
) -> Result<(), E> {
    match loaded.detected.format.survey(Purpose::Findings) {
        Some(mut survey) => self::survey(loaded, survey.as_mut(), |surveyed| each(surveyed.findings)),
        None => (0..loaded.trajectories()?).try_for_each(|record| {
            let (run, records) = (loaded.run(record)?, loaded.records()?);
            let place = |finding: &Finding| place(records, run.as_ref(), finding);
            let found = findings_of(run.as_ref(), loaded.input.as_ref())?
                .into_iter()
                .map(|finding| LocatedFinding { place: place(&finding), finding: Arc::unwrap_or_clone(finding) });
            each(found.collect())
        }),
    }
}

/// The same, and what `beside` sees in the records, each parsed once for both: of the first ones in order, until
/// `each_beside` says that there is enough. Returns of how many; none where the format does not parse records whole.
///
/// # Errors
/// As [`findings`], or what `each_beside` says.
pub fn findings_beside<S: RecordReport, E: From<Problem>>(
    loaded: &Loaded,
    beside: impl Fn(&Record, &[u8], Option<&Value<'_>>) -> S + Sync,
    mut each: impl FnMut(Vec<LocatedFinding>) -> Result<(), E>,
    mut each_beside: impl FnMut(S) -> Result<bool, E>,
) -> Result<usize, E> {
    let survey = loaded.detected.format.survey(Purpose::Findings);
    let Some((mut survey, look)) = survey.and_then(|survey| survey.shared_look().map(|look| (survey, look))) else {
        return findings(loaded, each).map(|()| 0);
    };
    let (is_wanted, mut seen) = (AtomicBool::new(true), 0);
    let both = |record: &Record, text: &[u8]| {
        let mut seen = None;
        let looked = look(record, text, &mut |value| {
            seen = is_wanted.load(Relaxed).then(|| beside(record, text, value));
        });
        Both { looked, beside: seen }
    };
    look_at_all(loaded, both, |Both { looked, beside }: Both<S>| {
        each(take(loaded, survey.as_mut(), looked)?.findings)?;
        // Threads may be ahead: what they saw behind a record that was not looked at is not the next.
        match beside.filter(|_| is_wanted.load(Relaxed)) {
            Some(beside) => {
                seen += 1;
                is_wanted.store(each_beside(beside)?, Relaxed);
            }
            None => is_wanted.store(false, Relaxed),
        }
        Ok::<(), E>(())
    })?;
    Ok(seen)
}

/// Two looks at one record.
struct Both<S> {
    looked: BoxedLook,
    beside: Option<S>,
}

impl<S: RecordReport> RecordReport for Both<S> {
    fn is_whole(&self) -> bool {
        self.looked.is_whole()
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.looked.shift(records, lines);
        self.beside.iter_mut().for_each(|beside| beside.shift(records, lines));
    }
}

/// 0.4.5: what is found of the parts of a record that are not there, at the steps that refer to them.
fn missing(loaded: &Loaded, parts: &[RunPart]) -> Result<Vec<LocatedFinding>, Problem> {
    let Some(first) = parts.first() else { return Ok(Vec::new()) };
    let run = loaded.run(first.record)?;
    let states = parts::look(loaded.detected.format, parts, loaded.input.path());
    let missing = parts.iter().zip(states).filter(|(_, state)| matches!(state, PartState::Missing));
    let found = missing.map(|(part, _)| {
        let finding = part.missing();
        Ok(LocatedFinding { place: place(loaded.records()?, run.as_ref(), &finding), finding })
    });
    found.collect()
}

/// Where a finding of a run is: at its step, else at its record.
pub(super) fn place(records: &RecordIndex, run: &dyn Run, finding: &Finding) -> Place {
    let step = finding.step.and_then(|step| run.place(step)).map(|step| step.place);
    step.or_else(|| records.get(finding.record).map(|record| record.place)).unwrap_or_default()
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
    look_at_all(loaded, survey.look(), |looked| each(take(loaded, survey, looked)?))
}

/// What a survey says of the next record, with what is found of the files that it refers to, and the reward that is in
/// a file beside it.
///
/// # Errors
/// The input can no longer be read.
pub fn take(loaded: &Loaded, survey: &mut dyn Survey, mut looked: BoxedLook) -> Result<Surveyed, Problem> {
    if !looked.parts().is_empty() {
        let missing = missing(loaded, looked.parts())?;
        looked.add_findings(missing);
    }
    let mut surveyed = survey.take(looked, loaded.input.as_ref());
    if let Some(facts) = &mut surveyed.facts {
        rewards::join(loaded, facts, false)?;
    }
    Ok(surveyed)
}

impl RecordReport for BoxedLook {
    fn is_whole(&self) -> bool {
        self.as_ref().is_read()
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.as_mut().shift(records, lines);
    }
}

/// Looks at each record by itself, on several threads, and gives what was seen in the order of the file. The records
/// are found meanwhile, if they were not before.
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn look_at_all<S: RecordReport, E: From<Problem>>(
    loaded: &Loaded,
    look: impl Fn(&Record, &[u8]) -> S + Sync,
    mut each: impl FnMut(S) -> Result<(), E>,
) -> Result<(), E> {
    let seen = loaded.look_first(&look, &mut each)?;
    look_from(loaded, seen, look, each)
}

/// The same, once the records are found: what was seen need not know how to be counted again.
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn look_at_known<T: Send, E: From<Problem>>(
    loaded: &Loaded,
    look: impl Fn(&Record, &[u8]) -> T + Sync,
    each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    look_from(loaded, 0, look, each)
}

/// The same of the records from one on.
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn look_from<T: Send, E: From<Problem>>(
    loaded: &Loaded,
    first: usize,
    look: impl Fn(&Record, &[u8]) -> T + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let records = loaded.records()?;
    let work = || {
        let mut reader = RecordReader::new(&loaded.input);
        let look = &look;
        move |numbers: Range<usize>| {
            let records = numbers.filter_map(|number| records.get(number));
            records.map(|record| Ok(look(&record, reader.text(&record)?))).collect::<Result<Vec<_>, Problem>>()
        }
    };
    let batches = batches(records, first, BATCH_BYTES);
    run_in_order(loaded, batches, BATCH_BYTES, work, |batch: Vec<T>| batch.into_iter().try_for_each(&mut each))
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
    each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    W: FnMut(Range<usize>) -> Result<T, Problem>,
    E: From<Problem>,
{
    run_in_order(loaded, batches(loaded.records()?, 0, batch_bytes), batch_bytes, work, each)
}

fn run_in_order<T: Send, W, E>(
    loaded: &Loaded,
    batches: Vec<Range<usize>>,
    batch_bytes: u64,
    work: impl Fn() -> W + Sync,
    mut each: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    W: FnMut(Range<usize>) -> Result<T, Problem>,
    E: From<Problem>,
{
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

/// The numbers of the records from `first` on, in batches of about the same size.
fn batches(records: &RecordIndex, first: usize, batch_bytes: u64) -> Vec<Range<usize>> {
    let (mut batches, mut start, mut bytes) = (Vec::new(), first, 0);
    for record in (first..records.len()).map_while(|number| records.get(number)) {
        bytes += record.place.span.len;
        if bytes >= batch_bytes {
            batches.push(start..record.number + 1);
            (start, bytes) = (record.number + 1, 0);
        }
    }
    batches.push(start..records.len());
    batches
}
