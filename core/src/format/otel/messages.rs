//! The messages of one request to a model, in the spellings of the conventions: what it was asked with, its history
//! included, and what it answered.

use super::attributes::{attribute, attribute_text, plain, plain_list};
use super::mlflow;
use crate::format::log::{first, first_text, items, role_of, text, text_of};
use crate::json::{self, Data, Value};
use crate::model::{Attachment, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;

/// Most messages, and calls or parts of one, that are looked for under numbered names.
const NUMBERED_MAX: usize = 4096;

/// The event that has the messages of a request where the attributes of the span do not.
pub(super) const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// Events that are a message each, and who speaks where they do not say it.
const EVENTS: [(&str, StepRole); 5] = [
    ("gen_ai.system.message", StepRole::System),
    ("gen_ai.user.message", StepRole::User),
    ("gen_ai.assistant.message", StepRole::Agent),
    ("gen_ai.tool.message", StepRole::Environment),
    ("gen_ai.choice", StepRole::Agent),
];

/// Who speaks in an event of this name; None: it is no message.
pub(super) fn speaker(event: &str) -> Option<StepRole> {
    EVENTS.iter().find(|(name, _)| *name == event).map(|(_, role)| *role)
}

/// The messages of a span of a model, or of the event that has its details, in order.
pub(super) fn messages(span: &Value<'_>) -> Vec<Turn<'static>> {
    let ways: [&dyn Fn() -> Vec<Turn<'static>>; 6] = [
        &|| conventional(span),
        &|| of_ai_sdk(span),
        &|| numbered(span, "llm.input_messages", "llm.output_messages", ".message"),
        &|| numbered(span, "gen_ai.prompt", "gen_ai.completion", ""),
        &|| of_events(span),
        &|| mlflow::messages(span),
    ];
    ways.into_iter().map(|way| way()).find(|turns| !turns.is_empty()).unwrap_or_default()
}

/// `gen_ai.system_instructions`, `gen_ai.input.messages` and `gen_ai.output.messages`, of the span or of its events.
fn conventional(span: &Value<'_>) -> Vec<Turn<'static>> {
    let found = |name: &str| attribute(span, &[name]).or_else(|| detail(span, name));
    let of = |name: &str, role| found(name).map(|value| turns(value, role)).unwrap_or_default();
    let (asked, answered) =
        (of("gen_ai.input.messages", StepRole::User), of("gen_ai.output.messages", StepRole::Agent));
    if asked.is_empty() && answered.is_empty() {
        return Vec::new();
    }
    let instructions = found("gen_ai.system_instructions").and_then(system);
    instructions.into_iter().chain(asked).chain(answered).collect()
}

/// What the events with the details of a request say under a name: one event may say all, or each a part of it.
pub(super) fn detail<'v, 'a>(span: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    let details = items(span, "events").iter().rev().filter(|event| text(event, "name") == Some(DETAILS));
    details.into_iter().find_map(|event| attribute(event, &[name]))
}

/// Instructions are parts, or a text.
fn system(value: &Value<'_>) -> Option<Turn<'static>> {
    let parts = with_json(value, &|value| match &value.data {
        Data::Array(all) => all.iter().flat_map(|part| parts_of(part, StepRole::System)).collect(),
        _ => words(value),
    });
    (!parts.is_empty()).then(|| Turn::of(StepRole::System, parts))
}

/// `ai.prompt.messages`, and the answer in attributes of its own.
fn of_ai_sdk(span: &Value<'_>) -> Vec<Turn<'static>> {
    let Some(asked) = attribute(span, &["ai.prompt.messages"]) else { return Vec::new() };
    let mut all = turns(asked, StepRole::User);
    let mut parts: Vec<TurnPart<'static>> = Vec::new();
    let text_of_attribute =
        |name: &str| attribute_text(span, &[name]).filter(|text| !text.is_empty()).map(str::to_owned);
    parts.extend(text_of_attribute("ai.response.reasoning").map(|text| TurnPart::Thought(Cow::Owned(text))));
    let words = text_of_attribute("ai.response.text").or_else(|| text_of_attribute("ai.response.object"));
    parts.extend(words.map(|text| TurnPart::Text(Cow::Owned(text))));
    if let Some(calls) = attribute(span, &["ai.response.toolCalls"]) {
        let all = |calls: &Value<'_>| calls.as_array().unwrap_or_default().iter().map(call).collect::<Vec<_>>();
        parts.extend(with_json(calls, &all));
    }
    if !parts.is_empty() {
        all.push(Turn::of(StepRole::Agent, parts));
    }
    all
}

/// Messages of older events of a span.
fn of_events(span: &Value<'_>) -> Vec<Turn<'static>> {
    let names = ["message", "gen_ai.completion", "gen_ai.prompt", "gen_ai.event.content", "content"];
    let of = |event: &Value<'_>| match text(event, "name")? {
        "gen_ai.content.prompt" => Some(turns(attribute(event, &names)?, StepRole::User)),
        "gen_ai.content.completion" => Some(turns(attribute(event, &names)?, StepRole::Agent)),
        name => {
            let role = speaker(name)?;
            let body = attribute(event, &["message", "gen_ai.event.content"]).filter(|body| !body.is_null());
            let Some(attributes) = event.get("attributes").filter(|_| body.is_none()) else {
                return body.map(|body| of_body(body, role));
            };
            let listed = plain_list(attributes).and_then(|text| Some(of_body(&json::parse_lenient(&text).ok()?, role)));
            Some(listed.unwrap_or_else(|| of_body(attributes, role)))
        }
    };
    items(span, "events").iter().filter_map(of).flatten().collect()
}

/// What the body of an event says: a message, in `message` where it is a choice, or a text.
pub(super) fn of_body(body: &Value<'_>, role: StepRole) -> Vec<Turn<'static>> {
    with_json(body, &|body| {
        let inner = body.get("message").filter(|inner| inner.as_object().is_some()).unwrap_or(body);
        let mut all = message(inner, role);
        // Older ones have the calls beside the message, which may say nothing else.
        let beside = if std::ptr::eq(inner, body) { &[] } else { items(body, "tool_calls") };
        let calls = beside.iter().map(call);
        match all.last_mut() {
            Some(last) => last.parts.extend(calls),
            None if beside.is_empty() => {}
            None => all.push(Turn::of(role, calls.collect())),
        }
        all
    })
}

/// Messages under numbered names: `llm.input_messages.0.message.content`, `gen_ai.prompt.0.content`.
fn numbered(span: &Value<'_>, asked: &str, answered: &str, inner: &str) -> Vec<Turn<'static>> {
    let mut turns = Vec::new();
    for (base, role) in [(asked, StepRole::User), (answered, StepRole::Agent)] {
        let of = |place: usize| numbered_turn(span, &format!("{base}.{place}{inner}"), role);
        // The first number is that of instructions, which a request to the Responses interface need not have.
        turns.extend(of(0).into_iter().chain((1..NUMBERED_MAX).map_while(of)));
    }
    turns
}

fn numbered_turn(span: &Value<'_>, base: &str, role: StepRole) -> Option<Turn<'static>> {
    let of = |key: &str| attribute_text(span, &[&format!("{base}.{key}")]);
    let word = of("role");
    let role = word.map_or(role, role_of);
    let mut parts: Vec<TurnPart<'static>> = Vec::new();
    let mut say = |text: &str| parts.extend(text_part(text));
    // Some write the text of a message as a whole and once more as its parts.
    let whole = of("content");
    whole.into_iter().for_each(&mut say);
    let inner = |place: usize| of(&format!("contents.{place}.message_content.text"));
    let kind = |place: usize| of(&format!("contents.{place}.message_content.type"));
    for place in (0..NUMBERED_MAX).take_while(|place| inner(*place).or_else(|| kind(*place)).is_some()) {
        inner(place).filter(|text| whole.is_none_or(|whole| !whole.contains(text))).into_iter().for_each(&mut say);
    }
    for place in 0..NUMBERED_MAX {
        let (long, short) = (format!("tool_calls.{place}.tool_call"), format!("tool_calls.{place}"));
        let name = of(&format!("{long}.function.name")).or_else(|| of(&format!("{short}.name")));
        let Some(name) = name else { break };
        let id = of(&format!("{long}.id")).or_else(|| of(&format!("{short}.id")));
        let given = of(&format!("{long}.function.arguments")).or_else(|| of(&format!("{short}.arguments")));
        let arguments = given.map_or_else(|| "{}".to_owned(), arguments);
        let (id, name) = (id.map(|id| id.to_owned().into()), name.to_owned().into());
        parts.push(TurnPart::Call(ToolCall { id, name, arguments: arguments.into() }));
    }
    if parts.is_empty() && word.is_none() {
        return None;
    }
    if role == StepRole::Environment {
        let text = parts.iter().filter_map(|part| if let TurnPart::Text(text) = part { Some(&**text) } else { None });
        let text = text.collect::<Vec<_>>().join("\n");
        let owned = |key: &str| of(key).map(|text| Cow::Owned(text.to_owned()));
        let (id, name) = (owned("tool_call_id"), owned("name"));
        parts = vec![TurnPart::Result(ToolResult { id, name, text: text.into(), ..ToolResult::default() })];
    }
    Some(Turn::of(role, parts))
}

/// A list of messages, one, or a text; also as JSON in a string, or as OTLP spells values out.
pub(in crate::format) fn turns(value: &Value<'_>, role: StepRole) -> Vec<Turn<'static>> {
    with_json(value, &|value| match &value.data {
        Data::Array(all) => all.iter().flat_map(|one| message(one, role)).collect(),
        _ => message(value, role),
    })
}

/// Reads a value as the JSON that it stands for: what OTLP spells out, or messages and calls in a text. Other JSON in a
/// text is what somebody said, or what a tool gave back.
fn with_json<T>(value: &Value<'_>, read: &dyn Fn(&Value<'_>) -> T) -> T {
    let of_text = |text: &str| json::parse_lenient(text).ok().filter(is_structure).map(|value| read(&value));
    let inner = match value.as_str() {
        Some(text) if text.trim_start().starts_with(['[', '{']) => of_text(text),
        Some(_) => None,
        None => plain(value).and_then(|text| json::parse_lenient(&text).ok().map(|value| read(&value))),
    };
    inner.unwrap_or_else(|| read(value))
}

/// Whether a value is a message, or a list of objects.
fn is_structure(value: &Value<'_>) -> bool {
    match &value.data {
        Data::Array(all) => all.iter().all(|one| one.as_object().is_some()),
        _ => ["role", "content", "parts", "message", "tool_calls"].iter().any(|key| value.get(key).is_some()),
    }
}

/// A message: its words, thoughts, calls and files are one turn, each result is one.
fn message(value: &Value<'_>, role: StepRole) -> Vec<Turn<'static>> {
    let value = value.get("message").filter(|inner| inner.as_object().is_some()).unwrap_or(value);
    // Messages of LangChain have a type in place of a role.
    let speaker = || text(value, "type").filter(|kind| matches!(*kind, "human" | "ai" | "system" | "tool"));
    let role = text(value, "role").or_else(speaker).map_or(role, role_of);
    let content = first(value, &["parts", "content"]).or_else(|| are_converse(value).then_some(value));
    let id = first_text(value, &["tool_call_id", "toolCallId", "id"]).filter(|_| role == StepRole::Environment);
    let mut parts = match content.map(|content| &content.data) {
        Some(Data::Array(all)) => all.iter().flat_map(|part| parts_of(part, role)).collect(),
        Some(Data::String(text)) if is_converse(text) => {
            let parsed = json::parse_lenient(text).ok();
            let all = parsed.as_ref().and_then(Value::as_array).unwrap_or_default();
            all.iter().flat_map(|part| parts_of(part, role)).collect()
        }
        Some(_) => content.map(words).unwrap_or_default(),
        None if value.as_object().is_none() => words(value),
        None => Vec::new(),
    };
    parts.extend(items(value, "tool_calls").iter().map(call));
    let is_result = |part: &TurnPart<'_>| matches!(part, TurnPart::Result(_));
    if role == StepRole::Environment && !parts.iter().any(is_result) {
        let whole = content.or(value.as_object().is_none().then_some(value));
        let text = whole.map(|content| text_of(content).into_owned()).unwrap_or_default();
        let name = text_at(value, &["name", "tool_name", "toolName"]);
        let id = id.map(|id| id.to_owned().into());
        parts = vec![TurnPart::Result(ToolResult { id, name, text: text.into(), ..ToolResult::default() })];
    }
    let (results, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_result);
    let results = results.into_iter().map(|part| Turn::of(StepRole::Environment, vec![part]));
    let spoken = (!others.is_empty()).then(|| Turn::of(role, others));
    spoken.into_iter().chain(results).collect()
}

/// Whether a text is a list of parts of the Converse interface, as Strands writes a content.
fn is_converse(text: &str) -> bool {
    text.starts_with("[{") && json::parse_lenient(text).is_ok_and(|value| are_converse(&value))
}

pub(super) fn are_converse(value: &Value<'_>) -> bool {
    let is_part = |part: &Value<'_>| {
        ["text", "toolUse", "toolResult", "reasoningContent"].iter().any(|key| part.get(key).is_some())
    };
    value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_part))
}

/// What a part of a message is.
fn parts_of(part: &Value<'_>, role: StepRole) -> Vec<TurnPart<'static>> {
    let text_member = first(part, &["content", "text", "value"]);
    if let Some(used) = part.get("toolUse") {
        return vec![call(used)];
    }
    if let Some(given) = part.get("toolResult") {
        return vec![result(given)];
    }
    if let Some(thought) = part.get("reasoningContent").and_then(|part| text(part.get("reasoningText")?, "text")) {
        return vec![TurnPart::Thought(Cow::Owned(thought.to_owned()))];
    }
    match (text(part, "type").unwrap_or("text"), text_member) {
        ("text" | "input_text" | "output_text", Some(member)) => words(member),
        ("reasoning" | "thinking", member) => {
            member.map(|member| TurnPart::Thought(text_of(member).into_owned().into())).into_iter().collect()
        }
        ("tool_call" | "tool-call" | "tool_use" | "function", _) => vec![call(part)],
        ("tool_call_response" | "tool-result" | "tool_result", _) => vec![result(part)],
        (kind @ ("blob" | "uri" | "file" | "image" | "image_url"), _) => {
            let media = text_at(part, &["mime_type", "mimeType", "mediaType", "modality"]);
            let location = text_at(part, &["uri", "url", "file_id"]);
            let media_type = media.unwrap_or_else(|| Cow::Owned(kind.to_owned()));
            vec![TurnPart::Attachment(Attachment { media_type, location, bytes: part.text.len() as u64 })]
        }
        _ if part.as_object().is_none() => words(part),
        _ if role == StepRole::Environment => vec![result(part)],
        _ => text_part(&json::compact(part)).into_iter().collect(),
    }
}

fn words(value: &Value<'_>) -> Vec<TurnPart<'static>> {
    text_part(&text_of(value)).into_iter().collect()
}

fn text_part(text: &str) -> Option<TurnPart<'static>> {
    (!text.trim().is_empty()).then(|| TurnPart::Text(Cow::Owned(text.to_owned())))
}

fn text_at(value: &Value<'_>, keys: &[&str]) -> Option<Cow<'static, str>> {
    first_text(value, keys).map(|text| Cow::Owned(text.to_owned()))
}

/// A call in any spelling.
pub(super) fn call(value: &Value<'_>) -> TurnPart<'static> {
    let found = crate::format::log::call(value);
    let arguments = arguments(&found.arguments);
    let id = found.id.map(|id| Cow::Owned(id.into_owned()));
    TurnPart::Call(ToolCall { id, name: Cow::Owned(found.name.into_owned()), arguments: arguments.into() })
}

/// Arguments as JSON: a string that holds an object is that.
fn arguments(text: &str) -> String {
    let Ok(value) = json::parse(text) else { return json::quote(text) };
    let inner = value.as_str().filter(|inner| json::parse(inner).is_ok_and(|inner| inner.as_object().is_some()));
    inner.map_or_else(|| text.to_owned(), str::to_owned)
}

/// A result in any spelling; one that says its type has its text in `value`.
fn result(part: &Value<'_>) -> TurnPart<'static> {
    let text = first(part, &["response", "result", "output", "content", "text"]);
    let text = text.map(|text| text.get("value").filter(|_| text.get("type").is_some()).unwrap_or(text));
    let id = text_at(part, &["id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId"]);
    let name = text_at(part, &["name", "toolName", "tool_name"]);
    let text = text.map(|text| text_of(text).into_owned()).unwrap_or_default();
    TurnPart::Result(ToolResult { id, name, text: text.into(), ..ToolResult::default() })
}
