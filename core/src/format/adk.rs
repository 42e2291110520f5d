//! Sessions of Google's Agent Development Kit: a database of them, or a session as JSON (`FORMATS.md` 7).

mod database;
mod events;
mod session;
#[cfg(test)]
mod tests;

use super::log::{LogRun, Row, SetRow};
use super::{Framing, Match, signature};
use crate::json::Value;
pub(super) use database::Database;

const NAME: &str = "adk";
const TITLE: &str = "ADK session";
const ABOUT: &str = "Sessions of the Agent Development Kit: the database `session.db` (tables `sessions`, \
     `events`, `app_states`), or an object with `events` and `app_name`; or the events alone that the server \
     answers, as an array (`/run`) or a stream (`/run_sse`). Each session or answer is a trajectory; its events \
     give thoughts, messages, calls and results. State: the keys that `state_delta` sets, those of a user, an \
     app or a turn (`user:`, `app:`, `temp:`) by themselves, also as the tables `app_states` and `user_states` \
     have them; artifacts by their versions; the agent that a session was handed to.";

/// Sessions, or one as JSON.
pub(super) static ADK: SetRow = SetRow {
    name: NAME,
    title: TITLE,
    about: ABOUT,
    run: || Box::new(LogRun::new(session::Session)),
    detect: Some(detect_sessions),
    alternative: Some(&RUN_EVENTS),
    samples: &[SESSION, EVENTS],
    ..SetRow::BASE
};

/// A session in which a tool writes to the state.
const SESSION: &str = r#"{"app_name":"shop","user_id":"u","id":"s1","state":{"cart":["socks"],"lang":"en"},"events":[
    {"author":"user","timestamp":1743871931.5,"content":{"role":"user","parts":[{"text":"buy socks"}]}},
    {"author":"shopper","timestamp":1743871932.5,"content":{"role":"model","parts":[
        {"function_call":{"id":"c1","name":"add","args":{"item":"socks"}}}]}},
    {"author":"shopper","timestamp":1743871933.5,"content":{"role":"user","parts":[
        {"function_response":{"id":"c1","name":"add","response":{"result":"added"}}}]},
        "actions":{"state_delta":{"cart":["socks"]}}}]}"#;

/// Events without a session around them.
static RUN_EVENTS: Row = Row {
    name: NAME,
    title: TITLE,
    about: ABOUT,
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(events::Events)),
    detect: Some(detect_events),
    samples: &[EVENTS],
    ..Row::BASE
};

/// Events as the server streams them.
const EVENTS: &str = concat!(
    r#"data: {"content":{"parts":[{"functionCall":{"id":"c1","name":"add","args":{"item":"socks"}}}],"role":"model"},"#,
    r#""invocationId":"i1","author":"shopper","actions":{"stateDelta":{}},"id":"e1","timestamp":1743871932.5}"#,
    "\n\n",
    r#"data: {"content":{"parts":[{"functionResponse":{"id":"c1","name":"add","response":{"result":"added"}}}],"#,
    r#""role":"user"},"invocationId":"i1","author":"shopper","actions":{"stateDelta":{"cart":["socks"]}},"#,
    r#""id":"e2","timestamp":1743871933.5}"#,
    "\n\n",
    r#"data: {"content":{"parts":[{"text":"It is"}],"role":"model"},"partial":true,"invocationId":"i1","#,
    r#""author":"shopper","actions":{},"id":"e3","timestamp":1743871934.5}"#,
    "\n\n",
    r#"data: {"content":{"parts":[{"text":"It is in."}],"role":"model"},"invocationId":"i1","author":"shopper","#,
    r#""actions":{},"id":"e4","timestamp":1743871934.75}"#,
    "\n\n",
);

/// At least half of the records are sessions: objects with `events`.
fn detect_sessions(first: &[Value<'_>]) -> Option<Match> {
    let is_session = |value: &&Value<'_>| {
        let has = |key: &str| value.get(key).is_some();
        let is_event = |event: &Value<'_>| event.get("author").is_some();
        let are_events = |events: &[Value<'_>]| events.first().is_none_or(is_event);
        value.get("events").is_some_and(|events| events.as_array().map_or_else(|| has("id"), are_events))
            && (has("app_name") || has("appName") || has("context") && has("past_events"))
    };
    let count = first.iter().filter(is_session).count();
    (count > 0 && count * 2 >= first.len()).then(|| Match { reason: "objects with `events` and `app_name`".to_owned() })
}

/// Events with no session around them.
fn detect_events(first: &[Value<'_>]) -> Option<Match> {
    let has_session = first.iter().any(|record| record.get("events").is_some());
    signature::detect(NAME, first).filter(|_| !has_session)
}
