//! Events of version 0: actions, and observations with their `cause`.

use crate::format::describe;
use crate::format::log::{Draft, FIRST_ADAPTER_FORM as FIRST, Form, Kind, Log, text_of};
use crate::json::{self, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use crate::state::Op;
use std::borrow::Cow;
use std::ops::Range;

/// Forms of this file.
pub(super) const FORMS: Range<Form> = FIRST..FIRST + 8;

const MESSAGE: Form = FIRST;
const THOUGHT: Form = FIRST + 1;
const ACTION: Form = FIRST + 2;
const OBSERVATION: Form = FIRST + 3;
const STATE: Form = FIRST + 4;

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Reads an event.
pub(super) fn read(event: &Value<'_>, log: &mut Log<'_>) {
    let source = text(event, "source").unwrap_or_default();
    let role = match source {
        "user" => StepRole::User,
        "agent" => StepRole::Agent,
        _ => StepRole::Environment,
    };
    let (kind, form, role, class) = match (text(event, "action"), text(event, "observation")) {
        (Some(action), _) => action_step(action, role),
        (None, Some(observation)) => observation_step(observation, role),
        (None, None) => (Kind::State, STATE, role, "event"),
    };
    let model = event.get("tool_call_metadata").and_then(|of| of.get("model_response")?.get("model")?.as_str());
    let is_compaction = class.contains("condensation") && text(event, "action").is_some();
    log.surroundings(&Surroundings { model: model.map(Cow::Borrowed), is_compaction, ..Surroundings::default() });
    let values = [event];
    log.step(&Draft { role, class: Some(class), time: event.get("timestamp"), ..Draft::of(kind, form, &values) });
    write(event, class, log);
    log.declare_tools(event.get("args").and_then(|args| args.get("tools")).filter(|_| class == "system"));
}

fn action_step(action: &str, role: StepRole) -> (Kind, Form, StepRole, &str) {
    match action {
        "message" | "finish" => (Kind::Message, MESSAGE, role, action),
        "system" => (Kind::Message, MESSAGE, StepRole::System, action),
        "think" => (Kind::Thought, THOUGHT, role, action),
        "recall" | "change_agent_state" | "null" | "condensation" | "condensation_request" => {
            (Kind::State, STATE, role, action)
        }
        _ => (Kind::Call, ACTION, role, action),
    }
}

fn observation_step(observation: &str, role: StepRole) -> (Kind, Form, StepRole, &str) {
    match observation {
        "agent_state_changed" | "null" | "recall" | "agent_condensation" => (Kind::State, STATE, role, observation),
        _ => (Kind::Result, OBSERVATION, StepRole::Environment, observation),
    }
}

/// What an event changes.
fn write(event: &Value<'_>, class: &str, log: &mut Log<'_>) {
    let holder = if class == "change_agent_state" { "args" } else { "extras" };
    if let Some(state) = event.get(holder).and_then(|of| of.get("agent_state")) {
        log.write("session", "main", &["agent_state"], Op::Update, state);
    }
    if class == "condensation"
        && let Some(args) = event.get("args")
    {
        for slot in ["forgotten_event_ids", "forgotten_events_start_id", "forgotten_events_end_id", "summary"] {
            if let Some(value) = args.get(slot).filter(|value| !value.is_null()) {
                log.write("context", "main", &[slot], Op::Update, value);
            }
        }
    }
}

/// What an event says.
pub(super) fn show<'v>(form: Form, event: &'v Value<'v>) -> Turn<'v> {
    let args = event.get("args");
    let arg = |key: &str| args.and_then(|args| text(args, key)).filter(|text| !text.is_empty());
    match form {
        THOUGHT => {
            let thought = arg("thought").or_else(|| text(event, "message")).unwrap_or_default();
            Turn::of(StepRole::Agent, vec![TurnPart::Thought(thought.into())])
        }
        ACTION => {
            let thought = arg("thought").map(|thought| TurnPart::Thought(thought.into()));
            Turn::of(StepRole::Agent, thought.into_iter().chain([TurnPart::Call(call(event, args))]).collect())
        }
        OBSERVATION => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(event))]),
        MESSAGE => Turn::of(StepRole::Unknown, message(event, args)),
        _ => Turn::of(StepRole::Unknown, vec![TurnPart::Text(state_text(event))]),
    }
}

fn message<'v>(event: &'v Value<'v>, args: Option<&'v Value<'v>>) -> Vec<TurnPart<'v>> {
    let arg = |key: &str| args.and_then(|args| text(args, key)).filter(|text| !text.is_empty());
    let words = arg("content").or_else(|| arg("final_thought")).or_else(|| arg("thought"));
    let words = words.or_else(|| text(event, "message")).filter(|text| !text.is_empty());
    let images = args.and_then(|args| args.get("image_urls")?.as_array()).unwrap_or_default();
    let images = images.iter().map(|image| {
        let location = image.as_str().filter(|url| !url.starts_with("data:")).map(Cow::Borrowed);
        TurnPart::Attachment(Attachment { media_type: "image".into(), location, bytes: image.text.len() as u64 })
    });
    words.map(|text| TurnPart::Text(text.into())).into_iter().chain(images).collect()
}

/// A call by the name of its action; one through MCP by the name of its tool.
fn call<'v>(event: &'v Value<'v>, args: Option<&'v Value<'v>>) -> ToolCall<'v> {
    let id = event.get("id").map(id_text);
    let name = text(event, "action").unwrap_or("?");
    if let Some(args) = args.filter(|_| name == "call_tool_mcp" || name == "mcp") {
        let arguments = args.get("arguments").map_or("{}", |arguments| arguments.text);
        return ToolCall { id, name: text(args, "name").unwrap_or(name).into(), arguments: arguments.into() };
    }
    // The tool of this action has a name of its own.
    let name = if name == "task_tracking" { "task_tracker" } else { name };
    let written = args.filter(|args| name == "edit" && has_no_text(args)).and_then(|_| written_arguments(event));
    let arguments = written.map(Cow::Borrowed).or_else(|| args.map(arguments));
    ToolCall { id, name: name.into(), arguments: arguments.unwrap_or("{}".into()) }
}

/// Whether the arguments of an edit do not say what is written: another editor of the program took the call.
fn has_no_text(args: &Value<'_>) -> bool {
    text(args, "command").is_none() && text(args, "content").is_none_or(str::is_empty)
}

/// The arguments of an action as the model wrote them, in the answer beside it.
fn written_arguments<'v>(event: &'v Value<'v>) -> Option<&'v str> {
    let metadata = event.get("tool_call_metadata")?;
    let id = text(metadata, "tool_call_id")?;
    let choice = metadata.get("model_response")?.get("choices")?.as_array()?.first()?;
    let calls = choice.get("message")?.get("tool_calls")?.as_array()?;
    let call = calls.iter().find(|call| text(call, "id") == Some(id))?;
    text(call.get("function")?, "arguments")
}

/// Members of an action's arguments that the program added: the words beside the call, which are shown before it, and
/// how it runs.
const ADDED: [&str; 3] = ["thought", "impl_source", "translated_ipython_code"];

/// The arguments of the call alone.
fn arguments<'v>(args: &'v Value<'v>) -> Cow<'v, str> {
    let Some(object) = args.as_object().filter(|_| ADDED.iter().any(|name| args.get(name).is_some())) else {
        return Cow::Borrowed(args.text);
    };
    let members = object.entries().filter(|(name, _)| !ADDED.contains(name));
    let members: Vec<String> = members.map(|(name, value)| format!("{}:{}", json::quote(name), value.text)).collect();
    Cow::Owned(format!("{{{}}}", members.join(",")))
}

/// Whether an observation is a failure by what it is: an error, a call that the user refused, an action of the browser
/// that went wrong.
fn has_failed(observation: &str, extras: Option<&Value<'_>>) -> bool {
    let flag = |key: &str| extras.and_then(|extras| extras.get(key)?.as_bool()) == Some(true);
    let has_words = |key: &str| extras.and_then(|extras| text(extras, key)).is_some_and(|words| !words.is_empty());
    match observation {
        "error" | "user_rejected" => true,
        "browse" | "browse_interactive" => flag("error") || has_words("last_browser_action_error"),
        _ => false,
    }
}

fn result<'v>(event: &'v Value<'v>) -> ToolResult<'v> {
    let extras = event.get("extras");
    let metadata = extras.and_then(|extras| extras.get("metadata"));
    let of = |key: &str| metadata.and_then(|m| m.get(key)).or_else(|| extras?.get(key));
    let exit = of("exit_code").and_then(Value::as_number).and_then(|n| n.parse().ok());
    let observation = text(event, "observation").unwrap_or_default();
    let failed = event.get("success").and_then(Value::as_bool).map(|good| !good);
    ToolResult {
        id: event.get("cause").filter(|cause| !cause.is_null()).map(id_text),
        name: None,
        text: event.get("content").map(text_of).unwrap_or_default(),
        is_error: if has_failed(observation, extras) { Some(true) } else { failed },
        exit,
        cwd: of("working_dir").and_then(Value::as_str).map(Cow::Borrowed),
        ..ToolResult::default()
    }
}

/// An id as text: they are numbers.
fn id_text<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    Cow::Borrowed(value.as_str().unwrap_or(value.text))
}

fn state_text<'v>(event: &'v Value<'v>) -> Cow<'v, str> {
    let message = ["message", "content"].iter().find_map(|key| text(event, key).filter(|text| !text.is_empty()));
    let rest = || ["extras", "args"].iter().find_map(|key| event.get(key)).map(|rest| Cow::Owned(describe::note(rest)));
    message.map(Cow::Borrowed).or_else(rest).unwrap_or_default()
}
