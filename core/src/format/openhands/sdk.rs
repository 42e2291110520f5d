//! Events of the SDK (version 1), distinguished by `kind`.

use crate::format::describe;
use crate::format::log::{Draft, FIRST_ADAPTER_FORM as FIRST, Form, Kind, Log, text_of};
use crate::json::{self, Value};
use crate::model::{StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks::files_of;
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// Forms of this file.
pub(super) const FORMS: Range<Form> = FIRST + 8..FIRST + 16;

const MESSAGE: Form = FIRST + 8;
const ACTION: Form = FIRST + 9;
const OBSERVATION: Form = FIRST + 10;
const FAULT: Form = FIRST + 11;
const ACP_CALL: Form = FIRST + 12;
const ACP_RESULT: Form = FIRST + 13;
const STATE: Form = FIRST + 14;

/// Events that repeat what others say.
const FOLDED: [&str; 3] = ["TokenEvent", "StreamingDeltaEvent", "LLMCompletionLogEvent"];

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Calls of agents behind ACP by their ids; with the step of one whose input was not there yet.
pub(super) type AcpCalls = HashMap<String, Option<StepNo>>;

/// Reads an event; `acp_calls` are those so far.
pub(super) fn read(event: &Value<'_>, acp_calls: &mut AcpCalls, log: &mut Log<'_>) {
    let class = text(event, "kind").unwrap_or_default();
    let role = match text(event, "source") {
        Some("user") => StepRole::User,
        Some("agent") => StepRole::Agent,
        _ => StepRole::Environment,
    };
    let mut step = |kind: Kind, form: Form, role: StepRole| {
        let values = [event];
        log.step(&Draft { role, class: Some(class), time: event.get("timestamp"), ..Draft::of(kind, form, &values) });
    };
    match class {
        "ActionEvent" => {
            step(Kind::Call, ACTION, role);
            if let (Some(event_id), Some(id)) = (text(event, "id"), text(event, "tool_call_id")) {
                log.other_id(event_id, id);
            }
        }
        "ObservationEvent" => step(Kind::Result, OBSERVATION, StepRole::Environment),
        "AgentErrorEvent" | "UserRejectObservation" => step(Kind::Result, FAULT, StepRole::Environment),
        "MessageEvent" => step(Kind::Message, MESSAGE, role),
        "ACPToolCallEvent" => acp_call(event, acp_calls, log),
        _ if FOLDED.contains(&class) => {}
        _ => state(event, class, role, log),
    }
}

/// What a call of an agent behind ACP is so far. The first event may come before the input of the call is there.
fn acp_call(event: &Value<'_>, calls: &mut AcpCalls, log: &mut Log<'_>) {
    let (values, class, time) = ([event], Some("ACPToolCallEvent"), event.get("timestamp"));
    let is_over = matches!(text(event, "status"), Some("completed" | "failed"));
    let is_whole = is_over || event.get("raw_input").is_some_and(is_filled);
    let draft = Draft { role: StepRole::Agent, class, time, ..Draft::of(Kind::Call, ACP_CALL, &values) };
    match calls.entry(text(event, "tool_call_id").unwrap_or_default().to_owned()) {
        Entry::Vacant(call) if is_whole => {
            call.insert(None);
            log.step(&draft);
        }
        Entry::Vacant(call) => {
            let step = *call.insert(Some(log.open(&draft)));
            step.into_iter().for_each(|step| log.calls_tool(step, acp_name(event)));
        }
        Entry::Occupied(mut call) => {
            if let Some(step) = call.get_mut().take_if(|_| is_whole) {
                log.extend(step, event);
                log.close(step, &show(ACP_CALL, event));
            }
        }
    }
    if is_over {
        let role = StepRole::Environment;
        log.step(&Draft { role, class, time, ..Draft::of(Kind::Result, ACP_RESULT, &values) });
    }
}

/// The tool of a call: as the record or its input names it, else by the kind of the call and what its input has. A
/// title is words for the user, and names the tool only where nothing else does.
fn acp_name<'v>(event: &'v Value<'v>) -> &'v str {
    let input = event.get("raw_input").filter(|input| input.as_object().is_some());
    let has = |key: &str| input.is_some_and(|input| input.get(key).is_some());
    let of_kind = || match text(event, "tool_kind")? {
        "execute" if has("command") || has("cmd") => Some("shell"),
        "edit" if has("content") && !has("old_string") && !has("oldText") => Some("write"),
        kind @ ("read" | "edit" | "delete" | "move" | "search" | "fetch") if input.is_some_and(is_filled) => Some(kind),
        _ => None,
    };
    let title = text(event, "title").filter(|title| !title.is_empty());
    // Titles of some agents are the names of their tools.
    let is_name = |title: &&str| title.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    text(event, "tool_name")
        .or_else(|| text(input?, "tool"))
        .or_else(|| title.filter(is_name).filter(|_| !has("command")))
        .or_else(of_kind)
        .or(title)
        .or_else(|| text(event, "tool_kind"))
        .unwrap_or("?")
}

/// Whether there is something in a value.
fn is_filled(value: &Value<'_>) -> bool {
    !matches!(value.text, "null" | "\"\"" | "[]" | "{}")
}

/// An event that is not a message, and what it changes.
fn state(event: &Value<'_>, class: &str, role: StepRole, log: &mut Log<'_>) {
    let is_compaction = class == "Condensation" || class == "CondensationEvent";
    let model = model(event).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, is_compaction, ..Surroundings::default() });
    let (values, time, is_failed) = ([event], event.get("timestamp"), class == "ConversationErrorEvent");
    let is_prompt = class == "SystemPromptEvent";
    let role = if is_prompt { StepRole::System } else { role };
    log.step(&Draft { role, class: Some(class), time, is_failed, ..Draft::of(Kind::State, STATE, &values) });
    if is_prompt {
        log.prompt();
        log.declare_tools(event.get("tools"));
    }
    match (class, text(event, "key"), event.get("value")) {
        ("ConversationStateUpdateEvent", Some("full_state"), Some(value)) => {
            for (key, value) in value.as_object().into_iter().flat_map(|object| object.entries()) {
                log.write("session", "main", &[key], Op::Update, value);
            }
        }
        ("ConversationStateUpdateEvent", Some(key), Some(value)) => {
            log.write("session", "main", &[key], Op::Update, value);
        }
        _ if is_compaction => {
            for slot in ["forgotten_event_ids", "summary"] {
                if let Some(value) = event.get(slot).filter(|value| !value.is_null()) {
                    log.write("context", "main", &[slot], Op::Update, value);
                }
            }
        }
        _ => {}
    }
}

/// The model that a state update reports: by itself, of the agent, or of the agent in the whole state.
fn model<'v>(event: &'v Value<'v>) -> Option<&'v str> {
    let value = event.get("value")?;
    let agent = match text(event, "key")? {
        "model" => return value.as_str(),
        "agent" => value,
        "full_state" => value.get("agent")?,
        _ => return None,
    };
    text(agent.get("llm")?, "model")
}

/// What an event says.
pub(super) fn show<'v>(form: Form, event: &'v Value<'v>) -> Turn<'v> {
    match form {
        MESSAGE => message(event),
        ACTION => action(event),
        OBSERVATION => {
            let files = event.get("observation").and_then(|observation| observation.get("content"));
            Turn::answer(observation(event), files.into_iter().flat_map(files_of))
        }
        FAULT => {
            let content = ["error", "rejection_reason"].iter().find_map(|key| event.get(key));
            let text = content.map(text_of).unwrap_or_default();
            Turn::answer(ToolResult { text, is_error: Some(true), ..answered(event) }, [])
        }
        ACP_CALL => {
            let arguments = event.get("raw_input").filter(|input| !input.is_null()).map_or("{}", |input| input.text);
            let call = ToolCall { id: id_of(event), name: acp_name(event).into(), arguments: arguments.into() };
            Turn::of(StepRole::Agent, vec![TurnPart::Call(call)])
        }
        ACP_RESULT => {
            let is_marked = event.get("is_error").and_then(Value::as_bool) == Some(true);
            let is_error = Some(is_marked || text(event, "status") == Some("failed"));
            Turn::answer(ToolResult { text: acp_output(event), is_error, ..answered(event) }, [])
        }
        _ => Turn::of(StepRole::Unknown, vec![TurnPart::Text(state_text(event))]),
    }
}

/// What a call of an agent behind ACP gave: its output, else the blocks that a client would show.
fn acp_output<'v>(event: &'v Value<'v>) -> Cow<'v, str> {
    if let Some(output) = event.get("raw_output").filter(|output| is_filled(output)) {
        return text_of(output);
    }
    let blocks = event.get("content").and_then(Value::as_array).unwrap_or_default();
    let texts: Vec<Cow<'_, str>> = blocks.iter().map(acp_block).filter(|text| !text.is_empty()).collect();
    Cow::Owned(texts.join("\n"))
}

/// A block: a content inside it, or a diff, with the file that it changes and the text that is there now.
fn acp_block<'v>(block: &'v Value<'v>) -> Cow<'v, str> {
    // Names as ACP writes them, or as the SDK does.
    let changed = ["new_text", "newText"].iter().find_map(|key| text(block, key));
    if let Some(changed) = changed {
        return Cow::Owned(format!("{}\n{changed}", text(block, "path").unwrap_or_default()));
    }
    let inner = block.get("content").filter(|content| !content.is_null()).unwrap_or(block);
    match text(inner, "text") {
        Some(text) => Cow::Borrowed(text),
        None if inner.as_array().is_some() => text_of(inner),
        None => Cow::Borrowed(inner.text),
    }
}

/// The system prompt, with what is added to it for this run.
pub(super) fn prompt(event: &Value<'_>) -> Option<Turn<'static>> {
    let texts = ["system_prompt", "dynamic_context"].iter().filter_map(|key| event.get(key));
    let texts = texts.filter(|text| !text.is_null()).map(|text| text_of(text.get("text").unwrap_or(text)));
    let texts: Vec<Cow<'_, str>> = texts.collect();
    let prompt = texts.iter().map(AsRef::as_ref).filter(|text: &&str| !text.is_empty()).collect::<Vec<&str>>();
    (!prompt.is_empty()).then(|| Turn::of(StepRole::System, vec![TurnPart::Text(Cow::Owned(prompt.join("\n\n")))]))
}

/// A part for what is there and not empty.
fn non_empty_part<'v>(value: Option<&'v Value<'v>>, part: fn(Cow<'v, str>) -> TurnPart<'v>) -> Option<TurnPart<'v>> {
    value.map(text_of).filter(|text| !text.trim().is_empty()).map(part)
}

fn message<'v>(event: &'v Value<'v>) -> Turn<'v> {
    let Some(message) = event.get("llm_message") else {
        return Turn::of(StepRole::Unknown, vec![TurnPart::Text(state_text(event))]);
    };
    let thought = non_empty_part(message.get("reasoning_content"), TurnPart::Thought);
    let shown = crate::format::log::show(crate::format::log::form::MESSAGE, &[message]);
    Turn { role: StepRole::Unknown, parts: thought.into_iter().chain(shown.parts).collect(), ..shown }
}

/// A call, with the reasoning and the words before it.
fn action<'v>(event: &'v Value<'v>) -> Turn<'v> {
    let thought = non_empty_part(event.get("reasoning_content"), TurnPart::Thought);
    let words = non_empty_part(event.get("thought").filter(|thought| !is_empty(thought)), TurnPart::Text);
    let name = text(event, "tool_name").unwrap_or("?");
    let call = ToolCall { id: id_of(event), name: name.into(), arguments: arguments(event) };
    Turn::of(StepRole::Agent, thought.into_iter().chain(words).chain([TurnPart::Call(call)]).collect())
}

/// What the model wrote, where that is JSON; else the action as it was understood, with its defaults.
fn arguments<'v>(event: &'v Value<'v>) -> Cow<'v, str> {
    let written = event.get("tool_call").and_then(|call| call.get("arguments"));
    let object = |text: &str| json::parse(text).is_ok_and(|value| value.as_object().is_some());
    let written = written.and_then(|written| match written.as_str() {
        Some(text) => object(text).then(|| Cow::Owned(text.to_owned())),
        None => written.as_object().map(|_| Cow::Borrowed(written.text)),
    });
    let action = || event.get("action").filter(|action| action.as_object().is_some());
    written.unwrap_or_else(|| Cow::Borrowed(action().map_or("{}", |action| action.text)))
}

fn is_empty(value: &Value<'_>) -> bool {
    value.as_array().is_some_and(<[_]>::is_empty)
}

/// The id of a call: the model's, or that of its event.
fn id_of<'v>(event: &'v Value<'v>) -> Option<Cow<'v, str>> {
    text(event, "tool_call_id").or_else(|| text(event, "id")).map(Cow::Borrowed)
}

/// What a result says of its call.
fn answered<'v>(event: &'v Value<'v>) -> ToolResult<'v> {
    ToolResult {
        id: text(event, "tool_call_id").or_else(|| text(event, "action_id")).map(Cow::Borrowed),
        name: text(event, "tool_name").map(Cow::Borrowed),
        ..ToolResult::default()
    }
}

/// An output with what the model sees before and after it.
fn enclosed<'v>(prefix: &str, text: Cow<'v, str>, suffix: &str) -> Cow<'v, str> {
    if prefix.is_empty() && suffix.is_empty() { text } else { Cow::Owned(format!("{prefix}{text}{suffix}")) }
}

fn observation<'v>(event: &'v Value<'v>) -> ToolResult<'v> {
    let Some(observation) = event.get("observation") else { return answered(event) };
    let metadata = observation.get("metadata");
    let of = |key: &str| metadata.and_then(|m| m.get(key)).or_else(|| observation.get(key)).filter(|v| !v.is_null());
    let texts = ["content", "output", "text", "result"].iter().find_map(|key| observation.get(key));
    let around = |key: &str| metadata.and_then(|metadata| text(metadata, key)).unwrap_or_default();
    let is_error = observation.get("is_error").and_then(Value::as_bool);
    let has_error = observation.get("error").and_then(Value::as_str).is_some_and(|error| !error.is_empty());
    ToolResult {
        text: enclosed(around("prefix"), texts.map_or_else(|| text_of(observation), text_of), around("suffix")),
        is_error: is_error.or(has_error.then_some(true)),
        exit: of("exit_code").and_then(Value::as_number).and_then(|n| n.parse().ok()),
        cwd: of("working_dir").and_then(Value::as_str).map(Cow::Borrowed),
        details: observation.get("old_content").map(|_| Cow::Borrowed(observation.text)),
        ..answered(event)
    }
}

fn state_text<'v>(event: &'v Value<'v>) -> Cow<'v, str> {
    if let (Some(key), Some(value)) = (text(event, "key"), event.get("value")) {
        return Cow::Owned(format!("{key}: {}", value.as_str().map_or_else(|| describe::note(value), str::to_owned)));
    }
    let keys = ["detail", "summary", "reason", "message", "text", "system_prompt"];
    let content = keys.iter().find_map(|key| event.get(key).filter(|content| !content.is_null()));
    let content = content.map(|content| content.get("text").unwrap_or(content));
    content.map_or_else(|| Cow::Owned(describe::note(event)), text_of)
}
