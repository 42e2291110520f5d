//! The program without a terminal: opened at once, keys pressed by name, frames painted into a buffer.
//!
//! The golden frames of the tests and the picture in the README are made here, so both show what the screen shows.

use super::demo;
use super::jobs::{self, JobCaches, Source};
use super::mark_journal::MarkJournal;
use super::{listing, marks};
use crate::app::initial_position::Start;
use crate::app::key::{KeyPress, UnknownKey};
use crate::app::keys::{KEYS, sequence};
use crate::app::msg::OpenedRun;
use crate::app::{App, Effect, Job, Msg, view};
use crate::format::Layout;
use crate::format::SharedRun;
use crate::ingest::{self, Loaded};
use crate::model::{Bytes, Problem, Record};
use crate::panes::{Records, Session};
use crate::source::{Input, RecordIndex};
use crate::ui::{self, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, RwLock};

/// A program on a stage.
pub struct Stage {
    /// The program.
    pub app: App,
    source: Source,
    theme: Theme,
    mark_journal: MarkJournal,
}

/// Records that are all known.
pub(super) struct CompleteRecords(pub(super) RecordIndex);

impl Records for CompleteRecords {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn get(&self, number: usize) -> Option<Record> {
        self.0.get(number)
    }
}

impl Stage {
    /// Opens an input whole, at a size in cells.
    ///
    /// # Errors
    /// It cannot be read, or there is no such format.
    pub fn open(input: Arc<Input>, forced: Option<&str>, size: (u16, u16), theme: Theme) -> Result<Self, Problem> {
        let (session, source, run) = opened(input, forced)?;
        let app = App::new(session, vec![theme.name().to_owned()]);
        let mut stage = Self { app, source, theme, mark_journal: MarkJournal::staged() };
        stage.send(Msg::Resize(size.0, size.1));
        stage.show(run);
        Ok(stage)
    }

    /// Begins with a list of files, of which nothing is known yet: [`Msg::Files`] reports them.
    ///
    /// # Errors
    /// None that can come.
    pub fn list(size: (u16, u16), theme: Theme) -> Result<Self, Problem> {
        let (session, source, _) = opened(Input::memory("", ""), None)?;
        let app = App::new(session, vec![theme.name().to_owned()]);
        let mut stage = Self { app, source, theme, mark_journal: MarkJournal::staged() };
        stage.app.list_files(false);
        stage.send(Msg::Resize(size.0, size.1));
        Ok(stage)
    }

    fn show(&mut self, run: Option<SharedRun>) {
        if let Some(run) = run {
            self.send(Msg::Opened(0, OpenedRun(run)));
        }
        self.send(Msg::Progress { is_complete: true, is_live: false });
    }

    /// Shows a listed file.
    fn open_file(&mut self, path: PathBuf, forced: Option<&str>) {
        let input = ingest::open_input(&path);
        self.open_input(path, input, forced);
    }

    fn open_input(&mut self, path: PathBuf, input: Result<Arc<Input>, Problem>, forced: Option<&str>) {
        match input.and_then(|input| opened(input, forced)) {
            Ok((session, source, run)) => {
                self.source = source;
                self.app.enter_file(path, session);
                self.show(run);
            }
            Err(problem) => drop(self.send(Msg::NotOpened(problem.to_string()))),
        }
    }

    /// Goes where the command line asks to begin.
    pub fn begin(&mut self, start: Option<Start>) {
        self.app.start = start;
        let (width, height) = self.app.size;
        self.send(Msg::Resize(width, height));
    }

    /// Sends the program a message and does at once what it asks for; returns what is for a terminal to do.
    pub fn send(&mut self, msg: Msg) -> Vec<Effect> {
        let mut outside = Vec::new();
        let mut queue = VecDeque::from([msg]);
        while let Some(msg) = queue.pop_front() {
            for effect in self.app.update(msg) {
                self.source.run = self.app.session.run.clone();
                self.source.files = self.app.session.files.clone();
                self.source.path.clone_from(&self.app.session.path);
                self.source.data = self.app.session.data.clone();
                match effect {
                    Effect::Mark(_) => {
                        let (mark_journal, source) = (&mut self.mark_journal, &self.source);
                        marks::perform(mark_journal, source, effect, &mut |answer| queue.push_back(answer));
                    }
                    Effect::OpenFile(path) => self.open_file(path, None),
                    Effect::OpenDemo => self.open_input(demo::NAME.into(), Ok(demo::input()), None),
                    Effect::OpenAs(path, format) => self.open_file(path, Some(format)),
                    Effect::Heads(wanted) => {
                        queue.extend(wanted.paths.into_iter().map(|path| {
                            let head = listing::checked(&path, None, listing::head(&path, None));
                            Msg::Head(path, head)
                        }));
                    }
                    Effect::Quit
                    | Effect::Suspend
                    | Effect::Redraw
                    | Effect::Copy(_)
                    | Effect::Edit(..)
                    | Effect::EditText(_)
                    | Effect::Theme(_)
                    | Effect::Fade
                    | Effect::Alert(_)
                    | Effect::Play(_) => {
                        outside.push(effect);
                    }
                    // Another program would do it.
                    Effect::Job(Job::Export(_) | Job::OpenOutside(_)) => outside.push(effect),
                    Effect::Stop(_) => {}
                    Effect::Job(job) => {
                        let caches = JobCaches::default();
                        jobs::perform(&self.source, job, &caches, &|| true, &mut |answer| queue.push_back(answer));
                    }
                }
            }
        }
        outside
    }

    /// What jobs need to know.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source.clone()
    }

    /// Presses a key, or two in a row, as the table of keys names them (`j`, `C-d`, `]w`); `type:TEXT` types its
    /// characters.
    ///
    /// # Errors
    /// There is no such key.
    pub fn press(&mut self, word: &str) -> Result<(), Problem> {
        for key in presses(word)? {
            self.send(Msg::Key(key));
        }
        Ok(())
    }

    /// The frame of now.
    #[must_use]
    pub fn buffer(&self) -> Buffer {
        let (width, height) = self.app.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        ui::draw(&view::frame(&self.app), &self.theme, &mut buffer);
        buffer
    }

    /// The theme.
    #[must_use]
    pub fn theme(&self) -> &Theme {
        &self.theme
    }
}

/// An input read whole: the session on it, what jobs need of it, and its run.
fn opened(input: Arc<Input>, forced: Option<&str>) -> Result<(Session, Source, Option<SharedRun>), Problem> {
    let loaded = ingest::load(input, forced)?;
    let run: Option<SharedRun> = match loaded.detected.format.layout() {
        Layout::Run => Some(Arc::new(RwLock::new(loaded.run(0)?))),
        Layout::Set => None,
    };
    let records = loaded.records()?.clone();
    let Loaded { input, detected, .. } = loaded;
    let bytes: Arc<dyn Bytes> = Arc::clone(&input) as _;
    let records: Arc<dyn Records> = Arc::new(CompleteRecords(records));
    let mut session =
        Session::new(input.name(), detected.format, detected.reasons, Arc::clone(&bytes), Arc::clone(&records));
    session.path = input.path().map(std::path::Path::to_path_buf);
    Ok((session, Source::of_records(bytes, records, detected.format), run))
}

/// A session on one trajectory of an input that was loaded, with all that its schemas find.
///
/// # Errors
/// There is no such trajectory, the input can no longer be read, or the values could not be checked.
pub fn complete_session(loaded: Loaded, record: usize) -> Result<Session, Problem> {
    let run: SharedRun = Arc::new(RwLock::new(loaded.run(record)?));
    let records: Arc<dyn Records> = Arc::new(CompleteRecords(loaded.records()?.clone()));
    let Loaded { input, detected, .. } = loaded;
    let bytes: Arc<dyn Bytes> = Arc::clone(&input) as _;
    let mut session = Session::new(input.name(), detected.format, detected.reasons, Arc::clone(&bytes), records);
    session.path = input.path().map(std::path::Path::to_path_buf);
    session.set_run(Arc::clone(&run), record);
    session.is_complete = true;
    let checks = Arc::clone(&session.checks);
    ingest::with_stack(|| while checks.go_on(&run, bytes.as_ref()) {})
        .ok_or_else(|| Problem::unreadable("the values could not be checked against their schemas"))?;
    Ok(session)
}

/// The keys that a word means.
fn presses(word: &str) -> Result<Vec<KeyPress>, Problem> {
    if let Some(text) = word.strip_prefix("type:") {
        return Ok(text.chars().map(KeyPress::char).collect());
    }
    if KEYS.iter().any(|row| row.keys.contains(&word) && sequence(word).is_some()) {
        return Ok(word.chars().map(KeyPress::char).collect());
    }
    word.parse().map(|key| vec![key]).map_err(|unknown: UnknownKey| Problem::usage(unknown.to_string()))
}
