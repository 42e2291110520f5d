//! What the model sees (A21 to A27).

use super::fold::{Identity, State};
use super::message::{self, Class};
use super::steps::Step;
use crate::reference::json::{J, quote};

/// A value as JSON of two spaces a level; with `is_schema` containers of scalars below the root stand on one line.
pub(crate) fn pretty(value: &J, is_schema: bool, depth: usize) -> String {
    let is_flat = |v: &J| match v {
        J::Arr(a) => a.is_empty(),
        J::Obj(o) => o.members.is_empty(),
        _ => true,
    };
    let (items, open, close): (Vec<(String, &J)>, _, _) = match value {
        J::Arr(all) => (all.iter().map(|v| (String::new(), v)).collect(), "[", "]"),
        J::Obj(o) => (o.members.iter().map(|(k, v)| (format!("{}: ", quote(k)), v)).collect(), "{", "}"),
        scalar => return scalar.compact(),
    };
    if items.is_empty() {
        return format!("{open}{close}");
    }
    let one = |(key, v): &(String, &J)| format!("{key}{}", pretty(v, is_schema, depth + 1));
    let parts: Vec<String> = items.iter().map(one).collect();
    if is_schema && depth > 0 && items.iter().all(|(_, v)| is_flat(v)) {
        let space = if open == "{" { " " } else { "" };
        return format!("{open}{space}{}{space}{close}", parts.join(", "));
    }
    let (indent, outdent) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    format!("{open}\n{indent}{}\n{outdent}{close}", parts.join(&format!(",\n{indent}")))
}

/// An entry: role and content.
pub(crate) type Entry = (String, J);

fn text_entry(role: &str, text: &str) -> Entry {
    (role.to_owned(), J::object(vec![("type", J::string("text")), ("text", J::string(text))]))
}

fn role(message: &J) -> &str {
    let otherwise = if message::type_of(message) == "system" { "system" } else { "user" };
    message::chat_role(message).unwrap_or(otherwise)
}

fn data_entry(
    role: &str,
    id: &super::fold::Id,
    value: Option<&J>,
    description: Option<&str>,
    schema: Option<&J>,
) -> Entry {
    let instance = id.1.as_ref().map_or(String::new(), |instance| format!(" (_instance: {instance})"));
    let name = format!("¶{}{instance}", id.0);
    let mut lines = vec![format!("## Data: {name}")];
    lines.extend(value.map(|v| pretty(v, false, 0)));
    lines.extend(description.map(str::to_owned));
    if let Some(schema) = schema {
        lines.extend([format!("Schema for {name}:"), pretty(schema, true, 0)]);
    }
    text_entry(role, &lines.join("\n"))
}

fn tool_name(message: &J) -> Option<String> {
    let tool = message.get("tool").filter(|t| t.obj().is_some());
    let of = tool.unwrap_or(message);
    let constant = || of.get("properties")?.get("_tool")?.get("const")?.str();
    let named = of.get("_tool").and_then(J::str).or_else(constant).or_else(|| of.get("name")?.str());
    let only = || tool?.obj().filter(|o| o.members.len() == 1).map(|o| o.members[0].0.clone());
    named.map(str::to_owned).or_else(only)
}

fn plain_entry(message: &J) -> Entry {
    let text = |key: &str| message.get(key).and_then(J::str);
    let found = match message::type_of(message) {
        "text" => text("text").or_else(|| text("content")),
        "system" => text("text").or_else(|| text("message")).or_else(|| text("content")),
        _ => None,
    };
    if let Some(text) = found {
        return text_entry(role(message), text);
    }
    let mut content = message.obj().cloned().unwrap_or_default();
    let has_role = message::chat_role(message).is_some();
    content
        .members
        .retain(|(k, _)| !(["_call", "_date", "_outputMethod"].contains(&k.as_str()) || has_role && k == "role"));
    (role(message).to_owned(), J::Obj(content).plain())
}

pub(crate) fn entries(steps: &[Step], state: &State, context: &[usize]) -> Vec<Entry> {
    let mut out = Vec::new();
    for (i, step) in context.iter().enumerate() {
        let message = &steps[*step].message;
        let later = || context[i + 1..].iter().map(|s| &steps[*s].message);
        if let Some(data) = &steps[*step].data {
            let Some(identity) = state.get(&data.kind, data.instance.as_deref()) else { continue };
            out.extend(of_data(steps, *step, identity));
            continue;
        }
        let is_shown = match message::type_of(message) {
            _ if message.obj().is_none() => false,
            "solution" | "call" => false,
            "plan" => !later().any(|m| message::type_of(m) == "plan"),
            "tool" => {
                let name = tool_name(message);
                name.is_none() || !later().any(|m| message::type_of(m) == "tool" && tool_name(m) == name)
            }
            _ => steps[*step].class != Some(Class::NotAMessage) || message.obj().is_some(),
        };
        if is_shown {
            out.push(plain_entry(message));
        }
    }
    out
}

/// The entry of an identity at the first of its messages; of an error at each that has a value.
fn of_data(steps: &[Step], step: usize, identity: &Identity) -> Option<Entry> {
    let data = steps[step].data.as_ref()?;
    let is_error = identity.id.0 == "error";
    let schema = identity.schema.as_ref().map(|(schema, _)| schema);
    if is_error && data.value.is_some() {
        let schema = data.schema.as_ref().map(J::plain);
        let value = data.value.as_ref().map(J::plain);
        return Some(data_entry(
            role(&steps[step].message),
            &identity.id,
            value.as_ref(),
            data.description.as_deref(),
            schema.as_ref(),
        ));
    }
    let mut mine =
        identity.steps.iter().filter(|s| !is_error || steps[**s].data.as_ref().is_some_and(|d| d.value.is_none()));
    (mine.next() == Some(&step)).then_some(())?;
    let value = identity.tree.as_ref().filter(|_| !is_error).map(|t| t.value());
    Some(data_entry(role(&steps[step].message), &identity.id, value.as_ref(), identity.description.as_deref(), schema))
}

/// As text (A27).
pub(crate) fn text(entries: &[Entry]) -> String {
    let one = |(_, content): &Entry| match (content.get("type").and_then(J::str), content.get("text").and_then(J::str))
    {
        (Some("text"), Some(text)) => text.to_owned(),
        _ => pretty(content, false, 0),
    };
    let all: Vec<String> = entries.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!("{}\n", all.join("\n\n")) }
}
