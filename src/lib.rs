//! obelus: a terminal inspector for agent state and trajectories.
//!
//! The rooms and what each may know: `docs/architecture.md`.
#![forbid(unsafe_code)]

pub mod app;
pub mod cli;
pub mod format;
pub mod ingest;
pub mod json;
pub mod lint;
pub mod model;
pub mod panes;
pub mod review;
pub mod rules;
pub mod shell;
pub mod source;
pub mod state;
pub mod text;
pub mod ui;
