//! A record as the conversation that a chat template gets, and what the record itself says of its training.

use super::chat;
use crate::json::{self, Data};
use crate::model::Role;
use crate::rules::adp::{self, Message, Reading};
use minijinja::value::Value;

/// Code points that stand for marks in rendered text. Unicode keeps them free for such use; in a text of the input
/// they are shown as U+FFFD.
pub(super) const RESERVED: [char; 2] = ['\u{FDD0}', '\u{FDD1}'];
/// Fields of a message that say whether it is trained, and what a true or positive value means.
const FIELDS: &[(&str, bool)] =
    &[("weight", true), ("loss_weight", true), ("loss", true), ("train", true), (MASK, false)];
const MASK: &str = "mask";

/// A conversation for a template.
#[derive(Debug)]
pub struct Conversation {
    /// The key under which the record has them.
    pub body: &'static str,
    /// Its messages in order.
    pub messages: Vec<Turn>,
    /// The schemas of its tools, as the record has them; undefined if it has none.
    pub tools: Value,
}

/// One message.
#[derive(Debug)]
pub struct Turn {
    /// Its role: `system`, `user`, `assistant`, `tool`, or as written.
    pub role: String,
    /// Its text, for finding it in what a template made of it.
    pub text: String,
    /// Whether it is trained, by a field of the message: its name, and what it says.
    pub field: Option<(&'static str, bool)>,
    /// The step that it comes from; a system prompt comes from none.
    pub step: Option<usize>,
    /// As the template gets it.
    pub(super) value: Value,
}

impl Conversation {
    /// The conversation of a record; None for a record that is none, or of no message.
    #[must_use]
    pub fn of(record: &json::Value<'_>) -> Option<Self> {
        let reading = Reading::of(record);
        let key = reading.body?;
        let mut messages = Vec::new();
        if reading.shape == adp::Shape::Chat {
            if let Some(prompt) = reading.system_prompt().and_then(json::Value::as_str) {
                messages.push(Turn::system(prompt));
            }
            let said = record.get(key).and_then(json::Value::as_array)?.iter();
            messages.extend(said.enumerate().map(|(step, message)| Turn::of(message, Some(step))));
        } else {
            let (converted, steps) = chat::messages(record)?;
            let converted = json::parse(&converted).ok()?;
            let said = converted.get("messages").and_then(json::Value::as_array)?.iter();
            messages.extend(said.zip(steps).map(|(message, step)| Turn::of(message, step)));
        }
        let tools = record.get("tools").map_or(Value::UNDEFINED, |tools| match tools.as_str() {
            Some(text) => json::parse(text).map_or_else(|_| told(tools), |tools| told(&tools)),
            None => told(tools),
        });
        read_masks(&mut messages);
        (!messages.is_empty()).then_some(Self { body: key, messages, tools })
    }
}

/// People write `mask` for what is left out of the loss, and for where the loss is. Where it is set on messages of the
/// agent only, and denied on others, it is the second: else just what the agent did not say would train.
fn read_masks(messages: &mut [Turn]) {
    let is_set = |turn: &Turn, is_agent| (turn.role == "assistant") == is_agent && turn.field == Some((MASK, false));
    let is_denied = |turn: &Turn| turn.role != "assistant" && turn.field == Some((MASK, true));
    let is_agents = messages.iter().any(|t| is_set(t, true)) && !messages.iter().any(|t| is_set(t, false));
    if is_agents && messages.iter().any(is_denied) {
        for (_, trains) in messages.iter_mut().filter_map(|t| t.field.as_mut()).filter(|(name, _)| *name == MASK) {
            *trains = !*trains;
        }
    }
}

impl Turn {
    fn system(prompt: &str) -> Self {
        let prompt = clean(prompt);
        let value = Value::from_pairs([("role", Value::from("system")), ("content", Value::from(prompt.as_str()))]);
        Self { role: "system".to_owned(), text: prompt, field: None, step: None, value }
    }

    fn of(message: &json::Value<'_>, step: Option<usize>) -> Self {
        let read = Message::of(message);
        let role = match read.role {
            Role::User => "user",
            Role::Agent => "assistant",
            Role::Environment => "tool",
            Role::System => "system",
            Role::Unknown => read.speaker,
        };
        // A text that is null may stand elsewhere.
        let written = read.text_key.and_then(|key| message.get(key)).filter(|_| !read.is_null);
        let found = read.text.as_deref().filter(|_| read.is_null).map(|text| Value::from(clean(text)));
        let content = found.or_else(|| written.map(told)).unwrap_or(Value::from(()));
        let mut pairs = vec![("role".to_owned(), Value::from(role)), ("content".to_owned(), content)];
        let members = message.as_object().into_iter().flat_map(json::Object::entries);
        for (name, value) in members {
            let is_taken =
                ["role", "content"].contains(&name) || name == read.speaker_key || Some(name) == read.text_key;
            if name == "function_call" && message.get("tool_calls").is_none() && !value.is_null() {
                pairs.push((
                    "tool_calls".to_owned(),
                    [Value::from_pairs([("function", told(value))])].into_iter().collect(),
                ));
            } else if !is_taken {
                pairs.push((clean(name), told(value)));
            }
        }
        Self {
            role: clean(role),
            text: read.text.as_deref().map(clean).unwrap_or_default(),
            field: field(message),
            step,
            value: Value::from_pairs(pairs),
        }
    }
}

/// The first field that says whether a message is trained.
fn field(message: &json::Value<'_>) -> Option<(&'static str, bool)> {
    FIELDS.iter().find_map(|&(name, means)| {
        let is_set = match &message.get(name)?.data {
            Data::Bool(is_set) => *is_set,
            Data::Number => message.get(name)?.text.parse::<f64>().ok()? > 0.0,
            _ => return None,
        };
        Some((name, is_set == means))
    })
}

/// A value for a template.
fn told(value: &json::Value<'_>) -> Value {
    match &value.data {
        Data::Null => Value::from(()),
        Data::Bool(is_set) => Value::from(*is_set),
        Data::Number => {
            let text = value.text;
            let whole = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from));
            whole.or_else(|_| text.parse::<f64>().map(Value::from)).unwrap_or_else(|_| Value::from(text))
        }
        Data::String(text) => Value::from(clean(text)),
        Data::Array(items) => items.iter().map(told).collect(),
        Data::Object(object) => Value::from_pairs(object.entries().map(|(key, value)| (clean(key), told(value)))),
        Data::Deep => Value::from(clean(value.text)),
    }
}

fn clean(text: &str) -> String {
    text.replace(RESERVED, "\u{FFFD}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each message of a conversation says of its training; each is told as its role and its mask.
    fn trains(messages: &[(&str, Option<bool>)]) -> Vec<Option<bool>> {
        let message = |(role, mask): &(&str, Option<bool>)| {
            let mask = mask.map_or(String::new(), |mask| format!(r#","mask":{mask}"#));
            format!(r#"{{"role":"{role}","content":"x"{mask}}}"#)
        };
        let messages: Vec<String> = messages.iter().map(message).collect();
        let text = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        let conversation = Conversation::of(&json::parse(&text).unwrap()).unwrap();
        conversation.messages.iter().map(|turn| turn.field.map(|(_, trains)| trains)).collect()
    }

    #[test]
    fn masks_are_read_as_they_are_meant() {
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(trains(&[("user", yes), ("assistant", no)]), [no, yes], "left out");
        assert_eq!(trains(&[("user", no), ("assistant", yes), ("assistant", no)]), [no, yes, no], "the loss is here");
        assert_eq!(trains(&[("user", None), ("assistant", yes)]), [None, no], "nobody denies it");
        assert_eq!(trains(&[("system", yes), ("user", no), ("assistant", yes)]), [no, yes, no], "it is set on others");
    }
}
