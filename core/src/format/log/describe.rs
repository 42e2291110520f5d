//! What a step of a log says to a reader: in one line, and in full.

use super::Kind;
use crate::format::ViewEntry;
use crate::format::describe::shortened;
use crate::json::{self, Data, Value};
use crate::model::{Finding, Record, Remark, Severity, Standing, StepKind, StepNo, StepRole, ToolCall, Turn, TurnPart};
use crate::rules::work::{Dialect, is_known_call, unwrapped, without_escapes};
use crate::text::{PromptPiece, asked, is_notice, prompt_pieces};
use std::borrow::Cow;

/// Most characters of an argument in a summary.
const ARGUMENT_CHARS: usize = 120;

/// A record that cannot be read gives no step (`FORMATS.md` 0.1.6).
pub(super) fn invalid(record: &Record, why: &str) -> Finding {
    let message = format!("the record is not a JSON object: {why}").into();
    let remark = Remark { path: None, rule: "data.invalid-json", severity: Severity::Error, message };
    Finding::new(record.number, None, remark)
}

/// The sign of a step in the list. What reports a failure has that of errors; a result has its own.
pub(super) fn sign(kind: Kind, is_failed: bool) -> StepKind {
    match kind {
        Kind::Message | Kind::Thought | Kind::Call | Kind::State | Kind::Span if is_failed => StepKind::Error,
        Kind::Message => StepKind::Message,
        Kind::Thought => StepKind::Thought,
        Kind::Call => StepKind::Call,
        Kind::Result => StepKind::Result,
        Kind::State | Kind::Span => StepKind::Meta,
    }
}

/// What a step is in a few words: the second column of the list. Steps of sub-agents and of branches that were left
/// have a sign before it.
pub(super) fn label(kind: Kind, role: StepRole, class: Option<&str>, standing: Standing) -> String {
    let word = match kind {
        Kind::Message => role.name(),
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
        TurnPart::Call(call) => call_line(call),
        TurnPart::Result(result) => shortened(&unwrapped(&result.text)),
        TurnPart::Attachment(file) => format!("[{} of {} bytes]", file.media_type, file.bytes),
    });
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    shortened(&parts.join(" · "))
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
        TurnPart::Attachment(file) => format!("[{} of {} bytes]", file.media_type, file.bytes),
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

/// A call: the tool, then its arguments; strings bare, long ones cut. Several of a tool that no rule knows have their
/// names, and are quoted where they have blanks.
fn call_line(call: &ToolCall<'_>) -> String {
    let Ok(arguments) = json::parse(&call.arguments) else { return format!("{} {}", call.name, call.arguments) };
    let inner = arguments.as_str().and_then(|text| json::parse(text).ok());
    let is_known = is_known_call(call, Dialect::Common);
    let words = argument_words(inner.as_ref().unwrap_or(&arguments), is_known);
    std::iter::once(call.name.to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

fn argument_words(arguments: &Value<'_>, is_known: bool) -> Vec<String> {
    match &arguments.data {
        Data::Object(object) => {
            let words = object.entries().map(|(key, value)| (key, word(value))).filter(|(_, word)| !word.is_empty());
            let words: Vec<_> = words.collect();
            let is_bare = is_known || words.len() < 2;
            let named = |(key, word): (&str, String)| {
                let is_quoted = word.contains(char::is_whitespace) && !word.starts_with(['[', '{']);
                if is_quoted { format!("{key}={}", json::quote(&word)) } else { format!("{key}={word}") }
            };
            words.into_iter().map(|(key, word)| if is_bare { word } else { named((key, word)) }).collect()
        }
        Data::Null => Vec::new(),
        _ => vec![word(arguments)],
    }
}

fn word(value: &Value<'_>) -> String {
    let text = value.as_str().unwrap_or(value.text);
    match text.char_indices().nth(ARGUMENT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
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

    #[test]
    fn several_arguments_of_a_tool_that_no_rule_knows_have_their_names() {
        let line = |name: &str, arguments: &str| {
            call_line(&ToolCall { id: None, name: name.into(), arguments: arguments.into() })
        };
        assert_eq!(line("book", r#"{"from":"JFK","to":"SEA","seats":2}"#), "book from=JFK to=SEA seats=2");
        assert_eq!(line("book", r#""{\"from\":\"JFK\",\"to\":\"SEA\"}""#), "book from=JFK to=SEA");
        assert_eq!(line("book", r#"{"from":"New York","to":"SEA"}"#), r#"book from="New York" to=SEA"#);
        assert_eq!(line("book", r#"{"to":"SEA","note":""}"#), "book SEA");
        assert_eq!(line("Bash", r#"{"command":"ls","description":"List"}"#), "Bash ls List");
    }
}
