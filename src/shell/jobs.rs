//! What each [`Job`] does, and the one place that routes them: opening trajectories, laying out big messages, LLM
//! views, highlighting, search. The threads are those of `shell::lanes`.

use super::attempts::TaskKeys;
use super::custom_columns::{self, Asker};
use super::lanes::{IsWanted, Lanes, Work};
use super::outside::{self, OpenedImages};
use super::scan::{self, ScanRequest, Scanner};
use super::{attempts, export, file_list, llm_view, marks, search, seek, step_filter, two_runs};
use crate::app::msg::OpenedRun;
use crate::app::{Job, Lane, Msg, SearchPosition};
use crate::format::SharedRun;
use crate::format::{Format, Run};
use crate::ingest;
use crate::model::{Bytes, Record, StepNo, lossy};
use crate::panes::json_outline::Doc;
use crate::panes::known_file::{ColourRequest, FileLayout};
use crate::panes::loss::{LossOf, LossOptions, LossText};
use crate::panes::message::CodeRequest;
use crate::panes::openables::openables;
use crate::panes::reading::page;
use crate::panes::{Checks, DatasetFindings, Records, diff};
use crate::review::{Filter, Grounds, Sort, TaskGroups, Tokenizer, arrange, tally};
use crate::source::{is_expendable, set_expendable};
use crate::ui::code;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// Most answers that wait for the loop.
const ANSWERS_MAX: usize = 1024;
/// Longest check against schemas without a pause, and the pause.
const SLICE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_micros(200);
/// Facts of a longer record are reported without those of others, in bytes.
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
    /// The file that is open, beside which other files of a run are looked for.
    pub path: Option<PathBuf>,
    /// The open trajectory.
    pub run: Option<SharedRun>,
    /// The folder of files that values name by id.
    pub files: Option<PathBuf>,
    /// What the rules of datasets found, if they looked.
    pub data: Option<Arc<DatasetFindings>>,
    /// What counts tokens; None: they are estimated.
    pub tokenizer: Option<Arc<dyn Tokenizer>>,
}

impl Source {
    /// The records of an input of that format, with no trajectory open.
    #[must_use]
    pub fn of_records(bytes: Arc<dyn Bytes>, records: Arc<dyn Records>, format: &'static dyn Format) -> Self {
        Self { bytes, records, format, path: None, run: None, files: None, data: None, tokenizer: None }
    }
}

/// The jobs of a session.
pub struct Jobs {
    lanes: Lanes<(Source, Job)>,
    images: Arc<Mutex<OpenedImages>>,
}

impl Jobs {
    /// Nothing to do yet; and where the answers come out.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> std::io::Result<(Self, Receiver<Msg>)> {
        let (answers, out) = bounded(ANSWERS_MAX);
        let job_caches = JobCaches { scan_threads: scan::threads(), ..JobCaches::default() };
        let images = Arc::clone(&job_caches.images);
        Ok((Self { lanes: Lanes::start(Answering { caches: job_caches, answers })?, images }, out))
    }

    /// Has a job done, in place of what its lane was asked for before.
    pub fn submit(&self, source: Source, job: Job) {
        self.lanes.submit(job.lane(), (source, job));
    }

    /// What a lane was asked for is wanted no more.
    pub fn stop(&self, lane: Lane) {
        self.lanes.stop(lane);
    }
}

/// Threads may outlive the session, but not the files of its images.
impl Drop for Jobs {
    fn drop(&mut self) {
        self.images.lock().unwrap_or_else(PoisonError::into_inner).close();
    }
}

/// Does jobs and sends their answers.
struct Answering {
    caches: JobCaches,
    answers: Sender<Msg>,
}

impl Work<(Source, Job)> for Answering {
    fn perform(&self, (source, job): (Source, Job), is_wanted: &IsWanted<'_>) {
        perform(&source, job, &self.caches, is_wanted, &mut |msg| {
            let _gone = self.answers.send(msg);
        });
    }

    fn failed(&self, lane: Lane, place: String) {
        let _gone = self.answers.send(Msg::JobFailed(lane, place));
    }
}

/// What jobs keep from one question to the next. A job takes what is its own, so what one that fails held is gone.
#[derive(Default)]
pub struct JobCaches {
    scanner: Mutex<Scanner>,
    askers: Mutex<Vec<Asker>>,
    keys: Mutex<TaskKeys>,
    images: Arc<Mutex<OpenedImages>>,
    scan_threads: usize,
}

/// Works with what is kept.
fn with<K: Default, A>(cache: &Mutex<K>, work: impl FnOnce(&mut K) -> A) -> A {
    let lock = || cache.lock().unwrap_or_else(PoisonError::into_inner);
    let mut taken = std::mem::take(&mut *lock());
    let answer = work(&mut taken);
    *lock() = taken;
    answer
}

/// Does a job; its answers go to `send`.
pub fn perform(source: &Source, job: Job, caches: &JobCaches, is_wanted: &IsWanted<'_>, send: &mut dyn FnMut(Msg)) {
    match job {
        Job::Open(record) => send(open(source, record)),
        Job::Facts { content, records } => facts(source, content, &records, is_wanted, send),
        Job::Scan { content, from, to } => {
            let wanted = ScanRequest { content, records: from..to, threads: caches.scan_threads };
            with(&caches.scanner, |scanner| scanner.run(source, &wanted, is_wanted, send));
        }
        Job::CheckData { content } => scan::check_data(source, content, is_wanted, send),
        Job::Arrange { number, grounds, sort, filter } => {
            arranged(source, number, (&grounds, sort, &filter), is_wanted, send);
        }
        Job::Tally { number, grounds, filter, column } => {
            let tally = tally(&grounds, &filter, column, source, is_wanted);
            tally.into_iter().for_each(|tally| send(Msg::Tallied(number, tally)));
        }
        Job::Groups { number, facts } => send(Msg::Groups(number, Arc::new(TaskGroups::of(&facts)))),
        Job::Attempts { number, facts, question, by, by_action } => {
            let asked = (question, &by, by_action);
            let answer = with(&caches.keys, |keys| attempts::answer(source, &facts, asked, keys, is_wanted));
            answer.into_iter().for_each(|answer| send(Msg::Attempts(number, answer)));
        }
        Job::FilterSteps { .. } => step_filter::filter_steps(source, job, is_wanted, send),
        Job::Ask { .. } | Job::AskAll { .. } => custom_columns::ask(source, job, &caches.askers, is_wanted, send),
        Job::OpenOutside(openable) => {
            let opened = outside::open(&openable, &caches.images);
            send(Msg::Notify(opened.is_err(), opened.unwrap_or_else(|problem| problem)));
        }
        Job::Read { generation, step, span } => send(match source.bytes.read(span) {
            Ok(bytes) => Msg::Message(generation, step, Arc::new(Doc::of(&lossy(&bytes)))),
            Err(problem) => Msg::Notify(true, problem.to_string()),
        }),
        Job::Page { .. }
        | Job::Reading { .. }
        | Job::Compare { .. }
        | Job::LayOutFile(_)
        | Job::Readers { .. }
        | Job::Openables { .. } => {
            of_run(source, job, send);
        }
        Job::AlignRuns { number, places } => two_runs::align(source, (number, places), is_wanted, send),
        Job::CompareStates { of, sides } => send(two_runs::compare_states(of, &sides)),
        Job::View { of, counts } => {
            send(Msg::View(of, llm_view::lines(source, of)));
            // The text does not wait for it.
            if counts && is_wanted() {
                send(Msg::ViewFill(of, llm_view::fill(source, of.step).unwrap_or_default()));
            }
        }
        Job::Loss { of, options } => send(Msg::Loss(of, trained(source, of, &options))),
        Job::ColourLines(request) => send(coloured(&request)),
        Job::Highlight(requests) => requests.into_iter().for_each(|request| send(highlighted(&request))),
        Job::Examine(checks) => examine(source, &checks, is_wanted, send),
        Job::Find { number, pattern, from: SearchPosition::Entry(of, entry), is_forward, .. } => {
            llm_view::find(source, (number, &pattern, is_forward), (of, entry), is_wanted, send);
        }
        Job::Find { number, pattern, from, within, is_forward } => {
            let wanted =
                search::SearchRequest { number, pattern: &pattern, from, within: within.as_deref(), is_forward };
            search::find(source, &wanted, is_wanted, send);
        }
        Job::Seek { number, passes, nth } => seek::seek(source, (number, &passes, nth), is_wanted, send),
        Job::Export(request) => send(export::export(request)),
        Job::File { generation, step, id } => send(file(source, generation, step, &id)),
        Job::Keys { content, from } => send(Msg::Keys(content, from, marks::keys(source, from))),
    }
}

/// Jobs that ask the run.
fn of_run(source: &Source, job: Job, send: &mut dyn FnMut(Msg)) {
    let run = source.run.as_ref().map(|run| run.read().unwrap_or_else(PoisonError::into_inner));
    match job {
        Job::Page { number, of } => {
            let text = of.text(run.as_ref().map(|run| run.as_ref()), source.bytes.as_ref());
            drop(run);
            send(Msg::Page(number, text.map(|text| (Arc::clone(&text), Arc::new(page(&text))))));
        }
        Job::Reading { of, folder } => {
            let reading = run.and_then(|run| of.1.read(run.as_ref(), source.bytes.as_ref(), &folder));
            send(Msg::Reading(of, reading.map(Arc::new)));
        }
        Job::Compare { generation, question, unfolded } => {
            if let Some(run) = run {
                let comparison = question.answer(run.as_ref());
                let lines = diff::lines(run.as_ref(), source.bytes.as_ref(), &comparison, &unfolded);
                send(Msg::Compared(generation, question, lines));
            }
        }
        Job::LayOutFile(key) => {
            if let Some(work) = run.as_ref().and_then(|run| run.work()) {
                let layout = Arc::new(FileLayout::of(work, &key));
                send(Msg::FileLaidOut(key, layout));
            }
        }
        Job::Readers { generation, identity, path } => {
            let found = run.map(|run| run.readers(&identity, &path, source.bytes.as_ref())).unwrap_or_default();
            send(Msg::Readers(generation, (identity, path), found));
        }
        Job::Openables { generation, of } => {
            let found = run.map(|run| openables(run.as_ref(), source.bytes.as_ref(), &of));
            found.into_iter().for_each(|found| send(Msg::Openables(generation, of.step, found)));
        }
        _ => {}
    }
}

/// Arranges rows; how far that is, is reported where words are read again for it.
fn arranged(
    source: &Source,
    number: u64,
    (grounds, sort, filter): (&Grounds, Option<Sort>, &Filter),
    is_wanted: &dyn Fn() -> bool,
    send: &mut dyn FnMut(Msg),
) {
    let reader = scan::ProgressSource::new(source, grounds.known(), |per_cent| send(Msg::Arranging(number, per_cent)));
    let order = arrange(grounds, sort, filter, &reader, is_wanted);
    order.into_iter().for_each(|order| send(Msg::Arranged(number, order)));
}

/// Lines of a file in the colours of its language.
fn coloured(request: &ColourRequest) -> Msg {
    let lines = request.runs.iter().flat_map(|(ids, text)| {
        let lines = code::highlight(&request.language, text, ids.len());
        ids.iter().copied().zip(lines)
    });
    Msg::LineColours(request.number, lines.collect())
}

fn highlighted(request: &CodeRequest) -> Msg {
    let language = code::guess(&request.key, &request.text, request.language.as_deref());
    let lines = language.map(|l| code::highlight(l, &request.text, CODE_LINES_MAX)).unwrap_or_default();
    Msg::Code(request.document, request.node, lines)
}

fn file(source: &Source, generation: u64, step: StepNo, id: &str) -> Msg {
    match source.files.as_deref().map(|folder| file_list::show(folder, id)) {
        Some(Ok((name, lines))) => Msg::File(generation, step, name, lines),
        Some(Err(message)) => Msg::Notify(true, message),
        None => Msg::Notify(true, "no folder of files was named; --files DIR does".to_owned()),
    }
}

/// Checks all steps that are there, with pauses for the writer that fills the run. Ends early when the session has
/// another run, or when more steps have come: a later call for those goes on from here.
fn examine(source: &Source, checks: &Arc<Checks>, is_wanted: &IsWanted<'_>, send: &mut dyn FnMut(Msg)) {
    let Some(run) = &source.run else { return send(Msg::Examined) };
    let is_expendable = is_expendable();
    let done = ingest::with_stack(|| {
        set_expendable(is_expendable);
        let mut begin = Instant::now();
        while is_wanted() && Arc::strong_count(checks) > 1 && checks.go_on(run, source.bytes.as_ref()) {
            if begin.elapsed() > SLICE {
                #[expect(clippy::disallowed_methods, reason = "it lets who fills the run go first, for a moment")]
                thread::sleep(PAUSE);
                begin = Instant::now();
            }
        }
    });
    send(match done {
        Some(()) => Msg::Examined,
        None => Msg::Notify(true, "the values could not be checked against their schemas".to_owned()),
    });
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
        Ok(mut run) => {
            ingest::attach_parts(source.format, run.as_mut(), source.path.as_deref());
            Msg::Opened(record, OpenedRun(Arc::new(RwLock::new(run))))
        }
        Err(problem) => Msg::Notify(true, problem),
    }
}

/// Facts one record at a time, so that a big record holds up no other row.
fn facts(source: &Source, content: u64, records: &[usize], is_wanted: &IsWanted<'_>, send: &mut dyn FnMut(Msg)) {
    let mut batch = Vec::new();
    for &number in records.iter().take_while(|_| is_wanted()) {
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
fn trained(source: &Source, of: LossOf, options: &LossOptions) -> Result<LossText, String> {
    let record = source.records.get(of.record).ok_or("There is no such record.")?;
    let bytes = source.bytes.read(record.place.span).map_err(|problem| problem.to_string())?;
    LossText::of(&lossy(&bytes), of.answer, options, source.format.way())
}
