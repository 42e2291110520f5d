//! A row of the table of formats whose files are logs: all that differs between them, in one place.

use crate::format::signature::{Head, SIGNATURES};
use crate::format::{Detect, Format, Framing, Layout, Match, Run};
use crate::json::{OutlineLayout, Value};

/// A format of a log; its files are distinguished by the signature of its name.
pub(in crate::format) struct Row {
    /// Name for `--format`.
    pub(in crate::format) name: &'static str,
    /// Name for people.
    pub(in crate::format) title: &'static str,
    /// What it is and how it is known.
    pub(in crate::format) about: &'static str,
    /// How its files are cut into records.
    pub(in crate::format) framing: Framing,
    /// An empty run.
    pub(in crate::format) run: fn() -> Box<dyn Run>,
    /// Whether records are of it, and why; None: the signature of its name says so.
    pub(in crate::format) detect: Option<Detect>,
    /// Whether a file may hold several trajectories.
    pub(in crate::format) has_trajectories: bool,
    /// Small texts of it.
    pub(in crate::format) samples: &'static [&'static str],
}

impl Format for Row {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        if let Some(detect) = self.detect {
            return detect(first);
        }
        let signature = SIGNATURES.iter().find(|signature| signature.format == self.name)?;
        (signature.detect)(&Head { layout: OutlineLayout::default(), records: first })
    }

    fn framing(&self) -> Framing {
        self.framing
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn has_trajectories(&self) -> bool {
        self.has_trajectories
    }

    fn run(&self) -> Box<dyn Run> {
        (self.run)()
    }

    fn samples(&self) -> &'static [&'static str] {
        self.samples
    }
}
