//! A folder of events, a file each, or an archive of it, as lines of them (`FORMATS.md` 0.4, 9).

use crate::format::assembler::{Assembler, missing_part};
use crate::format::rows::{Trouble, one_line};
use crate::format::signature;
use crate::json::{self, Value};
use crate::model::{Archive, Contents, Problem, Sink};

/// How such folders are read.
pub(in crate::format) struct Folder;

/// The member of the record that holds what `base_state.json` says.
pub(super) const BASE_STATE: &str = "base_state";

/// The member of a state that names the event from which the conversation goes on.
pub(super) const LEAF: &str = "leaf_event_id";
/// Whether the conversation was emptied, and nothing was said since.
pub(super) const IS_EMPTY: &str = "head_is_empty";

/// The most bytes of an event, and events that are asked what they are.
const EVENT_BYTES_MAX: usize = 256 << 20;
const LOOKED_AT: usize = 3;

impl Assembler for Folder {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let (Contents::Folder(files) | Contents::Archive(files)) = contents else { return false };
        // The first that is whole: a file may be written at this moment.
        let is_event = |text: Vec<u8>| {
            let text = String::from_utf8(text).ok()?;
            let value = json::parse_lenient(&text).ok()?;
            Some(signature::detect("openhands", &[value]).is_some())
        };
        let first = events(files.names()).into_iter().take(LOOKED_AT);
        let mut event_flags = first.filter_map(|(_, member)| is_event(files.read_whole(member, EVENT_BYTES_MAX).ok()?));
        event_flags.next().unwrap_or(false)
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let (Contents::Folder(files) | Contents::Archive(files)) = contents else { return Ok(()) };
        let (mut trouble, mut next) = (Trouble::default(), 0);
        for (number, member) in events(files.names()) {
            let Some(text) = trouble.pass(files.read_whole(member, EVENT_BYTES_MAX)) else { continue };
            // What is not valid JSON is one bad record.
            let line = one_line(&text).unwrap_or_else(|| broken_line(&text));
            out(line.as_bytes())?;
            out(b"\n")?;
            // 0.4.5: what lacks before it is reported after it, so that the first record is always an event.
            if number > next {
                out(missing_part(&gap(next, number)).as_bytes())?;
                out(b"\n")?;
            }
            next = number.saturating_add(1);
        }
        if let Some(base) = base_state(files) {
            out(base.as_bytes())?;
            out(b"\n")?;
        }
        trouble.end()
    }
}

/// What the state beside the events says of the model, the tokens and the last event, as a record: the rest is in the
/// events, or secret.
fn base_state(files: &mut dyn Archive) -> Option<String> {
    let member = files.names().iter().position(|name| name == "base_state.json")?;
    let text = String::from_utf8(files.read_whole(member, EVENT_BYTES_MAX).ok()?).ok()?;
    let state = json::parse_lenient(&text).ok()?;
    let model = state.get("agent").and_then(|agent| agent.get("llm")?.get("model")).map(json::compact);
    let usage = |metrics: &Value<'_>| {
        let parts = ["accumulated_cost", "accumulated_token_usage"].iter();
        let part = |key: &&str| Some(format!("{}:{}", json::quote(key), json::compact(metrics.get(key)?)));
        format!("{{{}}}", parts.filter_map(part).collect::<Vec<_>>().join(","))
    };
    let all = state.get("stats").and_then(|stats| stats.get("usage_to_metrics")?.as_object());
    let all = all.into_iter().flat_map(|all| all.entries());
    let all: Vec<String> = all.map(|(name, metrics)| format!("{}:{}", json::quote(name), usage(metrics))).collect();
    let leaf = state.get(LEAF).filter(|leaf| leaf.as_str().is_some()).map(json::compact);
    let is_empty = leaf.is_none() && state.get(IS_EMPTY).and_then(Value::as_bool) == Some(true);
    if model.is_none() && all.is_empty() && leaf.is_none() && !is_empty {
        return None;
    }
    let model = model.map_or_else(String::new, |model| format!("\"model\":{model},"));
    let of_head = if is_empty { format!("\"{IS_EMPTY}\":true,") } else { String::new() };
    let leaf = leaf.map_or(of_head, |leaf| format!("\"{LEAF}\":{leaf},"));
    let stats = format!("\"stats\":{{\"usage_to_metrics\":{{{}}}}}", all.join(","));
    Some(format!("{{\"{BASE_STATE}\":{{{model}{leaf}{stats}}}}}"))
}

/// A file that holds no event, on one line; nothing for one that is empty.
fn broken_line(text: &[u8]) -> String {
    match String::from_utf8_lossy(text).split_ascii_whitespace().collect::<Vec<_>>().join(" ") {
        line if line.is_empty() => missing_part("an event whose file is empty"),
        line => line,
    }
}

/// The events that lack between two numbers.
fn gap(from: u64, to: u64) -> String {
    match to - from {
        1 => format!("event {from}"),
        n => format!("events {from} to {} ({n} files)", to - 1),
    }
}

/// The files of events in the order of their numbers: those of the folder, else those of `events` in it.
fn events(names: &[String]) -> Vec<(u64, usize)> {
    let below = |folder: &str| -> Vec<(u64, usize)> {
        let of_name = |name: &String| number(name.strip_prefix(folder)?);
        let found = names.iter().enumerate().filter_map(|(member, name)| Some((of_name(name)?, member)));
        found.collect()
    };
    let events_here = below("");
    let mut found = if events_here.is_empty() { below("events/") } else { events_here };
    found.sort_unstable();
    found
}

/// The number in `12.json`, `event-00012-ID.json` and `event_000012_ID.json`.
fn number(name: &str) -> Option<u64> {
    let stem = name.strip_suffix(".json")?;
    let behind = |mark: char| stem.strip_prefix("event")?.strip_prefix(mark)?.split(mark).next();
    let digits = behind('-').or_else(|| behind('_')).unwrap_or(stem);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}
