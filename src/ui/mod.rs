//! Rows to ratatui buffers: themes, highlighting of code, pictures of a frame.

pub mod code;
mod colour;
mod draw;
mod encode;
mod html;
pub mod report;
mod sgr;
mod svg;
mod theme;

pub use draw::draw;
pub use encode::Encoder;
pub use svg::{AnimationFrame, animation, svg};
pub use theme::{Background, Theme};
