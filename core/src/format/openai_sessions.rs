//! Databases of the OpenAI Agents SDK (`SQLiteSession`, `FORMATS.md` 12) as rows of messages: one for each session,
//! with the items of its conversation in the order in which they were added; of `AdvancedSQLiteSession` one for each
//! branch of a session, with the tokens of its turns.

use super::assembler::Assembler;
use super::rows::{Groups, Trouble, embedded, group_name, members, scalar};
use crate::json;
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};
use std::collections::HashMap;

/// How such databases are read.
pub(super) struct Database;

const SESSIONS: &str = "agent_sessions";
const MESSAGES: &str = "agent_messages";

/// What is taken of a session.
const SESSION: [&str; 3] = ["session_id", "created_at", "updated_at"];

/// Which items a branch of a session has, and what its turns took.
const BRANCHES: &str = "message_structure";
const BRANCH: [&str; 4] = [OWNER, "branch_id", "sequence_number", "message_id"];
const TURNS: &str = "turn_usage";
const TURN: [&str; 4] = [OWNER, "branch_id", "input_tokens", "output_tokens"];
/// The branch that every session has.
const MAIN: &str = "main";

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
        let mut branches = Branches::of(&mut *tables, &mut trouble);
        for (name, number) in sessions {
            let mut items = items.take(&name);
            items.sort_unstable();
            let Some(Some(cells)) = trouble.pass(tables.row(SESSIONS, number, &SESSION)) else { continue };
            let head = members(&SESSION, &cells, &[]).replacen("\"session_id\":", "\"id\":", 1);
            let of_session = branches.take(&name);
            if of_session.is_empty() {
                let rows = items.into_iter().map(|(_, number)| number).collect::<Vec<_>>();
                write_row(&head, "", &rows, &mut *tables, &mut trouble, out)?;
                continue;
            }
            let by_id: HashMap<i64, i64> = items.into_iter().collect();
            for branch in of_session {
                let rows: Vec<i64> = branch.items.iter().filter_map(|(_, id)| by_id.get(id)).copied().collect();
                write_row(&head, &branch.members(), &rows, &mut *tables, &mut trouble, out)?;
            }
        }
        trouble.end()
    }
}

/// A session, or a branch of it, as a line: what it is, and its items by the numbers of their rows.
fn write_row(
    head: &str,
    more: &str,
    rows: &[i64],
    tables: &mut dyn Tables,
    trouble: &mut Trouble,
    out: &mut Sink<'_>,
) -> Result<(), Problem> {
    out(format!("{{{head}{more},\"messages\":[").as_bytes())?;
    let mut is_first = true;
    for number in rows {
        let Some(Some(cells)) = trouble.pass(tables.row(MESSAGES, *number, &[ITEM])) else { continue };
        out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
        out(cells.first().map_or_else(|| "null".to_owned(), embedded).as_bytes())?;
    }
    out(b"]}\n")
}

/// The branches of all sessions.
#[derive(Default)]
struct Branches(HashMap<String, Vec<BranchItems>>);

/// A branch of a session.
#[derive(Default)]
struct BranchItems {
    name: String,
    /// Where its items stand in it, and their ids.
    items: Vec<(i64, i64)>,
    /// Tokens of its turns, those that went in first.
    tokens: Option<(i64, i64)>,
}

impl Branches {
    fn of(tables: &mut dyn Tables, trouble: &mut Trouble) -> Self {
        let mut all = Self::default();
        if tables.has(BRANCHES, &BRANCH) {
            trouble.pass(tables.rows(BRANCHES, &BRANCH, &mut |_, cells| {
                if let [owner, branch, place, id] = cells {
                    let number = |cell: &ContainerValue| cell.as_integer().unwrap_or(0);
                    all.branch(owner, branch).items.push((number(place), number(id)));
                }
                Ok(())
            }));
        }
        if tables.has(TURNS, &TURN) {
            trouble.pass(tables.rows(TURNS, &TURN, &mut |_, cells| {
                if let [owner, branch, input, output] = cells {
                    let tokens = &mut all.branch(owner, branch).tokens;
                    let (known_input, known_output) = tokens.unwrap_or_default();
                    let sum = |known: i64, cell: &ContainerValue| known.saturating_add(cell.as_integer().unwrap_or(0));
                    *tokens = Some((sum(known_input, input), sum(known_output, output)));
                }
                Ok(())
            }));
        }
        all
    }

    fn branch(&mut self, owner: &ContainerValue, branch: &ContainerValue) -> &mut BranchItems {
        let (session, name) = (self.0.entry(group_name(&[owner])).or_default(), scalar(branch));
        let at = session.iter().position(|known| known.name == name).unwrap_or_else(|| {
            session.push(BranchItems { name, ..BranchItems::default() });
            session.len() - 1
        });
        &mut session[at]
    }

    /// The branches of a session that have items, the main one first.
    fn take(&mut self, session: &str) -> Vec<BranchItems> {
        let mut all = self.0.remove(session).unwrap_or_default();
        all.retain(|branch| !branch.items.is_empty());
        all.iter_mut().for_each(|branch| branch.items.sort_unstable());
        all.sort_by_key(|branch| branch.name != json::quote(MAIN));
        all
    }
}

impl BranchItems {
    /// What a row says of the branch.
    fn members(&self) -> String {
        let usage = self
            .tokens
            .map(|(input, output)| format!(",\"usage\":{{\"input_tokens\":{input},\"output_tokens\":{output}}}"));
        format!(",\"branch\":{}{}", self.name, usage.unwrap_or_default())
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

    #[test]
    fn each_branch_of_a_session_is_a_row_with_what_its_turns_took() {
        let number = ContainerValue::Integer;
        let item = |id: i64| vec![number(id), text("a"), text(&format!(r#"{{"role":"user","content":"{id}"}}"#))];
        let place = |branch: &str, at: i64, id: i64| vec![text("a"), text(branch), number(at), number(id)];
        let turn = |branch: &str, input: i64| vec![text("a"), text(branch), number(input), number(1)];
        let mut memory = Memory::new(vec![
            (SESSIONS, &SESSION, vec![vec![text("a")]]),
            (MESSAGES, &["id", OWNER, ITEM], vec![item(1), item(2), item(3)]),
            (BRANCHES, &BRANCH, vec![place("b", 2, 3), place("b", 1, 1), place("main", 1, 1), place("main", 2, 2)]),
            (TURNS, &TURN, vec![turn("main", 5), turn("main", 7)]),
        ]);
        let written = memory.assembled(&Database);
        let row = |head: &str, other: u8| {
            let items = format!(r#"{{"role":"user","content":"1"}},{{"role":"user","content":"{other}"}}"#);
            format!(r#"{{"id":"a",{head},"messages":[{items}]}}"#)
        };
        let usage = r#""branch":"main","usage":{"input_tokens":12,"output_tokens":2}"#;
        assert_eq!(written.lines().collect::<Vec<_>>(), [row(usage, 2), row(r#""branch":"b""#, 3)]);
    }
}
