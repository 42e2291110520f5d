//! The terminal, threads and the clock: what the program as a function must not know.

mod alert;
mod attempts;
pub(crate) mod chat;
mod clipboard;
mod clock;
pub mod config;
mod device;
pub mod editor;
pub mod files;
mod find;
mod input;
pub mod jobs;
pub mod keeper;
mod listing;
mod llm;
mod marks;
mod opening;
pub(crate) mod own;
mod pause;
#[cfg(feature = "query")]
pub(crate) mod query;
pub mod run;
mod scan;
mod sift;
mod signals;
pub mod stage;
pub mod templates;
pub mod terminal;
mod themes;
pub(crate) mod worker;

pub use run::{Opened, Settings, run};
