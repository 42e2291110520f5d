//! Databases of OpenClaw (tables `transcript_events` and `session_windows`) as lines of sessions: the entries of each
//! session in order, one session behind the other.

use crate::format::assembler::Assembler;
use crate::format::rows::{Groups, Trouble, embedded, group_name};
use crate::json::{self, Value};
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};
use std::collections::HashMap;

/// How such databases are read.
pub(in crate::format) struct Database;

const EVENTS: &str = "transcript_events";
const SESSIONS: &str = "session_windows";

/// Whose an entry is, its place, and the entry.
const OWNER: &str = "session_id";
const PLACE: &str = "seq";
const ENTRY: &str = "event_json";
/// A long entry in place of that: packed, and how many bytes it has.
const PACKED: &str = "event_zstd";
const LEN: &str = "event_utf8_bytes";
/// Most bytes of an entry.
const LEN_MAX: usize = 1 << 28;
/// When a session began.
const BEGIN: &str = "created_at";

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(EVENTS, &[OWNER, PLACE, ENTRY])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let (mut begins, mut trouble) = (HashMap::new(), Trouble::default());
        if tables.has(SESSIONS, &[OWNER, BEGIN]) {
            trouble.pass(tables.rows(SESSIONS, &[OWNER, BEGIN], &mut |_, cells| {
                if let [owner, ContainerValue::Integer(begin)] = cells {
                    begins.insert(group_name(&[owner]), *begin);
                }
                Ok(())
            }));
        }
        let mut sessions = Groups::new();
        trouble.pass(tables.rows(EVENTS, &[OWNER, PLACE], &mut |number, cells| {
            if let [owner, place] = cells {
                let place = if let ContainerValue::Integer(place) = place { *place } else { number };
                sessions.add(&[owner], (place, number));
            }
            Ok(())
        }));
        let mut sessions: Vec<_> = sessions.into_iter().collect();
        // Those without a time come last.
        sessions.sort_by_key(|(name, _)| begins.get(name).copied().unwrap_or(i64::MAX));
        for (name, mut entries) in sessions {
            entries.sort_unstable();
            let mut is_first = true;
            for (_, number) in entries {
                let Some(Some(cells)) = trouble.pass(tables.row(EVENTS, number, &[ENTRY, PACKED, LEN])) else {
                    continue;
                };
                let entry = entry(&cells, tables);
                if std::mem::take(&mut is_first) && !is_head(&entry) {
                    out(format!("{{\"type\":\"session\",\"id\":{name},\"timestamp\":null}}\n").as_bytes())?;
                }
                out(entry.as_bytes())?;
                out(b"\n")?;
            }
        }
        trouble.end()
    }
}

/// An entry as one line; what cannot be read is `null`.
fn entry(cells: &[ContainerValue], tables: &dyn Tables) -> String {
    let packed = match cells {
        [ContainerValue::Null, ContainerValue::Blob(packed), len] => {
            let len = len.as_integer().and_then(|len| usize::try_from(len).ok()).filter(|len| *len <= LEN_MAX);
            len.and_then(|len| tables.unpack(packed, len)).map(ContainerValue::Blob)
        }
        _ => None,
    };
    packed.as_ref().or(cells.first()).map_or_else(|| "null".to_owned(), embedded)
}

/// Whether an entry begins a session.
fn is_head(entry: &str) -> bool {
    json::parse_lenient(entry).is_ok_and(|entry| entry.get("type").and_then(Value::as_str) == Some("session"))
}

#[cfg(test)]
mod tests {
    use super::super::PI;
    use super::*;
    use crate::format::Format;
    use crate::format::log::tests::report_of;
    use crate::format::rows::memory::{Memory, text};

    #[test]
    fn each_session_is_a_trajectory_of_its_entries() {
        let entry = |owner: &str, place: i64, entry: &str| {
            vec![text(owner), ContainerValue::Integer(place), text(entry), ContainerValue::Integer(0)]
        };
        let message_entry = |id: &str, role: &str, words: &str| {
            format!(r#"{{"type":"message","id":"{id}","message":{{"role":"{role}","content":"{words}"}}}}"#)
        };
        let head =
            |id: &str| format!(r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026","cwd":"/{id}"}}"#);
        let entries = vec![
            entry("late", 1, &message_entry("a", "user", "second")),
            entry("late", 0, &head("late")),
            entry("early", 2, &message_entry("b", "assistant", "answer")),
            entry("early", 0, &head("early")),
            entry("early", 1, &message_entry("a", "user", "first")),
            entry("bare", 0, &message_entry("a", "user", "third")),
        ];
        let session = |owner: &str, begin: i64| vec![text(owner), ContainerValue::Integer(begin)];
        let sessions = vec![session("late", 9), session("early", 1)];
        let columns = [OWNER, PLACE, ENTRY, BEGIN];
        let mut memory = Memory::new(vec![(SESSIONS, &[OWNER, BEGIN], sessions), (EVENTS, &columns, entries)]);
        let written = memory.assembled(&Database);
        assert_eq!(written.lines().nth(5), Some(r#"{"type":"session","id":"bare","timestamp":null}"#));
        let report = report_of(PI.run(), &PI, &written);
        assert_eq!(report.kinds, ["message", "message", "state", "message", "state", "message"]);
        assert_eq!((report.summaries[0].as_str(), report.summaries[3].as_str()), ("first", "second"));
        let names = [None, None, Some("late"), Some("late"), Some("bare"), Some("bare")];
        assert_eq!(report.trajectories(), names.map(|name| name.map(str::to_owned)));
        assert_eq!((report.title.as_deref(), report.value("/session/main/id").as_str()), (Some("early"), "\"bare\""));
    }

    #[test]
    fn a_long_entry_is_packed() {
        let long = r#"{"type":"message","id":"a","message":{"role":"user","content":"long"}}"#;
        let row = |place: i64, packed: Option<&str>, len: usize| {
            let packed = packed.map(|text| ContainerValue::Blob(text.bytes().rev().collect()));
            let len = ContainerValue::Integer(i64::try_from(len).unwrap());
            vec![text("s"), ContainerValue::Integer(place), ContainerValue::Null, packed.unwrap_or_default(), len]
        };
        let rows = vec![row(0, Some(long), long.len()), row(1, Some(long), 9), row(2, None, 9)];
        let columns = [OWNER, PLACE, ENTRY, PACKED, LEN];
        let written = Memory::new(vec![(EVENTS, &columns, rows)]).assembled(&Database);
        let lines: Vec<&str> = written.lines().skip(1).collect();
        assert_eq!(lines, [long, "null", "null"]);
    }
}
