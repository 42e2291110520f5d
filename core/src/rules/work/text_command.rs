//! W3: SWE-agent's commands, which are text.

use super::arguments::Arguments;
use super::call::{Action, Replacement, by_command, spliced};
use super::text::{parse_line, with_line_feeds};
use super::words;
use crate::json;

/// What a text command does; what is none of the agent's own is a command of the shell.
pub(super) fn action(text: &str) -> Action {
    let shell = || Action::Shell {
        command: with_line_feeds(text).into_owned(),
        cwd: None,
        is_background: false,
        is_in_session: false,
    };
    let trimmed = text.trim();
    spliced(trimmed).or_else(|| agent_command(trimmed)).unwrap_or_else(shell)
}

fn agent_command(text: &str) -> Option<Action> {
    let name = text.split_whitespace().next()?;
    if !matches!(
        name,
        "open" | "goto" | "create" | "edit" | "insert" | "str_replace_editor" | "scroll_up" | "scroll_down"
    ) {
        return None;
    }
    let words = words::shell_words(text)?;
    let word = |place: usize| words.get(place).cloned();
    match name {
        "open" => Some(Action::Window { path: word(1) }),
        "goto" | "scroll_up" | "scroll_down" => Some(Action::Window { path: None }),
        "create" => Some(Action::Touch { path: word(1)? }),
        "edit" => {
            let edits = vec![Replacement { old: word(1)?, new: word(2)? }];
            let is_all = word(3).is_some_and(|flag| flag == "replace-all");
            Some(Action::Replace { path: None, edits, is_all, takes_line_end: false })
        }
        "insert" => Some(Action::Insert { path: None, line: word(2).and_then(|n| parse_line(&n)), text: word(1)? }),
        _ => editor(&words),
    }
}

/// `str_replace_editor COMMAND PATH --name value…`, as the tool of this name. `--view_range` takes two words.
fn editor(words: &[String]) -> Option<Action> {
    let mut members = vec![("command".to_owned(), words.get(1)?.clone()), ("path".to_owned(), words.get(2)?.clone())];
    let mut rest = words.get(3..)?.iter().peekable();
    while let Some(word) = rest.next() {
        let Some(name) = word.strip_prefix("--") else { continue };
        let mut value = rest.next()?.clone();
        if name == "view_range"
            && let Some(to) = rest.next_if(|next| !next.starts_with("--"))
        {
            value = format!("[{value},{to}]");
        }
        members.push((name.to_owned(), value));
    }
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{}", json::quote(name), json::quote(value))).collect();
    let text = format!("{{{}}}", members.join(","));
    by_command(&Arguments::new(&json::parse(&text).ok()?))
}
