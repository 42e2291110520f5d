//! The terminal, threads and the clock: what the program as a function must not know.

mod clipboard;
pub mod config;
mod device;
pub mod editor;
pub mod files;
mod input;
pub mod jobs;
mod listing;
mod opening;
mod pause;
pub mod run;
mod signals;
pub mod stage;
pub mod terminal;
mod themes;

pub use run::{Opened, Settings, run};
