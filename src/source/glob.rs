//! The files that a pattern stands for, as `data/**/*.jsonl`, where no shell put them in its place.

use super::remote;
use super::unopened::cannot_open;
use super::walk::{FilesBelow, files_below};
use crate::model::Problem;
use crate::platform::FileId;
use glob::{MatchOptions, Pattern};
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// As shells have it: a name that begins with a dot is only found by that dot.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };
/// Stands for folders at any depth, also for none.
const ANY_DEPTH: &str = "**";
/// Most patterns that the braces of one stand for.
const ALTERNATIVES_MAX: usize = 1024;

/// Whether a path is a pattern, and no file or folder of that very name.
#[must_use]
pub fn is_pattern(path: &Path) -> bool {
    let has_signs = |text: &str| text.contains(['*', '?', '[']) || braces(text).is_some();
    path.to_str().is_some_and(has_signs) && fs::symlink_metadata(path).is_err()
}

/// The files that a pattern stands for, each once, in order; a folder that it fits stands for the files of records
/// below it. And folders that cannot be read.
///
/// # Errors
/// It is not a pattern, or nothing fits it.
pub fn files_matching(pattern: &Path) -> Result<(Vec<PathBuf>, Vec<Problem>), Problem> {
    if let Some(problem) = remote::refused(pattern) {
        return Err(problem);
    }
    let (mut found, mut troubles) = (BTreeSet::new(), Vec::new());
    // An empty one is not a name, and not the folder that one is in.
    for one in alternatives(&pattern.to_string_lossy())?.iter().filter(|one| !one.is_empty()) {
        let mut search = Search {
            parts: parts(Path::new(one))?,
            seen: HashSet::new(),
            found: BTreeSet::new(),
            troubles: Vec::new(),
        };
        search.go(PathBuf::new(), 0);
        found.append(&mut search.found);
        search.troubles.retain(|trouble| !troubles.contains(trouble));
        troubles.append(&mut search.troubles);
    }
    if found.is_empty() && troubles.is_empty() {
        let problem = Problem::unreadable(format!("{}: no file fits this pattern", pattern.display()));
        return Err(problem.hint(
            "* and ? stand for letters of a name, [ab] for one of these, {a,b} for either, **/ for folders at any depth",
        ));
    }
    Ok((found.into_iter().collect(), troubles))
}

/// The patterns that one with braces stands for, `{a,b}` for either, as in shells.
///
/// # Errors
/// They are too many.
fn alternatives(pattern: &str) -> Result<Vec<String>, Problem> {
    let (mut all, mut open) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(next) = open.pop() {
        if all.len() + open.len() >= ALTERNATIVES_MAX {
            let message = format!("{pattern} stands for more than {ALTERNATIVES_MAX} patterns");
            return Err(Problem::usage(message).hint("* stands for any letters"));
        }
        match braces(&next) {
            Some(Braces { before, inside, after }) => {
                open.extend(inside.iter().rev().map(|one| format!("{before}{one}{after}")));
            }
            None => all.push(next),
        }
    }
    Ok(all)
}

/// The first braces of a pattern with a comma in them.
struct Braces<'p> {
    before: &'p str,
    inside: Vec<&'p str>,
    after: &'p str,
}

/// None: there are none. Inside `[` `]` a brace is a letter.
fn braces(pattern: &str) -> Option<Braces<'_>> {
    // What is open: from where on, and the commas in it.
    let (mut open, mut letters): (Vec<(usize, Vec<usize>)>, Option<usize>) = (Vec::new(), None);
    let mut found: Option<(usize, Vec<usize>, usize)> = None;
    for (at, c) in pattern.char_indices() {
        match (c, letters) {
            // A `]` right after the `[` is one of the letters.
            (']', Some(from)) if at > from + 1 => letters = None,
            (_, Some(_)) => {}
            ('[', None) if pattern[at + 1..].contains(']') => letters = Some(at),
            ('{', None) => open.push((at, Vec::new())),
            (',', None) => open.last_mut().into_iter().for_each(|(_, commas)| commas.push(at)),
            ('}', None) => {
                let closed = open.pop().filter(|(_, commas)| !commas.is_empty());
                let is_first = |from: usize| found.as_ref().is_none_or(|(first, ..)| from < *first);
                found = closed.filter(|(from, _)| is_first(*from)).map(|(from, commas)| (from, commas, at)).or(found);
            }
            _ => {}
        }
    }
    let (from, commas, to) = found?;
    let ends = commas.into_iter().chain([to]);
    let inside = ends.scan(from, |last, end| Some(&pattern[std::mem::replace(last, end) + 1..end])).collect();
    Some(Braces { before: &pattern[..from], inside, after: &pattern[to + 1..] })
}

/// The parts of a pattern without braces.
fn parts(pattern: &Path) -> Result<Vec<PatternPart>, Problem> {
    let mut parts = Vec::new();
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy().into_owned();
        let is_literal = !matches!(component, Component::Normal(_)) || !name.contains(['*', '?', '[']);
        parts.push(match name.as_str() {
            _ if is_literal => PatternPart::Literal(name),
            ANY_DEPTH => PatternPart::AnyDepth,
            name => PatternPart::Names(Pattern::new(name).map_err(|e| {
                let problem = Problem::usage(format!("{} is not a pattern: in {name}, {}", pattern.display(), e.msg));
                problem.hint("[[] stands for [ itself")
            })?),
        });
    }
    Ok(parts)
}

/// A part of a pattern, between slashes.
enum PatternPart {
    Literal(String),
    AnyDepth,
    Names(Pattern),
}

struct Search {
    parts: Vec<PatternPart>,
    /// Folders, and from which part on they were looked through: a symbolic link may lead back to where it is.
    seen: HashSet<(FileId, usize)>,
    found: BTreeSet<PathBuf>,
    troubles: Vec<Problem>,
}

impl Search {
    /// Finds what the parts from one on stand for, below a path.
    fn go(&mut self, path: PathBuf, at: usize) {
        match self.parts.get(at) {
            None => self.take(path),
            Some(PatternPart::Literal(name)) => {
                let path = path.join(name);
                self.go(path, at + 1);
            }
            Some(PatternPart::AnyDepth) => {
                self.go(path.clone(), at + 1);
                let folders = self
                    .entries(&path, at)
                    .into_iter()
                    .filter(|(name, is_folder)| *is_folder && !name.as_encoded_bytes().starts_with(b"."));
                folders.for_each(|(name, _)| self.go(path.join(name), at));
            }
            Some(PatternPart::Names(_)) => {
                for (name, is_folder) in self.entries(&path, at) {
                    let is_last = at + 1 == self.parts.len();
                    let fits = matches!(&self.parts[at], PatternPart::Names(pattern)
                        if pattern.matches_with(&name.to_string_lossy(), OPTIONS));
                    if fits && (is_last || is_folder) {
                        self.go(path.join(name), at + 1);
                    }
                }
            }
        }
    }

    fn take(&mut self, path: PathBuf) {
        let folder = readable(&path);
        match fs::metadata(folder) {
            Ok(meta) if meta.is_dir() => {
                let FilesBelow { files, mut troubles, .. } = files_below(folder, |_| false, |_| false);
                self.found.extend(files.iter().map(|file| path.join(file)));
                self.troubles.append(&mut troubles);
            }
            Ok(meta) if meta.is_file() => drop(self.found.insert(path)),
            // A pipe, which may never end, or a literal name after the pattern that is not there.
            Ok(_) | Err(_) => {}
        }
    }

    /// What a folder holds, and what of it are folders; nothing where it was looked through before.
    fn entries(&mut self, path: &Path, at: usize) -> Vec<(OsString, bool)> {
        let folder = readable(path);
        let Ok(meta) = fs::metadata(folder) else { return Vec::new() };
        if !meta.is_dir() || !self.seen.insert((FileId::of(&meta, folder), at)) {
            return Vec::new();
        }
        match fs::read_dir(folder) {
            Ok(entries) => entries.flatten().map(|entry| (entry.file_name(), is_folder(&entry))).collect(),
            Err(e) if e.kind() == ErrorKind::NotFound => Vec::new(),
            Err(e) => {
                self.troubles.push(cannot_open(&folder.display().to_string(), &e));
                Vec::new()
            }
        }
    }
}

/// Whether an entry is a folder, or a symbolic link to one: only a link costs a look at what it leads to.
fn is_folder(entry: &DirEntry) -> bool {
    let leads_to_folder = || fs::metadata(entry.path()).is_ok_and(|meta| meta.is_dir());
    entry.file_type().is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && leads_to_folder()))
}

/// The folder we are in has no name of its own.
fn readable(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn braces_stand_for_each_of_what_is_between_their_commas() {
        for (pattern, expected) in [
            ("a", vec!["a"]),
            ("a{b,c}d", vec!["abd", "acd"]),
            ("{a,b}{c,d}", vec!["ac", "ad", "bc", "bd"]),
            ("{a,b{c,d},}", vec!["a", "bc", "bd", ""]),
            ("{{a,b}}", vec!["{a}", "{b}"]),
            ("{a}{b,c", vec!["{a}{b,c"]),
            ("{{a,b}", vec!["{a", "{b"]),
            ("a,b}{,}", vec!["a,b}", "a,b}"]),
            ("[{]{a,b}[],}]", vec!["[{]a[],}]", "[{]b[],}]"]),
            ("[{a,b}", vec!["[a", "[b"]),
            ("é{ü,数}", vec!["éü", "é数"]),
        ] {
            assert_eq!(alternatives(pattern).unwrap(), expected, "{pattern}");
        }
        assert!(is_pattern(Path::new("{a,b}.json")) && !is_pattern(Path::new("{a}.json")));
    }

    #[test]
    fn a_pattern_stands_for_the_files_that_fit_it_each_once_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("data/a/deep")).unwrap();
        fs::create_dir_all(root.join("data/.hidden")).unwrap();
        for name in ["data/2.jsonl", "data/10.jsonl", "data/a/x.jsonl", "data/a/deep/y.jsonl", "data/a/notes.txt"] {
            fs::write(root.join(name), "").unwrap();
        }
        for name in ["data/.h.jsonl", "data/.hidden/z.jsonl", "data/[1].jsonl", "top.jsonl"] {
            fs::write(root.join(name), "").unwrap();
        }
        let _pipe = std::os::unix::net::UnixListener::bind(root.join("data/pipe.jsonl")).unwrap();
        std::os::unix::fs::symlink(root, root.join("data/a/loop")).unwrap();
        std::os::unix::fs::symlink(root.join("data"), root.join("data/again")).unwrap();
        let found = |pattern: &str| -> Vec<String> {
            let (files, troubles) = files_matching(&root.join(pattern)).unwrap();
            assert!(troubles.is_empty());
            files.iter().map(|file| file.strip_prefix(root).unwrap().display().to_string()).collect()
        };
        assert_eq!(found("data/*.jsonl"), ["data/10.jsonl", "data/2.jsonl", "data/[1].jsonl"]);
        assert_eq!(found("data/?.jsonl"), ["data/2.jsonl"]);
        assert_eq!(found("data/[12]*"), ["data/10.jsonl", "data/2.jsonl"]);
        assert_eq!(found("data/.h*"), ["data/.h.jsonl", "data/.hidden/z.jsonl"]);
        assert_eq!(found("*/a/[nx]*"), ["data/a/notes.txt", "data/a/x.jsonl"]);
        assert_eq!(found("*/a/x.jsonl"), ["data/a/x.jsonl"]);
        fs::write(root.join("data/a/deep").join(std::ffi::OsStr::from_bytes(b"\xff.x")), "").unwrap();
        assert_eq!(found("data/a/deep/?.*"), ["data/a/deep/y.jsonl", "data/a/deep/\u{fffd}.x"]);
        fs::remove_file(root.join("data/a/deep").join(std::ffi::OsStr::from_bytes(b"\xff.x"))).unwrap();
        assert_eq!(found("data/a/deep/**"), ["data/a/deep/y.jsonl"]);
        assert_eq!(found("data/{2,a/x,a/n*,none}.{jsonl,txt}"), ["data/2.jsonl", "data/a/notes.txt", "data/a/x.jsonl"]);
        assert_eq!(found("data/{[1],1[0],{2,3}}*.jsonl"), ["data/10.jsonl", "data/2.jsonl"]);
        assert_eq!(found("{data/a,top}{/deep/**,.jsonl}"), ["data/a/deep/y.jsonl", "top.jsonl"]);
        let all = found("**/*.jsonl");
        let names = |name: &str| all.iter().filter(|file| file.ends_with(name)).count();
        assert_eq!(["2.jsonl", "x.jsonl", "y.jsonl", "top.jsonl", "z.jsonl"].map(names), [1, 1, 1, 1, 0], "{all:?}");
        assert!(is_pattern(&root.join("data/*.jsonl")) && !is_pattern(&root.join("data/[1].jsonl")));
        for (pattern, expected) in [
            ("no*.x", "no file fits this pattern"),
            ("{no,none}.x", "no file fits this pattern"),
            ("[", "is not a pattern"),
            ("a/***", "is not a pattern"),
            (&"{a,b}".repeat(12), "stands for more than 1024 patterns"),
        ] {
            let why = files_matching(&root.join(pattern)).unwrap_err().to_string();
            assert!(why.contains(expected), "{pattern}: {why}");
        }
        assert!(files_matching(Path::new("{no-such-name,}")).is_err(), "an empty alternative is not this folder");
    }
}
