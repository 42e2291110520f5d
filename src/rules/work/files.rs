//! W3, W7 to W9: what results do to files.

use super::call::{Action, Range, Replacement};
use super::edit::Editor;
use super::file::{Delta, File, Last};
use super::history::Piece;
use super::open_calls::OpenCall;
use super::outcome::{Outcome, Verdict};
use super::patch::{self, FilePatch};
use super::path::last_name;
use super::shell::{Effect, Reading, Script};
use super::shown::Shown;
use super::tables::BULK;
use super::text::How;
use super::view::{Contradiction, Viewer};
use super::{Dialect, Work};
use crate::json::{self, Value};
use crate::model::StepNo;
use std::borrow::Cow;
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
    fn below(&self, folder: &str) -> Vec<usize> {
        let start: Arc<str> = format!("{folder}/").into();
        let from = self.by_path.range(Arc::clone(&start)..);
        let below = from.take_while(|(path, _)| path.starts_with(&*start)).map(|(_, index)| *index);
        below.filter(|index| self.list[*index].is_known() && !self.list[*index].is_deleted).collect()
    }

    /// Files whose last names a text may hold: all where they are few, else those that are words of the text.
    fn named_in(&self, text: &str) -> Vec<usize> {
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
    /// The shell's folder afterwards, where the log tells it.
    pub(super) told_folder: Option<&'a str>,
    /// The file that was open before.
    pub(super) open_file: Option<&'a str>,
}

impl Work {
    /// What a result does to files.
    pub(super) fn file_effects(&mut self, answer: &Answer<'_>) {
        if answer.outcome.reason == Some("rejected") {
            return;
        }
        match &answer.open.call.action {
            Action::Read { path, range, is_raw } => self.read(answer, path, *range, *is_raw),
            Action::Window { .. } if !answer.outcome.is_error() => {
                if let Some(shown) = Shown::window(answer.text) {
                    self.view(answer, shown.path.clone().as_deref(), &shown);
                }
            }
            Action::Patch { text } => self.patches(answer, text, None),
            Action::Shell { command, cwd, is_background } => {
                self.shell_effects(answer, command, cwd.as_deref(), *is_background);
            }
            Action::Blur { path } => {
                let path = self.path(answer, path);
                if let Some(index) = self.files.find(&path).filter(|_| !answer.outcome.is_error()) {
                    self.files.list[index].doubt = Some(answer.step);
                    self.files.touch(index);
                }
            }
            _ => self.edit_effects(answer),
        }
    }

    fn path(&self, answer: &Answer<'_>, path: &str) -> String {
        match answer.open.call.is_in_shell {
            true => self.folders.resolve(path, answer.folder.or(answer.told_folder)),
            false => self.folders.tool_path(path),
        }
    }

    fn read(&mut self, answer: &Answer<'_>, path: &str, range: Range, is_raw: bool) {
        if answer.outcome.is_error() {
            return;
        }
        let path = self.path(answer, path);
        let detail = answer.details.filter(|_| self.dialect == Dialect::ClaudeCode).and_then(detail_file);
        if let Some((text, first, total)) = detail {
            let range = Range { first, ..range };
            let shown = Shown { total, ..Shown::raw(&text, range) };
            let shown = Shown { is_whole: total == u32::try_from(shown.lines.len()).ok() && first == 1, ..shown };
            return self.view(answer, Some(&path), &shown);
        }
        let shown = match Shown::window(answer.text) {
            Some(window) => window,
            None if is_raw => Shown::raw(answer.text, range).of_read(range),
            None => Shown::numbered(answer.text, false).of_read(range),
        };
        let is_listing = !is_raw && shown.total.is_none() && !shown.is_numbered;
        if !is_listing {
            self.view(answer, Some(&path), &shown);
        }
    }

    /// W7: a result shows lines of a file.
    fn view(&mut self, answer: &Answer<'_>, path: Option<&str>, shown: &Shown<'_>) {
        let Some(path) = path.filter(|_| !shown.is_nothing()) else { return };
        let path = self.folders.resolve(path, answer.folder);
        let index = self.files.of(&path, answer.step);
        let file = &mut self.files.list[index];
        let found = Viewer {
            texts: &mut self.texts,
            fuel: &mut self.fuel,
            step: answer.step,
            call: answer.open.step,
            is_reply: false,
        }
        .show(file, shown);
        let line = shown.lines.first().map(|(number, _)| *number);
        let is_all_shown = file.pieces.is_empty() && file.lines.iter().all(|known| known.had == answer.step);
        file.last = Some(Last::of("view", Delta { line, ..Delta::default() }));
        if let Some(since) = found.since {
            let by = file.doubt.or_else(|| {
                self.changers.iter().rev().copied().find(|step| *step < answer.step).filter(|step| *step > since)
            });
            file.last = Some(Last { since: Some(since), by, ..Last::of("changed", found.delta) });
            file.doubt = file.doubt.or(Some(answer.step));
            if by.is_none() {
                self.notes.changed_outside(answer.step, &file.path, since);
            }
        }
        if is_all_shown {
            file.doubt = None;
        }
    }

    /// W8: the lines that the reply to an edit shows.
    fn reply(&mut self, answer: &Answer<'_>, index: usize, shown: &Shown<'_>) -> Contradiction {
        if shown.is_nothing() {
            return Contradiction::default();
        }
        let (step, call) = (answer.step, answer.open.step);
        let file = &mut self.files.list[index];
        Viewer { texts: &mut self.texts, fuel: &mut self.fuel, step, call, is_reply: true }.show(file, shown)
    }

    /// The file that an edit names, or that is open.
    fn edited(&mut self, answer: &Answer<'_>, path: Option<&str>) -> Option<usize> {
        let path = match path {
            Some(path) => self.path(answer, path),
            None => answer.open_file?.to_owned(),
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
        let reply = Shown::window(answer.text).unwrap_or_else(|| Shown::numbered(answer.text, false));
        let before = Before::of(&self.files.list[index], &answer.open.call.action);
        let (op, delta, is_found) = self.edit(answer, index, &reply);
        let file = &mut self.files.list[index];
        file.edits += 1;
        file.is_deleted = false;
        file.note_change(answer.step, Last::of(op, delta));
        let found = self.reply(answer, index, &reply);
        let path = Arc::clone(&self.files.list[index].path);
        if before.is_unknown && !answer.open.was_named && !matches!(op, "write") {
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
    fn edit(&mut self, answer: &Answer<'_>, index: usize, reply: &Shown<'_>) -> (&'static str, Delta, bool) {
        let action = &answer.open.call.action;
        let how = if matches!(action, Action::Write { .. } | Action::Touch { .. }) { How::Write } else { How::Edit };
        let file = &mut self.files.list[index];
        if !matches!(action, Action::Undo { .. }) {
            file.remember();
        }
        let (step, call) = (answer.step, answer.open.step);
        let mut editor = Editor { texts: &mut self.texts, fuel: &mut self.fuel, step, call, how };
        match action {
            Action::Write { text, .. } => ("write", editor.write(file, text), true),
            Action::Touch { .. } => ("write", editor.write(file, "\n"), true),
            Action::Insert { line, text, .. } => ("insert", editor.insert(file, *line, text), true),
            Action::Splice { from, to, text, .. } => ("edit", editor.splice(file, *from, *to, text), true),
            Action::Replace { edits, is_all, takes_line_end, .. } => {
                let patch = answer.details.and_then(detail_patch);
                let replies: Vec<&Shown<'_>> = patch.iter().chain(std::iter::once(reply)).collect();
                let (delta, is_found) = replace_all(&mut editor, file, edits, (*is_all, *takes_line_end), &replies);
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
    fn patches(&mut self, answer: &Answer<'_>, text: &str, folder: Option<&str>) {
        for patch in patch::parse(text) {
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
                FilePatch::Delete { .. } => self.delete(answer.step, &path),
                FilePatch::Add { text, .. } => {
                    let index = self.files.of(&path, answer.step);
                    self.with_file(answer, index, How::Patch, "patch", |editor, file| editor.write(file, text));
                }
                FilePatch::Update { target, hunks, .. } => {
                    let index = self.files.of(&path, answer.step);
                    let is_unknown = !self.files.list[index].is_known();
                    self.with_file(answer, index, How::Patch, "patch", |editor, file| editor.patch(file, hunks));
                    if is_unknown && !answer.open.was_named {
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

    /// An edit of a file, counted and told.
    fn with_file(
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

    /// A known file goes.
    fn delete(&mut self, step: StepNo, path: &str) {
        let mut all = self.files.below(path);
        all.extend(self.files.find(path));
        for index in all {
            let file = &mut self.files.list[index];
            if !file.is_known() || file.is_deleted {
                continue;
            }
            let removed = count_lines(file);
            file.delete();
            file.note_change(step, Last::of("delete", Delta { line: None, added: 0, removed }));
            self.files.touch(index);
        }
    }

    /// A known file, or what is known below a folder, is copied; `is_move`: it goes from where it was.
    fn copy(&mut self, step: StepNo, from: &str, to: &str, is_move: bool) {
        let folder = to.strip_suffix('/').unwrap_or(to);
        let is_folder = folder.len() < to.len() || !self.files.below(folder).is_empty();
        let target = if is_folder { format!("{folder}/{}", last_name(from)) } else { to.to_owned() };
        let mut all: Vec<(usize, String)> = self
            .files
            .below(from)
            .into_iter()
            .map(|index| (index, self.files.list[index].path[from.len()..].to_owned()))
            .collect();
        all.extend(self.files.find(from).map(|index| (index, String::new())));
        for (index, rest) in all {
            let path = format!("{target}{rest}");
            let source = &self.files.list[index];
            if !source.is_known() || source.is_deleted || *source.path == *path {
                continue;
            }
            self.copy_file(step, index, &path, is_move);
        }
    }

    fn copy_file(&mut self, step: StepNo, from: usize, to: &str, is_move: bool) {
        let target = self.files.of(to, step);
        let source = &self.files.list[from];
        let (lines, pieces, count) = (source.lines.clone(), source.pieces.clone(), count_lines(source));
        let (is_whole, total, doubt) = (source.is_whole, source.total, source.doubt);
        let file = &mut self.files.list[target];
        file.remember();
        (file.lines, file.pieces, file.is_whole, file.total, file.doubt) = (lines, pieces, is_whole, total, doubt);
        file.is_deleted = false;
        let op = if is_move { "move" } else { "copy" };
        file.note_change(step, Last::of(op, Delta { line: None, added: count, removed: 0 }));
        if is_move {
            let file = &mut self.files.list[from];
            file.delete();
            file.note_change(step, Last::of(op, Delta { line: None, added: 0, removed: count }));
            self.files.touch(from);
        }
    }

    /// W9: what a command does.
    fn shell_effects(&mut self, answer: &Answer<'_>, command: &str, cwd: Option<&str>, is_background: bool) {
        let given = cwd.map(|cwd| self.folders.shell_path(cwd));
        let start = given.as_deref().or(answer.folder);
        let end = answer.told_folder.filter(|_| given.is_none());
        let script = Script::read(command, &self.folders, start, end);
        if let Some(folder) = script.folder.as_deref().filter(|_| end.is_none() && given.is_none()) {
            let has_failed = answer.outcome.is_error() && answer.text.contains("cd: ");
            if !self.dialect.starts_anew() && answer.told_folder.is_none() && !has_failed {
                self.folders.enter(folder);
            }
        }
        let is_pending = is_background || answer.outcome.reason == Some("no-exit");
        let is_done = !answer.outcome.is_error() && !is_pending;
        let mut touched: HashSet<usize> = HashSet::new();
        for effect in &script.effects {
            if is_done {
                self.effect(answer, effect, &mut touched);
            } else {
                self.blur(answer.step, effect);
            }
        }
        self.doubt(answer.step, command, &script, &touched);
    }

    fn effect(&mut self, answer: &Answer<'_>, effect: &Effect, touched: &mut HashSet<usize>) {
        let step = answer.step;
        match effect {
            Effect::Read { path, reading } => {
                if answer.outcome.verdict == Verdict::Ok && !is_complaint(answer.text) {
                    self.read_by_command(answer, path, *reading);
                }
            }
            Effect::Write { path, text } => {
                let index = self.files.of(path, step);
                self.with_file(answer, index, How::Command, "command", |editor, file| editor.write(file, text));
                touched.insert(index);
            }
            Effect::Append { path, text } => {
                let index = self.files.of(path, step);
                self.with_file(answer, index, How::Command, "command", |editor, file| {
                    // Nothing is known of a file that was deleted but that it is there again.
                    if file.is_deleted { editor.write(file, text) } else { editor.append(file, text) }
                });
                touched.insert(index);
            }
            Effect::Delete { path } => {
                self.delete(step, path);
                touched.extend(self.files.find(path));
            }
            Effect::Move { from, to } | Effect::Copy { from, to } => {
                let is_move = matches!(effect, Effect::Move { .. });
                let count = self.files.list.len();
                self.copy(step, from, to, is_move);
                touched.extend(count..self.files.list.len());
                touched.extend(self.changed_at(step));
                touched.extend(self.files.find(from).filter(|_| !is_move));
            }
            Effect::Patch { text, folder } => {
                self.patches(answer, text, Some(folder.as_deref().unwrap_or("")).filter(|f| !f.is_empty()));
                touched.extend(self.changed_at(step));
            }
        }
    }

    /// Files that this step changed so far.
    fn changed_at(&self, step: StepNo) -> Vec<usize> {
        let dirty = self.files.dirty.iter().copied();
        dirty.filter(|index| self.files.list[*index].changed == Some(step)).collect()
    }

    fn read_by_command(&mut self, answer: &Answer<'_>, path: &str, reading: Reading) {
        let range = reading.range;
        let mut shown = match reading.is_numbered {
            true => Shown::numbered(answer.text, reading.has_colons),
            false => Shown::raw(answer.text, range),
        };
        if reading.is_numbered && !shown.is_numbered {
            return;
        }
        shown.has_end = reading.has_end && !shown.is_cut;
        let shown = if reading.has_end { shown.of_read(range) } else { shown };
        self.view(answer, Some(path), &shown);
    }

    /// W9: a change that may not have been made.
    fn blur(&mut self, step: StepNo, effect: &Effect) {
        let paths: Vec<String> = match effect {
            Effect::Read { .. } => Vec::new(),
            Effect::Write { path, .. } | Effect::Append { path, .. } | Effect::Delete { path } => vec![path.clone()],
            Effect::Move { from, to } => vec![from.clone(), to.clone()],
            Effect::Copy { to, .. } => vec![to.clone()],
            Effect::Patch { text, folder } => {
                let resolve = |path: &str| self.folders.resolve(path, folder.as_deref());
                patch::parse(text).iter().map(|patch| resolve(patch.path())).collect()
            }
        };
        for path in paths {
            let mut all = self.files.below(&path);
            all.extend(self.files.find(&path));
            all.into_iter().for_each(|index| self.put_in_doubt(step, index));
        }
    }

    fn put_in_doubt(&mut self, step: StepNo, index: usize) {
        let file = &mut self.files.list[index];
        if file.is_known() && !file.is_deleted && file.doubt != Some(step) {
            file.doubt = Some(step);
            self.files.touch(index);
        }
    }

    /// W9 *Doubt*.
    fn doubt(&mut self, step: StepNo, command: &str, script: &Script, touched: &HashSet<usize>) {
        if BULK.is_match(command) {
            let start = self.files.list.len().saturating_sub(DOUBTED_MAX);
            (start..self.files.list.len()).for_each(|index| self.put_in_doubt(step, index));
            return;
        }
        for index in self.files.named_in(command) {
            if !touched.contains(&index) && script.may_change(last_name(&self.files.list[index].path)) {
                self.put_in_doubt(step, index);
            }
        }
    }
}

/// Up to so many files each name is looked for in a command; of more, the words of the command are looked up.
const SEARCHED_MAX: usize = 1000;
/// Files that one command puts in doubt, at most: the last that appeared.
const DOUBTED_MAX: usize = 1000;

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
    replies: &[&Shown<'_>],
) -> (Delta, bool) {
    let (mut delta, mut is_found) = (Delta::default(), true);
    let none = Shown::default();
    let reply = replies.last().copied().unwrap_or(&none);
    for (place, edit) in edits.iter().enumerate() {
        let done = editor.replace(file, edit, (is_all, takes_line_end), reply);
        let done = done.unwrap_or_else(|| {
            is_found = false;
            let replies = if edits.len() == 1 { replies } else { &[] };
            editor.place_unfound(file, edit, replies, edits.len() == 1)
        });
        delta = if place == 0 { done } else { delta.and(done) };
    }
    (delta, is_found)
}

fn count_lines(file: &File) -> u64 {
    let pieces: usize = file.pieces.iter().map(|piece: &Piece| piece.len()).sum();
    (file.lines.len() + pieces) as u64
}

/// Whether a reading command complains instead of printing.
fn is_complaint(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("");
    let is_tool = |tool: &&str| line.strip_prefix(*tool).is_some_and(|rest| rest.starts_with(": "));
    ["cat", "head", "tail", "sed", "nl", "grep"].iter().any(|tool| is_tool(&tool))
        && ["No such file", "Permission denied", "Is a directory", "can't read", "cannot open"]
            .iter()
            .any(|why| line.contains(why))
}

/// W7: Claude Code's `file` of a structured result: text, first line, number of lines.
fn detail_file(details: &str) -> Option<(Cow<'static, str>, u32, Option<u32>)> {
    let value = json::parse(details).ok()?;
    let file = value.get("file")?;
    let number = |key| file.get(key).and_then(Value::as_number).and_then(|n| n.parse::<u32>().ok());
    let text = file.get("content")?.as_str()?.replace("\r\n", "\n");
    Some((Cow::Owned(text), number("startLine").unwrap_or(1).max(1), number("totalLines")))
}

/// W8: Claude Code's `structuredPatch`, as lines that are shown.
fn detail_patch(details: &str) -> Option<Shown<'static>> {
    let value = json::parse(details).ok()?;
    let mut lines: Vec<(u32, Cow<'static, str>)> = Vec::new();
    for hunk in value.get("structuredPatch")?.as_array()? {
        let mut number: u32 = hunk.get("newStart")?.as_number()?.parse().ok()?;
        for line in hunk.get("lines")?.as_array()?.iter().filter_map(Value::as_str) {
            if let Some(text) = line.strip_prefix([' ', '+']) {
                if lines.last().is_none_or(|(last, _)| *last < number) {
                    lines.push((number, Cow::Owned(text.to_owned())));
                }
                number = number.checked_add(1)?;
            }
        }
    }
    (!lines.is_empty()).then(|| Shown { lines, ..Shown::default() })
}
