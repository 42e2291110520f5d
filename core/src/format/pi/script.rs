//! Calls that a script of Pi made (`codemode`): the result of the script lists them. Commands that the user ran.

use super::text;
use crate::format::log::{Log, text_of};
use crate::json::Value;
use crate::model::{StepRole, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;

/// The calls, in `nestedCalls` with arguments as objects, before Pi 1.5 in `details` with JSON in strings.
fn nested_calls<'v, 'a>(message: &'v Value<'a>) -> &'v [Value<'a>] {
    let nested = message.get("nestedCalls").and_then(|nested| nested.get("calls")?.as_array());
    let calls = nested.filter(|calls| !calls.is_empty());
    calls.or_else(|| message.get("details")?.get("calls")?.as_array()).unwrap_or_default()
}

/// What the calls did. What they printed is not there, so that only those count that write.
pub(super) fn effects(message: &Value<'_>, log: &mut Log<'_>) {
    for (number, call) in nested_calls(message).iter().enumerate() {
        let args = call.get("arguments").or_else(|| call.get("args"));
        let (Some(name @ ("write" | "edit")), Some(args)) = (text(call, "name"), args) else { continue };
        let id = text(call, "id").map_or_else(|| number.to_string(), str::to_owned);
        let arguments = args.as_str().unwrap_or(args.text).into();
        let asked = ToolCall { id: Some(Cow::Borrowed(&*id)), name: name.into(), arguments };
        log.effects_beside(&Turn::of(StepRole::Agent, vec![TurnPart::Call(asked)]));
        let is_error = Some(text(call, "status") != Some("ok"));
        let result = ToolResult { id: Some(Cow::Borrowed(&*id)), is_error, ..ToolResult::default() };
        log.effects_beside(&Turn::of(StepRole::Environment, vec![TurnPart::Result(result)]));
    }
}

/// What the model sees of a command that the user ran.
pub(super) fn report(command: &str, message: &Value<'_>) -> String {
    let output = message.get("output").map(text_of).unwrap_or_default();
    let output = if output.is_empty() { "(no output)".to_owned() } else { format!("```\n{output}\n```") };
    let exit = message.get("exitCode").and_then(Value::as_number).filter(|exit| *exit != "0");
    let exit = exit.map_or_else(String::new, |exit| format!("\n\nCommand exited with code {exit}"));
    format!("Ran `{command}`\n{output}{exit}")
}
