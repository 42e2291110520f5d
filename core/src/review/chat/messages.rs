//! Conversations as `messages`: the shape that trainers and chat templates take.

use super::call::Call;
use super::call_links::link;
use super::dialogue::Dialogue;
use super::json_writer::Object;
use super::message_text::{ChatMessage, Left, count};
use crate::json;

/// For whom messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::review) enum Reader {
    /// A file: contents are texts where they can be, arguments strings.
    File,
    /// The same, but arguments are objects where they can be.
    FileOfObjects,
    /// A chat template: lists of texts and arguments stay as they are written.
    Template,
}

/// A record of messages.
pub(super) fn row(mut dialogue: Dialogue, reader: Reader) -> (String, Left) {
    if dialogue.is_chat {
        link(&mut dialogue.turns);
    }
    let mut left = dialogue.left;
    let messages: Vec<String> = dialogue.turns.iter().map(|message| message_json(message, reader, &mut left)).collect();
    let mut out = Object::default();
    if let Some(id) = &dialogue.id {
        out.put("id", id);
    }
    out.put("messages", &format!("[{}]", messages.join(",")));
    if let Some(tools) = &dialogue.tools {
        out.put("tools", tools);
    }
    out.put_rest("record", &dialogue.others, &mut left);
    (out.end(), left)
}

/// A message; what it cannot carry is counted.
pub(in crate::review) fn message_json(message: &ChatMessage, reader: Reader, left: &mut Left) -> String {
    let mut out = Object::default();
    let is_raw = reader == Reader::Template;
    let role = message.written_role.as_ref().filter(|_| is_raw).unwrap_or(&message.name);
    out.put("role", &json::quote(role));
    let content = message.content.to_json(is_raw);
    let is_null = is_raw && message.is_null && message.content.is_empty();
    out.put("content", if is_null { "null" } else { &content });
    if let Some(reasoning) = &message.reasoning {
        out.put("reasoning_content", &json::quote(reasoning));
    }
    if !message.calls.is_empty() {
        let calls: Vec<String> = message.calls.iter().map(|call| call_text(call, reader, left)).collect();
        out.put("tool_calls", &format!("[{}]", calls.join(",")));
    }
    if let Some(id) = &message.answers {
        out.put("tool_call_id", &json::quote(&id.text));
    }
    out.put_rest("message", &message.others, left);
    // A template may write a message as JSON.
    if is_raw { out.end_in_order(&message.order) } else { out.end() }
}

fn call_text(call: &Call, reader: Reader, left: &mut Left) -> String {
    let mut function = Object::default();
    function.put("name", &json::quote(&call.name));
    match reader {
        Reader::File => function.put("arguments", &json::quote(&call.arguments_text())),
        Reader::FileOfObjects => {
            let object = call.arguments_object();
            if object.is_none() {
                count(left, "arguments that are no JSON object and stay text");
            }
            function.put("arguments", &object.unwrap_or_else(|| json::quote(&call.arguments_text())));
        }
        Reader::Template => function.put("arguments", &call.arguments),
    }
    let mut out = Object::default();
    if let Some(id) = &call.id {
        out.put("id", &json::quote(&id.text));
    }
    // A template may write a call as JSON: the trainer gives it as the record has it.
    let [order, of_function] = if reader == Reader::Template { call.order.clone() } else { Default::default() };
    if order.is_empty() || order.iter().any(|name| **name == *"type") {
        out.put("type", "\"function\"");
    }
    out.put("function", &function.end_in_order(&of_function));
    out.put_rest("call", &call.others, left);
    out.end_in_order(&order)
}
