//! Databases of the OpenAI Agents SDK (`SQLiteSession`, `FORMATS.md` 12) as rows of messages: one for each session,
//! with the items of its conversation in the order in which they were added.

use super::assembler::Assembler;
use super::rows::{Groups, Trouble, embedded, group_name, members};
use crate::model::{ContainerValue, Contents, Problem, Sink};

/// How such databases are read.
pub(super) struct Database;

const SESSIONS: &str = "agent_sessions";
const MESSAGES: &str = "agent_messages";

/// What is taken of a session.
const SESSION: [&str; 3] = ["session_id", "created_at", "updated_at"];

/// Whose an item is, and the item.
const OWNER: &str = "session_id";
const ITEM: &str = "message_data";

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(SESSIONS, &[OWNER]) && tables.has(MESSAGES, &["id", OWNER, ITEM])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let (mut sessions, mut trouble) = (Vec::new(), Trouble::default());
        trouble.pass(tables.rows(SESSIONS, &[OWNER], &mut |number, cells| {
            sessions.push((group_name(&cells.iter().collect::<Vec<_>>()), number));
            Ok(())
        }));
        let mut items = Groups::new();
        trouble.pass(tables.rows(MESSAGES, &["id", OWNER], &mut |number, cells| {
            if let [id, owner] = cells {
                let id = if let ContainerValue::Integer(id) = id { *id } else { number };
                items.add(&[owner], (id, number));
            }
            Ok(())
        }));
        for (name, number) in sessions {
            let mut items = items.take(&name);
            items.sort_unstable();
            let Some(Some(cells)) = trouble.pass(tables.row(SESSIONS, number, &SESSION)) else { continue };
            let head = members(&SESSION, &cells, &[]).replacen("\"session_id\":", "\"id\":", 1);
            out(format!("{{{head},\"messages\":[").as_bytes())?;
            let mut is_first = true;
            for (_, number) in items {
                let Some(Some(cells)) = trouble.pass(tables.row(MESSAGES, number, &[ITEM])) else { continue };
                out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
                out(cells.first().map_or_else(|| "null".to_owned(), embedded).as_bytes())?;
            }
            out(b"]}\n")?;
        }
        trouble.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::memory::{Memory, text};
    use super::*;

    #[test]
    fn each_session_is_a_row_of_its_items() {
        let item = |id: i64, owner: &str, item: &str| vec![ContainerValue::Integer(id), text(owner), text(item)];
        let items = vec![
            item(3, "a", r#"{"type":"function_call_output","call_id":"c","output":"x"}"#),
            item(1, "a", r#"{"role":"user","content":"q"}"#),
            item(4, "b", r#"{"role":"user","content":"other"}"#),
            item(2, "a", "{\"type\":\"function_call\",\n\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}"),
        ];
        let sessions = vec![vec![text("a"), text("2026"), text("2026")], vec![text("b")], vec![text("empty")]];
        let mut memory = Memory::new(vec![(SESSIONS, &SESSION, sessions), (MESSAGES, &["id", OWNER, ITEM], items)]);
        let written = memory.assembled(&Database);
        let lines: Vec<&str> = written.lines().collect();
        assert_eq!(
            lines[0],
            concat!(
                r#"{"id":"a","created_at":"2026","updated_at":"2026","messages":[{"role":"user","content":"q"},"#,
                r#"{"type":"function_call", "call_id":"c","name":"f","arguments":"{}"},"#,
                r#"{"type":"function_call_output","call_id":"c","output":"x"}]}"#
            )
        );
        assert_eq!(
            lines[1..],
            [r#"{"id":"b","messages":[{"role":"user","content":"other"}]}"#, r#"{"id":"empty","messages":[]}"#]
        );
    }
}
