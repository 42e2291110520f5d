//! What a chat has of what the model said and did: parts as the editor shows them, and the rounds with the model that a
//! result has.

use crate::format::log::{count, first, first_text, items, text};
use crate::json::{Value, quote};
use crate::model::{Attachment, ToolCall, ToolResult, TurnPart};
use std::borrow::Cow;

/// How what came back from a tool begins that failed.
const FAILED: &str = "ERROR while calling tool";

/// Text by itself, or as the `value` of an object, or in a list.
pub(super) fn words_of<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    if let Some(text) = value.as_str() {
        return Cow::Borrowed(text);
    }
    if let Some(all) = value.as_array() {
        return Cow::Owned(all.iter().map(words_of).collect());
    }
    first(value, &["value", "text"]).map(words_of).unwrap_or_default()
}

/// The words of a part of a message: Markdown, or a place in a file that it names; None: it is something else.
pub(super) fn words_of_part<'v>(part: &'v Value<'v>) -> Option<Cow<'v, str>> {
    match text(part, "kind") {
        None => part.get("value").map(words_of),
        Some("markdownContent" | "markdownVuln") => first(part, &["content", "value"]).map(words_of),
        Some("inlineReference") => Some(reference(part).unwrap_or_default().into()),
        Some(_) => None,
    }
}

/// What a message shows for a place that it names.
fn reference<'v>(part: &'v Value<'v>) -> Option<&'v str> {
    let place = part.get("inlineReference")?;
    let name = text(part, "name").or_else(|| text(place, "name")).filter(|name| !name.is_empty());
    let path = || path_of(place).or_else(|| path_of(first(place, &["location", "uri"])?));
    name.or_else(|| path().and_then(|path| path.rsplit(['/', '\\']).next()))
}

/// The path of a URI as the editor writes it.
pub(super) fn path_of<'v>(uri: &'v Value<'v>) -> Option<&'v str> {
    let inner = uri.get("uri").filter(|inner| inner.as_object().is_some()).unwrap_or(uri);
    inner.as_str().or_else(|| first_text(inner, &["fsPath", "path", "external"]))
}

/// A file that the user gave with a question.
pub(super) fn attachment<'v>(variable: &'v Value<'v>) -> Option<TurnPart<'v>> {
    let kind = text(variable, "kind").filter(|kind| matches!(*kind, "file" | "directory" | "image"))?;
    let location = variable.get("value").and_then(path_of).or_else(|| text(variable, "name"));
    Some(TurnPart::Attachment(Attachment {
        media_type: kind.into(),
        location: location.map(Cow::Borrowed),
        bytes: variable.text.len() as u64,
    }))
}

/// Whether a part is a call of a tool.
pub(super) fn is_call(part: &Value<'_>) -> bool {
    matches!(text(part, "kind"), Some("toolInvocationSerialized" | "toolInvocation"))
}

/// The call of such a part. What the tool was given is not in it, but for some tools.
pub(super) fn call<'v>(part: &'v Value<'v>) -> ToolCall<'v> {
    ToolCall {
        id: text(part, "toolCallId").map(Cow::Borrowed),
        name: text(part, "toolId").unwrap_or("tool").into(),
        arguments: arguments(part).unwrap_or(Cow::Borrowed("{}")),
    }
}

fn arguments<'v>(part: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let data = part.get("toolSpecificData");
    let command = data.and_then(|data| {
        let line = first(data, &["commandLine", "command"])?;
        line.as_str().or_else(|| first_text(line, &["userEdited", "toolEdited", "original"]))
    });
    if let Some(command) = command {
        return Some(Cow::Owned(format!("{{\"command\":{}}}", quote(command))));
    }
    let raw = data.and_then(|data| data.get("rawInput")).filter(|raw| raw.as_object().is_some());
    let input = || part.get("resultDetails").and_then(|details| text(details, "input"));
    let input = raw.map(|raw| raw.text).or_else(|| input().filter(|input| input.trim_start().starts_with('{')));
    if let Some(input) = input {
        return Some(Cow::Borrowed(input));
    }
    let message = first(part, &["pastTenseMessage", "invocationMessage"]).map(words_of)?;
    Some(Cow::Owned(format!("{{\"message\":{}}}", quote(&message))))
}

/// Whether the call of such a part has ended.
pub(super) fn is_over(part: &Value<'_>) -> bool {
    part.get("isComplete").and_then(Value::as_bool) == Some(true) || is_refused(part)
}

/// Whether the user did not let the tool run.
fn is_refused(part: &Value<'_>) -> bool {
    let confirmed = part.get("isConfirmed");
    confirmed.is_some_and(|one| one.as_bool() == Some(false) || count(one, "type") == Some(0))
}

/// What came back, of such a part.
pub(super) fn result<'v>(part: &'v Value<'v>) -> ToolResult<'v> {
    let (details, data) = (part.get("resultDetails"), part.get("toolSpecificData"));
    let printed = data.and_then(|data| data.get("terminalCommandOutput")).map(words_of);
    let output = || details.and_then(output_of).filter(|text| !text.is_empty());
    let message = || first(part, &["pastTenseMessage", "invocationMessage"]).map(words_of);
    let refused = is_refused(part).then_some(Cow::Borrowed("The user did not let the tool run."));
    let failed = details.and_then(|details| details.get("isError")?.as_bool());
    let exit = data.and_then(|data| data.get("terminalCommandState")?.get("exitCode")?.as_number()?.parse().ok());
    ToolResult {
        id: text(part, "toolCallId").map(Cow::Borrowed),
        is_error: if refused.is_some() { Some(true) } else { failed },
        text: refused.or(printed).or_else(output).or_else(message).unwrap_or_default(),
        exit,
        ..ToolResult::default()
    }
}

/// What a tool gave back: its output, or the places that it found.
fn output_of<'v>(details: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let places = details.as_array().map(|places| places.iter().filter_map(path_of).collect::<Vec<_>>().join("\n"));
    if let Some(places) = places {
        return Some(places.into());
    }
    let output = details.get("output")?;
    let lines = output.as_array().map(|all| all.iter().map(words_of).collect::<Vec<_>>().join("\n").into());
    Some(lines.unwrap_or_else(|| words_of(output)))
}

/// What a part says that is neither a message nor a call, for people; None: nothing.
pub(super) fn note<'v>(part: &'v Value<'v>) -> Option<Cow<'v, str>> {
    if let Some(path) = part.get("uri").and_then(path_of).filter(|_| part.get("edits").is_some()) {
        let edits = items(part, "edits").iter().flat_map(|edits| edits.as_array().unwrap_or_default());
        let texts: Vec<&str> = edits.filter_map(|edit| text(edit, "text")).collect();
        return Some(format!("{path}\n{}", texts.join("\n")).into());
    }
    let words: Vec<Cow<'_, str>> = ["title", "message", "content", "value"]
        .iter()
        .filter_map(|key| part.get(key).map(words_of))
        .filter(|words| !words.trim().is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join("\n").into())
}

/// What came back from a tool of a round: texts, or trees of what the prompt has of it.
pub(super) fn round_result<'v>(value: &'v Value<'v>, call: &'v Value<'v>) -> ToolResult<'v> {
    let mut words = String::new();
    for content in items(value, "content") {
        if !words.is_empty() {
            words.push('\n');
        }
        match content.get("value").and_then(|value| value.get("node")) {
            Some(node) => add_node(node, &mut words, 0),
            None => words.push_str(&words_of(content)),
        }
    }
    let is_error = value.get("isError").and_then(Value::as_bool);
    ToolResult {
        id: text(call, "id").map(Cow::Borrowed),
        is_error: is_error.or_else(|| words.starts_with(FAILED).then_some(true)),
        text: words.into(),
        ..ToolResult::default()
    }
}

/// How deep such a tree is followed.
const DEPTH_MAX: usize = 64;

fn add_node(node: &Value<'_>, words: &mut String, depth: usize) {
    if let Some(line) = text(node, "text") {
        let is_new_line = node.get("lineBreakBefore").and_then(Value::as_bool) == Some(true);
        if is_new_line && !words.is_empty() && !words.ends_with('\n') {
            words.push('\n');
        }
        words.push_str(line);
    }
    if depth < DEPTH_MAX {
        items(node, "children").iter().for_each(|child| add_node(child, words, depth + 1));
    }
}
