//! Rows of the table of formats for logs: what differs between them.

use crate::format::generic::Generic;
use crate::format::run_survey::RunSurvey;
use crate::format::signature::{Head, SIGNATURES};
use crate::format::{Detect, Format, Framing, Layout, Match, Purpose, Run, Survey};
use crate::json::{OutlineLayout, Value};

/// A format whose files are one run; they are distinguished by the signature of its name.
pub(in crate::format) struct Row {
    /// Name for `--format`.
    pub(in crate::format) name: &'static str,
    /// The agent that alone writes such files; None: several do.
    pub(in crate::format) agent: Option<&'static str>,
    /// Name shown to people.
    pub(in crate::format) title: &'static str,
    /// What the format is and how its files are recognised.
    pub(in crate::format) about: &'static str,
    /// How its files are cut into records.
    pub(in crate::format) framing: Framing,
    /// An empty run.
    pub(in crate::format) run: fn() -> Box<dyn Run>,
    /// Whether first records are of this format, and why; None: its row of `SIGNATURES` decides.
    pub(in crate::format) detect: Option<Detect>,
    /// Whether a file may hold several trajectories.
    pub(in crate::format) has_trajectories: bool,
    /// Small texts of this format, for tests.
    pub(in crate::format) samples: &'static [&'static str],
}

/// Whether first records are of a format, by its function, else by the signature of its name.
fn detect(name: &str, detect: Option<Detect>, first: &[Value<'_>]) -> Option<Match> {
    if let Some(detect) = detect {
        return detect(first);
    }
    let signature = SIGNATURES.iter().find(|signature| signature.format == name)?;
    (signature.detect)(&Head { layout: OutlineLayout::default(), records: first })
}

impl Row {
    /// What a row has where it says nothing else.
    pub(in crate::format) const BASE: Self = Self {
        name: "",
        agent: None,
        title: "",
        about: "",
        framing: Framing::LogValues,
        run: no_run,
        detect: None,
        has_trajectories: false,
        samples: &[],
    };
}

/// A run of a row that has none of its own: its records as they are.
fn no_run() -> Box<dyn Run> {
    Generic.run()
}

impl Format for Row {
    fn name(&self) -> &'static str {
        self.name
    }

    fn agent(&self) -> Option<&'static str> {
        self.agent
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        detect(self.name, self.detect, first)
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

/// A format whose records are runs, such as the sessions of a database.
pub(in crate::format) struct SetRow {
    /// Name for `--format`.
    pub(in crate::format) name: &'static str,
    /// The agent that alone writes such files; None: several do.
    pub(in crate::format) agent: Option<&'static str>,
    /// Name shown to people.
    pub(in crate::format) title: &'static str,
    /// What the format is and how its files are recognised.
    pub(in crate::format) about: &'static str,
    /// The run of a record, empty.
    pub(in crate::format) run: fn() -> Box<dyn Run>,
    /// Whether first records are of this format, and why; None: its row of `SIGNATURES` decides.
    pub(in crate::format) detect: Option<Detect>,
    /// The same format for files that are cut into records differently.
    pub(in crate::format) alternative: Option<&'static dyn Format>,
    /// Small texts of this format, for tests.
    pub(in crate::format) samples: &'static [&'static str],
}

impl SetRow {
    /// What a row has where it says nothing else.
    pub(in crate::format) const BASE: Self = Self {
        name: "",
        agent: None,
        title: "",
        about: "",
        run: no_run,
        detect: None,
        alternative: None,
        samples: &[],
    };
}

impl Format for SetRow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn agent(&self) -> Option<&'static str> {
        self.agent
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        detect(self.name, self.detect, first)
    }

    fn framing(&self) -> Framing {
        Framing::LogValues
    }

    fn alternative(&self) -> Option<&'static dyn Format> {
        self.alternative
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn has_conversations(&self) -> bool {
        false
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, self.name, self.run)
    }

    fn run(&self) -> Box<dyn Run> {
        (self.run)()
    }

    fn samples(&self) -> &'static [&'static str] {
        self.samples
    }
}
