//! What is known of a file now, and the one way in which its lines change.

use super::history::{Cell, Facts, OutsideChange, Piece, Versions};
use super::text::{LineId, Texts, moved_line};
use crate::model::StepNo;
use crate::model::cast;
use std::collections::VecDeque;
use std::sync::Arc;

/// W14: the edits of a file that can be undone.
const UNDO_MAX: usize = 20;
/// W14: the pieces of a file that are stored; the oldest are dropped first.
const PIECES_MAX: usize = 100;

/// A known line with its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberedLine {
    /// From 1.
    pub(super) number: u32,
    pub(super) id: LineId,
    /// The last step that showed or wrote it.
    pub(super) had: StepNo,
}

/// W5: the last thing that happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Last {
    pub(super) op: &'static str,
    pub(super) line: Option<u32>,
    pub(super) added: u64,
    pub(super) removed: u64,
    /// How many of both are the same lines, quoted by an edit.
    pub(super) quoted: u64,
    /// Of a change from outside: the last step that had the lines.
    pub(super) since: Option<StepNo>,
    /// Its likely cause.
    pub(super) by: Option<StepNo>,
}

impl Last {
    pub(super) fn of(op: &'static str, delta: Delta) -> Self {
        let Delta { line, added, removed, quoted } = delta;
        Self { op, line, added, removed, quoted, since: None, by: None }
    }
}

/// What an edit changes: lines that are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Delta {
    /// The first line that came or went; None: it has no place.
    pub(super) line: Option<u32>,
    pub(super) added: u64,
    pub(super) removed: u64,
    /// Lines among both that an edit only quotes: they stay, and were not known before.
    pub(super) quoted: u64,
}

impl Delta {
    /// Several as one.
    pub(super) fn and(self, other: Self) -> Self {
        let line = match (self.line, other.line) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            line,
            added: self.added + other.added,
            removed: self.removed + other.removed,
            quoted: self.quoted + other.quoted,
        }
    }
}

/// Known lines whose numbers and ids follow one another, had last by one step.
#[derive(Debug, Clone, Copy)]
struct LineRun {
    first: NumberedLine,
    count: u32,
}

impl LineRun {
    fn pack(lines: &[NumberedLine]) -> Box<[Self]> {
        let follows = |a: &NumberedLine, b: &NumberedLine| {
            let is_next = b.number.checked_sub(a.number) == Some(1) && b.id.0.checked_sub(a.id.0) == Some(1);
            is_next && a.had == b.had
        };
        let run = |run: &[NumberedLine]| Some(Self { first: *run.first()?, count: cast::to_u32(run.len()) });
        lines.chunk_by(follows).filter_map(run).collect()
    }

    fn unpack(runs: &[Self]) -> Vec<NumberedLine> {
        let lines = |run: &Self| {
            let NumberedLine { number, id, had } = run.first;
            (0..run.count).map(move |n| NumberedLine { number: number + n, id: LineId(id.0 + n), had })
        };
        runs.iter().flat_map(lines).collect()
    }
}

/// What an edit takes back.
#[derive(Debug, Clone)]
struct Snapshot {
    lines: Box<[LineRun]>,
    pieces: Vec<Piece>,
    is_whole: bool,
    is_deleted: bool,
    total: Option<u32>,
    unended: Option<LineId>,
}

/// A range of lines that is replaced by others.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) from: u32,
    pub(super) count: u32,
    pub(super) new: Vec<LineId>,
}

/// A file that the run knows.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: Arc<str>,
    /// Known lines by number.
    pub(super) lines: Vec<NumberedLine>,
    pub(super) pieces: Vec<Piece>,
    /// Whether all its lines are known.
    pub(super) is_whole: bool,
    pub(super) is_deleted: bool,
    pub(super) total: Option<u32>,
    /// The last line of a text that has no line end behind it, as long as that line is the last one.
    pub(super) unended: Option<LineId>,
    pub(super) last: Option<Last>,
    /// A change from outside that is not yet in a version.
    pub(super) outside: Option<OutsideChange>,
    pub(super) edits: u64,
    pub(super) failed: u64,
    /// Lines that the run added and removed so far.
    added: u64,
    removed: u64,
    /// The step that wrote it whole before anything was known of it.
    created: Option<StepNo>,
    pub(super) doubt: Option<StepNo>,
    pub(super) first: StepNo,
    pub(super) changed: Option<StepNo>,
    pub(super) seen: Option<StepNo>,
    pub(super) versions: Versions,
    /// Whether it changed since it was written to the state.
    pub(super) is_dirty: bool,
    undo: VecDeque<Snapshot>,
}

impl File {
    pub(super) fn new(path: Arc<str>, first: StepNo) -> Self {
        Self {
            path,
            lines: Vec::new(),
            pieces: Vec::new(),
            is_whole: false,
            is_deleted: false,
            total: None,
            unended: None,
            last: None,
            outside: None,
            edits: 0,
            failed: 0,
            added: 0,
            removed: 0,
            created: None,
            doubt: None,
            first,
            changed: None,
            seen: None,
            versions: Versions::default(),
            is_dirty: true,
            undo: VecDeque::new(),
        }
    }

    /// Whether anything is known of what it holds.
    pub(super) fn is_known(&self) -> bool {
        self.is_whole || self.is_deleted || !self.lines.is_empty() || !self.pieces.is_empty()
    }

    /// The last line, if it is known to have no line end: what is appended goes on there.
    pub(super) fn unended_line(&self) -> Option<NumberedLine> {
        self.lines.last().copied().filter(|last| self.is_whole && self.unended == Some(last.id))
    }

    /// Whether the text that now ends the file has a line end.
    pub(super) fn end_with(&mut self, text: &str) {
        let last = self.lines.last().map(|last| last.id);
        self.unended = last.filter(|_| !text.is_empty() && !text.ends_with('\n'));
    }

    /// The place of a known line, or where it would be.
    pub(super) fn place(&self, number: u32) -> Result<usize, usize> {
        self.lines.binary_search_by_key(&number, |known| known.number)
    }

    pub(super) fn line(&self, number: u32) -> Option<&NumberedLine> {
        self.place(number).ok().and_then(|place| self.lines.get(place))
    }

    /// The places of the known lines with these numbers.
    pub(super) fn places(&self, from: u32, to: u32) -> std::ops::Range<usize> {
        let start = self.lines.partition_point(|known| known.number < from);
        start..self.lines.partition_point(|known| known.number <= to).max(start)
    }

    /// Runs of known lines with consecutive numbers, as ranges of places.
    pub(super) fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let ranges = self.lines.chunk_by(|a, b| b.number == a.number + 1).map(|run| {
            let start = end;
            end += run.len();
            start..end
        });
        ranges.collect()
    }

    /// Lines give way to others, what is below moves. The changes come in order and do not overlap.
    pub(super) fn apply(&mut self, changes: &[Change], step: StepNo) {
        if changes.is_empty() {
            return;
        }
        let mut out = Vec::with_capacity(self.lines.len());
        let (mut shift, mut place) = (0_i64, 0);
        let moved = |number: u32, shift: i64| moved_line(i64::from(number) + shift);
        for change in changes {
            while let Some(known) = self.lines.get(place).filter(|known| known.number < change.from) {
                out.extend(moved(known.number, shift).map(|number| NumberedLine { number, ..*known }));
                place += 1;
            }
            let end = change.from.saturating_add(change.count);
            while self.lines.get(place).is_some_and(|known| known.number < end) {
                place += 1;
            }
            let first = i64::from(change.from) + shift;
            let new = change.new.iter().zip(first..);
            out.extend(
                new.filter_map(|(id, number)| Some(NumberedLine { number: moved_line(number)?, id: *id, had: step })),
            );
            shift += cast::to_i64(change.new.len()) - i64::from(change.count);
        }
        let rest = self.lines.get(place..).unwrap_or_default();
        out.extend(
            rest.iter().filter_map(|known| Some(NumberedLine { number: moved(known.number, shift)?, ..*known })),
        );
        self.lines = out;
        self.total = self.total.and_then(|total| moved(total, shift));
        self.doubt_total();
    }

    /// A number of lines that is less than that of a known line is ignored.
    pub(super) fn doubt_total(&mut self) {
        let last = self.lines.last().map_or(0, |known| known.number);
        self.total = self.total.filter(|total| *total >= last);
    }

    /// All known lines lose their numbers, but for the run from line 1 of a file that is not whole.
    pub(super) fn lose_numbers(&mut self) {
        for run in self.runs() {
            let is_head = !self.is_whole && self.lines[run.start].number == 1;
            if !is_head {
                let piece: Vec<LineId> = self.lines[run].iter().map(|known| known.id).collect();
                self.push_piece(piece);
            }
        }
        let head = if self.is_whole {
            0
        } else {
            (1_u32..).zip(&self.lines).take_while(|(number, known)| *number == known.number).count()
        };
        self.lines.truncate(head);
        self.total = None;
    }

    /// Lines without a place come.
    pub(super) fn push_piece(&mut self, ids: Vec<LineId>) {
        if ids.is_empty() {
            return;
        }
        if self.pieces.len() == PIECES_MAX {
            self.pieces.remove(0);
        }
        self.pieces.push(ids.into());
    }

    /// The file holds exactly these lines.
    pub(super) fn set_lines(&mut self, ids: Vec<LineId>, step: StepNo) {
        self.lines = (1..).zip(ids).map(|(number, id)| NumberedLine { number, id, had: step }).collect();
        self.pieces.clear();
        (self.is_whole, self.is_deleted) = (true, false);
        self.total = u32::try_from(self.lines.len()).ok();
    }

    /// Forgets all lines; the file is there no more.
    pub(super) fn delete(&mut self) {
        self.lines.clear();
        self.pieces.clear();
        (self.is_whole, self.is_deleted, self.total, self.doubt) = (false, true, None, None);
    }

    /// W7: whether all lines of the file are known by their numbers; then it is whole.
    pub(super) fn is_complete(&self) -> bool {
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        self.total == Some(count) && self.lines.last().map_or(0, |known| known.number) == count
    }

    /// W8: remembers what is known before an edit.
    pub(super) fn remember(&mut self) {
        if self.undo.len() == UNDO_MAX {
            self.undo.pop_front();
        }
        self.undo.push_back(Snapshot {
            lines: LineRun::pack(&self.lines),
            pieces: self.pieces.clone(),
            is_whole: self.is_whole,
            is_deleted: self.is_deleted,
            total: self.total,
            unended: self.unended,
        });
    }

    /// W8 *undo*: what was known before the last edit.
    pub(super) fn undo(&mut self) {
        let Some(before) = self.undo.pop_back() else { return };
        self.lines = LineRun::unpack(&before.lines);
        self.pieces = before.pieces;
        (self.is_whole, self.is_deleted, self.total) = (before.is_whole, before.is_deleted, before.total);
        self.unended = before.unended;
    }

    /// The run changed it at this step.
    pub(super) fn note_change(&mut self, step: StepNo, last: Last) {
        if self.changed.is_none() && self.seen.is_none() && self.is_whole {
            self.created = Some(step);
        }
        self.added += last.added - last.quoted;
        self.removed += last.removed - last.quoted;
        self.last = Some(last);
        self.changed = Some(step);
        self.is_dirty = true;
    }

    /// W14: keeps what is known now as a version; whether other lines are known than before.
    pub(super) fn record(&mut self, step: StepNo) -> bool {
        let (cells, facts, outside) = (self.cells(), self.facts(), self.outside.take());
        self.versions.record(step, &cells, facts, outside)
    }

    /// The known lines with the gaps between them.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut before = 0;
        let cells = self.lines.iter().map(|known| {
            let gap = known.number.saturating_sub(before).saturating_sub(1);
            before = known.number;
            Cell { gap, id: known.id }
        });
        cells.collect()
    }

    fn facts(&self) -> Facts {
        Facts {
            is_whole: self.is_whole,
            is_deleted: self.is_deleted,
            total: self.total,
            doubt: self.doubt,
            changed: self.changed,
            seen: self.seen,
            edits: self.edits,
            failed: self.failed,
            added: self.added,
            removed: self.removed,
            created: self.created,
            known: u32::try_from(self.lines.len()).unwrap_or(u32::MAX),
            pieces: match self.versions.last_pieces() {
                Some(last) if **last == *self.pieces => Arc::clone(last),
                _ => self.pieces.as_slice().into(),
            },
        }
    }

    /// The text of the known line at a place.
    pub(super) fn text<'t>(&self, place: usize, texts: &'t Texts) -> &'t str {
        self.lines.get(place).map_or("", |known| texts.text(known.id))
    }
}
