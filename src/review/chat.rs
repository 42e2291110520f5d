//! Trajectories as conversations for training: `messages` with tool calls, and ShareGPT with calls in the text (D17).
//!
//! Nothing is made up: what a trajectory does not say (the schemas of its tools, a system prompt) the conversation does
//! not say either.

use crate::json::{self, Data, Value};
use crate::model::Role;
use crate::rules::adp::{Body, Class, Entry, Item, Reading};
use std::fmt::Write;

/// The shape of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{"id", "messages": [{"role", "content", "tool_calls"?, "tool_call_id"?}]}`
    Messages,
    /// `{"id", "system"?, "conversations": [{"from": "human" | "gpt", "value"}]}`; the two take turns.
    ShareGpt,
}

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    System,
    User,
    Assistant,
    Tool,
}

/// One turn.
struct Turn {
    speaker: Speaker,
    text: String,
    calls: Vec<Call>,
    /// The id of the call that it answers.
    answers: Option<String>,
}

struct Call {
    id: String,
    name: String,
    /// An object, as JSON text.
    arguments: String,
}

/// A record as one line of a conversation; None for a record that is none.
#[must_use]
pub fn chat(record: &Value<'_>, shape: Shape) -> Option<String> {
    Some(match shape {
        Shape::Messages => messages(record)?.0,
        Shape::ShareGpt => {
            let reading = Reading::of(record);
            reading.body?;
            share_gpt(id(&reading), turns(&reading).into_iter().map(|(_, turn)| turn).collect())
        }
    })
}

/// A record as one line of messages, and the step of each message; a system prompt is no step.
pub(super) fn messages(record: &Value<'_>) -> Option<(String, Vec<Option<usize>>)> {
    let reading = Reading::of(record);
    reading.body?;
    let (steps, turns): (Vec<_>, Vec<_>) = turns(&reading).into_iter().unzip();
    Some((messages_text(id(&reading), &turns), steps))
}

fn id(reading: &Reading<'_>) -> Option<String> {
    reading.id().map(|(_, value)| json::compact(value))
}

/// The turns of a record, each with its step.
fn turns(reading: &Reading<'_>) -> Vec<(Option<usize>, Turn)> {
    let prompt = reading.system_prompt().and_then(Value::as_str);
    let prompt = prompt.map(|prompt| (None, Turn::said(Speaker::System, prompt.to_owned())));
    let of_step = |step| turns_of(&reading.entries, step).into_iter().map(move |turn| (Some(step), turn));
    prompt.into_iter().chain((0..reading.entries.len()).flat_map(of_step)).collect()
}

impl Turn {
    fn said(speaker: Speaker, text: String) -> Self {
        Self { speaker, text, calls: Vec::new(), answers: None }
    }
}

/// The turns of a step. One of a turn with results is several.
fn turns_of(entries: &[Entry<'_>], step: usize) -> Vec<Turn> {
    let entry = &entries[step];
    let answered = entry.answered.first().map(|&(asked, place)| call_id(entries, asked, place));
    match &entry.body {
        Body::Item(item) => vec![item_turn(entries, step, item, answered)],
        Body::Message(message) => {
            let speaker = match message.role {
                Role::System => Speaker::System,
                Role::Agent => Speaker::Assistant,
                Role::Environment if answered.is_some() => Speaker::Tool,
                Role::Environment | Role::User | Role::Unknown => Speaker::User,
            };
            let text = message.text.as_deref().unwrap_or_default().to_owned();
            let calls = listed_calls(entries, step, entry.value);
            let answers = answered.filter(|_| speaker == Speaker::Tool);
            vec![Turn { speaker, text, calls, answers }]
        }
        Body::Turn => atif_turns(entries, step),
        Body::Record => Vec::new(),
    }
}

/// The id of a call; one without gets its place for one.
fn call_id(entries: &[Entry<'_>], step: usize, place: usize) -> String {
    let own = entries.get(step).and_then(|entry| entry.calls.get(place)).and_then(|call| call.id);
    own.map_or_else(|| format!("call_{step}_{place}"), str::to_owned)
}

fn item_turn(entries: &[Entry<'_>], step: usize, item: &Item<'_>, answered: Option<String>) -> Turn {
    let entry = &entries[step];
    let said = |name| item.text(name).filter(|text| !text.trim().is_empty());
    if item.class.is_some_and(Class::is_action) {
        let content = said("content").filter(|_| item.class == Some(Class::MessageAction));
        let text = [said("description"), content].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let calls = item_call(item, call_id(entries, step, 0)).into_iter().collect();
        return Turn { speaker: Speaker::Assistant, text, calls, answers: None };
    }
    let text = match item.class {
        Some(Class::WebObservation) => said("axtree").or_else(|| said("html")).unwrap_or_default().to_owned(),
        Some(_) => item.field("content").map_or(String::new(), |field| plain(field.value)),
        None => plain(item.value),
    };
    let speaker = match (answered.is_some(), entry.role) {
        (true, _) => Speaker::Tool,
        (false, Role::Agent) => Speaker::Assistant,
        (false, _) => Speaker::User,
    };
    Turn { speaker, text, calls: Vec::new(), answers: answered }
}

/// A string as it reads, anything else as JSON.
fn plain(value: &Value<'_>) -> String {
    value.as_str().map_or_else(|| json::compact(value), str::to_owned)
}

fn item_call(item: &Item<'_>, id: String) -> Option<Call> {
    let object = |value: &Value<'_>| value.as_object().map(|_| json::compact(value));
    match item.class? {
        Class::ApiAction => Some(Call {
            id,
            name: item.text("function")?.to_owned(),
            arguments: item.field("kwargs").and_then(|f| object(f.value)).unwrap_or_else(|| "{}".to_owned()),
        }),
        Class::CodeAction => Some(Call {
            id,
            name: item.text("language").unwrap_or("code").to_owned(),
            arguments: format!("{{\"code\":{}}}", json::quote(item.text("content").unwrap_or_default())),
        }),
        _ => None,
    }
}

/// D17: the calls that a message lists; those in its text stay there.
fn listed_calls(entries: &[Entry<'_>], step: usize, message: &Value<'_>) -> Vec<Call> {
    let listed = message.get("tool_calls").and_then(Value::as_array).unwrap_or_default().iter();
    let functions = listed.filter_map(|call| call.get("function")).chain(message.get("function_call"));
    let named = functions.filter_map(|function| Some((function.get("name")?.as_str()?, function.get("arguments"))));
    let call = |(place, (name, arguments)): (usize, (&str, Option<&Value<'_>>))| Call {
        id: call_id(entries, step, place),
        name: name.to_owned(),
        arguments: arguments.map_or_else(|| "{}".to_owned(), plain),
    };
    named.enumerate().map(call).collect()
}

/// D18: a turn, and the results in its observation.
fn atif_turns(entries: &[Entry<'_>], step: usize) -> Vec<Turn> {
    let entry = &entries[step];
    let speaker = match entry.role {
        Role::System => Speaker::System,
        Role::Agent => Speaker::Assistant,
        _ => Speaker::User,
    };
    let call = |(place, call): (usize, &crate::rules::adp::Call<'_>)| Call {
        id: call_id(entries, step, place),
        name: call.tool.to_string(),
        arguments: call.arguments.map_or_else(|| "{}".to_owned(), json::compact),
    };
    let text = entry.value.get("message").map_or(String::new(), joined);
    let calls: Vec<Call> = entry.calls.iter().enumerate().map(call).collect();
    let results = entry.value.get("observation").and_then(|o| o.get("results")).and_then(Value::as_array);
    let result = |result: &Value<'_>| {
        let answers = result.get("source_call_id").and_then(Value::as_str).map(str::to_owned);
        let speaker = if answers.is_some() { Speaker::Tool } else { Speaker::User };
        Turn { speaker, text: result.get("content").map_or(String::new(), joined), calls: Vec::new(), answers }
    };
    let results: Vec<Turn> = results.unwrap_or_default().iter().map(result).collect();
    std::iter::once(Turn { speaker, text, calls, answers: None }).chain(results).collect()
}

/// A text, or the texts of its parts.
fn joined(value: &Value<'_>) -> String {
    match &value.data {
        Data::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        Data::Null => String::new(),
        _ => plain(value),
    }
}

fn head(id: Option<String>) -> String {
    id.map_or_else(|| "{".to_owned(), |id| format!("{{\"id\":{id},"))
}

fn messages_text(id: Option<String>, turns: &[Turn]) -> String {
    let mut out = head(id) + "\"messages\":[";
    for (i, turn) in turns.iter().enumerate() {
        let role = match turn.speaker {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
            Speaker::Tool => "tool",
        };
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{{\"role\":\"{role}\",\"content\":{}", json::quote(&turn.text));
        for (i, call) in turn.calls.iter().enumerate() {
            let open = if i > 0 { "," } else { ",\"tool_calls\":[" };
            let [id, name, arguments] = [&call.id, &call.name, &call.arguments].map(|text| json::quote(text));
            let _ = write!(out, "{open}{{\"id\":{id},\"type\":\"function\",\"function\":{{\"name\":{name},");
            let _ = write!(out, "\"arguments\":{arguments}}}}}");
        }
        if !turn.calls.is_empty() {
            out.push(']');
        }
        if let Some(id) = &turn.answers {
            let _ = write!(out, ",\"tool_call_id\":{}", json::quote(id));
        }
        out.push('}');
    }
    out + "]}"
}

/// D17: calls as `<function=NAME>` in the text, results as what the other side says; one side never speaks twice.
fn share_gpt(id: Option<String>, turns: Vec<Turn>) -> String {
    let mut system: Vec<String> = Vec::new();
    let mut said: Vec<(bool, String)> = Vec::new();
    for turn in turns {
        if turn.speaker == Speaker::System && said.is_empty() {
            system.push(turn.text);
            continue;
        }
        let calls = turn.calls.iter().map(function_text);
        let text = Some(turn.text.clone()).filter(|text| !text.is_empty()).into_iter().chain(calls);
        let text = text.collect::<Vec<_>>().join("\n");
        let is_agent = turn.speaker == Speaker::Assistant;
        match said.last_mut().filter(|(before, _)| *before == is_agent) {
            Some((_, before)) => *before = format!("{before}\n\n{text}"),
            None => said.push((is_agent, text)),
        }
    }
    let mut out = head(id);
    if !system.is_empty() {
        let _ = write!(out, "\"system\":{},", json::quote(&system.join("\n\n")));
    }
    let turn = |(is_agent, text): &(bool, String)| {
        let from = if *is_agent { "gpt" } else { "human" };
        format!("{{\"from\":\"{from}\",\"value\":{}}}", json::quote(text))
    };
    let turns: Vec<String> = said.iter().map(turn).collect();
    let _ = write!(out, "\"conversations\":[{}]}}", turns.join(","));
    out
}

fn function_text(call: &Call) -> String {
    let mut out = format!("<function={}>\n", call.name);
    match json::parse_lenient(&call.arguments).as_ref().map(Value::as_object) {
        Ok(Some(arguments)) => {
            for (name, value) in arguments.entries() {
                let _ = writeln!(out, "<parameter={name}>{}</parameter>", plain(value));
            }
        }
        // Arguments that are no object stand as they are: a model wrote them so.
        _ => {
            let _ = writeln!(out, "{}", call.arguments);
        }
    }
    out + "</function>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(record: &str, shape: Shape, expect: &str) {
        let value = json::parse(record).unwrap();
        assert_eq!(chat(&value, shape).as_deref(), Some(expect));
    }

    const STD: &str = r#"{"id":"s","content":[
        {"class_":"text_observation","content":"list \"it\"","source":"user"},
        {"class_":"api_action","function":"ls","kwargs":{"n":1.0,"p":"/"},"description":"I look"},
        {"class_":"text_observation","content":"a.txt","source":"environment"},
        {"class_":"code_action","language":"bash","content":"cat a","tool_call_id":"c9"},
        {"class_":"json_observation","content":{"x":[1]},"tool_call_id":"c9"},
        {"class_":"message_action","content":"<finish> done </finish>"}]}"#;

    #[test]
    fn a_trajectory_as_messages() {
        check(
            STD,
            Shape::Messages,
            concat!(
                r#"{"id":"s","messages":[{"role":"user","content":"list \"it\""},"#,
                r#"{"role":"assistant","content":"I look","tool_calls":[{"id":"call_1_0","type":"function","#,
                r#""function":{"name":"ls","arguments":"{\"n\":1.0,\"p\":\"/\"}"}}]},"#,
                r#"{"role":"tool","content":"a.txt","tool_call_id":"call_1_0"},"#,
                r#"{"role":"assistant","content":"","tool_calls":[{"id":"c9","type":"function","#,
                r#""function":{"name":"bash","arguments":"{\"code\":\"cat a\"}"}}]},"#,
                r#"{"role":"tool","content":"{\"x\":[1]}","tool_call_id":"c9"},"#,
                r#"{"role":"assistant","content":"<finish> done </finish>"}]}"#
            ),
        );
    }

    #[test]
    fn a_trajectory_as_sharegpt_takes_turns() {
        check(
            STD,
            Shape::ShareGpt,
            concat!(
                r#"{"id":"s","conversations":[{"from":"human","value":"list \"it\""},"#,
                r#"{"from":"gpt","value":"I look\n<function=ls>\n<parameter=n>1.0</parameter>\n"#,
                r#"<parameter=p>/</parameter>\n</function>"},{"from":"human","value":"a.txt"},"#,
                r#"{"from":"gpt","value":"<function=bash>\n<parameter=code>cat a</parameter>\n</function>"},"#,
                r#"{"from":"human","value":"{\"x\":[1]}"},{"from":"gpt","value":"<finish> done </finish>"}]}"#
            ),
        );
        let twice = r#"{"id":1,"content":[{"class_":"text_observation","content":"a","source":"user"},
            {"class_":"text_observation","content":"b","source":"user"}]}"#;
        check(twice, Shape::ShareGpt, r#"{"id":1,"conversations":[{"from":"human","value":"a\n\nb"}]}"#);
    }

    #[test]
    fn conversations_and_turns_are_read_too() {
        let said = r#"{"system":"Help.","conversations":[{"from":"human","value":"hi"},
            {"role":"assistant","content":null,
                "tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]},
            {"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]}"#;
        check(
            said,
            Shape::Messages,
            concat!(
                r#"{"messages":[{"role":"system","content":"Help."},{"role":"user","content":"hi"},"#,
                r#"{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":"#,
                r#"{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","content":"x\ny","tool_call_id":"c"}]}"#
            ),
        );
        let turns = r#"{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{"name":"a","version":"1"},"steps":[
            {"step_id":1,"source":"system","message":"Help."},{"step_id":2,"source":"user","message":"find"},
            {"step_id":3,"source":"agent","message":"I look","tool_calls":[{"tool_call_id":"c1","function_name":"s",
            "arguments":{"q":"it"}}],"observation":{"results":[{"source_call_id":"c1","content":"found"}]}}]}"#;
        check(
            turns,
            Shape::ShareGpt,
            concat!(
                r#"{"id":"t","system":"Help.","conversations":[{"from":"human","value":"find"},{"from":"gpt","value":"#,
                r#""I look\n<function=s>\n<parameter=q>it</parameter>\n</function>"},"#,
                r#"{"from":"human","value":"found"}]}"#
            ),
        );
        assert_eq!(chat(&json::parse("{\"x\":1}").unwrap(), Shape::Messages), None);
    }
}
