//! `opencode.db` as lines of sessions, in the shape of `opencode export`.

use crate::format::assembler::Assembler;
use crate::format::rows::{Groups, Trouble, group_name, members, one_line, scalar};
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};

/// How such databases are read.
pub(in crate::format) struct Database;

const SESSIONS: &str = "session";
const MESSAGES: &str = "message";
const PARTS: &str = "part";

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
        tables.has(SESSIONS, &["id"])
            && tables.has(MESSAGES, &["id", "session_id", "data"])
            && tables.has(PARTS, &["id", "message_id", "data"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let mut trouble = Trouble::default();
        let mut sessions = Vec::new();
        trouble.pass(tables.rows(SESSIONS, &["id"], &mut |number, cells| {
            sessions.push((group_name(&cells.iter().collect::<Vec<_>>()), number));
            Ok(())
        }));
        let mut messages = owned(tables, MESSAGES, "session_id", &mut trouble);
        let mut parts = owned(tables, PARTS, "message_id", &mut trouble);
        for (name, number) in sessions {
            let Some(Some(cells)) = trouble.pass(tables.row(SESSIONS, number, &SESSION)) else { continue };
            out(format!("{{\"info\":{{{}}},\"messages\":[", members(&SESSION, &cells, &JSON)).as_bytes())?;
            for (i, (_, id, number)) in sorted(messages.take(&name)).into_iter().enumerate() {
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
            out(b"]}\n")?;
        }
        trouble.end()
    }
}

/// The rows of a table by what they belong to.
fn owned(tables: &mut dyn Tables, table: &str, owner: &str, trouble: &mut Trouble) -> Groups<Row> {
    let mut groups = Groups::new();
    // Parts come by their ids alone.
    let time = if table == MESSAGES { "time_created" } else { "" };
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

/// What a row holds, with its id as the first member.
fn data(tables: &mut dyn Tables, table: &str, number: i64, id: &ContainerValue) -> Result<String, Problem> {
    let cells = tables.row(table, number, &["data"])?.unwrap_or_default();
    let text = cells.first().and_then(ContainerValue::bytes).and_then(one_line).unwrap_or_default();
    let id = scalar(id);
    Ok(match text.strip_prefix('{').map(str::trim_start) {
        Some("}") | None => format!("{{\"id\":{id}}}"),
        Some(rest) => format!("{{\"id\":{id},{rest}"),
    })
}
