//! Exceptions that rules make for some agents.

/// The agents for which a rule makes an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// No exception.
    #[default]
    Common,
    /// Each command is a shell of its own (W9).
    Codex,
    /// Each command is a shell of its own (W9), in Pi.
    Pi,
    /// Each command is a shell of its own (W9), in Gemini CLI.
    Gemini,
    /// Each command is a shell of its own (W9), in Inspect.
    Inspect,
    /// Each command is a shell of its own (W9), in mini-swe-agent.
    MiniSweAgent,
    /// `toolUseResult.file` stands for the text (W7).
    ClaudeCode,
    /// Commands are text; relative paths are in the shell's folder (W3, W6).
    SweAgent,
    /// `read` shows numbered lines (W3).
    OpenHands,
    /// Each command is a shell of its own (W9); edits report their diffs (W8), in opencode.
    OpenCode,
    /// Each command is a shell of its own (W9), in Copilot CLI.
    Copilot,
    /// Each command is a shell of its own (W9); a call may have several (W2), in Cline.
    Cline,
    /// Each command is a shell of its own (W9), in Crush.
    Crush,
    /// `Execute` is a shell, in Droid.
    Droid,
}

impl Dialect {
    /// W9: whether each command starts in the same folder, so that a `cd` has no effect on the next.
    pub(super) fn resets_folder(self) -> bool {
        let is_of_agent = matches!(self, Self::Codex | Self::Pi | Self::Gemini | Self::OpenCode | Self::Copilot);
        is_of_agent || matches!(self, Self::Inspect | Self::MiniSweAgent | Self::Cline | Self::Crush)
    }

    /// `FORMATS.md` 3: whether a text that a tool is given is a script in the model's language and no command: what it
    /// runs comes as calls within it.
    pub(super) fn takes_script(self, name: &str) -> bool {
        self == Self::Codex && name == "exec"
    }
}
