//! D18: turns of an ATIF trajectory as messages: what is said, then the results of its observation.

use super::call;
use super::content::{Content, words};
use super::message_text::{ChatMessage, Id, Left, is_nothing, lose_all, rest};
use crate::json::{self, Value};
use crate::model::StepRole;

/// The messages of a turn.
pub(super) fn turn_messages(value: &Value<'_>, role: StepRole, step: usize, left: &mut Left) -> Vec<ChatMessage> {
    let speaker = value.get("source").and_then(Value::as_str).unwrap_or("user");
    let mut chat_message = ChatMessage::new(Some(step), role, speaker);
    chat_message.content = value.get("message").map_or_else(|| Content::text(""), |message| Content::of(message, left));
    let mut used = vec!["step_id", "source", "message", "observation"];
    if let Some(text) = value.get("reasoning_content").and_then(words) {
        chat_message.reasoning = Some(text).filter(|text| !text.is_empty());
        used.push("reasoning_content");
    }
    if let Some(calls) = value.get("tool_calls").and_then(call::all) {
        chat_message.calls = calls;
        used.push("tool_calls");
    }
    for (place, call) in chat_message.calls.iter_mut().enumerate() {
        call.id.get_or_insert_with(|| Id::generated(step, place));
        call.arguments = json::quote(&call.arguments_text());
    }
    lose_all(left, "step", &rest(value, &used));
    let observation = value.get("observation");
    let results = observation.and_then(|o| o.get("results")).and_then(Value::as_array);
    if let Some(observation) = observation {
        lose_all(left, "observation", &rest(observation, if results.is_some() { &["results"] } else { &[] }));
    }
    let results = results.unwrap_or_default().iter().map(|value| result(value, step, left));
    // A turn may be nothing but what came back.
    let chat_message = Some(chat_message).filter(|chat_message| !chat_message.is_empty() || results.len() == 0);
    chat_message.into_iter().chain(results).collect()
}

fn result(value: &Value<'_>, step: usize, left: &mut Left) -> ChatMessage {
    let content = value.get("content").map_or_else(|| Content::text(""), |content| Content::of(content, left));
    let others = rest(value, &["content", "source_call_id"]);
    ChatMessage {
        content,
        answers: value.get("source_call_id").and_then(Value::as_str).map(Id::recorded),
        others: others.into_iter().filter(|(_, json)| !is_nothing(json)).collect(),
        ..ChatMessage::new(Some(step), StepRole::Environment, "")
    }
}
