//! Opening files: those that are asked for, and the open one again, once its records say what it is.

use super::super::jobs::Jobs;
use super::super::open_session::{self, DetectedInput};
use super::{Program, no_thread};
use crate::app::Msg;
use crate::app::initial_position::Start;
use crate::app::keys::Context;
use crate::format::Layout;
use crate::ingest;
use crate::model::Problem;
use crate::panes::Follow;
use crossbeam_channel::{Receiver, bounded, never};
use std::path::PathBuf;
use std::thread;

/// Why one looks into a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileLook {
    /// It was asked for.
    Asked,
    /// The same, and it may not be there yet.
    Awaited,
    /// It is open as records of no known format: it is opened again only if there is one by now.
    Again,
}

/// What was found in a file.
pub(super) struct FoundFile {
    pub(super) look: FileLook,
    pub(super) path: PathBuf,
    pub(super) known: Result<DetectedInput, Problem>,
}

/// The file that is being opened.
#[derive(Default)]
pub(super) struct Looking {
    /// Why one looks, and who says what was found.
    under_way: Option<(FileLook, Receiver<FoundFile>)>,
    /// What the open file is found to be, until it can be opened again.
    again: Option<FoundFile>,
}

impl Looking {
    /// Who says what was found.
    pub(super) fn opening(&self) -> Receiver<FoundFile> {
        self.under_way.as_ref().map_or_else(never, |(_, opening)| opening.clone())
    }

    /// Whether the user waits for a file.
    fn is_asked(&self) -> bool {
        self.under_way.as_ref().is_some_and(|(look, _)| *look != FileLook::Again)
    }
}

impl Program {
    /// Finds out, on a thread of its own, what a file is, if `forced` does not say it: a pipe may keep it waiting.
    pub(super) fn look_into(&mut self, path: PathBuf, forced: Option<String>, look: FileLook) -> Result<(), String> {
        let (sender, opening) = bounded(1);
        let body = move || {
            if look == FileLook::Awaited {
                open_session::wait_for(&path);
            }
            let known = ingest::open_input(&path).and_then(|input| open_session::know(input, forced.as_deref()));
            let is_news = || known.as_ref().is_ok_and(|(_, detected)| !detected.is_fallback);
            if look != FileLook::Again || is_news() {
                let _late = sender.send(FoundFile { look, path, known });
            }
        };
        thread::Builder::new().name("opening".to_owned()).spawn(body).map_err(|e| no_thread(e).to_string())?;
        self.looking = Looking { under_way: Some((look, opening)), again: None };
        Ok(())
    }

    /// One has looked into a file; None: there is nothing new.
    pub(super) fn hear_of_file(&mut self, found: Option<FoundFile>) {
        self.looking.under_way = None;
        match found {
            Some(found) if found.look == FileLook::Again => self.looking.again = Some(found),
            Some(found) => self.open_file(found),
            None => {}
        }
    }

    /// What was empty when it was opened, or began with records that no format knows, is opened again when its records
    /// say of which format it is. A file that the user waits for comes first.
    pub(super) fn look_again(&mut self) {
        if self.settings.format.is_some() || self.looking.is_asked() {
            return;
        }
        let records = self.app.session.records.count();
        let path = self.reading.as_mut().and_then(|reading| reading.known_at_last(records));
        if let Some(path) = path
            && let Err(problem) = self.look_into(path, None, FileLook::Again)
        {
            self.send(Msg::Notify(true, problem));
        }
    }

    /// Opens the file again that is found to be something, once it alone is in front: what is typed, and a list that is
    /// looked at, stay.
    pub(super) fn open_again(&mut self) {
        let app = &self.app;
        let is_in_front = app.layer.is_none() && app.prefix.is_none() && app.is_in(Context::Trajectory);
        if let Some(found) = self.looking.again.take_if(|_| is_in_front) {
            self.open_file(found);
        }
    }

    /// Shows a file. Jobs for the file before end.
    pub(super) fn open_file(&mut self, FoundFile { look, path, known }: FoundFile) {
        let opened = known.and_then(|known| Ok((open_session::open(known)?, Jobs::start().map_err(no_thread)?)));
        match opened {
            Err(problem) => self.send(Msg::NotOpened(problem.to_string())),
            Ok(((session, reading), jobs)) => {
                while let Ok(msg) = self.marked.try_recv() {
                    self.send(msg);
                }
                (self.jobs, self.answers) = jobs;
                self.looking = Looking::default();
                let before = &self.app.session;
                let is_again = before.path.as_ref() == Some(&path);
                let follow = before.live.follow;
                let has_records = before.records.count() > 0;
                let is_news = is_again && before.format.is_any() && has_records;
                let is_continued = look == FileLook::Again && has_records && session.format.layout() == Layout::Run;
                if is_continued && follow != Follow::On && self.settings.start.is_none() && self.app.start.is_none() {
                    let step = Some(before.focus.step.max(0));
                    self.app.start = Some(Start { step, is_carried: true, ..Start::default() });
                }
                self.app.enter_file(path, session);
                self.set_up();
                if look == FileLook::Again || is_again && follow == Follow::On {
                    self.app.session.live.follow = follow;
                }
                if is_news && !self.app.session.format.is_any() {
                    let title = self.app.session.format.title();
                    self.app.notify(format!("the records that came say what the file is: {title}"));
                }
                self.begin(reading);
            }
        }
    }
}
