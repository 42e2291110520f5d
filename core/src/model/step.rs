//! The step: the smallest thing that happened in a run.

use super::{Place, Span};

/// Number of a step, from 0. [`HEAD`] is the state before any step.
pub type StepNo = i32;

/// The step before any step: what a trajectory holds before it begins (D20).
pub const HEAD: StepNo = -1;

/// Tokens of a text of `chars` characters where none are recorded: an estimate, the same for every format (D22), a
/// quarter of them, rounded up.
#[must_use]
pub fn estimated_tokens(chars: u64) -> u64 {
    chars.div_ceil(4)
}

/// Who speaks or acts in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StepRole {
    /// A person, or who gives the task.
    User,
    /// The model or program that acts.
    Agent,
    /// A tool's or the world's answer.
    Environment,
    /// Instructions, engine messages.
    System,
    /// Not reported, or none of these.
    #[default]
    Unknown,
}

impl StepRole {
    /// The word for it, as in `steps --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Environment => "environment",
            Self::System => "system",
            Self::Unknown => "unknown",
        }
    }
}

/// What a step is, for its sign and colour in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StepKind {
    /// Text that somebody says.
    Message,
    /// Reasoning.
    Thought,
    /// A tool or code call.
    Call,
    /// The answer to a call, an observation.
    Result,
    /// It writes state.
    Data,
    /// A plan of calls.
    Plan,
    /// An error.
    Error,
    /// A definition, metadata, an event: it changes nothing that is shown as state.
    Meta,
    /// A record that could not be read.
    Broken,
    /// None of these.
    #[default]
    Other,
}

/// How a step is to the main line of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    /// On the main line.
    #[default]
    Main,
    /// On a branch that was left: retried, or followed by a newer one.
    Abandoned,
    /// In a sub-agent inside the file.
    SubAgent,
}

impl Standing {
    /// The word for it, as in `steps --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Abandoned => "abandoned",
            Self::SubAgent => "sub-agent",
        }
    }

    /// How many agents it is in at least.
    #[must_use]
    pub fn depth(self) -> u8 {
        u8::from(self == Self::SubAgent)
    }
}

/// Where a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepPlace {
    /// Record number, from 0.
    pub record: usize,
    /// The message's own bytes (a step without message: those of its envelope), and their line.
    pub place: Place,
    /// The record's bytes, which hold the message's.
    pub record_span: Span,
}

/// A step described: what the list, the header and `obelus steps` show of it. Made on demand from its bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// Its number.
    pub number: StepNo,
    /// For sign and colour.
    pub sign: StepKind,
    /// `kind` of `steps --json`, in the words of the format (`action`, `observation`, `message`, `data` …).
    pub kind: String,
    /// `class` of `steps --json`: the type as the format spells it; None is null.
    pub class: Option<String>,
    /// Who.
    pub role: StepRole,
    /// The role as written, where it is none of ours or says more.
    pub role_text: Option<String>,
    /// Tool of a call, or of the call that a result or a write came from.
    pub tool: Option<String>,
    /// The step that this one answers.
    pub answers: Option<StepNo>,
    /// How it is to the main line of the run.
    pub standing: Standing,
    /// The call that started the sub-agent whose first step it is.
    pub caller: Option<StepNo>,
    /// How many spans, runs or agents it is in, of those that the log nests: 0 is outermost.
    pub depth: u8,
    /// The trajectory that it is of, where its run has several under names (`chosen`, `rejected`).
    pub trajectory: Option<String>,
    /// Unicode scalars of its text.
    pub chars: usize,
    /// Time as written.
    pub time: Option<String>,
    /// Recorded tokens.
    pub tokens: Option<u64>,
    /// Reward, source text of the number.
    pub reward: Option<String>,
    /// Loop tick (A5), where the format has one.
    pub tick: Option<String>,
    /// What it is in a few words (`user`, `call`, `data`): the second column of the list.
    pub label: String,
    /// What it says in one line, not yet made safe to paint.
    pub summary: String,
    /// What its first call does, where it makes one.
    pub action: Option<ActionLine>,
    /// How many calls it makes, and lines of text of the result that it brings, where the format reports.
    pub calls: usize,
    /// Lines of the results that it brings; None: it brings none.
    pub result_lines: Option<usize>,
}

/// A step that is nested deeper is shown no farther in.
const DEPTH_SHOWN_MAX: u8 = 6;

impl Step {
    /// How many levels it is shown in: as it is nested, up to a bound that leaves room for words.
    #[must_use]
    pub fn levels_shown(&self) -> usize {
        usize::from(self.depth.min(DEPTH_SHOWN_MAX))
    }
}

/// A call in a line: a verb that is the same in all formats, and what it is done to. Foreign text, but for the verb.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActionLine {
    /// `view`, `new`, `write`, `edit`, `run`, `search`, `fetch`, `ask`, `todo`, `plan`, `task`, `page` …, else the bare
    /// name of the tool.
    pub verb: Box<str>,
    /// A path, a command, a pattern: the part in which calls differ.
    pub object: String,
    /// Whether the object is a path.
    pub is_path: bool,
    /// Lines that it asks for, writes, adds and removes.
    pub note: String,
}
