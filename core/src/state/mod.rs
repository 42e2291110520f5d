//! The merged state of a run at any step, and who wrote each value: one versioned tree per identity.
//!
//! Generic: it knows no system. `rules` turn messages into [`Write`]s; this room merges, remembers and answers. A
//! second, obvious implementation (fold the writes from zero) lives in the tests as the oracle.

mod checked_identity;
pub mod condition;
pub mod copy_origin;
pub mod diff;
mod history;
pub mod intervals;
mod materialize;
mod moves;
mod query;
mod rebuild;
mod replace;
mod schema;
mod schema_checker;
mod storage;
#[cfg(test)]
mod tests;
mod tree;
mod violations;
mod write;

pub use schema::{Checked, IS_CHECKED, STACK_BYTES, Schema, SchemaFault, Violation, ViolationReason, last_segment};
pub use schema_checker::{CheckTask, Judgement, SchemaChecker, SchemaUse};
pub use storage::leaf_value::Stored;
pub use tree::{Child, EventOp, HistoryEvent, IdentityId, IdentityView, Leaf, NodeId, NodeShape, Op, Tree, Write};
pub use violations::{Invalid, ReportedCounts, ViolationInterval, Violations};
