//! Scopix execution contexts: slots with a type and a source, checkpoints, contracts and waves (`S1` to `S30`).
//!
//! [`Log`] takes records and keeps the run; the other modules are the rules by themselves.

mod check;
mod collection;
mod contract;
mod finding;
mod log;
mod merge;
mod path;
mod plan;
mod route;
mod shape;
mod slot;
mod supply;

pub use collection::is_file_path;
pub use contract::{Contract, Declared, Holding, Port, Stage};
pub use log::{Log, StepAt};
pub use merge::{Merged, merged};
pub use path::{below, locate, parse as parse_path, text as path_text};
pub use plan::{Conflict, Edge, Node, Plan, Source, plan};
pub use route::{Conversation, hint, route};
pub use shape::Shape;
pub use slot::{Meta, SlotState};
pub use supply::{Present, Supply, supply};
