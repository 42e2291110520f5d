//! obelus: a terminal inspector for agent state and trajectories.
//!
//! The rooms and what each may know: `docs/architecture.md`. The pure ones up to `review` are the package
//! `obelus-core`.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::disallowed_methods,
        clippy::large_stack_arrays,
        reason = "tests make small numbers, and files of their own"
    )
)]

pub mod app;
pub mod cli;
pub mod ingest;
pub mod panes;
mod platform;
pub mod shell;
pub mod source;
pub mod ui;

pub use obelus_core::{batch, detect, format, framing, json, lint, model, review, rules, state, text};
