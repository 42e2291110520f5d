//! To whom a message's data belongs: kind and instance (A13, A14).

use super::finding::{BAD_INSTANCE, BAD_KIND, Note};
use super::message::{ActsMessage, MessageType};
use crate::json::{Data, Value};

/// The kind of messages without one (A13).
pub(super) const KINDLESS: &str = "data";

/// A13: the kind that a message names itself; None where it has none.
pub(super) fn kind(message: &ActsMessage<'_>, notes: &mut Vec<Note>) -> Option<String> {
    if message.kind != MessageType::Data {
        return Some(message.kind.name().to_owned());
    }
    let written = message.get("kind").filter(|k| !k.is_null())?;
    match written.as_str() {
        Some(kind) if !kind.is_empty() => Some(kind.to_owned()),
        _ => {
            let text = format!("`kind` is {}, not a non-empty string; it counts as absent", brief(written));
            notes.push(Note::new(BAD_KIND, text));
            None
        }
    }
}

/// A14: the instance, looked for on the message, on its `_call`, then in its value.
pub(super) fn instance(message: &ActsMessage<'_>, value: Option<&Value<'_>>, notes: &mut Vec<Note>) -> Option<String> {
    let places = [message.get("_instance"), message.call("_instance"), value.and_then(|v| v.get("_instance"))];
    for written in places.into_iter().flatten().filter(|v| !v.is_null()) {
        if let Some(name) = instance_name(written) {
            return Some(name);
        }
        let text = format!("`_instance` is {}, not a non-empty string or a number; it is skipped", brief(written));
        notes.push(Note::new(BAD_INSTANCE, text));
    }
    None
}

/// A14: a value as the name of an instance.
pub(super) fn instance_name(value: &Value<'_>) -> Option<String> {
    match &value.data {
        Data::String(s) if !s.is_empty() => Some(s.to_string()),
        Data::Number => Some(value.text.to_owned()),
        _ => None,
    }
}

/// A value in a sentence: short, or its type.
pub(super) fn brief(value: &Value<'_>) -> String {
    if value.text.len() <= 40 { value.text.to_owned() } else { format!("a long {}", value.type_name()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn instance_of(text: &str) -> (Option<String>, usize) {
        let v = parse(text).unwrap();
        let m = ActsMessage::of(&v);
        let mut notes = Vec::new();
        let found = instance(&m, m.value().as_deref(), &mut notes);
        (found, notes.len())
    }

    #[test]
    fn an_instance_is_looked_for_in_envelope_call_and_data() {
        assert_eq!(instance_of(r#"{"type":"data","_instance":1,"data":{"_instance":"b"}}"#), (Some("1".into()), 0));
        let call = r#"{"type":"data","_instance":true,"_call":{"_instance":"c"},"data":{"_instance":"b"}}"#;
        assert_eq!(instance_of(call), (Some("c".into()), 1));
        assert_eq!(instance_of(r#"{"type":"data","_instance":null,"data":{"_instance":""}}"#), (None, 1));
    }

    #[test]
    fn a_bad_kind_counts_as_absent() {
        let v = parse(r#"{"type":"data","kind":7}"#).unwrap();
        let mut notes = Vec::new();
        assert_eq!((kind(&ActsMessage::of(&v), &mut notes), notes.len()), (None, 1));
    }
}
