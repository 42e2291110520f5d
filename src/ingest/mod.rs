//! Joins source and format: which format an input is of, and its records as runs.
//!
//! Headless commands load an input whole ([`open`]); the screen has a worker that indexes, folds and follows it.

mod detect;
mod load;

pub use detect::{Detected, detect};
pub use load::{Loaded, load, open};
