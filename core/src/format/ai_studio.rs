//! Prompts of Google AI Studio, as it stores them in Drive: one object with the chunks of a chat.

#[cfg(test)]
mod tests;

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, first_text, form, items, show,
    text, text_of, write_slots,
};
use crate::json::{self, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use std::borrow::Cow;

/// Prompts of AI Studio.
pub(super) static AI_STUDIO: Row = Row {
    name: "ai-studio",
    title: "AI Studio prompt",
    about: "Prompts of Google AI Studio: one object with `runSettings`, `systemInstruction` and `chunkedPrompt`, whose \
            `chunks` are messages, thoughts, code and what it printed, files. State: the settings. Tokens of a chunk \
            are what it has, not what the model read for it.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Prompt)),
    samples: &[PROMPT],
    ..Row::BASE
};

/// A prompt with a thought, code and a call.
const PROMPT: &str = r#"{"runSettings":{"temperature":1.0,"model":"models/m","topP":0.95},
    "systemInstruction":{"text":"Be brief."},"chunkedPrompt":{"chunks":[
    {"text":"what is 2 + 3?","role":"user","tokenCount":7},
    {"driveImage":{"id":"f1"},"role":"user","tokenCount":258},
    {"text":"Code does it.","role":"model","isThought":true,"tokenCount":4},
    {"text":"","executableCode":{"code":"print(2 + 3)","language":"PYTHON"},"role":"model","tokenCount":9},
    {"text":"","codeExecutionResult":{"outcome":"OUTCOME_OK","output":"5\n"},"role":"model"},
    {"text":"Five.","role":"model","finishReason":"STOP","tokenCount":2,
        "createTime":"2026-05-01T10:00:05Z"}],"pendingInputs":[{"text":"and","role":"user"}]}}"#;

/// The words and files of a chunk; a thought; code or a call, and what came back.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Reads a prompt.
struct Prompt;

impl Adapter for Prompt {
    fn read(&mut self, prompt: &Value<'_>, log: &mut Log<'_>) {
        let settings = prompt.get("runSettings");
        let model = settings.and_then(|settings| text(settings, "model"));
        let effort = settings.and_then(|settings| text(settings, "thinkingLevel"));
        log.surroundings_ahead(&Surroundings {
            model: model.map(|model| Cow::Borrowed(model.strip_prefix("models/").unwrap_or(model))),
            effort: effort.map(Cow::Borrowed),
            ..Surroundings::default()
        });
        let names: Vec<&str> = settings
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|all| all.entries())
            .map(|(name, _)| name)
            .collect();
        if let Some(settings) = settings {
            write_slots(log, "settings", "main", settings, &names);
        }
        if let Some(instruction) = prompt.get("systemInstruction").filter(|value| !words(value).is_empty()) {
            let values = [instruction];
            let draft = Draft::of(Kind::Message, WORDS, &values);
            log.step(&Draft { role: StepRole::System, class: Some("systemInstruction"), ..draft });
        }
        let chunks = prompt.get("chunkedPrompt").map_or(&[][..], |chunked| items(chunked, "chunks"));
        chunks.iter().for_each(|chunk| add_chunk(chunk, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, words(value)),
            THOUGHT => {
                let texts = words(value).into_iter().map(|part| part.text().to_owned());
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(texts.collect::<Vec<_>>().join("\n").into())])
            }
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::answer(result(value), std::iter::empty()),
            _ => show(form, values),
        }
    }
}

fn add_chunk(chunk: &Value<'_>, log: &mut Log<'_>) {
    let role = match text(chunk, "role") {
        Some("user") => StepRole::User,
        Some("model" | "assistant") => StepRole::Agent,
        _ => StepRole::Unknown,
    };
    let is_thought = chunk.get("isThought").and_then(Value::as_bool) == Some(true);
    let (begin, time) = (log.next_step(), first(chunk, &["createTime"]));
    let tokens = count(chunk, "tokenCount").filter(|_| role == StepRole::Agent);
    let calls = ["executableCode", "functionCall"].iter().filter_map(|key| first(chunk, &[key]));
    let results = ["codeExecutionResult", "functionResponse"].iter().filter_map(|key| first(chunk, &[key]));
    let spoken = if is_thought { (Kind::Thought, THOUGHT, chunk) } else { (Kind::Message, WORDS, chunk) };
    let steps = Some(spoken).filter(|_| !words(chunk).is_empty()).into_iter();
    let steps = steps.chain(calls.map(|value| (Kind::Call, CALL, value)));
    for (kind, form, value) in steps.chain(results.map(|value| (Kind::Result, RESULT, value))) {
        let values = [value];
        let role = if kind == Kind::Result { StepRole::Environment } else { role };
        let tokens = tokens.filter(|_| log.next_step() == begin);
        log.step(&Draft { role, class: Some("chunk"), time, tokens, ..Draft::of(kind, form, &values) });
    }
    if let Some(error) = first(chunk, &["errorMessage"]) {
        let values = [error];
        let draft = Draft { is_failed: true, ..Draft::of(Kind::State, form::MESSAGE, &values) };
        log.step(&Draft { role: StepRole::System, class: Some("errorMessage"), time, ..draft });
    }
    if log.next_step() == begin {
        let values = [chunk];
        log.step(&Draft { role, class: Some("chunk"), time, ..Draft::of(Kind::State, form::STATE, &values) });
    }
    if let Some(output) = tokens {
        log.usage(None, &Usage { output: Some(output), ..Usage::default() });
    }
}

/// The text of a chunk, or of its parts, and its files.
fn words<'v>(chunk: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let of_text = |words: &'v str| (!words.is_empty()).then_some(TurnPart::Text(Cow::Borrowed(words)));
    let whole = text(chunk, "text").and_then(of_text);
    let of_parts = items(chunk, "parts").iter().filter_map(|part| text(part, "text").and_then(of_text));
    let has_text = whole.is_some();
    let texts = whole.into_iter().chain(of_parts.filter(|_| !has_text));
    let files = ["driveImage", "driveDocument", "driveVideo", "driveAudio", "youtubeVideo", "inlineFile", "inlineData"];
    let files = files.iter().filter_map(|name| Some((*name, chunk.get(name)?)));
    texts.chain(files.map(|(name, file)| TurnPart::Attachment(attachment(name, file)))).collect()
}

fn attachment<'v>(name: &'static str, file: &'v Value<'v>) -> Attachment<'v> {
    Attachment {
        media_type: first_text(file, &["mimeType"]).map_or(Cow::Borrowed(name), Cow::Borrowed),
        location: first_text(file, &["id", "uri"]).map(Cow::Borrowed),
        bytes: text(file, "data").map_or(0, |data| data.len() as u64),
    }
}

/// Code that the service runs, or a call of a function.
fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    if let Some(code) = text(value, "code") {
        let language = text(value, "language").unwrap_or("python").to_lowercase();
        return ToolCall { id: None, name: format!("code:{language}").into(), arguments: json::quote(code).into() };
    }
    let arguments = first(value, &["args", "parameters", "arguments"]);
    ToolCall {
        id: text(value, "id").map(Cow::Borrowed),
        name: Cow::Borrowed(text(value, "name").unwrap_or("?")),
        arguments: arguments.map_or(Cow::Borrowed("{}"), |given| Cow::Borrowed(given.text)),
    }
}

fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let outcome = text(value, "outcome").map(|outcome| !outcome.ends_with("OK"));
    ToolResult {
        id: text(value, "id").map(Cow::Borrowed),
        name: text(value, "name").map(Cow::Borrowed),
        text: first(value, &["output", "response"]).map(text_of).unwrap_or_default(),
        is_error: outcome,
        ..ToolResult::default()
    }
}
