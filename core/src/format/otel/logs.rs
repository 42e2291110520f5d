//! Records of logs (`resourceLogs` of OTLP): events of the GenAI conventions, each a message or the details of a
//! request, and other records.
//!
//! A request repeats all that was said before it. What it has in common with a conversation that is known is no step
//! again; requests that begin otherwise are of another conversation.

use super::attributes::{attribute, attribute_text};
use super::messages::{self, DETAILS};
use crate::format::log::{Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, first, first_text, items, text, text_of};
use crate::json::Value;
use crate::model::{StepRole, Turn, TurnPart};
use crate::rules::digest;
use std::borrow::Cow;
use std::collections::HashMap;

/// A record that is no message.
const NOTE: Form = FIRST_ADAPTER_FORM + 2;
/// The first of what a message gives: thoughts, words, calls and results, each a form.
pub(super) const UNIT: Form = FIRST_ADAPTER_FORM + 3;

/// How many things of one record have a form.
const UNITS_MAX: usize = (Form::MAX - UNIT) as usize + 1;

/// Members that spans have, in all spellings, and records of logs do not.
const SPAN_MEMBERS: [&str; 8] = [
    "name",
    "span_name",
    "startTimeUnixNano",
    "start_time_unix_nano",
    "startTime",
    "start_time",
    "spanContext",
    "context",
];

/// Members that name the event that a record of a log is.
const EVENT_NAMES: [&str; 2] = ["eventName", "event_name"];

/// The event that says what an evaluation came to.
pub(super) const EVALUATION: &str = "gen_ai.evaluation.result";

/// The events of a span that say what evaluations came to.
pub(super) fn evaluations<'v, 'a>(span: &'v Value<'a>) -> impl Iterator<Item = &'v Value<'a>> {
    items(span, "events").iter().filter(|event| text(event, "name") == Some(EVALUATION))
}

/// Adds the step of a record or event that is no message.
pub(super) fn note(record: &Value<'_>, class: &str, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    let values = [record];
    let draft = Draft::of(Kind::State, NOTE, &values);
    log.step(&Draft { role: StepRole::System, class: Some(class), time, ..draft });
}

/// Whether a value is a record of a log, and no span.
pub(super) fn is_log_record(value: &Value<'_>) -> bool {
    let is_span = SPAN_MEMBERS.iter().any(|name| value.get(name).is_some());
    let has_content = ["body", "attributes"].iter().chain(&EVENT_NAMES).any(|name| value.get(name).is_some());
    !is_span && has_content
}

/// The name of the event that a record of a log is.
pub(super) fn event<'v>(record: &'v Value<'_>) -> &'v str {
    let name = first_text(record, &EVENT_NAMES).filter(|name| !name.is_empty());
    name.or_else(|| attribute_text(record, &["event.name"])).unwrap_or_default()
}

/// Whether a record of a log has the details of a request.
pub(super) fn is_details(record: &Value<'_>) -> bool {
    event(record) == DETAILS
}

/// The trajectory of a span or a record of a log that is of no trace.
pub(super) fn conversation<'v>(record: &'v Value<'_>) -> &'v str {
    attribute_text(record, &["gen_ai.conversation.id", "session.id"]).unwrap_or_default()
}

/// When it was written.
pub(super) fn time<'v, 'a>(record: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let is_known = |time: &&Value<'_>| !matches!(time.as_str().or(time.as_number()), Some("0" | ""));
    const NAMES: [&str; 4] = ["timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano"];
    NAMES.iter().find_map(|name| record.get(name).filter(is_known))
}

/// What a step of a record says.
pub(super) fn show<'v>(form: Form, record: &'v Value<'v>) -> Turn<'v> {
    match form.checked_sub(UNIT) {
        Some(number) => units(record).into_iter().nth(usize::from(number)).map(|(_, turn)| turn).unwrap_or_default(),
        None => {
            let text = body(record).map(text_of).filter(|text| !text.trim().is_empty());
            let text = text.or_else(|| evaluation(record).map(Cow::Owned));
            Turn::of(
                StepRole::System,
                vec![TurnPart::Text(text.unwrap_or_else(|| Cow::Owned(event(record).to_owned())))],
            )
        }
    }
}

/// What an evaluation came to: its name, score, label and why.
fn evaluation(record: &Value<'_>) -> Option<String> {
    let of = |key: &str| attribute(record, &[&format!("gen_ai.evaluation.{key}")]).map(text_of);
    let parts = [of("name"), of("score.value"), of("score.label"), of("explanation")];
    let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// The body, without what says of which type it is.
fn body<'v, 'a>(record: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let body = record.get("body").filter(|body| !body.is_null());
    let body = body.or_else(|| attribute(record, &["gen_ai.event.content"]))?;
    let typed = body.as_object().filter(|object| object.members.len() == 1).and_then(|object| object.members.first());
    let is_typed = |name: &str| name.ends_with("Value") || name.ends_with("_value");
    Some(typed.filter(|member| is_typed(&member.key)).map_or(body, |member| &member.value))
}

/// The messages that a record is.
fn event_messages(record: &Value<'_>) -> Vec<Turn<'static>> {
    let Some(role) = messages::speaker(event(record)) else { return Vec::new() };
    body(record).map(|body| messages::of_body(body, role)).unwrap_or_default()
}

/// What messages give: each thought, all words and files of one, each call, each result; what is beyond the last form
/// is part of the last.
fn units(record: &Value<'_>) -> Vec<(Kind, Turn<'static>)> {
    let mut units: Vec<(Kind, Turn<'static>)> = Vec::new();
    for turn in event_messages(record) {
        let mut words = None;
        for part in turn.parts {
            let (kind, role) = match part {
                TurnPart::Thought(_) => (Kind::Thought, turn.role),
                TurnPart::Call(_) => (Kind::Call, turn.role),
                TurnPart::Result(_) => (Kind::Result, StepRole::Environment),
                TurnPart::Text(_) | TurnPart::Attachment(_) => (Kind::Message, turn.role),
            };
            let place = match units.len() {
                UNITS_MAX => Some(UNITS_MAX - 1),
                _ => words.filter(|_| kind == Kind::Message),
            };
            match place.and_then(|at: usize| units.get_mut(at)) {
                Some((_, turn)) => turn.parts.push(part),
                None => {
                    words = words.or_else(|| (kind == Kind::Message).then_some(units.len()));
                    units.push((kind, Turn::of(role, vec![part])));
                }
            }
        }
    }
    units
}

/// The conversations of the traces so far.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    /// Of each trace, the digests of the messages of each.
    known: HashMap<Box<str>, Vec<Vec<u128>>>,
    /// The request that is being read, by trace and span.
    open: HashMap<[Box<str>; 2], OpenRequest>,
}

/// A request of which messages come.
#[derive(Debug, Clone, Copy)]
struct OpenRequest {
    /// Its conversation.
    place: usize,
    /// How many of its messages came.
    count: usize,
    is_answered: bool,
}

impl Conversations {
    /// Reads a record that is no details of a request.
    pub(super) fn read(&mut self, record: &Value<'_>, trace: &str, log: &mut Log<'_>) {
        let name = event(record);
        let class = if name.is_empty() { "log" } else { name };
        let (values, time) = ([record], time(record));
        let units = units(record);
        if units.is_empty() {
            return note(record, class, time, log);
        }
        if self.is_repeated(record, trace) {
            return;
        }
        for (number, (kind, turn)) in (UNIT..=Form::MAX).zip(&units) {
            let draft = Draft::of(*kind, number, &values);
            log.step(&Draft { role: turn.role, class: Some(class), time, ..draft });
        }
    }

    /// Whether a request repeats a message with this record.
    fn is_repeated(&mut self, record: &Value<'_>, trace: &str) -> bool {
        let messages = event_messages(record);
        let digest = messages.iter().map(digest::of_turn).fold(0, |all: u128, one| all.rotate_left(1) ^ one);
        let is_answer = event(record) == "gen_ai.choice";
        let known = self.known.entry(trace.into()).or_default();
        let key = [trace, first_text(record, &["spanId", "span_id"]).unwrap_or_default()].map(Into::into);
        let open = self.open.get(&key).copied().filter(|open| is_answer || !open.is_answered);
        let OpenRequest { place: at, count, .. } =
            open.unwrap_or(OpenRequest { place: known.len(), count: 0, is_answered: false });
        let before: Vec<u128> = known.get(at).map(|all| all.iter().copied().take(count).collect()).unwrap_or_default();
        let goes_on = |all: &Vec<u128>| all.get(count) == Some(&digest) && all.get(..count) == Some(&before);
        let same = (!is_answer).then(|| known.iter().rposition(goes_on)).flatten();
        let place = match (same, known.get_mut(at)) {
            (Some(same), _) => same,
            (None, Some(known)) if known.len() == count => {
                known.push(digest);
                at
            }
            _ => {
                known.push(before.into_iter().chain([digest]).collect());
                known.len() - 1
            }
        };
        self.open.insert(key, OpenRequest { place, count: count + 1, is_answered: is_answer });
        same.is_some()
    }
}

/// The time of a record or span, for its order.
pub(super) fn order_time<'v, 'a>(value: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let of_span = first(value, &["startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"]);
    of_span
        .or_else(|| time(value))
        .or_else(|| first(value, &["timestamp"]).filter(|_| value.get("span_name").is_some()))
}
