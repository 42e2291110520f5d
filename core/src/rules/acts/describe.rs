//! A step of a log described for the list.

use super::call::{self, Call};
use super::log::Log;
use super::message::{ActsMessage, MessageType};
use super::reference::canonical;
use super::render::tool_name;
use crate::json::{Data, Value, compact};
use crate::model::{Bytes, Step, StepKind, StepNo, StepRole};
use crate::text::{shorten, size_text};

/// Messages longer than this are described by what is known without reading them, in bytes.
const READ_MAX: u64 = 256 * 1024;

/// Longest summary, in characters.
const SUMMARY_MAX: usize = 200;

/// Describes a step; what is too long to read gives its type and size.
#[must_use]
pub fn describe(log: &Log, step: StepNo, bytes: &dyn Bytes) -> Step {
    let Some(row) = log.row(step) else { return Step { number: step, ..Step::default() } };
    let kind = row.kind();
    let mut described = Step {
        number: step,
        sign: sign(kind),
        kind: kind.name().to_owned(),
        tick: Some(log.tick(step)),
        label: kind.name().to_owned(),
        ..Step::default()
    };
    match kind {
        MessageType::Rebuilt => described.summary = rebuilt(log, step),
        MessageType::Broken => described.summary = broken(log, step, bytes),
        _ if row.span().len > READ_MAX => described.summary = size_text(row.span().len),
        _ => {
            log.read(step, bytes, |message| fill(&mut described, message));
        }
    }
    if let Some(id) = row.identity() {
        let identity = log.tree().identity(id);
        let instance = identity.instance.as_deref().unwrap_or_default();
        let name = canonical(&identity.kind, &[]).replacen('†', "¶", 1);
        let summary = format!("{name}{instance} {}", described.summary);
        summary.trim_end().clone_into(&mut described.summary);
    }
    described
}

/// Who says what at a step, where its message is words: a text, a prompt, a question, an error.
#[must_use]
pub fn spoken(log: &Log, step: StepNo, bytes: &dyn Bytes) -> Option<(StepRole, String)> {
    let row = log.row(step).filter(|row| row.span().len <= READ_MAX)?;
    let is_words =
        matches!(row.kind(), MessageType::Text | MessageType::System | MessageType::Question | MessageType::Error);
    let mut spoken = None;
    log.read(step, bytes, |message| {
        let role = message.text("role").and_then(role).unwrap_or_else(|| usual_role(message));
        spoken = Some((role, message_text(message)));
    });
    spoken.filter(|_| is_words)
}

fn sign(kind: MessageType) -> StepKind {
    match kind {
        MessageType::Text | MessageType::System | MessageType::Question => StepKind::Message,
        MessageType::Data | MessageType::Input | MessageType::State => StepKind::Data,
        MessageType::Error => StepKind::Error,
        MessageType::Plan | MessageType::Solution | MessageType::EnvelopeSolution => StepKind::Plan,
        MessageType::Call => StepKind::Call,
        MessageType::Tool
        | MessageType::Meta
        | MessageType::Advisor
        | MessageType::Expressions
        | MessageType::Rebuilt => StepKind::Meta,
        MessageType::Broken | MessageType::NotMessage => StepKind::Broken,
        MessageType::Unknown => StepKind::Other,
    }
}

fn fill(described: &mut Step, message: &ActsMessage<'_>) {
    described.class = message.text("type").map(str::to_owned);
    if message.kind == MessageType::EnvelopeSolution {
        described.class = Some(message.kind.name().to_owned());
    }
    let written = message.text("role");
    described.role = written.and_then(role).unwrap_or_else(|| usual_role(message));
    described.role_text = written.map(str::to_owned);
    if message.kind == MessageType::Text && described.role != StepRole::Unknown {
        described.role.name().clone_into(&mut described.label);
    }
    let date = message.get("_date").or_else(|| message.get("timestamp"));
    described.time = date.and_then(|date| date.as_str().or(date.as_number())).map(str::to_owned);
    let message_tool = || message.get("_tool").and_then(Value::as_str).map(str::to_owned);
    described.tool = message.call("_tool").and_then(Value::as_str).map(str::to_owned).or_else(message_tool);
    let text = message_text(message);
    described.chars = text.chars().count();
    described.summary = shortened(&text);
}

/// The roles of a chat (A26), and the words that others use for them.
fn role(written: &str) -> Option<StepRole> {
    Some(match written {
        "user" | "human" => StepRole::User,
        "assistant" | "agent" | "ai" | "model" => StepRole::Agent,
        "tool" | "environment" | "function" => StepRole::Environment,
        "system" | "developer" => StepRole::System,
        _ => return None,
    })
}

/// A26: the role of the entry; calls and solutions, which make none, are what the agent answers.
fn usual_role(message: &ActsMessage<'_>) -> StepRole {
    match message.kind {
        MessageType::NotMessage => StepRole::Unknown,
        kind if kind == MessageType::Call || kind.is_solution() => StepRole::Agent,
        _ => role(message.role()).unwrap_or_default(),
    }
}

/// What a message says, as one text.
fn message_text(message: &ActsMessage<'_>) -> String {
    let text = |keys: &[&str]| keys.iter().find_map(|key| message.text(key)).map(str::to_owned);
    let rest = || compact(message.written);
    match message.kind {
        MessageType::Text | MessageType::System => text(&["text", "message", "content"]).unwrap_or_else(rest),
        MessageType::Error => message.value().map_or_else(String::new, |v| error_text(&v)),
        MessageType::Data | MessageType::Input | MessageType::State => {
            message.value().map_or_else(String::new, |v| compact(&v))
        }
        MessageType::Plan => listed(&call::of(message)),
        MessageType::Solution | MessageType::EnvelopeSolution => solution(message),
        MessageType::Call => call::of(message).first().map_or_else(String::new, |call| called(call, message)),
        MessageType::Tool => tool_name(message).unwrap_or_else(rest),
        MessageType::Question => message.get("question").map_or_else(rest, plain),
        _ => rest(),
    }
}

/// A string as it is, anything else as JSON.
fn plain(value: &Value<'_>) -> String {
    value.as_str().map_or_else(|| compact(value), str::to_owned)
}

/// The sentence in an error: `error`, `message`, else all of it.
fn error_text(value: &Value<'_>) -> String {
    let sentence = value.get("error").or_else(|| value.get("message"));
    match sentence.map(|s| s.get("message").unwrap_or(s)) {
        Some(sentence) => plain(sentence),
        None => plain(value),
    }
}

/// `4 calls: searchHotels, quoteHotel`.
fn listed(calls: &[Call]) -> String {
    let tools: Vec<&str> = calls.iter().map(|c| c.tool.as_deref().unwrap_or("?")).collect();
    match tools.len() {
        0 => "no calls".to_owned(),
        1 => format!("1 call: {}", tools[0]),
        n => format!("{n} calls: {}", tools.join(", ")),
    }
}

fn solution(message: &ActsMessage<'_>) -> String {
    let calls = listed(&call::of(message));
    match super::check::output(message) {
        Some(output) => format!("output {}, {calls}", compact(output)),
        None => calls,
    }
}

/// `searchHotels(city=…, nights=2)`.
fn called(call: &Call, message: &ActsMessage<'_>) -> String {
    let inner = message.get("call").and_then(Value::as_object);
    let members = inner.map_or_else(|| message.entries(), |inner| inner.entries().collect());
    let is_parameter = |key: &str| !key.starts_with('_') && !matches!(key, "type" | "role");
    let members = members.into_iter().filter(|(key, _)| is_parameter(key));
    let shown: Vec<String> = members.map(|(key, value)| format!("{key}={}", brief(value))).collect();
    format!("{}({})", call.tool.as_deref().unwrap_or("?"), shown.join(", "))
}

/// Most characters of a string among arguments.
const BRIEF_CHARS_MAX: usize = 40;

fn brief(value: &Value<'_>) -> String {
    match &value.data {
        Data::String(s) if s.chars().count() > BRIEF_CHARS_MAX => shorten(s, BRIEF_CHARS_MAX).into_owned(),
        Data::Object(o) if !o.is_empty() => "{…}".to_owned(),
        Data::Array(a) if !a.is_empty() => "[…]".to_owned(),
        _ => plain(value),
    }
}

/// A4: what a step without message did.
fn rebuilt(log: &Log, step: StepNo) -> String {
    let (withdrawn, restored) = log.withdrawn(step);
    match (withdrawn.len(), restored.len()) {
        (0, 0) => "the context comes in another order".to_owned(),
        (w, 0) => format!("the context lost {w}"),
        (0, r) => format!("{r} came back to the context"),
        (w, r) => format!("the context lost {w}, {r} came back"),
    }
}

/// The first bytes of a record that is not valid JSON.
fn broken(log: &Log, step: StepNo, bytes: &dyn Bytes) -> String {
    let Some(row) = log.row(step) else { return String::new() };
    let span = row.span();
    let head = crate::model::Span { len: span.len.min(SUMMARY_MAX as u64), ..span };
    bytes.read(head).map_or_else(|_| String::new(), |text| shortened(&crate::model::lossy(&text)))
}

/// The beginning of a text, its white space joined.
fn shortened(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if out.len() >= SUMMARY_MAX {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().take(SUMMARY_MAX));
    }
    out
}
