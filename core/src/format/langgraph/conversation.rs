//! The messages that a checkpoint holds, as what the model sees.

use crate::format::log::{first, items, role_of, text, text_of};
use crate::json::Value;
use crate::model::{ModelRequest, StepRole, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks;
use std::borrow::Cow;

/// The channel that holds a conversation by the convention of LangGraph.
const MESSAGES: &str = "messages";

/// The messages of channels as a request of their thread; None: they have none.
pub(super) fn request(trajectory: String, channels: Option<&Value<'_>>) -> Option<ModelRequest> {
    let messages: Vec<Turn<'static>> = items(channels?, MESSAGES).iter().filter_map(turn).collect();
    (!messages.is_empty()).then_some(ModelRequest { trajectory, messages })
}

/// A message of LangChain: as it is stored, or as its constructor is written.
fn turn(message: &Value<'_>) -> Option<Turn<'static>> {
    let message = message.get("kwargs").unwrap_or(message);
    let word = text(message, "role").or_else(|| text(message, "type"))?;
    let role = role_of(word.strip_suffix("MessageChunk").unwrap_or(word));
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
        let said = of_blocks.unwrap_or_else(|| words().map(TurnPart::Text).into_iter().collect());
        let has_calls = said.iter().any(|part| matches!(part, TurnPart::Call(_)));
        let listed = items(message, "tool_calls").iter().filter(|_| !has_calls);
        said.into_iter().chain(listed.map(|call| TurnPart::Call(crate::format::log::call(call)))).collect()
    };
    let is_known = role != StepRole::Unknown && first(message, &["content", "tool_calls"]).is_some();
    (is_known && !parts.is_empty()).then(|| Turn::of(role, parts).into_owned())
}
