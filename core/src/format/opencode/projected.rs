//! Messages of opencode 2: flat objects with a `type`, those of the model with what it did in their `content`.

use super::session::{text, usage};
use crate::format::log::{Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, form, text_of};
use crate::json::{self, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// What somebody says, with files; a tool as a call, and as its result; a command of the user as both.
pub(super) const WORDS: Form = FIRST_ADAPTER_FORM + 3;
pub(super) const CALL: Form = FIRST_ADAPTER_FORM + 4;
pub(super) const RESULT: Form = FIRST_ADAPTER_FORM + 5;
pub(super) const SHELL: Form = FIRST_ADAPTER_FORM + 6;
pub(super) const PRINTED: Form = FIRST_ADAPTER_FORM + 7;

/// Whether a message has this shape.
pub(super) fn is_message(message: &Value<'_>) -> bool {
    message.get("info").is_none() && text(message, "type").is_some() && text(message, "id").is_some()
}

/// The steps of a message.
pub(super) fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    surround(message, log);
    let time = message.get("time").and_then(|time| time.get("created"));
    let class = text(message, "type");
    let values = [message];
    let of = |kind, form, role| Draft { role, class, time, ..Draft::of(kind, form, &values) };
    match class.unwrap_or_default() {
        "user" => {
            log.step(&of(Kind::Message, WORDS, StepRole::User));
        }
        "system" => {
            log.step(&of(Kind::Message, WORDS, StepRole::System));
        }
        // What the program adds to the context in the place of the user.
        "synthetic" | "skill" => {
            log.step(&Draft { is_injected: true, ..of(Kind::Message, WORDS, StepRole::User) });
        }
        "shell" => {
            log.step(&of(Kind::Call, SHELL, StepRole::User));
            if message.get("output").is_some_and(|output| !output.is_null()) {
                log.step(&of(Kind::Result, PRINTED, StepRole::Environment));
            }
        }
        "assistant" => answer(message, log),
        "compaction" => {
            log.step(&of(Kind::State, form::STATE, StepRole::System));
            compact(message, log);
        }
        _ => {
            log.step(&of(Kind::State, form::STATE, StepRole::System));
        }
    }
    let tokens = message.get("tokens").filter(|tokens| tokens.as_object().is_some());
    match tokens.map(|tokens| usage(tokens, message)) {
        // A compaction is no answer.
        Some(usage) if class == Some("compaction") => log.beyond(&usage),
        Some(usage) => log.usage(text(message, "id"), &usage),
        None => {}
    }
}

/// What holds from a message on.
fn surround(message: &Value<'_>, log: &mut Log<'_>) {
    let is_compaction = is_compacted(message);
    let model = message.get("model").filter(|_| text(message, "type") != Some("compaction"));
    let model = model.and_then(|model| model.as_str().or_else(|| text(model, "id")));
    let location = message.get("location");
    let cwd = location.and_then(|location| location.as_str().or_else(|| text(location, "directory")));
    log.surroundings(&Surroundings {
        model: model.map(Cow::Borrowed),
        mode: text(message, "agent").map(Cow::Borrowed),
        cwd: cwd.map(Cow::Borrowed),
        is_compaction,
        ..Surroundings::default()
    });
}

/// An answer of the model: words, reasoning, calls and what came back, in their order.
fn answer(message: &Value<'_>, log: &mut Log<'_>) {
    let time = message.get("time").and_then(|time| time.get("created"));
    let usage: Option<Usage> = message.get("tokens").map(|tokens| usage(tokens, message));
    let mut tokens = usage.and_then(|usage| usage.output);
    let mut has_result = false;
    let before = log.next_step();
    for part in message.get("content").and_then(Value::as_array).into_iter().flatten() {
        let values = [part];
        for (kind, form) in kinds(part) {
            let of_part = part.get("time");
            let is_result = *kind == Kind::Result;
            let keys: &[&str] = if is_result { &["completed", "ran", "created"] } else { &["created"] };
            let at = of_part.and_then(|time| keys.iter().find_map(|key| time.get(key))).or(time);
            let role = if is_result { StepRole::Environment } else { StepRole::Agent };
            let tokens = if *kind == Kind::State { None } else { tokens.take() };
            let class = Some("assistant");
            let step = log.step(&Draft { role, class, time: at, tokens, ..Draft::of(*kind, *form, &values) });
            // Calls of one answer come with their results: the next of them is still of that answer.
            if *kind == Kind::Call && std::mem::take(&mut has_result) {
                log.go_on(step);
            }
            has_result |= is_result;
        }
    }
    let error = message.get("error").filter(|error| !error.is_null());
    if log.next_step() == before || error.is_some() {
        let (values, is_failed) = ([error.unwrap_or(message)], error.is_some());
        let draft = Draft { class: Some("assistant"), time, is_failed, ..Draft::of(Kind::Message, WORDS, &values) };
        log.step(&Draft { role: StepRole::Agent, ..draft });
        // An error of the model's service is no word of the model.
        if is_failed {
            log.aside();
        }
    }
}

/// What a part of an answer gives: steps and how they are read.
fn kinds(part: &Value<'_>) -> &'static [(Kind, Form)] {
    let status = part.get("state").and_then(|state| text(state, "status"));
    match text(part, "type").unwrap_or_default() {
        "text" => &[(Kind::Message, WORDS)],
        "reasoning" => &[(Kind::Thought, form::THOUGHT)],
        "tool" if matches!(status, Some("completed" | "error")) => &[(Kind::Call, CALL), (Kind::Result, RESULT)],
        "tool" => &[(Kind::Call, CALL)],
        _ => &[(Kind::State, form::STATE)],
    }
}

/// Whether a message ends a compaction; early versions say no status.
fn is_compacted(message: &Value<'_>) -> bool {
    text(message, "type") == Some("compaction") && matches!(text(message, "status"), None | Some("completed"))
}

/// What precedes a compaction leaves the context; a summary, and the last messages as a text, take its place.
fn compact(message: &Value<'_>, log: &mut Log<'_>) {
    if is_compacted(message) {
        log.drop_before(log.next_step() - 1);
        let texts = ["summary", "recent"].iter().filter_map(|key| text(message, key));
        log.summarize(&texts.collect::<Vec<_>>().join("\n"));
    }
}

/// What a step shows.
pub(super) fn show<'v>(form: Form, value: &'v Value<'v>) -> Turn<'v> {
    match form {
        WORDS => Turn::of(StepRole::Unknown, words(value)),
        CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
        RESULT => Turn::answer(result(value), files_of(value.get("state").and_then(|state| state.get("content")))),
        SHELL => Turn::of(StepRole::User, vec![TurnPart::Call(shell(value))]),
        _ => Turn::of(StepRole::Environment, vec![TurnPart::Result(printed(value))]),
    }
}

/// A text and its files; an error says what it is about in its message.
fn words<'v>(value: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let text = value.get("text").or_else(|| value.get("message")).map(text_of).unwrap_or_default();
    std::iter::once(TurnPart::Text(text)).chain(files_of(value.get("files"))).collect()
}

/// The files of a list; a list of a result has texts too.
fn files_of<'v>(list: Option<&'v Value<'v>>) -> impl Iterator<Item = TurnPart<'v>> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter(|item| text(item, "type") != Some("text")).map(|file| {
        let given = file.get("data").or_else(|| file.get("uri"));
        let uri = text(file, "uri").filter(|uri| !uri.starts_with("data:"));
        TurnPart::Attachment(Attachment {
            media_type: text(file, "mime").unwrap_or("file").into(),
            location: text(file, "name").or(uri).map(Cow::Borrowed),
            bytes: given.map_or(0, |given| given.text.len() as u64),
        })
    })
}

fn call<'v>(part: &'v Value<'v>) -> ToolCall<'v> {
    let input = part.get("state").and_then(|state| state.get("input"));
    ToolCall {
        id: text(part, "id").map(Cow::Borrowed),
        name: text(part, "name").unwrap_or("?").into(),
        // While it is written the input is a text.
        arguments: input.map_or(Cow::Borrowed("{}"), |input| input.as_str().unwrap_or(input.text).into()),
    }
}

/// What came back: texts, or the words of an error.
fn result<'v>(part: &'v Value<'v>) -> ToolResult<'v> {
    let state = part.get("state");
    let of = |key: &str| state.and_then(|state| state.get(key));
    let details = of("metadata").or_else(|| of("structured"));
    let is_error = of("status").and_then(Value::as_str) == Some("error");
    let texts = of("content").and_then(Value::as_array).into_iter().flatten().filter_map(|item| text(item, "text"));
    let shown = texts.collect::<Vec<_>>().join("\n");
    let error = of("error").map(|error| error.get("message").map_or_else(|| text_of(error), text_of));
    let output = || error.or_else(|| of("output").map(text_of)).unwrap_or_default();
    let number = |value: &Value<'_>| value.as_number()?.parse::<i64>().ok();
    let exit = details.and_then(|details| details.get("exit")).and_then(number);
    let time = |key: &str| part.get("time").and_then(|time| time.get(key)).and_then(number);
    let begin = time("ran").or_else(|| time("created"));
    ToolResult {
        id: text(part, "id").map(Cow::Borrowed),
        name: text(part, "name").map(Cow::Borrowed),
        text: if shown.is_empty() { output() } else { Cow::Owned(shown) },
        // W4: an exit status says more than that it is not 0.
        is_error: if is_error || exit.is_none_or(|exit| exit == 0) { Some(is_error) } else { None },
        exit,
        ms: time("completed").zip(begin).and_then(|(end, start)| u64::try_from(end.saturating_sub(start)).ok()),
        details: details.map(|details| Cow::Borrowed(details.text)),
        ..ToolResult::default()
    }
}

/// A command that the user ran.
fn shell<'v>(message: &'v Value<'v>) -> ToolCall<'v> {
    let command = json::quote(text(message, "command").unwrap_or_default());
    ToolCall { id: id_of(message), name: "bash".into(), arguments: format!("{{\"command\":{command}}}").into() }
}

fn printed<'v>(message: &'v Value<'v>) -> ToolResult<'v> {
    let output = message.get("output");
    let shown = output.map(|output| output.get("output").unwrap_or(output));
    let exit = message.get("exit").or_else(|| output?.get("exit"));
    ToolResult {
        id: id_of(message),
        name: Some("bash".into()),
        text: shown.map(text_of).unwrap_or_default(),
        exit: exit.and_then(|exit| exit.as_number()?.parse().ok()),
        ..ToolResult::default()
    }
}

fn id_of<'v>(message: &'v Value<'v>) -> Option<Cow<'v, str>> {
    ["callID", "shellID", "id"].iter().find_map(|key| text(message, key)).map(Cow::Borrowed)
}
