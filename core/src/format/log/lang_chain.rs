//! Messages of LangChain: as they are stored, or as their constructors are written.

use super::{call, first, items, role_of, text, text_of};
use crate::json::Value;
use crate::model::{StepRole, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks;
use std::borrow::Cow;

/// What a message says; None: it is none of a known speaker.
pub(in crate::format) fn lang_chain_turn(message: &Value<'_>) -> Option<Turn<'static>> {
    let class = items(message, "id").last().and_then(Value::as_str);
    let message = message.get("kwargs").unwrap_or(message);
    let word = text(message, "role").or_else(|| text(message, "type")).or(class)?;
    let word = ["MessageChunk", "Message"].into_iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let role = role_of(&word.to_ascii_lowercase());
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
    let is_known = role != StepRole::Unknown && first(message, &["content", "tool_calls"]).is_some();
    (is_known && !parts.is_empty()).then(|| Turn::of(role, parts).into_owned())
}
