//! What a step of a log says to a reader: in one line, and in full.

use super::Kind;
use crate::format::ViewEntry;
use crate::format::describe::shortened;
use crate::json::{self, Value};
use crate::model::{
    Attachment, Finding, Record, Remark, Severity, Standing, StepKind, StepNo, StepRole, Turn, TurnPart,
};
use crate::rules::trajectory::call_line_of;
use crate::rules::work::{unwrapped, without_escapes};
use crate::text::{PromptPiece, asked, is_notice, prompt_pieces};
use std::borrow::Cow;

/// A record that cannot be read gives no step (`FORMATS.md` 0.1.6).
pub(super) fn invalid(record: &Record, why: &str) -> Finding {
    let message = format!("the record is not a JSON object: {why}").into();
    let remark = Remark { path: None, rule: "data.invalid-json", severity: Severity::Error, message };
    Finding::new(record.number, None, remark)
}

/// The sign of a step in the list. What reports a failure has that of errors; a result has its own.
pub(super) fn sign(kind: Kind, is_failed: bool) -> StepKind {
    match kind {
        Kind::Result => StepKind::Result,
        _ if is_failed => StepKind::Error,
        Kind::Message | Kind::Answer => StepKind::Message,
        Kind::Thought => StepKind::Thought,
        Kind::Call => StepKind::Call,
        Kind::State | Kind::Span => StepKind::Meta,
    }
}

/// What a step is in a few words: the second column of the list. Steps of sub-agents and of branches that were left
/// have a sign before it.
pub(super) fn label(kind: Kind, role: StepRole, class: Option<&str>, standing: Standing) -> String {
    let word = match kind {
        Kind::Message | Kind::Answer => role.name(),
        Kind::Thought => "thought",
        Kind::Call => "call",
        Kind::Result => "result",
        Kind::State | Kind::Span => class.unwrap_or(kind.name()),
    };
    match standing {
        Standing::Main => word.to_owned(),
        Standing::SubAgent => format!("↳{word}"),
        Standing::Abandoned => format!("×{word}"),
    }
}

/// Unicode scalars of what a step says: texts, thoughts, arguments, results.
pub(super) fn chars(turn: &Turn<'_>) -> usize {
    let of = |text: &str| text.chars().count();
    let parts = turn.parts.iter().map(|part| match part {
        TurnPart::Text(text) | TurnPart::Thought(text) => of(text),
        TurnPart::Call(call) => of(&call.arguments),
        TurnPart::Result(result) => of(&result.text),
        TurnPart::Attachment(_) => 0,
    });
    parts.sum()
}

/// What a step says, in one line: its calls as one would write them, and its words. Line ends are left in.
pub(super) fn summary(turn: &Turn<'_>, role: StepRole) -> String {
    // A notice beside a prompt is no part of it.
    let has_prompt = turn.parts.iter().any(|part| matches!(part, TurnPart::Text(text) if !is_notice(text)));
    let parts = turn.parts.iter().map(|part| match part {
        TurnPart::Text(text) if role == StepRole::User && has_prompt && is_notice(text) => String::new(),
        TurnPart::Text(text) if role == StepRole::User || is_command(role, text) => {
            shortened(&without_escapes(&asked(text)))
        }
        TurnPart::Text(text) | TurnPart::Thought(text) => shortened(text),
        TurnPart::Call(call) => call_line_of(&call.name, &call.arguments),
        TurnPart::Result(result) => shortened(&unwrapped(&result.text)),
        TurnPart::Attachment(file) => attached(file),
    });
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    shortened(&parts.join(" · "))
}

/// A file of a message: how much of it is in the record, else where it is.
fn attached(file: &Attachment<'_>) -> String {
    match (file.bytes, &file.location) {
        (0, Some(place)) => format!("[{} {place}]", file.media_type),
        (0, None) => format!("[{}]", file.media_type),
        (bytes, _) => format!("[{} of {bytes} bytes]", file.media_type),
    }
}

/// Whether a record of the program is a command that was typed, or what one printed.
fn is_command(role: StepRole, text: &str) -> bool {
    let is_of_command = |piece: &PromptPiece<'_>| !matches!(piece, PromptPiece::Words(_) | PromptPiece::Injected(..));
    role == StepRole::System && prompt_pieces(text).iter().any(is_of_command)
}

/// What a step says, in full.
pub(super) fn turn_text(turn: &Turn<'_>) -> String {
    let parts = turn.parts.iter().map(|part| match part {
        TurnPart::Text(text) => text.to_string(),
        TurnPart::Thought(text) => format!("reasoning: {text}"),
        TurnPart::Call(call) => format!("{}({})", call.name, plain_arguments(&call.arguments)),
        TurnPart::Result(result) => result.text.to_string(),
        TurnPart::Attachment(file) => attached(file),
    });
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Arguments in one line: those that are JSON in a string as that JSON, and those of a file that is laid out for people
/// without its line ends.
fn plain_arguments(arguments: &str) -> Cow<'_, str> {
    let is_other = arguments.starts_with('"') || arguments.contains('\n');
    let value = if is_other { json::parse(arguments).ok() } else { None };
    let plain = |value: Value<'_>| value.as_str().map_or_else(|| json::compact(&value), str::to_owned);
    value.map_or(Cow::Borrowed(arguments), |value| Cow::Owned(plain(value)))
}

/// A message of a request: who, and what.
pub(super) fn entry_of(turn: &Turn<'_>, step: StepNo) -> ViewEntry {
    let role = turn.role.name().to_owned();
    let text = format!("{role}: {}", turn_text(turn));
    ViewEntry { text, role: Some(role), content: None, step, identity: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_laid_out_over_lines_are_one_line() {
        let of = |arguments| plain_arguments(arguments).into_owned();
        assert_eq!(of("{\n  \"a\": 1.0,\n  \"b\": \"x\\ny\"\n}"), r#"{"a":1.0,"b":"x\ny"}"#);
        assert_eq!([of(r#""{\"a\": 1}""#), of(r#"{"a": 1}"#), of("{\n")], [r#"{"a": 1}"#, r#"{"a": 1}"#, "{\n"]);
    }
}
