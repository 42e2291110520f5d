//! Sessions of Claude Code: one line for each block of a message, lines that report the session between them
//! (`FORMATS.md` 1).
//!
//! What tools did to files, the shell and the todo list follows from calls and results (`rules/work`); what only this
//! format says is in `session` and `file-history`.

mod attachment;
mod collapse;
mod entries;
mod session;
#[cfg(test)]
mod tests;
mod usage;

pub(super) use entries::error_parts;
pub(super) use usage::{Spend, tokens_of};

use super::log::LogRun;
use super::{Format, Framing, Layout, Match, Run};
use crate::json::Value;
use entries::Entries;

/// Sessions of Claude Code and of its sub-agents.
pub(super) struct ClaudeCode;

/// A session.
const SESSION: &str = concat!(
    r#"{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"s1","version":"2.1.0","#,
    r#""gitBranch":"main","type":"user","message":{"role":"user","content":"list it"},"uuid":"u1","#,
    r#""timestamp":"2026-05-01T10:00:00Z"}"#,
    "\n",
    r#"{"parentUuid":"u1","isSidechain":false,"cwd":"/w","sessionId":"s1","version":"2.1.0","#,
    r#""gitBranch":"main","type":"assistant","message":{"id":"m1","role":"assistant","#,
    r#""model":"claude-opus-5","content":[{"type":"tool_use","id":"t1","name":"Bash","#,
    r#""input":{"command":"ls"}}],"usage":{"input_tokens":9,"output_tokens":4}},"requestId":"r1","#,
    r#""uuid":"u2","timestamp":"2026-05-01T10:00:01Z"}"#,
    "\n",
    r#"{"parentUuid":"u2","isSidechain":false,"cwd":"/w","sessionId":"s1","version":"2.1.0","#,
    r#""gitBranch":"main","type":"user","message":{"role":"user","content":[{"type":"tool_result","#,
    r#""tool_use_id":"t1","content":"a.txt","is_error":false}]},"toolUseResult":{"stdout":"a.txt","#,
    r#""stderr":"","interrupted":false},"uuid":"u3","timestamp":"2026-05-01T10:00:02Z"}"#,
);

/// A session of which so far only a summary and a snapshot are in the file.
const SUMMARY: &str = concat!(
    r#"{"type":"summary","summary":"A list of files","leafUuid":"u3"}"#,
    "\n",
    r#"{"type":"file-history-snapshot","messageId":"u1","snapshot":{"messageId":"u1","#,
    r#""trackedFileBackups":{}},"isSnapshotUpdate":false}"#,
);

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn agent(&self) -> Option<&'static str> {
        Some("claude-code")
    }

    fn title(&self) -> &'static str {
        "Claude Code session"
    }

    fn about(&self) -> &'static str {
        "Sessions of Claude Code and of its sub-agents, below `~/.claude/projects`: JSON Lines, each with `sessionId`, \
         `version` and `isSidechain`, between them lines about the session. State: folder, branch, version, \
         mode, titles, file history, the session from which it was forked (what was copied from there costs nothing \
         here); files, shell, todo list and usage by the rules for tool-using runs, and the todo \
         list that lines of the user carry. Branches that \
         were left and sub-agents inside the file are marked; files of sub-agents and long outputs beside the session \
         belong to it."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let is_foreign = |record: &Value<'_>| {
            let is_message_record = matches!(text(record, "type"), Some("user" | "assistant")) && is_message(record);
            record.get("systemPayload").is_some() || (is_message_record && record.get("version").is_none())
        };
        let fits = first.iter().any(is_entry) && !first.iter().any(is_foreign);
        fits.then(|| Match { reason: "a record is an entry of a Claude Code session".to_owned() })
    }

    fn identity(&self, first: &[Value<'_>]) -> Option<String> {
        first.iter().find_map(|record| entries::agent_identity(record, text(record, "agentId")?))
    }

    fn framing(&self) -> Framing {
        Framing::Elements
    }

    fn layout(&self) -> Layout {
        Layout::Run
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(Entries::default()))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[SESSION, SUMMARY]
    }
}

fn is_message(record: &Value<'_>) -> bool {
    record.get("message").is_some_and(|message| message.as_str().is_some() || message.get("content").is_some())
}

fn is_entry(record: &Value<'_>) -> bool {
    let class = text(record, "type").unwrap_or_default();
    match class {
        "summary" => record.get("leafUuid").is_some(),
        "file-history-snapshot" => record.get("snapshot").is_some(),
        _ => {
            let is_known = record.get("sessionId").is_some()
                && record.get("version").is_some()
                && record.get("isSidechain").and_then(Value::as_bool).is_some();
            let is_message_record = matches!(class, "user" | "assistant") && is_message(record);
            is_known && (is_message_record || matches!(class, "system" | "attachment" | "progress"))
        }
    }
}

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

fn flag(value: &Value<'_>, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}
