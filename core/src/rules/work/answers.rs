//! W5, W12: what is known of files, as slots and as answers at any step.

use super::Work;
use super::file::{File, Last};
use super::history::{Cell, Facts};
use super::slots::Writer;
use super::text::{LineOrigin, Texts};
use crate::json::quote;
use crate::model::StepNo;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Which lines of a file are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnownLines {
    /// All.
    All,
    /// The file was deleted.
    Deleted,
    /// These, by first and last number.
    Ranges(Vec<(u32, u32)>),
}

impl KnownLines {
    fn of(cells: &[Cell], is_whole: bool, is_deleted: bool) -> Self {
        if is_deleted {
            return Self::Deleted;
        }
        if is_whole {
            return Self::All;
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut number = 0;
        for cell in cells {
            number += cell.gap + 1;
            match ranges.last_mut().filter(|(_, last)| *last + 1 == number) {
                Some((_, last)) => *last = number,
                None => ranges.push((number, number)),
            }
        }
        Self::Ranges(ranges)
    }

    /// As JSON text: `"all"`, `"deleted"`, or a list of pairs.
    #[must_use]
    pub fn json(&self) -> String {
        match self {
            Self::All => "\"all\"".to_owned(),
            Self::Deleted => "\"deleted\"".to_owned(),
            Self::Ranges(ranges) => {
                let pairs: Vec<String> = ranges.iter().map(|(from, to)| format!("[{from},{to}]")).collect();
                format!("[{}]", pairs.join(","))
            }
        }
    }

    /// How many lines that are; None: all, or none because the file is gone.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Ranges(ranges) => Some(ranges.iter().map(|(from, to)| u64::from(to - from) + 1).sum()),
            Self::All | Self::Deleted => None,
        }
    }
}

/// A line of [`FileAt`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameLine<'w> {
    /// Its number, from 1; None: it is known, but not where.
    pub number: Option<u32>,
    /// What it says.
    pub text: &'w str,
    /// Where it comes from.
    pub origin: LineOrigin,
}

/// A file as the agent knew it at a step (W12 `blame --file`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAt<'w> {
    /// Its path.
    pub path: &'w str,
    /// Which lines are known.
    pub known: KnownLines,
    /// Number of its lines, if known.
    pub lines: Option<u32>,
    /// The step of the last command that may have changed it since.
    pub doubt: Option<StepNo>,
    /// The known lines by number, then those without a place.
    pub blame: Vec<BlameLine<'w>>,
}

/// A row of `files` (W12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow<'w> {
    /// Its path.
    pub path: &'w str,
    /// Which lines are known.
    pub known: KnownLines,
    /// Number of its lines, if known.
    pub lines: Option<u32>,
    /// The step at which it appeared.
    pub first: StepNo,
    /// The last step at which the run changed it.
    pub changed: Option<StepNo>,
    /// The last step that showed lines of it.
    pub seen: Option<StepNo>,
    /// Edits that were made.
    pub edits: u64,
    /// Edits that failed.
    pub failed: u64,
    /// The step of the last command that may have changed it since.
    pub doubt: Option<StepNo>,
}

impl Work {
    /// W12: the files that appeared up to a step, in that order.
    #[must_use]
    pub fn files(&self, step: StepNo) -> Vec<FileRow<'_>> {
        let row = |file: &'_ File| {
            let (cells, facts) = file.versions.at(step)?;
            Some((KnownLines::of(&cells, facts.is_whole, facts.is_deleted), facts))
        };
        let rows = self.files.list.iter().filter_map(|file| {
            let (known, facts) = row(file)?;
            let Facts { total, changed, seen, edits, failed, doubt, .. } = facts;
            let first = file.first;
            Some(FileRow { path: &file.path, known, lines: total, first, changed, seen, edits, failed, doubt })
        });
        rows.collect()
    }

    /// W12: a file at a step, by its path, or by its end after a `/` if one file alone ends so.
    #[must_use]
    pub fn file(&self, path: &str, step: StepNo) -> Option<FileAt<'_>> {
        let is_there = |file: &&File| file.versions.is_there(step);
        let exact = self.files.find_at(path, step).and_then(|index| self.files.list.get(index));
        let ends = |file: &&File| file.path.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
        let file = match exact {
            Some(file) => file,
            None => {
                let mut all = self.files.list.iter().filter(is_there).filter(ends);
                let only = all.next()?;
                if all.next().is_some() {
                    return None;
                }
                only
            }
        };
        self.file_at(file, step)
    }

    fn file_at<'w>(&'w self, file: &'w File, step: StepNo) -> Option<FileAt<'w>> {
        let (cells, facts) = file.versions.at(step)?;
        let mut number = 0;
        let numbered = cells.iter().map(|cell| {
            number += cell.gap + 1;
            (Some(number), cell.id)
        });
        let pieces = facts.pieces.iter().flat_map(|piece| piece.iter().map(|id| (None, *id)));
        let line = |(number, id)| Some(BlameLine { number, text: self.texts.text(id), origin: self.texts.origin(id)? });
        let blame = numbered.chain(pieces).filter_map(line).collect();
        let known = KnownLines::of(&cells, facts.is_whole, facts.is_deleted);
        Some(FileAt { path: &file.path, known, lines: facts.total, doubt: facts.doubt, blame })
    }

    /// W5: the files that this step touched, as versions and as slots.
    pub(super) fn write_files(&mut self, at: StepNo, sink: &mut dyn super::SlotSink) {
        let dirty = std::mem::take(&mut self.files.dirty);
        let is_read = sink.is_read();
        let mut to = Writer { board: &mut self.board, sink, at };
        for index in dirty {
            let Some(file) = self.files.list.get_mut(index).filter(|file| file.is_dirty) else { continue };
            file.is_dirty = false;
            if is_read {
                let has_other_lines = file.record(at);
                if has_other_lines {
                    write_lines(file, &self.texts, &mut self.slot_bytes, &mut to);
                }
                write_facts(file, &mut to);
            }
        }
    }
}

/// Bytes of files' texts and known ranges that are digested and written for one run, at most: the slots `text` and
/// `known` are dropped from then on.
const SLOT_BYTES_MAX: u64 = 1 << 30;

/// The slots that say which lines are known.
fn write_lines(file: &File, texts: &Texts, work: &mut u64, to: &mut Writer<'_>) {
    let path = file.path.as_ref();
    let is_answered = file.is_known() && *work < SLOT_BYTES_MAX;
    let known = is_answered.then(|| KnownLines::of(&file.cells(), file.is_whole, file.is_deleted).json());
    let text = is_answered.then(|| digest(file, texts, work));
    *work += known.as_ref().map_or(0, |known| known.len() as u64);
    to.set("file", path, "known", known.as_deref());
    to.set("file", path, "text", text.as_deref());
}

/// The other slots.
fn write_facts(file: &File, to: &mut Writer<'_>) {
    let path = file.path.as_ref();
    let count = |count: u64| (count > 0).then(|| count.to_string());
    to.set("file", path, "lines", file.total.map(|total| total.to_string()).as_deref());
    to.set("file", path, "pieces", count(file.pieces.len() as u64).as_deref());
    to.set("file", path, "last", file.last.as_ref().map(last_json).as_deref());
    to.set("file", path, "edits", count(file.edits).as_deref());
    to.set("file", path, "failed", count(file.failed).as_deref());
    to.set("file", path, "doubt", file.doubt.map(|doubt| doubt.to_string()).as_deref());
}

fn last_json(last: &Last) -> String {
    let line = last.line.map_or("null".to_owned(), |line| line.to_string());
    let mut out =
        format!("{{\"op\":{},\"line\":{line},\"added\":{},\"removed\":{}", quote(last.op), last.added, last.removed);
    for (name, step) in [("since", last.since), ("by", last.by)] {
        if let Some(step) = step {
            let _ = write!(out, ",\"{name}\":{step}");
        }
    }
    out.push('}');
    out
}

/// D20's digest of the known lines joined by line ends, pieces last.
fn digest(file: &File, texts: &Texts, work: &mut u64) -> String {
    let (mut hash, mut chars) = (Sha256::new(), 0_u64);
    let numbered = file.lines.iter().map(|known| known.id);
    let pieces = file.pieces.iter().flat_map(|piece| piece.iter().copied());
    for (place, id) in numbered.chain(pieces).enumerate() {
        let text = texts.text(id);
        if place > 0 {
            hash.update(b"\n");
            chars += 1;
        }
        hash.update(text.as_bytes());
        chars += text.chars().count() as u64;
        *work += text.len() as u64 + 1;
    }
    let hex: String = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{{\"sha256\":\"{hex}\",\"chars\":{chars}}}")
}
