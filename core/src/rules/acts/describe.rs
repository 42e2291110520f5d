//! A step of a log described for the list.

use super::call::{self, Call};
use super::log::Log;
use super::message::{Message, Type};
use super::reference::canonical;
use super::render::tool_name;
use crate::json::{Data, Value, compact};
use crate::model::{Bytes, Role, Step, StepKind, StepNo};
use crate::text::size_text;

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
        Type::Rebuilt => described.summary = rebuilt(log, step),
        Type::Broken => described.summary = broken(log, step, bytes),
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

fn sign(kind: Type) -> StepKind {
    match kind {
        Type::Text | Type::System | Type::Question => StepKind::Message,
        Type::Data | Type::Input | Type::State => StepKind::Data,
        Type::Error => StepKind::Error,
        Type::Plan | Type::Solution | Type::EnvelopeSolution => StepKind::Plan,
        Type::Call => StepKind::Call,
        Type::Tool | Type::Meta | Type::Advisor | Type::Expressions | Type::Rebuilt => StepKind::Meta,
        Type::Broken | Type::NotMessage => StepKind::Broken,
        Type::Unknown => StepKind::Other,
    }
}

fn fill(described: &mut Step, message: &Message<'_>) {
    described.class = message.text("type").map(str::to_owned);
    if message.kind == Type::EnvelopeSolution {
        described.class = Some(message.kind.name().to_owned());
    }
    let written = message.text("role");
    described.role = written.and_then(role).unwrap_or_else(|| usual_role(message));
    described.role_text = written.map(str::to_owned);
    if message.kind == Type::Text && described.role != Role::Unknown {
        described.role.name().clone_into(&mut described.label);
    }
    let date = message.get("_date").or_else(|| message.get("timestamp"));
    described.time = date.and_then(|date| date.as_str().or(date.as_number())).map(str::to_owned);
    let own_tool = || message.get("_tool").and_then(Value::as_str).map(str::to_owned);
    described.tool = message.call("_tool").and_then(Value::as_str).map(str::to_owned).or_else(own_tool);
    let text = message_text(message);
    described.chars = text.chars().count();
    described.summary = shortened(&text);
}

/// The roles of a chat (A26), and the words that others use for them.
fn role(written: &str) -> Option<Role> {
    Some(match written {
        "user" | "human" => Role::User,
        "assistant" | "agent" | "ai" | "model" => Role::Agent,
        "tool" | "environment" | "function" => Role::Environment,
        "system" | "developer" => Role::System,
        _ => return None,
    })
}

/// A26: the role of the entry; calls and solutions, which make none, are what the agent answers.
fn usual_role(message: &Message<'_>) -> Role {
    match message.kind {
        Type::NotMessage => Role::Unknown,
        kind if kind == Type::Call || kind.is_solution() => Role::Agent,
        _ => role(message.role()).unwrap_or_default(),
    }
}

/// What a message says, as one text.
fn message_text(message: &Message<'_>) -> String {
    let text = |keys: &[&str]| keys.iter().find_map(|key| message.text(key)).map(str::to_owned);
    let rest = || compact(message.written);
    match message.kind {
        Type::Text | Type::System => text(&["text", "message", "content"]).unwrap_or_else(rest),
        Type::Error => message.value().map_or_else(String::new, |v| error_text(&v)),
        Type::Data | Type::Input | Type::State => message.value().map_or_else(String::new, |v| compact(&v)),
        Type::Plan => listed(&call::of(message)),
        Type::Solution | Type::EnvelopeSolution => solution(message),
        Type::Call => call::of(message).first().map_or_else(String::new, |call| called(call, message)),
        Type::Tool => tool_name(message).unwrap_or_else(rest),
        Type::Question => message.get("question").map_or_else(rest, plain),
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

fn solution(message: &Message<'_>) -> String {
    let calls = listed(&call::of(message));
    match super::check::output(message) {
        Some(output) => format!("output {}, {calls}", compact(output)),
        None => calls,
    }
}

/// `searchHotels(city=…, nights=2)`.
fn called(call: &Call, message: &Message<'_>) -> String {
    let inner = message.get("call").and_then(Value::as_object);
    let members = inner.map_or_else(|| message.entries(), |inner| inner.entries().collect());
    let is_parameter = |key: &str| !key.starts_with('_') && !matches!(key, "type" | "role");
    let members = members.into_iter().filter(|(key, _)| is_parameter(key));
    let shown: Vec<String> = members.map(|(key, value)| format!("{key}={}", brief(value))).collect();
    format!("{}({})", call.tool.as_deref().unwrap_or("?"), shown.join(", "))
}

fn brief(value: &Value<'_>) -> String {
    match &value.data {
        Data::String(s) if s.chars().count() > 40 => s.chars().take(40).chain(['…']).collect(),
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

/// The first bytes of a record that is no JSON.
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
