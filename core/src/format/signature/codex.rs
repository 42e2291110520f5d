//! Codex CLI: rollouts and the stream of `codex exec --json` (`FORMATS.md` 3). Its debug log (`dir`, `kind`, `ts`) is
//! neither.

use super::members::{any, has_any, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const ROLLOUT: Signature = Signature {
    format: "codex",
    what: "a Codex rollout",
    detect: rollout,
    members: &["/timestamp", "/type", "/payload", "/payload/type"],
};

pub(super) const EXEC: Signature = Signature {
    format: "codex-exec",
    what: "the JSON stream of `codex exec`",
    detect: exec,
    members: &["/type", "/item/id", "/item/type"],
};

fn rollout(head: &Head<'_, '_>) -> Option<Match> {
    if any(head, is_line) {
        return matched(true, "a line has `timestamp`, a `type` of a rollout and its `payload`");
    }
    let is_old = head.records.first().is_some_and(is_old_header)
        && head.records.get(1).is_some_and(|next| is_item(next) || text(next, "record_type") == "state");
    matched(is_old, "a header with `id` and `timestamp`, then response items")
}

fn is_line(record: &Value<'_>) -> bool {
    let Some(payload) = record.get("payload").filter(|payload| payload.as_object().is_some()) else { return false };
    let is_codex_record = match text(record, "type") {
        "session_meta" => is_text(payload, "id"),
        "response_item" => has_any(payload, &["type", "role"]),
        "event_msg" => is_text(payload, "type"),
        "turn_context" => has_any(payload, &["cwd", "model", "turn_id"]),
        "world_state" => payload.get("state").is_some(),
        "compacted" => has_any(payload, &["message", "replacement_history"]),
        _ => false,
    };
    is_codex_record && is_text(record, "timestamp")
}

/// The first line of a rollout from before August 2025.
fn is_old_header(record: &Value<'_>) -> bool {
    const MEMBERS: [&str; 4] = ["id", "timestamp", "instructions", "git"];
    // Outside of a repository, and without instructions, it has neither.
    let has_only = |record: &Value<'_>| {
        record.as_object().is_some_and(|header| header.entries().all(|(name, _)| MEMBERS.contains(&name)))
    };
    let is_header = is_text(record, "id") && is_text(record, "timestamp") && record.get("type").is_none();
    is_header && (has_any(record, &["instructions", "git"]) || has_only(record))
}

fn is_item(record: &Value<'_>) -> bool {
    match text(record, "type") {
        "message" => is_text(record, "role"),
        "reasoning" => record.get("summary").is_some(),
        "function_call" | "function_call_output" | "local_shell_call" => has_any(record, &["call_id", "id"]),
        _ => false,
    }
}

fn exec(head: &Head<'_, '_>) -> Option<Match> {
    // Its first versions named the type of an item otherwise.
    let is_item = |item: &Value<'_>| is_text(item, "id") && (is_text(item, "type") || is_text(item, "item_type"));
    let is_of_stream = |r: &Value<'_>| {
        let class = text(r, "type");
        (class.starts_with("item.") && r.get("item").is_some_and(is_item))
            || (class == "thread.started" && is_text(r, "thread_id"))
    };
    let is_event = |r: &Value<'_>| is_of_stream(r) || (text(r, "type").starts_with("turn.") && !is_object(r, "data"));
    matched(most(head, is_event) && any(head, is_of_stream), "events `thread.started` and `item.*` with their items")
}
