//! A checkpoint database as lines of threads, each with its checkpoints in the order of their parents.

use crate::format::assembler::Assembler;
use crate::format::rows::{Groups, Trouble, group_name, members, one_line, scalar};
use crate::json::{self, Pickle, msgpack_to_json};
use crate::model::{ContainerValue, Contents, Problem, Sink};
use std::collections::HashMap;

/// How such databases are read.
pub(in crate::format) struct Database;

const CHECKPOINTS: &str = "checkpoints";
const WRITES: &str = "writes";
const KEY: [&str; 4] = ["thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"];

/// A checkpoint, or a write, on its way to its line.
pub(super) type Row = (ContainerValue, ContainerValue, i64);

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        tables.has(CHECKPOINTS, &["thread_id", "checkpoint_id", "checkpoint"])
            && tables.has(WRITES, &["thread_id", "checkpoint_id", "channel", "value"])
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let mut trouble = Trouble::default();
        let mut threads: Groups<Row> = Groups::new();
        trouble.pass(tables.rows(CHECKPOINTS, &KEY, &mut |number, cells| {
            if let [thread, ns, id, parent] = cells {
                threads.add(&[thread, ns], (id.clone(), parent.clone(), number));
            }
            Ok(())
        }));
        let mut writes: Groups<Row> = Groups::new();
        let columns = ["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"];
        trouble.pass(tables.rows(WRITES, &columns, &mut |number, cells| {
            if let [thread, ns, id, task, idx] = cells {
                writes.add(&[thread, ns, id], (task.clone(), idx.clone(), number));
            }
            Ok(())
        }));
        for (name, rows) in threads.into_iter() {
            let mut is_first = true;
            for (id, _, number) in by_parents(rows) {
                let row = tables.row(CHECKPOINTS, number, &CHECKPOINT);
                let Some(Some(cells)) = trouble.pass(row) else { continue };
                if std::mem::take(&mut is_first) {
                    out(head(&cells).as_bytes())?;
                } else {
                    out(b",")?;
                }
                out(checkpoint(&cells).as_bytes())?;
                // A group's name is its cells, joined.
                let mut rows = writes.take(&format!("{name},{}", group_name(&[&id])));
                rows.sort_by_key(|(_, idx, number)| (idx.as_integer().is_some_and(|i| i < 0), *number));
                for (i, (.., number)) in rows.iter().enumerate() {
                    let Some(Some(cells)) = trouble.pass(tables.row(WRITES, *number, &WRITE)) else { continue };
                    out(if i == 0 { b"" } else { b"," })?;
                    out(write(&cells).as_bytes())?;
                }
                out(b"]}")?;
            }
            if !is_first {
                out(b"]}\n")?;
            }
        }
        trouble.end()
    }
}

pub(super) const CHECKPOINT: [&str; 7] =
    ["thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint", "metadata"];
const WRITE: [&str; 6] = ["task_id", "task_path", "idx", "channel", "type", "value"];

fn head(cells: &[ContainerValue]) -> String {
    let of = |i: usize| cells.get(i).map_or_else(String::new, scalar);
    format!("{{\"langgraph\":{{\"thread_id\":{},\"checkpoint_ns\":{}}},\"checkpoints\":[", of(0), of(1))
}

/// A checkpoint without its end: writes follow.
fn checkpoint(cells: &[ContainerValue]) -> String {
    let [_, _, id, parent, kind, value, metadata] = cells else { return "{\"writes\":[".to_owned() };
    let (id, parent) = (scalar(id), scalar(parent));
    let (value, metadata) = (blob(kind, value), blob(&ContainerValue::Null, metadata));
    format!(
        "{{\"checkpoint_id\":{id},\"parent_checkpoint_id\":{parent},\"metadata\":{metadata},\"checkpoint\":{value},\"writes\":["
    )
}

fn write(cells: &[ContainerValue]) -> String {
    let (head, tail) = cells.split_at(cells.len().min(4));
    let value = tail.first().zip(tail.get(1)).map_or_else(|| "null".to_owned(), |(kind, value)| blob(kind, value));
    format!("{{{},\"value\":{value}}}", members(&WRITE, head, &[]))
}

/// What a serialized value says, by the type that is reported beside it. What cannot be read stays as bytes.
pub(super) fn blob(kind: &ContainerValue, value: &ContainerValue) -> String {
    let Some(bytes) = value.bytes().filter(|bytes| !bytes.is_empty()) else {
        return if matches!(kind.as_str(), Some("null" | "empty")) || *value == ContainerValue::Null {
            "null".to_owned()
        } else {
            scalar(value)
        };
    };
    let read = match kind.as_str() {
        Some("msgpack") => msgpack_to_json(bytes).ok(),
        Some("pickle") => Pickle::read(bytes).ok().map(|pickle| pickle.json(pickle.root())),
        Some("bytes" | "bytearray") => None,
        _ => one_line(bytes).or_else(|| json_scalar(bytes)).or_else(|| msgpack_to_json(bytes).ok()),
    };
    read.unwrap_or_else(|| json::bytes_text(bytes))
}

fn json_scalar(bytes: &[u8]) -> Option<String> {
    let value = std::str::from_utf8(bytes).ok()?;
    json::parse(value).ok().map(|value| json::compact(&value))
}

/// Checkpoints from the roots on: after each its children, of several the one with the lesser id first, whose own
/// children come before its sisters. One that nothing leads to, because its parents lead back to it, comes last.
pub(super) fn by_parents(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|(a, _, n), (b, _, m)| a.as_str().cmp(&b.as_str()).then(n.cmp(m)));
    let text = |cell: &ContainerValue| scalar(cell);
    let places: HashMap<String, usize> = rows.iter().zip(0..).map(|((id, ..), i)| (text(id), i)).collect();
    let (mut children, mut open) = (vec![Vec::new(); rows.len()], Vec::new());
    for (i, (_, parent, _)) in rows.iter().enumerate() {
        match places.get(&text(parent)).filter(|parent| **parent != i).and_then(|parent| children.get_mut(*parent)) {
            Some(sisters) => sisters.push(i),
            None => open.push(i),
        }
    }
    open.reverse();
    let (mut order, mut seen) = (Vec::new(), vec![false; rows.len()]);
    while let Some(i) = open.pop() {
        if !std::mem::replace(&mut seen[i], true) {
            order.push(i);
            open.extend(children[i].iter().rev());
        }
    }
    order.extend((0..rows.len()).filter(|i| !seen[*i]));
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    order.into_iter().filter_map(|i| rows[i].take()).collect()
}
