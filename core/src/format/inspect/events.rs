//! The second view of a log: the events of a sample are its steps, each with what it changed (`FORMATS.md` 2).
//!
//! Spans begin as steps of their own; what happens in one says which it is. A change of the store is written at the
//! innermost event that gives it, which names the span of its tool or solver.

use super::sample::{self, Attachments};
use super::store::Replay;
use super::{Inspect, timeline};
use crate::format::call_time::span_ms;
use crate::format::describe;
use crate::format::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, MoreValues, items, lang_chain_turn, text, text_of,
};
use crate::format::run_survey::RunSurvey;
use crate::format::{Format, Framing, Layout, Match, Purpose, Run, Survey};
use crate::json::{self, Value};
use crate::model::{ModelRequest, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::HashMap;

/// The format: never found, but asked for by name.
pub(in crate::format) struct InspectEvents;

/// Its name for `--format`.
pub(super) const NAME: &str = "inspect-events";

impl Format for InspectEvents {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Events of an Inspect AI log"
    }

    fn about(&self) -> &'static str {
        "The events of the samples of an Inspect AI log as steps, with `--format inspect-events`: spans, answers of \
         models, tools with their results, changes of the store and the state, scores. State: as in `inspect`, but \
         each write at the event that reports it, in the span of its tool or solver."
    }

    fn detect(&self, _first: &[Value<'_>]) -> Option<Match> {
        None
    }

    fn framing(&self) -> Framing {
        Inspect.framing()
    }

    fn other_view(&self) -> Option<&'static str> {
        Some(Inspect.name())
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn has_conversations(&self) -> bool {
        false
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, self.name(), || Box::new(LogRun::new(Events)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(Events))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[]
    }
}

/// A span that begins, an answer of a model, a tool with its result, a change, any other event.
const SPAN: Form = FIRST_ADAPTER_FORM;
const MODEL: Form = FIRST_ADAPTER_FORM + 1;
const TOOL: Form = FIRST_ADAPTER_FORM + 2;
const CHANGE: Form = FIRST_ADAPTER_FORM + 3;
const OTHER: Form = FIRST_ADAPTER_FORM + 4;

/// Most changes that a row reports.
const CHANGES_MAX: usize = 8;

/// Reads the events of a sample.
struct Events;

impl Adapter for Events {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let attachments = Attachments::read(record);
        sample::begin(record, &attachments, log);
        let events = timeline::events(record);
        let mut replay = Replay::new(events, &attachments);
        let pool = record.get("events_data").map(|data| items(data, "messages")).unwrap_or_default();
        let mut left = POOLED_MAX;
        let mut spans: HashMap<&str, &Value<'_>> = HashMap::new();
        // Logs from before spans have steps that begin and end.
        let mut open: Vec<&Value<'_>> = Vec::new();
        for event in events {
            let class = text(event, "event").unwrap_or("event");
            match (class, text(event, "action")) {
                ("span_begin", _) => drop(text(event, "id").map(|id| spans.insert(id, event))),
                ("step", Some("begin")) => open.push(event),
                _ => {}
            }
            let within = text(event, "span_id").and_then(|id| spans.get(id)).or(open.last()).copied();
            let is_end = class == "span_end" || (class == "step" && text(event, "action") == Some("end"));
            if !is_end {
                let more = EventContext { within, pooled: pooled(event, pool, &mut left), attachments: &attachments };
                add_step(event, class, &more, log);
            } else if class == "step" {
                open.pop();
            }
            sample::write_changes(replay.event(event), log);
        }
        if let Some(trouble) = replay.trouble(record.get("store")) {
            sample::report_trouble(trouble, log);
        }
        sample::end(record, &attachments, log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&event) = values.first() else { return Turn::default() };
        let mut turn = match form {
            SPAN => note(span_name(event).to_owned()),
            MODEL => Turn::of(StepRole::Agent, vec![TurnPart::Text(answer(event))]),
            TOOL => Turn::of(StepRole::Agent, tool(event)),
            CHANGE => note(changes(event, values.get(1).copied())),
            _ => note(event_text(event)),
        };
        let attached = if form == CHANGE { &[] } else { values.get(1..).unwrap_or_default() };
        if !attached.is_empty() {
            sample::resolve(&mut turn, event, attached);
        }
        turn
    }

    /// What a model was asked with, and what it answered.
    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let event = values.first().filter(|_| form == MODEL)?;
        let (attached, mut pooled) = values.get(1..)?.split_at_checked(sample::reference_count(event))?;
        let resolved = |message: &Value<'_>, of: &Value<'_>, attached: &[&Value<'_>]| {
            let mut turn = lang_chain_turn(message)?;
            sample::resolve(&mut turn, of, attached);
            Some(turn)
        };
        let inline = items(event, "input").iter().filter(|_| pooled.is_empty());
        let mut messages: Vec<Turn<'static>> =
            inline.filter_map(|message| resolved(message, event, attached)).collect();
        while let Some((message, rest)) = pooled.split_first() {
            let (attached, rest) = rest.split_at_checked(sample::reference_count(message))?;
            messages.extend(resolved(message, message, attached));
            pooled = rest;
        }
        let answer = event.get("output").and_then(|output| items(output, "choices").first()?.get("message"));
        messages.extend(answer.and_then(|answer| resolved(answer, event, attached)));
        (!messages.is_empty()).then(|| ModelRequest { trajectory: String::new(), messages })
    }

    fn has_requests(&self) -> bool {
        true
    }
}

/// Most messages that the requests of a sample refer to together, and one of them.
const POOLED_MAX: usize = 200_000;
const POOLED_OF_ONE_MAX: usize = 2_000;

/// The messages of the pool that an event refers to, by half-open ranges.
fn pooled<'v>(event: &Value<'_>, pool: &'v [Value<'v>], left: &mut usize) -> Vec<&'v Value<'v>> {
    let range = |range: &Value<'_>| {
        let end = |at: usize| range.as_array()?.get(at)?.as_number()?.parse::<usize>().ok();
        pool.get(end(0)?..end(1)?.min(pool.len()))
    };
    let found = items(event, "input_refs").iter().filter_map(range).flatten();
    let messages: Vec<&Value<'_>> = found.take(POOLED_OF_ONE_MAX.min(*left)).collect();
    *left -= messages.len();
    messages
}

/// What an event is shown with.
struct EventContext<'b, 'v> {
    /// The span that it is in.
    within: Option<&'b Value<'v>>,
    /// The messages of its request.
    pooled: Vec<&'b Value<'v>>,
    attachments: &'b Attachments<'v>,
}

/// The step of an event.
fn add_step<'v>(event: &Value<'v>, class: &str, beside: &EventContext<'_, 'v>, log: &mut Log<'_>) {
    let (kind, form, role) = match class {
        "span_begin" | "step" => (Kind::Span, SPAN, StepRole::System),
        "model" => (Kind::Message, MODEL, StepRole::Agent),
        "tool" => (Kind::Call, TOOL, StepRole::Agent),
        "store" | "state" => (Kind::State, CHANGE, StepRole::System),
        _ => (Kind::State, OTHER, StepRole::System),
    };
    let usage = event.get("output").and_then(|output| output.get("usage")).and_then(timeline::usage);
    let model = text(event, "model").filter(|_| class == "model").map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let more = if form == CHANGE { beside.within.into_iter().collect() } else { beside.attachments.of(event) };
    // Each message of a request is followed by its attachments.
    let pooled = beside.pooled.iter().copied().filter(|_| form == MODEL);
    let pooled = pooled.flat_map(|message| std::iter::once(message).chain(beside.attachments.of(message)));
    let values: Vec<&Value<'_>> = std::iter::once(event).chain(more).chain(pooled).collect();
    let class = match kind {
        Kind::Span => text(event, "type").unwrap_or("span"),
        _ => class,
    };
    log.step(&Draft {
        role,
        class: Some(class),
        time: event.get("timestamp"),
        tokens: usage.as_ref().and_then(|usage| usage.output),
        is_failed: class == "error" || (form == MODEL && error(event).is_some()),
        ..Draft::of(kind, form, &values)
    });
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
    log.declare_tools(event.get("tools").filter(|_| form == MODEL));
}

fn note<'v>(text: impl Into<Cow<'v, str>>) -> Turn<'v> {
    Turn::of(StepRole::System, vec![TurnPart::Text(text.into())])
}

fn span_name<'v>(event: &'v Value<'_>) -> &'v str {
    text(event, "name").or_else(|| text(event, "id")).unwrap_or("span")
}

fn error<'v>(event: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let error = event.get("error").filter(|error| !error.is_null())?;
    Some(error.get("message").map_or_else(|| text_of(error), text_of))
}

/// The words of a model and the calls that it asks for, which are events of their own.
fn answer<'v>(event: &'v Value<'v>) -> Cow<'v, str> {
    let output = event.get("output");
    let message = output.and_then(|output| items(output, "choices").first()?.get("message"));
    let words = message.and_then(|message| message.get("content")).map(text_of).unwrap_or_default();
    let calls = message.map(|message| items(message, "tool_calls")).unwrap_or_default().iter().map(|asked| {
        let call = crate::format::log::call(asked);
        format!("{}({})", call.name, call.arguments)
    });
    let parts: Vec<String> = std::iter::once(words.into_owned()).chain(calls).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return error(event).or_else(|| text(event, "model").map(Cow::Borrowed)).unwrap_or_default();
    }
    Cow::Owned(parts.join("\n"))
}

/// A call and what came back.
fn tool<'v>(event: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let id = text(event, "id").map(Cow::Borrowed);
    let name = text(event, "function").unwrap_or("?");
    let arguments = event.get("arguments").map_or(Cow::Borrowed("{}"), |arguments| Cow::Borrowed(arguments.text));
    let call = ToolCall { id: id.clone(), name: name.into(), arguments };
    let failed = error(event);
    let is_error = Some(failed.is_some());
    let back = event.get("result").map(text_of).filter(|text| !text.is_empty()).or(failed);
    let result = back.map(|text| ToolResult {
        id,
        name: Some(name.into()),
        text,
        is_error,
        span_ms: span_ms(event.get("timestamp"), event.get("completed")),
        ..ToolResult::default()
    });
    std::iter::once(TurnPart::Call(call)).chain(result.map(TurnPart::Result)).collect()
}

/// What an event changes, and in which span.
fn changes(event: &Value<'_>, within: Option<&Value<'_>>) -> String {
    let all = items(event, "changes");
    let one = |change: &Value<'_>| {
        let of = |key: &str| text(change, key).unwrap_or_default();
        let value = change.get("value").map(|value| format!(" = {}", describe::shortened(&json::compact(value))));
        format!("{} {}{}", of("op"), of("path"), value.unwrap_or_default())
    };
    let changes_shown: Vec<String> = all.iter().take(CHANGES_MAX).map(one).collect();
    let more = all.len().saturating_sub(CHANGES_MAX);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let span = within.map(|span| format!(" · in {}", span_name(span))).unwrap_or_default();
    format!("{}{more}{span}", changes_shown.join(", "))
}

/// What any other event says.
fn event_text<'v>(event: &'v Value<'v>) -> Cow<'v, str> {
    let inner = ["score", "data", "error", "limit", "decision", "cmd", "file"].iter().find_map(|key| event.get(key));
    match inner.filter(|inner| !inner.is_null()) {
        Some(inner) if inner.as_str().is_some() => text_of(inner),
        Some(inner) => Cow::Owned(describe::note(inner)),
        None => Cow::Owned(describe::note(event)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::LOG;
    use super::*;
    use crate::format::log::tests::{damage, report_of};
    use crate::model::{Place, Record, RecordBody, Span};

    #[test]
    fn events_are_steps_and_a_change_names_the_span_of_its_tool() {
        let log = LOG.replace(
            r#"{"event":"span_begin","id":"s"}"#,
            r#"{"event":"model","model":"m","output":{"choices":[{"message":{"content":"So."}}],
                "usage":{"input_tokens":5,"output_tokens":2}}},
               {"event":"span_begin","id":"s","span_id":"s","name":"add","type":"tool"}"#,
        );
        let log = log.replace(
            r#"{"event":"tool","id":"c","#,
            r#"{"event":"tool","id":"c","function":"add","arguments":{"x":1,"y":2},"result":"3","#,
        );
        let report = report_of(InspectEvents.run(), &InspectEvents, &log);
        assert_eq!(report.kinds, ["state", "message", "span", "tool-call", "state"]);
        assert_eq!(report.summaries[1..4], ["So.", "add", "add x=1 y=2 · 3"]);
        assert_eq!(report.summaries[4], "add /sum = 3 · in add");
        assert_eq!((report.value("/store/main/sum").as_str(), report.author("/store/main/sum")), ("3", Some(4)));
        assert_eq!((report.value("/usage/main/output").as_str(), report.rewards[4].as_deref()), ("2", Some("1")));
    }

    #[test]
    fn a_request_is_what_the_pool_has_or_the_event() {
        let answer = r#""output":{"choices":[{"message":{"role":"assistant","content":"So."}}]}"#;
        let text = format!(
            r#"{{"id":1,"messages":[],"events_data":{{"messages":[{{"role":"system","content":"S"}},
            {{"role":"user","content":"pooled"}}]}},
            "events":[{{"event":"model","input":[],"input_refs":[[0,2]],{answer}}},
            {{"event":"model","input":[{{"role":"user","content":"inline"}}],{answer}}},
            {{"event":"model","input_refs":[[7,9],[2,1]],{answer}}}]}}"#
        );
        let mut run = InspectEvents.run();
        let place = Place { span: Span { offset: 0, len: text.len() as u64 }, line: 1 };
        let (record, bytes) = (Record { number: 0, place, body: RecordBody::Text, is_row: false }, text.into_bytes());
        run.push(&record, &bytes.clone(), &bytes);
        let asked = |step| {
            let messages = run.model_request(step, &bytes).unwrap().messages;
            messages.iter().map(|turn| turn.role.name()).collect::<Vec<_>>()
        };
        assert_eq!(asked(0), ["system", "user", "agent"]);
        assert_eq!((asked(1), asked(2)), (vec!["user", "agent"], vec!["agent"]));
    }

    #[test]
    fn damaged_logs_never_panic() {
        damage(&InspectEvents, &[LOG]);
    }
}
