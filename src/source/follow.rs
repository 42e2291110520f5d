//! Follows a file by its path: what was appended, and whether the path still leads to the same content.
//!
//! Notifications make it fast and are never trusted (TAIL T19): each only says "look", and a look happens anyway each
//! second, or ten times a second where no notifications come. A look compares file, size and content before the
//! position (T1 to T3). The old file stays open until it was read to its end (T6).

use super::Input;
use super::fingerprint::Fingerprint;
use super::fs_events::Hints;
use super::unopened::cannot_open;
use crate::model::Problem;
use crate::model::cast;
use crate::platform::{FileId, change_times};
use crossbeam_channel::Receiver;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Time between looks at a file with and without notifications.
pub(super) const LOOK_NOTIFIED: Duration = Duration::from_secs(1);
pub(super) const LOOK_POLLED: Duration = Duration::from_millis(100);

/// Time between looks at a stream, which is only a number in memory.
const LOOK_STREAM: Duration = Duration::from_millis(20);

/// A file that was written so short a time ago can be written again without a new time: it is looked at again.
const CLOCK_TICK: Duration = Duration::from_millis(50);
/// What was read is compared then, if it is no longer than this.
const TICK_BYTES: u64 = 4 << 20;

/// What a look found. What is at the path now is [`Follower::content`].
#[derive(Debug)]
pub enum FileChange {
    /// Nothing.
    None,
    /// There may be more to read.
    Grown,
    /// Bytes that were read are there no more: a new content of the same file.
    Truncated,
    /// The path leads to another file now; the old content can still be read.
    Replaced(Content),
    /// The path leads nowhere (reported once). The open file can still be read.
    Gone,
    /// The path leads somewhere again: to the file it led to before (None), or to another than this old one.
    Back(Option<Content>),
    /// The path cannot be looked at or opened (reported once); the open file can still be read.
    Trouble(Problem),
}

/// One content of a path: an open file, and what was read of it.
#[derive(Debug)]
pub struct Content {
    /// None while it is closed to save handles.
    input: Option<Arc<Input>>,
    id: Option<FileId>,
    stamp: Stamp,
    print: Fingerprint,
    is_fresh: bool,
}

/// Looks after one path.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    content: Option<Content>,
    is_absent: bool,
    trouble: Option<String>,
}

/// A [`Follower`] of an open input, with its notifications.
pub struct InputWatch {
    /// Who looks; None for what is not a file.
    pub follower: Option<Follower>,
    hints: Hints,
    input: Arc<Input>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    times: [i64; 4],
}

impl InputWatch {
    /// Begins to follow an open input.
    #[must_use]
    pub fn new(input: Arc<Input>) -> Self {
        let mut hints = Hints::new();
        let path = input.path().filter(|_| input.is_file()).map(Path::to_owned);
        let follower = path.map(|path| {
            hints.watch_file(&path);
            let content = input.metadata().ok().map(|meta| Content::new(Arc::clone(&input), &meta));
            Follower { content, ..Follower::new(path) }
        });
        Self { follower, hints, input }
    }

    /// Hears of it when a look is worth while before the time of [`InputWatch::period`].
    #[must_use]
    pub fn hints(&self) -> &Receiver<()> {
        self.hints.heard()
    }

    /// Time after which to look in any case; None if nothing can change any more.
    #[must_use]
    pub fn period(&self) -> Option<Duration> {
        match &self.follower {
            Some(follower) => Some(follower.period(self.hints.are_heard())),
            None => self.input.may_grow().then_some(LOOK_STREAM),
        }
    }

    /// Whether a file is followed by looks alone, as the file system reports no changes (R20).
    #[must_use]
    pub fn is_polling(&self) -> bool {
        self.follower.is_some() && !self.hints.are_heard()
    }

    /// Looks; of a stream only its length.
    pub fn look(&mut self) -> FileChange {
        let Some(follower) = &mut self.follower else { return FileChange::None };
        let change = follower.look();
        if matches!(change, FileChange::Replaced(_) | FileChange::Back(_)) {
            self.hints.watch_file(&follower.path);
        }
        change
    }

    /// Takes note of bytes that were read of an input, if it is what the path leads to; false if what was read before
    /// is there no more (T2), which the next look reports.
    pub fn note(&mut self, input: &Arc<Input>, offset: u64, bytes: &[u8]) -> bool {
        let content = self.follower.as_mut().and_then(|follower| follower.content.as_mut());
        match content
            .filter(|content| content.input.as_ref().is_some_and(|content_input| Arc::ptr_eq(content_input, input)))
        {
            Some(content) => content.note(offset, bytes),
            None => true,
        }
    }

    /// What the path leads to now, with what is known of it; None for what is not a file.
    pub(crate) fn content(&mut self) -> Option<&mut Content> {
        self.follower.as_mut().and_then(Follower::content)
    }

    /// What the path leads to now.
    #[must_use]
    pub fn input(&self) -> &Arc<Input> {
        let content = self.follower.as_ref().and_then(|follower| follower.content.as_ref());
        content.and_then(|content| content.input.as_ref()).unwrap_or(&self.input)
    }
}

impl Follower {
    /// Looks after a path that nobody has opened yet.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, content: None, is_absent: false, trouble: None }
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is at the path, or was when it last led somewhere.
    pub fn content(&mut self) -> Option<&mut Content> {
        self.content.as_mut()
    }

    /// The same, to look at.
    pub(super) fn content_ref(&self) -> Option<&Content> {
        self.content.as_ref()
    }

    /// Whether the path leads nowhere.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.is_absent || self.content.is_none()
    }

    /// Time after which to look in any case.
    pub(super) fn period(&self, is_notified: bool) -> Duration {
        let is_fresh = self.content.as_ref().is_some_and(|content| content.is_fresh);
        if is_notified && !is_fresh && !self.is_absent() { LOOK_NOTIFIED } else { LOOK_POLLED }
    }

    /// Looks.
    pub fn look(&mut self) -> FileChange {
        let meta = match std::fs::metadata(&self.path) {
            Ok(meta) if meta.is_file() => meta,
            Ok(_) => {
                let problem = Problem::unreadable(format!("{} is not a file any more", self.path.display()));
                return self.trouble(problem.hint("it is read again once it is one"));
            }
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return self.gone(),
            Err(e) => return self.trouble(cannot_open(&self.path.display().to_string(), &e)),
        };
        let was_absent = std::mem::replace(&mut self.is_absent, false);
        match &mut self.content {
            Some(content) if content.id == Some(FileId::of(&meta, &self.path)) => {
                let change = content.look(&self.path, &meta);
                self.checked_change(change, was_absent)
            }
            _ => self.open(was_absent),
        }
    }

    fn checked_change(&mut self, change: Result<FileChange, Problem>, was_absent: bool) -> FileChange {
        match change {
            Ok(FileChange::None | FileChange::Grown) if was_absent => FileChange::Back(None),
            Ok(change) => {
                self.trouble = None;
                change
            }
            Err(problem) => self.trouble(problem),
        }
    }

    fn gone(&mut self) -> FileChange {
        // What is still written to the open file is read (T6).
        let grown = self.content.as_mut().map(Content::look_open);
        if let Some(Ok(FileChange::Truncated)) = grown {
            return FileChange::Truncated;
        }
        match (std::mem::replace(&mut self.is_absent, true), grown) {
            (false, _) => FileChange::Gone,
            (true, Some(Ok(change))) => change,
            (true, _) => FileChange::None,
        }
    }

    fn open(&mut self, was_absent: bool) -> FileChange {
        let opened = Input::open_any(&self.path).and_then(|input| {
            let meta = input.metadata()?;
            Ok(Content::new(input, &meta))
        });
        match opened {
            Ok(content) => {
                self.trouble = None;
                match self.content.replace(content) {
                    Some(old) if !was_absent => FileChange::Replaced(old),
                    old => FileChange::Back(old),
                }
            }
            Err(problem) => {
                // It came and went, or may not be read: it is still not there.
                self.is_absent = was_absent;
                self.trouble(problem)
            }
        }
    }

    fn trouble(&mut self, problem: Problem) -> FileChange {
        if self.trouble.as_ref() == Some(&problem.message) {
            return FileChange::None;
        }
        self.trouble = Some(problem.message.clone());
        FileChange::Trouble(problem)
    }
}

impl Content {
    fn new(input: Arc<Input>, meta: &Metadata) -> Self {
        let is_fresh = is_fresh(meta);
        let (id, stamp) = (input.id(meta), Stamp::of(meta));
        Self { input: Some(input), id, stamp, print: Fingerprint::new(), is_fresh }
    }

    /// The open file; None while it is closed.
    #[must_use]
    pub fn input(&self) -> Option<&Arc<Input>> {
        self.input.as_ref()
    }

    /// Closes the file to save a handle; a look that finds it changed opens it again.
    pub fn close(&mut self) {
        self.print.rest();
        self.input = None;
    }

    /// Takes note of bytes that were read at `offset`; false if what was read before is there no more (T2).
    pub fn note(&mut self, offset: u64, bytes: &[u8]) -> bool {
        self.print.note(offset, bytes);
        self.input.as_ref().is_some_and(|input| self.print.is_alike(input))
    }

    /// Takes note of zeros that were passed over, up to this byte.
    pub fn pass(&mut self, to: u64) {
        self.print.pass(to);
    }

    /// Whether the file is as it was at the last look.
    ///
    /// # Errors
    /// It can no longer be asked.
    pub(crate) fn is_intact(&self) -> Result<bool, Problem> {
        let now = self.input.as_ref().map(|input| input.metadata()).transpose()?;
        Ok(now.is_some_and(|meta| Stamp::of(&meta) == self.stamp))
    }

    /// What was read does not matter any more.
    pub fn unread(&mut self) {
        self.print = Fingerprint::new();
    }

    /// What the file was like at the last look: changes whenever it does.
    pub(super) fn version(&self) -> [i64; 5] {
        let [a, b, c, d] = self.stamp.times;
        [cast::to_i64(self.stamp.len), a, b, c, d]
    }

    fn look(&mut self, path: &Path, meta: &Metadata) -> Result<FileChange, Problem> {
        if self.input.is_none() {
            if Stamp::of(meta) == self.stamp {
                return Ok(FileChange::None);
            }
            let input = Input::open_any(path)?;
            // Another file came meanwhile: the next look reports.
            if input.id(&input.metadata()?) != self.id {
                return Ok(FileChange::None);
            }
            self.input = Some(input);
        }
        self.look_open()
    }

    /// Looks at the open file, wherever it is.
    pub(super) fn look_open(&mut self) -> Result<FileChange, Problem> {
        let Some(input) = self.input.clone() else { return Ok(FileChange::None) };
        let meta = input.metadata()?;
        let stamp = Stamp::of(&meta);
        let was_fresh = std::mem::replace(&mut self.is_fresh, is_fresh(&meta));
        let before = std::mem::replace(&mut self.stamp, stamp);
        if stamp == before && !was_fresh {
            return Ok(FileChange::None);
        }
        let is_same = if stamp.len < self.print.end() {
            false
        } else if stamp.len > before.len || (stamp == before && self.print.end() > TICK_BYTES) {
            self.print.is_alike(&input)
        } else {
            self.print.is_same(&input)
        };
        if !is_same {
            *self = Self::new(input.again()?, &meta);
            return Ok(FileChange::Truncated);
        }
        input.refresh()?;
        Ok(if stamp == before { FileChange::None } else { FileChange::Grown })
    }
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        Self { len: meta.len(), times: change_times(meta) }
    }
}

#[expect(clippy::disallowed_methods, reason = "only the age of a file is asked for")]
fn is_fresh(meta: &Metadata) -> bool {
    let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_some_and(|age| age < CLOCK_TICK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bytes, Span};
    use std::fs;
    use std::io::Write;

    fn append(path: &Path, text: &str) {
        fs::OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn followed(text: &str) -> (tempfile::TempDir, PathBuf, Arc<Input>, InputWatch) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live.jsonl");
        fs::write(&path, text).unwrap();
        let input = Input::open(&path).unwrap();
        let mut watch = InputWatch::new(Arc::clone(&input));
        read(&mut watch);
        (folder, path, input, watch)
    }

    /// Reads all there is.
    fn read(watch: &mut InputWatch) {
        let input = Arc::clone(watch.input());
        let bytes = input.read(Span { offset: 0, len: input.len() }).unwrap();
        assert!(watch.note(&input, 0, &bytes));
    }

    #[test]
    fn reports_growth() {
        let (_folder, path, input, mut watch) = followed("{}\n");
        assert!(matches!(watch.look(), FileChange::None));
        append(&path, "{}\n");
        assert!(matches!(watch.look(), FileChange::Grown));
        assert_eq!(input.len(), 6);
        read(&mut watch);
        assert!(matches!(watch.look(), FileChange::None));
    }

    #[test]
    fn reports_truncation_by_size_and_by_content() {
        let (_folder, path, _input, mut watch) = followed("{\"a\":1}\n{\"b\":2}\n");
        fs::write(&path, "{}\n").unwrap();
        assert!(matches!(watch.look(), FileChange::Truncated));
        read(&mut watch);
        fs::write(&path, "{\"a\":1, \"longer\": true}\n").unwrap();
        assert!(matches!(watch.look(), FileChange::Truncated), "it is longer, but not the same");
        assert_eq!(watch.input().len(), 24);
        read(&mut watch);
        fs::write(&path, "{\"a\":2, \"longer\": true}\n").unwrap();
        assert!(matches!(watch.look(), FileChange::Truncated), "as long as before");
    }

    #[test]
    fn keeps_the_old_file_for_who_drains_it() {
        let (_folder, path, input, mut watch) = followed("{}\n");
        append(&path, "{\"last\":1}\n");
        fs::rename(&path, path.with_extension("old")).unwrap();
        assert!(matches!(watch.look(), FileChange::Gone));
        assert_eq!(input.len(), 14, "the open file can be read on");
        assert!(matches!(watch.look(), FileChange::None));
        fs::write(&path, "{\"new\":1}\n").unwrap();
        let FileChange::Back(Some(old)) = watch.look() else { panic!() };
        assert!(old.input().is_some_and(|old| Arc::ptr_eq(old, &input)));
        assert!(matches!(watch.look(), FileChange::None));
        let other = path.with_extension("other");
        fs::write(&other, "{}\n").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(matches!(watch.look(), FileChange::Replaced(_)));
    }

    #[test]
    fn knows_a_file_that_went_and_came_back() {
        let (_folder, path, input, mut watch) = followed("{}\n");
        let away = path.with_extension("away");
        fs::rename(&path, &away).unwrap();
        assert!(matches!(watch.look(), FileChange::Gone));
        fs::rename(&away, &path).unwrap();
        assert!(matches!(watch.look(), FileChange::Back(None)));
        assert!(Arc::ptr_eq(watch.input(), &input));
    }

    #[test]
    fn a_closed_file_is_opened_again_when_it_changed() {
        let (_folder, path, _input, mut watch) = followed("{}\n");
        watch.look();
        watch.follower.as_mut().unwrap().content().unwrap().close();
        assert!(matches!(watch.look(), FileChange::None));
        append(&path, "{}\n");
        assert!(matches!(watch.look(), FileChange::Grown));
        assert_eq!(watch.input().len(), 6);
    }

    #[test]
    fn hears_of_changes() {
        let (_folder, path, _input, watch) = followed("{}\n");
        if watch.hints.are_heard() {
            append(&path, "{}\n");
            assert!(watch.hints().recv_timeout(Duration::from_secs(20)).is_ok());
        }
    }
}
