//! What a model sees of a trajectory: of a page its tree or its source and not both, of a message its words and calls.

use crate::json::Value;
use crate::rules::trajectory::{
    Body, Class, Item, Reading, TrajectoryStep, atif,
    text::{chars, is_blank, joined},
};

/// Bytes that a model sees of a conversation made of this record, about: the words of a template are left out.
#[must_use]
pub(super) fn visible_bytes(reading: &Reading<'_>) -> u64 {
    let prompt = reading.system_prompt().and_then(Value::as_str).map_or(0, str::len);
    (prompt + reading.entries.iter().map(entry_bytes).sum::<usize>()) as u64
}

fn entry_bytes(entry: &TrajectoryStep<'_>) -> usize {
    let below = |key: &str| entry.value.get(key).map_or(0, |value| chars(value, &[]));
    match &entry.body {
        Body::Item(item) => item_bytes(item),
        Body::Message(message) => {
            message.text.as_deref().map_or(0, str::len) + below("tool_calls") + below("function_call")
        }
        Body::Turn => {
            let results = atif::results(entry.value).filter_map(|result| result.get("content"));
            let texts = entry.value.get("message").into_iter().chain(results).filter_map(joined);
            texts.map(|text| text.len()).sum::<usize>() + below("tool_calls")
        }
        Body::Record => entry.chars,
    }
}

fn item_bytes(item: &Item<'_>) -> usize {
    let text_len = |name| item.text(name).filter(|text| !is_blank(text)).map(str::len);
    let below = |name| item.field(name).map_or(0, |field| chars(field.value, &[]));
    let thought = text_len("description").unwrap_or_default();
    match item.class {
        Some(Class::ApiAction) => thought + text_len("function").unwrap_or_default() + below("kwargs"),
        Some(Class::CodeAction | Class::MessageAction) => thought + text_len("content").unwrap_or_default(),
        Some(Class::WebObservation) => text_len("axtree").or_else(|| text_len("html")).unwrap_or_default(),
        Some(Class::TextObservation | Class::ImageObservation | Class::JsonObservation) => below("content"),
        None => chars(item.value, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_page_is_seen_once_and_a_picture_in_it_not_at_all() {
        let page = r#"{"class_":"web_observation","html":"<p>0123456789</p>","axtree":"tree","url":"u",
            "image_observation":{"content":"iVBORw0KGgoAAAANSUhEUg","source":"environment"},"viewport_size":null}"#;
        let bare = page.replace("\"tree\"", "null");
        for (text, bytes) in [
            (format!(r#"{{"id":"a","content":[{page}]}}"#), 4),
            (format!(r#"{{"id":"a","content":[{bare}]}}"#), 17),
            (
                r#"{"id":"a","content":[{"class_":"api_action","function":"go","kwargs":{"to":"abc"},
                "description":"so","reasoning_content":"hidden"}]}"#
                    .to_owned(),
                7,
            ),
            (
                r#"{"system":"s","messages":[{"role":"user","content":"né","tool_call_id":"long","mask":true},
                {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}"#
                    .to_owned(),
                7,
            ),
            (
                r#"{"steps":[{"step_id":1,"source":"agent","message":"m","reasoning_content":"hidden",
                "observation":{"results":[{"content":"out"}]}}]}"#
                    .to_owned(),
                4,
            ),
        ] {
            let value = parse(&text).unwrap();
            assert_eq!(visible_bytes(&Reading::of(&value)), bytes, "{text}");
        }
    }
}
