//! W2, W3: a step as a part of a conversation: what is said, called, answered.
//!
//! Statistics, exports and the reading view use the same reading as the rules for tool-using runs.

use super::atif;
use super::entry::{Ask, Body, TrajectoryStep};
use super::item::{Class, Item};
use super::message::Message;
use super::message_calls::CallSource;
use super::reading::{Reading, Way};
use super::{blocks, named_parts, text};
use crate::json::{self, Value, quote};
use crate::model::{Attachment, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::work;
use std::borrow::Cow;

/// What only the steps around one say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// It answers a call.
    Answer,
    /// W2: the command in its fence is a call, which the next message answers.
    FencedCall,
    /// W2: the call that it writes in its text has the effects of one, though it does not count as one
    /// (`FORMATS.md` 8).
    WrittenCall,
    /// What is written before its call is said with it, and not thought.
    Words,
    /// It is the system prompt, which a conversion wrote as an observation of that name.
    Prompt,
}

/// What begins the answer to a command in a fence (W2).
const RETURNCODE: &str = "<returncode>";

/// D10, D19, W2: the hint of each step.
#[must_use]
pub fn hints(reading: &Reading<'_>) -> Vec<Hint> {
    let entries = &reading.entries;
    let begins_answer = |entry: &TrajectoryStep<'_>| {
        message(entry).is_some_and(|m| {
            m.role != StepRole::Agent && m.text.as_deref().is_some_and(|text| text.trim_start().starts_with(RETURNCODE))
        })
    };
    let has_fence = |entry: &TrajectoryStep<'_>| {
        let text = message(entry).filter(|m| m.role == StepRole::Agent).and_then(|m| m.text.as_deref());
        entry.calls.is_empty() && text.and_then(work::fenced_command).is_some()
    };
    let is_answer = |entry: &TrajectoryStep<'_>| {
        message(entry).is_some_and(|m| matches!(m.role, StepRole::User | StepRole::Environment))
    };
    let writes_call = |entry: &TrajectoryStep<'_>| {
        let is_open = |m: &Message<'_>| matches!(CallSource::in_text(m), CallSource::Text(_));
        entry.calls.is_empty() && message(entry).is_some_and(|m| m.way == Way::Formats && is_open(m))
    };
    let mut all = vec![Hint::None; entries.len()];
    for (step, entry) in entries.iter().enumerate() {
        if entry.has_answered() {
            all[step] = Hint::Answer;
        } else if step > 0 && is_answer(entry) && writes_call(&entries[step - 1]) {
            all[step] = Hint::Answer;
            all[step - 1] = Hint::WrittenCall;
        } else if step > 0 && begins_answer(entry) && has_fence(&entries[step - 1]) {
            all[step] = Hint::Answer;
            all[step - 1] = Hint::FencedCall;
        }
    }
    all
}

/// The hint of a step for a conversion, by the hint that it has for a reader: a message keeps its speaker, no markup in
/// its text is a call (`FORMATS.md` 8), and what the environment says is a result, whether a call is known or not.
#[must_use]
pub fn written_hint(reading: &Reading<'_>, step: usize, hint: Hint) -> Hint {
    let Some(entry) = reading.entries.get(step) else { return hint };
    let is_environment = entry.role == StepRole::Environment;
    match &entry.body {
        Body::Item(_) if entry.is_prompt() => Hint::Prompt,
        Body::Item(_) if is_environment => Hint::Answer,
        Body::Item(item) if item.class.is_some_and(Class::is_action) => Hint::Words,
        Body::Message(message) => {
            let is_plain = message.way == Way::Formats && !entry.has_answered();
            match hint {
                _ if is_environment && entry.calls.is_empty() => Hint::Answer,
                Hint::Answer if is_plain || answers_by_place(reading, entry) => Hint::None,
                Hint::FencedCall | Hint::WrittenCall if message.way == Way::Formats => Hint::None,
                hint => hint,
            }
        }
        _ => hint,
    }
}

/// Whether only its place makes a message the answer to a call that has an id: then it may as well be what somebody
/// says instead of a result.
fn answers_by_place(reading: &Reading<'_>, entry: &TrajectoryStep<'_>) -> bool {
    let call = |(step, place): (usize, usize)| reading.entries.get(step)?.calls.get(place);
    let has_id = entry.answered().filter_map(call).any(|call| call.id.is_some());
    has_id && entry.asks.iter().all(|ask| matches!(ask, Ask::Before)) && entry.results == 0
}

fn message<'e, 'a>(entry: &'e TrajectoryStep<'a>) -> Option<&'e Message<'a>> {
    match &entry.body {
        Body::Message(message) => Some(message),
        _ => None,
    }
}

/// What a step says, calls and answers.
#[must_use]
pub fn turn<'a>(entry: &TrajectoryStep<'a>, hint: Hint) -> Turn<'a> {
    let mut turn = Turn { role: entry.role, ..Turn::default() };
    match &entry.body {
        Body::Item(item) => turn.parts = item_parts(entry, item, hint),
        Body::Message(message) => {
            turn.speaker = Some(Cow::Borrowed(message.speaker));
            turn.parts = message_parts(entry, message, hint);
        }
        Body::Turn => turn.parts = turn_parts(entry),
        Body::Record => {}
    }
    if hint == Hint::Prompt {
        turn.role = StepRole::System;
    }
    let time = entry.value.get("timestamp");
    turn.time = time.and_then(|time| time.as_str().or(time.as_number())).map(Cow::Borrowed);
    turn
}

fn item_parts<'a>(entry: &TrajectoryStep<'a>, item: &Item<'a>, hint: Hint) -> Vec<TurnPart<'a>> {
    let Some(class) = item.class else { return Vec::new() };
    if !class.is_action() {
        return observed(item, class, hint);
    }
    let description = if hint == Hint::Words { TurnPart::Text } else { TurnPart::Thought };
    let reasoning = item.text("reasoning_content").map(|text| TurnPart::Thought(text.into()));
    let mut parts = Vec::with_capacity(2 + entry.calls.len());
    parts.extend(reasoning.into_iter().chain(item.text("description").map(|text| description(text.into()))));
    if class == Class::MessageAction {
        parts.extend(item.text("content").map(|text| TurnPart::Text(text.into())));
    } else {
        parts.extend(calls(entry, item.field("content").map(|f| f.value)));
    }
    parts
}

/// The calls of an item or a turn; `code` is the source of code that is called.
fn calls<'a>(entry: &TrajectoryStep<'a>, code: Option<&'a Value<'a>>) -> impl Iterator<Item = TurnPart<'a>> {
    let part = move |call: &super::Call<'a>| {
        let arguments = match (call.arguments, call.code, code) {
            (Some(arguments), ..) => arguments.text.into(),
            (None, Some(_), Some(source)) => source.text.into(),
            _ => Cow::Borrowed("{}"),
        };
        TurnPart::Call(ToolCall { id: call.id.clone(), name: call.tool.clone(), arguments })
    };
    entry.calls.iter().map(part)
}

/// What an observation shows.
fn observed<'a>(item: &Item<'a>, class: Class, hint: Hint) -> Vec<TurnPart<'a>> {
    let text = match class {
        Class::TextObservation => item.text("content").map(Cow::Borrowed),
        Class::JsonObservation => item.field("content").map(|field| field.value.text.into()),
        Class::WebObservation => item.text("axtree").or_else(|| item.text("html")).map(Cow::Borrowed),
        _ => None,
    };
    let shown = if hint == Hint::Answer {
        let (id, name) = (item.text("tool_call_id"), item.text("name"));
        let (id, name) = (id.map(Cow::Borrowed), name.map(Cow::Borrowed));
        Some(TurnPart::Result(ToolResult { id, name, text: text.unwrap_or_default(), ..ToolResult::default() }))
    } else {
        text.map(TurnPart::Text)
    };
    shown.into_iter().chain(attachment(item, class).map(TurnPart::Attachment)).collect()
}

/// A page or a picture.
fn attachment<'a>(item: &Item<'a>, class: Class) -> Option<Attachment<'a>> {
    let field = match class {
        Class::WebObservation => item.field("url")?,
        Class::ImageObservation => item.field("content")?,
        _ => return None,
    };
    let location = field.value.as_str()?;
    let media_type = if class == Class::WebObservation { "text/html" } else { "image" };
    Some(Attachment { media_type: media_type.into(), location: Some(location.into()), bytes: 0 })
}

fn message_parts<'a>(entry: &TrajectoryStep<'a>, message: &Message<'a>, hint: Hint) -> Vec<TurnPart<'a>> {
    let is_text = message.way == Way::Formats && hint != Hint::Answer;
    if hint != Hint::WrittenCall
        && let Some(parts) = blocks::turn_parts(entry.value).filter(|parts| is_text || has_acts(parts))
    {
        return with_listed(entry, message, parts);
    }
    let id = match message.way {
        Way::Protocol => entry.value.get("tool_call_id").and_then(Value::as_str),
        Way::Formats | Way::Written => blocks::result_id(entry.value),
    };
    let id = id.map(Cow::Borrowed);
    let text = message.text.clone();
    if hint == Hint::Answer {
        let content = message.text_key.and_then(|key| entry.value.get(key));
        let text = content.and_then(named_parts::documents).or(text).unwrap_or_default();
        let name = blocks::result_name(entry.value).filter(|_| entry.role == StepRole::Environment);
        let (name, is_error) = (name.map(Cow::Borrowed), failure(entry.value));
        let result = TurnPart::Result(ToolResult { id, name, text, is_error, ..ToolResult::default() });
        let files = content.into_iter().flat_map(blocks::files_of);
        return [result].into_iter().chain(files).collect();
    }
    let mut parts = Vec::new();
    let reasoning = blocks::REASONING.iter().find_map(|key| entry.value.get(key)?.as_str());
    parts.extend(reasoning.map(|text| TurnPart::Thought(text.into())));
    let source = match hint {
        Hint::WrittenCall => CallSource::in_text(message),
        _ => CallSource::of(entry.value, message),
    };
    let (before, behind) = text.as_ref().map(|text| beside_calls(text, &source)).unwrap_or_default();
    parts.extend(Some(before).filter(|text| !text.is_empty()).map(TurnPart::Text));
    match source {
        CallSource::Text(name) => {
            let arguments = text.as_deref().and_then(text::written_call).map(work::parameters).unwrap_or_default();
            parts.push(TurnPart::Call(ToolCall { id: None, name, arguments: arguments.into() }));
        }
        source => parts.extend(source.into_calls().into_iter().map(|call| TurnPart::Call(call.into()))),
    }
    if hint == Hint::FencedCall
        && let Some(command) = text.as_deref().and_then(work::fenced_command)
    {
        parts.push(TurnPart::Call(ToolCall { id: None, name: "bash".into(), arguments: quote(command).into() }));
    }
    parts.extend(Some(behind).filter(|text| !text.is_empty()).map(|text| TurnPart::Text(text.into())));
    parts
}

/// What a message says before the calls that are written in its text, and between and behind them.
fn beside_calls<'a>(text: &Cow<'a, str>, source: &CallSource<'_>) -> (Cow<'a, str>, String) {
    match source {
        CallSource::Turn(_) if json::parse_lenient(text).is_ok() => Default::default(),
        CallSource::Turn(_) => (before_call(text).trim_end().to_owned().into(), text::behind_calls(text)),
        CallSource::Text(_) => (before_call(text), text::behind_calls(text)),
        CallSource::Json(_) | CallSource::Nothing => (text.clone(), String::new()),
    }
}

/// Whether calls or results are among the parts.
fn has_acts(parts: &[TurnPart<'_>]) -> bool {
    parts.iter().any(|part| matches!(part, TurnPart::Call(_) | TurnPart::Result(_)))
}

/// The parts of a content, what was reasoned beside it before them, the calls beside it after them.
fn with_listed<'a>(entry: &TrajectoryStep<'a>, message: &Message<'a>, parts: Vec<TurnPart<'a>>) -> Vec<TurnPart<'a>> {
    let reasoning = blocks::REASONING.iter().find_map(|key| entry.value.get(key)?.as_str());
    let reasoning = reasoning.filter(|text| !text.is_empty()).map(|text| TurnPart::Thought(text.into()));
    let known = parts.iter().filter(|part| matches!(part, TurnPart::Call(_))).count();
    let listed = CallSource::of(entry.value, message).into_calls().into_iter().skip(known);
    reasoning.into_iter().chain(parts).chain(listed.map(|call| TurnPart::Call(call.into()))).collect()
}

fn before_call<'a>(whole: &Cow<'a, str>) -> Cow<'a, str> {
    match whole {
        Cow::Borrowed(text) => Cow::Borrowed(text::before_call(text)),
        Cow::Owned(text) => Cow::Owned(text::before_call(text).to_owned()),
    }
}

/// W4: whether a message says itself that the result in it is a failure.
fn failure(message: &Value<'_>) -> Option<bool> {
    let flag = ["is_error", "isError", "error", "tool_call_error"].iter().find_map(|key| message.get(key)?.as_bool());
    let has_reason = || message.get("error").and_then(Value::as_str).is_some_and(|reason| !reason.trim().is_empty());
    let is_error = |status: &Value<'_>| status.as_str() == Some("error");
    // Letta reports how each of several calls came out.
    let returns = || message.get("tool_returns").and_then(Value::as_array).unwrap_or_default().iter();
    let has_failed = || {
        message.get("status").is_some_and(is_error)
            || has_reason()
            || returns().any(|one| one.get("status").is_some_and(is_error))
    };
    flag.or_else(|| has_failed().then_some(true))
}

/// D18: a turn of an ATIF trajectory.
fn turn_parts<'a>(entry: &TrajectoryStep<'a>) -> Vec<TurnPart<'a>> {
    let value: &'a Value<'a> = entry.value;
    let mut parts = Vec::new();
    parts.extend(value.get("reasoning_content").and_then(Value::as_str).map(|text| TurnPart::Thought(text.into())));
    let message = value.get("message");
    let text = message.and_then(text::joined);
    parts.extend(text.filter(|text| !text.is_empty()).map(TurnPart::Text));
    parts.extend(message.into_iter().flat_map(blocks::files_of));
    parts.extend(calls(entry, None));
    for result in atif::results(value) {
        let id = result.get("source_call_id").and_then(Value::as_str).map(Cow::Borrowed);
        let content = result.get("content");
        let text = content.and_then(text::joined).unwrap_or_default();
        parts.push(TurnPart::Result(ToolResult { id, text, ..ToolResult::default() }));
        parts.extend(content.into_iter().flat_map(blocks::files_of));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::Way;

    /// The parts of each step, in short.
    fn of(record: &str) -> Vec<String> {
        let root = parse(record).unwrap();
        let reading = Way::Protocol.read(&root);
        let short = |part: &TurnPart<'_>| match part {
            TurnPart::Text(text) => format!("says {text}"),
            TurnPart::Thought(text) => format!("thinks {text}"),
            TurnPart::Call(call) => format!("calls {} {}", call.name, call.arguments),
            TurnPart::Result(result) => format!("answers {}", result.text),
            TurnPart::Attachment(attachment) => format!("shows {}", attachment.location.as_deref().unwrap_or("")),
        };
        let turns = reading.entries.iter().zip(hints(&reading)).map(|(entry, hint)| turn(entry, hint));
        turns.map(|turn| turn.parts.iter().map(short).collect::<Vec<_>>().join("; ")).collect()
    }

    #[test]
    fn w2_items_are_turns() {
        let record = r#"{"id":"t","content":[{"class_":"text_observation","content":"go","source":"user"},
            {"class_":"code_action","language":"bash","content":"ls\n","description":"look"},
            {"class_":"text_observation","content":"a","source":"user"},
            {"class_":"api_action","function":"goto","kwargs":{"url":"x"},"description":null},
            {"class_":"web_observation","html":null,"axtree":"t","url":"u","image_observation":null,
            "viewport_size":null},
            {"class_":"message_action","content":"done","description":null}]}"#;
        assert_eq!(
            of(record),
            [
                "says go",
                "thinks look; calls code:bash \"ls\\n\"",
                "answers a",
                "calls goto {\"url\":\"x\"}",
                "answers t; shows u",
                "says done"
            ]
        );
    }

    #[test]
    fn a_prompt_is_what_the_environment_says_by_the_name_of_system() {
        let is_prompt = |source: &str| {
            let item = format!(r#"{{"class_":"text_observation","content":"x","source":"{source}","name":"system"}}"#);
            let record = format!(r#"{{"id":"t","content":[{item}]}}"#);
            let root = parse(&record).unwrap();
            written_hint(&Way::Protocol.read(&root), 0, Hint::None) == Hint::Prompt
        };
        assert_eq!(["environment", "user"].map(is_prompt), [true, false]);
    }

    #[test]
    fn w2_messages_and_atif_steps_are_turns() {
        let record = r#"{"messages":[{"role":"user","content":"go"},
            {"role":"assistant","content":"So:\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>"},
            {"role":"user","content":"one"},
            {"role":"assistant","content":"Run:\n```bash\nls\n```"},
            {"role":"user","content":"<returncode>0</returncode>\n<output>\na\n</output>"},
            {"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"g","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"1","content":"ok"}]}"#;
        let all = of(record);
        assert_eq!(all[1], "says So:\n; calls f {\"a\":\"1\"}");
        assert_eq!(all[2], "answers one");
        assert_eq!(all[3], "says Run:\n```bash\nls\n```; calls bash \"ls\"");
        assert!(all[4].starts_with("answers <returncode>0"));
        assert_eq!((all[5].as_str(), all[6].as_str()), ("calls g {}", "answers ok"));
        let record = r#"{"schema_version":"ATIF-v1.4","steps":[{"step_id":1,"source":"agent","message":"m",
            "reasoning_content":"r","tool_calls":[{"tool_call_id":"c","function_name":"f","arguments":{"a":1}}],
            "observation":{"results":[{"source_call_id":"c","content":"x"}]}}]}"#;
        assert_eq!(of(record), ["thinks r; says m; calls f {\"a\":1}; answers x"]);
    }
}
