//! What a record says beside the messages of its conversation: a system prompt, tools, the rest of a request.

use super::content::words;
use super::message_text::{Left, Member, is_nothing, lose, lose_all, rest};
use crate::json::{self, Value};
use crate::rules::trajectory::gemini::declarations;
use crate::rules::trajectory::{Track, instructions, requested_tools};

/// Where a request has its system prompt.
const PROMPTS: [&str; 4] = ["instructions", "systemInstruction", "system_instruction", "system"];

/// Where a request has its tools.
const TOOLS: [&str; 2] = ["tools", "toolConfig"];

/// Of the members of a record in which steps are what else they say: what else was asked of a model, and what else came
/// back, without the tools and the instructions of a request.
pub(in crate::review) fn beside_steps(record: &Value<'_>, tracks: &[Track]) -> Vec<Member> {
    let pointers = tracks.iter().flat_map(Track::pointers);
    let paths: Vec<Vec<&str>> = pointers.map(|pointer| pointer.split('/').skip(1).collect()).collect();
    let members = record.as_object().into_iter().flat_map(json::Object::entries);
    members.filter_map(|(name, value)| beside_path((name, value), &paths)).collect()
}

/// What an object says beside the steps in it, which are at the ends of these paths; None: there are none in it, or it
/// says nothing else.
fn beside_path((name, value): (&str, &Value<'_>), paths: &[Vec<&str>]) -> Option<Member> {
    let object = value.as_object()?;
    let inner: Vec<Vec<&str>> =
        paths.iter().filter(|path| path.first() == Some(&name)).map(|path| path[1..].to_vec()).collect();
    if inner.is_empty() || inner.iter().any(Vec::is_empty) {
        return None;
    }
    let is_used = |name: &str| inner.iter().any(|path| path.first() == Some(&name));
    let member = |(name, value): (&str, &Value<'_>)| match name {
        _ if is_used(name) => beside_path((name, value), &inner),
        _ if TOOLS.contains(&name) || PROMPTS.contains(&name) => None,
        _ => Some((name.to_owned(), json::compact(value))).filter(|(_, json)| !is_nothing(json)),
    };
    let members: Vec<String> =
        object.entries().filter_map(member).map(|(name, json)| format!("{}:{json}", json::quote(&name))).collect();
    (!members.is_empty()).then(|| (name.to_owned(), format!("{{{}}}", members.join(","))))
}

/// What the trajectory of a group says beside its messages (ART, rLLM), its reward where it is `alone`; what is in the
/// list of its steps is counted.
pub(in crate::review) fn beside_messages(
    record: &Value<'_>,
    track: &Track,
    alone: bool,
    left: &mut Left,
) -> Vec<Member> {
    let list = track.list();
    let mut names = list.split('/').skip(1);
    let (Some("trajectories"), Some(number), Some(messages)) = (names.next(), names.next(), names.next()) else {
        return Vec::new();
    };
    let all = record.get("trajectories").and_then(Value::as_array).unwrap_or_default();
    let Some(trajectory) = number.parse().ok().and_then(|number: usize| all.get(number)) else { return Vec::new() };
    if messages == "steps" {
        lose(left, "trajectory", messages);
    }
    let used: &[&str] = if alone { &[] } else { &["reward"] };
    let members = rest(trajectory, &[&[messages], used].concat()).into_iter();
    let (mut others, mut taken) = (Vec::new(), Vec::new());
    for (name, json) in members.filter(|(_, json)| !is_nothing(json)) {
        // The name may be taken by a member of the record.
        let list = if record.get(&name).is_none() { &mut others } else { &mut taken };
        list.push((name, json));
    }
    lose_all(left, "trajectory", &taken);
    others
}

/// The system prompt of a conversation that is no message, and the member of the record that has it.
pub(in crate::review) fn system_words(record: &Value<'_>) -> Option<(&'static str, String)> {
    let system = record.get("system").and_then(words).map(|words| ("system", words));
    system.or_else(|| {
        let text = instructions(record)?;
        let holds = |value: &Value<'_>| (value.start..value.start + value.text.len()).contains(&text.start);
        let beside = PROMPTS.into_iter().find(|name| record.get(name).is_some_and(holds));
        Some((beside.unwrap_or("system"), words(text)?))
    })
}

/// The tools of a conversation, and the member of the record that has them.
pub(in crate::review) fn tool_member<'a>(record: &'a Value<'a>) -> Option<(&'static str, &'a Value<'a>)> {
    let tools = record.get("tools").filter(|tools| !tools.is_null()).or_else(|| requested_tools(record));
    let listed = || record.get("tool_definitions").filter(|tools| tools.as_array().is_some());
    tools.map(|tools| ("tools", tools)).or_else(|| Some(("tool_definitions", listed()?)))
}

/// The same of tools of which one declares several functions; None: none does.
pub(in crate::review) fn schemas_of_groups(tools: &Value<'_>) -> Option<String> {
    let listed = tools.as_array()?;
    let is_inner = |tool: &&Value<'_>| !listed.iter().any(|one| one.start == tool.start);
    declarations(tools).iter().any(is_inner).then(|| tool_schemas(tools))
}

/// Tools as chats have them, as JSON: functions as the Responses interface declares them are put into `function`.
pub(super) fn tool_schemas(tools: &Value<'_>) -> String {
    let is_flat = |tool: &Value<'_>| {
        let word = |name: &str| tool.get(name).and_then(Value::as_str);
        word("type") == Some("function") && word("name").is_some() && tool.get("function").is_none()
    };
    let all = declarations(tools);
    // Functions that one tool of Gemini's API declares together are as flat, and have no type.
    let listed = tools.as_array().unwrap_or_default();
    let is_inner = |tool: &Value<'_>| !listed.iter().any(|one| one.start == tool.start);
    if !all.iter().any(|tool| is_flat(tool) || is_inner(tool)) {
        return json::compact(tools);
    }
    let schema = |tool: &Value<'_>| {
        if !is_flat(tool) && !is_inner(tool) {
            return json::compact(tool);
        }
        let members = rest(tool, &["type"]).into_iter();
        let members: Vec<String> = members.map(|(name, json)| format!("{}:{json}", json::quote(&name))).collect();
        format!("{{\"type\":\"function\",\"function\":{{{}}}}}", members.join(","))
    };
    format!("[{}]", all.into_iter().map(schema).collect::<Vec<_>>().join(","))
}
