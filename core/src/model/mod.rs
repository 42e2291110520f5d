//! The nouns that every format and every pane share: record, step, identity, write, finding, place, problem.
//!
//! Nothing here knows a format, a system, a file or a screen.

pub mod cast;
mod chunked_vec;
mod container;
mod conversation;
mod digest_table;
mod file_entry;
mod finding;
mod identity;
mod index;
mod place;
mod problem;
mod run_facts;
mod run_part;
mod step;
mod time;
pub mod varint;

pub use chunked_vec::Chunks;
pub use container::{Archive, ContainerValue, Contents, RowSink, Sink, Table, Tables};
pub use conversation::{Attachment, ModelRequest, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
pub use digest_table::DigestTable;
pub use file_entry::{ListChange, ListedFile, ListedKind};
pub use finding::{Finding, LocatedFinding, Remark, Severity};
pub use identity::Identity;
pub use index::RecordIndex;
pub(crate) use place::no_utf8_at;
pub use place::{Bytes, Framing, Place, Record, RecordBody, Span, lossy};
pub use problem::{Problem, ProblemKind};
pub use run_facts::RunFacts;
pub use run_part::{PartRole, PartState, RunPart};
pub use step::{ActionLine, HEAD, Standing, Step, StepKind, StepNo, StepPlace, StepRole, estimated_tokens};
pub use time::{Timestamp, When, duration_text, span_text};
