//! Chats of Gemini CLI: one object, or lines of which later ones replace, set or take back earlier ones
//! (`FORMATS.md` 11a).

mod compression;
mod order;
#[cfg(test)]
mod tests;

use super::Framing;
use super::log::{
    Adapter, Arrange, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, form, items, text,
    text_of,
};
use crate::json::{Data, Value};
use crate::model::{Attachment, PartRole, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
use crate::state::Op;
use compression::StepsByContent;
use std::borrow::Cow;
use std::collections::HashSet;

/// Chats of Gemini CLI.
pub(super) static GEMINI: Row = Row {
    name: "gemini-cli",
    agent: Some("gemini-cli"),
    title: "Gemini CLI chat",
    about: "Chats of Gemini CLI: one object with `sessionId`, `projectHash` and `messages`, or JSON Lines whose \
            records replace earlier ones of their id; `$set` changes the session, `$rewindTo` takes messages back. \
            State: the session.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Chat::default())),
    samples: &[LINES, CHAT_OBJECT],
    ..Row::BASE
};

/// A chat of lines; the answer is replaced, the second question taken back.
const LINES: &str = concat!(
    r#"{"sessionId":"s1","projectHash":"h","startTime":"2026-05-01T10:00:00Z","#,
    r#""lastUpdated":"2026-05-01T10:00:00Z","kind":"main"}"#,
    "\n",
    r#"{"id":"u","timestamp":"2026-05-01T10:00:01Z","type":"user","content":[{"text":"list it"}]}"#,
    "\n",
    r#"{"id":"g","timestamp":"2026-05-01T10:00:02Z","type":"gemini","content":"","toolCalls":[]}"#,
    "\n",
    r#"{"id":"v","timestamp":"2026-05-01T10:00:03Z","type":"user","content":"no"}"#,
    "\n",
    r#"{"$rewindTo":"v"}"#,
    "\n",
    r#"{"$set":{"lastUpdated":"2026-05-01T10:00:04Z"}}"#,
    "\n",
    r#"{"id":"g","timestamp":"2026-05-01T10:00:02Z","type":"gemini","content":"","model":"m","#,
    r#""tokens":{"input":9,"output":2,"cached":4,"thoughts":1,"tool":0},"toolCalls":[{"id":"c","#,
    r#""name":"list","args":{},"status":"success","result":[{"functionResponse":{"id":"c","name":"list","#,
    r#""response":{"output":"a.txt"}}}]}]}"#,
);

/// A chat in one object.
const CHAT_OBJECT: &str = r#"{"sessionId":"s1","projectHash":"h","messages":[
{"id":"u","type":"user","content":"hello"},
{"id":"g","type":"gemini","content":"Hi.","thoughts":[{"subject":"Greeting","description":"Say hi."}]}]}"#;

/// The words and files of a message.
const CONTENT: Form = FIRST_ADAPTER_FORM;
/// A thought.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
/// A call, and the same as its result.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;
/// A part that answers a call, as a message has it.
const RESPONSE: Form = FIRST_ADAPTER_FORM + 4;
/// What stands for messages that a compression took away.
const COMPRESSION: Form = FIRST_ADAPTER_FORM + 5;

/// How the message begins that describes the folder to the model; the user did not say it.
const SESSION_CONTEXT: &str = "<session_context>";

/// Reads the records that stay, in order.
#[derive(Default)]
struct Chat {
    steps: StepsByContent,
    /// Ids of messages that stand for what compressions took away.
    snapshots: HashSet<Box<str>>,
    calls: Copies,
    /// The session, and whether a summary is its title: one that is resumed says its id again.
    session_id: Option<Box<str>>,
    has_summary: bool,
}

impl Adapter for Chat {
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(order::Order::default()))
    }

    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if let Some(set) = record.get("$set") {
            self.session(set, log);
            return self.compress(set, log);
        }
        match text(record, "type") {
            None if is_token_count(record) => log.usage(None, &usage(record)),
            _ if text(record, "sessionId").is_some() && record.get("type").is_none() => self.session(record, log),
            Some("user") => self.user(record, log),
            // Sessions of Qwen Code had this form at first.
            Some("gemini" | "qwen") => self.answer(record, log),
            class => {
                let (values, time, is_failed) = ([record], record.get("timestamp"), class == Some("error"));
                let form = if content(record).is_empty() { form::STATE } else { CONTENT };
                let draft = Draft { time, is_failed, ..Draft::of(Kind::State, form, &values) };
                log.step(&Draft { role: StepRole::System, class: class.or(Some("record")), ..draft });
            }
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Gemini
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            CONTENT => Turn::of(StepRole::Unknown, content(value)),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(thought(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => {
                let files = value.get("result").and_then(Value::as_array).unwrap_or_default();
                let files = files.iter().filter_map(file).map(TurnPart::Attachment);
                Turn::answer(result(value), files)
            }
            RESPONSE => Turn::of(StepRole::Environment, vec![TurnPart::Result(response(value))]),
            COMPRESSION => {
                let text = compression::snapshot(value).and_then(compression::words).unwrap_or_default();
                Turn::of(StepRole::System, vec![TurnPart::Text(text.into())])
            }
            _ => super::log::show(form, values),
        }
    }
}

impl Chat {
    /// Members of the session; each is set whole.
    fn session(&mut self, members: &Value<'_>, log: &mut Log<'_>) {
        for (name, value) in members.as_object().into_iter().flat_map(|object| object.entries()) {
            if name != "messages" {
                log.write("session", "main", &[name], Op::Update, value);
            }
        }
        let (summary, id) = (text(members, "summary").filter(|text| !text.is_empty()), text(members, "sessionId"));
        self.has_summary |= summary.is_some();
        if let Some(title) = summary.or(id.filter(|_| !self.has_summary)) {
            log.title(title);
        }
        if let Some(id) = id {
            self.session_id = Some(id.into());
        }
    }

    /// A call was that of a sub-agent, whose chat is in a folder that is named for this session.
    fn sub_agent(&self, call: &Value<'_>, step: StepNo, log: &mut Log<'_>) {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let (session, agent) = (self.session_id.as_deref(), text(call, "agentId"));
        if let Some((session, agent)) = session.zip(agent).filter(|(session, agent)| is_name(session) && is_name(agent))
        {
            log.part(PartRole::SubAgent, "", &format!("{session}/{agent}.jsonl"), None, Some(step));
        }
    }

    /// A compression took messages away.
    fn compress(&mut self, set: &Value<'_>, log: &mut Log<'_>) {
        let Some(id) = compression::snapshot(set).and_then(|snapshot| text(snapshot, "id")) else { return };
        if !self.snapshots.insert(id.into()) {
            return;
        }
        log.surroundings(&Surroundings { is_compaction: true, ..Surroundings::default() });
        let (values, time) = ([set], set.get("lastUpdated"));
        let draft = Draft::of(Kind::State, COMPRESSION, &values);
        log.step(&Draft { role: StepRole::System, class: Some("compression"), time, ..draft });
        compression::replace_window(set, &self.steps, log);
    }

    /// What the user said, and what came back from calls that are not answered yet: mostly it repeats what the answer
    /// with the call has.
    fn user(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let responses = items(record, "content").iter().filter(|part| part.get("functionResponse").is_some());
        let mut count = 0;
        for part in responses {
            count += 1;
            let id = part.get("functionResponse").and_then(|response| text(response, "id"));
            if !self.steps.is_answered(id) {
                let (values, time) = ([part], record.get("timestamp"));
                let draft = Draft::of(Kind::Result, RESPONSE, &values);
                let step = log.step(&Draft { role: StepRole::Environment, class: Some("user"), time, ..draft });
                self.steps.add_result(id, step);
            }
        }
        if count > 0 && content(record).is_empty() {
            return;
        }
        let words = compression::words(record);
        let is_injected = words.is_some_and(|words| words.starts_with(SESSION_CONTEXT));
        if let Some(folder) = words.filter(|_| is_injected).and_then(workspace) {
            log.surroundings(&Surroundings { cwd: Some(folder.into()), ..Surroundings::default() });
        }
        self.add_message(record, StepRole::User, None, is_injected, log);
    }

    fn add_message(
        &mut self,
        record: &Value<'_>,
        role: StepRole,
        tokens: Option<u64>,
        is_injected: bool,
        log: &mut Log<'_>,
    ) {
        let (values, time, class) = ([record], record.get("timestamp"), text(record, "type"));
        let draft = Draft::of(Kind::Message, CONTENT, &values);
        let step = log.step(&Draft { role, class, time, tokens, is_injected, ..draft });
        self.steps.add_message(record, step);
    }

    /// An answer of the model: thoughts, words, calls and what came back.
    fn answer(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let usage = record.get("tokens").filter(|tokens| !tokens.is_null()).map(usage);
        log.surroundings(&Surroundings { model: text(record, "model").map(Cow::Borrowed), ..Surroundings::default() });
        let (begin, time) = (log.next_step(), record.get("timestamp"));
        let mut tokens = usage.as_ref().and_then(|usage| usage.output);
        let (thoughts, calls) = (items(record, "thoughts"), items(record, "toolCalls"));
        let class = text(record, "type");
        let of = |kind, form, role| Draft { role, class, time, ..Draft::of(kind, form, &[]) };
        for thought in thoughts {
            let draft = of(Kind::Thought, THOUGHT, StepRole::Agent);
            log.step(&Draft { values: &[thought], tokens: tokens.take(), ..draft });
        }
        let parts = items(record, "content").iter().filter_map(|part| part.get("functionCall"));
        let is_listed = |part: &&Value<'_>| calls.iter().any(|call| text(call, "id") == text(part, "id"));
        let parts: Vec<&Value<'_>> = parts.filter(|part| !is_listed(part)).collect();
        if !content(record).is_empty() || (thoughts.is_empty() && calls.is_empty() && parts.is_empty()) {
            self.add_message(record, StepRole::Agent, tokens.take(), false, log);
        }
        for call in calls.iter().chain(parts) {
            // A chat that goes on may have a call once more, in a message of another id (0.1.5).
            if text(call, "id").is_some_and(|id| self.calls.has(id, call.text)) {
                continue;
            }
            let draft = of(Kind::Call, CALL, StepRole::Agent);
            let step = log.step(&Draft { values: &[call], tokens: tokens.take(), ..draft });
            self.steps.add_call(call, step);
            self.sub_agent(call, step, log);
            if first(call, &["result", "resultDisplay"]).is_some() {
                let time = call.get("timestamp").or(time);
                let draft = of(Kind::Result, RESULT, StepRole::Environment);
                let step = log.step(&Draft { values: &[call], time, ..draft });
                self.steps.add_result(text(call, "id"), step);
            }
        }
        if let Some(usage) = usage.filter(|_| log.next_step() > begin) {
            log.usage(None, &usage);
        }
    }
}

/// The folder in which the agent works, as the description of it for the model has it.
fn workspace(context: &str) -> Option<&str> {
    let mut lines = context.lines().skip_while(|line| !line.contains("Workspace Director"));
    let folder = lines.nth(1)?.trim().strip_prefix("- ")?.trim();
    (folder.starts_with('/') || folder.contains(":\\")).then_some(folder)
}

/// Whether a value is the tokens of a message that was taken back.
fn is_token_count(record: &Value<'_>) -> bool {
    let has_count = |key: &str| record.get(key).is_some_and(|count| count.as_number().is_some());
    has_count("input") && has_count("output") && record.get("id").is_none()
}

/// Gemini counts cached tokens among the input, and thoughts apart from the output.
fn usage(tokens: &Value<'_>) -> Usage {
    let cached = count(tokens, "cached");
    let input = count(tokens, "input").map(|all| all.saturating_sub(cached.unwrap_or_default()));
    let and = |count: Option<u64>, more: &str| {
        count.map(|count| count.saturating_add(self::count(tokens, more).unwrap_or_default()))
    };
    Usage {
        input: and(input, "tool"),
        output: and(count(tokens, "output"), "thoughts"),
        cache_read: cached,
        ..Usage::default()
    }
}

/// Words and files of a message: a text, a part or parts.
fn content<'v>(record: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let Some(content) = record.get("content") else { return Vec::new() };
    match &content.data {
        Data::Array(parts) => parts.iter().filter(|part| !is_thought(part)).filter_map(part).collect(),
        _ => part(content).into_iter().collect(),
    }
}

/// Whether a part is what the model thought, which is in `thoughts` too.
fn is_thought(part: &Value<'_>) -> bool {
    part.get("thought").and_then(Value::as_bool) == Some(true)
}

fn part<'v>(part: &'v Value<'v>) -> Option<TurnPart<'v>> {
    if let Some(words) = part.as_str().or_else(|| text(part, "text")) {
        return (!words.is_empty()).then_some(TurnPart::Text(Cow::Borrowed(words)));
    }
    file(part).map(TurnPart::Attachment)
}

/// A picture, a sound or a file.
fn file<'v>(part: &'v Value<'v>) -> Option<Attachment<'v>> {
    let file = first(part, &["inlineData", "fileData"])?;
    Some(Attachment {
        media_type: text(file, "mimeType").unwrap_or("file").into(),
        location: text(file, "fileUri").map(Cow::Borrowed),
        bytes: part.text.len() as u64,
    })
}

fn thought<'v>(thought: &'v Value<'v>) -> Cow<'v, str> {
    match (text(thought, "subject"), text(thought, "description")) {
        (Some(subject), Some(description)) => Cow::Owned(format!("{subject}: {description}")),
        (one, other) => one.or(other).map_or_else(|| text_of(thought), Cow::Borrowed),
    }
}

fn call<'v>(call: &'v Value<'v>) -> ToolCall<'v> {
    ToolCall {
        id: text(call, "id").map(Cow::Borrowed),
        name: text(call, "name").unwrap_or("?").into(),
        arguments: call.get("args").map_or(Cow::Borrowed("{}"), |args| Cow::Borrowed(args.text)),
    }
}

/// What came back from a call: what the model saw, else what the user was shown.
fn result<'v>(call: &'v Value<'v>) -> ToolResult<'v> {
    let shown = call.get("resultDisplay").filter(|shown| !shown.is_null());
    let seen = call.get("result").filter(|seen| !seen.is_null());
    let seen = seen.map(|seen| response_to(seen, text(call, "id")));
    ToolResult {
        id: text(call, "id").map(Cow::Borrowed),
        name: text(call, "name").map(Cow::Borrowed),
        text: seen.or_else(|| shown.map(text_of)).unwrap_or_default(),
        is_error: match text(call, "status") {
            Some("error" | "cancelled") => Some(true),
            Some("success") => Some(false),
            _ => None,
        },
        details: shown.filter(|shown| shown.as_object().is_some()).map(|shown| Cow::Borrowed(shown.text)),
        ..ToolResult::default()
    }
}

/// A part that answers a call.
fn response<'v>(part: &'v Value<'v>) -> ToolResult<'v> {
    let answer = part.get("functionResponse").unwrap_or(part);
    ToolResult {
        id: text(answer, "id").map(Cow::Borrowed),
        name: text(answer, "name").map(Cow::Borrowed),
        text: response_to(part, None),
        is_error: answer.get("response").and_then(|response| response.get("error")).map(|_| true),
        ..ToolResult::default()
    }
}

/// The text of parts that answer the call of this id: a session that was resumed has the answers to all calls of a turn
/// with each.
fn response_to<'v>(result: &'v Value<'v>, id: Option<&str>) -> Cow<'v, str> {
    let parts = result.as_array().unwrap_or(std::slice::from_ref(result));
    let of_other = |part: &Value<'_>| part.get("functionResponse").is_some_and(|answer| text(answer, "id") != id);
    let answers = |part: &Value<'_>| part.get("functionResponse").is_some() && !of_other(part);
    let is_shared = id.is_some() && parts.iter().any(answers);
    let texts = parts.iter().filter(|part| !is_shared || !of_other(part)).filter_map(|part| {
        let response = part.get("functionResponse").map(|answer| answer.get("response").unwrap_or(answer));
        match response {
            Some(response) => Some(text_of(first(response, &["output", "error", "result"]).unwrap_or(response))),
            None => part.as_str().or_else(|| text(part, "text")).map(Cow::Borrowed),
        }
    });
    let mut texts: Vec<Cow<'v, str>> = texts.collect();
    match texts.len() {
        1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n")),
    }
}
