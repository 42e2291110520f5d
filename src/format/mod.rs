//! Formats: many and thin. Each is one file and one row of [`FORMATS`]; each maps records to steps and writes.
//!
//! A format is detected from content with reasons, never from a file's name. What it reads becomes a [`Run`]: one
//! trajectory with its steps and its versioned state. Knows no pane, no file, no other format.

mod adp;
mod run;

pub use run::{Answer, Credit, Field, Format, Framing, Instances, Layout, Match, Resolved, Run, ViewEntry};

/// All formats, in the order in which detection tries them.
pub static FORMATS: &[&dyn Format] = &[&adp::Adp];

/// The format of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|f| f.name() == name)
}
