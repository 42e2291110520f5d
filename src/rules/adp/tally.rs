//! D22: the calls of a record by tool, or an outline of its steps, and nothing else of it.
//!
//! Most records are standardized trajectories that spell everything as they should: of those only the three members of
//! an item that name its tool are read, and all else is passed over. Whatever could be meant otherwise is read in full.

use super::examine::{Examined, Glance, measure, read_text};
use super::reading::Reading;
use super::repeat::RepeatKeys;
use super::stats::{Counts, TrajectoryStats, add, count};
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
        calls.iter().filter_map(|(_, tool)| tool.as_ref()).for_each(|tool| add(counts, tool, 1));
        return true;
    }
    let Ok(root) = read_text(record, text) else { return false };
    let calls = Reading::of(&root).entries;
    let tools = count(calls.iter().flat_map(|entry| &entry.calls).map(|call| call.tool.as_ref()));
    tools.iter().for_each(|(tool, n)| add(counts, tool, *n));
    true
}

/// D22: the steps of a record, their classes and tools; of a record that needs a closer look all that
/// [`measure`] tells.
#[must_use]
pub fn outline(record: &Record, text: &[u8]) -> Examined {
    let items = if record.body == RecordBody::Text { plain(text) } else { None };
    let Some(items) = items else { return measure(record, text) };
    let stats = TrajectoryStats {
        record: record.number,
        steps: items.len() as u64,
        classes: count(items.iter().map(|(class, _)| *class)),
        tools: count(items.iter().filter_map(|(_, tool)| tool.as_deref())),
        ..TrajectoryStats::default()
    };
    let (found, keys, glance) = (Vec::new(), RepeatKeys::default(), Some(Glance::default()));
    Examined { record: record.number, found, stats: Some(stats), keys, glance }
}

/// The class of an item, and the tool that it calls, if it does.
type Step<'a> = (&'static str, Option<Cow<'a, str>>);

/// The items of a record that is plainly a standardized trajectory.
fn plain(text: &[u8]) -> Option<Vec<Step<'_>>> {
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

/// Items; None where one needs a closer look.
struct Items<'a>(Option<Vec<Step<'a>>>);

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
                let mut steps = Some(Vec::new());
                while let Some(item) = items.next_element::<Named<'a>>()? {
                    match (step(item), &mut steps) {
                        (Some(step), Some(steps)) => steps.push(step),
                        _ => steps = None,
                    }
                }
                Ok(Items(steps))
            }
        }
        from.deserialize_seq(Each(PhantomData))
    }
}

/// An item as a step; None where that needs a closer look.
fn step(item: Named<'_>) -> Option<Step<'_>> {
    Some(match item.class_.as_ref() {
        "api_action" => ("api_action", Some(item.function?.0)),
        "code_action" => ("code_action", Some(format!("code:{}", item.language?.0).into())),
        "message_action" => ("message_action", None),
        "text_observation" => ("text_observation", None),
        "image_observation" => ("image_observation", None),
        "web_observation" => ("web_observation", None),
        "json_observation" => ("json_observation", None),
        _ => return None,
    })
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
            let told = |examined: Examined| examined.stats.map(|stats| (stats.steps, stats.classes, stats.tools));
            let record = Record { number: 0, place: Place::default(), body: RecordBody::Text };
            let bytes = text.as_bytes();
            assert_eq!(told(outline(&record, bytes)), told(measure(&record, bytes)), "{text}");
            calls += full.map_or(0, |tools| tools.values().sum());
        }
        assert!(calls > 20);
    }
}
