//! The stream of `pi --mode json`: events without ids behind the header of a session. Messages are read where they end;
//! what reports how they came to be, and what repeats them, is no step.

use super::{add_message, text};
use crate::format::log::Log;
use crate::json::Value;

/// Events that say nothing that the end of a message does not say.
const FOLDED: [&str; 11] = [
    "agent_start",
    "agent_end",
    "agent_settled",
    "turn_start",
    "turn_end",
    "message_start",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
];

/// Whether a type is one of this stream.
pub(super) fn is_event(class: &str) -> bool {
    FOLDED.contains(&class)
}

/// Reads an event.
pub(super) fn read(event: &Value<'_>, log: &mut Log<'_>) {
    let message = event.get("message").filter(|_| text(event, "type") == Some("message_end"));
    if let Some(message) = message.filter(|message| text(message, "role").is_some()) {
        add_message(event, message, false, log);
    }
}
