//! Several files: the list, one of them open, the way from one to the other.

use super::initial_position::Start;
use super::keys::Context;
use super::{App, Effect, Effects, Layer, Pane};
use crate::model::ListChange;
use crate::panes::Session;
use crate::panes::file_list::{FileHead, FilesPane};
use crate::panes::value::count_of;
use std::path::PathBuf;

/// The list of files, and what of it is open.
#[derive(Debug)]
pub struct Files {
    /// The list.
    pub pane: FilesPane,
    /// Whether the newest file is wanted: it opens by itself, and a newer one is reported.
    is_latest: bool,
    /// The file that is being opened.
    opening: Option<PathBuf>,
    /// The pane from which the open file was left.
    left: Pane,
    /// The filter before the one that is being typed.
    filter_before: String,
}

impl App {
    /// Begins with a list of files, of which the newest opens by itself if it `is_latest` that is wanted.
    pub fn list_files(&mut self, is_latest: bool) {
        self.files = Some(Files {
            pane: FilesPane::default(),
            is_latest,
            opening: None,
            left: Pane::Steps,
            filter_before: String::new(),
        });
        self.pane = Pane::Files;
    }

    /// A listed file was opened: it is shown from now on.
    pub fn enter_file(&mut self, path: PathBuf, session: Session) {
        let fresh = Self::new(session, std::mem::take(&mut self.themes));
        let old = std::mem::replace(self, fresh);
        self.size = old.size;
        self.session.files = old.session.files;
        self.inspector.tab = old.inspector.tab;
        self.state.is_blaming = old.state.is_blaming;
        self.times = old.times;
        self.start = old.start;
        self.splits = old.splits;
        self.typed = old.typed;
        self.filters = old.filters;
        self.next_undecided = old.next_undecided;
        self.keymap = old.keymap;
        self.chat = old.chat;
        self.table.columns = old.table.columns;
        self.table.custom_columns = old.table.custom_columns;
        self.asked_columns = old.asked_columns;
        self.restart_columns();
        self.filter_job = old.filter_job;
        self.restart_step_filter();
        self.reviewing = old.reviewing;
        self.session.review = old.session.review;
        self.restart_review();
        self.files = old.files;
        if let Some(files) = &mut self.files {
            files.opening = None;
            // Its folder distinguishes it from others of that name.
            if let Some(name) = files.pane.name_of(&path) {
                name.clone_into(&mut self.session.name);
            }
            files.pane.go_to(&path);
            files.pane.open = Some(path.clone());
        }
        self.enter_view(&path, old.views);
        self.enter_file_of_two(old.two_runs);
        self.follow_trail(&path, old.trail);
    }

    pub(super) fn file_not_opened(&mut self, problem: String) {
        if let Some(files) = &mut self.files {
            files.opening = None;
        }
        self.forget_target();
        self.forget_view();
        self.forget_run_to_open();
        self.notice = Some(super::Notice { is_error: true, text: problem });
    }

    pub(super) fn set_head(&mut self, path: PathBuf, head: FileHead) {
        if let Some(files) = &mut self.files {
            files.pane.set_head(path, head);
        }
    }

    pub(super) fn files_changed(&mut self, change: ListChange, effects: &mut Effects) {
        let Some(files) = &mut self.files else { return };
        let came = files.pane.take(change).map(|file| file.path.clone());
        let Some((path, name)) = files.pane.newest().map(|file| (file.path.clone(), file.name.clone())) else { return };
        if !files.is_latest {
            return;
        }
        if files.pane.open.is_none() && files.opening.is_none() {
            self.open_file(path, effects);
        } else if came == Some(path) {
            self.notify(format!(
                "a newer file: {name} · {}",
                self.hint("{newest-file} opens it, {close} leads to the list")
            ));
        }
    }

    /// Goes from the open file to the list it is of; false if there is none, or it is shown.
    pub(super) fn show_files(&mut self) -> bool {
        if self.is_in(Context::Files) || self.files.is_none() {
            return false;
        }
        let open_count = self.open_file_count();
        if let Some(files) = &mut self.files {
            files.left = self.pane;
            files.pane.set_count(open_count);
        }
        self.pane = Pane::Files;
        true
    }

    /// How much the open file holds.
    fn open_file_count(&self) -> String {
        let (count, word) = match self.session.open() {
            _ if self.session.is_dataset() => (self.session.records.count(), "run"),
            Some(open) => (open.count(), "step"),
            None => (0, "step"),
        };
        let mark = if self.session.is_complete { "" } else { "≥" };
        format!("{mark}{}", count_of(count, word))
    }

    /// Lists the files in the next order.
    pub(super) fn sort_files(&mut self) {
        let Some(files) = &mut self.files else { return };
        files.pane.set_order(files.pane.order.next());
        let label = files.pane.order.label();
        let what = if files.pane.has_sessions() { "sessions" } else { "files" };
        self.notify(format!("{what}: {label}"));
    }

    /// Lists only the files whose names match what was typed, or the sessions that it may be about; nothing typed: all.
    pub(super) fn filter_files(&mut self, typed: &str) {
        if let Some(files) = &mut self.files {
            files.pane.set_filter(typed);
        }
    }

    /// The filter as it is, to be changed; it is come back to if the prompt is left.
    pub(super) fn begin_filter_typed(&mut self) -> String {
        let filter = self.files_filter().unwrap_or_default().to_owned();
        if let Some(files) = &mut self.files {
            files.filter_before.clone_from(&filter);
        }
        filter
    }

    /// The prompt of the filter is left: it is as before.
    pub(super) fn cancel_filter_typed(&mut self) {
        let is_on_files = self.is_in(Context::Files);
        if let Some(files) = self.files.as_mut().filter(|files| is_on_files && files.pane.has_sessions()) {
            files.pane.set_filter(&std::mem::take(&mut files.filter_before));
        }
    }

    /// What is in the prompt of the filter narrows a list of sessions at once, to its first row.
    pub(super) fn filter_typed(&mut self) {
        let Some(Layer::Filter(prompt)) = &self.layer else { return };
        let typed = prompt.text().to_owned();
        let is_on_files = self.is_in(Context::Files);
        if let Some(files) = self.files.as_mut().filter(|files| is_on_files && files.pane.has_sessions())
            && files.pane.filter() != typed
        {
            files.pane.set_filter(&typed);
            files.pane.scroll.jump_to(0);
        }
    }

    /// Whether the list of sessions is shown.
    pub(super) fn lists_sessions(&self) -> bool {
        self.is_in(Context::Files) && self.files.as_ref().is_some_and(|files| files.pane.has_sessions())
    }

    /// Whether what a session is about is being typed: the list below goes on being moved in.
    pub(super) fn types_session(&self) -> bool {
        matches!(self.layer, Some(Layer::Filter(_))) && self.lists_sessions()
    }

    /// Enter after what a session is about: the one under the cursor opens; with nothing typed the list is shown.
    pub(super) fn open_sought(&mut self, effects: &mut Effects) {
        self.layer = None;
        if self.files_filter().is_some() {
            self.open_at_cursor(effects);
        }
    }

    /// Takes the filter of the list away; false if there is none.
    pub(super) fn clear_files_filter(&mut self) -> bool {
        let is_filtered = self.is_in(Context::Files) && self.files_filter().is_some();
        if is_filtered {
            self.filter_files("");
        }
        is_filtered
    }

    /// What names of listed files must match.
    pub(super) fn files_filter(&self) -> Option<&str> {
        self.files.as_ref().map(|files| files.pane.filter()).filter(|filter| !filter.is_empty())
    }

    /// The path of the file under the cursor, to copy.
    pub(super) fn file_text(&self) -> Option<String> {
        let file = self.files.as_ref()?.pane.at_cursor()?;
        Some(file.path.to_string_lossy().into_owned())
    }

    /// Opens the file under the cursor.
    pub(super) fn open_at_cursor(&mut self, effects: &mut Effects) {
        let path = self.files.as_ref().and_then(|files| files.pane.at_cursor()).map(|file| file.path.clone());
        if let Some(path) = path {
            self.open_file(path, effects);
        }
    }

    /// Opens the file that was written last.
    pub(super) fn open_newest(&mut self, effects: &mut Effects) {
        match self.files.as_ref().and_then(|files| files.pane.newest()).map(|file| file.path.clone()) {
            Some(path) => self.open_file(path, effects),
            None => self.notify("there is no list of files; a folder, or several files, open with one"),
        }
    }

    /// Opens the recorded run, where its story ends.
    pub(super) fn open_demo(&mut self, effects: &mut Effects) {
        self.start = Some(Start::of_demo());
        effects.push(Effect::OpenDemo);
    }

    fn open_file(&mut self, path: PathBuf, effects: &mut Effects) {
        let is_listed = self.is_in(Context::Files);
        let Some(files) = &mut self.files else { return };
        if files.pane.open.as_ref() != Some(&path) {
            let name = files.pane.name_of(&path).unwrap_or_default().to_owned();
            files.opening = Some(path.clone());
            self.notify(format!("opening {name}"));
            effects.push(Effect::OpenFile(path));
        } else if is_listed {
            // It is open: back to where it was left.
            files.pane.go_to(&path);
            self.pane = files.left;
            self.progress(self.session.is_complete, self.session.is_live, effects);
        }
    }
}
