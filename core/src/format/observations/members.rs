//! What spans of each kind call their members: a span is one value, or several of which later ones say more.

use crate::format::call_time::span_ms;
use crate::format::describe;
use crate::format::log::{count, first, first_text, model_usage, text, text_of};
use crate::format::otel::messages::turns;
use crate::format::otel::span_text::words;
use crate::json::{self, Value};
use crate::model::{StepRole, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// What a span is about: the body of an event, the data of a span of the Agents SDK, or it itself.
pub(super) fn data<'v, 'a>(span: &'v Value<'a>) -> &'v Value<'a> {
    let body = span.get("body").filter(|body| body.as_object().is_some());
    body.or_else(|| span.get("span_data")).unwrap_or(span)
}

/// The first of these members that one of the parts has, the last part first.
pub(super) fn find<'v>(parts: &[&'v Value<'v>], keys: &[&str]) -> Option<&'v Value<'v>> {
    parts.iter().rev().find_map(|part| first(data(part), keys).or_else(|| first(part, keys)))
}

/// The same as a text.
pub(super) fn find_text<'v>(parts: &[&'v Value<'v>], keys: &[&str]) -> Option<&'v str> {
    parts.iter().rev().find_map(|part| first_text(data(part), keys).or_else(|| first_text(part, keys)))
}

/// A member of an inner object of a part.
fn inner<'v>(parts: &[&'v Value<'v>], outer: &str, keys: &[&str]) -> Option<&'v Value<'v>> {
    parts.iter().rev().find_map(|part| first(part.get(outer)?, keys))
}

/// What kind of span it is, as its writer calls it.
fn kind<'v>(parts: &[&'v Value<'v>]) -> &'v str {
    // Events say it themselves, but those of any observation.
    let event = |part: &&'v Value<'v>| {
        let of = part.get("body").and_then(|_| text(part, "type"))?;
        of.split_once('-').map(|(kind, _)| kind).filter(|kind| *kind != "observation")
    };
    let of_attributes = || inner(parts, "span_attributes", &["type"]).and_then(Value::as_str);
    let of_data = || parts.iter().rev().find_map(|part| text(data(part), "type"));
    parts.iter().find_map(event).or_else(of_attributes).or_else(of_data).unwrap_or_default()
}

/// What a step of the span is called.
pub(super) fn class<'v>(parts: &[&'v Value<'v>]) -> &'v str {
    let kind = kind(parts);
    name(parts).unwrap_or(if kind.is_empty() { "trace" } else { kind })
}

/// Whether a span is the call of a tool.
pub(super) fn is_call(parts: &[&Value<'_>]) -> bool {
    matches!(kind(parts), "TOOL" | "function" | "tool")
}

/// Whether a span is an answer of a model, of words or of numbers.
pub(super) fn is_answer(parts: &[&Value<'_>]) -> bool {
    matches!(kind(parts), "GENERATION" | "EMBEDDING" | "generation" | "response" | "llm") || is_model_op(parts)
}

/// Whether it is one of numbers.
pub(super) fn is_embedding(parts: &[&Value<'_>]) -> bool {
    kind(parts) == "EMBEDDING"
}

/// Whether a call of Weave is a request to a model: it says so by what it was called with and gave back.
fn is_model_op(parts: &[&Value<'_>]) -> bool {
    let Some(asked) = find(parts, &["op_name"]).and_then(|_| find(parts, &["inputs"])) else { return false };
    let is_asked = ["messages", "contents", "input"].iter().any(|name| asked.get(name).is_some());
    let is_answered = |output: &Value<'_>| {
        ["choices", "candidates"].iter().any(|name| output.get(name).is_some())
            || (output.get("content").is_some() && text(output, "role") == Some("assistant"))
            || text(output, "object") == Some("response")
    };
    is_asked && find(parts, &["output"]).is_some_and(is_answered)
}

/// What a span is called.
pub(super) fn name<'v>(parts: &[&'v Value<'v>]) -> Option<&'v str> {
    let of_op = || {
        let op = find_text(parts, &["op_name"])?;
        let last = op.rsplit('/').next().unwrap_or(op);
        Some(last.split_once(':').map_or(last, |(name, _)| name))
    };
    let of_attributes = || inner(parts, "span_attributes", &["name"]).and_then(Value::as_str);
    let given = find_text(parts, &["display_name"]).filter(|name| !name.is_empty());
    given.or_else(of_op).or_else(of_attributes).or_else(|| find_text(parts, &["name", "workflow_name"]))
}

/// When a span or a trace says that it began.
pub(super) fn began<'v, 'a>(span: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let of_metrics = span.get("metrics").and_then(|metrics| first(metrics, &["start"]));
    const NAMES: [&str; 5] = ["startTime", "start_time", "started_at", "timestamp", "created"];
    let of_data = || first(data(span), &NAMES[..4]);
    of_metrics.or_else(of_data).or_else(|| first(span, &NAMES))
}

fn ended<'v>(parts: &[&'v Value<'v>]) -> Option<&'v Value<'v>> {
    find(parts, &["endTime", "end_time", "ended_at"]).or_else(|| inner(parts, "metrics", &["end"]))
}

/// The model that answered.
pub(super) fn model<'v>(parts: &[&'v Value<'v>]) -> Option<&'v str> {
    let in_members = || {
        let of = |outer, keys: &[&str]| inner(parts, outer, keys).and_then(Value::as_str);
        of("metadata", &["model"]).or_else(|| of("output", &["model"])).or_else(|| of("inputs", &["model"]))
    };
    find_text(parts, &["model", "providedModelName"]).or_else(|| is_answer(parts).then(in_members).flatten())
}

/// What a span began with, and what it led to.
fn input<'v>(parts: &[&'v Value<'v>]) -> Option<&'v Value<'v>> {
    find(parts, &["input", "inputs"])
}

fn output<'v>(parts: &[&'v Value<'v>]) -> Option<&'v Value<'v>> {
    find(parts, &["output"])
}

/// Why a span failed.
pub(super) fn fault<'v>(parts: &[&'v Value<'v>]) -> Option<Cow<'v, str>> {
    if let Some(error) = find(parts, &["error", "exception"]) {
        return Some(text_of(first(error, &["message"]).unwrap_or(error)));
    }
    let is_error = find_text(parts, &["level"]) == Some("ERROR");
    is_error.then(|| Cow::Borrowed(find_text(parts, &["statusMessage"]).unwrap_or_default()))
}

/// The messages of a request to a model and of what it answered.
pub(super) fn messages(parts: &[&Value<'_>]) -> Vec<Turn<'static>> {
    let asked = input(parts).map(|input| first(input, &["messages", "contents", "input"]).unwrap_or(input));
    let answered = output(parts).map(|output| first(output, &["choices", "output"]).unwrap_or(output));
    let asked = asked.map(|input| turns(input, StepRole::User)).unwrap_or_default();
    asked.into_iter().chain(answered.map(|output| turns(output, StepRole::Agent)).unwrap_or_default()).collect()
}

/// What an answer cost. Of Langfuse the input leaves out what a cache had.
pub(super) fn usage(parts: &[&Value<'_>]) -> Option<Usage> {
    let cost = find(parts, &["calculatedTotalCost", "totalCost"]);
    let cost = cost.or_else(|| first(find(parts, &["costDetails"])?, &["total"]));
    let cost = cost.or_else(|| inner(parts, "metrics", &["estimated_cost"]));
    let cost = cost.and_then(|cost| cost.as_number().or_else(|| cost.as_str())?.parse().ok());
    let is_filled = |usage: &&Value<'_>| usage.as_object().is_some_and(|usage| usage.entries().next().is_some());
    let named = ["usageDetails", "usage"].iter().find_map(|key| find(parts, &[key]).filter(is_filled));
    let named = named.or_else(|| inner(parts, "metrics", &["prompt_tokens"]).and(find(parts, &["metrics"])));
    let of_output = || inner(parts, "output", &["usage"]).filter(|_| is_model_op(parts));
    let named = named.or_else(of_output).or_else(|| parts.last().map(|part| data(part)))?;
    let counted = |keys: &[&str]| keys.iter().find_map(|key| count(named, key));
    let input = counted(&["input", "inputUsage"]);
    let output = counted(&["output", "outputUsage"]);
    let usage = if input.or(output).is_some() {
        let cache_read = counted(&["cache_read_input_tokens", "input_cached_tokens", "input_cache_read"]);
        let cache_write = counted(&["cache_creation_input_tokens", "input_cache_creation"]);
        Usage { input, output, cache_read, cache_write, cost }
    } else {
        let usage = model_usage(named);
        // Braintrust counts what a cache had among the prompt.
        let cached = counted(&["prompt_cached_tokens"]);
        let input = usage.input.map(|input| input.saturating_sub(cached.unwrap_or_default()));
        Usage { input, cache_read: usage.cache_read.or(cached), cost: usage.cost.or(cost), ..usage }
    };
    (usage.input.or(usage.output).is_some() || cost.is_some()).then_some(usage)
}

/// A call and what came back from it.
pub(super) fn call<'v>(parts: &[&'v Value<'v>]) -> Vec<TurnPart<'v>> {
    let name = Cow::Borrowed(name(parts).unwrap_or("?"));
    let arguments = input(parts).map_or(Cow::Borrowed("{}"), |input| match input.as_str() {
        // JSON in a string is the arguments themselves.
        Some(inner) if json::parse(inner).is_ok_and(|value| value.as_object().is_some()) => Cow::Borrowed(inner),
        _ => Cow::Borrowed(input.text),
    });
    let (failed, output) = (fault(parts), output(parts).map(text_of));
    let is_error = failed.is_some().then_some(true);
    let words = failed.filter(|words| !words.is_empty()).or(output);
    let start = parts.iter().find_map(|part| began(part));
    let result = words.map(|text| ToolResult {
        name: Some(name.clone()),
        text,
        is_error,
        span_ms: span_ms(start, ended(parts)),
        ..ToolResult::default()
    });
    let call = ToolCall { id: None, name, arguments };
    std::iter::once(TurnPart::Call(call)).chain(result.map(TurnPart::Result)).collect()
}

/// Members of a span of the Agents SDK that do not say what it is about.
const ASIDE: [&str; 9] =
    ["type", "input", "output", "usage", "model", "model_config", "data", "response_id", "output_type"];

/// What a span led to, else why it failed, else what it began with, else what it is.
pub(super) fn span_parts<'v>(parts: &[&'v Value<'v>]) -> Vec<TurnPart<'v>> {
    let says = |value: Option<&'v Value<'v>>| value.map(words).filter(|words| !words.trim().is_empty());
    let answered = output(parts).map(|output| first(output, &["choices"]).unwrap_or(output));
    let found = fault(parts).filter(|words| !words.is_empty()).or_else(|| says(answered));
    let found = found.or_else(|| says(input(parts))).or_else(|| says(find(parts, &["data"])));
    let is_plain = !parts.iter().any(|part| part.get("span_data").is_some());
    let named = || name(parts).filter(|_| is_plain).map(Cow::Borrowed);
    let note = || parts.last().map(|part| Cow::Owned(describe::note_without(data(part), &ASIDE)));
    vec![TurnPart::Text(found.or_else(named).or_else(note).unwrap_or_default())]
}
