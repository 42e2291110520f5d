//! The files of a folder that hold records (TAIL T18).

use super::folder::{self, Folder};
use super::places::SessionPlace;
use super::unopened::cannot_open;
use super::{container, unpack};
use crate::model::Problem;
use crate::platform::FileId;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Ends of the names of files that hold records.
const ENDS: [&[u8]; 3] = [b".jsonl", b".ndjson", b".json"];

/// Ends of the names of other files that may be logs of agents: what is in one says whether it is.
const LOG_ENDS: [&[u8]; 6] = [b".eval", b".traj", b".af", b".db", b".sqlite", b".sqlite3"];

/// Bytes at the beginning that say whether a file may be a log.
const HEAD_LEN: u64 = 64;

/// Ends after these where such a file is packed: it can be read but not followed.
const PACKED: [&[u8]; 2] = [b".gz", b".zst"];

/// Whether a folder whose names allow it is one input: a format says so.
pub type IsInput = fn(&Path) -> bool;

/// Whether a file is a log of an agent: a format says so, by its beginning.
pub type IsLog = fn(&Path) -> bool;

/// What the file system says of a file, or of all files of a folder that is one input.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileFacts {
    pub(super) len: u64,
    pub(super) written: Option<SystemTime>,
    /// Whether it can be read more than once.
    pub(super) is_file: bool,
    /// Whether it is a folder that is one input.
    pub(super) is_folder: bool,
}

impl FileFacts {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self { len: meta.len(), written: meta.modified().ok(), is_file: meta.is_file(), is_folder: false }
    }

    /// Of a file or of a folder that is one input.
    pub(super) fn of_path(path: &Path, meta: &Metadata) -> Self {
        if !meta.is_dir() {
            return Self::of(meta);
        }
        let all = Folder::facts(path);
        Self { len: all.len, written: all.written.max(meta.modified().ok()), is_file: true, is_folder: true }
    }
}

/// What a folder holds, at any depth, each in order.
#[derive(Debug, Default)]
pub struct FilesBelow {
    /// Paths below it of the files that hold records, packed ones too, of other files that are logs by their content,
    /// and of folders that are one input.
    pub files: Vec<PathBuf>,
    /// Those of files that are named like logs, and are none by their content.
    pub passed_over: Vec<PathBuf>,
    /// Folders that cannot be read.
    pub troubles: Vec<Problem>,
}

/// Looks for the files below a folder.
#[must_use]
pub fn files_below(root: &Path, is_input: IsInput, is_log: IsLog) -> FilesBelow {
    let (mut found, mut passed_over, mut troubles) = (Vec::new(), Vec::new(), Vec::new());
    walk(root, is_input, &mut troubles, &mut |below, _, is_named| {
        let path = || root.join(below);
        let is_found = is_named || (may_be_log(&path()) && is_log(&path()));
        if is_found { &mut found } else { &mut passed_over }.push(below.to_owned());
    });
    found.sort();
    passed_over.sort();
    FilesBelow { files: found, passed_over, troubles }
}

/// How everything begins that obelus itself writes beside data: manifests of exports, baselines, answers for programs.
const OBELUS_PREFIX: &[u8] = b"{\"obelus\":";

/// A file of fewer bytes can still begin so.
pub(super) const OBELUS_PREFIX_LEN: u64 = OBELUS_PREFIX.len() as u64;

/// Whether a file begins as those do; one that cannot be read does not.
#[must_use]
pub fn is_obelus_file(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(OBELUS_PREFIX_LEN).read_to_end(&mut head));
    read.is_ok() && head == OBELUS_PREFIX
}

fn holds_records(name: &[u8]) -> bool {
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Paths below `root` of the files to follow, in order. Folders that cannot be read are reported.
pub(super) fn files(root: &Path, troubles: &mut Vec<Problem>) -> Vec<OsString> {
    let mut found = Vec::new();
    // Of a folder that is one input each file is followed by itself.
    let wanted = WalkFilter { file: &holds_records, folder: &|_| true, is_input: |_| false };
    walk_for(root, &wanted, troubles, &mut |below, _| found.push(below.as_os_str().to_owned()));
    found.sort();
    found
}

/// Goes through the files below `root` that hold records, packed ones too, and others that may be logs, in no order:
/// the path below it, what the file system says, whether its name says that it holds records.
pub(super) fn walk(
    root: &Path,
    is_input: IsInput,
    troubles: &mut Vec<Problem>,
    each: &mut dyn FnMut(&Path, &FileFacts, bool),
) {
    let unpacked = |name: &[u8]| PACKED.iter().find_map(|end| name.strip_suffix(*end)).unwrap_or(name).len();
    let is_table = |name: &[u8]| cfg!(feature = "parquet") && name.ends_with(b".parquet");
    let is_named = |name: &[u8]| holds_records(&name[..unpacked(name)]) || is_table(name);
    let may_hold = |name: &[u8]| LOG_ENDS.iter().any(|end| name[..unpacked(name)].ends_with(end));
    let wanted = WalkFilter { file: &|name| is_named(name) || may_hold(name), folder: &|_| true, is_input };
    walk_for(root, &wanted, troubles, &mut |below, facts| {
        let name = below.file_name().unwrap_or_default().as_encoded_bytes();
        each(below, facts, facts.is_folder || is_named(name));
    });
}

/// Goes through the files of a place of sessions, as deep as they lie there: those whose names say that they are
/// sessions, all others of some size, and folders that are one input. `each` hears whether the name said it.
pub(super) fn walk_place(
    place: &SessionPlace,
    is_input: IsInput,
    troubles: &mut Vec<Problem>,
    each: &mut dyn FnMut(&Path, &FileFacts, bool),
) {
    let enters = |folder: &Path| {
        let is_skipped = folder.file_name().is_some_and(|name| place.skipped.iter().any(|skipped| name == *skipped));
        !is_skipped && folder.components().count() <= place.depth_max
    };
    let is_part = |name: &[u8]| name.starts_with(b"agent-") || name.starts_with(b"agent_");
    let wanted = WalkFilter { file: &|name| !is_part(name), folder: &enters, is_input };
    walk_for(&place.folder, &wanted, troubles, &mut |below, facts| {
        let name = below.file_name().unwrap_or_default().as_encoded_bytes();
        let is_named = place.ends.iter().any(|end| name.ends_with(end.as_bytes()));
        if facts.len > 0 && place.has_sessions_at(below) {
            // A folder that is one input was looked into.
            each(below, facts, is_named || facts.is_folder);
        }
    });
}

/// Whether a file begins as a log may: with a JSON object or list, or as a container or packed file does. Only such a
/// one is looked into.
pub(super) fn may_be_log(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_LEN).read_to_end(&mut head));
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    let is_packed = |head: &[u8]| unpack::is_packed(head) || container::is_container(head);
    read.is_ok() && (text.starts_with(b"{") || text.starts_with(b"[") || is_packed(&head))
}

/// Whether logs lie in a place; what is in files is looked at until one is found.
pub fn any_log(place: &SessionPlace, is_input: IsInput, is_log: IsLog) -> bool {
    let mut found = Vec::new();
    walk_place(place, is_input, &mut Vec::new(), &mut |below, _, is_named| {
        found.push((place.folder.join(below), is_named));
    });
    found.iter().any(|(path, is_named)| *is_named || (may_be_log(path) && !is_obelus_file(path) && is_log(path)))
}

/// The size of a file, or of the files of a folder that is one input, in bytes, as a list has it; 0 for what is not
/// there.
#[must_use]
pub fn len_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| FileFacts::of_path(path, &meta).len)
}

/// What a walk looks for.
struct WalkFilter<'w> {
    /// Files by their names.
    file: &'w dyn Fn(&[u8]) -> bool,
    /// Folders that are entered, by their paths.
    folder: &'w dyn Fn(&Path) -> bool,
    /// Folders that are one input.
    is_input: IsInput,
}

fn walk_for(
    root: &Path,
    wanted: &WalkFilter<'_>,
    troubles: &mut Vec<Problem>,
    each: &mut dyn FnMut(&Path, &FileFacts),
) {
    let mut seen = HashSet::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let path = root.join(&folder);
        // A symbolic link may lead back to where it is.
        let is_new = fs::metadata(&path).is_ok_and(|meta| seen.insert(FileId::of(&meta, &path)));
        if !is_new {
            continue;
        }
        let entries: Vec<DirEntry> = match fs::read_dir(&path) {
            Ok(entries) => entries.flatten().collect(),
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            Err(e) => {
                troubles.push(cannot_open(&path.display().to_string(), &e));
                continue;
            }
        };
        if is_input_folder(&path, &entries, wanted.is_input)
            && let Ok(meta) = fs::metadata(&path)
        {
            each(&folder, &FileFacts::of_path(&path, &meta));
            continue;
        }
        for entry in entries {
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // The folder says which entries are files, so those that nobody wants cost no look at each.
            if entry.file_type().is_ok_and(|kind| kind.is_file()) && !(wanted.file)(name.as_encoded_bytes()) {
                continue;
            }
            let Ok(meta) = fs::metadata(entry.path()) else { continue };
            if meta.is_dir() {
                open.extend(Some(folder.join(name)).filter(|folder| (wanted.folder)(folder)));
            } else if meta.is_file() && (wanted.file)(name.as_encoded_bytes()) {
                each(&folder.join(&name), &FileFacts::of(&meta));
            }
        }
    }
}

/// Whether a folder with these entries is one input.
fn is_input_folder(path: &Path, entries: &[DirEntry], is_input: IsInput) -> bool {
    let names: Vec<OsString> = entries.iter().map(DirEntry::file_name).collect();
    folder::may_be_input(names.iter().filter_map(|name| name.to_str())) && is_input(path)
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
        for name in ["z.jsonl", "a.json", "b/c/d.ndjson", "b/.h.jsonl", "b/x.jsonl.tmp", "b/y.json~", ".git/g.json"] {
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("b/loop")).unwrap();
        let mut troubles = Vec::new();
        assert_eq!(files(root, &mut troubles), ["a.json", "b/c/d.ndjson", "z.jsonl"]);
        assert!(troubles.is_empty());
        fs::write(root.join("p.jsonl.gz"), "").unwrap();
        fs::write(root.join("b/p.zst"), "").unwrap();
        let paths = ["a.json", "b/c/d.ndjson", "p.jsonl.gz", "z.jsonl"].map(PathBuf::from);
        assert_eq!(files_below(root, |_| false, |_| true).files, paths);
        for (name, text) in [("b/r.eval", "PK\x03\x04"), ("s.traj", "{}"), ("t.db", "text"), ("u.traj.gz", "{}")] {
            fs::write(root.join(name), text.as_bytes()).unwrap();
        }
        assert_eq!(files_below(root, |_| false, |_| false).files, paths, "what is in them says what they are");
        let logs = files_below(root, |_| false, |path| !path.ends_with("s.traj")).files;
        assert_eq!(logs[..2], [PathBuf::from("a.json"), PathBuf::from("b/c/d.ndjson")]);
        assert!(logs.contains(&PathBuf::from("b/r.eval")) && !logs.contains(&PathBuf::from("s.traj")), "{logs:?}");
        assert_eq!(files(root, &mut troubles), ["a.json", "b/c/d.ndjson", "z.jsonl"], "T18: only these are followed");
    }
}
