//! Sessions of Continue: one object with the history of a chat in the editor or the terminal.

#[cfg(test)]
mod tests;

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, call, first, first_text, form, items,
    model_usage, role_of, show, text, text_of, write_slots, write_title,
};
use crate::json::{Data, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Sessions of Continue.
pub(super) static CONTINUE: Row = Row {
    name: "continue",
    agent: Some("continue"),
    title: "Continue session",
    about: "Sessions of Continue (`~/.continue/sessions/ID.json`), of its extensions and of `cn`: one object with \
            `sessionId` and `history`, whose items have a `message`, what was attached (`contextItems`) and how calls \
            went (`toolCallStates`). State: the session; files, shell and usage by the rules for tool-using runs. \
            Messages have no times.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Session)),
    samples: &[SESSION],
    ..Row::BASE
};

/// A session with a call that the user refused.
const SESSION: &str = r#"{"sessionId":"s1","title":"List it","workspaceDirectory":"file:///w","mode":"agent",
    "chatModelTitle":"M 1","history":[
    {"message":{"role":"user","content":[{"type":"text","text":"list it"},
        {"type":"imageUrl","imageUrl":{"url":"data:image/png;base64,AAAA"}}]},
     "contextItems":[{"id":{"providerTitle":"file","itemId":"a"},"name":"a.md","description":"a.md",
        "content":"the plan"}]},
    {"message":{"role":"assistant","content":"I look.","toolCalls":[{"id":"c1","type":"function","function":{
        "name":"run_terminal_command","arguments":"{\"command\":\"ls\"}"}}],
        "usage":{"promptTokens":20,"completionTokens":7}},
     "contextItems":[],"reasoning":{"active":false,"text":"ls will do","startAt":1777629600000,
        "endAt":1777629601000},
     "toolCallStates":[{"toolCallId":"c1","toolCall":{"id":"c1","type":"function","function":{
        "name":"run_terminal_command","arguments":"{\"command\":\"ls\"}"}},"status":"canceled",
        "parsedArgs":{"command":"ls"},"output":[{"name":"Terminal","description":"","content":"refused"}]}]},
    {"message":{"role":"assistant","content":"As you like."},"contextItems":[],
     "conversationSummary":"The user refused to list."}],
    "usage":{"promptTokens":20,"completionTokens":7,"totalCost":0.25}}"#;

/// The words of a message, and what was attached to it.
const WORDS: Form = FIRST_ADAPTER_FORM;
/// What came back: a message, or nothing but how the call went, which else follows it.
const RESULT: Form = FIRST_ADAPTER_FORM + 1;
/// What takes the place of the messages before.
const SUMMARY: Form = FIRST_ADAPTER_FORM + 2;

/// Members of a session that are its state.
const SLOTS: [&str; 6] = ["sessionId", "title", "workspaceDirectory", "mode", "chatModelTitle", "dateCreated"];

/// Reads a session.
struct Session;

impl Adapter for Session {
    fn read(&mut self, session: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, session, &["title", "sessionId"]);
        let folder = text(session, "workspaceDirectory").filter(|folder| !folder.is_empty());
        let of = |key: &str| text(session, key).filter(|word| !word.is_empty()).map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings {
            cwd: folder.map(|folder| Cow::Borrowed(folder.strip_prefix("file://").unwrap_or(folder))),
            mode: of("mode"),
            model: of("chatModelTitle"),
            ..Surroundings::default()
        });
        write_slots(log, "session", "main", session, &SLOTS);
        let history = items(session, "history");
        let has_usage = |item: &Value<'_>| item.get("message").is_some_and(|message| message.get("usage").is_some());
        let calls = Calls::of(history);
        if let Some(usage) = session.get("usage") {
            // What messages do not report.
            let cost = first(usage, &["totalCost"]).and_then(Value::as_number).and_then(|cost| cost.parse().ok());
            let tokens = if history.iter().any(has_usage) { Usage::default() } else { model_usage(usage) };
            log.beyond(&Usage { cost, ..tokens });
        }
        history.iter().for_each(|item| add_item(item, &calls, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, values.iter().flat_map(|value| words(value)).collect()),
            RESULT => Turn::answer(result(value, values.get(1).copied()), std::iter::empty()),
            SUMMARY => Turn::of(StepRole::System, vec![TurnPart::Text(text_of(value))]),
            _ => show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Continue
    }
}

/// The calls of a session by their ids.
struct Calls<'v, 'a> {
    /// Those with a message of their result.
    answered: HashSet<&'v str>,
    /// How they went.
    states: HashMap<&'v str, &'v Value<'a>>,
}

impl<'v, 'a> Calls<'v, 'a> {
    fn of(history: &'v [Value<'a>]) -> Self {
        let states = history.iter().flat_map(states_of);
        Self {
            answered: history.iter().filter_map(|item| text(item.get("message")?, "toolCallId")).collect(),
            states: states.filter_map(|state| Some((text(state, "toolCallId")?, state))).collect(),
        }
    }
}

/// How the calls of an item went.
fn states_of<'v, 'a>(item: &'v Value<'a>) -> impl Iterator<Item = &'v Value<'a>> {
    items(item, "toolCallStates").iter().chain(first(item, &["toolCallState"]))
}

/// A message, what was thought before it, and what came of its calls.
fn add_item<'v, 'a>(item: &'v Value<'a>, calls: &Calls<'v, 'a>, log: &mut Log<'_>) {
    let Some(message) = item.get("message") else { return add_note(item, log) };
    let role = text(message, "role").unwrap_or_default();
    let speaker = if role == "thinking" { StepRole::Agent } else { role_of(role) };
    let mut models = items(item, "promptLogs").iter().filter_map(|prompt| text(prompt, "modelTitle"));
    let model = models.next_back().map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    if let Some(reasoning) = item.get("reasoning").filter(|value| text(value, "text").is_some_and(|t| !t.is_empty())) {
        let (values, time) = ([reasoning], first(reasoning, &["startAt"]));
        log.step(&Draft { role: speaker, time, ..Draft::of(Kind::Thought, form::THOUGHT, &values) });
    }
    let begin = log.next_step();
    if matches!(role, "tool" | "function") {
        let state = text(message, "toolCallId").and_then(|id| calls.states.get(id)).copied();
        let values: Vec<&Value<'_>> = std::iter::once(message).chain(state).collect();
        let draft = Draft::of(Kind::Result, RESULT, &values);
        log.step(&Draft { role: StepRole::Environment, class: Some("tool"), ..draft });
        return;
    }
    let values: Vec<&Value<'_>> = std::iter::once(message).chain(items(item, "contextItems")).collect();
    let has_words = values.iter().any(|value| !words(value).is_empty());
    let class = Some(role).filter(|role| !role.is_empty());
    let (kind, form) = if role == "thinking" { (Kind::Thought, form::THOUGHT) } else { (Kind::Message, WORDS) };
    if has_words {
        let shown = if kind == Kind::Thought { &values[..1] } else { &values[..] };
        log.step(&Draft { role: speaker, class, ..Draft::of(kind, form, shown) });
    }
    let listed = items(message, "toolCalls").iter();
    for value in listed.chain(states_of(item).filter_map(|state| unlisted(state, message))) {
        log.step(&Draft { role: StepRole::Agent, class, ..Draft::of(Kind::Call, form::CALL, &[value]) });
    }
    if log.next_step() == begin {
        log.step(&Draft { role: speaker, class, ..Draft::of(Kind::Message, WORDS, &[message]) });
    }
    for state in states_of(item).filter(|state| is_over(state)) {
        if !text(state, "toolCallId").is_some_and(|id| calls.answered.contains(id)) {
            let values = [state];
            let draft = Draft::of(Kind::Result, RESULT, &values);
            log.step(&Draft { role: StepRole::Environment, class: Some("toolCallState"), ..draft });
        }
    }
    if speaker == StepRole::Agent && role != "thinking" {
        log.usage(None, &message.get("usage").map(model_usage).unwrap_or_default());
    }
    summarize(item, log);
}

/// Whether a call came to an end.
fn is_over(state: &Value<'_>) -> bool {
    matches!(text(state, "status"), Some("done" | "errored" | "canceled"))
}

/// The call of a state that its message does not list: sessions had one call of an answer at first.
fn unlisted<'v, 'a>(state: &'v Value<'a>, message: &Value<'_>) -> Option<&'v Value<'a>> {
    state.get("toolCall").filter(|_| items(message, "toolCalls").is_empty())
}

/// From an item with a summary on, the model sees this in the place of what is before.
fn summarize(item: &Value<'_>, log: &mut Log<'_>) {
    let is_text = |summary: &&Value<'_>| summary.as_str().is_some_and(|text| !text.is_empty());
    let Some(summary) = item.get("conversationSummary").filter(is_text) else { return };
    log.surroundings(&Surroundings { is_compaction: true, ..Surroundings::default() });
    let values = [summary];
    let draft = Draft::of(Kind::State, SUMMARY, &values);
    let step = log.step(&Draft { role: StepRole::System, class: Some("conversationSummary"), ..draft });
    log.drop_before(step);
    log.summarize(summary.as_str().unwrap_or_default());
}

fn add_note(item: &Value<'_>, log: &mut Log<'_>) {
    let values = [item];
    let draft = Draft::of(Kind::State, form::STATE, &values);
    log.step(&Draft { role: StepRole::System, class: Some("item"), ..draft });
}

/// The words and pictures of a message, or what was attached.
fn words<'v>(value: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let Some(content) = first(value, &["content"]) else { return Vec::new() };
    let text_part = |words: &'v str| (!words.is_empty()).then_some(TurnPart::Text(Cow::Borrowed(words)));
    match &content.data {
        Data::String(words) => text_part(words).into_iter().collect(),
        Data::Array(parts) => {
            let of = |part: &'v Value<'v>| match part.get("imageUrl").and_then(|image| text(image, "url")) {
                Some(url) => Some(picture(url)),
                None => first_text(part, &["text"]).and_then(text_part),
            };
            parts.iter().filter_map(of).collect()
        }
        _ => Vec::new(),
    }
}

fn picture(url: &str) -> TurnPart<'_> {
    let data = url.strip_prefix("data:");
    let media_type = data.and_then(|data| data.split([';', ',']).next()).unwrap_or("image");
    TurnPart::Attachment(Attachment {
        media_type: Cow::Borrowed(media_type),
        location: data.is_none().then_some(Cow::Borrowed(url)),
        bytes: data.map_or(0, |data| data.len() as u64),
    })
}

/// What came back from a call, as a message or as the state of the call.
fn result<'v>(value: &'v Value<'v>, state: Option<&'v Value<'v>>) -> ToolResult<'v> {
    let state = state.unwrap_or(value);
    let status = Some(state).filter(|state| is_over(state)).and_then(|state| text(state, "status"));
    let called = state.get("toolCall").map(call);
    let output: Vec<&str> = items(value, "output").iter().filter_map(|item| text(item, "content")).collect();
    let words = match output[..] {
        [] => first(value, &["content"]).map(text_of).unwrap_or_default(),
        [only] => Cow::Borrowed(only),
        _ => Cow::Owned(output.join("\n\n")),
    };
    ToolResult {
        id: text(value, "toolCallId").map(Cow::Borrowed),
        name: called.map(|called| called.name),
        text: words,
        is_error: status.map(|status| status != "done"),
        ..ToolResult::default()
    }
}
