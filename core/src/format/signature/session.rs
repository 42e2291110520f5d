//! Sessions of coding agents: STS, Pi, Gemini CLI, Copilot, Qwen Code, Cursor, opencode (`FORMATS.md` 11, 16, 17),
//! Cline, Crush, Kimi, Droid.

use super::members::{any, first, has, has_any, is_array, is_number, is_object, is_text, matched, most, text};
use super::{Head, Signature};
use crate::format::Match;
use crate::json::Value;

pub(super) const STS: Signature = Signature { format: "sts", what: "a session trace (STS)", detect: sts, members: &[] };

pub(super) const PI: Signature = Signature {
    format: "pi",
    what: "a Pi session",
    detect: pi,
    members: &["/type", "/id", "/timestamp", "/message/role"],
};

pub(super) const GEMINI: Signature = Signature {
    format: "gemini-cli",
    what: "a Gemini CLI session",
    detect: gemini,
    members: &["/sessionId", "/projectHash", "/startTime", "/lastUpdated"],
};

pub(super) const COPILOT: Signature = Signature {
    format: "copilot-cli",
    what: "a GitHub Copilot CLI session",
    detect: copilot,
    members: &["/type", "/data", "/id", "/timestamp", "/parentId"],
};

pub(super) const COPILOT_CHAT: Signature = Signature {
    format: "copilot-chat",
    what: "a Copilot Chat session",
    detect: copilot_chat,
    members: &["/requests/0/message", "/requests/0/response", "/responderUsername"],
};

pub(super) const QWEN: Signature = Signature {
    format: "qwen-code",
    what: "a Qwen Code session",
    detect: qwen,
    members: &["/uuid", "/sessionId", "/type", "/message/parts"],
};

pub(super) const CURSOR: Signature =
    Signature { format: "cursor", what: "a Cursor agent transcript", detect: cursor, members: &[] };

pub(super) const CURSOR_STREAM: Signature = Signature {
    format: "cursor-stream",
    what: "the JSON stream of a run of Cursor's agent",
    detect: cursor_stream,
    members: &["/session_id", "/call_id", "/tool_call", "/subtype"],
};

pub(super) const OPENCODE: Signature = Signature {
    format: "opencode",
    what: "an opencode session",
    detect: opencode,
    members: &["/sessionID", "/messageID", "/type", "/id"],
};

pub(super) const CLINE: Signature = Signature {
    format: "cline",
    what: "a Cline session",
    detect: cline,
    members: &["/sessionId", "/agent", "/updated_at", "/messages/0/ts"],
};

pub(super) const CRUSH: Signature = Signature {
    format: "crush",
    what: "a Crush session",
    detect: crush,
    members: &["/session/id", "/session/title", "/messages/0/parts"],
};

pub(super) const KIMI: Signature =
    Signature { format: "kimi", what: "a Kimi session", detect: kimi, members: &["/timestamp", "/message/payload"] };

pub(super) const DROID: Signature = Signature {
    format: "droid",
    what: "a Droid session",
    detect: droid,
    members: &["/type", "/id", "/timestamp", "/message/role", "/message/content"],
};

/// The first line of a session, with what says whose it is.
fn header<'v, 'a>(head: &Head<'v, 'a>) -> Option<&'v Value<'a>> {
    head.records.first().filter(|first| text(first, "type") == "session" && is_text(first, "id"))
}

fn sts(head: &Head<'_, '_>) -> Option<Match> {
    let is_header = |first: &Value<'_>| is_text(first, "harness") && first.get("cwd").is_none();
    matched(header(head).is_some_and(is_header), "the first line is a `session` with its `harness`")
}

fn pi(head: &Head<'_, '_>) -> Option<Match> {
    let is_header = |first: &Value<'_>| is_text(first, "timestamp");
    let is_title = |r: &Value<'_>| text(r, "type") == "title" && is_text(r, "title");
    let titles = head.records.iter().take_while(|r| is_title(r)).count();
    let head = &Head { records: head.records.get(titles..).unwrap_or_default(), ..*head };
    let rest = head.records.get(1..).unwrap_or_default();
    let is_of_pi = |first: &Value<'_>| has_any(first, &["cwd", "version"]) || rest.is_empty();
    let is_session =
        header(head).is_some_and(|first| is_header(first) && (is_of_pi(first) || rest.iter().any(is_pi_entry)));
    matched(is_session, "the first line is a `session` with `id` and `timestamp`")
}

/// Types of entries that are not messages.
const PI_ENTRIES: [&str; 12] = [
    "session",
    "session_info",
    "model_change",
    "thinking_level_change",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "usage",
    "context_edit",
    "leaf",
];

/// An entry below the header: many logs begin with a session.
fn is_pi_entry(record: &Value<'_>) -> bool {
    let has_speaker = || record.get("message").is_some_and(|message| is_text(message, "role"));
    PI_ENTRIES.contains(&text(record, "type")) || (text(record, "type") == "message" && has_speaker())
}

fn gemini(head: &Head<'_, '_>) -> Option<Match> {
    let is_header = |r: &Value<'_>| is_text(r, "sessionId") && is_text(r, "projectHash");
    let is_of_chat = |r: &Value<'_>| is_text(r, "type") && is_text(r, "id") && has_any(r, &["content", "toolCalls"]);
    let is_change = |r: &Value<'_>| is_object(r, "$set") || is_text(r, "$rewindTo");
    let place = head.records.iter().position(is_header)?;
    let (before, from) = head.records.split_at(place);
    let first_record = from.first().filter(|_| before.iter().all(|r| is_of_chat(r) || is_change(r)))?;
    match first_record.get("messages") {
        Some(messages) => {
            let messages = messages.as_array()?;
            matched(messages.first().is_none_or(is_of_chat), "`sessionId`, `projectHash` and `messages` with a `type`")
        }
        None => matched(
            has_any(first_record, &["kind", "startTime"]),
            "the first line has `sessionId`, `projectHash` and `startTime`",
        ),
    }
}

/// Families of the events of Copilot CLI.
const COPILOT_EVENTS: [&str; 10] =
    ["session", "user", "assistant", "system", "tool", "subagent", "hook", "skill", "abort", "permission"];

fn copilot(head: &Head<'_, '_>) -> Option<Match> {
    let is_event = |r: &Value<'_>| {
        let family = text(r, "type").split_once('.').map(|(family, _)| family);
        family.is_some_and(|family| COPILOT_EVENTS.contains(&family))
            && is_object(r, "data")
            && has(r, &["id", "timestamp", "parentId"])
    };
    matched(most(head, is_event), "events `session.*`, `user.*`, `assistant.*` with `data`, `id` and `parentId`")
}

fn qwen(head: &Head<'_, '_>) -> Option<Match> {
    let is_line = |r: &Value<'_>| is_text(r, "uuid") && is_text(r, "sessionId") && is_text(r, "type");
    let is_message = |r: &Value<'_>| {
        let has_parts = |message: &Value<'_>| is_text(message, "role") && is_array(message, "parts");
        is_line(r) && r.get("message").is_some_and(has_parts)
    };
    if any(head, is_message) {
        return matched(true, "a line has `uuid`, `sessionId` and a message with `parts`");
    }
    // A session may begin with lines about itself; those of another agent have messages of another shape.
    let is_system = |r: &Value<'_>| is_line(r) && text(r, "type") == "system" && is_object(r, "systemPayload");
    let is_of_system = any(head, is_system) && !any(head, |r: &Value<'_>| r.get("message").is_some());
    matched(is_of_system, "a line `system` has `uuid`, `sessionId` and `systemPayload`")
}

/// Lines with a role and a message, and nothing that says when or which.
fn cursor(head: &Head<'_, '_>) -> Option<Match> {
    let is_line = |r: &Value<'_>| {
        matches!(text(r, "role"), "user" | "assistant")
            && r.get("message").is_some_and(|message| is_array(message, "content"))
            && !has_any(r, &["type", "id", "uuid", "sessionId", "session_id", "timestamp"])
    };
    matched(most(head, is_line), "lines with a `role` and a `message` with `content`, without ids and times")
}

/// Lines of a run: calls that start and end, or a first line without the tools that Claude Code lists in its.
fn cursor_stream(head: &Head<'_, '_>) -> Option<Match> {
    let is_call =
        |r: &Value<'_>| text(r, "type") == "tool_call" && is_object(r, "tool_call") && is_text(r, "session_id");
    let is_init = |r: &Value<'_>| {
        let is_first = text(r, "type") == "system" && text(r, "subtype") == "init" && is_text(r, "session_id");
        is_first && has(r, &["apiKeySource", "cwd", "model", "permissionMode"]) && !has_any(r, &["tools", "uuid"])
    };
    matched(any(head, is_call) || any(head, is_init), "lines with `session_id` and `tool_call`, or how a run began")
}

/// A session as one object, or the first line of its journal, which has it in `v`.
fn copilot_chat(head: &Head<'_, '_>) -> Option<Match> {
    let is_question = |message: &Value<'_>| message.as_str().is_some() || has_any(message, &["text", "parts"]);
    let is_request = |request: &Value<'_>| {
        request.get("message").is_some_and(is_question)
            && (is_array(request, "response") || is_text(request, "requestId"))
    };
    let is_session = |session: &Value<'_>| {
        let is_named = has_any(session, &["responderUsername", "initialLocation"])
            || is_text(session, "sessionId") && is_number(session, "creationDate");
        let requests = session.get("requests").and_then(Value::as_array);
        requests.is_some_and(|all| all.first().map_or(is_named, is_request))
    };
    let is_begin = |line: &Value<'_>| {
        line.get("kind").and_then(Value::as_number) == Some("0") && line.get("v").is_some_and(is_session)
    };
    let is_one = head.records.len() == 1 && head.records.first().is_some_and(is_session);
    matched(is_one, "`requests` with a `message` and the parts of a `response`")
        .or_else(|| matched(head.records.first().is_some_and(is_begin), "a journal that begins with a session (`v`)"))
}

/// What is added to the context, or events with a payload; the first line may be all that there is.
fn kimi(head: &Head<'_, '_>) -> Option<Match> {
    let is_header = |r: &Value<'_>| text(r, "type") == "metadata" && is_text(r, "protocol_version");
    let is_addition = |r: &Value<'_>| {
        let named = matches!(text(r, "type"), "context.append_message" | "context.append_loop_event");
        named && has_any(r, &["message", "event"])
    };
    let is_event = |r: &Value<'_>| {
        let event = r.get("message").filter(|event| is_text(event, "type") && is_object(event, "payload"));
        event.is_some() && is_number(r, "timestamp")
    };
    let is_wire = head.records.first().is_some_and(is_header) || any(head, is_addition) || most(head, is_event);
    matched(is_wire, "additions to the `context`, or events with a `payload`")
}

/// The first line begins a session or a stream; messages, calls and results of Droid follow.
fn droid(head: &Head<'_, '_>) -> Option<Match> {
    let (first, rest) = head.records.split_first()?;
    let is_start = text(first, "type") == "session_start";
    let is_begin = is_start && is_text(first, "id") && has_any(first, &["cwd", "title"]);
    let is_message = |r: &Value<'_>| text(r, "type") == "message" && is_text(r, "id") && is_object(r, "message");
    if is_begin && rest.first().is_none_or(|_| rest.iter().any(is_message)) {
        return matched(true, "a line of type `session_start`, and messages with an `id`");
    }
    let has_session = |r: &Value<'_>| has_any(r, &["session_id", "sessionId"]);
    let is_system = text(first, "type") == "system" && has_session(first);
    let is_printed = |r: &Value<'_>| {
        has_session(r)
            && (text(r, "type") == "tool_call" && is_text(r, "toolName")
                || text(r, "type") == "completion" && is_text(r, "finalText")
                || text(r, "type") == "message" && is_text(r, "role") && is_text(r, "text"))
    };
    matched(
        is_system && rest.iter().any(is_printed),
        "a `system` line, and messages with a `text` or calls with a `toolName`",
    )
}

fn cline(head: &Head<'_, '_>) -> Option<Match> {
    let is_message = |message: &Value<'_>| is_text(message, "role") && is_number(message, "ts");
    let is_session = |record: &Value<'_>| {
        let messages = record.get("messages").and_then(Value::as_array);
        is_text(record, "sessionId")
            && is_text(record, "agent")
            && is_text(record, "updated_at")
            && messages.is_some_and(|all| all.first().is_none_or(is_message))
    };
    let is_one = head.records.len() == 1 && head.records.first().is_some_and(is_session);
    matched(is_one, "`sessionId`, `agent` and `messages` with a time `ts`")
}

/// A session of the database: its row, and messages with their parts.
fn crush(head: &Head<'_, '_>) -> Option<Match> {
    matched(most(head, is_crush_session), "a `session` and `messages` with `parts` that have a `type` and `data`")
}

fn is_crush_session(record: &Value<'_>) -> bool {
    let is_part = |part: &Value<'_>| is_text(part, "type") && is_object(part, "data");
    let has_parts = |message: &Value<'_>| {
        let parts = message.get("parts").and_then(Value::as_array);
        is_text(message, "role") && parts.is_some_and(|parts| parts.iter().all(is_part))
    };
    let messages = record.get("messages").and_then(Value::as_array);
    record.get("session").is_some_and(|session| is_text(session, "id"))
        && messages.is_some_and(|all| all.first().is_none_or(has_parts))
}

fn opencode(head: &Head<'_, '_>) -> Option<Match> {
    let reason = if most(head, is_run_event) {
        "events with `sessionID` and a `part` of a message"
    } else if most(head, is_stored) {
        "a stored session, message or part with its ids"
    } else if head.records.first().is_some_and(is_export) {
        "`info` and `messages` of a session"
    } else {
        return None;
    };
    matched(true, reason)
}

fn is_run_event(record: &Value<'_>) -> bool {
    let is_event = is_text(record, "type") && is_text(record, "sessionID") && is_number(record, "timestamp");
    let of_part = || {
        record.get("part").is_some_and(|part| {
            // A call may come without its type.
            is_text(part, "messageID") && (is_text(part, "type") || is_text(part, "callID"))
        })
    };
    is_event && (of_part() || (text(record, "type") == "error" && record.get("error").is_some()))
}

fn is_stored(record: &Value<'_>) -> bool {
    let is_session = is_text(record, "projectID") && is_text(record, "directory");
    let is_message = is_text(record, "sessionID") && is_text(record, "role") && is_object(record, "time");
    let is_part = is_text(record, "sessionID") && is_text(record, "messageID") && is_text(record, "type");
    is_text(record, "id") && (is_session || is_message || is_part)
}

fn is_export(record: &Value<'_>) -> bool {
    let is_message = |message: &Value<'_>| {
        is_array(message, "parts") && message.get("info").is_some_and(|info| is_text(info, "role"))
    };
    // Messages of version 2 are flat.
    let is_projected = |message: &Value<'_>| {
        text(message, "id").starts_with("msg_") && is_text(message, "type") && is_object(message, "time")
    };
    let of_session = || record.get("info").is_some_and(|info| text(info, "id").starts_with("ses_"));
    is_object(record, "info")
        && first(record, "messages")
            .is_some_and(|message| is_message(message) || (is_projected(message) && of_session()))
}
