//! The files in which LangGraph's development server keeps its threads, as lines of threads.
//!
//! They are pickles: `.1` has the checkpoints of each thread, `.2` the writes after each checkpoint, `.3` the values
//! of channels by their versions, `ops` the threads and runs of the server. Each is read by itself; their folder joins
//! them ([`super::folder`]).

use super::database::{Row, blob, by_parents};
use crate::format::assembler::Assembler;
use crate::format::rows::Groups;
use crate::json::{self, Pickle, PickleId};
use crate::model::{ContainerValue, Contents, Problem, Sink};
use std::collections::HashMap;

/// How such files are read.
pub(in crate::format) struct Store;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StorePart {
    Checkpoints,
    Writes,
    Values,
    Server,
}

impl Assembler for Store {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Pickle(bytes) = contents else { return false };
        Pickle::read(bytes).is_ok_and(|pickle| part_of(&pickle).is_some())
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Pickle(bytes) = contents else { return Ok(()) };
        let pickle =
            Pickle::read(bytes).map_err(|why| Problem::unreadable(format!("the pickle cannot be read: {why}")))?;
        match part_of(&pickle) {
            Some(StorePart::Checkpoints) => checkpoints(&pickle, &Joined::default(), out),
            Some(StorePart::Writes) => keyed(&pickle, out, "checkpoints", &written),
            Some(StorePart::Values) => keyed(&pickle, out, "values", &valued),
            Some(StorePart::Server) => server(&pickle, out),
            None => Ok(()),
        }
    }
}

/// What a pickle holds, by the shape of its keys and values.
pub(super) fn part_of(pickle: &Pickle) -> Option<StorePart> {
    let entries = pickle.entries(pickle.root());
    let (key, value) = *entries.first()?;
    let has = |name: &str| entries.iter().any(|(key, _)| pickle.text(*key) == Some(name));
    if has("threads") && has("runs") && has("assistants") {
        return Some(StorePart::Server);
    }
    match pickle.items(key).len() {
        3 if pickle.is_dict(value) => return Some(StorePart::Writes),
        4 if is_blob(pickle, value) => return Some(StorePart::Values),
        _ => {}
    }
    // Threads without checkpoints come first at times.
    let stored = entries.iter().flat_map(|(_, namespaces)| pickle.entries(*namespaces));
    let (_, first) = stored.flat_map(|(_, stored)| pickle.entries(*stored)).next()?;
    let items = pickle.items(*first);
    (items.len() == 3 && items.iter().take(2).all(|id| is_blob(pickle, *id))).then_some(StorePart::Checkpoints)
}

/// Whether it is a type and the bytes of it.
fn is_blob(pickle: &Pickle, id: PickleId) -> bool {
    matches!(pickle.items(id), [kind, bytes] if pickle.text(*kind).is_some() && pickle.bytes(*bytes).is_some())
}

/// What a type and its bytes say, as JSON.
fn blob_text(pickle: &Pickle, id: PickleId) -> String {
    let [kind, bytes] = pickle.items(id) else { return pickle.json(id) };
    let kind = ContainerValue::Text(pickle.text(*kind).unwrap_or_default().to_owned());
    blob(&kind, &ContainerValue::Blob(pickle.bytes(*bytes).unwrap_or_default().to_vec()))
}

fn head(thread: &str, namespace: &str, list: &str) -> String {
    format!("{{\"langgraph\":{{\"thread_id\":{thread},\"checkpoint_ns\":{namespace}}},\"{list}\":[")
}

/// What other files have for checkpoints, by keys as JSON.
#[derive(Default)]
pub(super) struct Joined<'p> {
    /// By thread, namespace and checkpoint.
    writes: HashMap<[String; 3], (&'p Pickle, PickleId)>,
    /// By thread, namespace, channel and version.
    values: HashMap<[String; 4], (&'p Pickle, PickleId)>,
}

impl<'p> Joined<'p> {
    /// The files of the writes and of the values.
    pub(super) fn of(writes: Option<&'p Pickle>, values: Option<&'p Pickle>) -> Self {
        let mut joined = Self::default();
        for (pickle, key, value) in entries(writes) {
            if let [thread, namespace, id] = pickle.items(key) {
                joined.writes.insert([*thread, *namespace, *id].map(|id| pickle.json(id)), (pickle, value));
            }
        }
        for (pickle, key, value) in entries(values) {
            if let [thread, namespace, channel, version] = pickle.items(key) {
                let key =
                    [pickle.json(*thread), pickle.json(*namespace), pickle.json(*channel), word(pickle, *version)];
                joined.values.insert(key, (pickle, value));
            }
        }
        joined
    }

    fn writes_of(&self, thread: &str, namespace: &str, id: &str) -> String {
        let found = self.writes.get(&[thread, namespace, id].map(str::to_owned));
        found.map(|(pickle, value)| writes(pickle, *value)).unwrap_or_default()
    }

    /// A checkpoint with the values of its channels that it has only versions of.
    fn with_channel_values(&self, thread: &str, namespace: &str, checkpoint: String) -> String {
        let Ok(value) = json::parse(&checkpoint) else { return checkpoint };
        let Some(object) = value.as_object().filter(|_| !self.values.is_empty()) else { return checkpoint };
        let member = |(key, value): (&str, &json::Value<'_>)| format!("{}:{}", json::quote(key), value.text);
        let inline = value.get("channel_values").and_then(json::Value::as_object);
        let mut channels: Vec<String> = inline.into_iter().flat_map(json::Object::entries).map(member).collect();
        let versions = value.get("channel_versions").and_then(json::Value::as_object);
        for (channel, version) in versions.into_iter().flat_map(json::Object::entries) {
            let version = version.as_str().unwrap_or(version.text).to_owned();
            let key = [thread.to_owned(), namespace.to_owned(), json::quote(channel), version];
            let stored = self.values.get(&key).filter(|_| inline.is_none_or(|inline| inline.get(channel).is_none()));
            // A channel that was emptied has a version too.
            let stored = stored.filter(|(pickle, id)| !is_empty(pickle, *id));
            channels.extend(stored.map(|(pickle, id)| format!("{}:{}", json::quote(channel), blob_text(pickle, *id))));
        }
        let rest = object.entries().filter(|(key, _)| *key != "channel_values").map(member);
        let all = format!("\"channel_values\":{{{}}}", channels.join(","));
        format!("{{{}}}", rest.chain([all]).collect::<Vec<_>>().join(","))
    }
}

/// The entries of a file.
fn entries(pickle: Option<&Pickle>) -> impl Iterator<Item = (&Pickle, PickleId, PickleId)> {
    pickle.into_iter().flat_map(|pickle| pickle.entries(pickle.root()).iter().map(move |(k, v)| (pickle, *k, *v)))
}

/// A text or number as it is.
fn word(pickle: &Pickle, id: PickleId) -> String {
    pickle.text(id).map_or_else(|| pickle.json(id), str::to_owned)
}

/// Whether a blob stands for no value.
fn is_empty(pickle: &Pickle, id: PickleId) -> bool {
    matches!(pickle.items(id), [kind, ..] if pickle.text(*kind) == Some("empty"))
}

/// `{thread: {namespace: {id: (checkpoint, metadata, parent)}}}`
pub(super) fn checkpoints(pickle: &Pickle, joined: &Joined<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
    for (thread, namespaces) in pickle.entries(pickle.root()) {
        for (namespace, stored) in pickle.entries(*namespaces) {
            let entries = pickle.entries(*stored);
            let row = |(number, (id, value)): (i64, &(PickleId, PickleId))| -> Row {
                let text = |id: PickleId| {
                    pickle.text(id).map_or(ContainerValue::Null, |text| ContainerValue::Text(text.to_owned()))
                };
                (text(*id), pickle.items(*value).get(2).map_or(ContainerValue::Null, |parent| text(*parent)), number)
            };
            let rows = by_parents((0..).zip(entries).map(row).collect());
            out(head(&pickle.json(*thread), &pickle.json(*namespace), "checkpoints").as_bytes())?;
            for (i, (.., number)) in rows.into_iter().enumerate() {
                let Some((id, value)) = usize::try_from(number).ok().and_then(|at| entries.get(at)) else { continue };
                let part = |at: usize| pickle.items(*value).get(at).copied();
                let blob = |at: usize| part(at).map_or_else(|| "null".to_owned(), |id| blob_text(pickle, id));
                let parent = part(2).map_or_else(|| "null".to_owned(), |id| pickle.json(id));
                let (id, comma) = (pickle.json(*id), if i == 0 { "" } else { "," });
                let (thread, namespace) = (pickle.json(*thread), pickle.json(*namespace));
                let (checkpoint, metadata) = (joined.with_channel_values(&thread, &namespace, blob(0)), blob(1));
                let writes = joined.writes_of(&thread, &namespace, &id);
                let text = format!(
                    "{comma}{{\"checkpoint_id\":{id},\"parent_checkpoint_id\":{parent},\"metadata\":{metadata},\"checkpoint\":{checkpoint},\"writes\":[{writes}]}}"
                );
                out(text.as_bytes())?;
            }
            out(b"]}\n")?;
        }
    }
    Ok(())
}

/// Says what an entry is, by the rest of its key and its value.
type EntryText<'e> = &'e dyn Fn(&Pickle, &[PickleId], PickleId) -> String;

/// `{(thread, namespace, …): value}`: a line for each thread and namespace. Entries of one are together mostly; the
/// threads come in the order of their first entries.
fn keyed(pickle: &Pickle, out: &mut Sink<'_>, list: &str, entry: EntryText<'_>) -> Result<(), Problem> {
    let mut groups = Groups::new();
    for (key, value) in pickle.entries(pickle.root()) {
        if let [thread, namespace, rest @ ..] = pickle.items(*key) {
            let name = [*thread, *namespace].map(|id| ContainerValue::Text(pickle.json(id)));
            groups.add(&name.each_ref(), (*thread, *namespace, rest.to_vec(), *value));
        }
    }
    for (_, entries) in groups.into_iter() {
        for (i, (thread, namespace, rest, value)) in entries.iter().enumerate() {
            let begin =
                if i == 0 { head(&pickle.json(*thread), &pickle.json(*namespace), list) } else { ",".to_owned() };
            out(begin.as_bytes())?;
            out(entry(pickle, rest, *value).as_bytes())?;
        }
        out(if list == "checkpoints" { b"]}\n" } else { b"],\"checkpoints\":[]}\n" })?;
    }
    Ok(())
}

/// `{(task, number): (task, channel, value, [path])}` after a checkpoint.
fn written(pickle: &Pickle, key: &[PickleId], value: PickleId) -> String {
    let id = key.first().map_or_else(|| "null".to_owned(), |id| pickle.json(*id));
    format!("{{\"checkpoint_id\":{id},\"writes\":[{}]}}", writes(pickle, value))
}

/// The writes after a checkpoint.
fn writes(pickle: &Pickle, value: PickleId) -> String {
    let write = |(key, value): &(PickleId, PickleId)| {
        let part = |at: usize| pickle.items(*value).get(at).copied();
        let text = |at: usize| part(at).map_or_else(|| "null".to_owned(), |id| pickle.json(id));
        let idx = pickle.items(*key).get(1).map_or_else(|| "0".to_owned(), |id| pickle.json(*id));
        let value = part(2).map_or_else(|| "null".to_owned(), |id| blob_text(pickle, id));
        let (task, channel, path) = (text(0), text(1), text(3));
        format!("{{\"task_id\":{task},\"task_path\":{path},\"idx\":{idx},\"channel\":{channel},\"value\":{value}}}")
    };
    pickle.entries(value).iter().map(write).collect::<Vec<_>>().join(",")
}

/// The value of a channel in a version.
fn valued(pickle: &Pickle, key: &[PickleId], value: PickleId) -> String {
    let text = |at: usize| key.get(at).map_or_else(|| "null".to_owned(), |id| pickle.json(*id));
    let version = key.get(1).and_then(|id| pickle.text(*id)).map_or_else(|| json::quote(&text(1)), json::quote);
    format!("{{\"channel\":{},\"version\":{version},\"value\":{}}}", text(0), blob_text(pickle, value))
}

/// The threads of the server, each with its runs.
fn server(pickle: &Pickle, out: &mut Sink<'_>) -> Result<(), Problem> {
    let member = |of: PickleId, name: &str| {
        pickle.entries(of).iter().find(|(key, _)| pickle.text(*key) == Some(name)).map(|(_, value)| *value)
    };
    let list = |name: &str| member(pickle.root(), name).map(|id| pickle.items(id)).unwrap_or_default();
    let id_of = |of: PickleId| member(of, "thread_id").map_or_else(|| "null".to_owned(), |id| pickle.json(id));
    let mut runs: HashMap<String, Vec<PickleId>> = HashMap::new();
    list("runs").iter().for_each(|run| runs.entry(id_of(*run)).or_default().push(*run));
    for thread in list("threads") {
        let id = id_of(*thread);
        let pending_writes: Vec<String> =
            runs.remove(&id).unwrap_or_default().into_iter().map(|run| pickle.json(run)).collect();
        let (thread, runs) = (pickle.json(*thread), pending_writes.join(","));
        out(head(&id, "\"\"", "checkpoints").as_bytes())?;
        out(format!("],\"thread\":{thread},\"runs\":[{runs}]}}\n").as_bytes())?;
    }
    Ok(())
}
