//! What a span of a model led to: words and the calls that were asked for, in the spellings of the conventions.
//!
//! The calls are reported as words: the span of the tool is the call.

use super::attributes::{attribute, attribute_text, plain};
use super::messages::{are_converse, detail};
use super::mlflow;
use crate::format::log::{first, first_text, items, text, text_of};
use crate::json::{self, Data, Value};
use std::borrow::Cow;

/// Most messages, and calls of a message, that are looked for under numbered names.
const NUMBERED_MAX: usize = 64;

/// Events of a span that hold an answer, and where.
const CHOICES: [&str; 3] = ["gen_ai.choice", "gen_ai.content.completion", "gen_ai.assistant.message"];

/// Events of a span that hold what it began with.
const PROMPTS: [&str; 3] = ["gen_ai.user.message", "gen_ai.tool.message", "gen_ai.content.prompt"];

/// What a model answered, as ADK reports it.
pub(super) const ADK_ANSWER: &str = "gcp.vertex.agent.llm_response";

/// What a span led to, else why it failed, else what it began with.
pub(super) fn span_text<'v>(span: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let attribute_text = |keys: &[&str]| attribute(span, keys).map(words).filter(|text| !text.trim().is_empty());
    attribute_text(&["ai.response.text", "ai.response.object", "gen_ai.output.messages"])
        .or_else(|| numbered(span, "llm.output_messages", ".message"))
        .or_else(|| numbered(span, "gen_ai.completion", ""))
        .or_else(|| of_details(span, "gen_ai.output.messages"))
        .or_else(|| of_events(span, &CHOICES))
        .or_else(|| attribute_text(&["output.value", "gen_ai.response.text", ADK_ANSWER]))
        .or_else(|| mlflow::output(span))
        .or_else(|| fault(span))
        .or_else(|| attribute_text(&["gen_ai.input.messages", "ai.prompt.messages", "ai.prompt", "input.value"]))
        .or_else(|| of_details(span, "gen_ai.input.messages"))
        .or_else(|| of_events(span, &PROMPTS))
        .or_else(|| mlflow::input(span))
}

/// Why a span failed: its status, or the exception among its events.
pub(super) fn fault<'v>(span: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let status_message = span.get("status").and_then(|status| first_text(status, &["message", "description"]));
    let status_message = status_message.or_else(|| text(span, "status_message"));
    let exception = || {
        let event = items(span, "events").iter().find(|event| text(event, "name") == Some("exception"))?;
        attribute_text(event, &["exception.message"])
    };
    status_message.filter(|text| !text.is_empty()).or_else(exception).map(Cow::Borrowed)
}

/// Messages under numbered names: `llm.output_messages.0.message.content`, `gen_ai.completion.0.content`.
fn numbered<'v>(span: &'v Value<'v>, name: &str, inner: &str) -> Option<Cow<'v, str>> {
    let mut parts: Vec<String> = Vec::new();
    for place in 0..NUMBERED_MAX {
        let of = |key: &str| attribute_text(span, &[&format!("{name}.{place}{inner}.{key}")]);
        let content = of("content");
        let before = parts.len();
        parts.extend(content.filter(|text| !text.trim().is_empty()).map(str::to_owned));
        // OpenInference writes the parts of an answer of the Responses interface one by one.
        let of_part = |part: usize| of(&format!("contents.{part}.message_content.text"));
        let inner = (0..NUMBERED_MAX).map_while(of_part).filter(|text| content.is_none() && !text.trim().is_empty());
        parts.extend(inner.map(str::to_owned));
        for call in 0..NUMBERED_MAX {
            let openinference = format!("tool_calls.{call}.tool_call.function");
            let traceloop = format!("tool_calls.{call}");
            let called = |base: &str| Some((of(&format!("{base}.name"))?, of(&format!("{base}.arguments"))));
            let Some((tool, arguments)) = called(&openinference).or_else(|| called(&traceloop)) else { break };
            parts.push(format!("{tool}({})", arguments.unwrap_or_default()));
        }
        if content.is_none() && parts.len() == before {
            break;
        }
    }
    (!parts.is_empty()).then(|| Cow::Owned(parts.join("\n")))
}

/// Messages in the events that have the details of a span.
fn of_details<'v>(span: &'v Value<'v>, name: &str) -> Option<Cow<'v, str>> {
    detail(span, name).map(words).filter(|text| !text.trim().is_empty())
}

/// The arguments of the span of a tool, where an event before that of its result has them (Strands).
pub(super) fn arguments_of_events<'v, 'a>(span: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let of = |name: &str| items(span, "events").iter().find(|event| text(event, "name") == Some(name));
    of("gen_ai.choice")?;
    let given = attribute(of("gen_ai.tool.message")?, &["content"])?;
    let is_object = |text: &str| json::parse(text).is_ok_and(|value| value.as_object().is_some());
    given.as_str().is_some_and(is_object).then_some(given)
}

/// What came back from a tool, where events of its span have it.
pub(super) fn result_of_events<'v>(span: &'v Value<'v>) -> Option<Cow<'v, str>> {
    of_details(span, "gen_ai.output.messages").or_else(|| of_events(span, &["gen_ai.choice"]))
}

/// Messages that are in events of these names, as older conventions have them: the last one.
fn of_events<'v>(span: &'v Value<'v>, events: &[&str]) -> Option<Cow<'v, str>> {
    let is_one = |event: &&Value<'_>| text(event, "name").is_some_and(|name| events.contains(&name));
    let event = items(span, "events").iter().rfind(is_one)?;
    let names = ["message", "gen_ai.completion", "content", "gen_ai.event.content", "gen_ai.prompt"];
    attribute(event, &names).map(words).filter(|text| !text.trim().is_empty())
}

/// The words of a value: messages, also as JSON in a string, else what it says.
pub(in crate::format) fn words<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    let inner = value.as_str().filter(|text| text.trim_start().starts_with(['[', '{'])).map(Cow::Borrowed);
    if let Some(inner) = inner.or_else(|| plain(value).map(Cow::Owned))
        && let Ok(parsed) = json::parse_lenient(&inner)
        && let Some(message) = messages(&parsed)
    {
        return Cow::Owned(message);
    }
    messages(value).map_or_else(|| text_of(value), Cow::Owned)
}

/// What a list of parts of the Converse interface says, also as JSON in a string; None: it is none.
pub(super) fn of_converse(value: &Value<'_>) -> Option<String> {
    let parsed = value.as_str().filter(|text| text.starts_with("[{")).and_then(|text| json::parse_lenient(text).ok());
    let value = parsed.as_ref().unwrap_or(value);
    let is_alone = |part: &Value<'_>| part.as_object().is_some_and(|part| part.members.len() == 1);
    let parts = value.as_array().filter(|parts| are_converse(value) && parts.iter().all(is_alone))?;
    Some(parts.iter().map(part).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// What messages say, one after the other; None: it is not one.
fn messages(value: &Value<'_>) -> Option<String> {
    if let Some(words) = of_converse(value) {
        return Some(words);
    }
    let list = value.as_array().unwrap_or(std::slice::from_ref(value));
    let texts: Option<Vec<String>> = list.iter().map(message).collect();
    texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join("\n"))
}

fn message(message: &Value<'_>) -> Option<String> {
    let inner = message.get("message").filter(|inner| inner.as_object().is_some()).unwrap_or(message);
    let content = first(inner, &["parts", "content"]);
    // Contents of Gemini have their parts one level below.
    let content = content.map(|content| content.get("parts").unwrap_or(content));
    let calls = items(inner, "tool_calls");
    if content.is_none() && calls.is_empty() {
        return None;
    }
    let parts: Vec<String> = match content.map(|content| &content.data) {
        Some(Data::Array(parts)) => parts.iter().map(part).collect(),
        Some(_) => content.map(|content| text_of(content).into_owned()).into_iter().collect(),
        None => Vec::new(),
    };
    let parts: Vec<String> = parts.into_iter().chain(calls.iter().map(call)).filter(|part| !part.is_empty()).collect();
    Some(parts.join("\n"))
}

fn part(part: &Value<'_>) -> String {
    if let Some(called) = first(part, &["function_call", "functionCall", "toolUse"]) {
        return call(called);
    }
    let part = part.get("toolResult").or_else(|| part.get("reasoningContent")?.get("reasoningText")).unwrap_or(part);
    match text(part, "type") {
        Some("tool_call") => call(part),
        // Files are named, not shown.
        Some(kind @ ("blob" | "uri" | "file")) => {
            let media = first(part, &["mime_type", "modality"]).and_then(Value::as_str).unwrap_or_default();
            format!("[{}]", format!("{kind} {media}").trim_end())
        }
        _ => first(part, &["content", "text", "response", "result"])
            .map_or_else(|| json::compact(part), |content| text_of(content).into_owned()),
    }
}

/// A call as one would write it.
fn call(value: &Value<'_>) -> String {
    let call = crate::format::log::call(value);
    let arguments = json::parse(&call.arguments).ok().and_then(|value| value.as_str().map(str::to_owned));
    format!("{}({})", call.name, arguments.as_deref().unwrap_or(&call.arguments))
}

#[cfg(test)]
mod tests;
