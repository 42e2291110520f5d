//! The terminal.

pub mod config;
