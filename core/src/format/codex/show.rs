//! The turns of the steps of Codex.

use super::item;
use crate::format::log::{self, FIRST_ADAPTER_FORM, Form, first, first_text, items, text, text_of};
use crate::json::Value;
use crate::model::{StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks::files_of;
use std::borrow::Cow;

/// Reasoning: summary and content, which is mostly encrypted.
pub(super) const REASONING: Form = FIRST_ADAPTER_FORM;
/// A call of a response item.
pub(super) const CALL: Form = FIRST_ADAPTER_FORM + 1;
/// Its output, and the item that reports the call.
pub(super) const OUTPUT: Form = FIRST_ADAPTER_FORM + 2;
/// An item as a call, and as its result.
pub(super) const ITEM: Form = FIRST_ADAPTER_FORM + 3;
pub(super) const ITEM_OUTPUT: Form = FIRST_ADAPTER_FORM + 4;
/// An item of a stream with a text; the last value counts.
pub(super) const TEXT_ITEM: Form = FIRST_ADAPTER_FORM + 5;
pub(super) const THOUGHT: Form = FIRST_ADAPTER_FORM + 6;
/// An item or event that is not a message: the last value counts.
pub(super) const LAST: Form = FIRST_ADAPTER_FORM + 7;

pub(super) fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
    let (Some(&value), Some(&last)) = (values.first(), values.last()) else { return Turn::default() };
    match form {
        REASONING => Turn::of(StepRole::Agent, vec![TurnPart::Thought(reasoning(value))]),
        CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
        OUTPUT => {
            let result = output(value);
            let result = match values.get(1) {
                Some(item) => item::with_item(result, item),
                None => result,
            };
            Turn::answer(result, content_of(value).into_iter().flat_map(files_of))
        }
        ITEM => Turn::of(StepRole::Agent, vec![TurnPart::Call(item::call(last))]),
        ITEM_OUTPUT => Turn::of(StepRole::Environment, vec![TurnPart::Result(item::result(value))]),
        TEXT_ITEM => Turn::of(StepRole::Agent, vec![TurnPart::Text(item_text(last))]),
        THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(item_text(last))]),
        LAST => log::show(log::form::STATE, &[last]),
        _ => log::show(form, values),
    }
}

/// The text of an item of a stream.
fn item_text<'v>(item: &'v Value<'v>) -> Cow<'v, str> {
    first(item, &["text", "content", "summary"]).map(text_of).unwrap_or_default()
}

fn reasoning<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    let parts = ["summary", "content"].iter().flat_map(|key| items(value, key));
    let texts: Vec<&str> = parts.filter_map(|part| part.as_str().or_else(|| text(part, "text"))).collect();
    match texts.as_slice() {
        [one] => Cow::Borrowed(one),
        texts => Cow::Owned(texts.join("\n\n")),
    }
}

fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    let class = text(value, "type").unwrap_or_default();
    let name = text(value, "name").unwrap_or(class.strip_suffix("_call").unwrap_or(class));
    let arguments = first(value, &["arguments", "input", "action", "revised_prompt"]);
    ToolCall {
        id: first_text(value, &["call_id", "id"]).map(Cow::Borrowed),
        name: name.into(),
        arguments: arguments.map_or(Cow::Borrowed("{}"), |arguments| Cow::Borrowed(arguments.text)),
    }
}

/// Beginnings of the outputs of calls that were not run, of scripts that failed, and of images and models that are
/// not there. `error: ` is what Codex before 0.27 says of a patch; the output of a command has a head.
const REFUSED: [&str; 12] = [
    "unsupported call: ",
    "unsupported custom tool call: ",
    "failed to parse function arguments: ",
    "failed to parse exec_command arguments: ",
    "failed to parse write_stdin arguments: ",
    "error: ",
    "execution error: ",
    "exec_command failed",
    "Script failed\n",
    "request_user_input is unavailable in ",
    "unable to locate image at `",
    "Unknown model `",
];

/// The members that hold the output of a call.
const OUTPUTS: [&str; 3] = ["output", "tools", "result"];

/// The output of a call, without the flag that may be beside it.
fn content_of<'v>(value: &'v Value<'v>) -> Option<&'v Value<'v>> {
    first(value, &OUTPUTS).map(|output| first(output, &["content", "text", "body"]).unwrap_or(output))
}

/// The output of a call: a text, parts, or an object with one of these and a flag.
fn output<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let success = first(value, &OUTPUTS).and_then(|output| output.get("success")?.as_bool());
    let text_of_output = content_of(value).map(text_of).unwrap_or_default();
    let is_refused = REFUSED.iter().any(|refusal| text_of_output.starts_with(refusal));
    ToolResult {
        id: text(value, "call_id").map(Cow::Borrowed),
        is_error: if is_refused { Some(true) } else { success.map(|success| !success) },
        text: text_of_output,
        ..ToolResult::default()
    }
}
