//! A question to all records of a file: batch by batch, and one by one where a batch comes to a bad end.

use super::super::filter::passes;
use super::Stop;
use super::worker::NO_JSON;
use crate::ingest::{self, Loaded};
use crate::model::{Place, Problem, RecordBody};
use crate::shell::query::{Child, Ended, RecordAnswer, RecordQuery};
use crate::source::RecordReader;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Bytes of records that a worker is given at once.
const BATCH_BYTES: u64 = 1 << 18;

/// Records of one file that may end their worker before it is given up.
const ENDED_MAX: usize = 16;

/// A record with its answer.
pub(in crate::cli) struct Answered {
    /// Its number.
    pub(in crate::cli) number: usize,
    /// Where it is.
    pub(in crate::cli) place: Place,
    /// Its bytes, where they are wanted: it was selected.
    pub(in crate::cli) text: Vec<u8>,
    /// The answer.
    pub(in crate::cli) answer: RecordAnswer,
    /// Whether its worker came to a bad end.
    has_ended: bool,
    /// Whether it was late before any record was answered: no more are asked.
    is_hopeless: bool,
}

/// What the askers of one file know of each other.
#[derive(Default)]
struct Shared {
    /// A record was answered.
    has_answered: AtomicBool,
    /// The first record that was asked was late.
    is_given_up: AtomicBool,
}

/// Asks about the records that pass, or all, with as many workers as there are processors; the answers in the order of
/// the file. `remedy` follows the words for a time that was too long.
///
/// # Errors
/// The input can no longer be read, workers cannot be started or end again and again, or what `each` says.
pub(in crate::cli) fn records(
    loaded: &Loaded,
    question: &RecordQuery,
    remedy: &'static str,
    passing: Option<&[bool]>,
    mut each: impl FnMut(Answered) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut ended = 0;
    let shared = Shared::default();
    let work = || {
        let reader = RecordReader::new(&loaded.input);
        let mut asker = Asker { loaded, question, remedy, passing, shared: &shared, reader, child: None };
        move |numbers| asker.batch(numbers)
    };
    ingest::in_order(loaded, BATCH_BYTES, work, |batch: Vec<Answered>| {
        batch.into_iter().try_for_each(|answered| {
            ended += usize::from(answered.has_ended);
            let is_hopeless = answered.is_hopeless;
            each(answered)?;
            let why = match () {
                () if is_hopeless => "EXPR was ended before it answered for any record".to_owned(),
                () if ended >= ENDED_MAX => format!("EXPR was ended for {ENDED_MAX} records"),
                () => return Ok(()),
            };
            let message = format!("{}: {why}; no more are asked", loaded.input.name());
            Err(Problem::unreadable(message).hint("ask less of a record, or give more time with --timeout").into())
        })
    })
}

struct Asker<'l> {
    loaded: &'l Loaded,
    question: &'l RecordQuery,
    remedy: &'static str,
    passing: Option<&'l [bool]>,
    shared: &'l Shared,
    reader: RecordReader<'l>,
    child: Option<Child>,
}

impl Asker<'_> {
    fn batch(&mut self, numbers: Range<usize>) -> Result<Vec<Answered>, Problem> {
        if self.shared.is_given_up.load(Relaxed) {
            return Ok(Vec::new());
        }
        let (mut all, mut texts) = (Vec::new(), Vec::new());
        let passes = |number: &usize| passes(self.passing, *number);
        for number in numbers.filter(passes) {
            let Some(record) = self.loaded.records()?.get(number) else { continue };
            let mut answer = RecordAnswer::default();
            if let RecordBody::Broken(why) = &record.body {
                answer.failure = Some(why.clone());
            } else {
                texts.push(self.reader.text(&record)?.to_vec());
            }
            all.push(Answered {
                number,
                place: record.place,
                text: Vec::new(),
                answer,
                has_ended: false,
                is_hopeless: false,
            });
        }
        let answers = self.answers(&texts)?;
        let is_cut = answers.len() < texts.len();
        let mut last = None;
        let readable = all.iter_mut().filter(|answered| answered.answer.failure.is_none());
        for (answered, (text, (mut answer, has_ended))) in readable.zip(texts.into_iter().zip(answers)) {
            // The worker knows the record alone; people look for the place in the file.
            if let Some(failure) = answer.failure.as_mut().filter(|why| why.starts_with(NO_JSON))
                && let Some(record) = self.loaded.records()?.get(answered.number)
                && let Err(why) = record.json(&text)
            {
                *failure = format!("{NO_JSON}{why}");
            }
            answered.text = if answer.is_true && !self.question.wants_results { text } else { Vec::new() };
            answered.answer = answer;
            answered.has_ended = has_ended;
            answered.is_hopeless = has_ended && self.shared.is_given_up.load(Relaxed);
            last = Some(answered.number);
        }
        if is_cut {
            all.retain(|answered| Some(answered.number) <= last);
        }
        Ok(all)
    }

    /// The answers for some records, and whether their worker came to a bad end: the first one's, where none was
    /// answered, else which one's is found by asking for each by itself. Fewer answers than records: no more are asked.
    fn answers(&mut self, texts: &[Vec<u8>]) -> Result<Vec<(RecordAnswer, bool)>, Problem> {
        let (answers, ended) = self.ask(texts)?;
        let mut all: Vec<_> = answers.into_iter().map(|answer| (answer, false)).collect();
        let Some(ended) = ended else { return Ok(all) };
        if all.is_empty() {
            all.push((RecordAnswer { failure: Some(self.end_message(ended)), ..RecordAnswer::default() }, true));
            let is_first = !self.shared.has_answered.load(Relaxed);
            let has_more = self.loaded.records()?.len() > 1;
            if ended == Ended::TimedOut && is_first && has_more {
                self.shared.is_given_up.store(true, Relaxed);
            }
        }
        for text in &texts[all.len()..] {
            if self.shared.is_given_up.load(Relaxed) {
                break;
            }
            all.extend(self.answers(std::slice::from_ref(text))?);
        }
        Ok(all)
    }

    fn ask(&mut self, texts: &[Vec<u8>]) -> Result<(Vec<RecordAnswer>, Option<Ended>), Problem> {
        if texts.is_empty() {
            return Ok((Vec::new(), None));
        }
        let child = match &mut self.child {
            Some(child) => child,
            none => none.insert(self.question.child()?),
        };
        let (answers, ended) = child.ask(texts);
        if !answers.is_empty() {
            self.shared.has_answered.store(true, Relaxed);
        }
        if ended.is_some() {
            self.child = None;
        }
        Ok((answers, ended))
    }

    fn end_message(&self, ended: Ended) -> String {
        match ended {
            Ended::TimedOut => {
                let limit = self.question.limit.as_secs_f64();
                format!("EXPR took longer than {limit} s and was ended{}", self.remedy)
            }
            Ended::Died => "EXPR ended its process: it ran out of memory or stack".to_owned(),
        }
    }
}
