//! Sessions of Google's Agent Development Kit: a database of them, or a session as JSON (`FORMATS.md` 7).

mod database;
mod session;
#[cfg(test)]
mod tests;

use super::log::LogRun;
use super::run_survey::RunSurvey;
use super::{Format, Framing, Layout, Match, Purpose, Run, Survey};
use crate::json::Value;
pub(super) use database::Database;

/// The format.
pub(super) struct Adk;

/// A session in which a tool writes to the state.
const SESSION: &str = r#"{"app_name":"shop","user_id":"u","id":"s1","state":{"cart":["socks"],"lang":"en"},"events":[
    {"author":"user","timestamp":1743871931.5,"content":{"role":"user","parts":[{"text":"buy socks"}]}},
    {"author":"shopper","timestamp":1743871932.5,"content":{"role":"model","parts":[
        {"function_call":{"id":"c1","name":"add","args":{"item":"socks"}}}]}},
    {"author":"shopper","timestamp":1743871933.5,"content":{"role":"user","parts":[
        {"function_response":{"id":"c1","name":"add","response":{"result":"added"}}}]},
        "actions":{"state_delta":{"cart":["socks"]}}}]}"#;

impl Format for Adk {
    fn name(&self) -> &'static str {
        "adk"
    }

    fn title(&self) -> &'static str {
        "ADK session"
    }

    fn about(&self) -> &'static str {
        "Sessions of the Agent Development Kit: the database `session.db` (tables `sessions`, `events`, `app_states`), \
         or an object with `events` and `app_name`. Each session is a trajectory; its events give thoughts, messages, \
         calls and results. State: the keys that `state_delta` sets, those of a user, an app or a turn (`user:`, \
         `app:`, `temp:`) by themselves; artifacts by their versions; the agent that a session was handed to."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let is_session = |value: &&Value<'_>| {
            let has = |key: &str| value.get(key).is_some();
            let is_event = |event: &Value<'_>| event.get("author").is_some();
            let are_events = |events: &[Value<'_>]| events.first().is_none_or(is_event);
            value.get("events").is_some_and(|events| events.as_array().map_or_else(|| has("id"), are_events))
                && (has("app_name") || has("appName") || has("context") && has("past_events"))
        };
        let count = first.iter().filter(is_session).count();
        (count > 0 && count * 2 >= first.len())
            .then(|| Match { reason: "objects with `events` and `app_name`".to_owned() })
    }

    fn framing(&self) -> Framing {
        Framing::LogValues
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn has_conversations(&self) -> bool {
        false
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, || Box::new(LogRun::new(session::Session)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(session::Session))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[SESSION]
    }
}
