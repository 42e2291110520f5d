//! Files that belong to the run of an open file: looked for beside it and in its session's own folders, and nowhere
//! else (`FORMATS.md` 0.4.3).

use super::Input;
use crate::model::{Bytes as _, PartRole, PartState, RunPart, Span};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How deep below a folder of a session a part may lie, and how many entries are looked at.
const DEPTH_MAX: usize = 4;
const ENTRIES_MAX: usize = 20_000;

/// Bytes of two files that are compared at once.
const COMPARED_BYTES: usize = 1 << 20;

/// Folders of sessions that are files named by their ids (Codex), in the order in which they are looked at.
const SESSION_FOLDERS: [&str; 2] = ["sessions", "archived_sessions"];

/// Ends of the names of such files; a plain one precedes a packed one.
const SESSION_ENDS: [&str; 2] = [".jsonl", ".jsonl.zst"];

/// Looks for the parts of an open file.
#[derive(Debug)]
pub struct PartFinder {
    open: Option<PathBuf>,
    /// What is below the folders that were looked at.
    below: HashMap<PathBuf, HashMap<OsString, Vec<PathBuf>>>,
}

impl PartFinder {
    /// Of this file, as it is now.
    #[must_use]
    pub fn new(open: &Path) -> Self {
        Self { open: open.canonicalize().ok(), below: HashMap::new() }
    }

    /// Looks for a part, and opens the first file that is it: `is_it` looks at the bytes.
    pub fn open(&mut self, part: &RunPart, is_it: &dyn Fn(&Input) -> bool) -> PartState {
        let opened = self.find(part).into_iter().filter_map(|path| Some((Input::open_any(&path).ok()?, path)));
        let mut all = opened.filter(|(input, _)| is_it(input));
        let Some((input, path)) = all.next() else { return PartState::Missing };
        let other = all.find(|(other, at)| at.extension() == path.extension() && !is_equal(&input, other));
        let other = other.map(|(_, path)| path);
        PartState::Found { path, len: input.len(), bytes: input, other }
    }

    /// The files that may be a part, the best first.
    fn find(&mut self, part: &RunPart) -> Vec<PathBuf> {
        let Some(open) = self.open.clone() else { return Vec::new() };
        let Some(folder) = open.parent() else { return Vec::new() };
        if part.folder.is_empty() {
            return inside(folder, Path::new(&part.file)).into_iter().collect();
        }
        let file = Path::new(&part.file);
        let is_name =
            matches!((file.components().next(), file.components().nth(1)), (Some(Component::Normal(_)), None));
        let mut found = Vec::new();
        if SESSION_FOLDERS.contains(&part.folder) {
            found = session(&open, &part.file);
        } else {
            let folders = sessions(&open).into_iter().map(|session| session.join(part.folder));
            let folders = folders.filter_map(|folder| folder.canonicalize().ok());
            if is_name {
                found.extend(folders.flat_map(|folder| self.below(&folder, file)));
                // Versions before the folder of the session had sub-agents beside it.
                found.extend(inside(folder, file).filter(|_| part.role == PartRole::SubAgent));
            } else {
                found.extend(folders.filter_map(|folder| inside(&folder, file)));
            }
        }
        let mut seen = HashSet::from([open]);
        found.retain(|path| seen.insert(path.clone()));
        found
    }

    /// Regular files by their name anywhere below a folder.
    fn below(&mut self, folder: &Path, name: &Path) -> Vec<PathBuf> {
        let all = self.below.entry(folder.to_owned()).or_insert_with(|| names_below(folder));
        let named = all.get(name.as_os_str()).into_iter().flatten();
        named.filter_map(|path| inside(path.parent()?, name)).filter(|found| found.starts_with(folder)).collect()
    }
}

/// The folders of the session that a file may be of: the one of its own name, and the one in which it lies as a part.
fn sessions(open: &Path) -> Vec<PathBuf> {
    let session_folder = open.with_extension("");
    let of_part = open.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "subagents"));
    std::iter::once(session_folder).chain(of_part.and_then(Path::parent).map(Path::to_owned)).collect()
}

/// The files of the session of an id: in the folders of sessions beside the one in which a file lies, else beside the
/// file.
fn session(open: &Path, id: &str) -> Vec<PathBuf> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Vec::new();
    }
    let is_folder =
        |folder: &&Path| folder.file_name().is_some_and(|name| SESSION_FOLDERS.iter().any(|known| name == *known));
    let of_sessions = open.ancestors().skip(1).find(is_folder).and_then(Path::parent);
    let folders = match of_sessions {
        Some(home) => SESSION_FOLDERS.iter().map(|folder| (home.join(folder), DEPTH_MAX)).collect(),
        None => open.parent().map(|folder| (folder.to_owned(), 1)).into_iter().collect::<Vec<_>>(),
    };
    let ends = SESSION_ENDS.map(|end| format!("-{id}{end}"));
    let of_end = |end: &String| {
        let in_folder = |(folder, depth): &(PathBuf, usize)| {
            let folder = folder.canonicalize().ok()?;
            let found = first_below(&folder, *depth, &|name| name.ends_with(end))?;
            let found = found.canonicalize().ok()?;
            (found.starts_with(&folder) && found.is_file()).then_some(found)
        };
        folders.iter().filter_map(in_folder).collect::<Vec<_>>()
    };
    ends.iter().flat_map(of_end).collect()
}

/// The first entry with such a name, level by level.
fn first_below(folder: &Path, depth: usize, is_it: &dyn Fn(&str) -> bool) -> Option<PathBuf> {
    let (mut level, mut left) = (vec![folder.to_owned()], ENTRIES_MAX);
    for _ in 0..depth {
        let mut deeper = Vec::new();
        for at in level {
            for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
                left = left.checked_sub(1)?;
                if entry.file_name().to_str().is_some_and(is_it) {
                    return Some(entry.path());
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    deeper.push(entry.path());
                }
            }
        }
        level = deeper;
    }
    None
}

/// A regular file by its path below a folder. Neither `..` nor a link leads out.
fn inside(folder: &Path, file: &Path) -> Option<PathBuf> {
    if !file.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return None;
    }
    let path = folder.join(file).canonicalize().ok()?;
    (path.starts_with(folder) && path.is_file()).then_some(path)
}

/// Files below a folder by their names, the nearest first; each folder is read once.
fn names_below(folder: &Path) -> HashMap<OsString, Vec<PathBuf>> {
    let (mut names, mut level, mut left) = (HashMap::<_, Vec<_>>::new(), vec![folder.to_owned()], ENTRIES_MAX);
    for _ in 0..DEPTH_MAX {
        let mut deeper = Vec::new();
        for entry in level.iter().flat_map(|at| fs::read_dir(at).into_iter().flatten().flatten()) {
            let Some(rest) = left.checked_sub(1) else { return names };
            left = rest;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => deeper.push(entry.path()),
                Ok(_) => names.entry(entry.file_name()).or_default().push(entry.path()),
                Err(_) => {}
            }
        }
        level = deeper;
    }
    names
}

/// Whether two files hold the same bytes.
fn is_equal(a: &Input, b: &Input) -> bool {
    let blocks = (0..a.len()).step_by(COMPARED_BYTES);
    let mut spans = blocks.map(|offset| Span { offset, len: (a.len() - offset).min(COMPARED_BYTES as u64) });
    a.len() == b.len() && spans.all(|span| matches!((a.read(span), b.read(span)), (Ok(a), Ok(b)) if a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(role: PartRole, folder: &'static str, file: &str) -> RunPart {
        RunPart { role, folder, file: file.to_owned(), identity: None, record: 0, step: None }
    }

    #[test]
    fn parts_are_found_in_the_folders_of_the_session_only() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let write = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "{}").unwrap();
            path
        };
        let open = write("p/s.jsonl");
        let agent = write("p/s/subagents/workflows/w/agent-1.jsonl");
        let old = write("p/agent-2.jsonl");
        let output = write("p/s/tool-results/x.txt");
        write("secret.txt");
        write("p/other/subagents/agent-3.jsonl");
        std::os::unix::fs::symlink(root.join("secret.txt"), root.join("p/s/tool-results/link.txt")).unwrap();
        let find =
            |from: &Path, role, folder, file| PartFinder::new(from).find(&part(role, folder, file)).into_iter().next();
        assert_eq!(find(&open, PartRole::SubAgent, "subagents", "agent-1.jsonl"), Some(agent.clone()));
        assert_eq!(find(&open, PartRole::SubAgent, "subagents", "agent-2.jsonl"), Some(old));
        assert_eq!(find(&open, PartRole::Output, "tool-results", "x.txt"), Some(output.clone()));
        assert_eq!(find(&agent, PartRole::Output, "tool-results", "x.txt"), Some(output));
        assert_eq!(find(&open, PartRole::SubAgent, "subagents", "workflows/w/agent-1.jsonl"), Some(agent.clone()));
        for name in ["link.txt", "../../../secret.txt", "/etc/hostname", "..", "", "s.jsonl"] {
            assert_eq!(find(&open, PartRole::Output, "tool-results", name), None, "{name}");
        }
        assert_eq!(find(&open, PartRole::SubAgent, "subagents", "agent-3.jsonl"), None);
        let fork = write("codex/sessions/2026/05/02/rollout-2-own.jsonl");
        let base = write("codex/archived_sessions/rollout-1-base.jsonl");
        write("codex/rollout-1-outside.jsonl");
        assert_eq!(find(&fork, PartRole::Prefix, "sessions", "base"), Some(base));
        for id in ["outside", "own", "../rollout-1-outside", ""] {
            assert_eq!(find(&fork, PartRole::Prefix, "sessions", id), None, "{id}");
        }
        assert_eq!(find(&open, PartRole::Continuation, "", "./agent-2.jsonl"), Some(root.join("p/agent-2.jsonl")));
        assert_eq!(find(&open, PartRole::Continuation, "", "../secret.txt"), None);
    }
}
