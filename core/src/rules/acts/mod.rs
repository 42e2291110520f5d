//! The Agent/Data protocol: messages that merge into state, as writes to the versioned tree.
//!
//! [`Log`] takes records and keeps the run; the other modules are the rules by themselves: what a message is, what it
//! writes, how contexts are aligned, references, the LLM view, plans. Nothing here reads a file or prints an answer.

mod call;
mod check;
mod claim;
mod context;
mod cover;
mod describe;
mod digest;
mod envelope;
mod expression;
mod finding;
mod fold;
mod graph;
mod identity;
mod interned;
mod log;
mod lost;
mod message;
mod origin;
mod places;
mod plan;
mod queries;
mod readers;
mod reference;
mod refold;
mod render;
mod request;
mod resolve;
mod rows;
mod schema;
mod status;
#[cfg(test)]
mod tests;
mod tick;
mod write;
mod write_checks;

pub use claim::Claim;
pub use describe::{describe, spoken};
pub use expression::{Expression, parse as parse_expression, spans};
pub use log::Log;
pub use message::{ActsMessage, Content, MessageType};
pub use places::Places;
pub use plan::{Node, NodeStatus, Plan, PlanSource, ReadStatus};
pub use readers::ReadingCall;
pub use reference::{PathSegment, Reference, canonical, parse as parse_reference};
pub use render::{RenderedEntry, raw_view, view};
pub use resolve::{MissingPart, Resolution, ResolvedReference, Resolver, known_paths};
