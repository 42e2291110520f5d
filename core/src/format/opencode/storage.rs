//! The folder `storage` of opencode, a file for each session, message and part, as lines of sessions in the shape of
//! `opencode export` (`FORMATS.md` 0.4, 16).

use crate::format::assembler::{Assembler, missing_member};
use crate::format::rows::{Trouble, one_line};
use crate::format::signature;
use crate::json::{self, Value};
use crate::model::cast;
use crate::model::{Archive, Contents, Problem, Sink};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How such folders are read.
pub(in crate::format) struct Storage;

/// The most bytes of a file.
const FILE_BYTES_MAX: usize = 256 << 20;

/// What sorts files, and their numbers: a time, an id.
type Place = (i64, String, usize);

impl Assembler for Storage {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Folder(files) = contents else { return false };
        let first = |kind: &str| files.names().iter().position(|name| name.starts_with(kind));
        let firsts = [first("session/"), first("message/")];
        let is_stored = |text: String| {
            json::parse_lenient(&text).is_ok_and(|value| signature::detect("opencode", &[value]).is_some())
        };
        firsts.into_iter().flatten().any(|member| text(&mut **files, member).is_ok_and(is_stored))
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Folder(files) = contents else { return Ok(()) };
        let mut trouble = Trouble::default();
        let mut sessions = Sessions::read(files, &mut trouble);
        let mut order: Vec<(i64, String, Option<usize>)> =
            sessions.known.iter().map(|(id, (time, member))| (*time, id.clone(), Some(*member))).collect();
        let unknown = sessions.messages.keys().filter(|id| !sessions.known.contains_key(*id));
        order.extend(unknown.map(|id| (i64::MAX, id.clone(), None)));
        order.sort();
        for (_, id, member) in order {
            sessions.write(files, &id, member, &mut trouble, out)?;
        }
        trouble.end()
    }
}

/// Which files belong to which session.
#[derive(Default)]
struct Sessions {
    /// Sessions by their ids: when they were made, the file.
    known: BTreeMap<String, (i64, usize)>,
    /// Messages of sessions.
    messages: BTreeMap<String, Vec<Place>>,
    /// Files of parts by the folder that names their message.
    parts: HashMap<String, Vec<usize>>,
}

impl Sessions {
    /// What files are, their bytes say; parts, of which there are many, are found by the folder of their message.
    fn read(files: &mut dyn Archive, trouble: &mut Trouble) -> Self {
        let mut sessions = Self::default();
        for member in of_kind(files, "session/") {
            let Some(text) = trouble.pass(text(files, member)) else { continue };
            if let Ok(value) = json::parse_lenient(&text)
                && let Some(id) = member_text(&value, "id")
            {
                sessions.known.insert(id.to_owned(), (time(&value), member));
            }
        }
        for member in of_kind(files, "message/") {
            let Some(text) = trouble.pass(text(files, member)) else { continue };
            if let Ok(value) = json::parse_lenient(&text)
                && let (Some(id), Some(session)) = (member_text(&value, "id"), member_text(&value, "sessionID"))
            {
                let place = (time(&value), id.to_owned(), member);
                sessions.messages.entry(session.to_owned()).or_default().push(place);
            }
        }
        for member in of_kind(files, "part/") {
            let folder = files.names().get(member).and_then(|name| name.strip_prefix("part/")?.split('/').next());
            sessions.parts.entry(folder.unwrap_or_default().to_owned()).or_default().push(member);
        }
        sessions
    }

    /// Writes the line of a session.
    fn write(
        &mut self,
        files: &mut dyn Archive,
        id: &str,
        member: Option<usize>,
        trouble: &mut Trouble,
        out: &mut Sink<'_>,
    ) -> Result<(), Problem> {
        let info = member.and_then(|member| trouble.pass(text(files, member)));
        let info = info.and_then(|text| one_line(text.as_bytes()));
        let info = info.unwrap_or_else(|| format!("{{\"id\":{}}}", json::quote(id)));
        out(format!("{{\"info\":{info},\"messages\":[").as_bytes())?;
        let mut messages = self.messages.remove(id).unwrap_or_default();
        messages.sort();
        let known: HashSet<&String> = messages.iter().map(|(_, id, _)| id).collect();
        let mut is_first = true;
        for (_, message, file) in &messages {
            let Some(text) = trouble.pass(text(files, *file)) else { continue };
            let Some(info) = one_line(text.as_bytes()) else { continue };
            out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
            out(format!("{{\"info\":{info},\"parts\":[").as_bytes())?;
            let mut missing = self.write_parts(files, message, trouble, out)?;
            let value = json::parse_lenient(&text).ok();
            let asked = value.as_ref().and_then(|value| member_text(value, "parentID")).map(str::to_owned);
            missing.extend(asked.filter(|asked| !known.contains(asked)).map(|asked| format!("message {asked}")));
            out(end(&missing).as_bytes())?;
        }
        let missing: Vec<String> = member.is_none().then(|| format!("session {id}")).into_iter().collect();
        out(end(&missing).as_bytes())?;
        out(b"\n")
    }
}

/// The end of a list and of what it belongs to, with what is not there.
fn end(missing: &[String]) -> String {
    match missing {
        [] => "]}".to_owned(),
        _ => format!("],{}}}", missing_member(&missing.join(", "))),
    }
}

impl Sessions {
    /// Writes the parts of a message; which of them hold none.
    fn write_parts(
        &mut self,
        files: &mut dyn Archive,
        message: &str,
        trouble: &mut Trouble,
        out: &mut Sink<'_>,
    ) -> Result<Vec<String>, Problem> {
        let (mut is_first, mut damaged) = (true, Vec::new());
        for member in self.parts.remove(message).unwrap_or_default() {
            let part = trouble.pass(text(files, member)).and_then(|text| one_line(text.as_bytes()));
            let Some(part) = part else {
                let name = files.names().get(member).map_or("", String::as_str);
                damaged.push(format!("what {name} should hold"));
                continue;
            };
            out(if std::mem::take(&mut is_first) { b"" } else { b"," })?;
            out(part.as_bytes())?;
        }
        Ok(damaged)
    }
}

/// The files below a folder, in the order of their names.
fn of_kind(files: &dyn Archive, kind: &str) -> Vec<usize> {
    let of_kind = files.names().iter().enumerate().filter(|(_, name)| name.starts_with(kind));
    of_kind.map(|(member, _)| member).collect()
}

fn text(files: &mut dyn Archive, member: usize) -> Result<String, Problem> {
    let bytes = files.read_whole(member, FILE_BYTES_MAX)?;
    String::from_utf8(bytes).map_err(|_| Problem::unreadable("a file of the folder is not text"))
}

fn member_text<'v>(value: &'v Value<'_>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// When it was made, in milliseconds.
fn time(value: &Value<'_>) -> i64 {
    let created = value.get("time").and_then(|time| time.get("created")).and_then(Value::as_number);
    created.and_then(|number| number.parse::<f64>().ok()).map_or(0, cast::f64_to_i64)
}
