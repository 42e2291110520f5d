//! Review of datasets: who decided what of which content, what of it is exported, and how.
//!
//! Decisions are events, of a content and not of a place in a file; what holds is made from the set of events alone, so
//! journals of several people merge in any order. Knows no file and no clock: times come in with the events, and what
//! is to be written goes out as lines and plans.

mod chat;
mod draw;
mod event;
mod marks;
mod redact;
mod select;
mod session;
mod time;
mod units;

pub use chat::{Shape as ChatShape, chat};
pub use draw::{Sample, Split, record_id};
pub use event::{About, Change, ContentKey, Event, EventId, Fault, Target, VERSION, Verdict};
pub use marks::{Mark, Marks};
pub use redact::{Redactor, Secret};
pub use select::{Candidate, Judged, Predicate, Selection, verdict_name};
pub use session::{Decision, Marked, Progress, Review, What};
pub use time::iso;
pub use units::Units;
