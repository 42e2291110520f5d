//! Sessions of GitHub Copilot Chat in VS Code: what the user asked, and what the editor shows of each response.

mod order;
mod response;
#[cfg(test)]
mod tests;

use super::Framing;
use super::log::{
    Adapter, Arrange, Draft, Earlier, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, form, items,
    text, write_slots,
};
use crate::json::Value;
use crate::model::{StepNo, StepRole, Surroundings, Turn, TurnPart, Usage};
use response::words_of;
use std::borrow::Cow;

/// Sessions of Copilot Chat.
pub(super) static COPILOT_CHAT: Row = Row {
    name: "copilot-chat",
    agent: Some("copilot-chat"),
    title: "Copilot Chat session",
    about: "Chats of GitHub Copilot in VS Code, below `workspaceStorage/ID/chatSessions`, and what `Chat: Export \
            Chat` writes: one object with `requests`, or a journal of it, JSON Lines that set and add to its members. \
            Where a request has the rounds with the model (`toolCallRounds`), these are the steps: thoughts, messages, \
            calls with their arguments, results. Else the steps are what the editor shows of the response, in which \
            most calls have no arguments. State: the session; files, shell and usage by the rules for tool-using runs.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Chat::default())),
    samples: &[SESSION, JOURNAL],
    ..Row::BASE
};

/// A session with the rounds of its request.
const SESSION: &str = r#"{"version":3,"responderUsername":"GitHub Copilot","sessionId":"s1","customTitle":"Greeting",
    "requests":[{"requestId":"r1","timestamp":1777629600000,"modelId":"copilot/m",
    "message":{"text":"say hi","parts":[]},
    "response":[{"value":"I edit "},{"kind":"inlineReference","inlineReference":{"fsPath":"/w/a.txt"}},
        {"kind":"toolInvocationSerialized","toolCallId":"x","toolId":"copilot_replaceString","isComplete":true}],
    "result":{"timings":{"totalElapsed":9},"metadata":{"promptTokens":20,"outputTokens":7,"toolCallRounds":[
        {"id":"1","thinking":{"text":"one line"},"response":"I edit a.txt","toolCalls":[{"id":"c1",
            "name":"replace_string_in_file",
            "arguments":"{\"filePath\":\"/w/a.txt\",\"oldString\":\"hello\",\"newString\":\"hi\"}"}]},
        {"id":"2","response":"Done.","toolCalls":[]}],
        "toolCallResults":{"c1":{"content":[{"value":{"node":{"type":1,"children":[
            {"type":2,"text":"The following files were successfully edited:"},
            {"type":2,"text":"/w/a.txt","lineBreakBefore":true}]}}}]}}}}}]}"#;

/// A journal of a request that has no rounds yet; its last part is written again.
const JOURNAL: &str = concat!(
    r#"{"kind":0,"v":{"version":3,"sessionId":"s2","creationDate":1777629600000,"requests":[]}}"#,
    "\n",
    r#"{"kind":2,"k":["requests"],"v":[{"requestId":"r1","timestamp":1777629600000,"modelId":"copilot/m","#,
    r#""message":{"text":"run the tests"},"response":[]}]}"#,
    "\n",
    r#"{"kind":2,"k":["requests",0,"response"],"v":[{"kind":"thinking","value":"make will do"},"#,
    r#"{"kind":"toolInvocationSerialized","toolId":"run_in_terminal","toolCallId":"c1","isComplete":true,"#,
    r#""toolSpecificData":{"kind":"terminal","commandLine":{"original":"make test"},"#,
    r#""terminalCommandOutput":{"text":"1 failed"},"terminalCommandState":{"exitCode":2}}},{"value":"On"}]}"#,
    "\n",
    r#"{"kind":2,"k":["requests",0,"response"],"i":2,"v":[{"value":"One test of "}]}"#,
    "\n",
    r#"{"kind":2,"k":["requests",0,"response"],"v":[{"kind":"inlineReference","name":"a.rs","inlineReference":{}},"#,
    r#"{"value":" fails."}]}"#,
    "\n",
    r#"{"kind":1,"k":["customTitle"],"v":"Tests"}"#,
    "\n",
    r#"{"kind":1,"k":["requests",0,"result"],"v":{"timings":{"totalElapsed":9}}}"#,
    "\n",
);

/// What the user asked, and what was attached.
const QUESTION: Form = FIRST_ADAPTER_FORM;
/// Parts of one message.
const WORDS: Form = FIRST_ADAPTER_FORM + 1;
/// A thought.
const THINKING: Form = FIRST_ADAPTER_FORM + 2;
/// A call as the editor shows it, and the same as its result.
const CALL: Form = FIRST_ADAPTER_FORM + 3;
const RESULT: Form = FIRST_ADAPTER_FORM + 4;
/// What a tool of a round gave back, and its call.
const ROUND_RESULT: Form = FIRST_ADAPTER_FORM + 5;
/// What else the editor shows.
const NOTE: Form = FIRST_ADAPTER_FORM + 6;

/// Most parts of one message: each that is added reads all before it.
const WORDS_MAX: usize = 100;

/// Parts that say nothing to anybody.
const SILENT: [&str; 7] = [
    "codeblockUri",
    "mcpServersStarting",
    "prepareToolInvocation",
    "progressMessage",
    "references",
    "undoStop",
    "codeCitations",
];

/// Reads the session, its requests, the parts and results of these.
#[derive(Default)]
struct Chat {
    /// The message to which further parts belong.
    words: Option<(StepNo, Vec<Earlier>)>,
}

/// Whether the result of a request has what the model said and did.
fn has_rounds(result: &Value<'_>) -> bool {
    let is_round = |round: &Value<'_>| {
        !items(round, "toolCalls").is_empty() || text(round, "response").is_some_and(|words| !words.is_empty())
    };
    result.get("metadata").is_some_and(|data| items(data, "toolCallRounds").iter().any(is_round))
}

impl Adapter for Chat {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(order::Order::default()))
    }

    fn read(&mut self, value: &Value<'_>, log: &mut Log<'_>) {
        let is_part = value.get("kind").is_some() || value.get("value").is_some();
        match () {
            () if value.get("k").is_some() => text(value, "v").into_iter().for_each(|title| log.title(title)),
            () if value.get("requests").is_some() => session(value, log),
            () if value.get("message").is_some() && value.get("kind").is_none() => self.ask(value, log),
            () if is_part => self.add_part(value, log),
            () => self.end(value, log),
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            QUESTION => {
                let words = TurnPart::Text(first(value, &["text", "parts"]).map_or_else(|| words_of(value), words_of));
                let variables = values.get(1).map_or(&[][..], |data| items(data, "variables"));
                let files = variables.iter().filter_map(response::attachment);
                Turn::of(StepRole::User, std::iter::once(words).chain(files).collect())
            }
            WORDS => {
                let words: String = values.iter().filter_map(|part| response::words_of_part(part)).collect();
                Turn::of(StepRole::Agent, vec![TurnPart::Text(words.into())])
            }
            THINKING => Turn::of(StepRole::Agent, vec![TurnPart::Thought(words_of(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(response::call(value))]),
            RESULT => Turn::answer(response::result(value), std::iter::empty()),
            ROUND_RESULT => match values.get(1) {
                Some(call) => Turn::answer(response::round_result(value, call), std::iter::empty()),
                None => Turn::default(),
            },
            NOTE => {
                let words = response::note(value).unwrap_or_default();
                Turn::of(StepRole::System, vec![TurnPart::Text(words)])
            }
            _ => super::log::show(form, values),
        }
    }
}

fn session(session: &Value<'_>, log: &mut Log<'_>) {
    if let Some(title) = text(session, "customTitle").or_else(|| text(session, "sessionId")).filter(|t| !t.is_empty()) {
        log.title(title);
    }
    let cwd = text(session, "workingDirectory").map(Cow::Borrowed);
    log.surroundings_ahead(&Surroundings { cwd, ..Surroundings::default() });
    let slots =
        ["sessionId", "customTitle", "creationDate", "initialLocation", "requesterUsername", "responderUsername"];
    write_slots(log, "session", "main", session, &slots);
}

impl Chat {
    fn ask(&mut self, request: &Value<'_>, log: &mut Log<'_>) {
        self.words = None;
        let Some(message) = request.get("message") else { return };
        let mode = request.get("modeInfo").and_then(|mode| text(mode, "kind"));
        let mode = mode.or_else(|| request.get("agent").and_then(|agent| text(agent, "name")));
        let model = text(request, "modelId").map(Cow::Borrowed);
        log.surroundings(&Surroundings { model, mode: mode.map(Cow::Borrowed), ..Surroundings::default() });
        let variables = request.get("variableData").filter(|data| data.as_object().is_some());
        let values: Vec<&Value<'_>> = std::iter::once(message).chain(variables).collect();
        let is_injected = request.get("isSystemInitiated").and_then(Value::as_bool) == Some(true);
        let draft = Draft::of(Kind::Message, QUESTION, &values);
        let time = request.get("timestamp");
        log.step(&Draft { role: StepRole::User, class: Some("request"), time, is_injected, ..draft });
    }

    fn add_part(&mut self, part: &Value<'_>, log: &mut Log<'_>) {
        let kind = text(part, "kind");
        if kind.is_some_and(|kind| SILENT.contains(&kind)) {
            return;
        }
        if let Some(words) = response::words_of_part(part) {
            return self.add_words(part, &words, log);
        }
        self.words = None;
        let values = [part];
        let class = kind.or(Some("part"));
        if response::is_call(part) {
            log.step(&Draft { role: StepRole::Agent, class, ..Draft::of(Kind::Call, CALL, &values) });
            if response::is_over(part) {
                log.step(&Draft { role: StepRole::Environment, class, ..Draft::of(Kind::Result, RESULT, &values) });
            }
        } else if kind == Some("thinking") {
            if !words_of(part).is_empty() {
                log.step(&Draft { role: StepRole::Agent, class, ..Draft::of(Kind::Thought, THINKING, &values) });
            }
        } else {
            let form = if response::note(part).is_some() { NOTE } else { form::STATE };
            log.step(&Draft { role: StepRole::System, class, ..Draft::of(Kind::State, form, &values) });
        }
    }

    /// Words of a message, which names of files interrupt. The fences around an edit are no words.
    fn add_words(&mut self, part: &Value<'_>, words: &str, log: &mut Log<'_>) {
        if words.trim().trim_matches('`').is_empty() && (words.contains('`') || self.words.is_none()) {
            return;
        }
        let earlier = log.keep(part);
        match &mut self.words {
            Some((step, parts)) if parts.len() < WORDS_MAX => {
                log.extend(*step, part);
                parts.push(earlier);
                log.close_with(*step, WORDS, parts, |_| ());
            }
            _ => {
                let values = [part];
                let draft = Draft::of(Kind::Message, WORDS, &values);
                let step = log.step(&Draft { role: StepRole::Agent, class: Some("response"), ..draft });
                self.words = Some((step, vec![earlier]));
            }
        }
    }

    /// What came of a request: all that the model said, if it has that, what went wrong, what it took.
    fn end(&mut self, result: &Value<'_>, log: &mut Log<'_>) {
        self.words = None;
        let metadata = result.get("metadata");
        if let Some(metadata) = metadata.filter(|_| has_rounds(result)) {
            items(metadata, "toolCallRounds").iter().for_each(|round| add_round(round, metadata, log));
        }
        if let Some(error) = result.get("errorDetails").filter(|error| error.as_object().is_some()) {
            let values = [error];
            let draft = Draft { is_failed: true, ..Draft::of(Kind::State, NOTE, &values) };
            log.step(&Draft { role: StepRole::System, class: Some("error"), ..draft });
        }
        let places = [metadata, result.get("usage"), Some(result)];
        let of = |place: &Value<'_>| Usage {
            input: count(place, "promptTokens"),
            output: count(place, "outputTokens").or_else(|| count(place, "completionTokens")),
            ..Usage::default()
        };
        let usage = places.into_iter().flatten().map(of).find(|usage| usage.input.or(usage.output).is_some());
        if let Some(usage) = usage {
            log.usage(None, &usage);
        }
    }
}

/// One answer of the model, and what its calls gave back.
fn add_round(round: &Value<'_>, metadata: &Value<'_>, log: &mut Log<'_>) {
    let (time, class) = (round.get("timestamp"), Some("round"));
    let thinking = round.get("thinking").filter(|thinking| !words_of(thinking).is_empty());
    let response = round.get("response").filter(|words| words.as_str().is_some_and(|words| !words.is_empty()));
    let thought = thinking.map(|value| (Kind::Thought, THINKING, value));
    let message = response.map(|value| (Kind::Message, form::MESSAGE, value));
    let calls = items(round, "toolCalls");
    let spoken = thought.into_iter().chain(message);
    for (kind, form, value) in spoken.chain(calls.iter().map(|call| (Kind::Call, form::CALL, call))) {
        let values = [value];
        log.step(&Draft { role: StepRole::Agent, class, time, ..Draft::of(kind, form, &values) });
    }
    let results = metadata.get("toolCallResults");
    for call in calls {
        if let Some(result) = text(call, "id").and_then(|id| results?.get(id)) {
            let values = [result, call];
            let draft = Draft::of(Kind::Result, ROUND_RESULT, &values);
            log.step(&Draft { role: StepRole::Environment, class, ..draft });
        }
    }
}
