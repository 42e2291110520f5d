//! A session as a trajectory: the parts of its events are steps, their actions change the state.

use crate::format::log::{Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, form, result, show, text_of};
use crate::json::{self, Value};
use crate::model::{Attachment, Severity, StepRole, ToolResult, Turn, TurnPart, Usage};
use crate::state::Op;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Reads one session.
pub(super) struct Session;

/// The texts and files of an event's content.
const CONTENT: Form = FIRST_ADAPTER_FORM;

/// The scopes of state that a key begins with; others are of the session.
const SCOPES: [&str; 3] = ["app", "user", "temp"];

impl Adapter for Session {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let state = either(record, "state", "state").or_else(|| record.get("context"));
        // The name that `adk web` shows is the first words of the user: beside these, the id says which session it is.
        if let Some(id) = record.get("id").and_then(Value::as_str) {
            log.title(id);
        }
        for (slot, camel) in [("app_name", "appName"), ("user_id", "userId"), ("id", "id")] {
            if let Some(value) = either(record, slot, camel) {
                log.write("session", "main", &[slot], Op::Update, value);
            }
        }
        let events = record.get("events").and_then(Value::as_array).unwrap_or_default();
        let written: HashSet<&str> = events.iter().flat_map(deltas).map(|(key, _)| key).collect();
        // What no event sets was there from the beginning.
        for (key, value) in members(state).filter(|(key, _)| !written.contains(key)) {
            set(key, value, log);
        }
        // Other sessions of the app, or of the user, may have set these before.
        for (scope, shared) in ["app", "user"].into_iter().zip(["app_state", "user_state"]) {
            let is_new = |key: &str| !written.contains(format!("{scope}:{key}").as_str());
            for (key, value) in members(record.get(shared)).filter(|(key, _)| is_new(key)) {
                log.write("state", scope, &[key], Op::Update, value);
            }
        }
        let mut last = HashMap::new();
        for (event, is_superseded) in events.iter().zip(superseded(events)) {
            if !is_superseded {
                add_steps(event, log);
                last.extend(deltas(event));
            }
        }
        let other = members(state).find(|(key, value)| last.get(key).is_some_and(|l| !json::same(l, value)));
        // What is of the session alone is in its state.
        let is_lost = |(key, value): &(&&str, &&Value<'_>)| {
            let is_scoped =
                SCOPES.iter().any(|scope| key.strip_prefix(scope).is_some_and(|rest| rest.starts_with(':')));
            !is_scoped && !value.is_null() && state.is_some_and(|state| state.get(key).is_none())
        };
        let lost = || last.iter().filter(is_lost).map(|(key, _)| *key).min();
        if let Some(key) = other.map(|(key, _)| key).or_else(lost) {
            let message = format!("the state of the session differs at `{key}` from what its events set");
            log.finding(None, "log.replay-differs", Severity::Warning, message);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (CONTENT, Some(content)) => {
                let messages = parts(content).iter().filter(|part| kind_of(part) == Some(Kind::Message));
                Turn::of(StepRole::Unknown, messages.map(content_part).collect())
            }
            (form::RESULT, Some(response)) => Turn::of(StepRole::Environment, vec![TurnPart::Result(answer(response))]),
            _ => show(form, values),
        }
    }
}

/// A member in either spelling.
pub(super) fn either<'v>(value: &'v Value<'v>, snake: &str, camel: &str) -> Option<&'v Value<'v>> {
    value.get(snake).or_else(|| value.get(camel)).filter(|found| !found.is_null())
}

fn members<'v>(value: Option<&'v Value<'v>>) -> impl Iterator<Item = (&'v str, &'v Value<'v>)> {
    value.and_then(Value::as_object).into_iter().flat_map(|object| object.entries())
}

fn parts<'v>(content: &'v Value<'v>) -> &'v [Value<'v>] {
    content.get("parts").and_then(Value::as_array).unwrap_or_default()
}

/// What a part of a content is; None: nothing.
fn kind_of(part: &Value<'_>) -> Option<Kind> {
    let text = part.get("text").and_then(Value::as_str);
    if either(part, "function_call", "functionCall").is_some() {
        return Some(Kind::Call);
    }
    if either(part, "function_response", "functionResponse").is_some() {
        return Some(Kind::Result);
    }
    if part.get("thought").and_then(Value::as_bool) == Some(true) {
        return text.filter(|text| !text.is_empty()).map(|_| Kind::Thought);
    }
    let others = ["inline_data", "inlineData", "file_data", "fileData", "executable_code", "executableCode"];
    let is_other =
        others.iter().chain(&["code_execution_result", "codeExecutionResult"]).any(|k| part.get(k).is_some());
    (is_other || text.is_some_and(|text| !text.is_empty())).then_some(Kind::Message)
}

/// Of each event whether it is a piece of a full one that follows, of the same author and invocation. Those of agents
/// that run side by side come mixed; a stream that was cut has no full one.
fn superseded<'v>(events: &'v [Value<'v>]) -> Vec<bool> {
    let who = |event: &'v Value<'v>| {
        let of = |key: &str, camel: &str| either(event, key, camel).and_then(Value::as_str);
        (of("author", "author"), of("invocation_id", "invocationId"))
    };
    let (mut full, mut out) = (HashSet::new(), vec![false; events.len()]);
    for (event, is_superseded) in events.iter().zip(&mut out).rev() {
        if event.get("partial").and_then(Value::as_bool) == Some(true) {
            *is_superseded = full.contains(&who(event));
        } else {
            full.insert(who(event));
        }
    }
    out
}

/// The steps of an event, and what it changes.
pub(super) fn add_steps(event: &Value<'_>, log: &mut Log<'_>) {
    let author = event.get("author").and_then(Value::as_str);
    let role = if author == Some("user") { StepRole::User } else { StepRole::Agent };
    let author = node(event, author).or(author);
    let usage = either(event, "usage_metadata", "usageMetadata").map(usage);
    let mut tokens = usage.as_ref().and_then(|usage| usage.output);
    // Agents that agents start: `root.helper`.
    let branch = event.get("branch").and_then(Value::as_str);
    log.enter_depth(branch.map_or(0, |branch| branch.matches('.').count()));
    let before = log.next_step();
    let mut has_message = false;
    let content = event.get("content");
    for part in content.map(parts).unwrap_or_default() {
        let (kind, form, value) = match (kind_of(part), content) {
            (Some(Kind::Call), _) => (Kind::Call, form::CALL, either(part, "function_call", "functionCall")),
            (Some(Kind::Result), _) => {
                (Kind::Result, form::RESULT, either(part, "function_response", "functionResponse"))
            }
            (Some(Kind::Thought), _) => (Kind::Thought, form::THOUGHT, Some(part)),
            (Some(_), content) if !std::mem::replace(&mut has_message, true) => (Kind::Message, CONTENT, content),
            _ => continue,
        };
        let Some(value) = value else { continue };
        let role = if kind == Kind::Result { StepRole::Environment } else { role };
        let values = [value];
        let time = event.get("timestamp");
        log.step(&Draft { role, class: author, time, tokens: tokens.take(), ..Draft::of(kind, form, &values) });
    }
    if log.next_step() == before {
        let values = [event];
        let time = event.get("timestamp");
        let is_failed = either(event, "error_code", "errorCode").is_some();
        log.step(&Draft { role, class: author, time, is_failed, ..Draft::of(Kind::State, form::STATE, &values) });
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
    act(event, log);
}

/// The node of a workflow that an event is of: the author is the workflow, and the node is in the path alone, behind it
/// (`flow@1/ask@1`).
fn node<'v>(event: &'v Value<'v>, author: Option<&str>) -> Option<&'v str> {
    let path = either(event, "node_info", "nodeInfo")?.get("path")?.as_str()?;
    let mut names = path.split('/').map(|part| part.split_once('@').map_or(part, |(name, _)| name));
    let last = names.next_back().filter(|last| !last.is_empty())?;
    (author != Some(last) && names.any(|name| Some(name) == author)).then_some(last)
}

/// What an event sets in the state; in the oldest logs as an option.
fn deltas<'v>(event: &'v Value<'v>) -> impl Iterator<Item = (&'v str, &'v Value<'v>)> {
    let delta = event.get("actions").and_then(|actions| either(actions, "state_delta", "stateDelta"));
    members(delta.or_else(|| event.get("options")?.get("update_context")))
}

fn act(event: &Value<'_>, log: &mut Log<'_>) {
    if let Some(code) = either(event, "error_code", "errorCode") {
        log.write("session", "main", &["error_code"], Op::Update, code);
    }
    for (key, value) in deltas(event) {
        set(key, value, log);
    }
    let Some(actions) = event.get("actions") else { return };
    if actions.get("unreadable").and_then(Value::as_bool) == Some(true) {
        let message = "the actions of the event cannot be read: what it set is not known";
        log.finding(Some(log.next_step() - 1), "run.part-missing", Severity::Warning, message);
    }
    for (name, version) in members(either(actions, "artifact_delta", "artifactDelta")) {
        log.write("artifact", name, &["version"], Op::Update, version);
    }
    let slots = [
        ("transfer_to_agent", "transferToAgent"),
        ("escalate", "escalate"),
        ("compaction", "compaction"),
        ("rewind_before_invocation_id", "rewindBeforeInvocationId"),
    ];
    for (slot, camel) in slots {
        if let Some(value) = either(actions, slot, camel) {
            log.write("session", "main", &[slot], Op::Update, value);
        }
    }
}

/// Sets a key of the state, in its scope. `null` is a value.
fn set(key: &str, value: &Value<'_>, log: &mut Log<'_>) {
    let scoped = key.split_once(':').filter(|(scope, _)| SCOPES.contains(scope));
    let (scope, slot) = scoped.unwrap_or(("session", key));
    log.write("state", scope, &[slot], Op::Update, value);
}

fn usage(value: &Value<'_>) -> Usage {
    let count = |snake: &str, camel: &str| either(value, snake, camel)?.as_number()?.parse::<u64>().ok();
    let cached = count("cached_content_token_count", "cachedContentTokenCount");
    let answer_tokens = count("candidates_token_count", "candidatesTokenCount");
    let thought = count("thoughts_token_count", "thoughtsTokenCount");
    let read = count("prompt_token_count", "promptTokenCount");
    // What tools of the model's side put into the prompt is counted beside it.
    let of_tools = count("tool_use_prompt_token_count", "toolUsePromptTokenCount").unwrap_or(0);
    Usage {
        input: read.map(|read| read.saturating_sub(cached.unwrap_or(0)).saturating_add(of_tools)),
        output: answer_tokens.or(thought).map(|_| answer_tokens.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
        cache_read: cached,
        ..Usage::default()
    }
}

/// A text, a file, or code of a content.
fn content_part<'v>(part: &'v Value<'v>) -> TurnPart<'v> {
    if let Some(text) = part.get("text").and_then(Value::as_str) {
        return TurnPart::Text(Cow::Borrowed(text));
    }
    let file = either(part, "inline_data", "inlineData").or_else(|| either(part, "file_data", "fileData"));
    let Some(file) = file else {
        let code = either(part, "executable_code", "executableCode").and_then(|code| code.get("code"));
        let output = either(part, "code_execution_result", "codeExecutionResult").and_then(|r| r.get("output"));
        return TurnPart::Text(code.or(output).map_or_else(|| Cow::Borrowed(part.text), text_of));
    };
    let text = |snake: &str, camel: &str| either(file, snake, camel).and_then(Value::as_str);
    TurnPart::Attachment(Attachment {
        media_type: text("mime_type", "mimeType").unwrap_or("file").into(),
        location: text("file_uri", "fileUri").map(Cow::Borrowed),
        bytes: file.text.len() as u64,
    })
}

/// What came back from a tool: a text alone is that text, and an error says so.
fn answer<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let response = value.get("response");
    let only = response.and_then(Value::as_object).filter(|object| object.len() == 1);
    let text = only.and_then(|object| ["result", "output"].iter().find_map(|key| object.get(key)));
    let has_error = response.is_some_and(|response| {
        let status = response.get("status").and_then(Value::as_str);
        response.get("error").is_some_and(|error| !error.is_null()) || status == Some("error")
    });
    let outcome = result(value);
    ToolResult {
        text: text.or(response).map(text_of).unwrap_or_default(),
        is_error: has_error.then_some(true).or(outcome.is_error),
        ..outcome
    }
}
