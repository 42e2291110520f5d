//! What a record and a message are (A2, A7, A8), and the value that a data message carries (A9 to A11).

use crate::json::{Data, Object, Value};
use std::borrow::Cow;

/// The type of a message (A8), or why it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageType {
    /// `text`
    Text,
    /// `data`
    Data,
    /// `input`
    Input,
    /// `state`
    State,
    /// `error`
    Error,
    /// `plan`
    Plan,
    /// `tool`
    Tool,
    /// `meta`
    Meta,
    /// `system`
    System,
    /// `call`
    Call,
    /// `solution`
    Solution,
    /// `advisor`
    Advisor,
    /// `question`
    Question,
    /// `expressions`
    Expressions,
    /// Another type, or none beside a role: passed through.
    Unknown,
    /// No message at all.
    NotMessage,
    /// A record that is not valid JSON: a step without message (A1).
    Broken,
    /// A step without message that a rebuilt context makes (A4).
    Rebuilt,
    /// A step made of the `solution` of an envelope (A3): its bytes are those of the solution alone.
    EnvelopeSolution,
}

impl MessageType {
    const ALL: [(Self, &'static str); 19] = [
        (Self::Text, "text"),
        (Self::Data, "data"),
        (Self::Input, "input"),
        (Self::State, "state"),
        (Self::Error, "error"),
        (Self::Plan, "plan"),
        (Self::Tool, "tool"),
        (Self::Meta, "meta"),
        (Self::System, "system"),
        (Self::Call, "call"),
        (Self::Solution, "solution"),
        (Self::Advisor, "advisor"),
        (Self::Question, "question"),
        (Self::Expressions, "expressions"),
        (Self::Unknown, "unknown"),
        (Self::NotMessage, "not-a-message"),
        (Self::Broken, "broken"),
        (Self::Rebuilt, "rebuilt"),
        (Self::EnvelopeSolution, "solution"),
    ];

    /// A8: the type of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL[..14].iter().find(|(_, n)| *n == name).map(|(t, _)| *t)
    }

    /// Its name; for what has no type a word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The type of that number (`self as u8`); [`MessageType::Broken`] for a number without a type.
    #[must_use]
    pub fn numbered(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).map_or(Self::Broken, |(t, _)| *t)
    }

    /// A9 to A11: whether its messages write data.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Data | Self::Input | Self::State | Self::Error)
    }

    /// A3: whether it is a solution, of an envelope or by itself.
    #[must_use]
    pub fn is_solution(self) -> bool {
        matches!(self, Self::Solution | Self::EnvelopeSolution)
    }
}

/// A2: what a record (or an element of an array) is.
#[derive(Debug, Clone, Copy)]
pub enum Content<'v> {
    /// A message, or what should be one.
    Message(&'v Value<'v>),
    /// Its elements are taken one after the other.
    Array(&'v [Value<'v>]),
    /// A request.
    Envelope(Envelope<'v>),
}

/// A2: a request with its context.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'v> {
    /// The object itself.
    pub value: &'v Value<'v>,
    /// `context`, else `messages`.
    pub messages: &'v [Value<'v>],
    /// A3: `solution`, if it is not null.
    pub solution: Option<&'v Value<'v>>,
    /// Whether the messages are in `context`.
    pub has_context: bool,
}

impl<'v> Content<'v> {
    /// A2: distinguishes the three.
    #[must_use]
    pub fn of(value: &'v Value<'v>) -> Self {
        if let Data::Array(items) = &value.data {
            return Self::Array(items);
        }
        let list = |key| value.get(key).and_then(Value::as_array);
        let context = list("context");
        match context.or_else(|| list("messages")) {
            Some(messages) if value.get("type").and_then(Value::as_str).is_none() => Self::Envelope(Envelope {
                value,
                messages,
                solution: value.get("solution").filter(|s| !s.is_null()),
                has_context: context.is_some(),
            }),
            _ => Self::Message(value),
        }
    }
}

/// The value of a data message (A9 to A11).
#[derive(Debug, Clone)]
pub enum Carried<'v> {
    /// It is in the message as it is.
    Written(&'v Value<'v>),
    /// It is made of members of the message (A10).
    Built(Value<'v>),
}

impl<'v> std::ops::Deref for Carried<'v> {
    type Target = Value<'v>;

    fn deref(&self) -> &Value<'v> {
        match self {
            Self::Written(value) => value,
            Self::Built(value) => value,
        }
    }
}

/// One message, its wrapper seen through (A7).
#[derive(Debug, Clone, Copy)]
pub struct ActsMessage<'v> {
    /// Its type.
    pub kind: MessageType,
    /// The element as written, wrapper included; for [`MessageType::EnvelopeSolution`] the solution alone.
    pub written: &'v Value<'v>,
    body: Option<&'v Object<'v>>,
    wrapper: Option<&'v Object<'v>>,
}

impl<'v> ActsMessage<'v> {
    /// A7, A8: reads an element of a context.
    #[must_use]
    pub fn of(written: &'v Value<'v>) -> Self {
        let plain = |kind, body| Self { kind, written, body, wrapper: None };
        let Some(object) = written.as_object() else {
            return plain(MessageType::NotMessage, None);
        };
        if let Some(kind) = type_of(object) {
            return plain(kind, Some(object));
        }
        let content = object.get("content");
        let inner = content.and_then(Value::as_object);
        if let Some((inner, kind)) = inner.and_then(|inner| Some((inner, type_of(inner)?))) {
            return Self { kind, written, body: Some(inner), wrapper: Some(object) };
        }
        let is_text = content.is_some_and(|c| c.as_str().is_some() || c.as_array().is_some())
            || object.get("text").is_some_and(|t| t.as_str().is_some());
        let kind = match object.get("role") {
            _ if is_text => MessageType::Text,
            Some(role) if !role.is_null() => MessageType::Unknown,
            _ => MessageType::NotMessage,
        };
        plain(kind, Some(object))
    }

    /// A3: the message that a solution of an envelope is.
    #[must_use]
    pub fn solution(written: &'v Value<'v>) -> Self {
        Self { kind: MessageType::EnvelopeSolution, written, body: None, wrapper: None }
    }

    /// A member of the message; `role` and keys with `_` also of its wrapper (A7).
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'v Value<'v>> {
        if self.kind == MessageType::EnvelopeSolution {
            return (key == "solution").then_some(self.written);
        }
        let inherited = || self.wrapper.filter(|_| is_inherited(key)).and_then(|w| w.get(key));
        self.body.and_then(|b| b.get(key)).or_else(inherited)
    }

    /// A member of the message, if it is a string.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&'v str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Its members in order, those of the wrapper that it inherits after its own (A7).
    #[must_use]
    pub fn entries(&self) -> Vec<(&'v str, &'v Value<'v>)> {
        let Some(body) = self.body else { return Vec::new() };
        let mut entries: Vec<_> = body.entries().collect();
        if let Some(wrapper) = self.wrapper {
            entries.extend(wrapper.entries().filter(|(k, _)| is_inherited(k) && body.get(k).is_none()));
        }
        entries
    }

    /// The object that holds its members.
    #[must_use]
    pub fn body(&self) -> Option<&'v Object<'v>> {
        self.body
    }

    /// The object around it (A7), if there is one.
    #[must_use]
    pub fn wrapper(&self) -> Option<&'v Object<'v>> {
        self.wrapper
    }

    /// A member of its `_call`.
    #[must_use]
    pub fn call(&self, key: &str) -> Option<&'v Value<'v>> {
        self.get("_call").and_then(|c| c.get(key))
    }

    /// A8: whether it is a message at all.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.kind != MessageType::NotMessage
    }

    /// A26: the role if it is a chat role.
    #[must_use]
    pub fn chat_role(&self) -> Option<&'v str> {
        self.text("role").filter(|r| is_chat_role(r))
    }

    /// A26: the role of its entry in the view.
    #[must_use]
    pub fn role(&self) -> &'v str {
        self.chat_role().unwrap_or(if self.kind == MessageType::System { "system" } else { "user" })
    }

    /// A9 to A11: the value that it carries.
    #[must_use]
    pub fn value(&self) -> Option<Carried<'v>> {
        let envelope_keys = match self.kind {
            MessageType::Data => return self.get("data").map(Carried::Written),
            MessageType::Input | MessageType::State => self.get(self.kind.name()),
            MessageType::Error => None,
            _ => return None,
        };
        envelope_keys
            .or_else(|| self.get("data"))
            .map(Carried::Written)
            .or_else(|| self.other_members().map(Carried::Built))
    }

    /// A10: an object of the members that are not the message's own.
    fn other_members(&self) -> Option<Value<'v>> {
        let is_envelope_key = |key: &str, value: &Value<'_>| {
            key.starts_with('_')
                || matches!(key, "type" | "kind" | "schema" | "description")
                || (key == "role" && value.as_str().is_some_and(is_chat_role))
        };
        let member = |(key, value): (&'v str, &'v Value<'v>)| crate::json::Member {
            key: Cow::Borrowed(key),
            key_start: value.start,
            value: value.clone(),
        };
        let members: Vec<_> = self.entries().into_iter().filter(|(k, v)| !is_envelope_key(k, v)).map(member).collect();
        let data = Data::Object(Object::new(members));
        let value = Value { start: self.written.start, text: self.written.text, data };
        (!value.is_leaf()).then_some(value)
    }
}

/// A8: the type that an object names; a null `type` is absence, any other that is no string is another type.
fn type_of(object: &Object<'_>) -> Option<MessageType> {
    let written = object.get("type").filter(|t| !t.is_null())?;
    Some(written.as_str().and_then(MessageType::named).unwrap_or(MessageType::Unknown))
}

/// A7: whether a message takes this key from its wrapper.
fn is_inherited(key: &str) -> bool {
    key == "role" || key.starts_with('_')
}

/// A26: the roles of a chat.
#[must_use]
pub(super) fn is_chat_role(role: &str) -> bool {
    matches!(role, "system" | "user" | "assistant" | "developer" | "tool")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{compact, parse};

    fn kind(text: &str) -> MessageType {
        ActsMessage::of(&parse(text).unwrap()).kind
    }

    #[test]
    fn recognises_messages() {
        assert_eq!(kind(r#"{"type":"state"}"#), MessageType::State);
        for other in [
            r#"{"type":"video"}"#,
            r#"{"type":5}"#,
            r#"{"type":5,"text":"x"}"#,
            r#"{"role":"user","content":{"type":[],"state":1}}"#,
        ] {
            assert_eq!(kind(other), MessageType::Unknown, "A8: {other}");
        }
        assert_eq!(kind(r#"{"type":null,"text":"x"}"#), MessageType::Text, "A8: a null type is absence");
        assert_eq!(kind(r#"{"type":null,"role":null,"content":{"type":null}}"#), MessageType::NotMessage);
        assert_eq!(kind(r#"{"role":"tool"}"#), MessageType::Unknown);
        assert_eq!(kind(r#"{"role":"user","content":"x"}"#), MessageType::Text);
        assert_eq!(kind(r#"{"content":[1]}"#), MessageType::Text);
        assert_eq!(kind(r#"{"text":"x"}"#), MessageType::Text);
        assert_eq!(kind(r#"{"role":"user","content":{"type":"plan"}}"#), MessageType::Plan);
        for none in ["5", "null", "[]", r#"{"a":1}"#, r#"{"content":5}"#] {
            assert_eq!(kind(none), MessageType::NotMessage, "{none}");
        }
    }

    #[test]
    fn every_type_has_its_number() {
        for (i, (t, _)) in MessageType::ALL.iter().enumerate() {
            assert_eq!((*t as usize, MessageType::numbered(i as u8)), (i, *t));
        }
    }

    #[test]
    fn finds_the_value_of_the_three_forms() {
        let value = |text: &str| ActsMessage::of(&parse(text).unwrap()).value().map(|v| compact(&v));
        assert_eq!(value(r#"{"type":"input","input":1,"data":2}"#).as_deref(), Some("1"));
        assert_eq!(value(r#"{"type":"input","data":null}"#).as_deref(), Some("null"));
        let rest = r#"{"type":"state","role":"boss","x":1,"_y":2,"kind":3,"x":4}"#;
        assert_eq!(value(rest).as_deref(), Some(r#"{"role":"boss","x":4}"#));
        assert_eq!(value(r#"{"type":"state","role":"user","_tick":3}"#), None);
        assert_eq!(value(r#"{"type":"error","error":"e"}"#).as_deref(), Some(r#"{"error":"e"}"#));
        assert_eq!(value(r#"{"type":"data"}"#), None);
    }

    #[test]
    fn a_wrapper_gives_role_and_underscored_keys() {
        let v = parse(r#"{"role":"system","_a":1,"b":2,"content":{"type":"input","_a":3}}"#).unwrap();
        let m = ActsMessage::of(&v);
        assert_eq!((m.role(), m.get("b").is_some()), ("system", false));
        assert_eq!(m.get("_a").unwrap().text, "3");
    }

    #[test]
    fn an_envelope_needs_no_type_and_a_list() {
        let is_envelope = |t: &str| matches!(Content::of(&parse(t).unwrap()), Content::Envelope(_));
        assert!(is_envelope(r#"{"messages":[]}"#) && is_envelope(r#"{"type":1,"context":[]}"#));
        assert!(!is_envelope(r#"{"type":"text","context":[]}"#) && !is_envelope(r#"{"context":{}}"#));
    }
}
