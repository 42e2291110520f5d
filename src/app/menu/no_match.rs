//! What a list says where nothing in it matches what is typed.

use super::MenuKind;
use crate::app::keys::{Action, Keymap};
use crate::panes::Window;

/// Commands of the command line that the screen has no key for. A test of the suite holds that they exist.
pub const SHELL_COMMANDS: &[&str] =
    &["check", "context", "export", "files", "formats", "mark", "query", "render", "report", "stats", "table", "tail"];

/// The rows of an empty list; of the palette with the nearest command of the shell.
pub(super) fn no_match(kind: MenuKind, typed: &str, keymap: Keymap, width: usize) -> Window {
    let mut lines = match kind {
        MenuKind::Palette => vec![format!("No command {typed}.")],
        _ => vec!["Nothing matches.".to_owned()],
    };
    let word = typed.split(' ').next().unwrap_or_default().to_lowercase();
    let starts = |command: &&&str| word.len() > 1 && command.starts_with(&word);
    if let Some(command) = SHELL_COMMANDS.iter().find(starts).filter(|_| kind == MenuKind::Palette) {
        lines.push(format!("`obelus {command} FILE` in the shell; `obelus {command} --help` says how."));
    }
    lines.push(format!("Backspace widens, {} closes.", keymap.key_of(Action::MenuClose)));
    Window::notice(&lines.iter().map(String::as_str).collect::<Vec<_>>(), width)
}
