//! W1: the name of a tool without its server, namespace and spelling.

use std::borrow::Cow;

/// W1: the bare name of a tool.
#[must_use]
pub fn bare_name(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) && !name.starts_with("mcp__") {
        return Cow::Borrowed(name);
    }
    let lower = name.to_lowercase();
    if lower.starts_with("code:") {
        return Cow::Owned(lower);
    }
    let inner = lower.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")).map_or(lower.as_str(), |(_, b)| b);
    Cow::Owned(inner.rsplit('.').next().unwrap_or(inner).replace('-', "_"))
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
        assert!(matches!(bare_name("edit_2"), Cow::Borrowed(_)), "a plain name is not copied");
    }
}
