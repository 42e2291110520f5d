//! What the worker and the screen share of an open input, and what the worker reports.

use crate::format::{Format, Layout, Run, SharedRun};
use crate::model::{Place, Problem, Record};
use crate::source::{Input, RecordIndex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread;
use std::time::Duration;

/// How long the worker sleeps while somebody reads the run.
const STEP_BACK: Duration = Duration::from_micros(50);

/// The run for writing. It never queues for the lock: where a writer waits, a reader that already reads and asks again
/// (one pane inside another) would wait for the writer, which waits for it.
pub(super) fn write(run: &SharedRun) -> RwLockWriteGuard<'_, Box<dyn Run>> {
    loop {
        match run.try_write() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            #[expect(clippy::disallowed_methods, reason = "a lock wakes nobody who only tries it")]
            Err(TryLockError::WouldBlock) => thread::sleep(STEP_BACK),
        }
    }
}

/// The records found so far.
#[derive(Debug, Default)]
pub struct LiveRecords {
    index: RwLock<RecordIndex>,
    is_complete: AtomicBool,
}

impl LiveRecords {
    /// Number known so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.read().len()
    }

    /// Whether all that the input held when it was last looked at is indexed and merged.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete.load(Ordering::Acquire)
    }

    /// A record by number, in constant time.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<Record> {
        self.read().get(number)
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, RecordIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, RecordIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_complete(&self, is_complete: bool) {
        self.is_complete.store(is_complete, Ordering::Release);
    }
}

/// One generation of an input: one content, its records and its run. A later one never changes an earlier one.
#[derive(Clone)]
pub struct Generation {
    /// From 0.
    pub generation: u64,
    /// The bytes.
    pub input: Arc<Input>,
    /// The records.
    pub records: Arc<LiveRecords>,
    /// The run of the whole input; None where each record is a run of its own.
    pub run: Option<SharedRun>,
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "generation {} of {}, {} records", self.generation, self.input.name(), self.records.count())
    }
}

impl Generation {
    pub(super) fn new(generation: u64, input: Arc<Input>, format: &dyn Format) -> Self {
        let run = (format.layout() == Layout::Run).then(|| Arc::new(RwLock::new(format.run())));
        let index = RwLock::new(RecordIndex::of(input.has_rows()));
        let records = Arc::new(LiveRecords { index, is_complete: AtomicBool::default() });
        Self { generation, input, records, run }
    }
}

/// Why a new generation began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResetReason {
    /// Bytes that had been read are no longer in the file.
    Truncated,
    /// The path leads to another file.
    Replaced,
    /// The document is rewritten again and again: its versions are records from here on, one after the other.
    Rewritten,
    /// What had looked like whole records turned out to go on; the content is the same.
    Reread,
    /// What the text is made from (a database, an archive, a folder) changed, and the text before its end with it.
    Rebuilt,
}

/// What the worker reports. Progress may be left out when nobody listens; the rest is always reported, in order.
#[derive(Debug)]
pub enum IngestEvent {
    /// Progress of the index: records and bytes so far, bytes in all.
    Indexed {
        /// Records so far.
        records: usize,
        /// Bytes so far.
        bytes: u64,
        /// Bytes that the input has.
        total: u64,
    },
    /// Progress of the run: records merged so far, of how many known, and steps so far.
    Merged {
        /// Records so far.
        records: usize,
        /// Records known.
        of: usize,
        /// Steps so far.
        steps: usize,
    },
    /// All of the input is indexed and merged, for the first time in this generation.
    Done {
        /// What is at the end and is not a record yet: an unfinished line.
        pending: Option<Place>,
    },
    /// More came and is indexed and merged; or only the unfinished end changed.
    Appended {
        /// Records that came.
        records: usize,
        /// What is at the end and is not a record yet.
        pending: Option<Place>,
    },
    /// The findings of the run hold for the present end of the input.
    Settled,
    /// From here on events are about this generation. What was shown can stay on screen until it is exchanged.
    Generation(Generation, ResetReason),
    /// Whether the file is looked at again and again, as the file system reports no changes.
    Polling(bool),
    /// A document was rewritten and is not valid JSON as it is: a sentence on it.
    Torn(String),
    /// Lines came to a file whose place another took: a sentence on them.
    LateLines(String),
    /// Something is wrong with the input; what was read stays.
    Problem(Problem),
}
