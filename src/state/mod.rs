//! The merged state of a run at any step, and who wrote each value: one versioned tree per identity.
//!
//! Generic: it knows no system. `rules` turn messages into [`Write`]s; this room merges, remembers and answers. A
//! second, obvious implementation (fold the writes from zero) lives in the tests as the oracle.

mod adopt;
pub mod cause;
mod children;
pub mod diff;
mod epochs;
mod exam;
mod held;
mod history;
mod lists;
mod order;
mod plain;
mod read;
mod replace;
mod rooms;
mod schema;
mod store;
mod stored;
#[cfg(test)]
mod tests;
mod tree;
mod verdicts;
mod versions;
pub mod watch;
pub mod when;
mod write;

pub use exam::{Exam, Judgement, SchemaUse, Turn};
pub use schema::{Checked, IS_CHECKED, Reason, STACK_BYTES, Schema, SchemaFault, Violation, last_segment};
pub use stored::Stored;
pub use tree::{Child, Event, EventOp, IdentityId, IdentityView, Leaf, NodeId, Op, Shape, Tree, Write};
pub use verdicts::{Invalid, Spell, Told, Verdicts};
