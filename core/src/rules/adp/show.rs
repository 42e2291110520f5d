//! What a step says to a reader: in full, and in one line.

use super::call_text;
use super::lint::IMAGE_PATH_MAX;
use crate::json::{Value, compact};
use crate::model::{StepKind, StepRole, TurnPart};
use crate::rules::trajectory::{
    Body, Call, CallSource, Class, FunctionCall, Item, Message, TrajectoryStep, Way, atif, blocks, text, text::joined,
};
use std::borrow::Cow;

/// What precedes what was reasoned.
const REASONING: &str = "reasoning: ";
/// Most characters of what a step says in one line.
pub const SUMMARY_MAX: usize = 400;

/// The sign of a step in the list, and its label. `answers` says whether it answers a call.
#[must_use]
pub fn label(entry: &TrajectoryStep<'_>, answers: bool) -> (StepKind, &'static str) {
    let spoken = (StepKind::Message, entry.role.name());
    match (&entry.body, entry.known_item()) {
        (Body::Record, _) => (StepKind::Other, "record"),
        (Body::Item(_), None) => (StepKind::Other, "unknown"),
        (_, Some((_, Class::CodeAction))) => (StepKind::Call, "code"),
        (_, Some((_, Class::ImageObservation))) => (StepKind::Result, "image"),
        (_, Some((_, Class::WebObservation))) => (StepKind::Result, "page"),
        (_, Some((_, Class::JsonObservation))) => (StepKind::Result, "json"),
        _ if !entry.calls.is_empty() => (StepKind::Call, "call"),
        _ if answers || entry.role == StepRole::Environment => (StepKind::Result, "result"),
        _ => spoken,
    }
}

/// What a step says, in one line at most so long: its calls as one would write them, then its words. Line ends are left
/// in.
#[must_use]
pub fn summary(entry: &TrajectoryStep<'_>) -> String {
    line(entry).chars().take(SUMMARY_MAX).collect()
}

/// The same, whole.
#[must_use]
pub(super) fn line(entry: &TrajectoryStep<'_>) -> String {
    let (calls, words) = match &entry.body {
        Body::Item(item) if !entry.calls.is_empty() => {
            (entry.calls.iter().map(call_text::call).collect(), item.text("description").unwrap_or_default().to_owned())
        }
        Body::Message(message) if !entry.calls.is_empty() => {
            let words = message.text.as_deref().map(text::before_call).unwrap_or_default();
            (call_text::calls(entry.value, message), words.to_owned())
        }
        Body::Message(message) if !results(entry, message).is_empty() => {
            (results(entry, message), message_words(entry.value, message).unwrap_or_default().into_owned())
        }
        Body::Turn => (entry.calls.iter().map(call_text::call).collect(), turn_texts(entry, &[]).join("\n")),
        _ => {
            let words = Some(entry_text(entry)).filter(|words| !words.is_empty());
            let words = words.or_else(|| reasoning(entry).map(Cow::into_owned));
            (Vec::new(), words.unwrap_or_else(|| blocks::result_texts(entry.value).join(" · ")))
        }
    };
    let parts = calls.iter().chain([&words]).map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

/// What a step says as a reader of the conversation sees it: what was reasoned before it, then its words and calls.
#[must_use]
pub fn text_with_reasoning(entry: &TrajectoryStep<'_>) -> String {
    let words = entry_text(entry);
    match reasoning(entry).filter(|text| !text::is_blank(text)) {
        Some(reasoning) if words.is_empty() => format!("{REASONING}{reasoning}"),
        Some(reasoning) => format!("{REASONING}{reasoning}\n{words}"),
        None => words,
    }
}

/// D20: the text of a step whose digest this is, as the state has it.
#[must_use]
pub fn digested_text(entry: &TrajectoryStep<'_>, digest: &str) -> Option<String> {
    text::digested(entry.value, digest).map(Cow::into_owned)
}

/// D20: whether a text has this digest.
#[must_use]
pub fn has_digest(text: &str, digest: &str) -> bool {
    text::digest(text) == digest
}

/// What the agent reasoned in a step, where the record has it apart from what was said.
fn reasoning<'a>(entry: &TrajectoryStep<'a>) -> Option<Cow<'a, str>> {
    match &entry.body {
        Body::Item(item) => {
            item.class.filter(|class| class.is_action()).and(item.text("reasoning_content")).map(Cow::Borrowed)
        }
        Body::Message(message) => {
            let beside = blocks::REASONING.iter().find_map(|key| joined(entry.value.get(key)?));
            let among = || thoughts(entry.value).filter(|_| message.way != Way::Protocol);
            beside.or_else(|| blocks::item_thought(entry.value)).or_else(among)
        }
        Body::Turn => entry.value.get("reasoning_content").and_then(joined),
        Body::Record => None,
    }
}

/// What was reasoned among the parts of a message.
fn thoughts<'a>(value: &'a Value<'a>) -> Option<Cow<'a, str>> {
    let thought = |part| if let TurnPart::Thought(words) = part { Some(words) } else { None };
    let all: Vec<Cow<'a, str>> = blocks::turn_parts(value)?.into_iter().filter_map(thought).collect();
    (!all.is_empty()).then(|| all.join("\n").into())
}

/// What a step says, in full.
#[must_use]
pub fn entry_text(entry: &TrajectoryStep<'_>) -> String {
    let parts: Vec<String> = match &entry.body {
        Body::Item(item) => match item.class {
            Some(class) => item_texts(item, class, &entry.calls),
            None => vec![compact(entry.value)],
        },
        Body::Message(message) => {
            let calls = if entry.calls.is_empty() { Vec::new() } else { whole_calls(entry.value, message) };
            let words = message_words(entry.value, message).map(Cow::into_owned);
            results(entry, message).into_iter().chain(words).chain(calls).collect()
        }
        Body::Turn => turn_texts(entry, &entry.calls),
        Body::Record => vec![compact(entry.value)],
    };
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What came back of calls, as far as it is among the parts of a message.
fn results(entry: &TrajectoryStep<'_>, message: &Message<'_>) -> Vec<String> {
    if entry.results == 0 || message.way == Way::Protocol || blocks::item(entry.value).is_some() {
        return Vec::new();
    }
    blocks::result_texts(entry.value).into_iter().map(Cow::into_owned).collect()
}

/// The text of a message; of what a tool gave back as documents, their data.
fn message_words<'a>(value: &'a Value<'a>, message: &Message<'a>) -> Option<Cow<'a, str>> {
    let content = message.text_key.filter(|_| message.way != Way::Protocol).and_then(|key| value.get(key));
    let documents = content.filter(|_| message.role == StepRole::Environment).and_then(blocks::documents);
    documents.or_else(|| message.text.clone())
}

/// The calls of a message beside its text, with all that they are called with.
fn whole_calls<'a>(value: &'a Value<'a>, message: &Message<'a>) -> Vec<String> {
    match CallSource::of(value, message) {
        CallSource::Text(_) => Vec::new(),
        source => {
            let whole =
                |call: &FunctionCall<'_>| format!("{}({})", call.name, call.arguments.as_deref().unwrap_or_default());
            source.into_calls().iter().map(whole).collect()
        }
    }
}

fn item_texts(item: &Item<'_>, class: Class, calls: &[Call<'_>]) -> Vec<String> {
    let text = |name| item.text(name).unwrap_or_default().to_owned();
    let json = |name| item.field(name).map(|f| compact(f.value)).unwrap_or_default();
    match class {
        Class::ApiAction => vec![text("description"), calls.iter().map(call).collect()],
        Class::CodeAction => vec![text("description"), text("content")],
        Class::MessageAction => vec![text("description"), text("content")],
        Class::TextObservation => vec![text("content")],
        Class::ImageObservation => vec![image(item)],
        Class::WebObservation => {
            let page = if item.text("axtree").is_some() { text("axtree") } else { text("html") };
            let picture = item.field("image_observation").filter(|f| f.value.as_object().is_some());
            vec![text("url"), picture.map(|f| image(&Item::image(f.value))).unwrap_or_default(), page]
        }
        Class::JsonObservation => vec![json("content")],
    }
}

fn turn_texts(entry: &TrajectoryStep<'_>, calls: &[Call<'_>]) -> Vec<String> {
    let text_of = |value: Option<&Value<'_>>| value.and_then(joined).map(|t| t.to_string()).unwrap_or_default();
    let mut parts = vec![text_of(entry.value.get("message"))];
    parts.extend(calls.iter().map(call));
    for result in atif::results(entry.value) {
        parts.push(text_of(result.get("content")));
        parts.extend(atif::subagents(result).map(|name| format!("→ subagent trajectory {name}")));
    }
    parts
}

fn call(call: &Call<'_>) -> String {
    format!("{}({})", call.tool, call.arguments.map(compact).unwrap_or_default())
}

/// An image by its address; one that is there itself by its size.
fn image(item: &Item<'_>) -> String {
    let content = item.text("content").unwrap_or_default();
    match content.chars().count() {
        len if len > IMAGE_PATH_MAX => format!("[image of {len} characters]"),
        _ => format!("[image {content}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    /// What a message of a row says to a reader, in one line and in full.
    fn of(message: &str, way: Way) -> (String, String) {
        let value = parse(message).unwrap();
        let entry = TrajectoryStep::row_message(&value, StepRole::Unknown, way);
        (summary(&entry), text_with_reasoning(&entry))
    }

    #[test]
    fn what_came_back_among_the_parts_of_a_message_is_said() {
        let message = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"a.txt"},
            {"type":"text","text":"go on"}]}"#;
        assert_eq!(of(message, Way::Formats), ("a.txt · go on".to_owned(), "a.txt\ngo on".to_owned()));
        assert_eq!(of(message, Way::Protocol).1, "go on", "to the letter of the protocol");
        let item = r#"{"type":"function_call_output","call_id":"c","output":"a.txt"}"#;
        assert_eq!(of(item, Way::Formats).1, "a.txt");
        let document = r#"{"role":"tool","content":[{"type":"document","document":{"data":"a.txt"}}]}"#;
        assert_eq!(of(document, Way::Formats).1, "a.txt");
    }

    #[test]
    fn what_was_reasoned_among_the_parts_comes_first() {
        let message = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"ls will do"},
            {"type":"text","text":"I look."}]}"#;
        assert_eq!(of(message, Way::Formats).1, "reasoning: ls will do\nI look.");
    }
}
