//! Joins source and format: which format an input is of, and its records as runs.
//!
//! Headless commands load an input whole ([`open`]); the screen has a worker that indexes, folds and follows it.

mod detect;
mod exam;
mod fold;
mod glance;
mod late;
mod live;
mod load;
mod pass;
mod replay;
mod versions;
mod worker;

pub use detect::{Detected, detect, use_format};
pub use exam::{findings_of, verdicts_of, with_stack};
pub use glance::{Glance, glance};
pub use live::{IngestEvent, Live, LiveRecords, SharedRun, Why};
pub use load::{Loaded, load, open};
pub use pass::{findings, in_order, look_at_all, look_at_known, survey};
pub use replay::{Deck, Replay, replay};
pub use worker::Worker;
