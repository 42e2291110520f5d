//! `session.db` as lines of sessions, each with its events in the order of their times.

use crate::format::assembler::Assembler;
use crate::format::rows::{Groups, Trouble, embedded, group_name, members};
use crate::json::{self, Pickle};
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};
use std::collections::HashMap;

/// How such databases are read.
pub(in crate::format) struct Database;

const SESSIONS: &str = "sessions";
const EVENTS: &str = "events";

/// What says which session an event belongs to.
const OWNER: [&str; 3] = ["app_name", "user_id", "id"];

/// What is taken of a session.
const SESSION: [&str; 6] = ["app_name", "user_id", "id", "create_time", "update_time", "state"];

/// Tables of what is the same in all sessions of an app, or of a user in one, as members that a session has of them.
const SHARED: [(&str, &str, &[&str]); 2] =
    [("app_states", "app_state", &["app_name"]), ("user_states", "user_state", &["app_name", "user_id"])];
const STATE: &str = "state";

/// An event as a whole; or, in older databases, its parts. Their `actions` are a pickle, in which nothing is run.
const EVENT: &str = "event_data";
const PARTS: [&str; 13] = [
    "id",
    "invocation_id",
    "author",
    "branch",
    "timestamp",
    "content",
    "actions",
    "grounding_metadata",
    "usage_metadata",
    "partial",
    "turn_complete",
    "error_code",
    "error_message",
];
const ACTIONS: &str = "actions";
/// What stands for actions that cannot be read.
const UNREADABLE: &str = "{\"unreadable\":true}";
const JSON_PARTS: [&str; 4] = ["content", "actions", "grounding_metadata", "usage_metadata"];

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(SESSIONS, &OWNER) && tables.has(EVENTS, &["session_id"]) && tables.has("app_states", &["app_name"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let (mut sessions, mut trouble) = (Vec::new(), Trouble::default());
        trouble.pass(tables.rows(SESSIONS, &OWNER, &mut |number, cells| {
            sessions.push((group_name(&cells.iter().collect::<Vec<_>>()), number));
            Ok(())
        }));
        let mut events = Groups::new();
        let columns = ["app_name", "user_id", "session_id", "timestamp"];
        trouble.pass(tables.rows(EVENTS, &columns, &mut |number, cells| {
            if let [app, user, session, time] = cells {
                events.add(&[app, user, session], (time.clone(), number));
            }
            Ok(())
        }));
        let shared = SHARED.map(|(table, member, owner)| (member, owner, states(tables, table, owner, &mut trouble)));
        for (name, number) in sessions {
            let mut events = events.take(&name);
            events.sort_by(|(a, _), (b, _)| compare_times(a, b));
            let Some(Some(cells)) = trouble.pass(tables.row(SESSIONS, number, &SESSION)) else { continue };
            let head = members(&SESSION, &cells, &["state"]).replace("\"update_time\":", "\"last_update_time\":");
            let of_shared = |(member, owner, states): &(&str, &[&str], HashMap<String, String>)| {
                let state = states.get(&group_name(&cells.iter().take(owner.len()).collect::<Vec<_>>()))?;
                Some(format!(",{}:{state}", json::quote(member)))
            };
            let shared: String = shared.iter().filter_map(of_shared).collect();
            out(format!("{{{head}{shared},\"events\":[").as_bytes())?;
            let mut is_first = true;
            for (_, number) in events {
                let Some(Some(text)) = trouble.pass(event(tables, number)) else { continue };
                out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
                out(text.as_bytes())?;
            }
            out(b"]}\n")?;
        }
        trouble.end()
    }
}

/// The states of a table by those that they are of.
fn states(tables: &mut dyn Tables, table: &str, owner: &[&str], trouble: &mut Trouble) -> HashMap<String, String> {
    let mut states = HashMap::new();
    let columns: Vec<&str> = owner.iter().copied().chain([STATE]).collect();
    if tables.has(table, &columns) {
        trouble.pass(tables.rows(table, &columns, &mut |_, cells| {
            let owner: Vec<&ContainerValue> = cells.iter().take(owner.len()).collect();
            states.extend(cells.last().map(|state| (group_name(&owner), embedded(state))));
            Ok(())
        }));
    }
    states
}

/// The text of an event.
fn event(tables: &mut dyn Tables, number: i64) -> Result<Option<String>, Problem> {
    if tables.has(EVENTS, &[EVENT]) {
        let cells = tables.row(EVENTS, number, &[EVENT])?;
        return Ok(cells.and_then(|cells| cells.first().map(embedded)));
    }
    let Some(mut cells) = tables.row(EVENTS, number, &PARTS)? else { return Ok(None) };
    for (cell, part) in cells.iter_mut().zip(PARTS) {
        if let ContainerValue::Blob(bytes) = cell {
            *cell = match part {
                ACTIONS => ContainerValue::Text(actions(bytes).unwrap_or_else(|| UNREADABLE.to_owned())),
                _ => ContainerValue::Null,
            };
        }
    }
    Ok(Some(format!("{{{}}}", members(&PARTS, &cells, &JSON_PARTS))))
}

/// What a pickle of actions holds: the members of the object, or of the dictionary.
fn actions(bytes: &[u8]) -> Option<String> {
    let pickle = Pickle::read(bytes).ok()?;
    let text = pickle.json(pickle.root());
    let root = json::parse(&text).ok()?;
    let state = root.get("state").filter(|_| root.get("$class").is_some()).unwrap_or(&root);
    Some(state.get("__dict__").unwrap_or(state).text.to_owned())
}

/// Times are seconds, or texts that sort as they are; of equal ones the row that was written first.
fn compare_times(a: &ContainerValue, b: &ContainerValue) -> std::cmp::Ordering {
    let seconds = |cell: &ContainerValue| match cell {
        ContainerValue::Real(seconds) => Some(*seconds),
        ContainerValue::Integer(seconds) => Some(*seconds as f64),
        _ => None,
    };
    match (seconds(a), seconds(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.as_str().cmp(&b.as_str()),
    }
}
