//! What a model sees of a trajectory: the system prompt, words, thoughts, calls with their arguments, results; of a
//! page its tree or its source and not both.

use super::text::{is_blank, joined};
use super::{Body, Class, Hint, Item, Reading, TrajectoryStep, turn};
use crate::model::TurnPart;

/// Bytes that a model sees of a conversation made of this record, about: the words of a template are left out.
#[must_use]
pub fn visible_bytes(reading: &Reading<'_>) -> u64 {
    let mut bytes = 0;
    each_visible_text(reading, &mut |text| bytes += text.len() as u64);
    bytes
}

/// The texts that a model sees of a record, without what a template puts around them and ids of calls.
pub fn each_visible_text(reading: &Reading<'_>, visit: &mut dyn FnMut(&str)) {
    reading.system_prompt().and_then(joined).iter().for_each(|prompt| visit(prompt));
    reading.entries.iter().for_each(|entry| texts(entry, visit));
}

fn texts(entry: &TrajectoryStep<'_>, visit: &mut dyn FnMut(&str)) {
    match &entry.body {
        Body::Record => entry.texts(visit),
        Body::Item(item) if item.class == Some(Class::WebObservation) => page(item).into_iter().for_each(visit),
        Body::Item(item) if item.class.is_none() => entry.texts(visit),
        _ => turn(entry, Hint::None).parts.iter().for_each(|part| part_texts(part, visit)),
    }
}

fn part_texts(part: &TurnPart<'_>, visit: &mut dyn FnMut(&str)) {
    match part {
        TurnPart::Text(text) | TurnPart::Thought(text) => visit(text),
        TurnPart::Call(call) => {
            visit(&call.name);
            visit(&call.arguments);
        }
        TurnPart::Result(result) => visit(&result.text),
        TurnPart::Attachment(_) => {}
    }
}

fn page<'i>(item: &'i Item<'_>) -> Option<&'i str> {
    let text = |name| item.text(name).filter(|text| !is_blank(text));
    text("axtree").or_else(|| text("html"))
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
                "description":"so","reasoning_content":"thought"}]}"#
                    .to_owned(),
                2 + 12 + 2 + 7,
            ),
            (
                r#"{"system":"s","messages":[{"role":"user","content":"né","tool_call_id":"long","mask":true},
                {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}"#
                    .to_owned(),
                7,
            ),
            (
                r#"{"steps":[{"step_id":1,"source":"agent","message":"m","reasoning_content":"thought",
                "observation":{"results":[{"content":"out"}]}}]}"#
                    .to_owned(),
                1 + 7 + 3,
            ),
            (
                r#"{"messages":[{"role":"assistant","reasoning_content":"why",
                "content":[{"type":"thinking","thinking":"so"},
                {"type":"text","text":"I"},{"type":"tool_use","id":"long","name":"ls","input":{"d":1}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"long","content":"a.txt"}]}]}"#
                    .to_owned(),
                3 + 2 + 1 + 2 + 7 + 5,
            ),
        ] {
            let value = parse(&text).unwrap();
            assert_eq!(visible_bytes(&Reading::of(&value)), bytes, "{text}");
        }
    }
}
