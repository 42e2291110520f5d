//! Follows an open file: what was appended, and whether its path still leads to the same content.
//!
//! Notifications make it fast and are never trusted (TAIL T19): each only says "look", and a look happens anyway each
//! second, or ten times a second where no notifications come. A look compares file, size and content before the end; a
//! truncated or replaced file is told as such (T1 to T3), with the new one open beside the old.

use super::Input;
use crate::model::{Bytes, Problem, Span};
use crossbeam_channel::{Receiver, Sender, bounded};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time between looks at a file with and without notifications.
const LOOK_NOTIFIED: Duration = Duration::from_secs(1);
const LOOK_POLLED: Duration = Duration::from_millis(100);

/// Time between looks at a stream, which is only a number in memory.
const LOOK_STREAM: Duration = Duration::from_millis(20);

/// Bytes at the beginning and before the end that must stay the same (T2).
const HEAD_BYTES: u64 = 1024;
const TAIL_BYTES: u64 = 256;

/// What a look found.
#[derive(Debug)]
pub enum Change {
    /// Nothing.
    None,
    /// There is more to read.
    Grown,
    /// Bytes that were there are there no more: the same path, opened anew.
    Truncated(Arc<Input>),
    /// The path leads to another file now, opened.
    Replaced(Arc<Input>),
    /// The path leads nowhere (told once). The open file can still be read.
    Gone,
    /// The path cannot be looked at or opened (told once); the open file can still be read.
    Trouble(Problem),
}

/// Looks after one input.
pub struct Follower {
    input: Arc<Input>,
    hints: Receiver<()>,
    /// Kept so that notifications go on.
    watcher: Option<RecommendedWatcher>,
    known: Option<Known>,
    is_absent: bool,
}

/// What a file looked like when all of it was known.
struct Known {
    stamp: (u64, i64, i64, i64, i64),
    head: Vec<u8>,
    tail: Vec<u8>,
    len: u64,
}

impl Follower {
    /// Begins to follow an input.
    #[must_use]
    pub fn new(input: Arc<Input>) -> Self {
        let (hint, hints) = bounded(1);
        let watcher = input.path().filter(|_| input.is_file()).and_then(|path| watch(path, &hint).ok());
        let known = Known::of(&input);
        Self { input, hints, watcher, known, is_absent: false }
    }

    /// Hears of it when a look is worth while before the time of [`Follower::period`].
    #[must_use]
    pub fn hints(&self) -> &Receiver<()> {
        &self.hints
    }

    /// Time after which to look in any case; None if nothing can change any more.
    #[must_use]
    pub fn period(&self) -> Option<Duration> {
        match (self.input.is_file(), &self.watcher) {
            (true, Some(_)) => Some(LOOK_NOTIFIED),
            (true, None) => Some(LOOK_POLLED),
            (false, _) => self.input.may_grow().then_some(LOOK_STREAM),
        }
    }

    /// Whether the file system tells of changes; if not, looks are more frequent.
    #[must_use]
    pub fn is_notified(&self) -> bool {
        self.watcher.is_some()
    }

    /// Looks. After `Truncated` and `Replaced` the follower follows the new input.
    pub fn look(&mut self) -> Change {
        let (Some(path), Some(known)) = (self.input.path().filter(|_| self.input.is_file()), &self.known) else {
            return Change::None;
        };
        let path = path.to_owned();
        let open = match self.input.metadata() {
            Ok(open) => open,
            Err(problem) => return self.absent(Change::Trouble(problem)),
        };
        // The open file first: what was written to it before the path changed is not lost (T6).
        if open.len() < known.len || (stamp(&open) != known.stamp && !known.still_in(&self.input)) {
            return self.reopen(&path, Change::Truncated);
        }
        if open.len() > known.len {
            return Change::Grown;
        }
        if stamp(&open) != known.stamp {
            self.known = Known::of(&self.input);
        }
        match std::fs::metadata(&path) {
            Ok(meta) if id(&meta) == id(&open) => {
                self.is_absent = false;
                Change::None
            }
            Ok(_) => self.reopen(&path, Change::Replaced),
            Err(e) if e.kind() == ErrorKind::NotFound => self.absent(Change::Gone),
            Err(e) => self.absent(Change::Trouble(Problem::unreadable(format!("{}: {e}", self.input.name())))),
        }
    }

    /// Takes note that all bytes up to the input's length were read.
    pub fn has_read(&mut self) {
        // If it shrank meanwhile, what was known stays, and the next look tells.
        if let Some(known) = Known::of(&self.input) {
            self.known = Some(known);
        }
    }

    fn reopen(&mut self, path: &Path, change: fn(Arc<Input>) -> Change) -> Change {
        match Input::open(path) {
            Ok(input) => {
                self.input = Arc::clone(&input);
                self.known = Known::of(&input);
                self.is_absent = false;
                change(input)
            }
            Err(problem) => self.absent(Change::Trouble(problem)),
        }
    }

    fn absent(&mut self, change: Change) -> Change {
        if std::mem::replace(&mut self.is_absent, true) { Change::None } else { change }
    }
}

impl Known {
    fn of(input: &Input) -> Option<Self> {
        let meta = input.metadata().ok()?;
        let len = input.len();
        let head = input.read(Span { offset: 0, len: len.min(HEAD_BYTES) }).ok()?;
        let tail = input.read(tail(len)).ok()?;
        Some(Self { stamp: stamp(&meta), head, tail, len })
    }

    fn still_in(&self, input: &Input) -> bool {
        let is_same =
            |offset: u64, old: &[u8]| input.read(Span { offset, len: old.len() as u64 }).is_ok_and(|new| new == old);
        is_same(0, &self.head) && is_same(tail(self.len).offset, &self.tail)
    }
}

fn tail(len: u64) -> Span {
    let tail = len.min(TAIL_BYTES);
    Span { offset: len - tail, len: tail }
}

fn id(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}

fn stamp(meta: &Metadata) -> (u64, i64, i64, i64, i64) {
    (meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec())
}

/// Watches the folder of a file (a file that is replaced by a rename is lost to a watch of its own), and the folder to
/// which a symbolic link leads.
fn watch(path: &Path, hint: &Sender<()>) -> notify::Result<RecommendedWatcher> {
    let real = path.canonicalize().map_err(notify::Error::io)?;
    let names: Vec<OsString> = [path, &real].iter().filter_map(|p| p.file_name()).map(OsString::from).collect();
    let hint = hint.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_ours = event.is_ok_and(|event| {
            let is_named = |p: &std::path::PathBuf| p.file_name().is_some_and(|n| names.iter().any(|m| m == n));
            !matches!(event.kind, EventKind::Access(_)) && (event.paths.is_empty() || event.paths.iter().any(is_named))
        });
        if is_ours {
            let _full = hint.try_send(());
        }
    })?;
    let folder = |p: &Path| p.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
    watcher.watch(&folder(path), RecursiveMode::NonRecursive)?;
    if folder(path).canonicalize().ok().as_deref() != real.parent() {
        watcher.watch(&folder(&real), RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    fn append(path: &Path, text: &str) {
        fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn followed(text: &str) -> (tempfile::TempDir, std::path::PathBuf, Arc<Input>, Follower) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live.jsonl");
        fs::write(&path, text).unwrap();
        let input = Input::open(&path).unwrap();
        let follower = Follower::new(Arc::clone(&input));
        (folder, path, input, follower)
    }

    #[test]
    fn tells_growth_until_it_was_read() {
        let (_folder, path, input, mut follower) = followed("{}\n");
        assert!(matches!(follower.look(), Change::None));
        append(&path, "{}\n");
        assert!(matches!(follower.look(), Change::Grown));
        assert!(matches!(follower.look(), Change::Grown), "it was not read yet");
        assert_eq!(input.refresh().unwrap(), 6);
        follower.has_read();
        assert!(matches!(follower.look(), Change::None));
    }

    #[test]
    fn tells_truncation_by_size_and_by_content() {
        let (_folder, path, _input, mut follower) = followed("{\"a\":1}\n{\"b\":2}\n");
        fs::write(&path, "{}\n").unwrap();
        assert!(matches!(follower.look(), Change::Truncated(new) if new.len() == 3));
        fs::write(&path, "{\"a\":1, \"longer\": true}\n").unwrap();
        assert!(matches!(follower.look(), Change::Truncated(new) if new.len() == 24), "it is longer, but not the same");
    }

    #[test]
    fn drains_the_old_file_before_the_new_one() {
        let (_folder, path, input, mut follower) = followed("{}\n");
        append(&path, "{\"last\":1}\n");
        fs::rename(&path, path.with_extension("old")).unwrap();
        assert!(matches!(follower.look(), Change::Grown));
        input.refresh().unwrap();
        follower.has_read();
        assert!(matches!(follower.look(), Change::Gone));
        assert!(matches!(follower.look(), Change::None), "told once");
        fs::write(&path, "{\"new\":1}\n").unwrap();
        assert!(matches!(follower.look(), Change::Replaced(_)));
        assert!(matches!(follower.look(), Change::None));
    }

    #[test]
    fn hears_of_changes() {
        let (_folder, path, _input, follower) = followed("{}\n");
        if follower.is_notified() {
            append(&path, "{}\n");
            assert!(follower.hints().recv_timeout(Duration::from_secs(20)).is_ok());
        }
    }
}
