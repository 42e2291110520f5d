//! Sessions of Crush: its database, as a line for each session.

use super::assembler::Assembler;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, count, form, items, role_of, show, text,
    write_slots,
};
use super::rows::{SessionTables, embedded, members};
use crate::json::{self, Value};
use crate::model::{
    Attachment, ContainerValue, Contents, Problem, Sink, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart,
    Usage,
};
use crate::rules::work::Dialect;
use std::borrow::Cow;

/// Sessions of Crush.
pub(super) static CRUSH: SetRow = SetRow {
    name: "crush",
    agent: Some("crush"),
    title: "Crush session",
    about: "Sessions of Crush: its database `.crush/crush.db` (tables `sessions`, `messages` with their `parts`, \
            `files`). Each session is a trajectory, as are those of sub-agents, which name the session that began \
            them. State: the session, its todo list, cost, model. Crush counts the tokens of the last request alone.",
    run: || Box::new(LogRun::new(Session)),
    samples: &[SESSION],
    ..SetRow::BASE
};

/// A session with a call, as a line of the database.
const SESSION: &str = r#"{"session":{"id":"s1","title":"List it","prompt_tokens":9,"completion_tokens":4,
    "cost":0.25,"todos":[{"content":"list","status":"completed","active_form":"Listing"}],"created_at":1777629600},
    "messages":[
    {"id":"m1","role":"user","created_at":1777629600,"parts":[
        {"type":"text","data":{"text":"list it"}},{"type":"finish","data":{"reason":"stop","time":0}}]},
    {"id":"m2","role":"assistant","model":"m","provider":"p","created_at":1777629601,"parts":[
        {"type":"reasoning","data":{"thinking":"ls will do","signature":""}},
        {"type":"tool_call","data":{"id":"c1","name":"bash","input":"{\"command\":\"ls\"}","finished":true}},
        {"type":"finish","data":{"reason":"tool_use","time":1777629602}}]},
    {"id":"m3","role":"tool","created_at":1777629602,"parts":[
        {"type":"tool_result","data":{"tool_call_id":"c1","name":"bash","content":"a.txt\n\n<cwd>/w</cwd>",
            "metadata":"{\"start_time\":1777629601000,\"end_time\":1777629601500}","is_error":false}}]},
    {"id":"m4","role":"assistant","model":"m","created_at":1777629603,"parts":[
        {"type":"text","data":{"text":"one file"}},{"type":"finish","data":{"reason":"end_turn","time":0}}]}]}"#;

/// How its database is read.
pub(super) struct Database;

const SESSIONS: &str = "sessions";
const MESSAGES: &str = "messages";

/// What is taken of a session; the list of todos is JSON.
const SESSION_COLUMNS: [&str; 10] = [
    "id",
    "parent_session_id",
    "title",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "summary_message_id",
    "todos",
    "created_at",
    "updated_at",
];

/// What is taken of a message; its parts are JSON.
const MESSAGE_COLUMNS: [&str; 8] =
    ["id", "role", "model", "provider", "is_summary_message", "created_at", "finished_at", "parts"];

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(SESSIONS, &["id", "title", "prompt_tokens"])
            && tables.has(MESSAGES, &["id", "session_id", "role", "parts"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let rows = SessionTables {
            sessions: (SESSIONS, ["id", "created_at"], &SESSION_COLUMNS),
            messages: (MESSAGES, ["session_id", "created_at"], &MESSAGE_COLUMNS),
            session: |cells| {
                format!("{{\"session\":{{{}}},\"messages\":[", members(&SESSION_COLUMNS, cells, &["todos"]))
            },
            message: |cells| {
                let (parts, rest) = cells.split_last().unwrap_or((&ContainerValue::Null, &[]));
                let head = members(&MESSAGE_COLUMNS[..rest.len()], rest, &[]);
                format!("{{{head},\"parts\":{}}}", embedded(parts))
            },
        };
        rows.assemble(tables, out)
    }
}

/// The texts and files of a message; a call; a result; an answer that failed.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;
const END: Form = FIRST_ADAPTER_FORM + 4;

/// Reads a session.
struct Session;

impl Adapter for Session {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let null = Value { start: 0, text: "null", data: json::Data::Null };
        let session = record.get("session").unwrap_or(&null);
        if let Some(title) = text(session, "title").filter(|title| !title.is_empty()).or_else(|| text(session, "id")) {
            log.title(title);
        }
        let slots = ["id", "title", "parent_session_id", "prompt_tokens", "completion_tokens"];
        write_slots(log, "session", "main", session, &slots);
        for message in items(record, "messages") {
            add_steps(message, log);
        }
        if log.next_step() == 0 {
            return;
        }
        // Both are as they are at the end.
        if let Some(list) = session.get("todos").filter(|list| list.as_array().is_some_and(|all| !all.is_empty())) {
            log.todo_list(list);
        }
        if let Some(cost) = session.get("cost").and_then(Value::as_number).and_then(|cost| cost.parse().ok()) {
            log.beyond(&Usage { cost: Some(cost), ..Usage::default() });
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&part) = values.first() else { return Turn::default() };
        let data = part.get("data").unwrap_or(part);
        match form {
            WORDS => Turn::of(StepRole::Unknown, values.iter().map(|part| content(part)).collect()),
            THOUGHT => {
                let words = text(data, "thinking").unwrap_or_default();
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(Cow::Borrowed(words))])
            }
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(data))]),
            RESULT => Turn::answer(result(data), picture(data)),
            END => {
                let words = ["message", "details", "reason"].map(|key| text(data, key).unwrap_or_default());
                let words: Vec<&str> = words.into_iter().filter(|words| !words.is_empty()).take(2).collect();
                Turn::of(StepRole::Agent, vec![TurnPart::Text(words.join(": ").into())])
            }
            _ => show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Crush
    }
}

fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let model = text(message, "model").filter(|model| !model.is_empty()).map(Cow::Borrowed);
    let is_summary = count(message, "is_summary_message").is_some_and(|is| is != 0);
    log.surroundings(&Surroundings { model, is_compaction: is_summary, ..Surroundings::default() });
    let role = text(message, "role").map_or(StepRole::Unknown, role_of);
    let speaker = if is_summary { StepRole::System } else { role };
    let (begin, parts, time) = (log.next_step(), items(message, "parts"), message.get("created_at"));
    let words: Vec<&Value<'_>> = parts.iter().filter(|part| is_content(part)).collect();
    let mut has_words = false;
    for part in parts {
        let (role, kind, form) = match text(part, "type").unwrap_or_default() {
            "reasoning" if has_data(part, "thinking") => (role, Kind::Thought, THOUGHT),
            "tool_call" => (role, Kind::Call, CALL),
            "tool_result" => (StepRole::Environment, Kind::Result, RESULT),
            "finish" if has_failed(part) => (role, Kind::State, END),
            _ if is_content(part) && !has_words => (speaker, Kind::Message, WORDS),
            _ => continue,
        };
        has_words |= form == WORDS;
        let only = [part];
        let values = if form == WORDS { &words[..] } else { &only };
        log.step(&Draft { role, time, is_failed: form == END, ..Draft::of(kind, form, values) });
    }
    if log.next_step() == begin {
        log.step(&Draft { role, time, ..Draft::of(Kind::Message, form::MESSAGE, &[message]) });
    }
    if is_summary {
        log.drop_before(begin);
    }
    if role == StepRole::Agent && parts.iter().any(|part| text(part, "type") == Some("finish")) {
        log.usage(None, &Usage::default());
    }
}

fn has_data(part: &Value<'_>, key: &str) -> bool {
    part.get("data").and_then(|data| text(data, key)).is_some_and(|text| !text.is_empty())
}

/// A text that says something, or a file.
fn is_content(part: &Value<'_>) -> bool {
    match text(part, "type") {
        Some("text") => has_data(part, "text"),
        Some("image_url" | "binary") => true,
        _ => false,
    }
}

/// Whether an answer did not end as it should.
fn has_failed(part: &Value<'_>) -> bool {
    let reason = part.get("data").and_then(|data| text(data, "reason"));
    reason.is_some_and(|reason| matches!(reason, "error" | "canceled" | "permission_denied"))
}

fn content<'v>(part: &'v Value<'v>) -> TurnPart<'v> {
    let data = part.get("data").unwrap_or(part);
    let of = |key: &str| text(data, key).map(Cow::Borrowed);
    match text(part, "type") {
        Some("binary") => TurnPart::Attachment(Attachment {
            media_type: of("MIMEType").unwrap_or_default(),
            location: of("Path").filter(|path| !path.is_empty()),
            bytes: text(data, "Data").map_or(0, |bytes| bytes.len() as u64),
        }),
        Some("image_url") => TurnPart::Attachment(Attachment {
            media_type: Cow::Borrowed("image"),
            location: of("url"),
            ..Attachment::default()
        }),
        _ => TurnPart::Text(of("text").unwrap_or_default()),
    }
}

fn call<'v>(data: &'v Value<'v>) -> ToolCall<'v> {
    let of = |key: &str| text(data, key).map(Cow::Borrowed);
    let arguments = of("input").filter(|input| !input.trim().is_empty()).unwrap_or(Cow::Borrowed("{}"));
    ToolCall { id: of("id"), name: of("name").unwrap_or(Cow::Borrowed("?")), arguments }
}

/// A picture that a tool gave back.
fn picture<'v>(data: &'v Value<'v>) -> impl Iterator<Item = TurnPart<'v>> {
    let bytes = text(data, "data").filter(|bytes| !bytes.is_empty());
    let media_type = Cow::Borrowed(text(data, "mime_type").unwrap_or("file"));
    let of = |bytes: &str| Attachment { media_type, location: None, bytes: bytes.len() as u64 };
    bytes.map(of).map(TurnPart::Attachment).into_iter()
}

/// What a tool gave back. A command has its folder and exit status behind its output.
fn result<'v>(data: &'v Value<'v>) -> ToolResult<'v> {
    let content = text(data, "content").unwrap_or_default();
    let metadata = text(data, "metadata").filter(|words| !words.is_empty());
    let parsed = metadata.and_then(|words| json::parse_lenient(words).ok());
    let of = |key: &str| parsed.as_ref().and_then(|parsed| count(parsed, key));
    let name = text(data, "name");
    let given = ToolResult {
        id: text(data, "tool_call_id").map(Cow::Borrowed),
        name: name.map(Cow::Borrowed),
        text: Cow::Borrowed(content),
        is_error: data.get("is_error").and_then(Value::as_bool),
        details: metadata.map(Cow::Borrowed),
        ms: of("end_time").zip(of("start_time")).map(|(end, start)| end.saturating_sub(start)),
        ..ToolResult::default()
    };
    let is_pending = parsed.as_ref().is_some_and(|parsed| text(parsed, "shell_id").is_some_and(|id| !id.is_empty()));
    if name != Some("bash") || given.is_error == Some(true) || is_pending {
        return given;
    }
    let Some((output, folder)) = content.strip_suffix("</cwd>").and_then(|rest| rest.rsplit_once("\n\n<cwd>")) else {
        let is_blank = content.trim() == NO_OUTPUT;
        let text = if is_blank { Cow::Borrowed("") } else { given.text };
        return ToolResult { text, exit: is_blank.then_some(0), ..given };
    };
    let (output, exit) = match output.rsplit_once(EXIT) {
        Some((before, code)) if code.parse::<i64>().is_ok() => {
            let before = before.strip_suffix('\n').unwrap_or(before);
            let status = format!("exit status {code}");
            let before = before.strip_suffix(status.as_str()).unwrap_or(before);
            (before.trim_end_matches('\n'), code.parse().ok())
        }
        _ if output.ends_with(ABORTED) => (output, None),
        _ => (output, Some(0)),
    };
    ToolResult { text: Cow::Borrowed(output), exit, cwd: Some(Cow::Borrowed(folder)), is_error: None, ..given }
}

/// What stands for an output that is empty, before an exit status, and at the end of a command that was stopped.
const NO_OUTPUT: &str = "no output";
const EXIT: &str = "Exit code ";
const ABORTED: &str = "Command was aborted before completion";

#[cfg(test)]
mod tests;
