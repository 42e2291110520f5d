//! The rows of a file, as numbers: known lines, gaps between them, lines that a write took away.

use crate::model::StepNo;
use crate::rules::work::{FileFacts, FileId, FileView, How, KnownLine, LineId, StaleLine, Work};
use std::collections::{HashMap, HashSet};

/// Lines around a change that are shown with it.
const CONTEXT_LINES: usize = 3;

/// How a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileMode {
    /// All that is known of it.
    #[default]
    Whole,
    /// What its last write changed.
    Difference,
}

/// What a layout is made for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileKey {
    /// Generation of the run.
    pub generation: u64,
    /// The file.
    pub file: FileId,
    /// The step in focus.
    pub step: StepNo,
    /// How it is shown.
    pub look: FileMode,
    /// The last step that wrote the file or corrected what was known, as far as the run is read: it may mark lines of
    /// earlier steps.
    pub latest: Option<StepNo>,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRow {
    /// A known line.
    Line(KnownLine),
    /// A line that a write took away, with its number before.
    Removed(KnownLine),
    /// Lines from a number on, up to another if that is known, that were never shown.
    Gap(u32, Option<u32>),
    /// Lines that stay as they were, between two changes.
    Unchanged(u32),
    /// The heading of lines without a place.
    Loose,
}

impl FileRow {
    /// The line that it shows.
    #[must_use]
    pub fn id(&self) -> Option<LineId> {
        match self {
            Self::Line(line) | Self::Removed(line) => Some(line.id),
            Self::Gap(..) | Self::Unchanged(_) | Self::Loose => None,
        }
    }

    /// The number that it is at.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Line(line) | Self::Removed(line) => line.number,
            Self::Gap(from, _) => Some(*from),
            Self::Unchanged(_) | Self::Loose => None,
        }
    }
}

/// A file laid out.
#[derive(Debug, Default)]
pub struct FileLayout {
    items: Vec<FileRow>,
    facts: Option<FileFacts>,
    /// The step that wrote what the difference shows.
    pub written: Option<StepNo>,
    /// Lines that the agent believed and that had changed underneath.
    pub stale: HashMap<LineId, StaleLine>,
    /// Rows that the step in focus wrote or first showed.
    new: Vec<usize>,
    /// Rows by line, in the order of lines.
    by_id: Vec<(LineId, u32)>,
}

impl FileLayout {
    /// Lays out a file.
    #[must_use]
    pub fn of(work: &Work, key: &FileKey) -> Self {
        let mut layout = match key.look {
            FileMode::Whole => Self::whole_file(work, key),
            FileMode::Difference => Self::difference(work, key),
        };
        layout.by_id = layout.items.iter().zip(0..).filter_map(|(item, row)| Some((item.id()?, row))).collect();
        layout.by_id.sort_unstable();
        layout
    }

    fn whole_file(work: &Work, key: &FileKey) -> Self {
        let Some(view) = work.file_view(key.file, key.step) else { return Self::default() };
        let items = with_gaps(&view);
        let is_new = |item: &FileRow| {
            let origin = item.id().and_then(|id| work.line(id)).map(|(_, origin)| origin);
            origin.is_some_and(|origin| origin.step == key.step)
        };
        let new = (0..items.len()).filter(|row| is_new(&items[*row])).collect();
        let stale = work.stale_lines(key.file, key.step);
        Self { items, facts: Some(view.facts), stale, new, ..Self::default() }
    }

    fn difference(work: &Work, key: &FileKey) -> Self {
        let facts = work.file_facts(key.file, key.step);
        let Some(written) = work.last_write(key.file, key.step) else { return Self { facts, ..Self::default() } };
        let lines = |step| work.file_view(key.file, step).map(|view| view.lines).unwrap_or_default();
        let is_correction = work.is_correction(key.file, written);
        // Lines that a write shows around what it changed are no change.
        let is_written = |id: LineId| {
            let how = work.line(id).map(|(_, origin)| origin.how);
            is_correction || !matches!(how, Some(How::View | How::Context))
        };
        let items = changed(&lines(written - 1), &lines(written), is_written);
        let is_change = |row: &usize| match &items[*row] {
            FileRow::Removed(_) => true,
            FileRow::Line(line) => work.line(line.id).is_some_and(|(_, origin)| origin.step == written),
            FileRow::Gap(..) | FileRow::Unchanged(_) | FileRow::Loose => false,
        };
        let new = (0..items.len()).filter(is_change).collect();
        Self { items, facts, written: Some(written), new, ..Self::default() }
    }

    /// The rows.
    #[must_use]
    pub fn items(&self) -> &[FileRow] {
        &self.items
    }

    /// What is known of the file beside its lines; None: it was not there yet.
    #[must_use]
    pub fn facts(&self) -> Option<&FileFacts> {
        self.facts.as_ref()
    }

    /// The first row that the step in focus wrote or showed.
    #[must_use]
    pub fn first_new(&self) -> Option<usize> {
        self.new.first().copied()
    }

    /// All rows that the step in focus wrote or showed.
    pub fn new_rows(&self) -> impl Iterator<Item = usize> {
        self.new.iter().copied()
    }

    /// The row of a line.
    #[must_use]
    pub fn row_of(&self, id: LineId) -> Option<usize> {
        let at = self.by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.by_id.get(at).map(|(_, row)| *row as usize)
    }

    /// The row of a number, or the nearest below it.
    #[must_use]
    pub fn row_of_number(&self, number: u32) -> usize {
        let row = self.items.iter().position(|item| item.number().is_some_and(|item_number| item_number >= number));
        row.unwrap_or(self.items.len().saturating_sub(1))
    }
}

/// The known lines, with a row for each run of lines that were never shown.
fn with_gaps(view: &FileView) -> Vec<FileRow> {
    let mut items = Vec::with_capacity(view.lines.len() + 2);
    let (mut next, mut is_loose) = (1, false);
    for line in &view.lines {
        match line.number {
            Some(number) => {
                if number > next {
                    items.push(FileRow::Gap(next, Some(number - 1)));
                }
                next = number.saturating_add(1);
            }
            None if !is_loose => {
                items.extend(end_gap(view, next));
                items.push(FileRow::Loose);
                is_loose = true;
            }
            None => {}
        }
        items.push(FileRow::Line(*line));
    }
    if !is_loose {
        items.extend(end_gap(view, next));
    }
    items
}

/// What is missing after the last known line.
fn end_gap(view: &FileView, next: u32) -> Option<FileRow> {
    let facts = &view.facts;
    match facts.lines {
        _ if facts.is_whole || facts.is_deleted => None,
        Some(total) => (next <= total).then_some(FileRow::Gap(next, Some(total))),
        None => Some(FileRow::Gap(next, None)),
    }
}

/// What changed between two versions, with lines around each change.
fn changed(old: &[KnownLine], new: &[KnownLine], is_written: impl Fn(LineId) -> bool) -> Vec<FileRow> {
    let was: HashSet<LineId> = old.iter().map(|line| line.id).collect();
    let is: HashSet<LineId> = new.iter().map(|line| line.id).collect();
    let mut all: Vec<(FileRow, bool)> = Vec::new();
    let mut gone = old.iter().peekable();
    for line in new {
        let is_unchanged = was.contains(&line.id);
        while let Some(before) = gone.next_if(|before| is_unchanged && before.id != line.id) {
            // A line that moved stays, wherever it went.
            if !is.contains(&before.id) {
                all.push((FileRow::Removed(*before), true));
            }
        }
        if is_unchanged {
            gone.next_if(|before| before.id == line.id);
        } else {
            while let Some(before) = gone.next_if(|before| !is.contains(&before.id)) {
                all.push((FileRow::Removed(*before), true));
            }
        }
        all.push((FileRow::Line(*line), !is_unchanged && is_written(line.id)));
    }
    all.extend(gone.filter(|before| !is.contains(&before.id)).map(|before| (FileRow::Removed(*before), true)));
    around(&all)
}

/// The changed rows with [`CONTEXT_LINES`] around each.
fn around(all: &[(FileRow, bool)]) -> Vec<FileRow> {
    let changes: Vec<usize> = (0..all.len()).filter(|row| all[*row].1).collect();
    let mut items = Vec::new();
    let mut end = 0;
    for row in changes {
        let from = row.saturating_sub(CONTEXT_LINES).max(end);
        if from > end {
            items.push(FileRow::Unchanged(u32::try_from(from - end).unwrap_or(u32::MAX)));
        }
        let to = (row + 1 + CONTEXT_LINES).min(all.len());
        items.extend(all[from.min(to)..to].iter().map(|(item, _)| *item));
        end = end.max(to);
    }
    if end > 0 && end < all.len() {
        items.push(FileRow::Unchanged(u32::try_from(all.len() - end).unwrap_or(u32::MAX)));
    }
    items
}
