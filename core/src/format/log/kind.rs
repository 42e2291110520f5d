//! What a step of a log is.

/// What a step is (`FORMATS.md` 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::format) enum Kind {
    /// Somebody says something.
    Message,
    /// Reasoning.
    Thought,
    /// A call of a tool.
    Call,
    /// What came back from one.
    Result,
    /// A record that is not a message: it reports the run.
    State,
    /// A span of a trace.
    Span,
    /// A span in which a model answers: the agent says something.
    Answer,
}

impl Kind {
    /// The word for it in `steps --json`.
    pub(in crate::format) fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Thought => "thought",
            Self::Call => "tool-call",
            Self::Result => "tool-result",
            Self::State => "state",
            Self::Span | Self::Answer => "span",
        }
    }

    /// Whether it is a record beside the conversation: a model does not see it as a message of its own.
    pub(in crate::format) fn is_beside(self) -> bool {
        matches!(self, Self::State | Self::Span | Self::Answer)
    }
}
