//! Sessions of Goose: its database, as a line for each session, and what `goose session export` writes.

#[cfg(test)]
mod tests;

use super::assembler::Assembler;
use super::log::{Adapter, Blocks, Log, LogRun, SetRow, count, first, items, text, write_slots, write_title};
use super::rows::{SessionTables, embedded, members, scalar};
use crate::json::Value;
use crate::model::{ContainerValue, Contents, Problem, Sink, StepNo, StepRole, Surroundings, Usage};
use crate::rules::work::Dialect;
use std::borrow::Cow;

/// Sessions of Goose.
pub(super) static GOOSE: SetRow = SetRow {
    name: "goose",
    agent: Some("goose"),
    title: "Goose session",
    about: "Sessions of Goose: its database `sessions/sessions.db` (tables `sessions`, `messages`), each a trajectory, \
            or what `goose session export` writes as JSON: an object with `working_dir` and `conversation`. State: the \
            session, its model and folder; files, shell and usage by the rules for tool-using runs. Tokens are those \
            of the whole session. Its earlier files, a message a line, are `messages`.",
    run: || Box::new(LogRun::new(Session)),
    samples: &[SESSION],
    ..SetRow::BASE
};

/// A session with a call.
const SESSION: &str = r#"{"id":"20260501_1","name":"List it","working_dir":"/w","session_type":"user",
    "created_at":"2026-05-01 10:00:00","accumulated_input_tokens":20,"accumulated_output_tokens":7,
    "provider_name":"p","conversation":[
    {"id":"m1","role":"user","created":1777629600,"content":[{"type":"text","text":"list it"}],
        "metadata":{"userVisible":true,"agentVisible":true}},
    {"id":"m2","role":"assistant","created":1777629601,"content":[
        {"type":"thinking","thinking":"ls will do","signature":""},
        {"type":"text","text":"I look."},
        {"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell",
            "arguments":{"command":"ls"}}}}],"metadata":{"userVisible":true,"agentVisible":true}},
    {"id":"m3","role":"user","created":1777629602,"content":[{"type":"toolResponse","id":"c1","toolResult":{
        "status":"error","error":"no shell"}}],"metadata":{"userVisible":true,"agentVisible":true}},
    {"id":"m4","role":"assistant","created":1777629603,"content":[{"type":"text","text":"There is no shell."}],
        "metadata":{"userVisible":true,"agentVisible":true}}]}"#;

/// How its database is read.
pub(super) struct Database;

const SESSIONS: &str = "sessions";
const MESSAGES: &str = "messages";

/// What is taken of a session; what it is made of may be JSON.
const SESSION_COLUMNS: [&str; 14] = [
    "id",
    "name",
    "description",
    "session_type",
    "working_dir",
    "created_at",
    "updated_at",
    "input_tokens",
    "output_tokens",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
    "provider_name",
    "model_config_json",
    "extension_data",
];

const JSON_COLUMNS: [&str; 2] = ["model_config_json", "extension_data"];

/// What is taken of a message.
const MESSAGE_COLUMNS: [&str; 6] = ["id", "role", "created_timestamp", "tokens", "content_json", "metadata_json"];

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(SESSIONS, &["id", "working_dir"]) && tables.has(MESSAGES, &["session_id", "role", "content_json"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let rows = SessionTables {
            sessions: (SESSIONS, ["id", "updated_at"], &SESSION_COLUMNS),
            messages: (MESSAGES, ["session_id", "created_timestamp"], &MESSAGE_COLUMNS),
            session: |cells| format!("{{{},\"conversation\":[", members(&SESSION_COLUMNS, cells, &JSON_COLUMNS)),
            message: message_of,
        };
        rows.assemble(tables, out)
    }
}

/// A row of a message as an export has it.
fn message_of(cells: &[ContainerValue]) -> String {
    let [id, role, created, tokens, content, metadata] = cells else { return "null".to_owned() };
    let mut all = format!("{{\"id\":{},\"role\":{},\"created\":{}", scalar(id), scalar(role), scalar(created));
    for (name, cell, is_json) in [("tokens", tokens, false), ("content", content, true), ("metadata", metadata, true)] {
        if *cell != ContainerValue::Null {
            let value = if is_json { embedded(cell) } else { scalar(cell) };
            all += &format!(",\"{name}\":{value}");
        }
    }
    all + "}"
}

/// Members of a session that are its state.
const SLOTS: [&str; 10] = [
    "id",
    "name",
    "description",
    "session_type",
    "working_dir",
    "created_at",
    "updated_at",
    "provider_name",
    "extension_data",
    "recipe",
];

/// Reads a session.
struct Session;

impl Adapter for Session {
    fn read(&mut self, session: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, session, &["name", "description", "id"]);
        let cwd = text(session, "working_dir").map(Cow::Borrowed);
        let config = first(session, &["model_config_json", "model_config"]);
        let model = config.and_then(|config| text(config, "model_name")).map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { cwd, model, ..Surroundings::default() });
        write_slots(log, "session", "main", session, &SLOTS);
        let tokens = |keys: [&str; 2]| keys.iter().find_map(|key| count(session, key));
        let usage = Usage {
            input: tokens(["accumulated_input_tokens", "input_tokens"]),
            output: tokens(["accumulated_output_tokens", "output_tokens"]),
            ..Usage::default()
        };
        // They are of no message.
        if usage.input.or(usage.output).is_some() {
            log.beyond(&usage);
        }
        let mut gone = Vec::new();
        items(session, "conversation").iter().for_each(|message| add_message(message, &mut gone, log));
    }

    fn dialect(&self) -> Dialect {
        Dialect::Goose
    }
}

/// Adds the steps of a message. `gone` has those before it that the model sees no more.
fn add_message(message: &Value<'_>, gone: &mut Vec<StepNo>, log: &mut Log<'_>) {
    let metadata = message.get("metadata");
    let is_seen = |key: &str| metadata.and_then(|data| data.get(key)?.as_bool()) != Some(false);
    let blocks = Blocks {
        class: text(message, "role"),
        time: first(message, &["created"]),
        is_injected: !is_seen("userVisible"),
        ..Blocks::of(message)
    };
    let steps = blocks.add_steps(log);
    if is_seen("agentVisible") {
        log.drop_steps(&std::mem::take(gone));
    } else {
        // What was compacted, and what the program says to people alone.
        gone.extend(steps.iter().map(|(_, step)| *step));
    }
    if blocks.role == StepRole::Agent {
        log.usage(None, &Usage::default());
    }
}
