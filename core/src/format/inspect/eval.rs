//! `.eval` archives as the text of a JSON log: the header's first members, then a sample a line.
//!
//! A sample is one member of the archive, or many (a *chunked* sample: a shell, and sequences in chunks named by the
//! index of their first item). Samples come in the order of `summaries.json`, those that it does not name after them.

use crate::format::assembler::Assembler;
use crate::json::{self, OneLine, Scan, Scanner, Value};
use crate::model::{Archive, Contents, Problem, Sink};
use std::collections::{HashMap, HashSet};

/// How `.eval` archives are read.
pub(in crate::format) struct Eval;

/// The header of a log, and of one that is still written.
const HEADERS: [&str; 2] = ["header.json", "_journal/start.json"];

/// Lists the samples; a log that is still written has parts of it.
const SUMMARIES: &str = "summaries.json";
const SUMMARY_PARTS: &str = "_journal/summaries/";

/// The shell of a chunked sample, after the sample's folder.
const SHELL: &str = "/sample.json";

/// What is taken over of the header, and of its member `eval`: a data set may name a million samples there.
const HEADER_MEMBERS: [&str; 3] = ["version", "status", "error"];
const EVAL_MEMBERS: [&str; 10] = [
    "eval_id",
    "run_id",
    "created",
    "task",
    "task_id",
    "task_version",
    "task_args",
    "model",
    "model_roles",
    "packages",
];

/// The most bytes of the header or a list of samples, and of a member of a sample.
const HEADER_BYTES_MAX: usize = 256 << 20;
const MEMBER_BYTES_MAX: usize = 2 << 30;

/// The most items of a chunk that is missing.
const GAP_MAX: u64 = 1 << 20;

impl Assembler for Eval {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        matches!(contents, Contents::Archive(archive) if HEADERS.iter().any(|name| archive.find(name).is_some()))
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Archive(archive) = contents else { return Ok(()) };
        out(header(archive)?.as_bytes())?;
        let mut trouble = Ok(());
        for (i, sample) in samples(archive).iter().enumerate() {
            let text = sample.text(archive).unwrap_or_else(|why| {
                let missing = sample.missing(&why);
                // One that is only listed is a finding of the log; a damaged one is trouble with the file too.
                if sample.form != SampleForm::Listed {
                    trouble = std::mem::replace(&mut trouble, Ok(())).and(Err(why));
                }
                missing.into_bytes()
            });
            out(if i == 0 { b"\n" } else { b",\n" })?;
            out(&text)?;
        }
        out(b"\n]}\n")?;
        trouble
    }
}

/// The beginning of the log, up to its first sample.
fn header(archive: &mut dyn Archive) -> Result<String, Problem> {
    let text = match HEADERS.iter().find_map(|name| archive.find(name)) {
        Some(number) => archive.read_whole(number, HEADER_BYTES_MAX)?,
        None => Vec::new(),
    };
    let text = String::from_utf8_lossy(&one_line(&text)).into_owned();
    let root = json::parse_lenient(&text).ok();
    let some_of = |value: Option<&Value<'_>>, names: &[&str]| {
        let member = |name: &&str| Some(format!("\"{name}\":{}", value?.get(name)?.text));
        names.iter().filter_map(member).collect::<Vec<_>>().join(",")
    };
    let eval = some_of(root.as_ref().and_then(|root| root.get("eval")), &EVAL_MEMBERS);
    let mut head = some_of(root.as_ref(), &HEADER_MEMBERS);
    if !head.contains("\"version\"") {
        head = format!("\"version\":2{}{head}", if head.is_empty() { "" } else { "," });
    }
    // The header of a log that is still written has no status yet.
    if !head.contains("\"status\"") {
        head.push_str(",\"status\":\"started\"");
    }
    Ok(format!("{{{head},\"eval\":{{{eval}}},\"samples\":["))
}

/// A sample, by the name of what it is in.
#[derive(Debug, PartialEq, Eq)]
struct Sample {
    /// `samples/ID_epoch_N`
    folder: String,
    form: SampleForm,
}

/// What a sample is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SampleForm {
    /// One member.
    Whole,
    /// A folder of members.
    Chunked,
    /// Nothing: only the list of samples names it.
    Listed,
}

/// The samples of an archive in their order: those that it holds, and where it holds some, those that are only listed
/// (`FORMATS.md` 0.4).
fn samples(archive: &mut dyn Archive) -> Vec<Sample> {
    let sample = |name: &String| {
        let chunked = name.strip_suffix(SHELL).map(|folder| (folder, SampleForm::Chunked));
        let (folder, form) = chunked.or_else(|| Some((name.strip_suffix(".json")?, SampleForm::Whole)))?;
        let is_sample = folder.starts_with("samples/") && epoch(folder).is_some();
        is_sample.then(|| Sample { folder: folder.to_owned(), form })
    };
    let mut samples: Vec<Sample> = archive.names().iter().filter_map(sample).collect();
    let order: HashMap<String, usize> = listed(archive).into_iter().zip(0..).collect();
    if !samples.is_empty() {
        let members: HashSet<String> = samples.iter().map(|sample| sample.folder.clone()).collect();
        let listed = order.keys().filter(|folder| !members.contains(*folder) && epoch(folder).is_some());
        samples.extend(listed.map(|folder| Sample { folder: folder.clone(), form: SampleForm::Listed }));
    }
    samples.sort_by_key(|sample| order.get(&sample.folder).copied().unwrap_or(usize::MAX));
    samples
}

/// The id and the epoch that a sample's folder names.
fn epoch(folder: &str) -> Option<(&str, u64)> {
    let (id, epoch) = folder.strip_prefix("samples/")?.rsplit_once("_epoch_")?;
    Some((id, epoch.parse().ok()?))
}

/// The folders of the samples that are listed, in their order.
fn listed(archive: &mut dyn Archive) -> Vec<String> {
    let parts = match archive.find(SUMMARIES) {
        Some(number) => vec![number],
        None => numbered(archive, SUMMARY_PARTS).into_iter().map(|(_, number)| number).collect(),
    };
    let mut folders = Vec::new();
    for number in parts {
        let Ok(text) = archive.read_whole(number, HEADER_BYTES_MAX) else { continue };
        let text = String::from_utf8_lossy(&one_line(&text)).into_owned();
        let Ok(list) = json::parse_lenient(&text) else { continue };
        let folder = |item: &Value<'_>| {
            let id = item.get("id")?;
            Some(format!("samples/{}_epoch_{}", id.as_str().unwrap_or(id.text), item.get("epoch")?.text))
        };
        folders.extend(list.as_array().unwrap_or_default().iter().filter_map(folder));
    }
    folders
}

/// Members `PREFIX/<number>.json`, in the order of their numbers.
fn numbered(archive: &dyn Archive, prefix: &str) -> Vec<(u64, usize)> {
    let start = |(at, name): (usize, &String)| {
        let number: u64 = name.strip_prefix(prefix)?.strip_suffix(".json")?.parse().ok()?;
        Some((number, at))
    };
    let mut found: Vec<_> = archive.names().iter().enumerate().filter_map(start).collect();
    found.sort_unstable();
    found
}

/// How many items a list has.
fn item_count(list: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(list);
    let list = json::parse_lenient(&text).ok();
    list.and_then(|list| Some(list.as_array()?.len() as u64)).unwrap_or_default()
}

impl Sample {
    /// Its text on one line.
    fn text(&self, archive: &mut dyn Archive) -> Result<Vec<u8>, Problem> {
        if self.form == SampleForm::Chunked {
            return self.joined(archive);
        }
        object(archive, &format!("{}.json", self.folder))
    }

    /// The parts of a chunked sample as members of its shell: `messages`, `events` and `attachments` as lists,
    /// `metadata`, and `events_data` with the calls. References into these (`message_refs`, `attachment://<index>`)
    /// stay as they are.
    fn joined(&self, archive: &mut dyn Archive) -> Result<Vec<u8>, Problem> {
        let mut text = object(archive, &format!("{}{SHELL}", self.folder))?;
        let end = text.iter().rposition(|&byte| byte == b'}').unwrap_or(0);
        let is_empty = text[..end].trim_ascii_end().ends_with(b"{");
        text.truncate(end);
        let mut missing = Vec::new();
        text.extend_from_slice(if is_empty { b"\"messages\":[" } else { b",\"messages\":[" });
        self.list(archive, "messages", &mut text, &mut missing)?;
        text.extend_from_slice(b"],\"events\":[");
        self.list(archive, "events", &mut text, &mut missing)?;
        text.extend_from_slice(b"],\"events_data\":{\"calls\":[");
        self.list(archive, "calls", &mut text, &mut missing)?;
        text.extend_from_slice(b"]},\"attachments\":[");
        self.list(archive, "attachments", &mut text, &mut missing)?;
        text.push(b']');
        if !missing.is_empty() {
            text.extend_from_slice(format!(",\"parts_missing\":[{}]", missing.join(",")).as_bytes());
        }
        let metadata = format!("{}/metadata.json", self.folder);
        if archive.find(&metadata).is_some() {
            text.extend_from_slice(b",\"metadata\":");
            text.append(&mut object(archive, &metadata)?);
        }
        text.push(b'}');
        Ok(text)
    }

    /// Appends the items of all chunks of a sequence. A chunk is named by the index of its first item: null stands for
    /// the items of one that is missing.
    fn list(
        &self,
        archive: &mut dyn Archive,
        sequence: &str,
        text: &mut Vec<u8>,
        missing: &mut Vec<String>,
    ) -> Result<(), Problem> {
        let mut count = 0;
        let chunks = numbered(archive, &format!("{}/{sequence}/", self.folder));
        for (place, (first, number)) in chunks.iter().copied().enumerate() {
            let chunk = one_line(&archive.read_whole(number, MEMBER_BYTES_MAX)?);
            let name = archive.names().get(number).cloned().unwrap_or_default();
            let items = value(&chunk, b'[', &name)?;
            if first > count {
                missing.push(json::quote(&format!("{}/{sequence}/{count}.json", self.folder)));
                while count < first && first - count <= GAP_MAX {
                    text.extend_from_slice(if count > 0 { b",null" } else { b"null" });
                    count += 1;
                }
            }
            if first > count {
                // Too many are missing: what comes after them has no place.
                continue;
            }
            let inner = items[1..items.len() - 1].trim_ascii();
            if inner.is_empty() {
                continue;
            }
            if count > 0 {
                text.push(b',');
            }
            text.extend_from_slice(inner);
            // How many there are matters where more follow.
            count += if place + 1 < chunks.len() { item_count(items) } else { 1 };
        }
        Ok(())
    }

    /// What stands for a sample that cannot be read.
    fn missing(&self, why: &Problem) -> String {
        let (id, epoch) = epoch(&self.folder).unwrap_or_default();
        let is_chunked = self.form == SampleForm::Chunked;
        let member = if is_chunked { format!("{}{SHELL}", self.folder) } else { format!("{}.json", self.folder) };
        let [id, member, why] = [id, &member, &why.message].map(json::quote);
        format!(
            "{{\"id\":{id},\"epoch\":{epoch},\"messages\":[],\"part_missing\":{{\"part\":{member},\"why\":{why}}}}}"
        )
    }
}

/// A member that is one object, on one line.
fn object(archive: &mut dyn Archive, name: &str) -> Result<Vec<u8>, Problem> {
    let missing = || Problem::unreadable(format!("member `{name}` is missing"));
    let number = archive.find(name).ok_or_else(missing)?;
    let text = one_line(&archive.read_whole(number, MEMBER_BYTES_MAX)?);
    value(&text, b'{', name).map(<[u8]>::to_vec)
}

/// The one value of a text, if it begins with this byte. A broken sample would take those after it with it.
fn value<'t>(text: &'t [u8], first: u8, name: &str) -> Result<&'t [u8], Problem> {
    let text = text.trim_ascii();
    let mut scanner = Scanner::default();
    let is_value = text.first() == Some(&first) && scanner.feed(text) == Scan::End(text.len());
    if is_value { Ok(text) } else { Err(Problem::unreadable(format!("member `{name}` is not valid JSON"))) }
}

fn one_line(text: &[u8]) -> Vec<u8> {
    let (mut line, mut out) = (OneLine::default(), Vec::with_capacity(text.len()));
    line.feed(text, &mut out);
    line.finish(&mut out);
    out
}

#[cfg(test)]
mod tests;
