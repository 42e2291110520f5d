//! Rows to ratatui buffers: themes, highlighting of code, pictures of a frame.

pub mod code;
mod colour;
mod draw;
mod theme;

pub use draw::draw;
pub use theme::{Background, Theme};
