//! Signatures: which agent wrote a log, by the members of its first records (`FORMATS.md` 0.2).
//!
//! A signature demands the members of a message, not the name of a container: `history`, `conversations` and
//! `sessionId` are names that many agents use. It says what a log is also where no adapter reads it yet. Knows no file
//! and no run; `ingest` gives it the outline of an input, so that members which long values precede are seen too.

mod chat;
mod claude;
mod codex;
mod conversation;
mod events;
mod library;
mod members;
mod rollout;
mod session;
mod snapshot;
#[cfg(test)]
mod tests;
mod trace;
mod trajectory;

use super::{Match, Near};
use crate::json::{OutlineLayout, Value};
pub(super) use events::AG_UI_EVENTS;

/// The first records of an input, cut down as [`crate::json::Outline`] does.
#[derive(Debug, Clone, Copy)]
pub struct Head<'v, 'a> {
    /// How they are in it.
    pub layout: OutlineLayout,
    /// Those that are JSON, in order.
    pub records: &'v [Value<'a>],
}

/// The log of one agent, tool or dataset.
pub struct Signature {
    /// Name of its format.
    pub format: &'static str,
    /// What such a file is, with its article: `a Claude Code session`.
    pub what: &'static str,
    /// Whether records are of it, and why.
    pub detect: fn(&Head<'_, '_>) -> Option<Match>,
    /// Members that a record of it has, as pointers: how near other records come.
    pub members: &'static [&'static str],
}

/// All signatures, in the order in which they are tried (`FORMATS.md` 0.2.4).
pub static SIGNATURES: &[Signature] = &[
    claude::SESSION,
    session::CURSOR_STREAM,
    claude::STREAM,
    codex::ROLLOUT,
    codex::EXEC,
    session::STS,
    session::PI,
    session::GEMINI,
    session::COPILOT,
    session::COPILOT_CHAT,
    session::QWEN,
    session::CURSOR,
    session::OPENCODE,
    session::CLINE,
    session::CRUSH,
    session::KIMI,
    session::DROID,
    chat::ZED,
    chat::CONTINUE,
    chat::KIRO,
    chat::GOOSE,
    chat::CHATGPT,
    chat::CLAUDE_AI,
    chat::OPEN_WEBUI,
    chat::LIBRE_CHAT,
    chat::CURSOR_CHAT,
    chat::AI_STUDIO,
    chat::WHO_AND_WHEN,
    trajectory::BROWSER_USE,
    events::AG_UI,
    events::OPENHANDS,
    events::ADK,
    trajectory::ATIF,
    trace::INSPECT,
    trajectory::SWE_AGENT,
    trajectory::MINI_SWE_AGENT,
    trace::OTEL,
    trace::LANGSMITH,
    trace::LANGFUSE,
    trace::WEAVE,
    trace::BRAINTRUST,
    trace::LANGGRAPH,
    rollout::VERIFIERS,
    rollout::VERL,
    snapshot::LETTA,
    snapshot::OPENAI_AGENTS,
    snapshot::AUTOGEN,
    conversation::AI_SDK,
    library::PYDANTIC_AI,
    library::LANG_CHAIN,
    library::AGENT_FRAMEWORK,
    library::SEMANTIC_KERNEL,
    library::LLAMA_INDEX,
    library::SMOLAGENTS,
    conversation::SHAREGPT,
    conversation::MESSAGES,
    conversation::ALPACA,
];

/// Signatures from here on are tried after the formats that describe themselves ([`super::FORMATS`]).
const LAST: [&str; 3] = ["sharegpt", "messages", "alpaca"];

/// Least part of the members of a record with which a signature is said to be near.
const NEAR_SHARE_MIN: f64 = 0.7;

impl Signature {
    /// Whether it is tried only where no other format fits: conversations without a mark of their own.
    #[must_use]
    pub fn is_last(&self) -> bool {
        LAST.contains(&self.format)
    }
}

/// The first signature that the records have, and why.
#[must_use]
pub fn recognize(head: &Head<'_, '_>) -> Option<(&'static Signature, Match)> {
    SIGNATURES.iter().find_map(|signature| Some((signature, (signature.detect)(head)?)))
}

/// The signature that the records come nearest to, and what they have of it.
#[must_use]
pub fn nearest(head: &Head<'_, '_>) -> Option<(&'static Signature, Near)> {
    let mut best: Option<(&Signature, Near)> = None;
    for signature in SIGNATURES {
        if let Some(near) = near(signature, head)
            && best.as_ref().is_none_or(|(_, other)| near.share > other.share)
        {
            best = Some((signature, near));
        }
    }
    best
}

/// What the record with most of the members has, and which it lacks.
fn near(signature: &Signature, head: &Head<'_, '_>) -> Option<Near> {
    let all = signature.members.len();
    let absent_of = |record: &Value<'_>| -> Vec<&'static str> {
        signature.members.iter().copied().filter(|pointer| members::at(record, pointer).is_none()).collect()
    };
    let absent = head.records.iter().map(absent_of).min_by_key(Vec::len)?;
    let n = all - absent.len();
    let near = Near::of(n, all, "members of its records");
    let lacks: Vec<String> = absent.iter().map(|pointer| format!("`{}`", pointer.trim_start_matches('/'))).collect();
    let is_near = n >= 2 && near.share >= NEAR_SHARE_MIN;
    is_near.then(|| {
        if lacks.is_empty() {
            Near { description: format!("{}, but of other values", near.description), ..near }
        } else {
            Near { description: format!("{}, not {}", near.description, lacks.join(", ")), ..near }
        }
    })
}

/// Whether records have the signature of a format: for adapters, which are asked with the records as they cut them.
pub(super) fn detect(format: &str, first: &[Value<'_>]) -> Option<Match> {
    let signature = SIGNATURES.iter().find(|signature| signature.format == format)?;
    // A file that is one array may come as one record.
    let elements = match first {
        [record] => record.as_array(),
        _ => None,
    };
    let values = Head { layout: OutlineLayout::Values, records: first };
    let elements = elements.map(|records| Head { layout: OutlineLayout::Elements, records });
    (signature.detect)(&values).or_else(|| (signature.detect)(&elements?))
}
