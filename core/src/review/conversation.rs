//! A record as the conversation that a chat template gets, and what the record itself says of its training.

use super::chat::{ChatMessage, Dialogue, LOSS_FIELDS, Left, MASK, Member, Reader, message_json};
use crate::json::{self, Data};
use crate::rules::trajectory::Way;
use minijinja::value::Value;

/// Where prompts of rollouts, of pairs and of requests are.
const PROMPTS: [&str; 3] = ["/prompt", "/input", "/responses_create_params"];

/// A conversation for a template.
#[derive(Debug)]
pub struct Conversation {
    /// The key under which the record has them.
    pub body: String,
    /// Which of a pair it is, or of several answers to a prompt; None: the record is one conversation.
    pub label: Option<String>,
    /// Its place among those of the record, from 0.
    place: usize,
    way: Way,
    /// Its messages in order.
    pub messages: Vec<TemplateMessage>,
    /// The schemas of its tools, as the record has them; undefined if it has none.
    pub tools: Value,
    /// What the record sets for its template (`chat_template_kwargs`, as TRL hands them over).
    pub(super) variables: Vec<(String, Value)>,
}

/// One message.
#[derive(Debug)]
pub struct TemplateMessage {
    /// Its role: `system`, `user`, `assistant`, `tool`, or as written.
    pub role: String,
    /// Its text, for finding it in what a template made of it.
    pub text: String,
    /// What the agent thought before it says that; empty if nothing is said of it.
    pub thoughts: String,
    /// Whether it is trained, by a field of the message: its name, and what it says.
    pub field: Option<(&'static str, bool)>,
    /// The step that it comes from; a system prompt comes from none.
    pub step: Option<usize>,
    /// Its pointer in the record; empty for a prompt.
    pub path: String,
    /// Whether it is of the prompt that the record's answers follow, which trainers train none of.
    pub is_prompt: bool,
    /// As the template gets it.
    pub(super) value: Value,
}

impl Conversation {
    /// The conversation of a record, of several the first; None for a broken record, or one without a message.
    #[must_use]
    pub fn of(record: &json::Value<'_>, way: Way) -> Option<Self> {
        Self::all(record, way).into_iter().next()
    }

    /// The conversations of a record: both of a pair, all answers to a prompt, else one. Those without a message are
    /// left out.
    #[must_use]
    pub fn all(record: &json::Value<'_>, way: Way) -> Vec<Self> {
        let all = Dialogue::all(record, way).into_iter().enumerate();
        all.filter_map(|(place, (label, dialogue))| Some(Self { label, place, ..Self::of_dialogue(dialogue, way)? }))
            .collect()
    }

    fn of_dialogue(dialogue: Dialogue, way: Way) -> Option<Self> {
        let mut messages = dialogue.turns.iter().map(TemplateMessage::of).collect::<Option<Vec<_>>>()?;
        read_masks(&mut messages);
        let of_prompt = |path: &str| PROMPTS.iter().any(|prompt| path.starts_with(prompt));
        if messages.iter().any(|message| !message.path.is_empty() && !of_prompt(&message.path)) {
            messages.iter_mut().for_each(|message| message.is_prompt = of_prompt(&message.path));
        }
        let tools = dialogue.tools.as_deref().map_or(Value::UNDEFINED, schemas);
        let variables = variables(&dialogue.others);
        let (body, label, place) = (dialogue.body, None, 0);
        (!messages.is_empty()).then_some(Self { body, label, place, way, messages, tools, variables })
    }

    /// How its record was read, and which of its conversations it is, for another process.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.place as u64 * 2 + u64::from(self.way == Way::Protocol)
    }

    /// The conversation of a record by that number.
    #[must_use]
    pub fn of_number(record: &json::Value<'_>, number: u64) -> Option<Self> {
        let way = if number.is_multiple_of(2) { Way::Formats } else { Way::Protocol };
        Self::all(record, way).into_iter().find(|conversation| conversation.number() == number)
    }
}

/// What a record sets for its template, by its members: an object, or JSON of one in a string.
fn variables(members: &[Member]) -> Vec<(String, Value)> {
    let found = members.iter().find(|(name, _)| name == "chat_template_kwargs");
    let Some(value) = found.and_then(|(_, text)| json::parse_lenient(text).ok()) else { return Vec::new() };
    let pairs = |value: &json::Value<'_>| {
        let pairs = value.as_object().into_iter().flat_map(json::Object::entries);
        pairs.map(|(name, value)| (name.to_owned(), template_value(value))).collect()
    };
    match value.as_str().map(json::parse_lenient) {
        Some(Ok(inner)) => pairs(&inner),
        _ => pairs(&value),
    }
}

/// The schemas of tools; those of some are JSON in a string.
fn schemas(tools: &str) -> Value {
    let Ok(tools) = json::parse_lenient(tools) else { return Value::UNDEFINED };
    match tools.as_str().map(json::parse) {
        Some(Ok(inner)) => template_value(&inner),
        _ => template_value(&tools),
    }
}

/// People write `mask` for what is left out of the loss, and for where the loss is. Where it is set on messages of the
/// agent only, and denied on others, it is the second: else just what the agent did not say would train.
fn read_masks(messages: &mut [TemplateMessage]) {
    let is_set =
        |turn: &TemplateMessage, is_agent| (turn.role == "assistant") == is_agent && turn.field == Some((MASK, false));
    let is_denied = |turn: &TemplateMessage| turn.role != "assistant" && turn.field == Some((MASK, true));
    let is_agents = messages.iter().any(|t| is_set(t, true)) && !messages.iter().any(|t| is_set(t, false));
    if is_agents && messages.iter().any(is_denied) {
        for (_, trains) in messages.iter_mut().filter_map(|t| t.field.as_mut()).filter(|(name, _)| *name == MASK) {
            *trains = !*trains;
        }
    }
}

impl TemplateMessage {
    /// As an export writes it, but for what only a file wants. It is JSON of our own: None never is.
    fn of(message: &ChatMessage) -> Option<Self> {
        let written = message_json(message, Reader::Template, &mut Left::new());
        let written = json::parse_lenient(&written).ok()?;
        Some(Self {
            role: message.name.clone(),
            text: message.content.joined().unwrap_or_default().clone(),
            thoughts: message.reasoning.as_deref().unwrap_or_default().to_owned(),
            field: field(&written),
            step: message.step,
            path: message.path.clone(),
            is_prompt: false,
            value: template_value(&written),
        })
    }
}

impl TemplateMessage {
    /// Arguments of its calls that are written as texts.
    pub(super) fn arguments(&self) -> Vec<String> {
        let calls = self.value.get_attr("tool_calls").ok();
        let calls = calls.as_ref().and_then(|calls| calls.try_iter().ok());
        let arguments = |call: Value| call.get_attr("function").ok()?.get_attr("arguments").ok();
        let texts = calls.into_iter().flatten().filter_map(arguments);
        texts.filter_map(|arguments| arguments.as_str().map(str::to_owned)).collect()
    }
}

/// The first field that says whether a message is trained.
fn field(message: &json::Value<'_>) -> Option<(&'static str, bool)> {
    LOSS_FIELDS.iter().find_map(|&(name, means)| {
        let is_set = match &message.get(name)?.data {
            Data::Bool(is_set) => *is_set,
            Data::Number => message.get(name)?.text.parse::<f64>().ok()? > 0.0,
            _ => return None,
        };
        Some((name, is_set == means))
    })
}

/// A value for a template. Whole numbers stay whole as long as this engine can hold them.
pub(super) fn template_value(value: &json::Value<'_>) -> Value {
    match &value.data {
        Data::Null => Value::from(()),
        Data::Bool(is_set) => Value::from(*is_set),
        Data::Number => {
            let text = value.text;
            let whole = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<i128>().map(Value::from));
            whole.or_else(|_| text.parse::<f64>().map(Value::from)).unwrap_or_else(|_| Value::from(text))
        }
        Data::String(text) => Value::from(&**text),
        Data::Array(items) => items.iter().map(template_value).collect(),
        Data::Object(object) => {
            Value::from_pairs(object.entries().map(|(key, value)| (key.to_owned(), template_value(value))))
        }
        Data::Deep => Value::from(value.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each message of a conversation says of its training; each is reported as its role and its mask.
    fn trains(messages: &[(&str, Option<bool>)]) -> Vec<Option<bool>> {
        let message = |(role, mask): &(&str, Option<bool>)| {
            let mask = mask.map_or(String::new(), |mask| format!(r#","mask":{mask}"#));
            format!(r#"{{"role":"{role}","content":"x"{mask}}}"#)
        };
        let messages: Vec<String> = messages.iter().map(message).collect();
        let text = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        let conversation = Conversation::of(&json::parse(&text).unwrap(), Way::Formats).unwrap();
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
