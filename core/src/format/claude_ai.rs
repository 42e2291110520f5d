//! Conversations of Claude.ai, as its export of a user's data has them.

#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Branches, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, first, first_text, form, items,
    ordered, show, text, write_slots, write_title,
};
use crate::json::Value;
use crate::model::{Attachment, StepRole, Surroundings, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::{Block, attachment, block};
use std::borrow::Cow;
use std::collections::HashMap;

/// Conversations of Claude.ai.
pub(super) static CLAUDE_AI: SetRow = SetRow {
    name: "claude-ai",
    title: "Claude.ai conversation",
    about: "`conversations.json` of the data that Claude.ai exports: an array of conversations with `chat_messages`, \
            each a trajectory, or one conversation alone. Where messages name the ones that they follow \
            (`parent_message_uuid`), those that do not lead to the last one are branches that were left. State: the \
            conversation; files and shell by the rules for tool-using runs. Tokens are not recorded.",
    run: || Box::new(LogRun::new(Conversation)),
    samples: &[CONVERSATION],
    ..SetRow::BASE
};

/// A conversation with a pasted text, an answer that was asked for again, and a call.
const CONVERSATION: &str = r#"[{"uuid":"k1","name":"Lists","summary":"","created_at":"2026-05-01T10:00:00Z",
    "updated_at":"2026-05-01T10:01:00Z","account":{"uuid":"a1"},"chat_messages":[
    {"uuid":"u1","text":"","content":[{"type":"text","text":"sort this"}],"sender":"human",
        "created_at":"2026-05-01T10:00:01Z","attachments":[{"file_name":"","file_size":3,"file_type":"txt",
            "extracted_content":"b a"}],"files":[{"file_name":"plan.png"}],
        "parent_message_uuid":"00000000-0000-4000-8000-000000000000"},
    {"uuid":"m1","text":"","content":[{"type":"text","text":"a, b?"}],"sender":"assistant",
        "created_at":"2026-05-01T10:00:05Z","attachments":[],"files":[],"parent_message_uuid":"u1"},
    {"uuid":"m2","text":"","content":[
        {"start_timestamp":"2026-05-01T10:00:20Z","type":"thinking","thinking":"A tool does it."},
        {"start_timestamp":"2026-05-01T10:00:21Z","type":"text","text":"I sort it."},
        {"start_timestamp":"2026-05-01T10:00:22Z","type":"tool_use","id":"c1","name":"bash_tool",
            "input":{"command":"sort list"}},
        {"type":"tool_result","tool_use_id":"c1","name":"bash_tool","is_error":true,
            "content":[{"type":"text","text":"sort: no such file"}]},
        {"type":"text","text":"There is no such file."}],"sender":"assistant",
        "created_at":"2026-05-01T10:00:25Z","attachments":[],"files":[],"parent_message_uuid":"u1"}]}]"#;

/// Blocks of text and files that follow each other, with the files of the message.
const WORDS: Form = FIRST_ADAPTER_FORM;

/// Members of a conversation that are its state.
const SLOTS: [&str; 10] = [
    "uuid",
    "name",
    "summary",
    "model",
    "created_at",
    "updated_at",
    "is_starred",
    "project_uuid",
    "current_leaf_message_uuid",
    "settings",
];

/// Reads a conversation.
struct Conversation;

impl Adapter for Conversation {
    fn read(&mut self, conversation: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, conversation, &["name", "uuid"]);
        let model = text(conversation, "model").map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { model, ..Surroundings::default() });
        write_slots(log, "chat", "main", conversation, &SLOTS);
        let messages = items(conversation, "chat_messages");
        let places: HashMap<&str, usize> =
            messages.iter().enumerate().filter_map(|(at, message)| Some((text(message, "uuid")?, at))).collect();
        let place_of = |id: &str| places.get(id).copied();
        let names_parents =
            messages.iter().any(|message| text(message, "parent_message_uuid").and_then(place_of).is_some());
        let parents: Vec<Option<usize>> = if names_parents {
            messages.iter().map(|message| place_of(text(message, "parent_message_uuid")?)).collect()
        } else {
            // Without parents the list is the conversation.
            (0..messages.len()).map(|at| at.checked_sub(1)).collect()
        };
        let last = text(conversation, "current_leaf_message_uuid").and_then(place_of).or(messages.len().checked_sub(1));
        let mut branches = Branches::new(&parents, log.next_step());
        for message in ordered(&parents, last) {
            let begin = log.next_step();
            if let Some(value) = messages.get(message.at) {
                add_message(value, log);
            }
            branches.end(message, begin, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match form {
            WORDS => Turn::of(StepRole::Unknown, values.iter().flat_map(|value| words(value)).collect()),
            _ => show(form, values),
        }
    }
}

fn add_message<'v>(message: &'v Value<'v>, log: &mut Log<'_>) {
    let role = match text(message, "sender") {
        Some("human" | "user") => StepRole::User,
        Some("assistant") => StepRole::Agent,
        Some("system") => StepRole::System,
        _ => StepRole::Unknown,
    };
    let (begin, blocks) = (log.next_step(), items(message, "content"));
    let has_words = blocks.iter().any(|block| kind_of(block) == Kind::Message && !words(block).is_empty());
    let fallback = first(message, &["text"]).filter(|text| text.as_str().is_some_and(|text| !text.is_empty()));
    let mut open: Vec<&'v Value<'v>> = fallback.filter(|_| !has_words).into_iter().collect();
    // What was pasted and uploaded belongs to the first words.
    let mut files: Vec<&'v Value<'v>> = ["attachments", "files"].iter().flat_map(|key| items(message, key)).collect();
    for block in blocks {
        let kind = kind_of(block);
        if kind == Kind::Message {
            open.extend(Some(block).filter(|block| !words(block).is_empty()));
            continue;
        }
        if !open.is_empty() {
            open.append(&mut files);
            add_step(message, role, Kind::Message, &std::mem::take(&mut open), log);
        }
        add_step(message, role, kind, &[block], log);
    }
    open.append(&mut files);
    if !open.is_empty() || log.next_step() == begin {
        open.extend(Some(message).filter(|_| open.is_empty()));
        add_step(message, role, Kind::Message, &open, log);
    }
    if role == StepRole::Agent {
        log.usage(None, &Usage::default());
    }
}

fn add_step(message: &Value<'_>, role: StepRole, kind: Kind, values: &[&Value<'_>], log: &mut Log<'_>) {
    let (role, form) = match kind {
        Kind::Thought => (role, form::THOUGHT),
        Kind::Call => (role, form::CALL),
        Kind::Result => (StepRole::Environment, form::RESULT),
        Kind::Message => (role, WORDS),
        Kind::State | Kind::Span | Kind::Answer => (StepRole::System, form::STATE),
    };
    let block = values.first();
    let begun = block.and_then(|block| first(block, &["start_timestamp"]));
    let time = begun.or_else(|| first(message, &["created_at"]));
    let class = block.and_then(|block| text(block, "type"));
    log.step(&Draft { role, class, time, ..Draft::of(kind, form, values) });
}

/// What a block is; one of an unknown type reports something.
fn kind_of(value: &Value<'_>) -> Kind {
    match block(value) {
        Block::Thought => Kind::Thought,
        Block::Call => Kind::Call,
        Block::Result => Kind::Result,
        Block::Text => Kind::Message,
        _ if value.as_str().is_some() || is_picture(value) => Kind::Message,
        _ => Kind::State,
    }
}

fn is_picture(value: &Value<'_>) -> bool {
    matches!(text(value, "type"), Some("image" | "document"))
}

/// What a block of text, a pasted text or a file says.
fn words<'v>(value: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    if let Some(words) = value.as_str() {
        return vec![TurnPart::Text(Cow::Borrowed(words))];
    }
    let file = first_text(value, &["file_name", "file_uuid"]);
    if file.is_some() || value.get("extracted_content").is_some() {
        let named = file.filter(|name| !name.is_empty());
        let attached = named.map(|name| {
            TurnPart::Attachment(Attachment {
                media_type: first_text(value, &["file_type", "file_kind"]).unwrap_or("file").into(),
                location: Some(Cow::Borrowed(name)),
                bytes: 0,
            })
        });
        let pasted = text(value, "extracted_content").filter(|words| !words.is_empty());
        return attached.into_iter().chain(pasted.map(|words| TurnPart::Text(Cow::Borrowed(words)))).collect();
    }
    match text(value, "text").filter(|words| !words.is_empty()) {
        Some(words) => vec![TurnPart::Text(Cow::Borrowed(words))],
        None if is_picture(value) => vec![TurnPart::Attachment(attachment(value))],
        None => Vec::new(),
    }
}
