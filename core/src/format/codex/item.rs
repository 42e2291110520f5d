//! Items: what Codex says of a call that ran, in `item_completed` and in the stream of `codex exec`.

use crate::format::log::{Log, count, first, first_text, text, text_of};
use crate::json::{self, Value};
use crate::model::{StepRole, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;

/// Whether an item is a call, by its type.
pub(super) fn is_call(class: &str) -> bool {
    const CALLS: [&str; 13] = [
        "CommandExecution",
        "FileChange",
        "McpToolCall",
        "DynamicToolCall",
        "WebSearch",
        "Extension",
        "ImageView",
        "ImageGeneration",
        "command_execution",
        "file_change",
        "mcp_tool_call",
        "web_search",
        "collab_tool_call",
    ];
    CALLS.contains(&class)
}

/// Whether what an item does is over.
pub(super) fn is_over(item: &Value<'_>) -> bool {
    matches!(text(item, "status"), Some("completed" | "failed" | "declined"))
}

/// The call that an item reports.
pub(super) fn call<'v>(item: &'v Value<'v>) -> ToolCall<'v> {
    let name = match first_text(item, &["type", "item_type"]).unwrap_or_default() {
        "CommandExecution" | "command_execution" => "exec_command",
        "FileChange" | "file_change" => "file_change",
        "WebSearch" | "web_search" => "web_search",
        "ImageView" => "view_image",
        "ImageGeneration" => "image_generation",
        "McpToolCall" | "mcp_tool_call" => {
            let input = item.get("input").unwrap_or(item);
            first_text(item, &["tool", "name"]).or_else(|| first_text(input, &["tool", "name"])).unwrap_or("mcp")
        }
        "Extension" => text(item, "kind").unwrap_or("extension"),
        other => first_text(item, &["tool", "name"]).unwrap_or(other),
    };
    ToolCall { id: text(item, "id").map(Cow::Borrowed), name: name.into(), arguments: arguments(item) }
}

/// The arguments of an item: as it has them, else an object of the members that say what is done.
fn arguments<'v>(item: &'v Value<'v>) -> Cow<'v, str> {
    let input = item.get("input").filter(|input| input.as_object().is_some());
    let known = item.get("arguments").or_else(|| input?.get("arguments")).or(input);
    if let Some(arguments) = known.filter(|arguments| !arguments.is_null()) {
        return Cow::Borrowed(arguments.text);
    }
    const MEMBERS: [&str; 8] = ["command", "cwd", "changes", "query", "action", "path", "prompt", "revised_prompt"];
    let members = MEMBERS.iter().filter_map(|key| Some(format!("{}:{}", json::quote(key), item.get(key)?.text)));
    let members: Vec<String> = members.collect();
    match (members.is_empty(), item.get("content").filter(|content| content.as_str().is_some())) {
        (true, Some(content)) => Cow::Borrowed(content.text),
        _ => Cow::Owned(format!("{{{}}}", members.join(","))),
    }
}

/// What came back, as an item gives it.
pub(super) fn result<'v>(item: &'v Value<'v>) -> ToolResult<'v> {
    const OUTPUTS: [&str; 8] =
        ["aggregated_output", "output", "error", "result", "results", "content_items", "stdout", "content"];
    let output = first(item, &OUTPUTS).map(|output| {
        let inner = first(output, &["message", "content"]).unwrap_or(output);
        text_of(inner)
    });
    let result = ToolResult {
        id: text(item, "id").map(Cow::Borrowed),
        name: Some(call(item).name),
        text: output.unwrap_or_default(),
        ..ToolResult::default()
    };
    with_item(result, item)
}

/// A result with what the item of its call says beside the text.
pub(super) fn with_item<'v>(result: ToolResult<'v>, item: &'v Value<'v>) -> ToolResult<'v> {
    let exit = item.get("exit_code").and_then(Value::as_number).and_then(|number| number.parse().ok());
    let failed = match text(item, "status") {
        Some("failed" | "declined") => Some(true),
        // A command that ends with another status than 0 is completed too: its exit gives it.
        Some("completed") if exit.is_none() => Some(false),
        _ => None,
    };
    let of_tool = || item.get("result").and_then(tool_flag);
    let flag = item.get("success").and_then(Value::as_bool).map(|success| !success).or_else(of_tool);
    ToolResult {
        exit: result.exit.or(exit),
        ms: result.ms.or_else(|| duration(item)),
        is_error: result.is_error.or(flag).or(failed),
        cwd: None,
        details: Some(Cow::Borrowed(item.text)),
        ..result
    }
}

/// Whether what a tool of a server gave back is an error; events have it below how the request went.
fn tool_flag(result: &Value<'_>) -> Option<bool> {
    if result.get("Err").is_some() {
        return Some(true);
    }
    let result = result.get("Ok").unwrap_or(result);
    result.get("isError").or(result.get("is_error"))?.as_bool()
}

/// The files that a patch of no call of its own changed, as effects of its record.
pub(super) fn patched(payload: &Value<'_>, log: &mut Log<'_>) {
    let Some(changes) = payload.get("changes") else { return };
    let arguments = format!("{{\"changes\":{}}}", changes.text);
    let call = ToolCall { name: "file_change".into(), arguments: arguments.into(), ..ToolCall::default() };
    let result = with_item(ToolResult { name: Some("file_change".into()), ..ToolResult::default() }, payload);
    log.effects_beside(&Turn::of(StepRole::Agent, vec![TurnPart::Call(call), TurnPart::Result(result)]));
}

/// Milliseconds that it took.
fn duration(item: &Value<'_>) -> Option<u64> {
    let parts = item.get("duration").filter(|duration| duration.as_object().is_some());
    let of_parts = parts.and_then(|parts| {
        let seconds = count(parts, "secs")?;
        seconds.checked_mul(1_000)?.checked_add(count(parts, "nanos").unwrap_or_default() / 1_000_000)
    });
    of_parts.or_else(|| count(item, "duration_ms"))
}
