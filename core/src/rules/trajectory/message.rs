//! D17: a message of a conversation: who speaks, and its text.

use super::blocks::{self, Block, RESULT_TEXTS, THOUGHT_TEXTS};
use super::reading::Way;
use super::{gemini, text};
use crate::json::Value;
use crate::model::StepRole;
use std::borrow::Cow;

/// D17: a message, read.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The key of its speaker: `from`, else `role`.
    pub speaker_key: &'static str,
    /// Its speaker, as written.
    pub speaker: &'a str,
    /// Who that is.
    pub role: StepRole,
    /// The key of its text: the first of `value`, `content`, `text` that is not null, else the first that is there.
    pub text_key: Option<&'static str>,
    /// Its text, if that is a string or an array of parts; of a system message without, its `system_prompt`.
    pub text: Option<Cow<'a, str>>,
    /// Whether it is null: the key is there, the text is missing, or is in `system_prompt`.
    pub is_null: bool,
    /// Whether some part of it is not text, such as an image.
    pub has_other_parts: bool,
    /// How its calls are read.
    pub way: Way,
}

impl<'a> Message<'a> {
    /// D17: reads speaker and text of a message.
    #[must_use]
    pub fn of(value: &'a Value<'a>) -> Self {
        let speaker = |key: &'static str| value.get(key).and_then(Value::as_str).map(|text| (key, text));
        let (speaker_key, speaker) = speaker("from").or_else(|| speaker("role")).unwrap_or(("role", ""));
        let keys = ["value", "content", "text"].into_iter();
        let mut there = keys.filter_map(|key| value.get(key).map(|v| (key, v)));
        let first = there.clone().next();
        let found = there.find(|(_, v)| !v.is_null()).or(first);
        let role = role(speaker);
        let prompt = || value.get("system_prompt").filter(|_| role == StepRole::System).and_then(text::joined);
        Self {
            speaker_key,
            speaker,
            role,
            text_key: found.map(|(key, _)| key),
            text: found.and_then(|(_, v)| if v.is_null() { prompt() } else { text::joined(v) }),
            is_null: found.is_some_and(|(_, v)| v.is_null()),
            has_other_parts: found.is_some_and(|(_, v)| text::has_other_parts(v)),
            way: Way::Protocol,
        }
    }

    /// `FORMATS.md` 8: the same of a row's message; a text alone is said by `role`.
    #[must_use]
    pub fn of_row(value: &'a Value<'a>, role: StepRole, way: Way) -> Self {
        let mut message = Self { way, ..Self::of(value) };
        // D17 does not name `tool_call` and `tool_response`, which ms-swift writes, nor the hyphen.
        if message.role == StepRole::Unknown && way != Way::Protocol {
            message.role = match message.speaker.to_lowercase().replace('-', "_").as_str() {
                // Cohere's fine-tuning has a chatbot.
                "function_call" | "tool_call" | "chatbot" => StepRole::Agent,
                // Open Interpreter's computer says what code printed.
                "function_response" | "tool_response" | "computer" => StepRole::Environment,
                _ => message.role,
            };
        }
        if let Some(block) = blocks::item(value) {
            return message.of_item(value, block);
        }
        if let Some(parts) = gemini::parts(value).filter(|_| way != Way::Protocol) {
            return message.of_content(value, parts, role);
        }
        match value.as_str() {
            Some(text) => Self { role, text_key: Some(""), text: Some(Cow::Borrowed(text)), ..message },
            None => message,
        }
    }

    /// `FORMATS.md` 8: a content of Gemini's API; one that names nobody is said by `role`.
    fn of_content(self, value: &'a Value<'a>, parts: &'a Value<'a>, role: StepRole) -> Self {
        let speaker = gemini::speaker(value).unwrap_or(if role == StepRole::Agent { "assistant" } else { "user" });
        let is_text = |part: &Value<'_>| gemini::block(part) == Some(Block::Text);
        Self {
            speaker_key: "role",
            speaker,
            role: self::role(speaker),
            text_key: Some("parts"),
            text: gemini::words(parts),
            is_null: false,
            has_other_parts: !parts.as_array().unwrap_or_default().iter().all(is_text),
            ..self
        }
    }

    /// `FORMATS.md` 8: an item among the messages, said by whom only can say such.
    fn of_item(self, value: &'a Value<'a>, block: Block) -> Self {
        let (role, texts): (_, &[&'static str]) = match block {
            Block::Result => (StepRole::Environment, &RESULT_TEXTS),
            _ => (StepRole::Agent, &THOUGHT_TEXTS),
        };
        let key = texts.iter().copied().find(|key| value.get(key).is_some_and(|member| !member.is_null()));
        let text = key.filter(|_| block == Block::Result).and_then(|key| value.get(key)).and_then(text::joined);
        let text_key = key.filter(|_| block != Block::Call);
        Self { role, text_key, text, is_null: false, has_other_parts: block != Block::Result, ..self }
    }
}

/// D17: whether what a speaker says is a call, as JSON.
pub(crate) fn says_calls(speaker: &str) -> bool {
    matches!(speaker.to_lowercase().replace('-', "_").as_str(), "function_call" | "tool_call")
}

/// D17: who a speaker is.
fn role(speaker: &str) -> StepRole {
    match speaker.to_lowercase().as_str() {
        "user" | "human" => StepRole::User,
        "gpt" | "assistant" | "ai" | "model" | "bot" | "function_call" => StepRole::Agent,
        "observation" | "tool" | "function" | "function_response" | "ipython" => StepRole::Environment,
        "system" | "developer" => StepRole::System,
        _ => StepRole::Unknown,
    }
}
