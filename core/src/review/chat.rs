//! Records as conversations for training: `messages` with tool calls, and ShareGPT (D17).
//!
//! All spellings of messages are read once, by [`Dialogue`]; what a template sees and what an export writes comes from
//! that. Nothing is made up: what a trajectory does not say (the schemas of its tools, a system prompt) the
//! conversation does not say either. What a shape cannot carry is counted ([`Left`]).

mod beside;
mod call;
mod call_links;
mod content;
mod dialogue;
mod from_adp;
mod from_atif;
mod json_writer;
mod message;
mod message_text;
mod messages;
mod picture;
mod result_order;
mod share_gpt;

use crate::json::Value;
use crate::rules::trajectory::Way;
pub(super) use beside::{beside_messages, beside_steps, schemas_of_groups, system_words, tool_member};
pub(super) use dialogue::Dialogue;
pub use message_text::Left;
pub(super) use message_text::{ChatMessage, LOSS_FIELDS, MASK, Member, is_nothing, lose, lose_all, rest};
pub(super) use messages::{Reader, message_json};

/// The shape of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatShape {
    /// `{"id", "messages": [{"role", "content", …}], "tools"?, …}`; messages may have `reasoning_content`,
    /// `tool_calls`, `tool_call_id`.
    Messages,
    /// The same with the arguments of calls as objects, not as JSON in strings.
    MessagesWithObjects,
    /// `{"id", "system"?, "conversations": [{"from", "value", …}], "tools"?, …}`; two sides take turns: `human` and
    /// `observation`, `gpt` and `function_call`.
    ShareGpt,
}

/// A record as one line of a conversation, and what of it that does not carry; None for a broken record.
#[must_use]
pub fn chat(record: &Value<'_>, shape: ChatShape, way: Way) -> Option<(String, Left)> {
    let mut dialogue = Dialogue::of(record, way)?;
    dialogue.keep_task(record);
    Some(match shape {
        ChatShape::Messages => messages::row(dialogue, Reader::File),
        ChatShape::MessagesWithObjects => messages::row(dialogue, Reader::FileOfObjects),
        ChatShape::ShareGpt => share_gpt::row(dialogue),
    })
}

#[cfg(test)]
mod tests;
