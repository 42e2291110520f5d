//! What a record says beside the messages of its conversation: a system prompt, tools, the rest of a request.

use super::content::words;
use super::message_text::{Member, is_nothing, rest};
use crate::json::{self, Value};
use crate::rules::trajectory::{Track, instructions, requested_tools};

/// Of the members of a record in which steps are what else they say: what else was asked of a model, and what else came
/// back, without the tools and the instructions of a request.
pub(in crate::review) fn beside_steps(record: &Value<'_>, tracks: &[Track]) -> Vec<Member> {
    let members = record.as_object().into_iter().flat_map(json::Object::entries);
    let left = |(name, value): (&str, &Value<'_>)| {
        value.as_object()?;
        let mut used: Vec<&str> = tracks.iter().flat_map(|track| track.inside(name)).collect();
        used.first()?;
        used.extend(["tools", "instructions"]);
        let members = rest(value, &used).into_iter().filter(|(_, json)| !is_nothing(json));
        let members: Vec<String> = members.map(|(name, json)| format!("{}:{json}", json::quote(&name))).collect();
        (!members.is_empty()).then(|| (name.to_owned(), format!("{{{}}}", members.join(","))))
    };
    members.filter_map(left).collect()
}

/// The system prompt of a conversation that is no message, and the member of the record that has it.
pub(in crate::review) fn system_words(record: &Value<'_>) -> Option<(&'static str, String)> {
    let system = record.get("system").and_then(words).map(|words| ("system", words));
    let is_beside = |text: &Value<'_>| record.get("instructions").is_some_and(|found| found.start == text.start);
    system.or_else(|| {
        let text = instructions(record)?;
        Some((if is_beside(text) { "instructions" } else { "system" }, text.as_str()?.to_owned()))
    })
}

/// The tools of a conversation, and the member of the record that has them.
pub(in crate::review) fn tool_member<'a>(record: &'a Value<'a>) -> Option<(&'static str, &'a Value<'a>)> {
    let tools = record.get("tools").filter(|tools| !tools.is_null()).or_else(|| requested_tools(record));
    let listed = || record.get("tool_definitions").filter(|tools| tools.as_array().is_some());
    tools.map(|tools| ("tools", tools)).or_else(|| Some(("tool_definitions", listed()?)))
}

/// Tools as chats have them, as JSON: functions as the Responses interface declares them are put into `function`.
pub(super) fn tool_schemas(tools: &Value<'_>) -> String {
    let is_flat = |tool: &Value<'_>| {
        let word = |name: &str| tool.get(name).and_then(Value::as_str);
        word("type") == Some("function") && word("name").is_some() && tool.get("function").is_none()
    };
    let Some(all) = tools.as_array().filter(|all| all.iter().any(is_flat)) else { return json::compact(tools) };
    let schema = |tool: &Value<'_>| {
        if !is_flat(tool) {
            return json::compact(tool);
        }
        let members = rest(tool, &["type"]).into_iter();
        let members: Vec<String> = members.map(|(name, json)| format!("{}:{json}", json::quote(&name))).collect();
        format!("{{\"type\":\"function\",\"function\":{{{}}}}}", members.join(","))
    };
    format!("[{}]", all.iter().map(schema).collect::<Vec<_>>().join(","))
}
