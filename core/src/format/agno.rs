//! Databases of Agno (`SqliteDb`) as rows of messages: one for each run of a session, in the order in which the runs
//! were stored.

use super::assembler::Assembler;
use super::rows::{Trouble, embedded};
use crate::json::{self, Value};
use crate::model::{Contents, Problem, Sink, Tables};

/// How such databases are read.
pub(super) struct Database;

/// The tables may have any names. Version 3 has a table of runs; version 2 has them as a list in that of sessions.
const RUN: [&str; 3] = ["run_id", "session_id", "run_data"];
const SESSION: [&str; 4] = ["session_id", "session_type", "session_data", "runs"];

/// The table that has runs, and their column.
fn runs_of(tables: &dyn Tables) -> Option<(String, &'static str)> {
    let with = |columns: &'static [&'static str], column: &'static str| {
        let found = tables.tables().iter().find(|table| tables.has(&table.name, columns));
        found.map(|table| (table.name.clone(), column))
    };
    with(&RUN, "run_data").or_else(|| with(&SESSION, "runs"))
}

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        runs_of(&**tables).is_some()
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let Some((table, column)) = runs_of(&*tables) else { return Ok(()) };
        let (mut numbers, mut trouble) = (Vec::new(), Trouble::default());
        trouble.pass(tables.rows(&table, &["session_id"], &mut |number, _| {
            numbers.push(number);
            Ok(())
        }));
        for number in numbers {
            let Some(Some(cells)) = trouble.pass(tables.row(&table, number, &[column])) else { continue };
            let text = cells.first().map(embedded).unwrap_or_default();
            let is_none = |value: &Value<'_>| value.is_null() || value.as_str() == Some("null");
            let value = json::parse_lenient(&text).ok().filter(|value| !is_none(value));
            for run in value.iter().flat_map(|value| value.as_array().unwrap_or(std::slice::from_ref(value))) {
                write_run(run, out)?;
            }
        }
        trouble.end()
    }
}

/// A run with an id of its own, which distinguishes rows. What is none is written as it is, for the reader to report.
fn write_run(run: &Value<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
    let Some(object) = run.as_object() else { return out(format!("{}\n", run.text).as_bytes()) };
    let id = run.get("id").is_none().then(|| run.get("run_id")).flatten();
    let id = id.map(|id| format!("\"id\":{}", id.text));
    let members = object.entries().map(|(name, value)| format!("{}:{}", json::quote(name), value.text));
    out(format!("{{{}}}\n", id.into_iter().chain(members).collect::<Vec<_>>().join(",")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::rows::memory::{Memory, text};
    use super::*;

    const MESSAGES: &str = r#""messages":[{"role":"user","content":"q"}]"#;

    #[test]
    fn each_run_of_a_table_of_runs_is_a_row() {
        let row = |id: &str| vec![text(id), text("s"), text(&format!("{{\"run_id\":\"{id}\",\n{MESSAGES}}}"))];
        let mut memory = Memory::new(vec![("my_runs", &RUN, vec![row("a"), row("b")])]);
        let line = |id: &str| format!("{{\"id\":\"{id}\",\"run_id\":\"{id}\",{MESSAGES}}}\n");
        assert_eq!(memory.assembled(&Database), line("a") + &line("b"));
    }

    #[test]
    fn the_runs_of_a_session_may_be_a_list_in_it() {
        let runs = format!("[{{\"run_id\":\"a\",{MESSAGES}}},7,{{\"id\":1,{MESSAGES}}}]");
        let row = |runs: &str| vec![text("s"), text("agent"), text("{}"), text(runs)];
        let rows = vec![row(&runs), row("damaged"), row("null")];
        let mut memory = Memory::new(vec![("sessions", &SESSION, rows)]);
        let run = |id: &str| format!("{{{id},{MESSAGES}}}\n");
        let expected = run(r#""id":"a","run_id":"a""#) + "7\n" + &run(r#""id":1"#) + "\"damaged\"\n";
        assert_eq!(memory.assembled(&Database), expected, "what cannot be a run is not left out");
    }
}
