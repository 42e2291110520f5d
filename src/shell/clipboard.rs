//! Text to the clipboard: by the tool of the system where the screen is this machine's, else by the sequence OSC 52 of
//! the terminal, which works over ssh too.

use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::queue;
use std::env;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// Most bytes of text. Terminals and multiplexers cut or drop longer sequences without a word.
const COPY_BYTES_MAX: usize = 64 * 1024;

/// A tool and its arguments, and the variable that says that what it talks to is there.
type Tool = (&'static str, &'static [&'static str], &'static str);

/// The tools, in the order in which they are tried.
const TOOLS: [Tool; 3] = [
    ("wl-copy", &[], "WAYLAND_DISPLAY"),
    ("xclip", &["-selection", "clipboard"], "DISPLAY"),
    ("xsel", &["--clipboard", "--input"], "DISPLAY"),
];
/// The tool of macOS, which asks for no display.
const MAC_TOOL: Tool = ("pbcopy", &[], "");

/// Gives the text to the first tool of the system that is there; whether one was.
pub(super) fn by_tool(text: &str) -> bool {
    !text.is_empty() && tools(|name| env::var_os(name).is_some_and(|value| !value.is_empty())).any(|t| give(t, text))
}

/// The names of the tools that can reach the user's screen from here, whether they are installed or not.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    tools(|name| env::var_os(name).is_some_and(|value| !value.is_empty())).map(|(name, ..)| name)
}

/// The tools that can reach the user's screen: none of them over ssh.
fn tools(is_set: impl Fn(&str) -> bool) -> impl Iterator<Item = Tool> {
    let is_far = ["SSH_CONNECTION", "SSH_TTY"].into_iter().any(&is_set);
    let mac = cfg!(target_os = "macos").then_some(MAC_TOOL);
    let there = TOOLS.into_iter().filter(move |(_, _, display)| is_set(display));
    mac.into_iter().chain(there).filter(move |_| !is_far)
}

/// Starts a tool and gives it the text, on a thread of its own: it may wait for the display.
fn give((name, arguments, _): Tool, text: &str) -> bool {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let Some(mut stdin) = child.stdin.take() else { return false };
    let text = text.to_owned();
    let body = move || {
        // A tool that ends early has nothing more to say than that it failed.
        let _ = stdin.write_all(text.as_bytes());
        drop(stdin);
        let _ = child.wait();
    };
    thread::Builder::new().name("clipboard".to_owned()).spawn(body).is_ok()
}

/// The bytes that ask a terminal to put `text` on the clipboard. The text is base64 inside, so none of it can act.
///
/// # Errors
/// A sentence for the user, when there is nothing to copy or too much.
pub(super) fn sequence(text: &str) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Err("there is nothing to copy here".to_owned());
    }
    if text.len() > COPY_BYTES_MAX {
        let (size, limit) = (text.len().div_ceil(1024), COPY_BYTES_MAX / 1024);
        return Err(format!(
            "{size} KiB are too long to copy: terminals take at most {limit} KiB; export it to a file instead"
        ));
    }
    let mut bytes = Vec::new();
    queue!(bytes, CopyToClipboard::to_clipboard_from(text)).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_those_of_the_display_and_none_over_ssh() {
        let names = |set: &[&str]| tools(|name| set.contains(&name)).map(|(name, ..)| name).collect::<Vec<_>>();
        let mac: Vec<&str> = if cfg!(target_os = "macos") { vec!["pbcopy"] } else { Vec::new() };
        assert_eq!(names(&[]), mac);
        assert!(names(&["WAYLAND_DISPLAY", "DISPLAY"]).ends_with(&["wl-copy", "xclip", "xsel"]));
        assert!(names(&["DISPLAY"]).ends_with(&["xclip", "xsel"]) && names(&["DISPLAY", "SSH_TTY"]).is_empty());
    }

    #[test]
    fn a_tool_gets_the_text() {
        assert!(!give(("no-such-tool-of-obelus", &[], ""), "x"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("copied");
        let name: &'static str = Box::leak(file.display().to_string().into_boxed_str());
        let arguments: &'static [&'static str] = Box::leak(vec![name].into_boxed_slice());
        assert!(give(("tee", arguments, ""), "told"));
        let is_there = || std::fs::read_to_string(&file).is_ok_and(|text| text == "told");
        for _ in 0..500 {
            if is_there() {
                break;
            }
            thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(is_there());
    }

    #[test]
    fn text_is_encoded() {
        assert_eq!(sequence("foo").unwrap(), b"\x1b]52;c;Zm9v\x1b\\");
        let hostile = sequence("\u{1b}]0;x\u{7}").unwrap();
        assert_eq!(hostile.iter().filter(|byte| byte.is_ascii_control()).count(), 2, "only our own two");
    }

    #[test]
    fn the_limit_is_reported() {
        assert!(sequence(&"x".repeat(COPY_BYTES_MAX - 1)).is_ok());
        assert!(sequence(&"x".repeat(COPY_BYTES_MAX)).is_ok());
        let message = sequence(&"x".repeat(COPY_BYTES_MAX + 1)).unwrap_err();
        assert!(message.contains("65 KiB") && message.contains("64 KiB"), "{message}");
        assert!(sequence("").is_err());
    }
}
