//! `opencode.db` as lines of sessions, in the shape of `opencode export`.

use crate::format::assembler::Assembler;
use crate::format::rows::{Groups, Trouble, group_name, members, one_line, scalar};
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};
use std::collections::HashSet;

/// How such databases are read.
pub(in crate::format) struct Database;

const SESSIONS: &str = "session";
const MESSAGES: &str = "message";
const PARTS: &str = "part";

/// Tables of version 2, which leaves those of version 1 where they are.
const SESSIONS_2: &str = "session_v2";
const MESSAGES_2: &str = "session_message";

/// What is taken of a session; the last three are JSON.
const SESSION: [&str; 14] = [
    "id",
    "project_id",
    "parent_id",
    "slug",
    "directory",
    "path",
    "title",
    "version",
    "agent",
    "time_created",
    "time_updated",
    "model",
    "revert",
    "summary_diffs",
];
const JSON: [&str; 3] = ["model", "revert", "summary_diffs"];

/// What sorts rows, and their numbers: a time, then an id.
type Row = (i64, ContainerValue, i64);

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        let is_first = tables.has(SESSIONS, &["id"])
            && tables.has(MESSAGES, &["id", "session_id", "data"])
            && tables.has(PARTS, &["id", "message_id", "data"]);
        let has_sessions = tables.has(SESSIONS_2, &["id"]) || tables.has(SESSIONS, &["id", "directory"]);
        is_first || (has_sessions && tables.has(MESSAGES_2, &["id", "session_id", "type", "data"]))
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let mut trouble = Trouble::default();
        let mut projected = owned(tables, MESSAGES_2, "session_id", &mut trouble);
        // A session that was taken over is there twice.
        let second = sessions(tables, SESSIONS_2, &mut trouble).into_iter();
        let second = second.map(|(name, number)| (projected.take(&name), name, number)).collect::<Vec<_>>();
        let taken: HashSet<&str> =
            second.iter().filter(|(rows, ..)| !rows.is_empty()).map(|(_, name, _)| name.as_str()).collect();
        let mut messages = owned(tables, MESSAGES, "session_id", &mut trouble);
        let mut parts = owned(tables, PARTS, "message_id", &mut trouble);
        let first = sessions(tables, SESSIONS, &mut trouble);
        let known: HashSet<String> = first.iter().map(|(name, _)| name.clone()).collect();
        for (name, number) in first.into_iter().filter(|(name, _)| !taken.contains(name.as_str())) {
            let (of_session, rows) = (messages.take(&name), projected.take(&name));
            if of_session.is_empty() {
                projected_line(tables, (SESSIONS, number), rows, &mut trouble, out)?;
            } else {
                session_line(tables, number, (of_session, &mut parts), &mut trouble, out)?;
            }
        }
        for (rows, name, number) in second {
            if !rows.is_empty() || !known.contains(&name) {
                projected_line(tables, (SESSIONS_2, number), rows, &mut trouble, out)?;
            }
        }
        trouble.end()
    }
}

/// A session of version 1: its messages, each with its parts.
fn session_line(
    tables: &mut dyn Tables,
    number: i64,
    (messages, parts): (Vec<Row>, &mut Groups<Row>),
    trouble: &mut Trouble,
    out: &mut Sink<'_>,
) -> Result<(), Problem> {
    let Some(Some(cells)) = trouble.pass(tables.row(SESSIONS, number, &SESSION)) else { return Ok(()) };
    out(format!("{{\"info\":{{{}}},\"messages\":[", members(&SESSION, &cells, &JSON)).as_bytes())?;
    for (i, (_, id, number)) in sorted(messages).into_iter().enumerate() {
        let data = trouble.pass(data(tables, MESSAGES, number, &id)).unwrap_or_else(|| "{}".to_owned());
        out(if i == 0 { b"" } else { b"," })?;
        out(format!("{{\"info\":{data},\"parts\":[").as_bytes())?;
        let mut is_first = true;
        for (_, id, number) in sorted(parts.take(&group_name(&[&id]))) {
            let Some(data) = trouble.pass(self::data(tables, PARTS, number, &id)) else { continue };
            out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
            out(data.as_bytes())?;
        }
        out(b"]}")?;
    }
    out(b"]}\n")
}

/// A session of version 2: its messages in the order of their numbers.
fn projected_line(
    tables: &mut dyn Tables,
    (table, number): (&str, i64),
    rows: Vec<Row>,
    trouble: &mut Trouble,
    out: &mut Sink<'_>,
) -> Result<(), Problem> {
    let Some(Some(cells)) = trouble.pass(tables.row(table, number, &SESSION)) else { return Ok(()) };
    out(format!("{{\"info\":{{{}}},\"messages\":[", members(&SESSION, &cells, &JSON)).as_bytes())?;
    let mut is_first = true;
    for (_, id, number) in sorted(rows) {
        let Some(data) = trouble.pass(self::data(tables, MESSAGES_2, number, &id)) else { continue };
        out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
        out(data.as_bytes())?;
    }
    out(b"]}\n")
}

/// The sessions of a table, if there is one, by their names.
fn sessions(tables: &mut dyn Tables, table: &str, trouble: &mut Trouble) -> Vec<(String, i64)> {
    let mut sessions = Vec::new();
    if tables.has(table, &["id"]) {
        trouble.pass(tables.rows(table, &["id"], &mut |number, cells| {
            sessions.push((group_name(&cells.iter().collect::<Vec<_>>()), number));
            Ok(())
        }));
    }
    sessions
}

/// The rows of a table by what they belong to.
fn owned(tables: &mut dyn Tables, table: &str, owner: &str, trouble: &mut Trouble) -> Groups<Row> {
    let mut groups = Groups::new();
    if !tables.has(table, &[owner, "id"]) {
        return groups;
    }
    // Parts come by their ids alone.
    let time = match table {
        MESSAGES => "time_created",
        MESSAGES_2 if tables.has(table, &["seq"]) => "seq",
        MESSAGES_2 => "time_created",
        _ => "",
    };
    trouble.pass(tables.rows(table, &[owner, "id", time], &mut |number, cells| {
        if let [owner, id, time] = cells {
            groups.add(&[owner], (time.as_integer().unwrap_or(0), id.clone(), number));
        }
        Ok(())
    }));
    groups
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|(a, id, _), (b, other, _)| a.cmp(b).then_with(|| id.as_str().cmp(&other.as_str())));
    rows
}

/// What a row holds, with its id, and the type that one of version 2 has, as the first members.
fn data(tables: &mut dyn Tables, table: &str, number: i64, id: &ContainerValue) -> Result<String, Problem> {
    let columns: &[&str] = if table == MESSAGES_2 { &["data", "type"] } else { &["data"] };
    let cells = tables.row(table, number, columns)?.unwrap_or_default();
    let text = cells.first().and_then(ContainerValue::bytes).and_then(one_line).unwrap_or_default();
    let class = cells.get(1).map(|class| format!(",\"type\":{}", scalar(class))).unwrap_or_default();
    let id = scalar(id);
    Ok(match text.strip_prefix('{').map(str::trim_start) {
        Some("}") | None => format!("{{\"id\":{id}{class}}}"),
        Some(rest) => format!("{{\"id\":{id}{class},{rest}"),
    })
}
