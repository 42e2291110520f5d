//! D22: the calls of a record by tool, and nothing else of it.
//!
//! Most records are standardized trajectories that spell everything as they should: of those only the three members of
//! an item that name its tool are read, and all else is passed over. Whatever could be meant otherwise is read in full.

use super::examine::read_text;
use super::reading::Reading;
use super::stats::{Counts, add, count};
use crate::model::{Record, RecordBody};
use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// D22: counts the calls of one record; false for a record that cannot be read.
pub fn tally(record: &Record, text: &[u8], counts: &mut Counts) -> bool {
    if record.body == RecordBody::Text
        && let Some(calls) = plain(text)
    {
        calls.iter().for_each(|tool| add(counts, tool, 1));
        return true;
    }
    let Ok(root) = read_text(record, text) else { return false };
    let calls = Reading::of(&root).entries;
    let tools = count(calls.iter().flat_map(|entry| &entry.calls).map(|call| call.tool.as_ref()));
    tools.iter().for_each(|(tool, n)| add(counts, tool, *n));
    true
}

/// The tools of a record that is plainly a standardized trajectory.
fn plain(text: &[u8]) -> Option<Vec<Cow<'_, str>>> {
    let text = std::str::from_utf8(text).ok()?;
    // An escaped surrogate may have no partner, which those who pass over a string do not see.
    if [b"\\ud", b"\\uD"].iter().any(|escape| memmem::find(text.as_bytes(), *escape).is_some()) {
        return None;
    }
    let root: Root<'_> = serde_json::from_str(text).ok()?;
    let is_other = [&root.role, &root.steps, &root.conversations, &root.messages, &root.trajectory];
    if is_other.iter().any(|key| key.is_some()) {
        return None;
    }
    root.content?.0
}

/// The members of a record that say what it is. A member that comes twice is an error, and read in full.
#[derive(Deserialize)]
struct Root<'a> {
    #[serde(borrow)]
    content: Option<Items<'a>>,
    role: Option<IgnoredAny>,
    steps: Option<IgnoredAny>,
    conversations: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    trajectory: Option<IgnoredAny>,
}

/// The tools that items call; None where one needs a closer look.
struct Items<'a>(Option<Vec<Cow<'a, str>>>);

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    class_: Cow<'a, str>,
    #[serde(borrow, default)]
    function: Option<Text<'a>>,
    #[serde(borrow, default)]
    language: Option<Text<'a>>,
}

/// A string, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Each<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Each<'a> {
            type Value = Items<'a>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an array of items")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Items<'a>, A::Error> {
                let mut tools = Some(Vec::new());
                while let Some(item) = items.next_element::<Named<'a>>()? {
                    match (tool(item), &mut tools) {
                        (Ok(found), Some(tools)) => tools.extend(found),
                        _ => tools = None,
                    }
                }
                Ok(Items(tools))
            }
        }
        from.deserialize_seq(Each(PhantomData))
    }
}

/// The tool that an item calls, if it does; an error where that needs a closer look.
fn tool(item: Named<'_>) -> Result<Option<Cow<'_, str>>, ()> {
    match item.class_.as_ref() {
        "api_action" => item.function.map(|name| Some(name.0)).ok_or(()),
        "code_action" => item.language.map(|name| Some(format!("code:{}", name.0).into())).ok_or(()),
        "message_action" | "text_observation" | "image_observation" | "web_observation" | "json_observation" => {
            Ok(None)
        }
        _ => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    fn both(text: &str) -> (Option<Counts>, Option<Counts>) {
        let record = Record { number: 0, place: Place::default(), body: RecordBody::Text };
        let mut fast = Counts::new();
        let is_read = tally(&record, text.as_bytes(), &mut fast);
        let full = read_text(&record, text.as_bytes()).ok().map(|root| {
            let reading = Reading::of(&root);
            count(reading.entries.iter().flat_map(|e| &e.calls).map(|c| c.tool.as_ref()))
        });
        (is_read.then_some(fast), full)
    }

    #[test]
    fn tells_what_the_full_reading_tells() {
        let item = |item: &str| format!("{{\"id\":\"a\",\"content\":[{item}]}}");
        let call = r#"{"class_":"api_action","function":"f","kwargs":{}}"#;
        let odd = [
            r#"{"class_":"api_action","function":"f\u0041","kwargs":{"x":"\ud83d\ude00"}}"#,
            r#"{"class_":"api_action","function":"f","kwargs":{"x":"\ud83d"}}"#,
            r#"{"class_":"api_action","function":7,"kwargs":{}}"#,
            r#"{"class_":"api_action","function":null,"kwargs":{}}"#,
            r#"{"class_":"api_action","kwargs":{}}"#,
            r#"{"class_":"ApiAction","function":"f","args":{}}"#,
            r#"{"class":"api_action","function":"f","kwargs":{}}"#,
            r#"{"function":"f","kwargs":{}}"#,
            r#"{"class_":"api_action","class_":"message_action","function":"f","content":"x"}"#,
            r#"{"class_":"api_action","function":"f","function":"g","kwargs":{}}"#,
            r#"{"class_":"code_action","language":"py\"thon","content":"x"}"#,
            r#"{"class_":"code_action","content":"x"}"#,
            r#"{"class_":"message_action","content":"x","function":"f"}"#,
            r#"{"class_":"nonsense"}"#,
            r#"{"class_":7}"#,
            "7",
            "[",
            "",
        ];
        let items = odd.iter().map(|odd| item(odd)).chain(odd.iter().map(|odd| item(&format!("{call},{odd}"))));
        let roots = [
            format!(r#"{{"content":[{call}],"role":"user"}}"#),
            format!(r#"{{"content":[{call}],"steps":[{{"step_id":1}}]}}"#),
            format!(r#"{{"content":[{call}],"content":[]}}"#),
            format!(r#"{{"content":{call}}}"#),
            r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]}"#.to_owned(),
            format!("[{call}]"),
            "{}".to_owned(),
            "NaN".to_owned(),
        ];
        let mut calls = 0;
        for text in items.chain(roots) {
            let (fast, full) = both(&text);
            assert_eq!(fast, full, "{text}");
            calls += full.map_or(0, |tools| tools.values().sum());
        }
        assert!(calls > 20);
    }
}
