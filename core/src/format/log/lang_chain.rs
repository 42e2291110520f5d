//! Messages of LangChain: as they are stored, as their constructors are written, or with their members alone.

use super::{call, first, items, role_of, text, text_of};
use crate::json::Value;
use crate::model::{StepRole, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks;
use std::borrow::Cow;

/// Who says a message, and the object that has its content; None: it is none of a known speaker.
pub(in crate::format) fn lang_chain_message<'v, 'a>(record: &'v Value<'a>) -> Option<(StepRole, &'v Value<'a>)> {
    let class = items(record, "id").last().and_then(Value::as_str);
    let message = record.get("kwargs").or_else(|| record.get("data")).filter(|inner| inner.as_object().is_some());
    let message = message.unwrap_or(record);
    let word = text(message, "role").or_else(|| text(message, "type")).or(class).or_else(|| text(record, "type"))?;
    let word = ["MessageChunk", "Message"].into_iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let role = role_of(&word.to_ascii_lowercase());
    let is_known = role != StepRole::Unknown && first(message, &["content", "tool_calls"]).is_some();
    is_known.then_some((role, message))
}

/// What a message says; None: it is none of a known speaker.
pub(in crate::format) fn lang_chain_turn(message: &Value<'_>) -> Option<Turn<'static>> {
    let (role, message) = lang_chain_message(message)?;
    let content = message.get("content");
    let words = || content.map(text_of).filter(|text| !text.is_empty());
    let parts: Vec<TurnPart<'_>> = if role == StepRole::Environment {
        let result = ToolResult {
            id: text(message, "tool_call_id").map(Cow::Borrowed),
            name: text(message, "name").map(Cow::Borrowed),
            text: words().unwrap_or_default(),
            is_error: text(message, "status").map(|status| status == "error"),
            ..ToolResult::default()
        };
        vec![TurnPart::Result(result)]
    } else {
        let of_blocks = blocks::turn_parts(message);
        let parts_of_content = of_blocks.unwrap_or_else(|| words().map(TurnPart::Text).into_iter().collect());
        let has_calls = parts_of_content.iter().any(|part| matches!(part, TurnPart::Call(_)));
        let listed = items(message, "tool_calls").iter().filter(|_| !has_calls);
        parts_of_content.into_iter().chain(listed.map(|call| TurnPart::Call(self::call(call)))).collect()
    };
    (!parts.is_empty()).then(|| Turn::of(role, parts).into_owned())
}
