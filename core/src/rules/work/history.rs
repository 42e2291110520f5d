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
pub(super) struct OutsideChange {
    pub(super) since: StepNo,
    pub(super) by: Option<StepNo>,
}

/// Cells whose ids follow one another, without gaps after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellRun {
    first: Cell,
    count: u32,
}

impl CellRun {
    fn pack(cells: &[Cell]) -> Box<[Self]> {
        let follows = |a: &Cell, b: &Cell| b.gap == 0 && b.id.0.checked_sub(a.id.0) == Some(1);
        let run = |run: &[Cell]| Some(Self { first: *run.first()?, count: cast::to_u32(run.len()) });
        cells.chunk_by(follows).filter_map(run).collect()
    }

    fn unpack(runs: &[Self]) -> impl Iterator<Item = Cell> {
        let cells = |run: &Self| {
            let Cell { gap, id } = run.first;
            (0..run.count).map(move |n| Cell { gap: if n == 0 { gap } else { 0 }, id: LineId(id.0 + n) })
        };
        runs.iter().flat_map(cells)
    }
}

/// Facts as they are kept: steps and counts that are not there are [`NO_STEP`] and [`NO_COUNT`].
#[derive(Debug)]
struct PackedFacts {
    total: u32,
    doubt: StepNo,
    changed: StepNo,
    seen: StepNo,
    created: StepNo,
    edits: u32,
    failed: u32,
    added: u32,
    removed: u32,
    known: u32,
    is_whole: bool,
    is_deleted: bool,
    pieces: Arc<[Piece]>,
}

const NO_STEP: StepNo = StepNo::MIN;
const NO_COUNT: u32 = u32::MAX;

fn step(packed: StepNo) -> Option<StepNo> {
    Some(packed).filter(|step| *step != NO_STEP)
}

impl PackedFacts {
    fn of(facts: Facts) -> Self {
        let step = |step: Option<StepNo>| step.unwrap_or(NO_STEP);
        Self {
            total: facts.total.unwrap_or(NO_COUNT),
            doubt: step(facts.doubt),
            changed: step(facts.changed),
            seen: step(facts.seen),
            created: step(facts.created),
            edits: cast::to_u32(facts.edits),
            failed: cast::to_u32(facts.failed),
            added: cast::to_u32(facts.added),
            removed: cast::to_u32(facts.removed),
            known: facts.known,
            is_whole: facts.is_whole,
            is_deleted: facts.is_deleted,
            pieces: facts.pieces,
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            is_whole: self.is_whole,
            is_deleted: self.is_deleted,
            total: Some(self.total).filter(|total| *total != NO_COUNT),
            doubt: step(self.doubt),
            changed: step(self.changed),
            seen: step(self.seen),
            edits: u64::from(self.edits),
            failed: u64::from(self.failed),
            added: u64::from(self.added),
            removed: u64::from(self.removed),
            created: step(self.created),
            known: self.known,
            pieces: Arc::clone(&self.pieces),
        }
    }
}

/// What one step changed.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) step: StepNo,
    facts: PackedFacts,
    /// W7: the last step that had what it corrects, and the likely cause.
    since: StepNo,
    by: StepNo,
    /// The first cell that is replaced.
    at: u32,
    /// The number of cells that are replaced.
    removed: u32,
    /// The cells in their place.
    added: Box<[CellRun]>,
}

impl Version {
    /// What is known beside the lines.
    pub(super) fn facts(&self) -> Facts {
        self.facts.facts()
    }

    /// The last step at which the run changed the file.
    pub(super) fn changed(&self) -> Option<StepNo> {
        step(self.facts.changed)
    }

    /// W7: what it corrects.
    pub(super) fn outside(&self) -> Option<OutsideChange> {
        Some(OutsideChange { since: step(self.since)?, by: step(self.by) })
    }

    /// Makes of the cells before it those after it; those that gave way.
    fn apply(&self, cells: &mut Vec<Cell>) -> Vec<Cell> {
        let start = (self.at as usize).min(cells.len());
        let end = (start + self.removed as usize).min(cells.len());
        cells.splice(start..end, CellRun::unpack(&self.added)).collect()
    }

    fn added_count(&self) -> usize {
        self.added.iter().map(|run| run.count as usize).sum()
    }
}

/// Versions between two whole copies of the cells have at least this many cells in all.
const COPY_EVERY_MIN: usize = 256;

/// The versions of one file. Whole copies are kept seldom enough that they cost no more than the changes.
#[derive(Debug, Default)]
pub(super) struct Versions {
    list: Vec<Version>,
    /// Cells after the version of this index.
    copies: Vec<(usize, Box<[CellRun]>)>,
    /// The cells that gave way to those of each version that corrects what was known (W7), by its index.
    corrected: Vec<(usize, Box<[CellRun]>)>,
    now: Box<[CellRun]>,
    /// Cells now, and of changes since the last copy.
    now_count: usize,
    since_copy: usize,
    /// From this step on the run is another trajectory, which does not know the file.
    end: Option<StepNo>,
}

/// Lines that gave way to others at a step.
pub(super) struct Change {
    pub(super) step: StepNo,
    pub(super) outside: Option<OutsideChange>,
    pub(super) removed: Vec<Cell>,
    pub(super) added: Vec<Cell>,
}

impl Versions {
    /// What is known now; nothing is kept where it is as before. Whether other lines are known than before.
    pub(super) fn record(
        &mut self,
        step: StepNo,
        cells: &[Cell],
        facts: Facts,
        outside: Option<OutsideChange>,
    ) -> bool {
        let now: Vec<Cell> = CellRun::unpack(&self.now).collect();
        let head = now.iter().zip(cells).take_while(|(a, b)| a == b).count();
        let (old, new) = (&now[head..], &cells[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let (removed, added) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let has_same_lines = removed.is_empty() && added.is_empty();
        let is_same = |last: &Version| {
            let (old, new) = (&last.facts, &facts);
            let has_same_pieces = Arc::ptr_eq(&old.pieces, &new.pieces);
            let is_same_text = has_same_pieces && old.is_whole == new.is_whole && old.is_deleted == new.is_deleted;
            (is_same_text, last.facts() == *new)
        };
        let (has_same_text, has_same_facts) = self.list.last().map_or((false, false), is_same);
        let has_changed = !has_same_lines || !has_same_text;
        if has_same_lines && has_same_facts {
            return has_changed;
        }
        self.since_copy += added.len() + 1;
        if outside.is_some() {
            self.corrected.push((self.list.len(), CellRun::pack(removed)));
        }
        let version = Version {
            step,
            facts: PackedFacts::of(facts),
            since: outside.map_or(NO_STEP, |outside| outside.since),
            by: outside.and_then(|outside| outside.by).unwrap_or(NO_STEP),
            at: cast::to_u32(head),
            removed: cast::to_u32(removed.len()),
            added: CellRun::pack(added),
        };
        if self.list.len() == self.list.capacity() {
            // Most files have few versions, and there are many files.
            self.list.reserve_exact(self.list.len() / 2 + 1);
        }
        self.list.push(version);
        (self.now, self.now_count) = (CellRun::pack(cells), cells.len());
        if self.since_copy > self.now_count.max(COPY_EVERY_MIN) {
            self.copies.push((self.list.len(), self.now.clone()));
            self.since_copy = 0;
        }
        has_changed
    }

    /// The pieces that were known last.
    pub(super) fn last_pieces(&self) -> Option<&Arc<[Piece]>> {
        self.list.last().map(|version| &version.facts.pieces)
    }

    /// What was known at a step; None: the file was not there yet.
    pub(super) fn at(&self, step: StepNo) -> Option<(Vec<Cell>, Facts)> {
        let count = self.up_to(step).len();
        let last = self.list[..count].last()?;
        Some((self.cells_after(count), last.facts()))
    }

    /// The cells after the first `count` versions.
    fn cells_after(&self, count: usize) -> Vec<Cell> {
        let copy = self.copies.partition_point(|(behind, _)| *behind <= count).checked_sub(1);
        let (from, mut cells) = match copy.map(|copy| &self.copies[copy]) {
            Some((behind, cells)) => (*behind, CellRun::unpack(cells).collect()),
            None => (0, Vec::new()),
        };
        self.list[from..count].iter().for_each(|version| drop(version.apply(&mut cells)));
        cells
    }

    /// What a step changed, if that is at most `most` cells; None: nothing, or more.
    pub(super) fn change(&self, step: StepNo, most: usize) -> Option<Change> {
        let count = self.up_to(step).len();
        let version = self.list[..count].last().filter(|version| version.step == step)?;
        if version.removed as usize + version.added_count() > most {
            return None;
        }
        Some(change(version, version.apply(&mut self.cells_after(count - 1))))
    }

    /// The versions after a step that correct what was known (W7).
    pub(super) fn corrections_after(&self, step: StepNo) -> Vec<Change> {
        let first = self.up_to(step).len();
        let behind = &self.corrected[self.corrected.partition_point(|(index, _)| *index < first)..];
        let of = |(index, removed): &(usize, Box<[CellRun]>)| {
            Some(change(self.list.get(*index)?, CellRun::unpack(removed).collect()))
        };
        behind.iter().filter_map(of).collect()
    }

    /// What is known beside the lines at a step.
    pub(super) fn facts(&self, step: StepNo) -> Option<Facts> {
        self.up_to(step).last().map(Version::facts)
    }

    /// Whether the file was there at a step.
    pub(super) fn is_there(&self, step: StepNo) -> bool {
        !self.up_to(step).is_empty()
    }

    /// From this step on the file is not known.
    pub(super) fn end(&mut self, step: StepNo) {
        self.end = self.end.or(Some(step));
    }

    /// Whether the file is not known any more at a step.
    pub(super) fn has_ended(&self, step: StepNo) -> bool {
        self.end.is_some_and(|end| end <= step)
    }

    /// The versions up to a step at which the file is known.
    pub(super) fn up_to(&self, step: StepNo) -> &[Version] {
        if self.has_ended(step) {
            return &[];
        }
        &self.list[..self.list.partition_point(|version| version.step <= step)]
    }

    /// The versions after a step.
    pub(super) fn after(&self, step: StepNo) -> &[Version] {
        &self.list[self.list.partition_point(|version| version.step <= step)..]
    }

    /// What it costs to show a version: the cells that are known now, and those that were.
    pub(super) fn size(&self) -> usize {
        self.now_count + self.since_copy
    }
}

/// A version as a change of the cells before it, of which these gave way.
fn change(version: &Version, removed: Vec<Cell>) -> Change {
    let added = CellRun::unpack(&version.added).collect();
    Change { step: version.step, outside: version.outside(), removed, added }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::work::text::{How, LineOrigin, Texts};

    #[test]
    fn w14_every_version_can_be_shown_again() {
        let mut texts = Texts::default();
        let origin = LineOrigin { step: 0, call: 0, how: How::View };
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
            versions.record(step as StepNo, &cells, facts, None);
            expected.push(cells.clone());
        }
        for (step, cells) in expected.iter().enumerate() {
            let (shown, facts) = versions.at(step as StepNo).unwrap();
            assert_eq!((&shown, facts.edits), (cells, step as u64));
        }
        assert!(versions.at(-1).is_none());
        for step in [1, 5, 6, 700, 1_999] {
            let (change, mut cells) = (versions.change(step, usize::MAX).unwrap(), expected[step as usize - 1].clone());
            let at = cells.iter().zip(&expected[step as usize]).take_while(|(a, b)| a == b).count();
            let removed: Vec<Cell> =
                cells.splice(at..at + change.removed.len(), change.added.iter().copied()).collect();
            assert_eq!((change.removed, &cells), (removed, &expected[step as usize]));
        }
        let copied_cells: usize = versions.copies.iter().map(|(_, cells)| CellRun::unpack(cells).count()).sum();
        let changed: usize = versions.list.iter().map(|version| version.added_count() + 1).sum();
        assert!(copied_cells > 0 && copied_cells <= changed, "{copied_cells} of {changed}");
    }
    #[test]
    fn w14_a_version_is_stored_only_where_something_changed_and_a_change_of_the_text_is_reported() {
        let cells = [Cell { gap: 0, id: LineId(0) }];
        let mut versions = Versions::default();
        let known = Facts::default();
        let whole = Facts { is_whole: true, ..known.clone() };
        let deleted = Facts { is_deleted: true, ..whole.clone() };
        let edited = Facts { edits: 1, ..deleted.clone() };
        for (step, facts, is_text, count) in
            [(0, known, true, 1), (1, whole, true, 2), (2, deleted, true, 3), (3, edited.clone(), false, 4)]
        {
            assert_eq!((versions.record(step, &cells, facts, None), versions.list.len()), (is_text, count), "{step}");
        }
        assert_eq!((versions.record(4, &cells, edited, None), versions.list.len()), (false, 4));
    }

    #[test]
    fn w14_a_change_is_shown_up_to_its_limit_and_nothing_is_known_from_the_end_on() {
        let cell = |id: u32| Cell { gap: 0, id: LineId(id) };
        let mut versions = Versions::default();
        let outside = Some(OutsideChange { since: 0, by: None });
        versions.record(0, &[cell(0), cell(1)], Facts::default(), None);
        versions.record(3, &[cell(0), cell(2), cell(3)], Facts::default(), outside);
        assert!(versions.change(3, 3).is_some() && versions.change(3, 2).is_none());
        let corrected = |step| versions.corrections_after(step).iter().map(|change| change.step).collect::<Vec<_>>();
        assert_eq!((corrected(2), corrected(3)), (vec![3], vec![]));
        let behind = |step| versions.after(step).iter().map(|version| version.step).collect::<Vec<_>>();
        assert_eq!((behind(0), behind(3)), (vec![3], vec![]));
        versions.end(5);
        versions.end(9);
        assert!(versions.is_there(4) && !versions.is_there(5) && versions.has_ended(5) && !versions.has_ended(4));
    }
}
