//! A look at all records of a dataset in the background: on several threads, reported in the order of the file, piece
//! by piece, and ended when it is no longer wanted.

use super::jobs::Source;
use crate::app::Msg;
use crate::format::{BoxedLook, Facts, LookFn, Purpose, Survey};
use crate::json;
use crate::model::{Problem, Record, RecordBody, Span, lossy};
use crate::panes::DatasetFindings;
use crate::platform::lower_priority;
use crate::review::{ChunkBuilder, Reread, tokens_of_record};
use crate::source::{is_expendable, set_expendable};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// Bytes, and records, that a thread looks at before it reports.
const BATCH_BYTES: u64 = 1 << 20;
const BATCH_RECORDS: usize = 4_096;
/// Pieces of one thread that may wait to be reported.
const WAITING_MAX: usize = 2;
/// Most threads; one processor is left to what the user does.
const THREADS_MAX: usize = 8;
/// Of a record that cannot be read, no more bytes than these are looked at.
const BROKEN_BYTES: u64 = 1 << 16;

/// What a piece of records looks like, or why one cannot be read.
type Batch = Vec<ScannedRecord>;

/// A record looked at: its size, what the format saw, and its tokens where they are counted.
struct ScannedRecord {
    bytes: u64,
    looked: Result<BoxedLook, Problem>,
    tokens: Option<u64>,
}

/// The scan of one content of the input, which may be gone on with when the input has grown.
#[derive(Default)]
pub(super) struct Scanner {
    content: u64,
    next: usize,
    survey: Option<Box<dyn Survey>>,
}

/// Threads that a scan may take.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).clamp(1, THREADS_MAX)
}

/// What a scan is asked for.
pub(super) struct ScanRequest {
    /// The content of the input.
    pub content: u64,
    /// Its records.
    pub records: Range<usize>,
    /// How many threads look at them.
    pub threads: usize,
}

impl Scanner {
    /// Looks at records; what it finds goes to `send`.
    pub(super) fn run(
        &mut self,
        source: &Source,
        wanted: &ScanRequest,
        is_wanted: &(dyn Fn() -> bool + Sync),
        send: &mut dyn FnMut(Msg),
    ) {
        if self.survey.is_none() || self.content != wanted.content || self.next != wanted.records.start {
            self.survey = source.format.survey(Purpose::Table);
            (self.content, self.next) = (wanted.content, wanted.records.start);
        }
        let Some(survey) = &mut self.survey else { return send(Msg::ScanEnded(wanted.content)) };
        let look = survey.look();
        let batches = batches(source, wanted.records.clone(), BATCH_BYTES, BATCH_RECORDS);
        let next = &mut self.next;
        let mut report = |from: usize, batch: Batch| {
            let chunk = chunk(survey.as_mut(), source, from, batch);
            *next = from + chunk.len();
            send(Msg::Scanned(wanted.content, Arc::new(chunk)));
        };
        if wanted.threads < 2 || batches.len() < 2 {
            for batch in batches.into_iter().take_while(|_| is_wanted()) {
                report(batch.start, look_at(source, &look, batch));
            }
        } else {
            side_by_side(source, &look, &batches, wanted.threads, is_wanted, &mut report);
        }
        send(Msg::ScanEnded(wanted.content));
    }
}

/// Batch i comes from thread i modulo their number: no thread runs far ahead, and the order needs no sorting.
fn side_by_side(
    source: &Source,
    look: &LookFn,
    batches: &[Range<usize>],
    threads: usize,
    is_wanted: &(dyn Fn() -> bool + Sync),
    report: &mut dyn FnMut(usize, Batch),
) {
    let is_expendable = is_expendable();
    thread::scope(|scope| {
        let (senders, receivers): (Vec<Sender<Batch>>, Vec<Receiver<Batch>>) =
            (0..threads).map(|_| bounded(WAITING_MAX)).unzip();
        for (number, sender) in senders.into_iter().enumerate() {
            scope.spawn(move || {
                set_expendable(is_expendable);
                lower_priority();
                let batches_of_thread = batches.iter().skip(number).step_by(threads);
                for batch in batches_of_thread.take_while(|_| is_wanted()) {
                    // Nobody listens any more when the scan was given up.
                    if sender.send(look_at(source, look, batch.clone())).is_err() {
                        return;
                    }
                }
            });
        }
        // A thread that ended early was not wanted any more.
        for (batch, receiver) in batches.iter().zip(receivers.iter().cycle()) {
            match receiver.recv() {
                Ok(looked) => report(batch.start, looked),
                Err(_) => break,
            }
        }
        drop(receivers);
    });
}

/// The facts on a record that is on the screen before the scan has come to it: without what only the records before it
/// would report.
pub(super) fn facts_of(source: &Source, record: &Record) -> Facts {
    facts_for(source, record, Purpose::Table)
}

fn facts_for(source: &Source, record: &Record, purpose: Purpose) -> Facts {
    let Some(mut survey) = source.format.survey(purpose) else { return Facts::default() };
    let scanned = look_at_one(source, &survey.look(), record);
    record_facts(survey.as_mut(), source, record.number, scanned)
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source of {} records", self.records.count())
    }
}

impl Reread for Source {
    fn texts(&self, record: usize) -> (String, String) {
        let facts = self.records.get(record).map(|record| facts_of(self, &record)).unwrap_or_default();
        (facts.title, facts.words)
    }

    fn whole_texts(&self, record: usize) -> (String, String) {
        let facts = self.records.get(record).map(|record| facts_for(self, &record, Purpose::WholeHeads));
        let facts = facts.unwrap_or_default();
        (facts.title, facts.words)
    }

    fn task(&self, record: usize) -> String {
        let facts = self.records.get(record).map(|record| facts_for(self, &record, Purpose::WholeHeads));
        facts.and_then(|facts| facts.name.task).unwrap_or_default()
    }
}

/// A source that reports how many of all records were read, in percent.
pub(super) struct ProgressSource<'s, F> {
    source: &'s Source,
    records: usize,
    /// Records that were read, what was reported last, and the receiver.
    progress: RefCell<(usize, usize, F)>,
}

impl<'s, F: FnMut(usize)> ProgressSource<'s, F> {
    /// Begins with none of `records` records read.
    pub(super) fn new(source: &'s Source, records: usize, report: F) -> Self {
        Self { source, records: records.max(1), progress: RefCell::new((0, 0, report)) }
    }
}

impl<F> std::fmt::Debug for ProgressSource<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.source.fmt(f)
    }
}

impl<F: FnMut(usize)> ProgressSource<'_, F> {
    /// A record is read.
    fn count(&self) {
        let (read, last, report) = &mut *self.progress.borrow_mut();
        *read += 1;
        // Texts that begin alike are read more than once.
        let per_cent = (*read * 100 / self.records).min(99);
        if per_cent != *last {
            *last = per_cent;
            report(per_cent);
        }
    }
}

impl<F: FnMut(usize)> Reread for ProgressSource<'_, F> {
    fn texts(&self, record: usize) -> (String, String) {
        self.count();
        self.source.texts(record)
    }

    fn whole_texts(&self, record: usize) -> (String, String) {
        self.count();
        self.source.whole_texts(record)
    }

    fn task(&self, record: usize) -> String {
        self.count();
        self.source.task(record)
    }
}

fn record_facts(survey: &mut dyn Survey, source: &Source, record: usize, scanned: ScannedRecord) -> Facts {
    let mut facts = match scanned.looked {
        Ok(looked) => survey.take(looked, source.bytes.as_ref()).facts.unwrap_or_default(),
        Err(problem) => Facts { words: problem.to_string(), errors: 1, ..Facts::default() },
    };
    source.data.iter().for_each(|data| data.add_to(record, &mut facts));
    facts.with_tokens(scanned.tokens)
}

fn chunk(survey: &mut dyn Survey, source: &Source, from: usize, batch: Batch) -> crate::review::Chunk {
    let file = source.path.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let mut maker = ChunkBuilder::of_file(from, (&*file, source.format.name()));
    for (record, scanned) in (from..).zip(batch) {
        let bytes = scanned.bytes;
        maker.push(&record_facts(survey, source, record, scanned), bytes);
    }
    maker.finish()
}

fn look_at(source: &Source, look: &LookFn, numbers: Range<usize>) -> Batch {
    let records = numbers.map_while(|number| source.records.get(number));
    records.map(|record| look_at_one(source, look, &record)).collect()
}

fn look_at_one(source: &Source, look: &LookFn, record: &Record) -> ScannedRecord {
    let mut span: Span = record.place.span;
    if record.body != RecordBody::Text {
        span.len = span.len.min(BROKEN_BYTES);
    }
    let bytes = record.place.span.len;
    match source.bytes.read(span) {
        Ok(text) => ScannedRecord { bytes, tokens: tokens(source, &text), looked: Ok(look(record, &text)) },
        Err(problem) => ScannedRecord { bytes, tokens: None, looked: Err(problem) },
    }
}

fn tokens(source: &Source, text: &[u8]) -> Option<u64> {
    let tokenizer = source.tokenizer.as_deref()?;
    let text = lossy(text);
    tokens_of_record(&json::parse(&text).ok()?, source.format.way(), tokenizer)
}

/// Looks at all records with the rules of datasets.
pub(super) fn check_data(source: &Source, content: u64, is_wanted: &dyn Fn() -> bool, send: &mut dyn FnMut(Msg)) {
    if let Some(found) =
        DatasetFindings::look(source.records.as_ref(), source.bytes.as_ref(), source.format.way(), is_wanted)
    {
        send(Msg::DataChecked(content, found.map(Arc::new).map_err(|problem| problem.to_string())));
    }
}

/// The numbers of records, in batches of about the same size.
pub(super) fn batches(
    source: &Source,
    records: Range<usize>,
    batch_bytes: u64,
    batch_records: usize,
) -> Vec<Range<usize>> {
    let (mut batches, mut start, mut bytes) = (Vec::new(), records.start, 0);
    for number in records.clone() {
        let Some(record) = source.records.get(number) else { break };
        bytes += record.place.span.len;
        if bytes >= batch_bytes || number + 1 - start >= batch_records {
            batches.push(start..number + 1);
            (start, bytes) = (number + 1, 0);
        }
    }
    batches.push(start..records.end);
    batches.retain(|batch| !batch.is_empty());
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;
    use crate::ingest;
    use crate::review::FactTable;
    use crate::shell::headless::CompleteRecords;
    use crate::source::Input;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A file of a few batches; every 500th record is broken, every 100th repeats an id.
    fn source() -> Source {
        let record = format!(r#"{{"class_":"text_observation","content":"{}","source":"user"}}"#, "x".repeat(600));
        let done = r#"{"class_":"message_action","content":"<finish> a </finish>"}"#;
        let line = |i: usize| match i {
            i if i % 500 == 499 => "{\"id\":".to_owned(),
            i => {
                format!(
                    r#"{{"id":"r{}","content":[{record},{done}],"details":{{}}}}"#,
                    if i % 100 == 7 { 7 } else { i }
                )
            }
        };
        let text: String = (0..6000).map(|i| line(i) + "\n").collect();
        let loaded = ingest::load(Input::memory("made", text), Some("adp")).unwrap();
        let records = Arc::new(CompleteRecords(loaded.records().unwrap().clone()));
        Source::of_records(loaded.input.clone(), records, by_name("adp").unwrap())
    }

    fn scan(source: &Source, scanner: &mut Scanner, records: Range<usize>, threads: usize, table: &mut FactTable) {
        let wanted = ScanRequest { content: 3, records, threads };
        let mut ended = 0;
        scanner.run(source, &wanted, &|| true, &mut |msg| match msg {
            Msg::Scanned(3, chunk) => table.push(chunk),
            Msg::ScanEnded(3) => ended += 1,
            other => panic!("{other:?}"),
        });
        assert_eq!(ended, 1);
    }

    #[test]
    fn a_scan_reports_the_same_on_one_thread_on_many_and_in_parts() {
        let source = source();
        let tables = [(1, vec![0, 6000]), (3, vec![0, 6000]), (2, vec![0, 10, 3333, 6000])].map(|(n, ends)| {
            let (mut table, mut scanner) = (FactTable::default(), Scanner::default());
            ends.windows(2).for_each(|end| scan(&source, &mut scanner, end[0]..end[1], n, &mut table));
            assert_eq!(table.len(), 6000);
            table.iter().map(crate::review::RecordFacts::facts).collect::<Vec<_>>()
        });
        assert!(tables[0] == tables[1] && tables[0] == tables[2]);
        let repeated = tables[0].iter().filter(|facts| facts.rules.iter().any(|(rule, _)| rule.contains("id"))).count();
        assert!(repeated >= 59, "{repeated}");
        assert_eq!(tables[0].iter().filter(|facts| facts.counted.is_none()).count(), 12);
    }

    #[test]
    fn a_scan_that_nobody_wants_ends_after_what_is_being_looked_at() {
        let source = source();
        for threads in [1, 3] {
            let (asked, reported) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let wanted = ScanRequest { content: 1, records: 0..6000, threads };
            let is_wanted = || asked.fetch_add(1, Ordering::Relaxed) < 1;
            Scanner::default().run(&source, &wanted, &is_wanted, &mut |msg| {
                reported.fetch_add(usize::from(matches!(msg, Msg::Scanned(..))), Ordering::Relaxed);
            });
            assert!(reported.into_inner() <= 1);
        }
    }
}
