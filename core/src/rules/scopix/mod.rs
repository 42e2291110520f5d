//! Scopix execution contexts: slots with a type and a source, checkpoints, contracts and waves (`S1` to `S30`).
//!
//! [`Log`] takes records and keeps the run; the other modules are the rules by themselves.

mod chain;
mod check;
mod collection;
mod contract;
mod data_types;
mod finding;
mod log;
mod merge;
mod path;
mod plan;
mod route;
mod shape;
mod slot;
mod supply;

pub use chain::{ChainTarget, chain_target};
pub use collection::is_file_path;
pub use contract::{ActiveContracts, Contract, ContractPort, Declared, Pipeline, Stage};
pub use data_types::DataTypes;
pub use log::{Log, StepAt, outcome};
pub use merge::{Merged, MergedPart, merged};
pub use path::{below, locate, parse as parse_path, text as path_text};
pub use plan::{Conflict, Edge, Node, Plan, PlanSource, plan};
pub use route::{ConversationField, Filler, PipelineConversation, hint, route};
pub use shape::ScopixShape;
pub use slot::{Meta, SlotState};
pub use supply::{InputSupply, SlotSnapshot, Supplies};
