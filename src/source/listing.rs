//! Several files as a list: which there are, how long each is, when it was written. Of a file of a folder the first few
//! bytes are read once, since what obelus itself wrote there is no trajectory and left out.
//!
//! A look at it says what changed since the look before, so that ten thousand quiet files cost the screen nothing.

use super::fs_events::Hints;
use super::places::SessionPlace;
use super::walk::{self, FileFacts, IsInput, IsLog};
use crate::model::{ListChange, ListedFile, ListedKind, Problem};
use crossbeam_channel::Receiver;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{self, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file that came or changed so short a time ago, while the list was looked at, is live.
const LIVE: Duration = Duration::from_secs(30);

/// Files and folders that are listed.
#[derive(Debug)]
pub struct Listing {
    roots: Vec<PathBuf>,
    /// Places of sessions, in place of roots.
    places: Vec<SessionPlace>,
    title: String,
    common: PathBuf,
    /// As last reported; and when it was last seen to change.
    reported: HashMap<PathBuf, (ListedFile, Option<SystemTime>)>,
    troubles: Vec<String>,
    has_looked: bool,
    /// Whether a look reported all files that were there.
    has_seen_all: bool,
    /// Files of folders whose beginning was read, with what they were then; whether obelus wrote them.
    begun: HashMap<PathBuf, (Version, bool)>,
    /// Files of places whose names do not say whether they are logs, as they were when that was found out.
    judged: HashMap<PathBuf, (Version, bool)>,
    /// Whether some of those were left out of the last look.
    is_partial: bool,
    /// Which folders are one input, which files are logs.
    is_input: IsInput,
    is_log: IsLog,
    hints: Hints,
    /// Files that were asked what they are now: the work that was done.
    asked: u64,
}

/// What distinguishes one content of a file from another: how long it is, when it was written.
type Version = (u64, Option<SystemTime>);

impl Listing {
    /// A list of these files, and of all that hold records in these folders, by their content where names do not say
    /// it. Nothing is looked at yet.
    #[must_use]
    pub fn new(roots: &[PathBuf], is_input: IsInput, is_log: IsLog) -> Self {
        let title = match roots {
            [one] => one.display().to_string(),
            _ => format!("{} files and folders", roots.len()),
        };
        let roots: Vec<PathBuf> =
            roots.iter().map(|root| path::absolute(root).unwrap_or_else(|_| root.clone())).collect();
        let common = common(&roots);
        let (reported, troubles, begun) = (HashMap::new(), Vec::new(), HashMap::new());
        let (places, hints) = (Vec::new(), Hints::new());
        Self {
            roots,
            places,
            title,
            common,
            reported,
            troubles,
            has_looked: false,
            has_seen_all: false,
            begun,
            judged: HashMap::new(),
            is_partial: false,
            is_input,
            is_log,
            hints,
            asked: 0,
        }
    }

    /// A list of the sessions in these places, by their content where names do not say it.
    #[must_use]
    pub fn of_places(places: Vec<SessionPlace>, is_input: IsInput, is_log: IsLog) -> Self {
        Self { places, title: "sessions".to_owned(), common: PathBuf::new(), ..Self::new(&[], is_input, is_log) }
    }

    /// Whether the last look, the first one, left out files whose content has to be looked at: another look is due.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// From now on hears of changes below its folders, where the file system reports them.
    pub fn watch(&mut self) {
        if self.places.is_empty() && self.roots.iter().all(|root| root.is_dir()) {
            self.hints.watch_folders(&self.roots);
        }
    }

    /// Whether it hears of changes, so that looks at all files may be seldom.
    #[must_use]
    pub fn is_notified(&self) -> bool {
        self.hints.are_heard()
    }

    /// Hears of it when [`Listing::look_at_changed`] is worth while.
    #[must_use]
    pub fn hints(&self) -> &Receiver<()> {
        self.hints.heard()
    }

    /// What changed of the files that notifications named; of all files where something came or went.
    pub fn look_at_changed(&mut self, now: SystemTime) -> Option<ListChange> {
        let heard = self.hints.take();
        // What comes to a folder that is one input changes that.
        let is_within = |path: &PathBuf| path.ancestors().skip(1).any(|folder| self.reported.contains_key(folder));
        if heard.is_all || !self.has_looked || heard.paths.iter().any(is_within) {
            return self.look(now);
        }
        let known: Vec<PathBuf> = heard.paths.into_iter().filter(|path| self.reported.contains_key(path)).collect();
        let changed: Vec<ListedFile> = known
            .into_iter()
            .filter_map(|path| {
                self.asked += 1;
                let meta = fs::metadata(&path).ok()?;
                self.changed(path, Some(FileFacts::of(&meta)), now)
            })
            .collect();
        (!changed.is_empty()).then(|| self.change(changed, Vec::new(), now))
    }

    fn change(&self, changed: Vec<ListedFile>, gone: Vec<PathBuf>, now: SystemTime) -> ListChange {
        let (title, troubles) = (self.title.clone(), self.troubles.clone());
        let places = self.places.iter().map(SessionPlace::shown).collect();
        ListChange { title, places, changed, gone, is_partial: self.is_partial, troubles, now: millis(now), ahead: 0 }
    }

    /// What changed since the last look; None if nothing did. The first look always reports.
    pub fn look(&mut self, now: SystemTime) -> Option<ListChange> {
        let mut found = HashMap::new();
        let (mut troubles, mut unnamed) = (Vec::new(), Vec::new());
        for root in &self.roots {
            match fs::metadata(root) {
                Ok(meta) if meta.is_dir() => {
                    walk::walk(root, self.is_input, &mut troubles, &mut |below, facts, named| {
                        let path = root.join(below);
                        if !named {
                            unnamed.push((path, *facts));
                        } else if !is_obelus_file(&mut self.begun, &path, facts) {
                            found.entry(path).or_insert(Some(*facts));
                        }
                    });
                }
                Ok(meta) => {
                    found.insert(root.clone(), Some(FileFacts::of(&meta)));
                }
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                    found.insert(root.clone(), None);
                }
                Err(e) => troubles.push(Problem::unreadable(format!("{}: {e}", root.display()))),
            }
        }
        for place in &self.places {
            walk::walk_place(place, self.is_input, &mut troubles, &mut |below, facts, is_named| {
                let path = place.folder.join(below);
                if is_named {
                    found.entry(path).or_insert(Some(*facts));
                } else {
                    unnamed.push((path, *facts));
                }
            });
        }
        // The first screen waits for no content.
        self.is_partial = !self.has_looked && !unnamed.is_empty() && !found.is_empty();
        if !self.is_partial {
            let present: HashSet<&Path> = unnamed.iter().map(|(path, _)| path.as_path()).collect();
            self.judged.retain(|path, _| present.contains(path.as_path()));
            unnamed.retain(|(path, facts)| self.is_session(path, facts));
            for (path, facts) in unnamed {
                found.entry(path).or_insert(Some(facts));
            }
        }
        let troubles: Vec<String> = troubles.iter().map(Problem::to_string).collect();
        self.asked += found.len() as u64;
        let gone: Vec<PathBuf> = self.reported.keys().filter(|path| !found.contains_key(*path)).cloned().collect();
        for path in &gone {
            drop((self.reported.remove(path), self.begun.remove(path)));
        }
        let changed: Vec<ListedFile> =
            found.into_iter().filter_map(|(path, facts)| self.changed(path, facts, now)).collect();
        self.has_seen_all |= !self.is_partial;
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        if !is_first && changed.is_empty() && gone.is_empty() && troubles == self.troubles {
            return None;
        }
        self.troubles = troubles;
        Some(self.change(changed, gone, now))
    }

    /// Whether a file of a place is a log, by its content. The answer is stored: a log that grows stays one, and the
    /// content of another file is examined again when it shrank or has twice the size.
    fn is_session(&mut self, path: &Path, facts: &FileFacts) -> bool {
        let version = (facts.len, facts.written);
        match self.judged.get(path) {
            Some((known, is_log)) if known.0 <= version.0 && (*is_log || version.0 < known.0.saturating_mul(2)) => {
                *is_log
            }
            _ => {
                let is_log = walk::may_be_log(path) && !walk::is_obelus_file(path) && (self.is_log)(path);
                self.judged.insert(path.to_owned(), (version, is_log));
                is_log
            }
        }
    }

    /// A file's name for people: in a place of sessions project and session, else its path below what all share.
    fn name_of(&self, path: &Path) -> String {
        let place = self.places.iter().find(|place| path.starts_with(&place.folder));
        place.map_or_else(|| below(path, &self.common), |place| place.name_of(path))
    }

    /// A file, if it is not as it was reported.
    fn changed(&mut self, path: PathBuf, facts: Option<FileFacts>, now: SystemTime) -> Option<ListedFile> {
        let before = self.reported.get(&path);
        let written = facts.and_then(|facts| facts.written);
        let place = self.places.iter().find(|place| path.starts_with(&place.folder));
        let mut file = ListedFile {
            name: self.name_of(&path),
            len: facts.map_or(0, |facts| facts.len),
            written: written.map(millis),
            is_live: false,
            kind: match facts {
                None => ListedKind::Missing,
                Some(facts) if facts.is_file => ListedKind::File,
                Some(_) => ListedKind::Stream,
            },
            agent: place.map_or("", |place| place.agent),
            project: place.map(|place| place.project_of(&path)).unwrap_or_default(),
            path,
        };
        // The clock of another machine, whose folder this may be, can go ahead a little.
        let is_recent = |at: SystemTime| now.duration_since(at).unwrap_or_else(|ahead| ahead.duration()) < LIVE;
        let is_other = |old: &ListedFile| (old.len, old.written, old.kind) != (file.len, file.written, file.kind);
        let moved = match before {
            Some((old, _)) if is_other(old) => Some(now),
            Some((_, moved)) => *moved,
            // What was there when the list was opened may be a copy of an old run, however new the file is.
            None => written.filter(|at| self.has_seen_all && is_recent(*at)).map(|_| now),
        };
        file.is_live = file.kind == ListedKind::File && moved.is_some_and(is_recent);
        if before.is_some_and(|(old, _)| *old == file) {
            return None;
        }
        self.reported.insert(file.path.clone(), (file.clone(), moved));
        Some(file)
    }
}

/// Whether obelus wrote a file. The content of one that holds records is not examined again when it grows.
fn is_obelus_file(begun: &mut HashMap<PathBuf, (Version, bool)>, path: &Path, facts: &FileFacts) -> bool {
    let version = (facts.len, facts.written);
    match begun.get(path) {
        Some((known, is_listed))
            if *known == version || (!is_listed && known.0 <= version.0 && known.0 >= walk::OBELUS_PREFIX_LEN) =>
        {
            *is_listed
        }
        _ => {
            let is_obelus_file = walk::is_obelus_file(path);
            begun.insert(path.to_owned(), (version, is_obelus_file));
            is_obelus_file
        }
    }
}

/// The folder in which all are: of one folder that itself.
fn common(roots: &[PathBuf]) -> PathBuf {
    let folder = |root: &PathBuf| {
        if roots.len() == 1 && root.is_dir() { root.clone() } else { root.parent().unwrap_or(root).to_owned() }
    };
    let mut folders = roots.iter().map(folder);
    let first = folders.next().unwrap_or_default();
    folders.fold(first, |common, folder| {
        common.components().zip(folder.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    })
}

fn below(path: &Path, common: &Path) -> String {
    let is_common = path == common;
    let path = if is_common { Path::new(path.file_name().unwrap_or_default()) } else { path };
    path.strip_prefix(common).unwrap_or(path).display().to_string()
}

fn millis(time: SystemTime) -> i64 {
    let of = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -of(before.duration()), of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::ffi::OsStrExt;

    fn names(change: &ListChange) -> Vec<&str> {
        let mut names: Vec<&str> = change.changed.iter().map(|file| file.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn reports_what_changed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("deep")).unwrap();
        fs::write(root.join("deep/a.jsonl"), "{}\n").unwrap();
        fs::write(root.join("notes.txt"), "").unwrap();
        fs::write(root.join(std::ffi::OsStr::from_bytes(b"\xff.json")), "").unwrap();
        let mut listing = Listing::new(&[root.to_owned()], |_| false, |_| true);
        let now = SystemTime::now();
        let first = listing.look(now).unwrap();
        assert_eq!(names(&first), ["deep/a.jsonl", "\u{fffd}.json"]);
        assert!(first.changed.iter().all(|file| !file.is_live), "nobody saw them grow");
        assert_eq!(listing.look(now), None);
        fs::write(root.join("deep/a.jsonl"), "{}\n{}\n").unwrap();
        fs::write(root.join("b.jsonl"), "").unwrap();
        let change = listing.look(now).unwrap();
        assert_eq!(names(&change), ["b.jsonl", "deep/a.jsonl"]);
        assert!(change.changed.iter().all(|file| file.is_live));
        fs::remove_file(root.join("b.jsonl")).unwrap();
        let change = listing.look(now + LIVE * 2).unwrap();
        assert_eq!(change.gone, [root.join("b.jsonl")]);
        assert!(change.changed.iter().all(|file| !file.is_live), "what is quiet for long is live no more");
        assert_eq!(listing.look(now + LIVE * 3), None);
    }

    /// R16: work is counted, not time.
    #[test]
    fn a_change_of_one_file_asks_for_no_other() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..300 {
            fs::write(folder.path().join(format!("{n}.jsonl")), "{}\n").unwrap();
        }
        let mut listing = Listing::new(&[folder.path().to_owned()], |_| false, |_| true);
        listing.watch();
        assert!(listing.is_notified());
        let now = SystemTime::now();
        assert_eq!(listing.look(now).unwrap().changed.len(), 300);
        // What was heard of the files as they were made.
        let _before = listing.look_at_changed(now);
        let asked = listing.asked;
        fs::OpenOptions::new().append(true).open(folder.path().join("7.jsonl")).unwrap().write_all(b"{}\n").unwrap();
        let mut changed = Vec::new();
        while changed.is_empty() {
            listing.hints().recv_timeout(Duration::from_secs(60)).unwrap();
            changed.extend(listing.look_at_changed(now).iter().flat_map(names).map(str::to_owned));
        }
        assert_eq!(changed, ["7.jsonl"]);
        assert!(listing.asked - asked < 10, "{}", listing.asked - asked);
        fs::write(folder.path().join("new.jsonl"), "{}\n").unwrap();
        let mut changed = Vec::new();
        while changed.is_empty() {
            listing.hints().recv_timeout(Duration::from_secs(60)).unwrap();
            changed.extend(listing.look_at_changed(now).iter().flat_map(names).map(str::to_owned));
        }
        assert_eq!(changed, ["new.jsonl"]);
    }

    #[test]
    fn what_obelus_wrote_is_left_out_unless_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("o.manifest.json", "{\"obelus\":1,\"rules\":1}");
        write("known.jsonl", "{\"obelus\":1,\"rule\":\"x\"}\n");
        write("run.jsonl", "{");
        let mut listing = Listing::new(&[folder.path().to_owned()], |_| false, |_| true);
        let now = SystemTime::now();
        assert_eq!(names(&listing.look(now).unwrap()), ["run.jsonl"]);
        assert_eq!(listing.look(now), None);
        write("run.jsonl", "{\"obelus\":1}");
        assert_eq!(listing.look(now).unwrap().gone, [folder.path().join("run.jsonl")]);
        write("run.jsonl", "{\"a\":1}");
        write("known.jsonl", "");
        assert_eq!(names(&listing.look(now).unwrap()), ["known.jsonl", "run.jsonl"]);
        let mut listing =
            Listing::new(&[folder.path().to_owned(), folder.path().join("o.manifest.json")], |_| false, |_| true);
        let change = listing.look(now).unwrap();
        assert!(change.changed.len() == 3 && names(&change)[1].ends_with("o.manifest.json"), "{change:?}");
    }

    #[test]
    fn what_is_named_is_listed_once_and_even_if_it_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let (sub, file) = (folder.path().join("runs"), folder.path().join("runs/a.jsonl"));
        fs::create_dir(&sub).unwrap();
        fs::write(&file, "").unwrap();
        let missing = folder.path().join("later.txt");
        let mut listing = Listing::new(&[sub, file, missing.clone()], |_| false, |_| true);
        let change = listing.look(SystemTime::now()).unwrap();
        assert_eq!(names(&change), ["later.txt", "runs/a.jsonl"]);
        assert!(change.changed.iter().any(|file| file.kind == ListedKind::Missing));
        fs::write(missing, "x").unwrap();
        assert_eq!(names(&listing.look(SystemTime::now()).unwrap()), ["later.txt"]);
    }
}
