//! Conversations of LibreChat, as it exports them: a list of messages that name their parents, or a tree of them.

#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Branches, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, first, first_text, form, items,
    ordered, show, text, text_of, write_slots, write_title,
};
use crate::json::{Data, Value};
use crate::model::{StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::HashMap;

/// Conversations of LibreChat.
pub(super) static LIBRE_CHAT: SetRow = SetRow {
    name: "librechat",
    title: "LibreChat conversation",
    about: "Conversations that LibreChat exports: an object with `conversationId` and `messages`, each with a \
            `messageId` and the `parentMessageId` that it follows, in a list or in each other. Messages that do not \
            lead to the last one are branches that were left. State: the conversation.",
    run: || Box::new(LogRun::new(Conversation)),
    samples: &[CONVERSATION],
    ..SetRow::BASE
};

/// A conversation with a call and an answer that was asked for again.
const CONVERSATION: &str = r#"{"conversationId":"k1","endpoint":"agents","title":"List it","exportAt":"10:00:00",
    "branches":true,"recursive":false,"options":{"model":"m"},"messages":[
    {"messageId":"q","parentMessageId":"00000000-0000-0000-0000-000000000000","sender":"User","text":"list it",
        "isCreatedByUser":true,"createdAt":"2026-05-01T10:00:00Z"},
    {"messageId":"a","parentMessageId":"q","sender":"Agent","text":"No quota.","isCreatedByUser":false,"error":true,
        "createdAt":"2026-05-01T10:00:01Z"},
    {"messageId":"b","parentMessageId":"q","sender":"Agent","text":"","isCreatedByUser":false,"model":"m-2",
        "createdAt":"2026-05-01T10:00:05Z","content":[{"type":"think","think":"ls will do"},
        {"type":"tool_call","tool_call":{"id":"c1","name":"ls","args":"{\"path\":\"/w\"}","output":"a.txt"}},
        {"type":"text","text":{"value":"One file."}}]}]}"#;

/// A text; a thought; a call, and the same as its result.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Members of a conversation that are its state.
const SLOTS: [&str; 6] = ["conversationId", "title", "endpoint", "exportAt", "options", "createdAt"];

/// Reads a conversation.
struct Conversation;

impl Adapter for Conversation {
    fn read(&mut self, conversation: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, conversation, &["title", "conversationId"]);
        let model = conversation.get("options").and_then(|options| text(options, "model")).map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { model, ..Surroundings::default() });
        write_slots(log, "chat", "main", conversation, &SLOTS);
        let messages = flattened(items(conversation, "messages"));
        let places: HashMap<&str, usize> =
            messages.iter().enumerate().filter_map(|(at, message)| Some((text(message, "messageId")?, at))).collect();
        let parents: Vec<Option<usize>> =
            messages.iter().map(|message| places.get(text(message, "parentMessageId")?).copied()).collect();
        let mut branches = Branches::new(&parents, log.next_step());
        for place in ordered(&parents, messages.len().checked_sub(1)) {
            let begin = log.next_step();
            if let Some(message) = messages.get(place.at) {
                add_message(message, log);
            }
            branches.end(place, begin, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, vec![TurnPart::Text(words(value))]),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(words(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::answer(result(value), std::iter::empty()),
            _ => show(form, values),
        }
    }
}

/// Messages with those that are inside of them, each before its answers.
fn flattened<'v, 'a>(messages: &'v [Value<'a>]) -> Vec<&'v Value<'a>> {
    let (mut all, mut open): (Vec<_>, Vec<_>) = (Vec::new(), messages.iter().rev().collect());
    while let Some(message) = open.pop() {
        all.push(message);
        open.extend(items(message, "children").iter().rev());
    }
    all
}

fn add_message(message: &Value<'_>, log: &mut Log<'_>) {
    let is_user = message.get("isCreatedByUser").and_then(Value::as_bool);
    let role = match is_user {
        Some(true) => StepRole::User,
        Some(false) => StepRole::Agent,
        None => StepRole::Unknown,
    };
    let model = text(message, "model").filter(|_| role == StepRole::Agent).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let is_failed = message.get("error").and_then(Value::as_bool) == Some(true);
    let (begin, time) = (log.next_step(), first(message, &["createdAt"]));
    let blocks = items(message, "content");
    for block in blocks {
        let (kind, form, value) = match text(block, "type") {
            Some("think") => (Kind::Thought, THOUGHT, block),
            Some("tool_call") => (Kind::Call, CALL, first(block, &["tool_call"]).unwrap_or(block)),
            Some("text" | "error") if !words(block).is_empty() => (Kind::Message, WORDS, block),
            Some("text") => continue,
            _ => (Kind::State, form::STATE, block),
        };
        let class = text(block, "type");
        let values = [value];
        log.step(&Draft { role, class, time, is_failed, ..Draft::of(kind, form, &values) });
        if kind == Kind::Call && first(value, &["output"]).is_some() {
            let draft = Draft::of(Kind::Result, RESULT, &values);
            log.step(&Draft { role: StepRole::Environment, class, time, ..draft });
        }
    }
    if log.next_step() == begin {
        let values = [message];
        let draft = Draft { is_failed, ..Draft::of(Kind::Message, WORDS, &values) };
        log.step(&Draft { role, class: text(message, "sender"), time, ..draft });
    }
}

/// The text of a message or of a block, which may have it in `value`.
fn words<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    let found = first(value, &["text", "think", "error"]);
    found.map(|found| first(found, &["value"]).unwrap_or(found)).map(text_of).unwrap_or_default()
}

fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    let arguments = first(value, &["args"]).map_or(Cow::Borrowed("{}"), |given| match &given.data {
        Data::String(text) if text.trim().is_empty() => Cow::Borrowed("{}"),
        Data::String(text) => text.clone(),
        _ => Cow::Borrowed(given.text),
    });
    ToolCall {
        id: text(value, "id").map(Cow::Borrowed),
        name: Cow::Borrowed(first_text(value, &["name", "type"]).unwrap_or("?")),
        arguments,
    }
}

fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    ToolResult {
        id: text(value, "id").map(Cow::Borrowed),
        name: text(value, "name").map(Cow::Borrowed),
        text: first(value, &["output"]).map(text_of).unwrap_or_default(),
        ..ToolResult::default()
    }
}
