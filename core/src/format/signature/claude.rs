//! Claude Code: sessions on disk and the stream of `--output-format stream-json` (`FORMATS.md` 1).

use super::members::{any, has_any, is_array, is_object, is_text, matched, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::{Data, Value};

pub(super) const SESSION: Signature = Signature {
    format: "claude-code",
    what: "a Claude Code session",
    detect: session,
    members: &["/sessionId", "/version", "/isSidechain", "/type", "/uuid", "/message/content"],
};

pub(super) const STREAM: Signature = Signature {
    format: "claude-stream",
    what: "the JSON stream of a Claude Code run",
    detect: stream,
    members: &["/type", "/session_id", "/subtype", "/tools", "/cwd"],
};

/// Lines of a session. iFlow writes alike, but no `version` into the answers; Qwen Code has `systemPayload`.
fn session(head: &Head<'_, '_>) -> Option<Match> {
    let is_foreign = |r: &Value<'_>| {
        r.get("systemPayload").is_some() || (is_turn(r) && r.get("version").is_none() && is_text(r, "sessionId"))
    };
    if any(head, is_foreign) {
        return None;
    }
    let reason = if any(head, is_line) {
        "a line has `sessionId`, `version`, `isSidechain` and a message"
    } else if any(head, |r| text(r, "type") == "summary" && is_text(r, "summary") && is_text(r, "leafUuid")) {
        "a line is a `summary` with `leafUuid`"
    } else if any(head, |r| text(r, "type") == "file-history-snapshot" && is_object(r, "snapshot")) {
        "a line is a `file-history-snapshot`"
    } else {
        return None;
    };
    matched(true, reason)
}

fn is_line(record: &Value<'_>) -> bool {
    let is_of_session = is_text(record, "sessionId")
        && is_text(record, "version")
        && record.get("isSidechain").is_some_and(|flag| matches!(flag.data, Data::Bool(_)));
    is_of_session && (is_turn(record) || matches!(text(record, "type"), "system" | "attachment" | "progress"))
}

/// A line of the user or the agent: its message is a text or an object with content.
fn is_turn(record: &Value<'_>) -> bool {
    let has_content = |message: &Value<'_>| message.as_str().is_some() || message.get("content").is_some();
    matches!(text(record, "type"), "user" | "assistant") && record.get("message").is_some_and(has_content)
}

/// The line that begins the stream, and one after it.
fn stream(head: &Head<'_, '_>) -> Option<Match> {
    let is_init = |r: &Value<'_>| {
        text(r, "type") == "system"
            && text(r, "subtype") == "init"
            && is_text(r, "session_id")
            && (is_array(r, "tools") || has_any(r, &["model", "cwd"]))
    };
    let is_next = |r: &Value<'_>| {
        is_text(r, "session_id")
            && match text(r, "type") {
                "user" | "assistant" => is_object(r, "message"),
                "result" => is_text(r, "subtype"),
                _ => false,
            }
    };
    matched(
        any(head, is_init) && any(head, is_next),
        "a line `system` of subtype `init`, then messages with `session_id`",
    )
}
