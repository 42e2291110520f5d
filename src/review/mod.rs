//! Review of datasets: who decided what of which content, what of it is exported, and how; facts on every record, and
//! what of them a filter lets through, sorted and counted.
//!
//! Decisions are events, of a content and not of a place in a file; what holds is made from the set of events alone, so
//! journals of several people merge in any order. Knows no file and no clock: times come in with the events, and what
//! is to be written goes out as lines and plans.

mod attempts;
mod chat;
mod column;
mod compare;
mod conversation;
mod draw;
mod event;
mod facts;
mod filter;
mod filter_text;
mod loss;
mod loss_check;
mod marks;
mod order;
mod prefix;
mod redact;
mod select;
mod session;
mod tally;
mod template;
mod time;
mod units;

pub use crate::rules::adp::record_id;
pub use attempts::{AttemptTree, Branch, Outcome, TaskAnswer, TaskLine, TaskList, TaskQuestion, attempts_at, several};
pub use chat::{Shape as ChatShape, chat};
pub use column::Column;
pub use compare::{Change as ValueChange, Compared, Fingerprint, changes, compare};
pub use conversation::{Conversation, Turn};
pub use draw::{Sample, Split};
pub use event::{About, Change, ContentKey, Event, EventId, Fault, Target, VERSION, Verdict};
pub use facts::{Chunk, ChunkMaker, Entry, FactTable};
pub use filter::{Field, Filter, FilterFault, Names, Numbers, Subject, Term, Texts};
pub use loss::{Loss, LossFinding, Segment, Total, Train, loss, tokens};
pub use loss_check::LossCheck;
pub use marks::{Mark, Marks};
pub use order::{Order, Sort, arrange};
pub use prefix::{Attempt, Stretch, tasks as attempt_tasks, tree as attempt_tree};
pub use redact::{Redactor, Secret};
pub use select::{Candidate, Judged, Predicate, Selection, verdict_name};
pub use session::{Decision, Marked, Progress, RecordMarks, Review, What};
pub use tally::{Bin, Plot, Tally, Value, tally};
pub use template::{Rendered, TEMPLATES, Template, TemplateFault};
pub use time::iso;
pub use units::Units;
