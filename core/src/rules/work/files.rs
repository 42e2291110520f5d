//! W3, W7 to W9: what results do to files.

use super::call::{Action, Range, Replacement};
use super::details::{detail_changes, detail_file, edit_of, patch_of, written_of};
use super::edit::Editor;
use super::file::{Delta, File, Last};
use super::file_excerpt::FileExcerpt;
use super::file_frame::{framed, has_no_text};
use super::history::OutsideChange;
use super::open_calls::OpenCall;
use super::outcome::Outcome;
use super::patch::{self, FilePatch};
use super::path::last_name;
use super::text::How;
use super::view::{Contradiction, Viewer};
use super::{Dialect, Work, words};
use crate::json::{self, Value};
use crate::model::StepNo;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The files of a run, by first appearance.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) list: Vec<File>,
    by_path: BTreeMap<Arc<str>, usize>,
    by_name: HashMap<Box<str>, Vec<usize>>,
    /// Which may have changed since they were written to the state.
    pub(super) dirty: Vec<usize>,
}

impl Files {
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The file of a path, or one that is known by the end of the path alone: where no folder is known, a stream names
    /// a file both ways.
    pub(super) fn find_known(&self, path: &str) -> Option<usize> {
        let is_end = |known: &str| path.strip_suffix(known).is_some_and(|folder| folder.ends_with('/'));
        let by_end = || self.list.iter().position(|file| !file.path.starts_with('/') && is_end(&file.path));
        self.find(path).or_else(by_end)
    }

    /// The file of a path that a step knows.
    pub(super) fn find_at(&self, path: &str, step: StepNo) -> Option<usize> {
        let is_there = |index: &usize| self.list.get(*index).is_some_and(|file| file.versions.is_there(step));
        let earlier = || (0..self.list.len()).filter(is_there).find(|index| *self.list[*index].path == *path);
        self.find(path).filter(is_there).or_else(earlier)
    }

    /// Another trajectory begins, which knows none of these files.
    pub(super) fn end(&mut self, step: StepNo) {
        self.list.iter_mut().for_each(|file| file.versions.end(step));
        *self = Self { list: std::mem::take(&mut self.list), ..Self::default() };
    }

    pub(super) fn of(&mut self, path: &str, step: StepNo) -> usize {
        let index = self.find(path).unwrap_or_else(|| {
            let path: Arc<str> = path.into();
            self.by_path.insert(Arc::clone(&path), self.list.len());
            self.by_name.entry(last_name(&path).into()).or_default().push(self.list.len());
            self.list.push(File::new(path, step));
            self.list.len() - 1
        });
        self.touch(index);
        index
    }

    /// It is looked at when the step is written.
    pub(super) fn touch(&mut self, index: usize) {
        self.list[index].is_dirty = true;
        if self.dirty.last() != Some(&index) {
            self.dirty.push(index);
        }
    }

    /// Known files below a folder.
    pub(super) fn below(&self, folder: &str) -> Vec<usize> {
        let start: Arc<str> = format!("{folder}/").into();
        let from = self.by_path.range(Arc::clone(&start)..);
        let below = from.take_while(|(path, _)| path.starts_with(&*start)).map(|(_, index)| *index);
        below.filter(|index| self.list[*index].is_known() && !self.list[*index].is_deleted).collect()
    }

    /// Files whose last names a text may hold: all where they are few, else those that are words of the text.
    pub(super) fn named_in(&self, text: &str) -> Vec<usize> {
        if self.list.len() <= SEARCHED_MAX {
            let holds = |index: &usize| text.contains(last_name(&self.list[*index].path));
            return (0..self.list.len()).filter(holds).collect();
        }
        let words = text.split(|c: char| !(c.is_alphanumeric() || "_-.+@".contains(c)));
        let words: HashSet<&str> = words.flat_map(|word| [word, word.trim_matches('.')]).collect();
        let mut all: Vec<usize> =
            words.into_iter().filter_map(|word| self.by_name.get(word)).flatten().copied().collect();
        all.sort_unstable();
        all
    }
}

/// The result that is looked at.
pub(super) struct Answer<'a> {
    pub(super) step: StepNo,
    pub(super) open: &'a OpenCall,
    pub(super) outcome: Outcome,
    /// Its body without wrapping.
    pub(super) text: &'a str,
    /// The structured result, as JSON text.
    pub(super) details: Option<&'a str>,
    /// The shell's folder before the call.
    pub(super) folder: Option<&'a str>,
    /// The shell's folder afterwards, where the log gives it.
    pub(super) logged_folder: Option<&'a str>,
    /// Whether the log gives it at all, also where it is the one before the call.
    pub(super) has_logged_folder: bool,
    /// The file that was open before.
    pub(super) open_file: Option<&'a str>,
}

impl Work {
    /// What a result does to files.
    pub(super) fn file_effects(&mut self, answer: &Answer<'_>) {
        if answer.outcome.reason == Some("rejected") {
            if let Action::Shell { command, cwd, .. } = &answer.open.call.action {
                self.rejected = Some(Box::new((command.clone(), cwd.clone())));
            }
            return;
        }
        match &answer.open.call.action {
            Action::Read { path, range, is_raw } => self.read(answer, path, *range, *is_raw),
            Action::Window { .. } if !answer.outcome.is_error() => {
                if let Some(shown) = FileExcerpt::window(answer.text) {
                    let path = shown.path.as_ref().map(|path| self.folders.resolve(path, answer.folder));
                    self.view(answer, path.as_deref(), &shown);
                }
            }
            Action::Patch { text } => {
                let patches = self.logged_changes(answer).unwrap_or_else(|| patch::parse(text));
                self.apply(answer, patches, None);
            }
            Action::Shell { command, cwd, is_background, .. } => {
                self.shell_effects(answer, command, cwd.as_deref(), *is_background);
                // A script that patches files; of a command that can be read the text of the patch was used.
                let is_used = || command.contains(patch::BEGIN) && words::split(command).is_some();
                let changes = self.logged_changes(answer).filter(|_| !is_used());
                if let Some(patches) = changes {
                    self.apply(answer, patches, None);
                }
            }
            Action::Blur { edited, deleted } => {
                for path in edited.iter().map(|path| self.path(answer, path)).collect::<Vec<_>>() {
                    if let Some(index) = self.files.find_known(&path).filter(|_| !answer.outcome.is_error()) {
                        self.files.list[index].doubt = Some(answer.step);
                        self.files.touch(index);
                    }
                }
                let deleted = deleted.iter().map(|path| FilePatch::Delete { path: path.clone() }).collect();
                self.apply(answer, deleted, None);
            }
            _ => match self.logged_changes(answer) {
                // A tool that is not for files changed some.
                Some(patches) => self.apply(answer, patches, None),
                None => self.edit_effects(answer),
            },
        }
    }

    /// `FORMATS.md` 3: the changes of files that Codex logs beside a result, and Cursor reports in it.
    fn logged_changes(&self, answer: &Answer<'_>) -> Option<Vec<FilePatch>> {
        let is_reported = matches!(self.dialect, Dialect::Codex | Dialect::Cursor);
        answer.details.filter(|_| is_reported).and_then(detail_changes)
    }

    fn path(&self, answer: &Answer<'_>, path: &str) -> String {
        if answer.open.call.is_in_shell {
            self.folders.resolve(path, answer.folder.or(answer.logged_folder))
        } else {
            self.folders.tool_path(path)
        }
    }

    fn read(&mut self, answer: &Answer<'_>, path: &str, range: Range, is_raw: bool) {
        if answer.outcome.is_error() {
            return;
        }
        let path = self.path(answer, path);
        let detail = answer.details.filter(|_| self.dialect == Dialect::ClaudeCode).and_then(detail_file);
        if let Some(shown) = detail {
            let shown = if shown.total.is_none() { shown.of_read(range) } else { shown };
            return self.view(answer, Some(&path), &shown);
        }
        if self.is_elsewhere(answer.text) || has_no_text(answer.text) {
            return;
        }
        let shown = match framed(answer.text, range).or_else(|| FileExcerpt::window(answer.text)) {
            Some(shown) => shown,
            None if is_raw => FileExcerpt::raw(answer.text, range).of_read(range),
            None => FileExcerpt::numbered(answer.text, false).of_read(range),
        };
        let is_listing = !is_raw && shown.total.is_none() && !shown.is_numbered;
        if !is_listing {
            self.view(answer, Some(&path), &shown);
        }
    }

    /// Whether an output is in another file, so that the text is a notice, not what the tool printed.
    pub(super) fn is_elsewhere(&self, text: &str) -> bool {
        let notice = match self.dialect {
            Dialect::ClaudeCode => "<persisted-output>",
            Dialect::Gemini => "<tool_output_masked>",
            _ => return false,
        };
        text.trim_start().starts_with(notice)
    }

    /// W7: a result shows lines of a file.
    pub(super) fn view(&mut self, answer: &Answer<'_>, path: Option<&str>, shown: &FileExcerpt<'_>) {
        let Some(path) = path.filter(|_| !shown.is_nothing()) else { return };
        let index = self.files.of(path, answer.step);
        let file = &mut self.files.list[index];
        let found = Viewer {
            texts: &mut self.texts,
            fuel: &mut self.fuel,
            step: answer.step,
            call: answer.open.step,
            how: How::View,
            is_reply: false,
        }
        .show(file, shown);
        let line = shown.lines.first().map(|(number, _)| *number);
        let is_all_shown = file.pieces.is_empty() && file.lines.iter().all(|known| known.had == answer.step);
        file.last = Some(Last::of("view", Delta { line, ..Delta::default() }));
        self.contradicted(answer.step, index, &found);
        if is_all_shown {
            self.files.list[index].doubt = None;
        }
    }

    /// W7: the file is not as the run knew it.
    pub(super) fn contradicted(&mut self, step: StepNo, index: usize, found: &Contradiction) {
        let (file, Some(since)) = (&mut self.files.list[index], found.since) else { return };
        let by = file.doubt.or_else(|| {
            self.changers.iter().rev().copied().find(|changer| *changer < step).filter(|changer| *changer > since)
        });
        file.last = Some(Last { since: Some(since), by, ..Last::of("changed", found.delta) });
        file.outside = Some(OutsideChange { since, by });
        file.doubt = file.doubt.or(Some(step));
        if by.is_none() {
            self.notes.changed_outside(step, &file.path, since);
        }
    }

    /// W8: the lines that the reply to an edit shows.
    fn reply(&mut self, answer: &Answer<'_>, index: usize, shown: &FileExcerpt<'_>) -> Contradiction {
        if shown.is_nothing() {
            return Contradiction::default();
        }
        let (step, call) = (answer.step, answer.open.step);
        let file = &mut self.files.list[index];
        let (texts, fuel) = (&mut self.texts, &mut self.fuel);
        Viewer { texts, fuel, step, call, how: How::View, is_reply: true }.show(file, shown)
    }

    /// The file that an edit names, or that is open.
    fn edited(&mut self, answer: &Answer<'_>, path: Option<&str>) -> Option<usize> {
        let path = match path {
            Some(path) => self.path(answer, path),
            // Where the log does not give it, the window of the reply does.
            None => match answer.open_file {
                Some(open) => open.to_owned(),
                None => self.folders.resolve(&FileExcerpt::window(answer.text)?.path?, answer.folder),
            },
        };
        Some(self.files.of(&path, answer.step))
    }

    /// W8: write, replace, insert, splice, undo.
    fn edit_effects(&mut self, answer: &Answer<'_>) {
        let path = match &answer.open.call.action {
            Action::Write { path, .. } | Action::Touch { path } | Action::Undo { path } => Some(path.as_str()),
            Action::Replace { path, .. } | Action::Insert { path, .. } | Action::Splice { path, .. } => path.as_deref(),
            _ => return,
        };
        let Some(index) = self.edited(answer, path) else { return };
        if answer.outcome.is_error() {
            return self.fail(answer, index);
        }
        let reply = FileExcerpt::reply(answer.text);
        let before = Before::of(&self.files.list[index], &answer.open.call.action);
        let details = answer.details.and_then(|details| json::parse(details).ok());
        if let Some(details) = &details {
            self.take_base(answer, index, details);
        }
        let (op, delta, is_found) = self.edit(answer, index, &reply, details.as_ref());
        let file = &mut self.files.list[index];
        file.edits += 1;
        file.is_deleted = false;
        file.note_change(answer.step, Last::of(op, delta));
        let found = self.reply(answer, index, &reply);
        let path = Arc::clone(&self.files.list[index].path);
        let makes_it = matches!(&answer.open.call.action, Action::Replace { edits, .. }
            if edits.iter().all(|edit| edit.old.is_empty()));
        let is_edit = op != "write" && !makes_it;
        if before.is_unknown && answer.open.is_first_to_name(&path) && is_edit {
            self.notes.never_read(answer.step, &path);
        }
        if op == "edit" && !is_found && before.is_whole && matches!(answer.open.call.action, Action::Replace { .. }) {
            self.notes.stale_edit(answer.step, &path);
        }
        let was_placed = is_found && delta.line.is_some() || op == "undo";
        if found.is_any() && was_placed && !before.has_doubt && before.is_place_known {
            self.notes.reply_differs(answer.step, &path);
        }
    }

    /// Does the edit: its word, what changed, whether its place was known.
    fn edit(
        &mut self,
        answer: &Answer<'_>,
        index: usize,
        reply: &FileExcerpt<'_>,
        details: Option<&Value<'_>>,
    ) -> (&'static str, Delta, bool) {
        let action = &answer.open.call.action;
        let how = if matches!(action, Action::Write { .. } | Action::Touch { .. }) { How::Write } else { How::Edit };
        let file = &mut self.files.list[index];
        if !matches!(action, Action::Undo { .. }) {
            file.remember();
        }
        let (step, call) = (answer.step, answer.open.step);
        let logged = details.and_then(|details| edit_of(details, self.dialect));
        let mut editor = Editor { texts: &mut self.texts, fuel: &mut self.fuel, step, call, how };
        match action {
            Action::Write { text, .. } => {
                let text = details.and_then(written_of).unwrap_or(text);
                ("write", editor.write(file, text), true)
            }
            Action::Touch { .. } => ("write", editor.write(file, "\n"), true),
            Action::Insert { line, text, .. } => ("insert", editor.insert(file, *line, text), true),
            Action::Splice { from, to, text, .. } => ("edit", editor.splice(file, *from, *to, text), true),
            Action::Replace { edits, is_all, takes_line_end, .. } => {
                let diff = details.filter(|_| self.dialect == Dialect::OpenCode).and_then(|d| d.get("diff")?.as_str());
                if let Some(delta) = diff.and_then(|diff| editor.replay_diff(file, diff)) {
                    return ("edit", delta, true);
                }
                let patch = details.and_then(patch_of);
                let replies: Vec<&FileExcerpt<'_>> = patch.iter().chain(std::iter::once(reply)).collect();
                let edits = logged.as_ref().map_or(edits.as_slice(), |logged| logged);
                let (delta, is_found) = replace_all(&mut editor, file, edits, (*is_all, *takes_line_end), &replies);
                if let Some(patch) = patch.as_ref().filter(|_| self.dialect == Dialect::ClaudeCode) {
                    editor.keep_quotes(file, patch);
                }
                ("edit", delta, is_found)
            }
            _ => {
                file.undo();
                ("undo", Delta::default(), true)
            }
        }
    }

    /// W8: an edit that failed.
    fn fail(&mut self, answer: &Answer<'_>, index: usize) {
        let file = &mut self.files.list[index];
        file.failed += 1;
        self.notes.failed_edit(answer.step, index, &file.path);
    }

    /// W8 *patch*; `folder` is the shell's, where a command patches.
    pub(super) fn patches(&mut self, answer: &Answer<'_>, text: &str, folder: Option<&str>) {
        self.apply(answer, patch::parse(text), folder);
    }

    fn apply(&mut self, answer: &Answer<'_>, patches: Vec<FilePatch>, folder: Option<&str>) {
        let reply = match patches.as_slice() {
            [_] if folder.is_none() => FileExcerpt::reply(answer.text),
            _ => FileExcerpt::default(),
        };
        for patch in patches {
            let resolve = |work: &Self, path: &str| match folder {
                Some(_) => work.folders.resolve(path, folder),
                None => work.path(answer, path),
            };
            let path = resolve(self, patch.path());
            if answer.outcome.is_error() {
                let index = self.files.of(&path, answer.step);
                self.fail(answer, index);
                continue;
            }
            match &patch {
                FilePatch::Delete { .. } => self.delete_file(answer.step, &path),
                FilePatch::Add { text, .. } => {
                    let index = self.files.of(&path, answer.step);
                    self.with_file(answer, index, How::Patch, "patch", |editor, file| editor.write(file, text));
                }
                FilePatch::Update { target, hunks, .. } => {
                    let index = self.files.of(&path, answer.step);
                    let is_unknown = !self.files.list[index].is_known();
                    self.with_file(answer, index, How::Patch, "patch", |editor, file| editor.patch(file, hunks));
                    self.reply(answer, index, &reply);
                    if is_unknown && answer.open.is_first_to_name(&path) {
                        self.notes.never_read(answer.step, &path);
                    }
                    if let Some(target) = target {
                        let target = resolve(self, target);
                        self.copy(answer.step, &path, &target, true);
                    }
                }
            }
        }
    }

    /// An edit of a file, counted and reported.
    pub(super) fn with_file(
        &mut self,
        answer: &Answer<'_>,
        index: usize,
        how: How,
        op: &'static str,
        edit: impl FnOnce(&mut Editor<'_>, &mut File) -> Delta,
    ) {
        let file = &mut self.files.list[index];
        file.remember();
        let (step, call) = (answer.step, answer.open.step);
        let mut editor = Editor { texts: &mut self.texts, fuel: &mut self.fuel, step, call, how };
        let delta = edit(&mut editor, file);
        file.edits += 1;
        file.is_deleted = false;
        file.note_change(step, Last::of(op, delta));
    }
}

/// Up to this number of files each name is looked for in a command; above it, the words of the command are looked up.
const SEARCHED_MAX: usize = 1000;

/// What holds of a file before an edit.
struct Before {
    is_unknown: bool,
    is_whole: bool,
    has_doubt: bool,
    /// Whether the lines that the edit names by number are known.
    is_place_known: bool,
}

impl Before {
    fn of(file: &File, action: &Action) -> Self {
        let is_known = |number: u32| file.line(number).is_some();
        let is_place_known = match action {
            Action::Splice { from, to, .. } => {
                let count = (*to + 1).saturating_sub(*from) as usize;
                file.places(*from, *to).len() == count
            }
            Action::Insert { line: Some(line), .. } => is_known(*line) || is_known(line.saturating_add(1)),
            Action::Insert { line: None, .. } => file.is_whole,
            _ => true,
        };
        Self { is_unknown: !file.is_known(), is_whole: file.is_whole, has_doubt: file.doubt.is_some(), is_place_known }
    }
}

/// W8 *replace*: each edit in turn; whether all their places were known.
fn replace_all(
    editor: &mut Editor<'_>,
    file: &mut File,
    edits: &[Replacement],
    (is_all, takes_line_end): (bool, bool),
    replies: &[&FileExcerpt<'_>],
) -> (Delta, bool) {
    let (mut delta, mut is_found) = (Delta::default(), true);
    let none = FileExcerpt::default();
    let reply = replies.last().copied().unwrap_or(&none);
    for (place, edit) in edits.iter().enumerate() {
        let done = editor.replace(file, edit, (is_all, takes_line_end), reply);
        let done = done.unwrap_or_else(|| {
            is_found = false;
            let replies = if edits.len() == 1 { replies } else { &[] };
            editor.place_unfound(file, edit, takes_line_end, replies, edits.len() == 1)
        });
        delta = if place == 0 { done } else { delta.and(done) };
    }
    (delta, is_found)
}
