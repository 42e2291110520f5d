//! Rows to ratatui buffers: themes, highlighting of code, pictures of a frame.

pub mod code;
mod colour;
mod theme;

pub use theme::{Background, Theme};
