//! Cells of tables as JSON, for assemblers. A cell is a scalar, or JSON in a text.

use crate::json::{self, OneLine, Scan, Scanner};
use crate::model::{ContainerValue, Problem, Sink, Tables};
use std::collections::HashMap;

/// A cell as JSON; bytes as base64 (`$bytes`).
pub(super) fn scalar(cell: &ContainerValue) -> String {
    match cell {
        ContainerValue::Null => "null".to_owned(),
        ContainerValue::Integer(number) => number.to_string(),
        ContainerValue::Real(number) => serde_json::to_string(number).unwrap_or_default(),
        ContainerValue::Text(text) => json::quote(text),
        ContainerValue::Blob(bytes) => json::bytes_text(bytes),
    }
}

/// A cell that holds an object or a list as JSON text, on one line; another one as [`scalar`].
pub(super) fn embedded(cell: &ContainerValue) -> String {
    cell.bytes().and_then(one_line).unwrap_or_else(|| scalar(cell))
}

/// A text that is one object or list, on one line.
pub(super) fn one_line(text: &[u8]) -> Option<String> {
    let text = text.trim_ascii();
    if !matches!(text.first(), Some(b'{' | b'[')) {
        return None;
    }
    let (mut line, mut out) = (OneLine::default(), Vec::with_capacity(text.len()));
    line.feed(text, &mut out);
    line.finish(&mut out);
    let is_value = Scanner::default().feed(&out) == Scan::End(out.len());
    String::from_utf8(out).ok().filter(|_| is_value)
}

/// The members of an object, of columns and their cells; those of `json` hold JSON. What is `NULL` is left out.
pub(super) fn members(columns: &[&str], cells: &[ContainerValue], json: &[&str]) -> String {
    let given = columns.iter().zip(cells).filter(|(_, cell)| **cell != ContainerValue::Null);
    let member = |(column, cell): (&&str, &ContainerValue)| {
        let value = if json.contains(column) { embedded(cell) } else { scalar(cell) };
        format!("\"{column}\":{value}")
    };
    given.map(member).collect::<Vec<_>>().join(",")
}

/// Rows grouped by keys, in the order in which the keys first appear.
#[derive(Debug, Default)]
pub(super) struct Groups<K> {
    numbers: HashMap<String, usize>,
    groups: Vec<(String, Vec<K>)>,
}

impl<K> Groups<K> {
    pub(super) fn new() -> Self {
        Self { numbers: HashMap::new(), groups: Vec::new() }
    }

    /// Adds a row to the group of these texts.
    pub(super) fn add(&mut self, name: &[&ContainerValue], row: K) {
        let name = group_name(name);
        let number = *self.numbers.entry(name.clone()).or_insert(self.groups.len());
        if number == self.groups.len() {
            self.groups.push((name, Vec::new()));
        }
        if let Some((_, rows)) = self.groups.get_mut(number) {
            rows.push(row);
        }
    }

    /// Removes a group and returns its rows.
    pub(super) fn take(&mut self, name: &str) -> Vec<K> {
        let rows = self.numbers.get(name).and_then(|number| self.groups.get_mut(*number));
        rows.map(|(_, rows)| std::mem::take(rows)).unwrap_or_default()
    }

    /// All groups.
    pub(super) fn into_iter(self) -> impl Iterator<Item = (String, Vec<K>)> {
        self.groups.into_iter()
    }
}

/// Two tables: of sessions, and of messages that name theirs.
pub(super) struct SessionTables<'t> {
    /// The table of sessions, the columns of their ids and of what they are ordered by, and what is taken of each.
    pub(super) sessions: (&'t str, [&'t str; 2], &'t [&'t str]),
    /// The same of messages, whose first column is the id of their session.
    pub(super) messages: (&'t str, [&'t str; 2], &'t [&'t str]),
    /// What the line of a session begins with, up to its messages.
    pub(super) session: fn(&[ContainerValue]) -> String,
    /// A message as JSON.
    pub(super) message: fn(&[ContainerValue]) -> String,
}

impl SessionTables<'_> {
    /// Writes each session as a line that ends with its messages. Rows of one time are in the order in which they were
    /// added.
    pub(super) fn assemble(&self, tables: &mut dyn Tables, out: &mut Sink<'_>) -> Result<(), Problem> {
        let (mut sessions, mut trouble, mut messages) = (Vec::new(), Trouble::default(), Groups::new());
        let place = |cell: &ContainerValue| (cell.as_integer().unwrap_or(0), scalar(cell));
        let (table, keys, taken) = self.sessions;
        trouble.pass(tables.rows(table, &keys, &mut |number, cells| {
            if let [id, time] = cells {
                sessions.push((place(time), number, group_name(&[id])));
            }
            Ok(())
        }));
        let (inner, keys, taken_of_message) = self.messages;
        trouble.pass(tables.rows(inner, &keys, &mut |number, cells| {
            if let [owner, time] = cells {
                messages.add(&[owner], (time.as_integer().unwrap_or(0), number));
            }
            Ok(())
        }));
        sessions.sort();
        for (_, number, name) in sessions {
            let mut of_session = messages.take(&name);
            of_session.sort_unstable();
            let Some(Some(cells)) = trouble.pass(tables.row(table, number, taken)) else { continue };
            out((self.session)(&cells).as_bytes())?;
            let mut is_first = true;
            for (_, number) in of_session {
                let Some(Some(cells)) = trouble.pass(tables.row(inner, number, taken_of_message)) else { continue };
                out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
                out((self.message)(&cells).as_bytes())?;
            }
            out(b"]}\n")?;
        }
        trouble.end()
    }
}

/// The name of a group: the cells of its key, separated by commas.
pub(super) fn group_name(cells: &[&ContainerValue]) -> String {
    cells.iter().map(|cell| scalar(cell)).collect::<Vec<_>>().join(",")
}

/// Keeps the first of several faults: later ones are mostly its consequences.
#[derive(Debug, Default)]
pub(super) struct Trouble(Option<Problem>);

impl Trouble {
    /// The value of a result; None for a fault, of which the first is stored.
    pub(super) fn pass<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problem) => {
                self.0.get_or_insert(problem);
                None
            }
        }
    }

    pub(super) fn end(self) -> Result<(), Problem> {
        self.0.map_or(Ok(()), Err)
    }
}

/// Tables in memory, for tests.
#[cfg(test)]
pub(super) mod memory {
    use crate::format::Assembler;
    use crate::model::{ContainerValue, Contents, Problem, RowSink, Table, Tables};

    /// Tables, and their rows numbered from 1.
    pub(in crate::format) struct Memory(Vec<Table>, Vec<Vec<Vec<ContainerValue>>>);

    /// A table's name, its columns, and its rows.
    pub(in crate::format) type Given<'t> = (&'t str, &'t [&'t str], Vec<Vec<ContainerValue>>);

    impl Memory {
        pub(in crate::format) fn new(tables: Vec<Given<'_>>) -> Self {
            let table = |name: &str, columns: &[&str]| Table {
                name: name.to_owned(),
                columns: columns.iter().map(|c| (*c).to_owned()).collect(),
            };
            let all = tables.iter().map(|(name, columns, _)| table(name, columns)).collect();
            Self(all, tables.into_iter().map(|(.., rows)| rows).collect())
        }

        /// The text of all records that an assembler makes of them.
        pub(in crate::format) fn assembled(&mut self, assembler: &dyn Assembler) -> String {
            assert!(assembler.claims(&mut Contents::Tables(self)));
            let mut out = Vec::new();
            let mut sink = |piece: &[u8]| {
                out.extend_from_slice(piece);
                Ok(())
            };
            assembler.assemble(Contents::Tables(self), &mut sink).unwrap();
            String::from_utf8(out).unwrap()
        }

        fn picked(&self, at: usize, row: &[ContainerValue], columns: &[&str]) -> Vec<ContainerValue> {
            let place = |column: &&str| self.0[at].columns.iter().position(|c| c == column);
            columns.iter().map(|c| place(c).and_then(|i| row.get(i)).cloned().unwrap_or_default()).collect()
        }

        fn find(&self, table: &str) -> Result<usize, Problem> {
            let at = self.0.iter().position(|known| known.name == table);
            at.ok_or_else(|| Problem::unreadable("there is no such table"))
        }
    }

    impl Tables for Memory {
        fn tables(&self) -> &[Table] {
            &self.0
        }

        fn rows(&mut self, table: &str, columns: &[&str], take: &mut RowSink<'_>) -> Result<(), Problem> {
            let at = self.find(table)?;
            self.1[at].iter().zip(1..).try_for_each(|(row, number)| take(number, &self.picked(at, row, columns)))
        }

        /// A frame is what it holds from back to front.
        fn unpack_up_to(&self, packed: &[u8], len_max: usize) -> Option<Vec<u8>> {
            (packed.len() <= len_max).then(|| packed.iter().rev().copied().collect())
        }

        fn row(&mut self, table: &str, number: i64, columns: &[&str]) -> Result<Option<Vec<ContainerValue>>, Problem> {
            let at = self.find(table)?;
            let row = usize::try_from(number - 1).ok().and_then(|i| self.1[at].get(i));
            Ok(row.map(|row| self.picked(at, row, columns)))
        }
    }

    /// A cell of a text.
    pub(in crate::format) fn text(text: &str) -> ContainerValue {
        ContainerValue::Text(text.to_owned())
    }
}
