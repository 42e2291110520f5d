//! An input as a session that is filled while it is shown.
use crate::app::Msg;
use crate::format::Layout;
use crate::ingest;
use crate::model::{Bytes, Problem, Record};
use crate::panes::{Records, Session, SharedRun};
use crate::source::{Input, RecordIndex};
use crossbeam_channel::Receiver;
use std::sync::{Arc, RwLock};

/// An input being read.
pub(super) struct Opened {
    /// The bytes.
    pub(super) input: Arc<Input>,
    /// The session.
    pub(super) session: Session,
    /// The run, where the whole input is one.
    pub(super) run: Option<SharedRun>,
    /// What the reader tells.
    pub(super) events: Receiver<Msg>,
}

struct Whole(RecordIndex);

impl Records for Whole {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn get(&self, number: usize) -> Option<Record> {
        self.0.get(number)
    }
}

/// Opens.
///
/// # Errors
/// Cannot be read.
pub(super) fn open(input: Arc<Input>, forced: Option<&str>) -> Result<Opened, Problem> {
    let loaded = ingest::load(Arc::clone(&input), forced)?;
    let run: Option<SharedRun> = match loaded.detected.format.layout() {
        Layout::Run => Some(Arc::new(RwLock::new(loaded.run(0)?))),
        Layout::Set => None,
    };
    let bytes: Arc<dyn Bytes> = Arc::clone(&input) as _;
    let session = Session::new(
        input.name(),
        loaded.detected.format,
        loaded.detected.reasons,
        bytes,
        Arc::new(Whole(loaded.records)),
    );
    let (sender, events) = crossbeam_channel::bounded(16);
    let _sent = sender.send(Msg::Progress { is_complete: true, is_live: false });
    Ok(Opened { input, session, run, events })
}
