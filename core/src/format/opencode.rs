//! Sessions of opencode: its database, or a session as `opencode export` writes it (`FORMATS.md` 16).

mod database;
mod latest;
mod projected;
mod session;
mod storage;
#[cfg(test)]
mod tests;

use super::log::{LogRun, Row, SetRow};
use super::{Framing, Match};
use crate::json::Value;
pub(super) use database::Database;
pub(super) use storage::Storage;

const NAME: &str = "opencode";
const TITLE: &str = "opencode session";
const ABOUT: &str = "Sessions of opencode: the database `opencode.db` (tables `session`, `message`, `part`; of \
     version 2 `session_v2` and `session_message`), the folder `storage` with a file for each of these, what \
     `opencode export` writes, also behind the line that it prints first, or the events of `opencode run \
     --format json`. Each session is a trajectory, the parts of its messages the steps. State: title, folder and \
     parent of the session, what it was reverted to, patches.";

/// Sessions, or one as JSON.
pub(super) static OPENCODE: SetRow = SetRow {
    name: NAME,
    agent: Some(NAME),
    title: TITLE,
    about: ABOUT,
    run: || Box::new(LogRun::new(session::Session)),
    detect: Some(detect_sessions),
    alternative: Some(&RUN_EVENTS),
    samples: &[SESSION, PROJECTED],
};

/// What is no whole session: the events of `opencode run`, stored messages and parts.
static RUN_EVENTS: Row = Row {
    name: NAME,
    agent: Some(NAME),
    title: TITLE,
    about: ABOUT,
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(session::Events)),
    detect: Some(detect_events),
    samples: &[EVENTS],
    ..Row::BASE
};

/// Events of a run.
const EVENTS: &str = concat!(
    r#"{"type":"step_start","timestamp":1777626863000,"sessionID":"ses_1","#,
    r#""part":{"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"step-start"}}"#,
    "\n",
    r#"{"type":"text","timestamp":1777626864000,"sessionID":"ses_1","#,
    r#""part":{"id":"prt_2","messageID":"msg_1","sessionID":"ses_1","type":"text","text":"one file"}}"#,
);

/// A session with a call.
const SESSION: &str = r#"{"info":{"id":"ses_1","title":"List it","directory":"/w"},"messages":[
    {"info":{"id":"msg_1","role":"user","time":{"created":1777626862000}},"parts":[
        {"id":"prt_1","type":"text","text":"list it"}]},
    {"info":{"id":"msg_2","role":"assistant","time":{"created":1777626863000},"modelID":"m","cost":0.25,
        "tokens":{"input":9,"output":4,"reasoning":1,"cache":{"read":2,"write":3}}},"parts":[
        {"id":"prt_2","type":"step-start"},
        {"id":"prt_3","type":"tool","callID":"c1","tool":"bash","state":{"status":"completed",
            "input":{"command":"ls"},"output":"a.txt","metadata":{"exit":0},
            "time":{"start":1777626863100,"end":1777626863200}}},
        {"id":"prt_4","type":"text","text":"one file"}]}]}"#;

/// A session of version 2.
const PROJECTED: &str = r#"{"info":{"id":"ses_2","title":"List it","location":{"directory":"/w"}},"messages":[
    {"id":"msg_1","type":"user","time":{"created":1790000000000},"text":"list it"},
    {"id":"msg_2","type":"assistant","time":{"created":1790000001000},"agent":"build",
        "model":{"id":"m","providerID":"p"},"cost":0.25,
        "tokens":{"input":9,"output":4,"reasoning":1,"cache":{"read":2,"write":3}},"content":[
        {"type":"reasoning","text":"ls will do"},
        {"type":"tool","id":"c1","name":"bash","time":{"created":1790000001100,"completed":1790000001200},
            "state":{"status":"completed","input":{"command":"ls"},"content":[{"type":"text","text":"a.txt"}]}},
        {"type":"text","text":"one file"}]}]}"#;

/// At least half of the records are sessions: objects with `info` and `messages`.
fn detect_sessions(first: &[Value<'_>]) -> Option<Match> {
    let is_session = |value: &&Value<'_>| {
        let messages = value.get("messages").and_then(Value::as_array);
        let is_message = |message: &Value<'_>| {
            (message.get("info").is_some() && message.get("parts").is_some()) || projected::is_message(message)
        };
        value.get("info").is_some_and(|info| info.get("id").is_some())
            && messages.is_some_and(|all| all.iter().all(is_message))
    };
    let count = first.iter().filter(is_session).count();
    (count > 0 && count * 2 >= first.len())
        .then(|| Match { reason: "objects with `info` and `messages` of a session".to_owned() })
}

/// At least half of the records are events, messages or parts of a session.
fn detect_events(first: &[Value<'_>]) -> Option<Match> {
    let is_text = |value: &Value<'_>, key: &str| value.get(key).is_some_and(|v| v.as_str().is_some());
    let is_stored =
        |value: &Value<'_>| ["messageID", "role", "part", "error"].iter().any(|key| value.get(key).is_some());
    let is_event = |value: &&Value<'_>| {
        (is_text(value, "sessionID") && is_stored(value))
            || (is_text(value, "projectID") && is_text(value, "directory"))
    };
    let count = first.iter().filter(is_event).count();
    (count > 0 && count * 2 >= first.len()).then(|| Match { reason: "events with `sessionID`".to_owned() })
}
