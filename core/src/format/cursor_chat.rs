//! Chats of the editor Cursor: its database, as a line for each chat with its messages.

mod database;
#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, count, first, first_text, items, show, text,
    text_of, write_slots, write_title,
};
use crate::json::{self, Data, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
pub(super) use database::Database;
use std::borrow::Cow;

/// Chats of Cursor.
pub(super) static CURSOR_CHAT: SetRow = SetRow {
    name: "cursor-chat",
    agent: Some("cursor"),
    title: "Cursor chat",
    about: "Chats of the editor Cursor: its database `User/globalStorage/state.vscdb` (table `cursorDiskKV`), of which \
            the records `composerData:ID` and their messages `bubbleId:ID:BUBBLE` are read and nothing else, settings \
            and keys least of all. Each chat is a trajectory. State: the chat, its model and folder; files, shell and \
            usage by the rules for tool-using runs. What edits changed is not among these records. What its agent \
            writes as transcripts is `cursor`.",
    run: || Box::new(LogRun::new(Chat)),
    samples: &[CHAT],
    ..SetRow::BASE
};

/// A chat with a command that fails, as a line of the database.
const CHAT: &str = r#"{"composerId":"k1","name":"List it","createdAt":1777629600000,"unifiedMode":"agent",
    "modelConfig":{"modelName":"m"},"workspaceIdentifier":{"id":"w1","uri":{"fsPath":"/w"}},"bubbles":[
    {"bubbleId":"b1","type":1,"text":"list it","createdAt":"2026-05-01T10:00:00.000Z"},
    {"bubbleId":"b2","type":2,"text":"","thinking":{"text":"ls will do","signature":""},
        "createdAt":"2026-05-01T10:00:01.000Z"},
    {"bubbleId":"b3","type":2,"text":"I look.","createdAt":"2026-05-01T10:00:02.000Z",
        "modelInfo":{"modelName":"m-2"},"tokenCount":{"inputTokens":20,"outputTokens":7},
        "toolFormerData":{"tool":15,"toolCallId":"c1","status":"completed","name":"run_terminal_cmd",
            "rawArgs":"{\"command\":\"ls x\"}","params":"{\"command\":\"ls x\"}",
            "result":"{\"output\":\"ls: x: no such file\",\"exitCode\":2,\"rejected\":false}"}},
    {"bubbleId":"b4","type":2,"text":"There is no x.","createdAt":"2026-05-01T10:00:03.000Z"}]}"#;

/// The words of a message; a call, and the same as its result.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Members of a chat that are its state.
const SLOTS: [&str; 9] = [
    "composerId",
    "name",
    "subtitle",
    "createdAt",
    "lastUpdatedAt",
    "unifiedMode",
    "modelConfig",
    "status",
    "subagentComposerIds",
];

/// Reads a chat.
struct Chat;

impl Adapter for Chat {
    fn read(&mut self, chat: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, chat, &["name", "composerId"]);
        let folder = chat.get("workspaceIdentifier").and_then(|workspace| text(workspace.get("uri")?, "fsPath"));
        log.surroundings_ahead(&Surroundings {
            model: chat.get("modelConfig").and_then(model_name).map(Cow::Borrowed),
            mode: text(chat, "unifiedMode").map(Cow::Borrowed),
            cwd: folder.map(Cow::Borrowed),
            ..Surroundings::default()
        });
        write_slots(log, "chat", "main", chat, &SLOTS);
        items(chat, "bubbles").iter().for_each(|bubble| add_bubble(bubble, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, words(value)),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(thought(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::answer(result(value), std::iter::empty()),
            _ => show(form, values),
        }
    }
}

fn model_name<'v>(of: &'v Value<'_>) -> Option<&'v str> {
    text(of, "modelName").filter(|name| !matches!(*name, "" | "default"))
}

/// A message: what was thought, said, called, and what came back.
fn add_bubble(bubble: &Value<'_>, log: &mut Log<'_>) {
    let role = match count(bubble, "type") {
        Some(1) => StepRole::User,
        Some(2) => StepRole::Agent,
        _ => StepRole::Unknown,
    };
    let model = bubble.get("modelInfo").and_then(model_name).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let (begin, time) = (log.next_step(), first(bubble, &["createdAt"]));
    let thoughts = items(bubble, "allThinkingBlocks").iter().chain(first(bubble, &["thinking"]));
    let thoughts = thoughts.filter(|value| !thought(value).is_empty()).map(|value| (Kind::Thought, THOUGHT, value));
    let message = Some(bubble).filter(|bubble| !words(bubble).is_empty());
    let called = bubble.get("toolFormerData").filter(|data| text(data, "name").is_some());
    let result = called.filter(|data| is_over(data));
    let steps = thoughts
        .chain(message.map(|value| (Kind::Message, WORDS, value)))
        .chain(called.map(|value| (Kind::Call, CALL, value)))
        .chain(result.map(|value| (Kind::Result, RESULT, value)));
    for (kind, form, value) in steps {
        let values = [value];
        let role = if kind == Kind::Result { StepRole::Environment } else { role };
        log.step(&Draft { role, class: Some("bubble"), time, ..Draft::of(kind, form, &values) });
    }
    // A message without words, such as the mark of a checkpoint, says nothing to anybody.
    let tokens = bubble.get("tokenCount").map(|tokens| (count(tokens, "inputTokens"), count(tokens, "outputTokens")));
    let (input, output) = tokens.unwrap_or_default();
    if log.next_step() > begin && input.unwrap_or(0) + output.unwrap_or(0) > 0 {
        log.usage(None, &Usage { input, output, ..Usage::default() });
    }
}

fn is_over(data: &Value<'_>) -> bool {
    let is_given = first(data, &["result", "error"]).is_some();
    is_given || matches!(text(data, "status"), Some("completed" | "error" | "cancelled" | "canceled" | "rejected"))
}

fn words<'v>(bubble: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let words = text(bubble, "text").filter(|words| !words.is_empty());
    let pictures = items(bubble, "images").iter().map(|image| {
        TurnPart::Attachment(Attachment {
            media_type: Cow::Borrowed("image"),
            location: first_text(image, &["path", "uuid"]).map(Cow::Borrowed),
            bytes: 0,
        })
    });
    words.map(|words| TurnPart::Text(Cow::Borrowed(words))).into_iter().chain(pictures).collect()
}

fn thought<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    value.get("text").or(Some(value).filter(|value| value.as_str().is_some())).map(text_of).unwrap_or_default()
}

/// A call; its arguments are JSON in a string as a rule.
fn call<'v>(data: &'v Value<'v>) -> ToolCall<'v> {
    let given = ["rawArgs", "params"].iter().filter_map(|key| first(data, &[key]));
    let mut given = given.filter(|given| given.as_str().is_none_or(|text| !text.trim().is_empty()));
    let arguments = given.next().map_or(Cow::Borrowed("{}"), |given| match &given.data {
        Data::String(text) => text.clone(),
        _ => Cow::Borrowed(given.text),
    });
    ToolCall {
        id: text(data, "toolCallId").map(Cow::Borrowed),
        name: Cow::Borrowed(text(data, "name").unwrap_or("?")),
        arguments,
    }
}

/// What came back: of JSON with an output or the contents of a file, these.
fn result<'v>(data: &'v Value<'v>) -> ToolResult<'v> {
    let given = first(data, &["result", "error"]);
    let words = given.map(text_of).unwrap_or_default();
    let parsed = json::parse_lenient(&words).ok().filter(|value| value.as_object().is_some());
    let inner = parsed.as_ref().and_then(|value| first_text(value, &["output", "contents"])).map(str::to_owned);
    let exit = parsed.as_ref().and_then(|value| value.get("exitCode")?.as_number()?.parse().ok());
    let is_rejected = parsed.as_ref().and_then(|value| value.get("rejected")?.as_bool()) == Some(true);
    let is_error = match text(data, "status") {
        _ if is_rejected => Some(true),
        Some("completed") if exit.is_none() => Some(false),
        Some("error" | "cancelled" | "canceled" | "rejected") => Some(true),
        _ => None,
    };
    let details = parsed.is_some().then(|| words.clone());
    ToolResult {
        id: text(data, "toolCallId").map(Cow::Borrowed),
        name: text(data, "name").map(Cow::Borrowed),
        text: inner.map_or(words, Cow::Owned),
        is_error,
        exit,
        details: details.filter(|_| exit.is_some() || is_rejected),
        ..ToolResult::default()
    }
}
