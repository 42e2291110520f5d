//! What was said, called and answered in a step: the one reading that every format gives of its messages.
//!
//! A format knows the spellings; statistics, findings, outcomes, the state of a tool-using run, exports and the reading
//! view know only these types. Texts borrow from the record where it has them in one piece.

use super::StepRole;
use std::borrow::Cow;

/// One step as a part of a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn<'a> {
    /// Who speaks or acts.
    pub role: StepRole,
    /// The role or the speaker's name as written, where it says more than [`Turn::role`].
    pub speaker: Option<Cow<'a, str>>,
    /// What it consists of, in the order of the record.
    pub parts: Vec<TurnPart<'a>>,
    /// Time as written: ISO 8601, or a number with its unit known to the format.
    pub time: Option<Cow<'a, str>>,
    /// Whether the harness injected it, so that no participant wrote it (`isMeta`, an environment context).
    pub is_injected: bool,
}

/// A request to a model: the messages before it and its answer. For a tool call logged among requests only the
/// trajectory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelRequest {
    /// The name of its trajectory, empty where it has none.
    pub trajectory: String,
    /// The messages in order.
    pub messages: Vec<Turn<'static>>,
}

/// A piece of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnPart<'a> {
    /// Text of a message.
    Text(Cow<'a, str>),
    /// Reasoning.
    Thought(Cow<'a, str>),
    /// A call of a tool.
    Call(ToolCall<'a>),
    /// What came back from one.
    Result(ToolResult<'a>),
    /// An image, a sound or a file.
    Attachment(Attachment<'a>),
}

impl TurnPart<'_> {
    /// The text, the thought, the arguments or the result; empty for a file.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Thought(text) => text,
            Self::Call(call) => &call.arguments,
            Self::Result(result) => &result.text,
            Self::Attachment(_) => "",
        }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCall<'a> {
    /// The id that its result names.
    pub id: Option<Cow<'a, str>>,
    /// The tool's name as written; `code:LANGUAGE` for code that is run.
    pub name: Cow<'a, str>,
    /// Its arguments as JSON text: an object as a rule; a JSON string where they are plain text, or JSON in a string
    /// (which [`ToolCall::arguments`] keeps as it is).
    pub arguments: Cow<'a, str>,
}

/// What came back from a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult<'a> {
    /// The id of the call.
    pub id: Option<Cow<'a, str>>,
    /// The tool's name, where the result says it.
    pub name: Option<Cow<'a, str>>,
    /// Its text; several text parts are joined by LF.
    pub text: Cow<'a, str>,
    /// The format's own flag: whether the call failed (`is_error`, `status`, an error event).
    pub is_error: Option<bool>,
    /// Exit status, where a field says it.
    pub exit: Option<i64>,
    /// Milliseconds that it took, where a field says it.
    pub ms: Option<u64>,
    /// Milliseconds from the start of its span to its end, which are no part of the state (W5).
    pub span_ms: Option<u64>,
    /// Folder in which the shell is afterwards, where a field says it.
    pub cwd: Option<Cow<'a, str>>,
    /// File that is open afterwards, where a field says it (SWE-agent); `n/a` for none.
    pub open_file: Option<Cow<'a, str>>,
    /// The structured result beside the text, as JSON text (Claude Code's `toolUseResult`, an item's fields).
    pub details: Option<Cow<'a, str>>,
}

/// An image, a sound or a file of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attachment<'a> {
    /// Media type (`image/png`), or the word of the format (`image`).
    pub media_type: Cow<'a, str>,
    /// Where it is (a path, a URL), where it is not in the record. With `text/html`: the page that is open.
    pub location: Option<Cow<'a, str>>,
    /// Bytes of it in the record, as it is written there (base64 counts as written).
    pub bytes: u64,
}

/// What a record says of the run around its steps: it holds from the record's first step on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings<'a> {
    /// Folder in which the agent works.
    pub cwd: Option<Cow<'a, str>>,
    /// Model that answers.
    pub model: Option<Cow<'a, str>>,
    /// How calls are approved (`plan`, `acceptEdits`, `on-request`).
    pub mode: Option<Cow<'a, str>>,
    /// Reasoning effort.
    pub effort: Option<Cow<'a, str>>,
    /// Git branch.
    pub branch: Option<Cow<'a, str>>,
    /// Whether the context was compacted here.
    pub is_compaction: bool,
}

/// Tokens and cost of a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Tokens read that were in no cache; None where it is not recorded, as in the other members.
    pub input: Option<u64>,
    /// Tokens written, reasoning included.
    pub output: Option<u64>,
    /// Tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Tokens written into a cache.
    pub cache_write: Option<u64>,
    /// Cost in US dollars, where it is recorded.
    pub cost: Option<f64>,
}

impl Usage {
    /// Both together; None where neither records it.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a.saturating_add(b.unwrap_or(0))));
        Self {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            cache_read: sum(self.cache_read, other.cache_read),
            cache_write: sum(self.cache_write, other.cache_write),
            cost: self.cost.map_or(other.cost, |cost| Some(cost + other.cost.unwrap_or(0.0))),
        }
    }
}

impl<'a> Turn<'a> {
    /// A turn of that role.
    #[must_use]
    pub fn of(role: StepRole, parts: Vec<TurnPart<'a>>) -> Self {
        Self { role, parts, ..Self::default() }
    }

    /// What came back from a call, with the pictures and files beside it.
    #[must_use]
    pub fn answer(result: ToolResult<'a>, files: impl IntoIterator<Item = TurnPart<'a>>) -> Self {
        Self::of(StepRole::Environment, std::iter::once(TurnPart::Result(result)).chain(files).collect())
    }

    /// Its calls in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall<'a>> {
        self.parts.iter().filter_map(|part| match part {
            TurnPart::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Its results in order.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult<'a>> {
        self.parts.iter().filter_map(|part| match part {
            TurnPart::Result(result) => Some(result),
            _ => None,
        })
    }
}

/// A text of its own.
fn into_static(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

impl Turn<'_> {
    /// The same with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> Turn<'static> {
        Turn {
            role: self.role,
            speaker: self.speaker.map(into_static),
            parts: self.parts.into_iter().map(TurnPart::into_owned).collect(),
            time: self.time.map(into_static),
            is_injected: self.is_injected,
        }
    }
}

impl TurnPart<'_> {
    /// The same with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> TurnPart<'static> {
        match self {
            Self::Text(text) => TurnPart::Text(into_static(text)),
            Self::Thought(text) => TurnPart::Thought(into_static(text)),
            Self::Call(call) => {
                let (name, arguments) = (into_static(call.name), into_static(call.arguments));
                TurnPart::Call(ToolCall { id: call.id.map(into_static), name, arguments })
            }
            Self::Result(result) => TurnPart::Result(result.into_owned()),
            Self::Attachment(file) => {
                let (media_type, location) = (into_static(file.media_type), file.location.map(into_static));
                TurnPart::Attachment(Attachment { media_type, location, bytes: file.bytes })
            }
        }
    }
}

impl ToolResult<'_> {
    /// The same with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> ToolResult<'static> {
        ToolResult {
            id: self.id.map(into_static),
            name: self.name.map(into_static),
            text: into_static(self.text),
            is_error: self.is_error,
            exit: self.exit,
            ms: self.ms,
            span_ms: self.span_ms,
            cwd: self.cwd.map(into_static),
            open_file: self.open_file.map(into_static),
            details: self.details.map(into_static),
        }
    }
}
