//! An input as a session that a worker fills while it is shown.

use super::clock;
use super::listing::Lists;
use super::run::no_thread;
use crate::app::Msg;
use crate::app::msg::Replacement;
use crate::ingest::{
    self, Detected, Generation, IngestEvent, LiveRecords, ResetReason, Worker, is_input_folder, is_log,
};
use crate::model::{Bytes, Place, Problem, Record};
use crate::panes::live::AWAITED;
use crate::panes::{Records, Session};
use crate::source::{Input, Listing, SessionPlace, is_missing};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

impl Records for LiveRecords {
    fn count(&self) -> usize {
        self.count()
    }

    fn is_complete(&self) -> bool {
        self.is_complete()
    }

    fn get(&self, number: usize) -> Option<Record> {
        self.get(number)
    }
}

/// What is shown at the start.
pub enum Opened {
    /// One input.
    Input(Arc<Input>),
    /// A file that is not there yet: it is shown when something was written to it (TAIL T16).
    Awaited(PathBuf),
    /// A recording that plays, at this speed.
    Replay(ingest::PlayedInput, f64),
    /// A list of these files, and of those below these folders.
    Files {
        /// Their paths.
        roots: Vec<PathBuf>,
        /// Whether the newest is opened by itself.
        is_latest: bool,
    },
    /// A list of the sessions in the places of agents.
    Sessions {
        /// The places.
        places: Vec<SessionPlace>,
        /// Whether the newest is opened by itself.
        is_latest: bool,
    },
}

/// An input that is shown, and what it needs beside the session.
pub(super) struct Reading {
    /// The worker that fills the session; dropping it ends the worker.
    pub(super) worker: Worker,
    input: Arc<Input>,
    opened_len_bytes: u64,
    /// Whether no format is known by what it held when it was opened.
    is_unknown: bool,
    /// Of how many records no format is known yet, while more may say one; None: what is known of it is so for good.
    unknown: Option<usize>,
}

impl Reading {
    /// The path of a file that was opened with no record, or with few that no format knows, and holds more now:
    /// reported until there are as many as a format is found by.
    pub(super) fn known_at_last(&mut self, records: usize) -> Option<PathBuf> {
        let is_more = records > 0 && self.unknown.is_some_and(|before| records != before) && self.has_grown();
        if is_more {
            self.unknown = Some(records).filter(|records| *records < ingest::DETECTED_BY);
        }
        self.input.path().filter(|_| is_more && self.input.is_file()).map(Path::to_path_buf)
    }

    /// The file has other content: if no format recognised the content before, one may recognise this.
    pub(super) fn restart_detection(&mut self) {
        if self.is_unknown {
            (self.unknown, self.opened_len_bytes) = (Some(0), 0);
        }
    }

    /// Whether the input is longer than when it was opened.
    pub(super) fn has_grown(&self) -> bool {
        len_of(&self.input) > self.opened_len_bytes
    }
}

/// How long an input is, in bytes; of a file that is unpacked, the file itself: the text that is made of it grows
/// while it is read.
fn len_of(input: &Input) -> u64 {
    let packed = input.path().filter(|_| !input.is_file()).and_then(|path| path.metadata().ok());
    packed.map_or_else(|| input.len(), |facts| facts.len())
}

/// An input and its format; can be built on any thread.
pub(super) type DetectedInput = (Arc<Input>, Detected);

/// Detects the format of an input. Waits for the first bytes of a stream.
///
/// # Errors
/// The input cannot be read, or there is no such format.
pub(super) fn know(input: Arc<Input>, forced: Option<&str>) -> Result<DetectedInput, Problem> {
    let detected = ingest::detect(&input, forced)?;
    Ok((input, detected))
}

/// A session, with what goes on reading its input or listing its files.
pub(super) type OpenedSession = (Session, Option<Reading>, Option<Lists>);

/// Opens what is shown at the start.
///
/// # Errors
/// The input cannot be read, or there is no such format.
pub(super) fn begin(opened: &Opened, forced: Option<&str>) -> Result<OpenedSession, Problem> {
    let input = |input, forced| {
        let (session, reading) = open(know(input, forced)?)?;
        Ok((session, Some(reading), None))
    };
    match opened {
        Opened::Input(read) => input(Arc::clone(read), forced),
        Opened::Awaited(path) => {
            let (mut session, reading) = open(know(Input::memory("", ""), forced)?)?;
            session.name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            session.live.set_stale(AWAITED, clock::now());
            Ok((session, Some(reading), None))
        }
        Opened::Replay(replay, _) => input(Arc::clone(&replay.input), Some(replay.format.name())),
        Opened::Files { roots, .. } => listed(Listing::new(roots, is_input_folder, is_log), forced),
        Opened::Sessions { places, .. } => listed(Listing::of_places(places.clone(), is_input_folder, is_log), forced),
    }
}

fn listed(listing: Listing, forced: Option<&str>) -> Result<OpenedSession, Problem> {
    let lists = Lists::start(listing, forced).map_err(no_thread)?;
    Ok((nothing(forced)?, None, Some(lists)))
}

/// Time between looks at a path that leads nowhere.
const WAIT: Duration = Duration::from_millis(100);

/// Waits until something was written to a file that is not there yet (TAIL T16).
pub(super) fn wait_for(path: &Path) {
    let is_missing = || match path.metadata() {
        Ok(facts) => facts.len() == 0,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    while is_missing() {
        #[expect(clippy::disallowed_methods, reason = "the thread has nothing else to do, and ends with the program")]
        thread::sleep(WAIT);
    }
}

/// A session on nothing, while a list of files is shown.
///
/// # Errors
/// There is no such format.
pub(super) fn nothing(forced: Option<&str>) -> Result<Session, Problem> {
    let (input, detected) = know(Input::memory("", ""), forced)?;
    Ok(Session::new("", detected.format, detected.reasons, input, Arc::<LiveRecords>::default()))
}

/// Opens an input: a session, and the worker that fills it.
///
/// # Errors The thread that reads cannot be started.
pub(super) fn open((input, detected): DetectedInput) -> Result<(Session, Reading), Problem> {
    let (opened_len_bytes, is_unknown) = (len_of(&input), input.is_empty() || detected.is_fallback);
    let worker = Worker::start(Arc::clone(&input), detected.format)?;
    let live = &worker.live;
    let bytes: Arc<dyn Bytes> = Arc::clone(&live.input) as _;
    let records: Arc<dyn Records> = Arc::clone(&live.records) as _;
    let file = input.path().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
    let name = file.unwrap_or_else(|| input.name().to_owned());
    let mut session = Session::new(&name, detected.format, detected.reasons, bytes, records);
    session.path = input.path().map(Path::to_path_buf);
    Ok((session, Reading { worker, input, opened_len_bytes, is_unknown, unknown: is_unknown.then_some(0) }))
}

/// A report of the worker as a message of the program. `has_grown`: the input is longer than when it was opened. (More
/// records alone say less: an unfinished last line that is quiet is taken as one.)
pub(super) fn translate(event: IngestEvent, path: Option<&Path>, is_live: bool, has_grown: bool) -> Msg {
    match event {
        IngestEvent::Indexed { .. } | IngestEvent::Merged { .. } => Msg::Progress { is_complete: false, is_live },
        IngestEvent::Settled => Msg::Settled,
        IngestEvent::Done { .. } => Msg::Progress { is_complete: true, is_live },
        IngestEvent::Appended { .. } => Msg::Progress { is_complete: true, is_live: is_live || has_grown },
        IngestEvent::Generation(live, why) => Msg::Replaced(replacement(live, why), reason_text(why)),
        IngestEvent::Torn(text) => Msg::Stale("torn", text, clock::now()),
        IngestEvent::Polling(is_polling) => Msg::Polling(is_polling),
        IngestEvent::LateLines(text) => Msg::Notify(true, text),
        IngestEvent::Problem(problem) => Msg::Stale(mark(path), problem.to_string(), clock::now()),
    }
}

fn replacement(live: Generation, why: ResetReason) -> Replacement {
    let mark = match why {
        ResetReason::Truncated => Some("truncated"),
        ResetReason::Replaced => Some("replaced"),
        ResetReason::Rewritten | ResetReason::Reread | ResetReason::Rebuilt => None,
    };
    Replacement { bytes: live.input as _, records: live.records as _, run: live.run, mark }
}

/// What is wrong with an input that could not be read, in a word for the header.
fn mark(path: Option<&Path>) -> &'static str {
    if path.is_some_and(is_missing) { "gone" } else { "unreadable" }
}

/// Whether an event says that a file has another content.
pub(super) fn is_other_content(event: &IngestEvent) -> bool {
    matches!(event, IngestEvent::Generation(_, ResetReason::Truncated | ResetReason::Replaced))
}

/// What is unfinished at the end of the input, where an event gives it.
pub(super) fn ending(event: &IngestEvent) -> Option<Option<Place>> {
    match event {
        IngestEvent::Done { pending } | IngestEvent::Appended { pending, .. } => Some(*pending),
        _ => None,
    }
}

fn reason_text(why: ResetReason) -> Option<String> {
    match why {
        ResetReason::Truncated => Some("the file was truncated or rewritten: this is its new content".to_owned()),
        ResetReason::Replaced => Some("the file was replaced: this is the new one".to_owned()),
        ResetReason::Rewritten => Some("the document was rewritten: its versions are joined as steps".to_owned()),
        ResetReason::Reread | ResetReason::Rebuilt => None,
    }
}
