//! The content blocks and calls of a record: `message.content[]`, `parts[]`, `tool_calls[]`, in any spelling.

use super::layers::{class_of, rest, text_of};
use super::{beginning, shortened};
use crate::json::{Data, Value};
use crate::model::StepKind;
use crate::rules::trajectory::call;

/// Blocks that are looked at.
const BLOCKS_MAX: usize = 64;

/// Lists of blocks.
const LISTS: [&str; 5] = ["content", "parts", "tool_calls", "toolCalls", "toolRequests"];

/// One block.
pub(super) struct Block {
    /// What it is.
    pub(super) sign: StepKind,
    /// Its tool.
    pub(super) tool: Option<String>,
    /// Its text: a message, `TOOL ARGUMENTS`, a result.
    pub(super) text: Option<String>,
    /// Whether it reports a failure.
    pub(super) is_failed: bool,
}

/// The blocks of all layers of a record; where it has none, the layer that is a call or result itself.
pub(super) fn of(layers: &[&Value<'_>]) -> Vec<Block> {
    let lists =
        layers.iter().flat_map(|layer| LISTS.iter().filter_map(|name| Some((*name, layer.get(name)?.as_array()?))));
    let blocks = lists.flat_map(|(name, list)| list.iter().filter_map(move |value| block(name, value)));
    let blocks: Vec<Block> = blocks.take(BLOCKS_MAX).collect();
    if !blocks.is_empty() {
        return blocks;
    }
    let layer_blocks = layers.iter().enumerate().rev().find_map(|(at, layer)| {
        let sign = sign_of(&class_of(layer)?.to_lowercase())
            .filter(|sign| matches!(sign, StepKind::Call | StepKind::Result))?;
        let blocks = layers.iter().skip(at).map(|inner| of_sign(sign, inner));
        blocks.into_iter().find(|block| block.text.as_ref().is_some_and(|text| !text.is_empty()))
    });
    layer_blocks.or_else(|| untyped_call(layers)).into_iter().collect()
}

/// Members with the arguments of a call, and with its result.
const GIVEN: [&str; 4] = ["input", "args", "arguments", "parameters"];
const BACK: [&str; 5] = ["output", "outputs", "result", "observation", "response"];

/// A call without a type: a tool, its arguments, and no result.
fn untyped_call(layers: &[&Value<'_>]) -> Option<Block> {
    let is_call = |layer: &&&Value<'_>| {
        let is_given = GIVEN.iter().any(|name| layer.get(name).is_some_and(|given| given.as_object().is_some()));
        let has = |names: &[&str]| names.iter().any(|name| layer.get(name).is_some_and(|v| v.as_str().is_some()));
        is_given && has(&["name", "tool", "tool_name", "toolName"]) && BACK.iter().all(|name| layer.get(name).is_none())
    };
    layers.iter().find(is_call).map(|layer| of_sign(StepKind::Call, layer))
}

/// The text of the blocks.
pub(super) fn blocks_text(blocks: &[Block]) -> Option<String> {
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The kind of a record or block, by its type in lower case.
pub(super) fn sign_of(class: &str) -> Option<StepKind> {
    let has = |words: &[&str]| words.iter().any(|word| class.contains(word));
    if has(&["error", "exception"]) {
        Some(StepKind::Error)
    } else if has(&["result", "observation", "output", "functionresponse", "execution_complete"]) {
        Some(StepKind::Result)
    } else if has(&[
        "tool_call",
        "toolcall",
        "tool-call",
        "tool_use",
        "function_call",
        "functioncall",
        "execution_start",
    ]) || is_action(class)
    {
        Some(StepKind::Call)
    } else if has(&["thought", "thinking", "reasoning"]) {
        Some(StepKind::Thought)
    } else {
        None
    }
}

/// Whether `action` is a word of a type, which it is not in `compaction` and `transaction`.
fn is_action(class: &str) -> bool {
    const BEFORE: [&str; 6] = ["agent", "tool", "api", "code", "message", "finish"];
    class.match_indices("action").any(|(at, _)| {
        let before = &class[..at];
        !before.ends_with(|c: char| c.is_alphabetic()) || BEFORE.iter().any(|word| before.ends_with(word))
    })
}

fn block(list: &str, value: &Value<'_>) -> Option<Block> {
    value.as_object()?;
    let class = value.get("type").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    // Gemini names a block by its member.
    if let Some((sign, inner)) = [(StepKind::Call, "functionCall"), (StepKind::Result, "functionResponse")]
        .into_iter()
        .find_map(|(sign, name)| Some((sign, value.get(name)?)))
    {
        return Some(of_sign(sign, inner));
    }
    let sign = match sign_of(&class) {
        Some(sign) => sign,
        None if list != "content" && list != "parts" => StepKind::Call,
        None if value.get("thought").is_some_and(|flag| matches!(flag.data, Data::Bool(true))) => StepKind::Thought,
        None => StepKind::Message,
    };
    Some(of_sign(sign, value))
}

fn of_sign(sign: StepKind, value: &Value<'_>) -> Block {
    let of = |names: &[&str]| names.iter().find_map(|name| value.get(name).and_then(text_of));
    let tool = tool(value).filter(|_| matches!(sign, StepKind::Call | StepKind::Result));
    let text = match sign {
        StepKind::Call => Some(call_text(value, tool.as_deref())),
        StepKind::Result => {
            of(&["content", "output", "result", "text", "response", "functionResponse"]).or_else(|| nested(value))
        }
        StepKind::Thought => of(&["thinking", "reasoning", "thought", "text", "content", "summary"]),
        _ => of(&["text", "content"]),
    };
    let is_set = |name: &str| value.get(name).is_some_and(|flag| matches!(flag.data, Data::Bool(true)));
    Block { sign, tool, text, is_failed: is_set("is_error") || is_set("isError") }
}

fn tool(value: &Value<'_>) -> Option<String> {
    call::call(value).map(|call| call.name.into_owned())
}

/// The tool and its arguments.
fn call_text(value: &Value<'_>, tool: Option<&str>) -> String {
    let arguments = call::arguments_at(value);
    let arguments = arguments.map(|(_, value)| value.as_str().map_or_else(|| beginning(value), shortened));
    [tool.map(str::to_owned), arguments].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What a result says where it is an object of its own shape.
fn nested(value: &Value<'_>) -> Option<String> {
    let inner = ["content", "output", "result", "response"].iter().find_map(|name| value.get(name))?;
    (!inner.is_null() && inner.as_str().is_none()).then(|| rest(inner))
}
