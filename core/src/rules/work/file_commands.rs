//! W9: what commands of the shell do to files that are known.

use super::call::Action;
use super::details::{CommandDiff, command_diff};
use super::file::{Delta, File, Last};
use super::file_excerpt::FileExcerpt;
use super::files::Answer;
use super::history::Piece;
use super::outcome::OutcomeLevel;
use super::patch::{self, FilePatch};
use super::path::last_name;
use super::shell::{Effect, Script};
use super::shell_read::Reading;
use super::tables::BULK;
use super::terminal;
use super::text::How;
use super::{Dialect, Work};
use crate::model::StepNo;
use std::collections::HashSet;

/// What Claude Code says when the user interrupts a tool.
const INTERRUPTED: &str = "[Request interrupted by user for tool use]";
/// Files that one command puts in doubt, at most: the last that appeared.
const DOUBTED_MAX: usize = 1000;

impl Work {
    /// A known file goes, or what is known below a folder.
    pub(super) fn delete(&mut self, step: StepNo, path: &str) {
        let mut all = self.files.below(path);
        all.extend(self.files.find(path).filter(|index| self.files.list[*index].is_known()));
        all.into_iter().for_each(|index| self.delete_at(step, index));
    }

    /// A file goes that is surely one, known or not.
    pub(super) fn delete_file(&mut self, step: StepNo, path: &str) {
        let index = self.files.of(path, step);
        self.delete_at(step, index);
    }

    fn delete_at(&mut self, step: StepNo, index: usize) {
        let file = &mut self.files.list[index];
        if file.is_deleted {
            return;
        }
        let removed = count_lines(file);
        file.delete();
        file.note_change(step, Last::of("delete", Delta { removed, ..Delta::default() }));
        self.files.touch(index);
    }

    /// A known file, or what is known below a folder, is copied; `is_move`: it goes from where it was.
    pub(super) fn copy(&mut self, step: StepNo, from: &str, to: &str, is_move: bool) {
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
        let (is_whole, total, doubt, unended) = (source.is_whole, source.total, source.doubt, source.unended);
        let file = &mut self.files.list[target];
        file.remember();
        (file.lines, file.pieces, file.is_whole, file.total, file.doubt) = (lines, pieces, is_whole, total, doubt);
        file.unended = unended;
        file.is_deleted = false;
        let op = if is_move { "move" } else { "copy" };
        file.note_change(step, Last::of(op, Delta { added: count, ..Delta::default() }));
        if is_move {
            let file = &mut self.files.list[from];
            file.delete();
            file.note_change(step, Last::of(op, Delta { removed: count, ..Delta::default() }));
            self.files.touch(from);
        }
    }

    /// W9: what a command does.
    pub(super) fn shell_effects(&mut self, answer: &Answer<'_>, command: &str, cwd: Option<&str>, is_background: bool) {
        let given = cwd.map(|cwd| self.folders.shell_path(cwd));
        let start = given.as_deref().or(answer.folder);
        let end = answer.logged_folder.filter(|_| given.is_none());
        let script = Script::read(command, &self.folders, start, end);
        if let Some(folder) = script.folder.as_ref().filter(|_| end.is_none() && given.is_none()) {
            let has_failed = answer.outcome.is_error() && answer.text.contains("cd: ");
            let goes_on = matches!(answer.open.call.action, Action::Shell { is_in_session: true, .. });
            if (goes_on || !self.dialect.resets_folder()) && !answer.has_logged_folder && !has_failed {
                self.folders.go_to(folder.clone());
            }
        }
        let is_pending = is_background || answer.outcome.reason == Some("no-exit");
        let is_done = !answer.outcome.is_error() && !is_pending;
        let diff = answer.details.filter(|_| self.dialect == Dialect::ClaudeCode).and_then(command_diff);
        let diff = diff.unwrap_or_default();
        let mut touched: HashSet<usize> = HashSet::new();
        let (reads, changes): (Vec<_>, Vec<_>) =
            script.effects.iter().partition(|effect| script.reads_last && matches!(effect, Effect::Read { .. }));
        for effect in changes {
            // The log says where the text was put.
            let is_reported = matches!(effect, Effect::Append { path, .. } if diff.patches.iter().any(|patch| {
                self.folders.tool_path(patch.path()) == *path
            }));
            if is_reported {
                continue;
            }
            if is_done {
                self.effect(answer, effect, &mut touched);
            } else {
                self.blur(answer.step, effect);
            }
        }
        self.reported_changes(answer, &diff, is_done, &mut touched);
        self.doubt(answer.step, command, &script, &touched);
        if is_done {
            reads.into_iter().for_each(|effect| self.effect(answer, effect, &mut touched));
        }
    }

    /// W9: what the log says that the command changed. Where a file went is what the command says.
    fn reported_changes(
        &mut self,
        answer: &Answer<'_>,
        diff: &CommandDiff,
        is_done: bool,
        touched: &mut HashSet<usize>,
    ) {
        for patch in &diff.patches {
            let path = self.folders.tool_path(patch.path());
            let index = self.files.of(&path, answer.step);
            if !is_done {
                self.put_in_doubt(answer.step, index);
            } else if !touched.contains(&index) {
                self.with_file(answer, index, How::Command, "command", |editor, file| match patch {
                    FilePatch::Update { hunks, .. } => editor.patch(file, hunks),
                    FilePatch::Add { text, .. } => editor.write(file, text),
                    FilePatch::Delete { .. } => Delta::default(),
                });
                touched.insert(index);
            }
        }
        for path in &diff.unclear {
            let index = self.files.find_known(&self.folders.tool_path(path));
            index.filter(|index| !touched.contains(index)).into_iter().for_each(|i| self.put_in_doubt(answer.step, i));
        }
    }

    /// Claude Code says of a command that ran when it was interrupted that it was rejected: it may have changed files.
    pub(super) fn interrupt(&mut self, step: StepNo, text: &str) {
        let Some(rejected) = self.rejected.take().filter(|_| text.starts_with(INTERRUPTED)) else { return };
        let (command, cwd) = *rejected;
        let folder = cwd.map(|cwd| self.folders.shell_path(&cwd)).or_else(|| self.folders.shell.clone());
        let script = Script::read(&command, &self.folders, folder.as_deref(), None);
        script.effects.iter().for_each(|effect| self.blur(step, effect));
        self.doubt(step, &command, &script, &HashSet::new());
    }

    fn effect(&mut self, answer: &Answer<'_>, effect: &Effect, touched: &mut HashSet<usize>) {
        let step = answer.step;
        match effect {
            Effect::Read { path, reading } => {
                if answer.outcome.verdict == OutcomeLevel::Ok && !is_complaint(answer.text) {
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
        if self.is_elsewhere(answer.text) {
            return;
        }
        let range = reading.range;
        let mut shown = if self.dialect == Dialect::OpenHands {
            let has_echo = matches!(&answer.open.call.action, Action::Shell { command, .. }
                if terminal::has_echo(answer.text, command));
            let file = self.files.find(path).map(|index| &self.files.list[index]);
            let shown = (!has_echo).then(|| terminal::excerpt(answer.text, reading, file, &self.texts));
            let Some(shown) = shown.flatten() else { return };
            shown
        } else if self.dialect == Dialect::Gemini && reading.is_in_columns(answer.text) {
            terminal::in_columns(answer.text)
        } else if reading.is_numbered {
            FileExcerpt::numbered(answer.text, reading.has_colons)
        } else {
            FileExcerpt::raw(answer.text, terminal::shown_range(self.dialect, answer.text, range))
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

fn count_lines(file: &File) -> u64 {
    let pieces: usize = file.pieces.iter().map(|piece: &Piece| piece.len()).sum();
    (file.lines.len() + pieces) as u64
}

/// Whether a reading command complains instead of printing.
fn is_complaint(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("");
    let is_tool = |tool: &&str| line.strip_prefix(*tool).is_some_and(|rest| rest.starts_with(": "));
    ["cat", "head", "tail", "sed", "nl", "grep"].iter().any(is_tool)
        && ["No such file", "Permission denied", "Is a directory", "can't read", "cannot open"]
            .iter()
            .any(|why| line.contains(why))
}
