//! The files of a folder that are followed (TAIL T18), or read at once.

use crate::model::Problem;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Ends of the names of files that hold records.
const ENDS: [&str; 3] = [".jsonl", ".ndjson", ".json"];

/// Ends behind these where such a file is packed: it can be read but not followed.
const PACKED: [&str; 2] = [".gz", ".zst"];

/// Paths below `root` of the files that hold records, packed ones too, in order; and folders that cannot be read.
#[must_use]
pub fn files_below(root: &Path) -> (Vec<String>, Vec<Problem>) {
    let mut troubles = Vec::new();
    let unpacked = |name: &str| PACKED.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).len();
    let found = walk(root, &mut troubles, |name| holds_records(&name[..unpacked(name)]));
    (found, troubles)
}

/// Paths below `root` of the files to follow, in order. Folders that cannot be read are told.
pub(super) fn files(root: &Path, troubles: &mut Vec<Problem>) -> Vec<String> {
    walk(root, troubles, holds_records)
}

fn holds_records(name: &str) -> bool {
    ENDS.iter().any(|end| name.ends_with(end))
}

fn walk(root: &Path, troubles: &mut Vec<Problem>, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        let path = root.join(&folder);
        // A symbolic link may lead back to where it stands.
        let is_new = fs::metadata(&path).is_ok_and(|meta| seen.insert((meta.dev(), meta.ino())));
        if !is_new {
            continue;
        }
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            Err(e) => {
                troubles.push(Problem::unreadable(format!("{}: {e}", path.display())));
                continue;
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let below = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let Ok(kind) = fs::metadata(entry.path()).map(|meta| meta.file_type()) else { continue };
            if kind.is_dir() {
                open.push(below);
            } else if kind.is_file() && is_wanted(name) {
                found.push(below);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_holds_records_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("b/c")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        for name in [
            "z.jsonl",
            "a.json",
            "b/c/d.ndjson",
            "p.jsonl.gz",
            "b/p.zst",
            "b/.h.jsonl",
            "b/x.jsonl.tmp",
            "b/y.json~",
            ".git/g.json",
        ] {
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("b/loop")).unwrap();
        let mut troubles = Vec::new();
        assert_eq!(files(root, &mut troubles), ["a.json", "b/c/d.ndjson", "z.jsonl"]);
        assert!(troubles.is_empty());
        assert_eq!(files_below(root).0, ["a.json", "b/c/d.ndjson", "p.jsonl.gz", "z.jsonl"]);
    }
}
