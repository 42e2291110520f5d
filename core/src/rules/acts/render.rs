//! What the model sees: the context as entries (A21 to A27).

use super::log::Log;
use super::message::{ActsMessage, MessageType};
use super::write;
use crate::json::{self, Value, quote};
use crate::model::{Bytes, Identity, StepNo};
use crate::state::IdentityId;
use std::collections::{HashMap, HashSet};

/// One entry of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedEntry {
    /// The chat role.
    pub role: String,
    /// The content as compact JSON text.
    pub content: String,
    /// The entry as text (A27).
    pub text: String,
    /// The first message that it comes from.
    pub step: StepNo,
    /// The identity that it shows.
    pub identity: Option<IdentityId>,
}

/// A21, A26: the view at a step.
#[must_use]
pub fn view(log: &Log, step: StepNo, bytes: &dyn Bytes) -> Vec<RenderedEntry> {
    let context: Vec<StepNo> = log.context(step).collect();
    let last_plan = context.iter().rev().copied().find(|s| log.kind(*s) == Some(MessageType::Plan));
    let last_tools = last_tools(log, &context, bytes);
    let mut shown = HashSet::new();
    let mut entries = Vec::new();
    for at in context {
        let entry = match log.kind(at) {
            Some(kind) if kind.writes() => data_entry(log, at, step, &mut shown, bytes),
            Some(MessageType::Plan) if Some(at) != last_plan => None,
            Some(MessageType::Tool) if !last_tools.contains(&at) => None,
            _ => log.read(at, bytes, |message| message_entry(message, at)).flatten(),
        };
        entries.extend(entry);
    }
    entries
}

/// A4: the messages of the context at a step one by one, as they are written: nothing is merged and nothing left out.
#[must_use]
pub fn raw_view(log: &Log, step: StepNo, bytes: &dyn Bytes) -> Vec<RenderedEntry> {
    log.context(step).filter_map(|at| log.read(at, bytes, |message| raw_entry(log, message, at))).collect()
}

fn raw_entry(log: &Log, message: &ActsMessage<'_>, at: StepNo) -> RenderedEntry {
    let written = json::compact(message.written);
    let content = match message.kind {
        MessageType::EnvelopeSolution => format!("{{\"type\":\"solution\",\"solution\":{written}}}"),
        _ => written,
    };
    let printed = json::parse(&content).map_or_else(|_| content.clone(), |value| json::pretty(&value));
    let text = format!("## Step {at}: {}\n{printed}", message.kind.name());
    RenderedEntry { role: message.role().to_owned(), content, text, step: at, identity: log.identity(at) }
}

/// A26: of tool messages of one name the last; those without a name all.
fn last_tools(log: &Log, context: &[StepNo], bytes: &dyn Bytes) -> HashSet<StepNo> {
    let mut last = HashMap::new();
    let mut nameless = HashSet::new();
    for step in context.iter().copied().filter(|s| log.kind(*s) == Some(MessageType::Tool)) {
        match log.read(step, bytes, tool_name).flatten() {
            Some(name) => {
                last.insert(name, step);
            }
            None => {
                nameless.insert(step);
            }
        }
    }
    nameless.extend(last.into_values());
    nameless
}

/// A26: the name of the tool that a tool message defines.
pub(super) fn tool_name(message: &ActsMessage<'_>) -> Option<String> {
    let tool = message.get("tool").filter(|t| t.as_object().is_some());
    let get = |key: &str| match tool {
        Some(tool) => tool.get(key),
        None => message.get(key),
    };
    let constant = || get("properties")?.get("_tool")?.get("const")?.as_str();
    let named = get("_tool").and_then(Value::as_str).or_else(constant);
    let named = named.or_else(|| get("name").and_then(Value::as_str)).map(str::to_owned);
    named.or_else(|| {
        let mut keys = tool?.as_object()?.entries().map(|(key, _)| key);
        let only = keys.next()?;
        keys.next().is_none().then(|| only.to_owned())
    })
}

/// A21: the entry that a data message begins; None where its identity has one. Errors with a value are their own.
fn data_entry(
    log: &Log,
    at: StepNo,
    step: StepNo,
    shown: &mut HashSet<IdentityId>,
    bytes: &dyn Bytes,
) -> Option<RenderedEntry> {
    let id = log.identity(at)?;
    let identity = log.tree().identity(id);
    let is_error = identity.kind == MessageType::Error.name();
    if is_error && log.row(at)?.has_value() {
        return error_entry(log, at, id, bytes);
    }
    if !shown.insert(id) {
        return None;
    }
    let role = log.read(at, bytes, |message| message.role().to_owned())?;
    // Errors are by themselves, so what is left of their identity is its schema and description.
    let root = log.tree().view(id, step).and_then(|v| v.root).filter(|_| !is_error);
    let value = root.and_then(|root| log.tree().text(root, step, bytes));
    let schema = log.schema(id, step, bytes).map(|(text, _)| text);
    let description = log.description(id, step, bytes);
    let text = data_text(identity, value.as_deref(), description.as_deref(), schema.as_deref());
    Some(text_entry(&role, text, at, Some(id)))
}

/// A21, A22: one error.
fn error_entry(log: &Log, at: StepNo, id: IdentityId, bytes: &dyn Bytes) -> Option<RenderedEntry> {
    log.read(at, bytes, |message| {
        let value = message.value().map(|v| json::compact(&v));
        let schema = write::schema(message, &mut Vec::new()).map(json::compact);
        let description = message.text("description").filter(|d| !d.is_empty());
        let text = data_text(log.tree().identity(id), value.as_deref(), description, schema.as_deref());
        text_entry(message.role(), text, at, Some(id))
    })
}

/// A22, A23: heading, value, description, schema; what is absent has no line.
fn data_text(identity: &Identity, value: Option<&str>, description: Option<&str>, schema: Option<&str>) -> String {
    let instance = identity.instance.as_ref().map(|i| format!(" (_instance: {i})")).unwrap_or_default();
    let name = format!("¶{}{instance}", identity.kind);
    let printed =
        |text: &str, print: fn(&Value<'_>) -> String| json::parse(text).map_or_else(|_| text.to_owned(), |v| print(&v));
    let mut lines = vec![format!("## Data: {name}")];
    lines.extend(value.map(|text| printed(text, json::pretty)));
    lines.extend(description.map(str::to_owned));
    if let Some(schema) = schema {
        lines.push(format!("Schema for {name}:"));
        lines.push(printed(schema, json::schema_text));
    }
    lines.join("\n")
}

fn text_entry(role: &str, text: String, step: StepNo, identity: Option<IdentityId>) -> RenderedEntry {
    let content = format!("{{\"type\":\"text\",\"text\":{}}}", quote(&text));
    RenderedEntry { role: role.to_owned(), content, text, step, identity }
}

/// A26: the entry of any other message.
fn message_entry(message: &ActsMessage<'_>, step: StepNo) -> Option<RenderedEntry> {
    let text = match message.kind {
        kind if kind == MessageType::Call || kind.is_solution() => return None,
        MessageType::Text => message.text("text").or_else(|| message.text("content")),
        MessageType::System => {
            message.text("text").or_else(|| message.text("message")).or_else(|| message.text("content"))
        }
        _ => None,
    };
    if let Some(text) = text {
        return Some(text_entry(message.role(), text.to_owned(), step, None));
    }
    message.body()?;
    let is_shown = |key: &str| match key {
        "_call" | "_date" | "_outputMethod" => false,
        "role" => message.chat_role().is_none(),
        _ => true,
    };
    let members = message.entries().into_iter().filter(|(key, _)| is_shown(key));
    let members: Vec<String> = members.map(|(key, v)| format!("{}:{}", quote(key), json::compact(v))).collect();
    let content = format!("{{{}}}", members.join(","));
    let text = json::parse(&content).map_or_else(|_| content.clone(), |v| json::pretty(&v));
    Some(RenderedEntry { role: message.role().to_owned(), content, text, step, identity: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_tool_has_one_of_four_names() {
        let name = |text: &str| tool_name(&ActsMessage::of(&parse(text).unwrap()));
        let name_of = |text: &str| name(&format!(r#"{{"type":"tool",{text}}}"#));
        assert_eq!(name_of(r#""tool":{"_tool":"a","name":"b"}"#).as_deref(), Some("a"));
        assert_eq!(name_of(r#""tool":{"properties":{"_tool":{"const":"c"}},"name":"b"}"#).as_deref(), Some("c"));
        assert_eq!(name_of(r#""tool":{"d":{}}"#).as_deref(), Some("d"));
        assert_eq!(name_of(r#""name":"e""#).as_deref(), Some("e"));
        assert_eq!(name_of(r#""tool":{"x":1,"y":2}"#), None);
    }

    #[test]
    fn what_is_absent_has_no_line() {
        let identity = Identity::of("state", "①");
        assert_eq!(data_text(&identity, None, None, None), "## Data: ¶state (_instance: ①)");
        let text = data_text(&Identity::global("k"), Some("{\"a\":[]}"), Some("d"), Some("true"));
        assert_eq!(text, "## Data: ¶k\n{\n  \"a\": []\n}\nd\nSchema for ¶k:\ntrue");
    }

    #[test]
    fn other_messages_show_what_is_meant_for_the_model() {
        let entry = |text: &str| message_entry(&ActsMessage::of(&parse(text).unwrap()), 0);
        let e = entry(r#"{"type":"advisor","role":"boss","_date":"d","x":1,"x":2}"#).unwrap();
        assert_eq!((e.role.as_str(), e.content.as_str()), ("user", r#"{"type":"advisor","role":"boss","x":2}"#));
        assert_eq!(entry(r#"{"type":"call"}"#), None);
        assert_eq!(entry("5"), None);
        assert_eq!(entry(r#"{"role":"user","content":[1]}"#).unwrap().content, r#"{"content":[1]}"#);
        assert_eq!(entry(r#"{"type":"system","message":"m"}"#).unwrap().role, "system");
    }
}
