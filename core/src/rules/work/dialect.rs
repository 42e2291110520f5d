//! Exceptions that rules make for some agents.

use super::arguments::Arguments;
use super::bare_name::bare_name;
use super::call::Action;
use super::text::with_line_feeds;
use std::borrow::Cow;

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
    /// Each command is a shell of its own (W9), in Zed.
    Zed,
    /// Each command is a shell of its own (W9), in Continue.
    Continue,
    /// Each command is a shell of its own (W9), in Kiro and Amazon Q.
    Kiro,
    /// Each command is a shell of its own (W9); the name of a tool follows that of its extension (W1), and a file may
    /// be written by the command `write` (W3), in Goose.
    Goose,
}

impl Dialect {
    /// W9: whether each command starts in the same folder, so that a `cd` has no effect on the next.
    pub(super) fn resets_folder(self) -> bool {
        let is_of_agent = matches!(self, Self::Codex | Self::Pi | Self::Gemini | Self::OpenCode | Self::Copilot);
        let is_of_editor = matches!(self, Self::Cline | Self::Zed | Self::Continue);
        is_of_agent
            || is_of_editor
            || matches!(self, Self::Inspect | Self::MiniSweAgent | Self::Crush | Self::Kiro | Self::Goose)
    }

    /// W1: the bare name of a tool.
    pub(super) fn bare_name(self, name: &str) -> Cow<'_, str> {
        let bare = bare_name(name);
        match bare.split_once("__").filter(|_| self == Self::Goose) {
            Some((_, inner)) => Cow::Owned(inner.to_owned()),
            None => bare,
        }
    }

    /// W3: what a tool of Goose writes to a file.
    pub(super) fn written(self, given: &Arguments<'_>) -> Option<Action> {
        let is_write = self == Self::Goose && given.string("command") == Some("write");
        let path = given.path().filter(|_| is_write)?.to_owned();
        Some(Action::Write { path, text: with_line_feeds(given.text("TEXT")?).into_owned() })
    }

    /// `FORMATS.md` 3: whether a text that a tool is given is a script in the model's language and no command: what it
    /// runs comes as calls within it.
    pub(super) fn takes_script(self, name: &str) -> bool {
        self == Self::Codex && name == "exec"
    }
}
