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
    &[("weight", true), ("loss_weight", true), ("loss", true), ("train", true), ("mask", false)];

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
        (!messages.is_empty()).then_some(Self { body: key, messages, tools })
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
        let content = read.text_key.and_then(|key| message.get(key)).map_or(Value::from(()), told);
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
