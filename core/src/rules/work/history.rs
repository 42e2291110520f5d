//! W14: versions of a file: what each step changed of it, so that it can be shown as of any step without copies.

use super::text::LineId;
use crate::model::StepNo;
use crate::model::cast;
use std::sync::Arc;

/// A line with the lines before it that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) gap: u32,
    pub(super) id: LineId,
}

/// Lines that belong together and have no place.
pub(super) type Piece = Arc<[LineId]>;

/// What is known of a file beside its lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Facts {
    pub(super) is_whole: bool,
    pub(super) is_deleted: bool,
    /// Number of lines, if known.
    pub(super) total: Option<u32>,
    pub(super) doubt: Option<StepNo>,
    pub(super) changed: Option<StepNo>,
    pub(super) seen: Option<StepNo>,
    pub(super) edits: u64,
    pub(super) failed: u64,
    /// Lines that the run added and removed so far.
    pub(super) added: u64,
    pub(super) removed: u64,
    /// The step that wrote it whole before anything was known of it.
    pub(super) created: Option<StepNo>,
    /// Lines that are known and have a place.
    pub(super) known: u32,
    pub(super) pieces: Arc<[Piece]>,
}

/// W7: what was known before a step was not what the file held: the last step that had the lines, and the likely cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outside {
    pub(super) since: StepNo,
    pub(super) by: Option<StepNo>,
}

#[derive(Debug)]
pub(super) struct Version {
    pub(super) step: StepNo,
    pub(super) facts: Facts,
    /// W7: it corrects what was known.
    pub(super) outside: Option<Outside>,
    /// From this cell on …
    at: u32,
    /// … these …
    pub(super) removed: Box<[Cell]>,
    /// … give way to these.
    pub(super) added: Box<[Cell]>,
}

/// Versions between two whole copies of the cells have at least so many cells in all.
const COPY_EVERY_MIN: usize = 256;

/// The versions of one file. Whole copies are kept seldom enough that they cost no more than the changes.
#[derive(Debug, Default)]
pub(super) struct Versions {
    list: Vec<Version>,
    /// Cells after the version of this index.
    copies: Vec<(usize, Box<[Cell]>)>,
    now: Vec<Cell>,
    /// Cells of changes since the last copy.
    since_copy: usize,
}

impl Versions {
    /// What is known now; nothing is kept where it is as before. Whether other lines are known than before.
    pub(super) fn record(&mut self, step: StepNo, cells: Vec<Cell>, facts: Facts, outside: Option<Outside>) -> bool {
        let head = self.now.iter().zip(&cells).take_while(|(a, b)| a == b).count();
        let (old, new) = (&self.now[head..], &cells[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let (removed, added) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let has_same_lines = removed.is_empty() && added.is_empty();
        let is_same = |last: &Version| {
            let (old, new) = (&last.facts, &facts);
            let has_same_pieces = Arc::ptr_eq(&old.pieces, &new.pieces);
            (has_same_pieces && old.is_whole == new.is_whole && old.is_deleted == new.is_deleted, *old == *new)
        };
        let (has_same_text, has_same_facts) = self.list.last().map_or((false, false), is_same);
        let has_changed = !has_same_lines || !has_same_text;
        if has_same_lines && has_same_facts {
            return has_changed;
        }
        self.since_copy += added.len() + 1;
        let (removed, added) = (removed.into(), added.into());
        self.list.push(Version { step, facts, outside, at: cast::to_u32(head), removed, added });
        self.now = cells;
        if self.since_copy > self.now.len().max(COPY_EVERY_MIN) {
            self.copies.push((self.list.len(), self.now.clone().into()));
            self.since_copy = 0;
        }
        has_changed
    }

    /// What was known last beside the lines.
    pub(super) fn last(&self) -> Option<&Facts> {
        self.list.last().map(|version| &version.facts)
    }

    /// What was known at a step; None: the file was not there yet.
    pub(super) fn at(&self, step: StepNo) -> Option<(Vec<Cell>, &Facts)> {
        let count = self.list.partition_point(|version| version.step <= step);
        let last = self.list[..count].last()?;
        let copy = self.copies.partition_point(|(behind, _)| *behind <= count).checked_sub(1);
        let (from, mut cells) = match copy.map(|copy| &self.copies[copy]) {
            Some((behind, cells)) => (*behind, cells.to_vec()),
            None => (0, Vec::new()),
        };
        for version in &self.list[from..count] {
            let start = (version.at as usize).min(cells.len());
            let end = (start + version.removed.len()).min(cells.len());
            cells.splice(start..end, version.added.iter().copied());
        }
        Some((cells, &last.facts))
    }

    /// What is known beside the lines at a step.
    pub(super) fn facts(&self, step: StepNo) -> Option<&Facts> {
        self.up_to(step).last().map(|version| &version.facts)
    }

    /// The versions up to a step.
    pub(super) fn up_to(&self, step: StepNo) -> &[Version] {
        &self.list[..self.list.partition_point(|version| version.step <= step)]
    }

    /// The versions after a step.
    pub(super) fn after(&self, step: StepNo) -> &[Version] {
        &self.list[self.list.partition_point(|version| version.step <= step)..]
    }

    /// What it costs to show a version: the cells that are known now, and those that were.
    pub(super) fn size(&self) -> usize {
        self.now.len() + self.since_copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::work::text::{How, Origin, Texts};

    #[test]
    fn w14_every_version_can_be_shown_again() {
        let mut texts = Texts::default();
        let origin = Origin { step: 0, call: 0, how: How::View };
        let ids = texts.add((0..2000).map(|_| ("x", origin)));
        let (mut versions, mut expected) = (Versions::default(), Vec::new());
        let mut cells: Vec<Cell> = Vec::new();
        for (step, id) in ids.iter().enumerate() {
            let at = (step * 7919) % (cells.len() + 1);
            cells.insert(at, Cell { gap: (step % 3) as u32, id: *id });
            if step % 5 == 0 {
                cells.remove(at / 2);
            }
            let facts = Facts { edits: step as u64, ..Facts::default() };
            versions.record(step as StepNo, cells.clone(), facts, None);
            expected.push(cells.clone());
        }
        for (step, cells) in expected.iter().enumerate() {
            let (shown, facts) = versions.at(step as StepNo).unwrap();
            assert_eq!((&shown, facts.edits), (cells, step as u64));
        }
        assert!(versions.at(-1).is_none());
        let kept: usize = versions.copies.iter().map(|(_, cells)| cells.len()).sum();
        let changed: usize = versions.list.iter().map(|version| version.added.len() + 1).sum();
        assert!(kept > 0 && kept <= changed, "{kept} of {changed}");
    }
}
