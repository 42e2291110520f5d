//! Work off the UI thread: opening trajectories, laying out big messages, LLM views, highlighting, search.
//!
//! Each job's answer comes back as a [`Msg`] with the generation or number it was asked with, so a late answer is
//! dropped by the program.

use super::attempts::TaskKeys;
use super::custom_columns::{self, Asker};
use super::scan::{self, Scanner, Wanted};
use super::{attempts, file_list, llm_view, marks, search, step_filter};
use crate::app::msg::OpenedRun;
use crate::app::{Effect, Msg};
use crate::format::{Format, Run};
use crate::ingest;
use crate::model::{Bytes, Record, StepNo, lossy};
use crate::panes::json_outline::Doc;
use crate::panes::loss::{LossOptions, LossText};
use crate::panes::message::CodeRequest;
use crate::panes::session::SharedRun;
use crate::panes::{Checks, DataFound, Records, diff};
use crate::review::{Filter, Grounds, Sort, arrange, tally};
use crate::ui::code;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// Most jobs that wait; more than a screen ever asks for.
const QUEUE_MAX: usize = 256;
/// Most answers that wait for the loop.
const ANSWERS_MAX: usize = 1024;
/// Longest check against schemas without a pause, and the pause.
const SLICE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_micros(200);
/// Facts of a longer record are told without those of others, in bytes.
const BIG_RECORD: u64 = 1 << 20;
/// Most code lines of a string that are highlighted.
const CODE_LINES_MAX: usize = 2_000;

/// What jobs need to know of the session.
#[derive(Clone)]
pub struct Source {
    /// The bytes.
    pub bytes: Arc<dyn Bytes>,
    /// The records.
    pub records: Arc<dyn Records>,
    /// The format.
    pub format: &'static dyn Format,
    /// The open trajectory.
    pub run: Option<SharedRun>,
    /// The folder of files that values name by id.
    pub files: Option<PathBuf>,
    /// What the rules of datasets found, if they looked.
    pub data: Option<Arc<DataFound>>,
}

/// A thread each for what the screen waits for, for checks against schemas, for searches, for keys, and for the table:
/// its rows, its counts, the scan of all records, the rules of datasets.
pub struct Jobs {
    quick: Sender<(Source, Effect)>,
    schemas: Sender<(Source, Effect)>,
    search: Sender<(Source, Effect)>,
    keys: Sender<(Source, Effect)>,
    order: Latest,
    tally: Latest,
    scan: Latest,
    data: Latest,
    attempts: Latest,
    sift: Latest,
    ask: Sender<(Source, Effect)>,
    ask_all: Sender<(Source, Effect)>,
    wanted: Arc<AtomicU64>,
}

impl Jobs {
    /// Starts the threads; and where their answers come out.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> std::io::Result<(Self, Receiver<Msg>)> {
        let (answers, out) = bounded(ANSWERS_MAX);
        let wanted = Arc::new(AtomicU64::new(0));
        let jobs = Self {
            quick: spawn("jobs", answers.clone(), Arc::clone(&wanted))?,
            schemas: spawn("examine", answers.clone(), Arc::clone(&wanted))?,
            search: spawn("search", answers.clone(), Arc::clone(&wanted))?,
            keys: spawn("keys", answers.clone(), Arc::clone(&wanted))?,
            order: Latest::start("order", &answers)?,
            tally: Latest::start("tally", &answers)?,
            scan: Latest::start("scan", &answers)?,
            data: Latest::start("data", &answers)?,
            attempts: Latest::start("attempts", &answers)?,
            sift: Latest::start("sift", &answers)?,
            ask: spawn("ask", answers.clone(), Arc::clone(&wanted))?,
            ask_all: spawn("ask-all", answers.clone(), Arc::clone(&wanted))?,
            wanted,
        };
        Ok((jobs, out))
    }

    /// Queues a job; one more than the queue holds is dropped (the screen asks again).
    pub fn submit(&self, source: Source, effect: Effect) {
        let queue = match &effect {
            Effect::Find { number, .. } => {
                self.wanted.store(*number, Ordering::Relaxed);
                &self.search
            }
            Effect::Examine(_) => &self.schemas,
            Effect::Keys { .. } => &self.keys,
            Effect::Arrange { .. } => self.order.is_asked(&effect),
            Effect::Tally { .. } => self.tally.is_asked(&effect),
            Effect::Scan { .. } => self.scan.is_asked(&effect),
            Effect::CheckData { .. } => self.data.is_asked(&effect),
            Effect::Attempts { .. } => self.attempts.is_asked(&effect),
            Effect::Sift { .. } => self.sift.is_asked(&effect),
            Effect::Ask { .. } => &self.ask,
            Effect::AskAll { .. } => &self.ask_all,
            _ => &self.quick,
        };
        let _dropped_when_full = queue.try_send((source, effect));
    }

    /// Stops the search that runs.
    pub fn stop_search(&self) {
        self.wanted.store(0, Ordering::Relaxed);
    }
}

/// A thread of whose jobs only the newest is wanted.
struct Latest {
    queue: Sender<(Source, Effect)>,
    wanted: Arc<AtomicU64>,
}

impl Latest {
    fn start(name: &str, answers: &Sender<Msg>) -> std::io::Result<Self> {
        let wanted = Arc::new(AtomicU64::new(0));
        Ok(Self { queue: spawn(name, answers.clone(), Arc::clone(&wanted))?, wanted })
    }

    fn is_asked(&self, effect: &Effect) -> &Sender<(Source, Effect)> {
        self.wanted.store(number_of(effect), Ordering::Relaxed);
        &self.queue
    }
}

impl Drop for Latest {
    /// A scan of what is no longer shown ends.
    fn drop(&mut self) {
        self.wanted.store(0, Ordering::Relaxed);
    }
}

/// The number of a job of which only the newest is wanted; 0 for others.
fn number_of(effect: &Effect) -> u64 {
    match effect {
        Effect::Find { number, .. }
        | Effect::Arrange { number, .. }
        | Effect::Tally { number, .. }
        | Effect::Attempts { number, .. }
        | Effect::Sift { number, .. } => *number,
        // The first content has number 0.
        Effect::Scan { content, .. } | Effect::CheckData { content } => content + 1,
        _ => 0,
    }
}

fn spawn(name: &str, answers: Sender<Msg>, wanted: Arc<AtomicU64>) -> std::io::Result<Sender<(Source, Effect)>> {
    let (sender, receiver): (_, Receiver<(Source, Effect)>) = bounded(QUEUE_MAX);
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        let (mut scanner, mut asker, mut keys) = (Scanner::default(), Asker::default(), TaskKeys::default());
        for (source, effect) in receiver {
            let number = number_of(&effect);
            let is_wanted = || number == 0 || wanted.load(Ordering::Relaxed) == number;
            let mut send = |msg| {
                let _gone = answers.send(msg);
            };
            match effect {
                Effect::Scan { content, from, to } => {
                    scan::lower_priority();
                    let wanted = Wanted { content, records: from..to, threads: scan::threads() };
                    scanner.run(&source, &wanted, &is_wanted, &mut send);
                }
                Effect::Ask { .. } | Effect::AskAll { .. } => {
                    custom_columns::ask(&source, effect, &mut asker, &mut send)
                }
                Effect::CheckData { content } => {
                    scan::lower_priority();
                    scan::check_data(&source, content, &is_wanted, &mut send);
                }
                Effect::Attempts { number, facts, question, by } => {
                    let answer = attempts::answer(&source, &facts, (question, &by), &mut keys, &is_wanted);
                    answer.into_iter().for_each(|answer| send(Msg::Attempts(number, answer)));
                }
                effect => perform(&source, effect, &is_wanted, &mut send),
            }
        }
    })?;
    Ok(sender)
}

/// Does a job; its answers go to `send`. What is no job does nothing.
pub fn perform(source: &Source, effect: Effect, is_wanted: &(dyn Fn() -> bool + Sync), send: &mut dyn FnMut(Msg)) {
    match effect {
        Effect::Open(record) => send(open(source, record)),
        Effect::Facts { content, records } => facts(source, content, &records, send),
        Effect::Scan { content, from, to } => {
            let wanted = Wanted { content, records: from..to, threads: 1 };
            Scanner::default().run(source, &wanted, &|| true, send);
        }
        Effect::CheckData { content } => scan::check_data(source, content, is_wanted, send),
        Effect::Arrange { number, grounds, sort, filter } => {
            arranged(source, number, (&grounds, sort, &filter), is_wanted, send);
        }
        Effect::Tally { number, grounds, filter, column } => {
            let tally = tally(&grounds, &filter, column, source, is_wanted);
            tally.into_iter().for_each(|tally| send(Msg::Tallied(number, tally)));
        }
        Effect::Attempts { number, facts, question, by } => {
            let keys = &mut TaskKeys::default();
            let answer = attempts::answer(source, &facts, (question, &by), keys, is_wanted);
            answer.into_iter().for_each(|answer| send(Msg::Attempts(number, answer)));
        }
        Effect::Sift { .. } => step_filter::sift(source, effect, is_wanted, send),
        Effect::Ask { .. } | Effect::AskAll { .. } => custom_columns::ask(source, effect, &mut Asker::default(), send),
        Effect::Read { generation, step, span } => send(match source.bytes.read(span) {
            Ok(bytes) => Msg::Message(generation, step, Arc::new(Doc::of(&lossy(&bytes)))),
            Err(problem) => Msg::Notify(true, problem.to_string()),
        }),
        Effect::View(of) => send(Msg::View(of, llm_view::lines(source, of))),
        Effect::Loss { generation, record, template, options } => {
            send(Msg::Loss((generation, record, template), trained(source, record, &options)));
        }
        Effect::Compare { generation, question, unfolded } => {
            if let Some(run) = &source.run {
                let run = run.read().unwrap_or_else(PoisonError::into_inner);
                let comparison = question.answer(run.as_ref());
                let lines = diff::lines(run.as_ref(), source.bytes.as_ref(), &comparison, &unfolded);
                send(Msg::Compared(generation, question, lines));
            }
        }
        Effect::Highlight(requests) => requests.into_iter().for_each(|request| send(highlighted(&request))),
        Effect::Examine(checks) => send(examine(source, &checks)),
        Effect::Find { number, pattern, from, within, is_forward } => {
            let wanted = search::Wanted { number, pattern: &pattern, from, within: within.as_deref(), is_forward };
            search::find(source, &wanted, is_wanted, send);
        }
        Effect::File { generation, step, id } => send(file(source, generation, step, &id)),
        Effect::Readers { generation, identity, path } => {
            let run = source.run.as_ref().map(|run| run.read().unwrap_or_else(PoisonError::into_inner));
            let found = run.map(|run| run.readers(&identity, &path, source.bytes.as_ref())).unwrap_or_default();
            send(Msg::Readers(generation, (identity, path), found));
        }
        Effect::Keys { content, from } => send(Msg::Keys(content, from, marks::keys(source, from))),
        Effect::Quit
        | Effect::Suspend
        | Effect::Copy(_)
        | Effect::Edit(_)
        | Effect::Theme(_)
        | Effect::Mark(_)
        | Effect::Fade
        | Effect::Alert(_)
        | Effect::OpenFile(_)
        | Effect::Heads(_)
        | Effect::Play(_) => {}
    }
}

/// Arranges rows; how far that is, is told where words are read again for it.
fn arranged(
    source: &Source,
    number: u64,
    (grounds, sort, filter): (&Grounds, Option<Sort>, &Filter),
    is_wanted: &dyn Fn() -> bool,
    send: &mut dyn FnMut(Msg),
) {
    let reader = scan::Telling::new(source, grounds.known(), |per_cent| send(Msg::Arranging(number, per_cent)));
    let order = arrange(grounds, sort, filter, &reader, is_wanted);
    order.into_iter().for_each(|order| send(Msg::Arranged(number, order)));
}

fn highlighted(request: &CodeRequest) -> Msg {
    let language = code::guess(&request.key, &request.text, request.language.as_deref());
    let lines = language.map(|l| code::highlight(l, &request.text, CODE_LINES_MAX)).unwrap_or_default();
    Msg::Code(request.document, request.node, lines)
}

fn file(source: &Source, generation: u64, step: StepNo, id: &str) -> Msg {
    match source.files.as_deref().map(|folder| file_list::show(folder, id)) {
        Some(Ok((name, lines))) => Msg::File(generation, step, name, lines),
        Some(Err(told)) => Msg::Notify(true, told),
        None => Msg::Notify(true, "no folder of files was named; --files DIR does".to_owned()),
    }
}

/// Checks all steps that are there, with pauses for who fills the run. Ends early when the session has another run.
fn examine(source: &Source, checks: &Arc<Checks>) -> Msg {
    let Some(run) = &source.run else { return Msg::Examined };
    let done = ingest::with_stack(|| {
        let mut begin = Instant::now();
        while Arc::strong_count(checks) > 1 && checks.go_on(run, source.bytes.as_ref()) {
            if begin.elapsed() > SLICE {
                thread::sleep(PAUSE);
                begin = Instant::now();
            }
        }
    });
    match done {
        Some(()) => Msg::Examined,
        None => Msg::Notify(true, "the values could not be checked against their schemas".to_owned()),
    }
}

pub(super) fn read_run(source: &Source, record: &Record) -> Result<Box<dyn Run>, String> {
    let text = source.bytes.read(record.place.span).map_err(|p| p.to_string())?;
    let mut run = source.format.run();
    run.push(record, &text, source.bytes.as_ref());
    run.finish(source.bytes.as_ref());
    Ok(run)
}

fn open(source: &Source, record: usize) -> Msg {
    let Some(found) = source.records.get(record) else {
        return Msg::Notify(true, format!("there is no record {record}"));
    };
    match read_run(source, &found) {
        Ok(run) => Msg::Opened(record, OpenedRun(Arc::new(RwLock::new(run)))),
        Err(problem) => Msg::Notify(true, problem),
    }
}

/// Facts one record at a time, so that a big record holds up no other row.
fn facts(source: &Source, content: u64, records: &[usize], send: &mut dyn FnMut(Msg)) {
    let mut batch = Vec::new();
    for &number in records {
        let Some(record) = source.records.get(number) else { continue };
        let is_big = record.place.span.len > BIG_RECORD;
        batch.push((number, scan::facts_of(source, &record)));
        if is_big || batch.len() == 16 {
            send(Msg::Facts(content, std::mem::take(&mut batch)));
        }
    }
    if !batch.is_empty() {
        send(Msg::Facts(content, batch));
    }
}

/// A record as a model would see it.
fn trained(source: &Source, record: usize, options: &LossOptions) -> Result<LossText, String> {
    let record = source.records.get(record).ok_or("There is no such record.")?;
    let bytes = source.bytes.read(record.place.span).map_err(|problem| problem.to_string())?;
    LossText::of(&lossy(&bytes), options)
}
