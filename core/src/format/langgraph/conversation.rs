//! The messages that a checkpoint holds, as what the model sees.

use crate::format::log::{items, lang_chain_turn};
use crate::json::Value;
use crate::model::{ModelRequest, Turn};

/// The channel that holds a conversation by the convention of LangGraph.
pub(super) const MESSAGES: &str = "messages";

/// The messages of channels as a request of their thread; None: they have none.
pub(super) fn request(trajectory: String, channels: Option<&Value<'_>>) -> Option<ModelRequest> {
    let messages: Vec<Turn<'static>> = items(channels?, MESSAGES).iter().filter_map(lang_chain_turn).collect();
    (!messages.is_empty()).then_some(ModelRequest { trajectory, messages })
}
