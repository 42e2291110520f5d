//! Whether a message speaks for Agent/Data when the format of a file is detected (A8, last section of `CLI.md`).

use super::message::{ActsMessage, MessageType};
use crate::json::{Data, Value};

/// Members that only this protocol has.
const MARKS: [&str; 5] = ["_instance", "_call", "_tick", "_outputPath", "_outputMethod"];

/// How much a message says for the protocol, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// Nothing: a type alone is common in the logs of other agents.
    Nothing,
    /// It has a type of the protocol together with the type's own member or a mark of the protocol.
    Typed,
    /// It also carries state: an input, state or plan whose payload is a container, or data that is one or has a kind.
    State,
}

impl Claim {
    /// A8: what a message says for the protocol.
    #[must_use]
    pub fn of(message: &ActsMessage<'_>) -> Self {
        let has = |key: &&str| message.get(key).is_some();
        let is_typed = type_members(message).iter().any(&has) || MARKS.iter().any(has);
        match message.text("type").and_then(MessageType::named) {
            Some(_) if is_typed && carries_state(message) => Self::State,
            Some(_) if is_typed => Self::Typed,
            _ => Self::Nothing,
        }
    }
}

/// The members of which a message of its type has one.
fn type_members<'m>(message: &ActsMessage<'_>) -> [&'m str; 3] {
    let name = message.kind.name();
    match message.kind {
        MessageType::Text => ["text", "content", "text"],
        MessageType::Input | MessageType::State | MessageType::Error => [name, "data", name],
        MessageType::Plan => ["plan", "calls", "plan"],
        MessageType::System => ["text", "message", "content"],
        MessageType::Advisor => ["id", "role", "id"],
        _ => [name, name, name],
    }
}

fn carries_state(message: &ActsMessage<'_>) -> bool {
    let is_container = |value: &Value<'_>| matches!(value.data, Data::Object(_) | Data::Array(_) | Data::Deep);
    let holds = |key: &str| message.get(key).is_some_and(is_container);
    match message.kind {
        MessageType::Input | MessageType::State => message.value().is_some_and(|value| is_container(&value)),
        MessageType::Plan => holds("plan") || holds("calls"),
        MessageType::Data => holds("data") || message.text("kind").is_some_and(|kind| !kind.is_empty()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_type_counts_together_with_its_own_member() {
        let claim = |text: &str| Claim::of(&ActsMessage::of(&parse(text).unwrap()));
        for text in [
            "5",
            r#"{"type":"state"}"#,
            r#"{"type":"text","timestamp":1,"part":{"text":"Hi"}}"#,
            r#"{"type":"error","message":"disk full"}"#,
            r#"{"type":"tool","id":"t1","name":"bash"}"#,
            r#"{"type":"data","value":{"a":1},"kind":"k"}"#,
            r#"{"type":"state","_date":"d"}"#,
            r#"{"role":"user","text":"x","data":{}}"#,
            r#"{"type":"info","data":{}}"#,
            r#"{"type":5,"state":{}}"#,
        ] {
            assert_eq!(claim(text), Claim::Nothing, "{text}");
        }
        for text in [
            r#"{"type":"text","content":"x"}"#,
            r#"{"type":"system","message":"x"}"#,
            r#"{"type":"state","state":"running"}"#,
            r#"{"type":"error","error":{"code":1}}"#,
            r#"{"type":"data","data":"line","kind":""}"#,
            r#"{"type":"plan","plan":"first this, then that"}"#,
            r#"{"type":"advisor","id":"a"}"#,
            r#"{"type":"call","_call":{}}"#,
            r#"{"type":"meta","_tick":1}"#,
        ] {
            assert_eq!(claim(text), Claim::Typed, "{text}");
        }
        for text in [
            r#"{"type":"state","state":[]}"#,
            r#"{"type":"input","data":{}}"#,
            r#"{"type":"state","_tick":1,"open":true}"#,
            r#"{"type":"plan","calls":[]}"#,
            r#"{"type":"data","data":5,"kind":"count"}"#,
            r#"{"type":"data","data":[1]}"#,
            r#"{"role":"user","content":{"type":"input","input":{"x":1}}}"#,
        ] {
            assert_eq!(claim(text), Claim::State, "{text}");
        }
    }
}
