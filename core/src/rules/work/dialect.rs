//! Exceptions that rules make for some agents.

use super::arguments::Arguments;
use super::bare_name::bare_name;
use super::call::{Action, Replacement};
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
    /// Each command is a shell of its own (W9); the command `strReplace` replaces a text (W3), in Kiro and Amazon Q.
    Kiro,
    /// Each command is a shell of its own (W9); the name of a tool follows that of its extension (W1), and a file may
    /// be written by the command `write` (W3), in Goose.
    Goose,
    /// Results report whole files (W8), in Cursor.
    Cursor,
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

    /// W3: what a tool of Goose writes to a file, or one of Kiro replaces in it, by a command that no other agent has.
    pub(super) fn written(self, given: &Arguments<'_>) -> Option<Action> {
        let path = given.path()?.to_owned();
        let owned = |text: &str| with_line_feeds(text).into_owned();
        match (self, given.string("command")?) {
            (Self::Goose, "write") => Some(Action::Write { path, text: owned(given.text("TEXT")?) }),
            (Self::Kiro, "strReplace") => {
                let edits = vec![Replacement {
                    old: owned(given.string("oldStr").unwrap_or_default()),
                    new: owned(given.string("newStr").unwrap_or_default()),
                }];
                let is_all = given.is_true("replaceAll");
                Some(Action::Replace { path: Some(path), edits, is_all, takes_line_end: false })
            }
            _ => None,
        }
    }

    /// `FORMATS.md` 3: whether a text that a tool is given is a script in the model's language and no command: what it
    /// runs comes as calls within it.
    pub(super) fn takes_script(self, name: &str) -> bool {
        self == Self::Codex && name == "exec"
    }
}
