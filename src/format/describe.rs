//! What a record of any shape says of itself: guesses for formats that know no better, and words that several share.

use crate::json::{self, Value};
use crate::model::{Bytes, Problem, Role, Span, Step, StepKind, lossy};

/// Longest record that is read whole to describe it, in bytes.
pub(crate) const WHOLE_MAX: u64 = 256 * 1024;

/// What is read of a longer one, in bytes.
const HEAD_LEN: u64 = 64 * 1024;

/// Longest summary, in characters.
const SUMMARY_CHARS: usize = 400;

/// Keys that hold what a record says, the most telling first.
const TEXT_KEYS: [&str; 16] = [
    "message", "content", "text", "summary", "msg", "body", "value", "prompt", "output", "result", "error", "title",
    "event", "name", "payload", "part",
];

/// Keys that hold a time.
const TIME_KEYS: [&str; 11] = [
    "timestamp",
    "@timestamp",
    "ts",
    "time",
    "datetime",
    "created_at",
    "createdAt",
    "start_time",
    "startTime",
    "date",
    "_date",
];

/// The text of a record, or of a huge one its closed beginning.
///
/// # Errors
/// The input no longer holds it.
pub(crate) fn read(span: Span, bytes: &dyn Bytes) -> Result<String, Problem> {
    if span.len <= WHOLE_MAX {
        return Ok(lossy(&bytes.read(span)?).into_owned());
    }
    let start = bytes.read(Span { len: HEAD_LEN, ..span })?;
    // The cut may go through a character: its half is left out.
    let text = String::from_utf8_lossy(&start);
    Ok(json::head(text.trim_end_matches('\u{FFFD}')))
}

/// The role that a word means.
#[must_use]
pub(crate) fn role_of(word: &str) -> Option<Role> {
    Some(match word.to_lowercase().as_str() {
        "user" | "human" => Role::User,
        "assistant" | "agent" | "ai" | "gpt" | "model" | "bot" | "llm" => Role::Agent,
        "tool" | "function" | "observation" | "environment" | "toolresult" | "tool_result" | "ipython" => {
            Role::Environment
        }
        "system" | "developer" => Role::System,
        _ => return None,
    })
}

/// Describes a record by what its members are called.
#[must_use]
pub(crate) fn record(value: &Value<'_>) -> Step {
    let (role, role_text) = role(value);
    let class = value.get("type").and_then(Value::as_str).map(str::to_owned);
    let sign = sign(class.as_deref(), role);
    let said = TEXT_KEYS.iter().find_map(|key| value.get(key).and_then(said));
    Step {
        sign,
        kind: "record".to_owned(),
        label: role_text.clone().or_else(|| class.clone()).unwrap_or_else(|| "record".to_owned()),
        class,
        role,
        role_text,
        tool: tool(value, sign),
        chars: said.as_ref().map_or(0, |text| text.chars().count()),
        time: time(value),
        summary: said.map_or_else(|| beginning(value), |text| shortened(&text)),
        ..Step::default()
    }
}

/// Describes a record of any format from its text, which should be short: what it says of itself.
#[must_use]
pub fn describe(text: &str) -> Step {
    match json::parse_lenient(text) {
        Ok(value) => record(&value),
        Err(error) => broken(&error.to_string()),
    }
}

/// A record that is no JSON.
#[must_use]
pub(crate) fn broken(reason: &str) -> Step {
    Step {
        sign: StepKind::Broken,
        kind: "broken".to_owned(),
        label: "broken".to_owned(),
        summary: reason.to_owned(),
        ..Step::default()
    }
}

/// A time, where the record or its message has one, as written.
#[must_use]
pub(crate) fn time(value: &Value<'_>) -> Option<String> {
    let scalar = |v: &Value<'_>| v.as_str().or(v.as_number()).map(str::to_owned);
    let of = |value: &Value<'_>| TIME_KEYS.iter().find_map(|key| value.get(key).and_then(scalar));
    of(value).or_else(|| value.get("message").and_then(of))
}

/// At most a line of a text.
#[must_use]
pub(crate) fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SUMMARY_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The compact beginning of a value.
#[must_use]
pub(crate) fn beginning(value: &Value<'_>) -> String {
    if value.text.len() > 4 * SUMMARY_CHARS {
        let start = value.text.char_indices().nth(4 * SUMMARY_CHARS).map_or(value.text.len(), |(i, _)| i);
        if let Ok(value) = json::parse_lenient(&json::head(&value.text[..start])) {
            return shortened(&json::compact(&value));
        }
    }
    shortened(&json::compact(value))
}

fn role(value: &Value<'_>) -> (Role, Option<String>) {
    let message = value.get("message");
    let words = [
        value.get("role"),
        message.and_then(|m| m.get("role")),
        value.get("from"),
        value.get("author").and_then(|a| a.get("role")),
        value.get("source"),
        value.get("type"),
    ];
    let known = words.iter().flatten().filter_map(|v| v.as_str()).find_map(|word| Some((role_of(word)?, word)));
    match known {
        Some((role, word)) => (role, Some(word.to_owned())),
        None if is_agent_event(value) => (Role::Agent, None),
        None => (Role::Unknown, words[0].and_then(Value::as_str).map(str::to_owned)),
    }
}

/// Whether it is an event of `opencode run --format json`: what the agent says and does in a session, part by part.
fn is_agent_event(value: &Value<'_>) -> bool {
    let has_part = value.get("part").is_some_and(|part| part.get("messageID").is_some());
    has_part && ["type", "timestamp", "sessionID"].iter().all(|key| value.get(key).is_some())
}

fn sign(class: Option<&str>, role: Role) -> StepKind {
    let class = class.unwrap_or_default().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| class.contains(word));
    if has(&["error", "exception"]) {
        StepKind::Error
    } else if has(&["result", "observation", "output"]) {
        StepKind::Result
    } else if has(&["tool_call", "toolcall", "tool_use", "function_call", "action"]) {
        StepKind::Call
    } else if has(&["thought", "thinking", "reasoning"]) {
        StepKind::Thought
    } else {
        match role {
            Role::Environment => StepKind::Result,
            Role::User | Role::Agent | Role::System => StepKind::Message,
            Role::Unknown => StepKind::Other,
        }
    }
}

fn tool(value: &Value<'_>, sign: StepKind) -> Option<String> {
    let named = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_tool = matches!(sign, StepKind::Call | StepKind::Result);
    named("tool_name")
        .or_else(|| named("tool"))
        .or_else(|| value.get("part").and_then(|part| part.get("tool")).and_then(Value::as_str).map(str::to_owned))
        .or_else(|| value.get("function").and_then(|f| f.get("name")).and_then(Value::as_str).map(str::to_owned))
        .or_else(|| named("name").filter(|_| is_tool))
}

/// What a member says: a string, the texts of its parts, or what its own telling member says.
fn said(value: &Value<'_>) -> Option<String> {
    let text = match value.as_array() {
        Some(parts) => {
            let texts: Vec<&str> =
                parts.iter().filter_map(|p| p.as_str().or_else(|| p.get("text").and_then(Value::as_str))).collect();
            texts.join("\n")
        }
        None => match value.as_str() {
            Some(text) => text.to_owned(),
            None => ["content", "text", "message"].iter().find_map(|key| {
                let inner = value.get(key)?;
                inner.as_str().map(str::to_owned).or_else(|| inner.as_array().and_then(|_| said(inner)))
            })?,
        },
    };
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn guesses_who_when_and_what() {
        for (text, role, label, time, summary) in [
            (r#"{"role":"assistant","content":[{"text":"a"},{"text":"b"}]}"#, Role::Agent, "assistant", None, "a\nb"),
            (
                r#"{"type":"user","message":{"role":"user","content":"hi"},"ts":17.0}"#,
                Role::User,
                "user",
                Some("17.0"),
                "hi",
            ),
            (r#"{"from":"gpt","value":"x"}"#, Role::Agent, "gpt", None, "x"),
            (r#"{"@timestamp":"t1","message":"m"}"#, Role::Unknown, "record", Some("t1"), "m"),
            (r#"{"datetime":"t2","msg":"m"}"#, Role::Unknown, "record", Some("t2"), "m"),
            (r#"{"name":"s","start_time":"t3"}"#, Role::Unknown, "record", Some("t3"), "s"),
            (r#"{"name":"s","startTime":17}"#, Role::Unknown, "record", Some("17"), "s"),
            (r#"{"level" : 3}"#, Role::Unknown, "record", None, "{\"level\":3}"),
            ("[1, 2]", Role::Unknown, "record", None, "[1,2]"),
            (
                r#"{"type":"text","timestamp":17,"sessionID":"s","part":{"messageID":"m","type":"text","text":"Hi"}}"#,
                Role::Agent,
                "text",
                Some("17"),
                "Hi",
            ),
            (
                r#"{"id":"p","sessionID":"s","messageID":"m","type":"text","text":"x"}"#,
                Role::Unknown,
                "text",
                None,
                "x",
            ),
            (r#"{"type":"x","part":"head"}"#, Role::Unknown, "x", None, "head"),
        ] {
            let step = record(&parse(text).unwrap());
            assert_eq!(
                (step.role, step.label.as_str(), step.time.as_deref(), step.summary.as_str()),
                (role, label, time, summary)
            );
        }
    }

    #[test]
    fn a_huge_record_is_described_from_its_beginning() {
        let mut text = String::from("{\"role\":\"user\",\"content\":\"");
        text.push_str(&"é".repeat(400_000));
        text.push_str("\"}");
        let len = text.len() as u64;
        let read = read(Span { offset: 0, len }, &text.into_bytes()).unwrap();
        assert!(read.len() <= HEAD_LEN as usize + 8);
        let step = record(&parse(&read).unwrap());
        assert_eq!((step.role, step.summary.chars().count()), (Role::User, SUMMARY_CHARS + 1));
    }
}
