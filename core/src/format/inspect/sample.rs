//! A sample as a trajectory: its messages are the steps, its events say when they happened and what they changed.

use super::store::SlotWrite;
use super::timeline::{self, Effect, Timeline};
use crate::format::log::{Adapter, Blocks, Form, Log, MoreValues, form, result, show, text_of};
use crate::json::{self, Document, Value};
use crate::model::{Severity, StepNo, StepRole, Surroundings, ToolResult, Turn, TurnPart, cast};
use crate::rules::trajectory::{is_finishing, score_number};
use crate::rules::work::Dialect;
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashMap;

/// Reads one sample.
pub(super) struct Sample;

/// Prefixes of texts that refer to an attachment; the second is that of old logs.
const REFERENCES: [&str; 2] = ["attachment://", "tc://"];

/// What the state knows of a sample before its first step.
const GIVEN: [&str; 6] = ["id", "epoch", "target", "choices", "sandbox", "metadata"];

/// What it knows after the last.
const ENDS: [&str; 3] = ["error", "limit", "total_time"];

/// How many times more bytes of messages a conversation may refer to than the file has.
const REPEATS_MAX: usize = 4;

impl Adapter for Sample {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let attachments = Attachments::read(record);
        begin(record, &attachments, log);
        let (messages, missing) = conversation(record);
        if missing > 0 {
            let message = format!("{missing} messages that the sample refers to are missing");
            log.finding(None, "run.part-missing", Severity::Warning, message);
        }
        timeline::events(record).iter().for_each(|event| log.declare_tools(event.get("tools")));
        let mut timeline = Timeline::of(record, &messages, &attachments);
        add_effects(timeline.before(), log);
        for (index, message) in messages.iter().enumerate() {
            add_message(message, &timeline, index, &attachments, log);
            add_effects(timeline.behind(index), log);
        }
        if let Some(trouble) = timeline.trouble() {
            report_trouble(trouble, log);
        }
        end(record, &attachments, log);
    }

    fn dialect(&self) -> Dialect {
        Dialect::Inspect
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some((value, attached)) = values.split_first() else { return Turn::default() };
        let mut turn = match form {
            form::RESULT => Turn::of(StepRole::Environment, vec![TurnPart::Result(tool_result(value))]),
            // Of reasoning that the service hides nobody can read more than a summary.
            form::THOUGHT => match summary_of_hidden(value).or_else(|| value.get("reasoning")).map(text_of) {
                Some(text) => Turn::of(StepRole::Agent, vec![TurnPart::Thought(text)]),
                None => show(form, &[value]),
            },
            _ => show(form, &[value]),
        };
        if !attached.is_empty() {
            resolve(&mut turn, value, attached);
        }
        turn
    }
}

/// What a sample says of itself before its steps.
pub(super) fn begin(record: &Value<'_>, attachments: &Attachments<'_>, log: &mut Log<'_>) {
    for part in record.get("parts_missing").and_then(Value::as_array).unwrap_or_default() {
        let message = format!("`{}` is missing", part.as_str().unwrap_or(part.text));
        log.finding(None, "run.part-missing", Severity::Warning, message);
    }
    if let Some(missing) = record.get("part_missing") {
        let text = |key: &str| missing.get(key).and_then(Value::as_str).unwrap_or_default();
        let message = format!("`{}` cannot be read: {}", text("part"), text("why"));
        log.finding(None, "run.part-missing", Severity::Warning, message);
    }
    title(record, log);
    if let Some(error) = record.get("error").filter(|error| !error.is_null()) {
        let words = error.get("message").and_then(Value::as_str).or(error.as_str()).unwrap_or(error.text);
        log.finding(None, "run.error", Severity::Warning, words.to_owned());
    }
    for slot in GIVEN {
        if let Some(value) = record.get(slot) {
            write_resolved(["sample", "main"], &[slot], value, attachments, log);
        }
    }
    retries(record, log);
}

/// Earlier attempts that an error ended: what they said. Their traces and events are not state.
fn retries(record: &Value<'_>, log: &mut Log<'_>) {
    let attempts = record.get("error_retries").and_then(Value::as_array).unwrap_or_default();
    let words = attempts.iter().filter_map(|error| error.get("message").or(Some(error))?.as_str()).map(json::quote);
    let words: Vec<String> = words.collect();
    if !words.is_empty() {
        let list = format!("[{}]", words.join(","));
        log.derive("sample", "main", &["error_retries"], Op::Update, &list);
    }
}

/// Writes a value with its attachments in it.
fn write_resolved(
    [kind, instance]: [&str; 2],
    path: &[&str],
    value: &Value<'_>,
    attachments: &Attachments<'_>,
    log: &mut Log<'_>,
) {
    if references(value.text).is_empty() {
        return log.write(kind, instance, path, Op::Update, value);
    }
    let resolved = Document::of(value, &|text| attachments.text(text)).text();
    log.derive(kind, instance, path, Op::Update, &resolved);
}

/// The events of a sample do not lead to the store that it ends with.
pub(super) fn report_trouble(trouble: String, log: &mut Log<'_>) {
    log.finding(None, "log.replay-differs", Severity::Warning, trouble);
}

fn title(record: &Value<'_>, log: &mut Log<'_>) {
    let Some(id) = record.get("id") else { return };
    let id = id.as_str().unwrap_or(id.text);
    match record.get("epoch").and_then(Value::as_number) {
        None | Some("1") => log.title(id),
        Some(epoch) => log.title(&format!("{id} (epoch {epoch})")),
    }
}

/// The messages of the conversation: the list, or the ranges of it that a chunked sample names. How many of these are
/// missing: null is in the list for those of a chunk that is.
fn conversation<'v>(record: &'v Value<'v>) -> (Vec<&'v Value<'v>>, usize) {
    let all = record.get("messages").and_then(Value::as_array).unwrap_or_default();
    let Some(ranges) = record.get("message_refs").and_then(Value::as_array) else { return (all.iter().collect(), 0) };
    let (mut messages, mut missing) = (Vec::new(), 0_usize);
    for range in ranges {
        let end = |at: usize| range.as_array()?.get(at)?.as_number()?.parse::<usize>().ok();
        let Some((from, to)) = end(0).zip(end(1)).filter(|(from, to)| from <= to) else { continue };
        let part = all.get(from.min(all.len())..to.min(all.len())).unwrap_or_default();
        if messages.len() + part.len() > all.len() * REPEATS_MAX {
            break;
        }
        let before = messages.len();
        messages.extend(part.iter().filter(|message| !message.is_null()));
        missing = missing.saturating_add((to - from).saturating_sub(messages.len() - before));
    }
    (messages, missing)
}

fn add_message(
    message: &Value<'_>,
    timeline: &Timeline<'_>,
    index: usize,
    attachments: &Attachments<'_>,
    log: &mut Log<'_>,
) {
    let model = message.get("model").and_then(Value::as_str).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let blocks = Blocks {
        class: message.get("role").and_then(Value::as_str),
        time: timeline.time(index),
        tokens: timeline.usage(index).and_then(|usage| usage.output),
        more: Some(attachments),
        ..Blocks::of(message)
    };
    blocks.add_steps(log);
}

fn add_effects(effects: Vec<Effect>, log: &mut Log<'_>) {
    for effect in effects {
        match effect {
            Effect::Usage(usage) => log.usage(None, &usage),
            Effect::Write(write) => write_changes(vec![write], log),
        }
    }
}

/// Writes changes of slots at the step that was reported last.
pub(super) fn write_changes(changes: Vec<SlotWrite>, log: &mut Log<'_>) {
    for write in changes {
        let path: Vec<&str> = write.path.iter().map(|key| &**key).collect();
        match write.text {
            Some(text) => log.derive(&write.kind, &write.instance, &path, Op::Update, &text),
            None => log.remove(&write.kind, &write.instance, &path),
        }
    }
}

/// How the sample ended: scores, error, limit.
pub(super) fn end(record: &Value<'_>, attachments: &Attachments<'_>, log: &mut Log<'_>) {
    for slot in ENDS {
        if let Some(value) = record.get(slot).filter(|value| !value.is_null()) {
            write_resolved(["sample", "main"], &[slot], value, attachments, log);
        }
    }
    facts(record, log);
    let scores = record.get("scores").and_then(Value::as_object);
    let last: StepNo = log.next_step() - 1;
    for (i, (scorer, score)) in scores.iter().flat_map(|scores| scores.entries()).enumerate() {
        write_resolved(["score", scorer], &[], score, attachments, log);
        let number = score.get("value").and_then(score_number);
        if let Some(number) = number.filter(|_| i == 0 && last >= 0) {
            log.reward(last, number);
        }
    }
}

/// What the sample says of its run: the model, what it took, and what ended it early.
fn facts(record: &Value<'_>, log: &mut Log<'_>) {
    let model = record.get("model_usage").and_then(Value::as_object).and_then(|models| models.entries().next());
    let answered = || record.get("output")?.get("model")?.as_str();
    let model = model.map(|(name, _)| name).or_else(answered).filter(|name| !name.is_empty());
    let seconds = record.get("total_time").and_then(Value::as_number).and_then(|n| n.parse::<f64>().ok());
    let limit = record.get("limit").and_then(|limit| limit.get("type")?.as_str()).map(|limit| format!("{limit}-limit"));
    let is_error = record.get("error").is_some_and(|error| !error.is_null());
    let (agent, submitted) = (agent(record), submitted(record));
    let facts = log.facts();
    facts.agent = agent.map(str::to_owned);
    facts.model = model.map(str::to_owned);
    facts.micros = seconds.filter(|s| s.is_finite() && *s > 0.0).map(|s| cast::f64_to_u64(s * 1e6));
    facts.finish = if is_error { Some("error".to_owned()) } else { limit.or(submitted.map(str::to_owned)) };
}

/// Who ran: the first agent of its events, else the last solver, which those before it prepare.
fn agent<'v>(record: &'v Value<'v>) -> Option<&'v str> {
    let text = |event: &'v Value<'v>, name: &str| event.get(name).and_then(Value::as_str);
    let mut last = None;
    for event in timeline::events(record) {
        let is_begin = match text(event, "event") {
            Some("span_begin") => true,
            Some("step") => text(event, "action") == Some("begin"),
            _ => false,
        };
        match text(event, "type").filter(|_| is_begin) {
            Some("agent") => return text(event, "name"),
            Some("solver") => last = text(event, "name").or(last),
            _ => {}
        }
    }
    last
}

/// The call by which the agent ends its run, if the last of its messages has one.
fn submitted<'v>(record: &'v Value<'v>) -> Option<&'v str> {
    let messages = record.get("messages").and_then(Value::as_array)?;
    let role = |message: &Value<'v>| message.get("role").and_then(Value::as_str) == Some("tool");
    let last = messages.iter().rev().find(|message| !role(message))?;
    let calls = last.get("tool_calls").and_then(Value::as_array)?;
    calls.iter().filter_map(|call| call.get("function")?.as_str()).find(|function| is_finishing(function))
}

/// A message of a tool, with its function and its error.
fn tool_result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let error = value.get("error").filter(|error| !error.is_null());
    let mut result = result(value);
    result.name = value.get("function").and_then(Value::as_str).map(Cow::Borrowed);
    if let Some(error) = error {
        result.is_error = Some(true);
        if result.text.is_empty() {
            result.text = error.get("message").map(text_of).unwrap_or_default();
        }
    }
    result
}

/// The texts that a sample refers to, by their hash or by their index.
pub(super) struct Attachments<'v> {
    by_name: HashMap<&'v str, &'v Value<'v>>,
    list: &'v [Value<'v>],
}

impl<'v> Attachments<'v> {
    pub(super) fn read(record: &'v Value<'v>) -> Self {
        let found = record.get("attachments").or_else(|| record.get("transcript")?.get("content"));
        let by_name = found.and_then(Value::as_object).map(|object| object.entries().collect()).unwrap_or_default();
        Self { by_name, list: found.and_then(Value::as_array).unwrap_or_default() }
    }

    fn get(&self, name: &str) -> Option<&'v Value<'v>> {
        let of_list = || self.list.get(name.parse::<usize>().ok()?);
        self.by_name.get(name).copied().or_else(of_list).filter(|found| !found.is_null())
    }

    /// The text that a string refers to, if the whole string is a reference.
    pub(super) fn text(&self, text: &str) -> Option<&'v str> {
        let name = REFERENCES.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        self.get(name)?.as_str()
    }
}

impl MoreValues for Attachments<'_> {
    /// What a value refers to, in the order of [`references`]; a reference to a missing text gives the value itself.
    fn of<'s>(&'s self, value: &'s Value<'s>) -> Vec<&'s Value<'s>> {
        references(value.text).into_iter().map(|(_, name)| self.get(name).unwrap_or(value)).collect()
    }
}

/// The most references of one message that are looked up.
const REFERENCES_MAX: usize = 1_000;

/// The references in a JSON text, each once: as written, and what they name.
fn references(text: &str) -> Vec<(&str, &str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for prefix in REFERENCES {
        for at in memchr::memmem::find_iter(text.as_bytes(), prefix) {
            let name = &text[at + prefix.len()..];
            let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
            let whole = &text[at..at + prefix.len() + name.len()];
            if !name.is_empty() && found.len() < REFERENCES_MAX && !found.iter().any(|(known, _)| *known == whole) {
                found.push((whole, name));
            }
        }
    }
    found
}

/// How many attachments a value refers to.
pub(super) fn reference_count(value: &Value<'_>) -> usize {
    references(value.text).len()
}

/// Puts attachments in place of the references to them.
pub(super) fn resolve(turn: &mut Turn<'_>, value: &Value<'_>, attached: &[&Value<'_>]) {
    let found = references(value.text);
    let known = found.iter().zip(attached).filter(|(_, attached)| attached.text != value.text);
    for ((reference, _), attached) in known {
        let plain = attached.as_str().unwrap_or(attached.text);
        for part in &mut turn.parts {
            match part {
                TurnPart::Text(text) | TurnPart::Thought(text) => put(text, reference, plain),
                TurnPart::Result(result) => put(&mut result.text, reference, plain),
                // Within JSON: as it is written in a string.
                TurnPart::Call(call) => {
                    let quoted = attached.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                    put(&mut call.arguments, reference, quoted.unwrap_or(attached.text));
                }
                TurnPart::Attachment(file) if file.location.as_deref() == Some(reference) => {
                    file.bytes = attached.text.len() as u64;
                    file.location = None;
                }
                TurnPart::Attachment(_) => {}
            }
        }
    }
}

/// A text that is the reference, or has it inside, once or more.
fn put(text: &mut Cow<'_, str>, reference: &str, plain: &str) {
    if text == reference {
        *text = Cow::Owned(plain.to_owned());
        return;
    }
    // The name of another attachment may begin like this one.
    let is_whole = |at: &usize| !text[at + reference.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let places: Vec<usize> = text.match_indices(reference).map(|(at, _)| at).filter(is_whole).collect();
    let bytes_more = plain.len().saturating_mul(places.len());
    if places.is_empty() || (bytes_more > EMBEDDED_MAX && bytes_more > EMBEDDED_SHARE * text.len()) {
        return;
    }
    let (mut out, mut copied) = (String::with_capacity(text.len() + bytes_more), 0);
    for at in places {
        out.push_str(&text[copied..at]);
        out.push_str(plain);
        copied = at + reference.len();
    }
    out.push_str(&text[copied..]);
    *text = Cow::Owned(out);
}

/// Longer attachments are not put into other text, where they are many times as long as it.
const EMBEDDED_MAX: usize = 1 << 16;
const EMBEDDED_SHARE: usize = 16;

/// The summary of reasoning of which the text is encrypted.
fn summary_of_hidden<'v>(block: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let is_hidden = block.get("redacted").and_then(Value::as_bool) == Some(true);
    block.get("summary").filter(|summary| is_hidden && summary.as_str().is_some_and(|text| !text.is_empty()))
}
