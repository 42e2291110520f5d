//! The terminal, threads and the clock: what the program as a function must not know.

mod attempts;
mod background;
pub(crate) mod chat;
pub(crate) mod clipboard;
mod clock;
pub mod config;
pub(crate) mod config_check;
mod config_keys;
mod configure;
pub(crate) mod custom_columns;
pub(crate) mod demo;
pub mod editor;
mod export;
pub mod file_list;
pub mod format_files;
pub mod headless;
mod input;
mod input_pause;
pub mod jobs;
mod lanes;
mod late_answer;
mod listing;
mod llm_view;
pub mod mark_journal;
mod marks;
mod notification;
mod open_session;
#[cfg(feature = "query")]
pub(crate) mod query;
pub mod run;
mod scan;
mod screen_backend;
mod search;
mod seek;
mod signals;
mod step_filter;
pub mod templates;
pub mod terminal;
pub(crate) mod themes;
pub mod tokenizer;
mod tty;
mod two_runs;
pub(crate) mod worker;

pub(crate) use background::ask as ask_background;
pub use open_session::Opened;
pub use run::{Settings, run};
