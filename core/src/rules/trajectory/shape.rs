//! D2, D3: which of the four shapes a record has, and which version of the format.

use super::message::Message;
use super::{blocks, gemini};
use crate::json::{Data, Value};
use crate::model::StepRole;
use crate::model::cast;

/// D2: the shape of a record, by its content alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordShape {
    /// A standardized trajectory.
    Std,
    /// Messages with a speaker: SFT records, most raw data.
    Chat,
    /// A Harbor ATIF trajectory.
    Atif,
    /// Anything else: one step.
    Other,
}

impl RecordShape {
    /// The word for it in statistics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Std => "std",
            Self::Chat => "chat",
            Self::Atif => "atif",
            Self::Other => "other",
        }
    }
}

/// D2: the first shape that fits.
#[must_use]
pub fn shape(root: &Value<'_>) -> RecordShape {
    let Some(object) = root.as_object() else { return RecordShape::Other };
    let has = |key| object.get(key).is_some();
    if is_atif(root) {
        return RecordShape::Atif;
    }
    let messages = chat_pointer(root);
    let has_content = object.get("content").is_some_and(|c| c.as_array().is_some());
    let is_headed = has("schema_version") && has("id") && messages.is_none();
    if !has("role") && (has_content || is_headed) {
        RecordShape::Std
    } else if messages.is_some() {
        RecordShape::Chat
    } else {
        RecordShape::Other
    }
}

/// D2, point 1.
fn is_atif(root: &Value<'_>) -> bool {
    let Some(steps) = root.get("steps").and_then(Value::as_array) else { return false };
    let version = root.get("schema_version").and_then(Value::as_str);
    version.is_some_and(|v| v.starts_with("ATIF")) || steps.first().is_some_and(|s| s.get("step_id").is_some())
}

/// D2, point 3: pointers to arrays of messages, in the order in which they are tried.
pub(super) const CHATS: [&str; 3] = ["/conversations", "/messages", "/trajectory"];

/// D2, point 3: the array of messages, by its pointer.
#[must_use]
pub(in crate::rules) fn chat_pointer(root: &Value<'_>) -> Option<&'static str> {
    CHATS.into_iter().find(|pointer| match root.get(&pointer[1..]).map(|v| &v.data) {
        Some(Data::Array(messages)) => messages.iter().all(is_message),
        _ => false,
    })
}

/// The pointer to the messages of a conversation that D2 does not know: a bare array, `""`, or tau-bench's `traj`.
#[must_use]
pub fn bare_pointer(root: &Value<'_>) -> Option<&'static str> {
    let (pointer, messages) = if root.as_array().is_some() { ("", root) } else { ("/traj", root.get("traj")?) };
    (shape(root) == RecordShape::Other && is_bare_chat(messages)).then_some(pointer)
}

/// Whether a message is a content of Gemini's API that says something.
fn is_content(message: &Value<'_>) -> bool {
    let parts = gemini::parts(message).and_then(Value::as_array).unwrap_or_default();
    parts.iter().any(|part| gemini::block(part).is_some())
}

/// Whether a value is an array of messages with a known speaker and something said. Most speakers must be known, since
/// others than agents have roles too.
fn is_bare_chat(root: &Value<'_>) -> bool {
    let has_text = |m: &Value<'_>| {
        let texts = ["content", "value"].iter().filter_map(|key| m.get(key));
        let mut texts = texts.filter(|v| matches!(v.data, Data::String(_) | Data::Array(_) | Data::Null));
        texts.next().is_some() || m.get("tool_calls").is_some() || is_content(m)
    };
    let is_known = |m: &&Value<'_>| Message::of(m).role != StepRole::Unknown;
    let messages = root.as_array().unwrap_or_default();
    let known = messages.iter().filter(is_known).count();
    let is_item = |m: &Value<'_>| blocks::item(m).is_some();
    // Items of the Responses interface are between its messages.
    let items = messages.iter().filter(|m| is_item(m)).count();
    let are_known = known > 0 && known * 2 >= messages.len() - items;
    are_known && messages.iter().all(|m| is_item(m) || (is_message(m) && has_text(m)))
}

fn is_message(value: &Value<'_>) -> bool {
    ["from", "role"].iter().any(|key| value.get(key).is_some_and(|v| v.as_str().is_some()))
}

/// D3: the version of a standardized trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The `y` of the `1.y` that it is read as; None: from before versions.
    pub minor: Option<u8>,
    /// What is wrong with it.
    pub fault: Option<VersionFault>,
}

/// D3: what is wrong with a `schema_version`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionFault {
    /// `1.x.y` above the newest known.
    Newer,
    /// A string that is no known version.
    Unsupported,
    /// Not a string.
    NotText,
}

/// D3: the newest minor version that the rules know.
const NEWEST: u8 = 5;

impl Version {
    /// D3: reads `schema_version`.
    #[must_use]
    pub fn of(root: &Value<'_>) -> Self {
        let Some(value) = root.get("schema_version") else { return Self { minor: None, fault: None } };
        let Some(text) = value.as_str() else { return Self { minor: None, fault: Some(VersionFault::NotText) } };
        match parts(text) {
            Some((1, minor @ 0..=5, 0)) => Self { minor: Some(cast::to_u8(minor)), fault: None },
            Some((1, minor, _)) if minor >= u64::from(NEWEST) => Self::newest(VersionFault::Newer),
            _ => Self::newest(VersionFault::Unsupported),
        }
    }

    fn newest(fault: VersionFault) -> Self {
        Self { minor: Some(NEWEST), fault: Some(fault) }
    }

    /// D8: whether a strict reader rejects unknown fields.
    #[must_use]
    pub fn forbids_extra(self) -> bool {
        self.minor.is_some_and(|m| m >= 2)
    }

    /// D10: whether tool calls and results must be linked by id.
    #[must_use]
    pub fn links_calls(self) -> bool {
        self.minor.is_some_and(|m| m >= 3)
    }
}

/// Three decimal numbers without needless zeros; one too long to hold is the greatest.
fn parts(text: &str) -> Option<(u64, u64, u64)> {
    let mut numbers = text.split('.').map(|part| {
        let is_plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        (is_plain && (part == "0" || !part.starts_with('0'))).then(|| part.parse().unwrap_or(u64::MAX))
    });
    let three = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn shapes_are_recognised_by_content() {
        for (text, expect) in [
            (r#"{"id":"a","content":[]}"#, RecordShape::Std),
            (r#"{"role":"user","content":[]}"#, RecordShape::Other),
            (r#"{"schema_version":"1.0.0","id":"a"}"#, RecordShape::Std),
            (r#"{"schema_version":"1.0.0","id":"a","messages":[]}"#, RecordShape::Chat),
            (r#"{"messages":[{"role":"user"},{"x":1}]}"#, RecordShape::Other),
            (r#"{"conversations":[1],"trajectory":[{"from":"gpt"}]}"#, RecordShape::Chat),
            (r#"{"steps":[{"step_id":1}],"content":[]}"#, RecordShape::Atif),
            (r#"{"steps":[],"schema_version":"ATIF-v1.0"}"#, RecordShape::Atif),
            (r#"{"steps":[]}"#, RecordShape::Other),
            (r#"{"traj":[{"role":"user","content":"x"}],"reward":1}"#, RecordShape::Other),
            (r#"[{"role":"user","content":"x"}]"#, RecordShape::Other),
            ("[]", RecordShape::Other),
        ] {
            assert_eq!(shape(&parse(text).unwrap()), expect, "{text}");
        }
    }

    #[test]
    fn an_array_of_what_somebody_known_said_is_a_conversation() {
        for (text, expect) in [
            (r#"[{"role":"user","content":"x"}]"#, true),
            (r#"[{"role":"system","content":[]},{"role":"assistant","content":null,"tool_calls":[]}]"#, true),
            (r#"[{"from":"human","value":"x"},{"from":"gpt","value":"y"}]"#, true),
            (r#"[{"role":"exit","content":"x"},{"role":"user","content":"x"}]"#, true),
            (
                r#"[{"type":"message","role":"user","content":"x"},{"type":"reasoning","summary":[]},
                {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
                {"type":"function_call_output","call_id":"c","output":"y"}]"#,
                true,
            ),
            (
                r#"[{"role":"user","content":"x"},{"type":"web_search_call","id":"w","action":{"type":"search"}},
                {"type":"custom_tool_call","call_id":"c","name":"p","input":"x"},{"type":"mcp_list_tools","id":"l"},
                {"type":"custom_tool_call_output","call_id":"c","output":"y"},{"type":"compaction","id":"k"}]"#,
                true,
            ),
            (r#"[{"role":"user","content":"x"},{"type":"point","id":"w"}]"#, false),
            (r#"[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]"#, false),
            ("[]", false),
            (r#"[{"role":"user"}]"#, false),
            (r#"[{"role":"user","parts":[]}]"#, false),
            (r#"[{"role":"user","content":{"a":1}}]"#, false),
            (r#"[{"role":"admin","content":"x"},{"role":"guest","content":"x"},{"role":"user","content":"x"}]"#, false),
            (r#"[{"from":"a@b.c","content":"x"}]"#, false),
            (r#"[{"role":"user","content":"x"},{"content":"y"}]"#, false),
            (r#"[{"role":"user","content":"x"},7]"#, false),
            (r#"{"role":"user","content":"x"}"#, false),
        ] {
            assert_eq!(is_bare_chat(&parse(text).unwrap()), expect, "{text}");
        }
    }

    #[test]
    fn conversations_that_the_protocol_does_not_know_are_found() {
        for (text, expect) in [
            (r#"[{"role":"user","content":"x"}]"#, Some("")),
            (r#"{"traj":[{"role":"user","content":"x"}],"reward":1}"#, Some("/traj")),
            (r#"{"traj":[{"role":"user","content":"x"}],"messages":[]}"#, None),
            (r#"{"traj":[{"role":"user","content":"x"}],"id":"a","schema_version":"1.0.0"}"#, None),
            (r#"{"traj":[]}"#, None),
            (r#"{"traj":[[1,2],[3,4]]}"#, None),
            (r#"{"x":1}"#, None),
        ] {
            assert_eq!(bare_pointer(&parse(text).unwrap()), expect, "{text}");
        }
    }

    #[test]
    fn versions_are_known_newer_or_unsupported() {
        use VersionFault::{Newer, NotText, Unsupported};
        for (text, minor, fault) in [
            ("{}", None, None),
            (r#"{"schema_version":"1.0.0"}"#, Some(0), None),
            (r#"{"schema_version":"1.5.0"}"#, Some(5), None),
            (r#"{"schema_version":"1.5.1"}"#, Some(5), Some(Newer)),
            (r#"{"schema_version":"1.99999999999999999999.0"}"#, Some(5), Some(Newer)),
            (r#"{"schema_version":"1.2.1"}"#, Some(5), Some(Unsupported)),
            (r#"{"schema_version":"1.06.0"}"#, Some(5), Some(Unsupported)),
            (r#"{"schema_version":"1.2"}"#, Some(5), Some(Unsupported)),
            (r#"{"schema_version":null}"#, None, Some(NotText)),
        ] {
            assert_eq!(Version::of(&parse(text).unwrap()), Version { minor, fault }, "{text}");
        }
    }
}
