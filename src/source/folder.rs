//! Folders whose files together are one input, as an agent that writes a file for each event does it.
//!
//! Which folders may be such is recognised by names alone, so that a walk through ten thousand folders opens no file;
//! what the files are, a format says.

use super::unopened::cannot_open;
use crate::model::{Archive, Problem, Sink};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most files of such a folder, and how deep they lie.
const FILES_MAX: usize = 500_000;
const DEPTH_MAX: usize = 3;
/// Bytes that are read at once.
const BLOCK: usize = 1 << 16;

/// Folders in which the files of a run lie beside what describes it.
const EVENTS: &str = "events";
const DESCRIPTIONS: [&str; 2] = ["base_state.json", "metadata.json"];
/// What describes a run of tau2-bench, and the folder of its simulations.
const SIMULATIONS: [&str; 2] = ["results.json", "simulations"];
/// Folders of a store that has a file for each session, message and part.
const STORE: [&str; 3] = ["session", "message", "part"];

/// Whether a folder that has entries of these names may be one input.
pub(super) fn may_be_input<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    let (mut has_events, mut is_described, mut stores, mut of_simulations) = (false, false, 0, 0);
    for name in names {
        if is_event(name) || is_store_file(name) {
            return true;
        }
        has_events |= name == EVENTS;
        is_described |= DESCRIPTIONS.contains(&name);
        stores += usize::from(STORE.contains(&name));
        of_simulations += usize::from(SIMULATIONS.contains(&name));
    }
    (has_events && is_described) || stores == STORE.len() || of_simulations == SIMULATIONS.len()
}

/// `.langgraph_checkpoint.1.pckl`: a part of the store of LangGraph's development server.
fn is_store_file(name: &str) -> bool {
    name.starts_with(".langgraph_checkpoint.") && name.ends_with(".pckl")
}

/// `12.json`, `event-00012-ID.json`, `event_000012_ID.json`: a file of one event.
fn is_event(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".json") else { return false };
    let behind = |mark: char| stem.strip_prefix("event")?.strip_prefix(mark)?.split(mark).next();
    let number = behind('-').or_else(|| behind('_')).unwrap_or(stem);
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// The JSON files of a folder that may be one input.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Paths below it, sorted.
    names: Vec<String>,
}

/// What the file system says of all of its files.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FolderFacts {
    pub(super) len: u64,
    pub(super) written: Option<SystemTime>,
}

impl Folder {
    /// Lists the files of a folder; None: by its names it is no input.
    ///
    /// # Errors
    /// It cannot be read, or has too many files.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, Problem> {
        let failed = |e| cannot_open(&path.display().to_string(), &e);
        let entries: Vec<_> = fs::read_dir(path).map_err(failed)?.flatten().map(|entry| entry.file_name()).collect();
        if !may_be_input(entries.iter().filter_map(|name| name.to_str())) {
            return Ok(None);
        }
        let mut names = Vec::new();
        if !collect(path, "", &mut |name, _| names.push(name)) {
            return Err(Problem::unreadable(format!("{} has more than {FILES_MAX} files", path.display())));
        }
        names.sort();
        Ok(Some(Self { path: path.to_owned(), names }))
    }

    /// The size of all files, and when the last one was written.
    pub(super) fn facts(path: &Path) -> FolderFacts {
        let mut facts = FolderFacts::default();
        collect(path, "", &mut |_, meta| {
            facts.len += meta.len();
            facts.written = facts.written.max(meta.modified().ok());
        });
        facts
    }
}

/// Gives the JSON files and those of stores below a folder by their paths, no links; false: there are too many.
fn collect(root: &Path, below: &str, each: &mut dyn FnMut(String, &fs::Metadata)) -> bool {
    let (mut open, mut left) = (vec![(below.to_owned(), 0)], FILES_MAX);
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(meta) = entry.metadata() else { continue };
            let is_stored = is_store_file(&name);
            if name.starts_with('.') && !is_stored {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if meta.is_dir() && depth < DEPTH_MAX {
                open.push((path, depth + 1));
            } else if meta.is_file() && (path.ends_with(".json") || is_stored) {
                let Some(rest) = left.checked_sub(1) else { return false };
                left = rest;
                each(path, &meta);
            }
        }
    }
    true
}

impl Archive for Folder {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn read(&mut self, number: usize, take: &mut Sink<'_>) -> Result<(), Problem> {
        let Some(name) = self.names.get(number) else { return Ok(()) };
        let path = self.path.join(name);
        let failed = |e| cannot_open(&path.display().to_string(), &e);
        // What was a file may be a pipe by now, which would be waited for.
        if !fs::symlink_metadata(&path).map_err(failed)?.is_file() {
            return Err(Problem::unreadable(format!("{} is not a file any more", path.display())));
        }
        let mut file = File::open(&path).map_err(failed)?;
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(failed)? {
                0 => return Ok(()),
                got => take(block.get(..got).unwrap_or_default())?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_which_folders_may_be_one_input() {
        for (names, expected) in [
            (&["0.json", "notes.txt"][..], true),
            (&["event-00003-4f.json"], true),
            (&["event_000003_4f.json", "meta.json"], true),
            (&["events", "base_state.json"], true),
            (&["events", "metadata.json", "x"], true),
            (&["events"], false),
            (&["session", "message", "part", "todo"], true),
            (&["session", "message"], false),
            (&[".langgraph_checkpoint.1.pckl", ".langgraph_ops.pckl"], true),
            (&["a.json", "run-1.json", "event-x.json", ".json", "1.jsonl", "event-.json"], false),
        ] {
            assert_eq!(may_be_input(names.iter().copied()), expected, "{names:?}");
        }
    }

    #[test]
    fn files_are_read_and_links_are_not() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("1.json"), "{\"x\":1}").unwrap();
        fs::write(root.path().join("a/b/2.json"), "{}").unwrap();
        fs::write(root.path().join("a/c.txt"), "no").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", root.path().join("3.json")).unwrap();
        let mut folder = Folder::open(root.path()).unwrap().unwrap();
        assert_eq!(folder.names(), ["1.json", "a/b/2.json"]);
        assert_eq!(folder.read_whole(0, 100).unwrap(), b"{\"x\":1}");
        assert_eq!(Folder::facts(root.path()).len, 9);
        fs::remove_file(root.path().join("1.json")).unwrap();
        assert!(folder.read_whole(0, 100).is_err());
    }
}
