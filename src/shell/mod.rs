//! The terminal.

pub mod config;
pub mod editor;
pub mod input;
pub mod terminal;

mod clipboard;
mod device;
mod pause;
mod signals;
