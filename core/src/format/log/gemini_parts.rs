//! Parts of Gemini's API, as several agents write them: texts, thoughts, calls and responses, in two spellings.

use super::{Draft, Form, Kind, Log, first, first_text, items, text, text_of};
use crate::json::Value;
use crate::model::{Attachment, StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;

/// A content: its texts and files that are no thoughts.
pub(super) const CONTENT: Form = 8;
/// A part that is a thought, a call or a response.
pub(super) const THOUGHT: Form = 9;
pub(super) const CALL: Form = 10;
pub(super) const RESPONSE: Form = 11;

const CALLS: [&str; 2] = ["functionCall", "function_call"];
const RESPONSES: [&str; 2] = ["functionResponse", "function_response"];
const FILES: [&str; 4] = ["inlineData", "inline_data", "fileData", "file_data"];
const CODE: [&str; 4] = ["executableCode", "executable_code", "codeExecutionResult", "code_execution_result"];

/// A content of parts on its way to steps.
pub(in crate::format) struct Parts<'v> {
    /// The object that has `parts`.
    pub(in crate::format) content: &'v Value<'v>,
    /// Who speaks.
    pub(in crate::format) role: StepRole,
    /// The record's type as written.
    pub(in crate::format) class: Option<&'v str>,
    /// When.
    pub(in crate::format) time: Option<&'v Value<'v>>,
    /// Tokens that the model wrote; they are reported at the first step.
    pub(in crate::format) tokens: Option<u64>,
    /// Whether the harness put it in.
    pub(in crate::format) is_injected: bool,
    /// What is said of a response beside it.
    pub(in crate::format) details: Option<&'v Value<'v>>,
}

impl<'v> Parts<'v> {
    /// A content of somebody.
    pub(in crate::format) fn of(content: &'v Value<'v>, role: StepRole) -> Self {
        Self { content, role, class: None, time: None, tokens: None, is_injected: false, details: None }
    }

    /// Adds its steps to the log: none where there are no parts that say something.
    pub(in crate::format) fn add_steps(&self, log: &mut Log<'_>) -> Vec<StepNo> {
        let (mut found, mut has_message): (Vec<(Kind, Form, &Value<'_>)>, bool) = (Vec::new(), false);
        for part in items(self.content, "parts") {
            if first(part, &CALLS).is_some() {
                found.push((Kind::Call, CALL, part));
            } else if first(part, &RESPONSES).is_some() {
                found.push((Kind::Result, RESPONSE, part));
            } else if is_thought(part) {
                found.push((Kind::Thought, THOUGHT, part));
            } else if !has_message && content_part(part).is_some() {
                has_message = true;
                found.push((Kind::Message, CONTENT, self.content));
            }
        }
        let mut tokens = self.tokens;
        let is_only = found.iter().filter(|(kind, ..)| *kind == Kind::Result).count() == 1;
        let steps = found.into_iter().map(|(kind, form, value)| {
            let details = self.details.filter(|details| kind == Kind::Result && is_of(details, value, is_only));
            let pair = details.map(|details| [value, details]);
            let values: &[&Value<'_>] = pair.as_ref().map_or(std::slice::from_ref(&value), |pair| pair);
            log.step(&Draft {
                role: if kind == Kind::Result { StepRole::Environment } else { self.role },
                class: self.class,
                time: self.time,
                tokens: tokens.take(),
                is_injected: self.is_injected,
                ..Draft::of(kind, form, values)
            })
        });
        steps.collect()
    }
}

/// Whether details are those of a response: of the call that they name, where both name one.
fn is_of(details: &Value<'_>, part: &Value<'_>, is_only: bool) -> bool {
    let answered = first(part, &RESPONSES).and_then(|response| text(response, "id"));
    match (text(details, "callId"), answered) {
        (Some(call), Some(answered)) => call == answered,
        _ => is_only,
    }
}

fn is_thought(part: &Value<'_>) -> bool {
    part.get("thought").and_then(Value::as_bool) == Some(true)
}

/// A text, a file or code of a content.
fn content_part<'v>(part: &'v Value<'v>) -> Option<TurnPart<'v>> {
    if is_thought(part) {
        return None;
    }
    if let Some(words) = part.as_str().or_else(|| text(part, "text")) {
        return (!words.is_empty()).then_some(TurnPart::Text(Cow::Borrowed(words)));
    }
    if let Some(code) = first(part, &CODE) {
        return Some(TurnPart::Text(text_of(first(code, &["code", "output"]).unwrap_or(code))));
    }
    let file = first(part, &FILES)?;
    Some(TurnPart::Attachment(Attachment {
        media_type: first_text(file, &["mimeType", "mime_type"]).unwrap_or("file").into(),
        location: first_text(file, &["fileUri", "file_uri"]).map(Cow::Borrowed),
        bytes: part.text.len() as u64,
    }))
}

/// What a step of a content says.
pub(super) fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
    let Some(&value) = values.first() else { return Turn::default() };
    match form {
        CONTENT => Turn::of(StepRole::Unknown, items(value, "parts").iter().filter_map(content_part).collect()),
        THOUGHT => {
            Turn::of(StepRole::Agent, vec![TurnPart::Thought(value.get("text").map(text_of).unwrap_or_default())])
        }
        CALL => {
            let call = first(value, &CALLS).unwrap_or(value);
            let call = ToolCall {
                id: text(call, "id").map(Cow::Borrowed),
                name: text(call, "name").unwrap_or("?").into(),
                arguments: first(call, &["args"]).map_or(Cow::Borrowed("{}"), |args| Cow::Borrowed(args.text)),
            };
            Turn::of(StepRole::Agent, vec![TurnPart::Call(call)])
        }
        _ => Turn::of(StepRole::Environment, vec![TurnPart::Result(response(value, values.get(1).copied()))]),
    }
}

fn response<'v>(part: &'v Value<'v>, details: Option<&'v Value<'v>>) -> ToolResult<'v> {
    let answer = first(part, &RESPONSES).unwrap_or(part);
    let inner = first(answer, &["response"]).unwrap_or(answer);
    let failed = match details.and_then(|details| text(details, "status")) {
        Some("error" | "cancelled") => Some(true),
        Some("success") => Some(false),
        _ => inner.get("error").filter(|error| !error.is_null()).map(|_| true),
    };
    ToolResult {
        id: text(answer, "id").map(Cow::Borrowed),
        name: text(answer, "name").map(Cow::Borrowed),
        text: text_of(first(inner, &["output", "error", "result"]).unwrap_or(inner)),
        is_error: failed,
        details: details.map(|details| Cow::Borrowed(details.text)),
        ..ToolResult::default()
    }
}
