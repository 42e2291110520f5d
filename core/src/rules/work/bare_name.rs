//! W1: the name of a tool without its server, namespace and spelling.

use std::borrow::Cow;

/// W1: the bare name of a tool.
#[must_use]
pub fn bare_name(name: &str) -> Cow<'_, str> {
    let stays = |byte: u8| byte.is_ascii() && !matches!(byte, b'A'..=b'Z' | b'.' | b'-');
    if name.bytes().all(stays) && !name.starts_with("mcp__") {
        return Cow::Borrowed(name);
    }
    // Most of the others are ASCII too, which takes a tenth of the time.
    let lower = if name.is_ascii() { name.to_ascii_lowercase() } else { name.to_lowercase() };
    if lower.starts_with("code:") {
        return Cow::Owned(lower);
    }
    let inner = lower.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(lower.as_str(), |(_, b)| b);
    let last = inner.rsplit('.').next().unwrap_or(inner);
    Cow::Owned(if last.contains('-') { last.replace('-', "_") } else { last.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w1_a_bare_name_has_no_server_and_no_namespace() {
        for (name, bare) in [
            ("execute_bash", "execute_bash"),
            ("Read", "read"),
            ("mcp__files__read_file", "read_file"),
            ("mcp__files", "mcp__files"),
            ("functions.exec-command", "exec_command"),
            ("code:Python", "code:python"),
            ("", ""),
        ] {
            assert_eq!(bare_name(name), bare, "{name}");
        }
        for plain in ["edit_2", "code:python"] {
            assert!(matches!(bare_name(plain), Cow::Borrowed(_)), "a plain name is not copied");
        }
    }
}
