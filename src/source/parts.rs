//! Files that belong to the run of an open file: looked for beside it and in its session's own folders, and nowhere
//! else (`FORMATS.md` 0.4.3).

use super::Input;
use crate::model::{PartRole, PartState, RunPart};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How deep below a folder of a session a part may lie, and how many entries are looked at.
const DEPTH_MAX: usize = 4;
const ENTRIES_MAX: usize = 20_000;

/// Folders of sessions that are files named by their ids (Codex), in the order in which they are looked at.
const SESSION_FOLDERS: [&str; 2] = ["sessions", "archived_sessions"];

/// Ends of the names of such files; a plain one precedes a packed one.
const SESSION_ENDS: [&str; 2] = [".jsonl", ".jsonl.zst"];

/// The file of a part; None: it is not there. `open` is the file that refers to it.
#[must_use]
pub fn find_part(open: &Path, part: &RunPart) -> Option<PathBuf> {
    let open = open.canonicalize().ok()?;
    let folder = open.parent()?;
    if part.folder.is_empty() {
        return inside(folder, Path::new(&part.file));
    }
    if SESSION_FOLDERS.contains(&part.folder) {
        return session(&open, &part.file).filter(|found| *found != open);
    }
    let file = Path::new(&part.file);
    let is_name = matches!((file.components().next(), file.components().nth(1)), (Some(Component::Normal(_)), None));
    if !is_name {
        return None;
    }
    let sessions = sessions(&open);
    let found = sessions.iter().filter_map(|session| below(&session.join(part.folder).canonicalize().ok()?, file));
    // Versions before the folder of the session had sub-agents beside it.
    let beside = || inside(folder, file).filter(|_| part.role == PartRole::SubAgent);
    found.into_iter().next().or_else(beside).filter(|found| *found != open)
}

/// The folders of the session that a file may be of: the one of its own name, and the one in which it lies as a part.
fn sessions(open: &Path) -> Vec<PathBuf> {
    let session_folder = open.with_extension("");
    let of_part = open.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "subagents"));
    std::iter::once(session_folder).chain(of_part.and_then(Path::parent).map(Path::to_owned)).collect()
}

/// The session of an id: in the folders of sessions beside the one in which a file lies, else beside the file.
fn session(open: &Path, id: &str) -> Option<PathBuf> {
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return None;
    }
    let is_folder =
        |folder: &&Path| folder.file_name().is_some_and(|name| SESSION_FOLDERS.iter().any(|known| name == *known));
    let of_sessions = open.ancestors().skip(1).find(is_folder).and_then(Path::parent);
    let folders = match of_sessions {
        Some(home) => SESSION_FOLDERS.iter().map(|folder| (home.join(folder), DEPTH_MAX)).collect(),
        None => vec![(open.parent()?.to_owned(), 1)],
    };
    SESSION_ENDS.iter().find_map(|end| {
        let end = format!("-{id}{end}");
        folders.iter().find_map(|(folder, depth)| {
            let folder = folder.canonicalize().ok()?;
            let found = first_below(&folder, *depth, &|name| name.ends_with(&end))?;
            let found = found.canonicalize().ok()?;
            (found.starts_with(&folder) && found.is_file()).then_some(found)
        })
    })
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

/// A regular file by its name anywhere below a folder, the nearest first.
fn below(folder: &Path, name: &Path) -> Option<PathBuf> {
    let (mut level, mut left) = (vec![folder.to_owned()], ENTRIES_MAX);
    for _ in 0..DEPTH_MAX {
        let mut deeper = Vec::new();
        for at in level {
            if let Some(found) = inside(&at, name) {
                return found.starts_with(folder).then_some(found);
            }
            let entries = fs::read_dir(&at).into_iter().flatten().flatten();
            for entry in entries {
                left = left.checked_sub(1)?;
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    deeper.push(entry.path());
                }
            }
        }
        level = deeper;
    }
    None
}

/// Looks for a part and opens it.
#[must_use]
pub fn open_part(open: &Path, part: &RunPart) -> PartState {
    let found = find_part(open, part).and_then(|path| Some((Input::open_any(&path).ok()?, path)));
    match found {
        Some((input, path)) => PartState::Found { path, len: input.len(), bytes: input },
        None => PartState::Missing,
    }
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
        let find = |from: &Path, role, folder, file| find_part(from, &part(role, folder, file));
        assert_eq!(find(&open, PartRole::SubAgent, "subagents", "agent-1.jsonl"), Some(agent.clone()));
        assert_eq!(find(&open, PartRole::SubAgent, "subagents", "agent-2.jsonl"), Some(old));
        assert_eq!(find(&open, PartRole::Output, "tool-results", "x.txt"), Some(output.clone()));
        assert_eq!(find(&agent, PartRole::Output, "tool-results", "x.txt"), Some(output));
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
