//! An input as a session that a worker fills while it is shown.

use crate::app::Msg;
use crate::app::msg::Replacement;
use crate::ingest::{self, IngestEvent, Live, LiveRecords, Why, Worker};
use crate::model::{Bytes, Problem, Record};
use crate::panes::{Records, Session};
use crate::source::Input;
use std::sync::Arc;

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

/// Opens an input: a session, and the worker that fills it.
///
/// # Errors
/// The input cannot be read, or there is no such format.
pub(super) fn open(input: &Arc<Input>, forced: Option<&str>) -> Result<(Session, Worker), Problem> {
    let detected = ingest::detect(input, forced)?;
    let worker = Worker::start(Arc::clone(input), detected.format)?;
    let live = &worker.live;
    let bytes: Arc<dyn Bytes> = Arc::clone(&live.input) as _;
    let records: Arc<dyn Records> = Arc::clone(&live.records) as _;
    let file = std::path::Path::new(input.name()).file_name().map(|n| n.to_string_lossy().into_owned());
    let name = file.unwrap_or_else(|| input.name().to_owned());
    let mut session = Session::new(&name, detected.format, detected.reasons, bytes, records);
    session.path = input.path().map(std::path::Path::to_path_buf);
    Ok((session, worker))
}

/// What the worker tells, as the program hears it. `has_grown`: the input is longer than when it was opened. (More
/// records alone say less: an unfinished last line that is quiet is taken as one.)
pub(super) fn translate(event: IngestEvent, is_live: bool, has_grown: bool) -> Msg {
    match event {
        IngestEvent::Indexed { .. } | IngestEvent::Merged { .. } => Msg::Progress { is_complete: false, is_live },
        IngestEvent::Settled => Msg::Settled,
        IngestEvent::Done { .. } => Msg::Progress { is_complete: true, is_live },
        IngestEvent::Appended { .. } => Msg::Progress { is_complete: true, is_live: is_live || has_grown },
        IngestEvent::Generation(live, why) => Msg::Replaced(replacement(live), told(why)),
        IngestEvent::Problem(problem) => Msg::Told(true, problem.to_string()),
    }
}

fn replacement(live: Live) -> Replacement {
    Replacement { bytes: live.input as _, records: live.records as _, run: live.run }
}

fn told(why: Why) -> Option<String> {
    match why {
        Why::Truncated => Some("the file was truncated or rewritten: this is its new content".to_owned()),
        Why::Replaced => Some("the file was replaced: this is the new one".to_owned()),
        Why::Rewritten => Some("the document was written anew: its versions are joined as steps".to_owned()),
        Why::Reread => None,
    }
}
