//! What a message of ChatGPT says: contents of about twenty types.

use crate::format::log::{first_text, items, text};
use crate::json::{self, Data, Value};
use crate::model::{Attachment, StepRole, ToolCall, ToolResult, Turn, TurnPart, cast};
use std::borrow::Cow;
use std::collections::HashSet;

/// The type of a message's content.
pub(super) fn class<'v>(message: &'v Value<'_>) -> &'v str {
    message.get("content").and_then(|content| text(content, "content_type")).unwrap_or("message")
}

/// The tool to which a message is addressed.
pub(super) fn tool<'v>(message: &'v Value<'_>) -> Option<&'v str> {
    text(message, "recipient").filter(|recipient| !matches!(*recipient, "" | "all" | "assistant" | "user"))
}

/// Whether a message is about the conversation: what the user wants the model to know of them.
pub(super) fn is_instructions(message: &Value<'_>) -> bool {
    matches!(class(message), "user_editable_context" | "model_editable_context")
}

/// Whether people do not see a message.
pub(super) fn is_hidden(message: &Value<'_>) -> bool {
    let metadata = message.get("metadata");
    let is_hidden = metadata.and_then(|data| data.get("is_visually_hidden_from_conversation")?.as_bool());
    is_hidden == Some(true)
}

/// Whether a message has neither words nor files.
pub(super) fn is_empty(message: &Value<'_>) -> bool {
    parts(message).iter().all(|part| matches!(part, TurnPart::Text(text) if text.is_empty()))
}

/// The texts and files of a message, in order; files that are only named come last.
pub(super) fn parts<'v>(message: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let Some(content) = message.get("content") else { return Vec::new() };
    let listed = content.get("parts").and_then(Value::as_array);
    let mut all: Vec<TurnPart<'v>> = match listed {
        Some(parts) => parts.iter().filter_map(part).collect(),
        None => std::iter::once(words(content)).filter(|words| !words.is_empty()).map(TurnPart::Text).collect(),
    };
    let shown: HashSet<&str> =
        listed.unwrap_or_default().iter().filter_map(|part| text(part, "asset_pointer").map(file_name)).collect();
    let files = message.get("metadata").map_or(&[][..], |data| items(data, "attachments"));
    let others = files.iter().filter(|file| !text(file, "id").is_some_and(|id| shown.contains(id)));
    all.extend(others.map(|file| {
        TurnPart::Attachment(Attachment {
            media_type: first_text(file, &["mimeType", "mime_type"]).unwrap_or("file").into(),
            location: first_text(file, &["name", "id"]).map(Cow::Borrowed),
            bytes: 0,
        })
    }));
    all
}

/// What follows the scheme of an address such as `file-service://file-1`.
fn file_name(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, name)| name)
}

/// A piece of a message: a text, a picture, a sound. An empty text is none.
fn part<'v>(part: &'v Value<'v>) -> Option<TurnPart<'v>> {
    if let Some(words) = part.as_str() {
        return (!words.is_empty()).then_some(TurnPart::Text(Cow::Borrowed(words)));
    }
    let class = text(part, "content_type").unwrap_or_default();
    if let Some(media) = class.strip_suffix("_asset_pointer") {
        let sound = part.get("audio_asset_pointer").unwrap_or(part);
        return Some(TurnPart::Attachment(Attachment {
            media_type: Cow::Borrowed(media),
            location: text(sound, "asset_pointer").map(Cow::Borrowed),
            bytes: 0,
        }));
    }
    let words = words(part);
    (!words.is_empty() && !part.is_null()).then_some(TurnPart::Text(words))
}

/// What a content without parts says. One of an unknown shape is JSON.
fn words<'v>(content: &'v Value<'v>) -> Cow<'v, str> {
    let of = |keys: &[&str], between: &str| {
        let found: Vec<&str> =
            keys.iter().filter_map(|key| text(content, key)).filter(|words| !words.is_empty()).collect();
        match found[..] {
            [only] => Cow::Borrowed(only),
            _ => Cow::Owned(found.join(between)),
        }
    };
    match text(content, "content_type").unwrap_or_default() {
        "thoughts" => thoughts(content),
        "user_editable_context" => of(&["user_profile", "user_instructions"], "\n\n"),
        "tether_quote" | "sonic_webpage" => of(&["title", "url", "text"], "\n"),
        "tether_browsing_display" => of(&["result", "summary"], "\n"),
        "system_error" => of(&["name", "text"], ": "),
        _ => {
            let known = ["text", "result", "content", "model_set_context", "summary"];
            match known.iter().find_map(|key| text(content, key)) {
                Some(words) => Cow::Borrowed(words),
                None if content.as_object().is_some_and(|object| object.entries().count() < 2) => Cow::Borrowed(""),
                None => Cow::Owned(json::compact(content)),
            }
        }
    }
}

/// Thoughts, each a heading and what was thought.
fn thoughts<'v>(content: &'v Value<'v>) -> Cow<'v, str> {
    let words = items(content, "thoughts").iter().flat_map(|thought| {
        let texts = ["summary", "content"].map(|key| text(thought, key).unwrap_or_default());
        texts.into_iter().filter(|words| !words.is_empty())
    });
    Cow::Owned(words.collect::<Vec<_>>().join("\n"))
}

/// What a message says as a thought.
pub(super) fn thought<'v>(message: &'v Value<'v>) -> Cow<'v, str> {
    joined(parts(message)).0
}

/// The texts of parts, joined by LF, and the files among them.
fn joined(parts: Vec<TurnPart<'_>>) -> (Cow<'_, str>, Vec<TurnPart<'_>>) {
    let (texts, files): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| matches!(part, TurnPart::Text(_)));
    let mut texts = texts.into_iter().filter_map(|part| match part {
        TurnPart::Text(words) => Some(words),
        _ => None,
    });
    let words = match (texts.next(), texts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => only,
        (Some(one), Some(two)) => {
            let rest = [one, two].into_iter().chain(texts);
            Cow::Owned(rest.collect::<Vec<_>>().join("\n"))
        }
    };
    (words, files)
}

/// What is addressed to a tool: JSON of its arguments, or a text such as code.
pub(super) fn call<'v>(message: &'v Value<'v>, id: Option<&'v str>) -> ToolCall<'v> {
    let words = joined(parts(message)).0;
    let is_object = words.trim_start().starts_with('{') && json::parse_lenient(&words).is_ok();
    let arguments = if is_object { words } else { Cow::Owned(json::quote(&words)) };
    ToolCall { id: id.map(Cow::Borrowed), name: Cow::Borrowed(tool(message).unwrap_or("?")), arguments }
}

/// What came back from a call: messages, and the id of the call.
pub(super) fn results<'v>(values: &[&'v Value<'v>]) -> Turn<'v> {
    let messages = || values.iter().copied().filter(|value| !matches!(value.data, Data::String(_)));
    let (words, files) = joined(messages().flat_map(parts).collect());
    let name = messages().find_map(|message| message.get("author").and_then(|author| text(author, "name")));
    let outcomes = || messages().filter_map(outcome);
    let result = ToolResult {
        id: values.iter().find_map(|value| value.as_str()).map(Cow::Borrowed),
        name: name.map(Cow::Borrowed),
        text: words,
        is_error: outcomes().max(),
        ms: messages().find_map(duration),
        ..ToolResult::default()
    };
    Turn { role: StepRole::Environment, ..Turn::answer(result, files) }
}

/// Whether a tool failed, where its message says how it went.
fn outcome(message: &Value<'_>) -> Option<bool> {
    if class(message) == "system_error" {
        return Some(true);
    }
    let run = message.get("metadata").and_then(|data| data.get("aggregate_result"))?;
    match text(run, "status")? {
        "success" => Some(false),
        status => status.starts_with("failed").then_some(true),
    }
}

/// How long code ran, in milliseconds.
fn duration(message: &Value<'_>) -> Option<u64> {
    let metadata = message.get("metadata")?;
    let run = metadata.get("aggregate_result")?;
    let seconds = |key: &str| run.get(key)?.as_number()?.parse::<f64>().ok();
    let passed = seconds("end_time").zip(seconds("start_time")).map(|(end, start)| (end - start) * 1000.0);
    passed.filter(|ms| *ms >= 0.0).map(|ms| cast::f64_to_u64(ms.round()))
}
