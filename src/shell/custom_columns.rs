//! Custom columns: expressions asked of the records on the screen, and of all where they sort or filter. They run
//! in a process of their own, so one that hangs costs its time and nothing else.

use super::jobs::Source;
use crate::app::{Effect, Msg};
#[cfg(feature = "query")]
use {
    super::query::{Child, Question},
    super::scan,
    crate::model::RecordBody,
    crate::review::{CellValue, CustomColumnChunk},
    std::sync::Arc,
    std::time::Duration,
};

/// Longest time for one record.
#[cfg(feature = "query")]
pub(crate) const LIMIT: Duration = Duration::from_secs(2);
/// Records that may end their process before no more are asked.
#[cfg(feature = "query")]
const ENDED_MAX: usize = 8;
/// Bytes, and records, that are asked at once.
#[cfg(feature = "query")]
const BATCH_BYTES: u64 = 1 << 18;
#[cfg(feature = "query")]
const BATCH_RECORDS: usize = 1_024;

/// What a thread keeps from one question to the next: the process of the last expression.
#[derive(Default)]
pub(super) struct Asker {
    #[cfg(feature = "query")]
    process: Option<(u64, Child)>,
    #[cfg(feature = "query")]
    ended: usize,
    /// Why the expression failed for a record first, and whether that was told.
    #[cfg(feature = "query")]
    why: (Option<String>, bool),
}

/// Asks what is asked for, until nobody holds the column any more.
#[cfg(not(feature = "query"))]
pub(super) fn ask(_source: &Source, effect: Effect, _asker: &mut Asker, send: &mut dyn FnMut(Msg)) {
    let why = Some("this build has no feature `query`, which expressions need".to_owned());
    match effect {
        Effect::Ask { id, .. } => send(Msg::CustomValuesVisible(id, Vec::new(), why)),
        Effect::AskAll { id, .. } => send(Msg::OwnEnded(id, why)),
        _ => {}
    }
}

/// Asks what is asked for, until nobody holds the column any more.
#[cfg(feature = "query")]
pub(super) fn ask(source: &Source, effect: Effect, asker: &mut Asker, send: &mut dyn FnMut(Msg)) {
    match effect {
        Effect::Ask { id, expression, records, .. } => {
            let mut told = Vec::new();
            for record in records {
                match asker.told(source, (id, &expression), record..record + 1) {
                    Ok(value) => told.extend(value.into_iter().map(|value| (record, value))),
                    Err(why) => return send(Msg::CustomValuesVisible(id, told, Some(why))),
                }
            }
            send(Msg::CustomValuesVisible(id, told, None));
            if let (Some(why), is_told @ false) = (&asker.why.0, &mut asker.why.1) {
                *is_told = true;
                send(Msg::Notify(true, format!("{expression}: {why}")));
            }
        }
        Effect::AskAll { id, expression, from, to, token } => {
            scan::lower_priority();
            let mut why = None;
            for batch in scan::batches(source, from..to, BATCH_BYTES, BATCH_RECORDS) {
                // The other one is the table's.
                if Arc::strong_count(&token) < 2 {
                    break;
                }
                match asker.told(source, (id, &expression), batch.clone()) {
                    Ok(values) => send(Msg::OwnNext(id, Arc::new(CustomColumnChunk::new(batch.start, values)))),
                    Err(fault) => {
                        why = Some(fault);
                        break;
                    }
                }
            }
            send(Msg::OwnEnded(id, why));
        }
        _ => {}
    }
}

#[cfg(feature = "query")]
impl Asker {
    /// What the expression says of some records.
    fn told(
        &mut self,
        source: &Source,
        of: (u64, &str),
        records: std::ops::Range<usize>,
    ) -> Result<Vec<CellValue>, String> {
        let read = |number| {
            let record = source.records.get(number).filter(|record| record.body == RecordBody::Text)?;
            source.bytes.read(record.place.span).ok().map(|bytes| bytes.to_vec())
        };
        let texts: Vec<Option<Vec<u8>>> = records.map(read).collect();
        let asked: Vec<Vec<u8>> = texts.iter().flatten().cloned().collect();
        let mut answers = self.answers(of, &asked)?.into_iter();
        let answer = |text: &Option<Vec<u8>>| text.as_ref().and_then(|_| answers.next()).unwrap_or(CellValue::Failed);
        Ok(texts.iter().map(answer).collect())
    }

    /// The answers for some texts; where a process comes to a bad end, each is asked by itself.
    fn answers(&mut self, of: (u64, &str), texts: &[Vec<u8>]) -> Result<Vec<CellValue>, String> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut child = match self.process.take() {
            Some((id, child)) if id == of.0 => child,
            other => {
                if other.is_some() {
                    (self.ended, self.why) = (0, (None, false));
                }
                let question = Question { expression: of.1.to_owned(), wants_results: true, limit: LIMIT };
                question.child().map_err(|problem| problem.to_string())?
            }
        };
        match child.ask(texts) {
            (answers, None) => {
                self.process = Some((of.0, child));
                let told = |answer: &super::query::RecordAnswer| {
                    CellValue::of(answer.results.lines().next(), answer.failure.is_some())
                };
                let why = answers.iter().find_map(|answer| answer.failure.clone());
                self.why.0 = self.why.0.take().or(why);
                Ok(answers.iter().map(told).collect())
            }
            (_, Some(_)) if texts.len() == 1 => {
                self.ended += 1;
                if self.ended < ENDED_MAX {
                    return Ok(vec![CellValue::Failed]);
                }
                self.ended = 0;
                let limit = LIMIT.as_secs();
                Err(format!("it took longer than {limit} s, or all its memory, for {ENDED_MAX} records"))
            }
            (_, Some(_)) => {
                let mut all = Vec::new();
                for text in texts {
                    all.extend(self.answers(of, std::slice::from_ref(text))?);
                }
                Ok(all)
            }
        }
    }
}
