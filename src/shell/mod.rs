//! The terminal, threads and the clock: what the program as a function must not know.

pub mod jobs;
pub mod stage;
