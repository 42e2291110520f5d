//! The database of Zed as a line for each thread: its JSON, with what the columns say beside it.

use crate::format::Assembler;
use crate::format::rows::{Trouble, members, one_line};
use crate::model::{ContainerValue, Contents, Problem, Sink, Tables};

/// How its database is read.
pub(in crate::format) struct Database;

const THREADS: &str = "threads";

/// What is taken of a thread; its JSON has title and time.
const COLUMNS: [&str; 6] = ["id", "parent_id", "folder_paths", "created_at", "data_type", "data"];

/// Most bytes of the JSON of a thread.
const LEN_MAX: usize = 1 << 30;

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(THREADS, &["id", "summary", "data_type", "data"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let (mut threads, mut trouble) = (Vec::new(), Trouble::default());
        trouble.pass(tables.rows(THREADS, &["updated_at"], &mut |number, cells| {
            let updated = cells.first().and_then(ContainerValue::as_str).unwrap_or_default();
            threads.push((updated.to_owned(), number));
            Ok(())
        }));
        threads.sort();
        for (_, number) in threads {
            let Some(Some(cells)) = trouble.pass(tables.row(THREADS, number, &COLUMNS)) else { continue };
            let [.., data_type, data] = &cells[..] else { continue };
            let head = members(&COLUMNS[..4], &cells[..4], &[]);
            let Some(json) = json_of(data_type, data, tables) else {
                trouble.pass::<()>(Err(Problem::unreadable(format!("the thread in row {number} is no JSON"))));
                continue;
            };
            let rest = json.strip_prefix('{').unwrap_or(&json).trim_start();
            let between = if rest == "}" || head.is_empty() { "" } else { "," };
            out(format!("{{{head}{between}{rest}\n").as_bytes())?;
        }
        trouble.end()
    }
}

/// The JSON of a thread on one line, if it is an object.
fn json_of(data_type: &ContainerValue, data: &ContainerValue, tables: &dyn Tables) -> Option<String> {
    let bytes = data.bytes()?;
    let text = match data_type.as_str() {
        Some("zstd") => one_line(&tables.unpack_up_to(bytes, LEN_MAX)?),
        _ => one_line(bytes),
    };
    text.filter(|text| text.starts_with('{'))
}
