//! W12, W14: a file as of a step for a screen: numbers of lines, whose texts are asked for where they are shown.

use super::Work;
use super::history::Facts;
use super::text::{LineId, LineOrigin};
use crate::model::StepNo;
use std::ops::Range;
use std::sync::Arc;

/// A file that the run knows, by its place in the order of first appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(super) usize);

/// What is known of a file at a step beside its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// Its path.
    pub path: Arc<str>,
    /// Lines that are known and have a place.
    pub known: u32,
    /// Whether that is all of the file.
    pub is_whole: bool,
    /// Whether it was deleted.
    pub is_deleted: bool,
    /// Number of its lines, if known.
    pub lines: Option<u32>,
    /// The step that wrote it whole before anything was known of it.
    pub created: Option<StepNo>,
    /// The last step at which the run changed it.
    pub changed: Option<StepNo>,
    /// The last step that showed lines of it.
    pub seen: Option<StepNo>,
    /// Edits that were made.
    pub edits: u64,
    /// Edits that failed.
    pub failed: u64,
    /// Lines that the run added.
    pub added: u64,
    /// Lines that the run removed.
    pub removed: u64,
    /// The step of the last command that may have changed it since.
    pub doubt: Option<StepNo>,
}

/// A known line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownLine {
    /// Its number, from 1; None: it is known, but not where.
    pub number: Option<u32>,
    /// The line.
    pub id: LineId,
}

/// A file as the agent knew it at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView {
    /// The step that made it what it is.
    pub step: StepNo,
    /// What is known beside the lines.
    pub facts: FileFacts,
    /// The known lines by number, then those without a place.
    pub lines: Vec<KnownLine>,
}

impl Work {
    /// The files of the trajectory of a step that appeared up to it, by their places in the order of all.
    fn known_at(&self, step: StepNo) -> Range<usize> {
        let list = &self.files.list;
        let start = list.partition_point(|file| file.versions.has_ended(step));
        start..list.partition_point(|file| file.first <= step).max(start)
    }

    /// Files that appeared up to a step.
    #[must_use]
    pub fn file_count(&self, step: StepNo) -> usize {
        self.known_at(step).len()
    }

    /// A file that appeared up to a step, by its place in the order of first appearance.
    #[must_use]
    pub fn file_at_place(&self, place: usize, step: StepNo) -> Option<FileId> {
        self.known_at(step).nth(place).map(FileId)
    }

    /// The first file that appears after a step, and the step at which it does.
    #[must_use]
    pub fn next_file(&self, step: StepNo) -> Option<(FileId, StepNo)> {
        let place = self.files.list.partition_point(|file| file.first <= step);
        self.files.list.get(place).map(|file| (FileId(place), file.first))
    }

    /// The file of a path, of several the one that is known at a step.
    #[must_use]
    pub fn file_of_path(&self, path: &str, step: StepNo) -> Option<FileId> {
        self.files.find_at(path, step).or_else(|| self.files.find(path)).map(FileId)
    }

    /// The path of a file.
    #[must_use]
    pub fn file_path(&self, file: FileId) -> &str {
        self.files.list.get(file.0).map_or("", |file| &file.path)
    }

    /// What is known of a file at a step beside its lines; None: it was not there yet.
    #[must_use]
    pub fn file_facts(&self, file: FileId, step: StepNo) -> Option<FileFacts> {
        let file = self.files.list.get(file.0)?;
        file.versions.facts(step).map(|facts| file_facts(&file.path, &facts))
    }

    /// The first file that a step changed, else the first that it showed, failed to change, or may have changed.
    #[must_use]
    pub fn file_touched(&self, step: StepNo) -> Option<FileId> {
        let is = |of: fn(&Facts) -> Option<StepNo>| {
            let has = |file: &super::file::File| file.versions.facts(step).and_then(|facts| of(&facts)) == Some(step);
            self.files.list.iter().position(has).map(FileId)
        };
        is(|facts| facts.changed)
            .or_else(|| is(|facts| facts.seen))
            .or_else(|| self.file_failed(step))
            .or_else(|| is(|facts| facts.doubt))
    }

    /// The first file that a step failed to change.
    fn file_failed(&self, step: StepNo) -> Option<FileId> {
        let failed = |file: &super::file::File, at| file.versions.facts(at).map_or(0, |facts| facts.failed);
        let before = step.checked_sub(1);
        let has_more = |file: &super::file::File| failed(file, step) > before.map_or(0, |before| failed(file, before));
        self.files.list.iter().position(has_more).map(FileId)
    }

    /// What it costs to look at a file, in lines.
    #[must_use]
    pub fn file_size(&self, file: FileId) -> usize {
        self.files.list.get(file.0).map_or(0, |file| file.versions.size())
    }

    /// A file at a step; None: it was not there yet.
    #[must_use]
    pub fn file_view(&self, file: FileId, step: StepNo) -> Option<FileView> {
        let file = self.files.list.get(file.0)?;
        let (cells, facts) = file.versions.at(step)?;
        let mut number = 0;
        let numbered = cells.iter().map(|cell| {
            number += cell.gap + 1;
            KnownLine { number: Some(number), id: cell.id }
        });
        let pieces = facts.pieces.iter().flat_map(|piece| piece.iter().map(|id| KnownLine { number: None, id: *id }));
        let lines = numbered.chain(pieces).collect();
        let step = file.versions.up_to(step).last().map_or(step, |version| version.step);
        Some(FileView { step, facts: file_facts(&file.path, &facts), lines })
    }

    /// The text of a line and where it comes from.
    #[must_use]
    pub fn line(&self, id: LineId) -> Option<(&str, LineOrigin)> {
        Some((self.texts.text(id), self.texts.origin(id)?))
    }

    /// The first step after this one whose result is that of a command that runs tests.
    #[must_use]
    pub fn tested_after(&self, step: StepNo) -> Option<StepNo> {
        self.tests.get(self.tests.partition_point(|test| *test <= step)).copied()
    }

    /// The first step after this one whose result is that of a call that could change any file: a command that is run.
    #[must_use]
    pub fn run_after(&self, step: StepNo) -> Option<StepNo> {
        self.changers.get(self.changers.partition_point(|run| *run <= step)).copied()
    }
}

fn file_facts(path: &Arc<str>, facts: &Facts) -> FileFacts {
    let Facts { known, is_whole, is_deleted, total, created, changed, seen, .. } = *facts;
    let Facts { edits, failed, added, removed, doubt, .. } = *facts;
    FileFacts {
        path: Arc::clone(path),
        known,
        is_whole,
        is_deleted,
        lines: total,
        created,
        changed,
        seen,
        edits,
        failed,
        added,
        removed,
        doubt,
    }
}
