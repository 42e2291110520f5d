//! Custom columns: expressions asked of the records on the screen, and of all where they sort or filter. They run
//! in a process of their own, so one that hangs costs its time and nothing else.

use super::jobs::Source;
use super::lanes::IsWanted;
use crate::app::{Job, Msg};
use std::sync::Mutex;
#[cfg(feature = "query")]
use {
    super::query::{Child, RecordQuery},
    super::scan,
    crate::model::RecordBody,
    crate::review::{CellValue, CustomColumnChunk},
    std::sync::{Arc, PoisonError},
    std::time::{Duration, Instant},
};

/// Longest time for one record.
#[cfg(feature = "query")]
pub(crate) const LIMIT: Duration = Duration::from_secs(2);
/// Records that may end their process before no more are asked. Each halves the time of those behind it, so that all of
/// them together take less than [`LATE_MAX`].
#[cfg(feature = "query")]
const ENDED_MAX: usize = 8;
/// Longest time that the screen waits for records which all end their process.
#[cfg(all(feature = "query", test))]
const LATE_MAX: Duration = Duration::from_secs(5);
/// How often the time is halved at most.
#[cfg(feature = "query")]
const HALVED_MAX: u32 = 3;
/// Time after which the rows on the screen get what is known by then.
#[cfg(feature = "query")]
const PARTIAL_AFTER: Duration = Duration::from_millis(100);
/// Bytes, and records, that are asked at once.
#[cfg(feature = "query")]
const BATCH_BYTES: u64 = 1 << 18;
#[cfg(feature = "query")]
const BATCH_RECORDS: usize = 1_024;

/// Processes that are kept for the next question.
#[cfg(feature = "query")]
const IDLE_PROCESSES_MAX: usize = 4;

/// What is kept of an expression from one question to the next: its process.
#[derive(Default)]
pub(super) struct Asker {
    /// Number of the column, and whether all records are asked.
    #[cfg(feature = "query")]
    of: (u64, bool),
    #[cfg(feature = "query")]
    process: Option<Child>,
    #[cfg(feature = "query")]
    ended: usize,
    /// Why the expression failed for a record first, and whether that was reported.
    #[cfg(feature = "query")]
    why: (Option<String>, bool),
}

/// Asks what is asked for, until nobody holds the column any more.
#[cfg(not(feature = "query"))]
pub(super) fn ask(
    _source: &Source,
    job: Job,
    _askers: &Mutex<Vec<Asker>>,
    _is_wanted: &IsWanted<'_>,
    send: &mut dyn FnMut(Msg),
) {
    let why = Some("this build has no feature `query`, which expressions need".to_owned());
    match job {
        Job::Ask { id, .. } => send(Msg::CustomValuesVisible(id, Vec::new(), why)),
        Job::AskAll { id, .. } => send(Msg::CustomValuesEnded(id, why)),
        _ => {}
    }
}

/// Asks what is asked for, until nobody holds the column any more.
#[cfg(feature = "query")]
pub(super) fn ask(
    source: &Source,
    job: Job,
    askers: &Mutex<Vec<Asker>>,
    is_wanted: &IsWanted<'_>,
    send: &mut dyn FnMut(Msg),
) {
    let of = match &job {
        Job::Ask { id, .. } => (*id, false),
        Job::AskAll { id, .. } => (*id, true),
        _ => return,
    };
    let lock = || askers.lock().unwrap_or_else(PoisonError::into_inner);
    let known = {
        let mut guard = lock();
        guard.iter().position(|asker| asker.of == of).map(|at| guard.remove(at))
    };
    let mut asker = known.unwrap_or_else(|| Asker { of, ..Asker::default() });
    asker.ask(source, job, is_wanted, send);
    let mut guard = lock();
    guard.push(asker);
    if guard.len() > IDLE_PROCESSES_MAX {
        guard.remove(0);
    }
}

#[cfg(feature = "query")]
impl Asker {
    fn ask(&mut self, source: &Source, job: Job, is_wanted: &IsWanted<'_>, send: &mut dyn FnMut(Msg)) {
        match job {
            Job::Ask { id, expression, records, .. } => {
                let (mut found_values, mut since) = (Vec::new(), Instant::now());
                for record in records {
                    match self.evaluate(source, &expression, record..record + 1) {
                        Ok(value) => found_values.extend(value.into_iter().map(|value| (record, value))),
                        Err(why) => return send(Msg::CustomValuesVisible(id, found_values, Some(why))),
                    }
                    if since.elapsed() > PARTIAL_AFTER {
                        send(Msg::CustomValuesPart(id, std::mem::take(&mut found_values)));
                        since = Instant::now();
                    }
                }
                send(Msg::CustomValuesVisible(id, found_values, None));
                if let (Some(why), is_reported @ false) = (&self.why.0, &mut self.why.1) {
                    *is_reported = true;
                    send(Msg::Notify(true, format!("{expression}: {why}")));
                }
            }
            Job::AskAll { id, expression, from, to, token } => {
                let mut why = None;
                for batch in scan::batches(source, from..to, BATCH_BYTES, BATCH_RECORDS) {
                    // The other one is the table's.
                    if !is_wanted() || Arc::strong_count(&token) < 2 {
                        break;
                    }
                    match self.evaluate(source, &expression, batch.clone()) {
                        Ok(values) => {
                            send(Msg::CustomValuesNext(id, Arc::new(CustomColumnChunk::new(batch.start, values))));
                        }
                        Err(fault) => {
                            why = Some(fault);
                            break;
                        }
                    }
                }
                send(Msg::CustomValuesEnded(id, why));
            }
            _ => {}
        }
    }

    /// What the expression says of some records.
    fn evaluate(
        &mut self,
        source: &Source,
        expression: &str,
        records: std::ops::Range<usize>,
    ) -> Result<Vec<CellValue>, String> {
        let read = |number| {
            let record = source.records.get(number).filter(|record| record.body == RecordBody::Text)?;
            source.bytes.read(record.place.span).ok()
        };
        let texts: Vec<Option<Vec<u8>>> = records.map(read).collect();
        let asked: Vec<Vec<u8>> = texts.iter().flatten().cloned().collect();
        let mut answers = self.answers(expression, &asked)?.into_iter();
        let answer = |text: &Option<Vec<u8>>| text.as_ref().and_then(|_| answers.next()).unwrap_or(CellValue::Failed);
        Ok(texts.iter().map(answer).collect())
    }

    /// The answers for some texts; where a process comes to a bad end, each is asked by itself.
    fn answers(&mut self, expression: &str, texts: &[Vec<u8>]) -> Result<Vec<CellValue>, String> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut child = match self.process.take() {
            Some(child) => child,
            None => {
                let limit = time_after(self.ended);
                let question = RecordQuery { expression: expression.to_owned(), wants_results: true, limit };
                question.child().map_err(|problem| problem.to_string())?
            }
        };
        match child.ask(texts) {
            (answers, None) => {
                self.process = Some(child);
                let value_of = |answer: &super::query::RecordAnswer| {
                    CellValue::of(answer.results.lines().next(), answer.failure.is_some())
                };
                let why = answers.iter().find_map(|answer| answer.failure.clone());
                self.why.0 = self.why.0.take().or(why);
                Ok(answers.iter().map(value_of).collect())
            }
            (_, Some(_)) if texts.len() == 1 => {
                self.ended += 1;
                if self.ended < ENDED_MAX {
                    return Ok(vec![CellValue::Failed]);
                }
                self.ended = 0;
                Err(format!(
                    "it took too long, or all its memory, for {ENDED_MAX} records; the first had {} s",
                    LIMIT.as_secs()
                ))
            }
            (_, Some(_)) => {
                let mut all = Vec::new();
                for text in texts {
                    all.extend(self.answers(expression, std::slice::from_ref(text))?);
                }
                Ok(all)
            }
        }
    }
}

/// The time for a record after `ended` records that ended their process.
#[cfg(feature = "query")]
fn time_after(ended: usize) -> Duration {
    LIMIT / (1 << u32::try_from(ended).unwrap_or(HALVED_MAX).min(HALVED_MAX))
}

#[cfg(all(test, feature = "query"))]
mod tests {
    use super::*;

    #[test]
    fn records_that_are_all_late_keep_the_screen_waiting_for_seconds_and_not_longer() {
        assert_eq!(time_after(0), LIMIT);
        let all: Duration = (0..ENDED_MAX).map(time_after).sum();
        assert!(all < LATE_MAX, "{all:?}");
    }
}
