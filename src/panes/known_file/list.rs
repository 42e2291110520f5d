//! The files that the run knows at the step in focus: how much of each, what was done to it when.

use crate::model::StepNo;
use crate::panes::row::pieces_width;
use crate::panes::state::at;
use crate::panes::{Extent, Hit, Nth, Open, Piece, Row, Scroll, Window};
use crate::rules::work::{FileFacts, FileId, Work};
use crate::text::{Pattern, Role, SafeText, count_of, count_text, cut_path, pad, width};

/// Most cells of the column of paths.
const PATH_CELLS_MAX: usize = 64;
/// Fewest cells of it.
const PATH_CELLS_MIN: usize = 12;
/// Cells of the numbers of lines that came and went.
const DELTA_CELLS: usize = 10;
/// Cells of the step that did it.
const STEP_CELLS: usize = 5;
/// Cells of failures without their steps.
const FAILURE_CELLS: usize = 5;
/// Cells of the word for what was done.
const WORD_CELLS: usize = 8;
/// In fewer cells that word is only where all paths have room beside it, or no numbers of lines are.
const WORDS_FROM: usize = 64;
/// Cells of the note on the command that may have changed a file.
pub(in crate::panes) const DOUBT_CELLS: usize = 12;
/// In fewer cells no row says how much of the file is known.
const WIDE: usize = 72;
/// Cells of how much of a file is known.
const KNOWN_CELLS: usize = 16;

/// The list of files, and its cursor.
#[derive(Debug, Default)]
pub struct FileList {
    /// Scroll and cursor, in files by first appearance.
    pub scroll: Scroll,
}

impl FileList {
    /// How many files there are.
    #[must_use]
    pub fn count(open: &Open<'_>) -> usize {
        open.run().work().map_or(0, |work| work.file_count(open.step()))
    }

    /// The file under the cursor.
    #[must_use]
    pub fn chosen(&self, open: &Open<'_>) -> Option<FileId> {
        let work = open.run().work()?;
        let place = Some(self.scroll.cursor).filter(|place| *place < work.file_count(open.step()))?;
        work.file_at_place(place, open.step())
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, has_focus: bool) -> Window {
        let total = Self::count(open);
        let Some(work) = open.run().work().filter(|_| total > 0) else {
            return no_files(open, extent);
        };
        let top = self.scroll.top.min(total);
        let folder = open.folder();
        let facts: Vec<Option<FileFacts>> = (top..total.min(top + extent.height))
            .map(|place| work.file_facts(work.file_at_place(place, open.step())?, open.step()))
            .collect();
        let name = |facts: &FileFacts| SafeText::of(facts.path.strip_prefix(&*folder).unwrap_or(&facts.path));
        let widest = facts.iter().flatten().map(|facts| width(name(facts).as_str())).max().unwrap_or(0);
        let is_wide = extent.width >= WIDE;
        let others = DELTA_CELLS + STEP_CELLS + FAILURE_CELLS + 3 + if is_wide { KNOWN_CELLS } else { 0 };
        let has_words = extent.width >= WORDS_FROM || extent.width >= others + WORD_CELLS + widest;
        let others = others + if has_words { WORD_CELLS } else { 0 };
        let room = extent.width.saturating_sub(others).max(PATH_CELLS_MIN);
        let cells = widest.clamp(PATH_CELLS_MIN, PATH_CELLS_MAX).min(room);
        let row = |(place, facts): (usize, Option<FileFacts>)| {
            let row = facts.map_or_else(Row::default, |facts| {
                let path = pad(&cut_path(&name(&facts), cells), cells);
                row(&facts, path, open.step(), (extent.width, has_words))
            });
            row.hit(Hit::Row(place)).cursor(has_focus && place == self.scroll.cursor)
        };
        Window { rows: (top..).zip(facts).map(row).collect(), top, total }
    }

    /// Puts the cursor on the next or previous file whose path matches, around the end; which one it is.
    pub fn search(&mut self, open: &Open<'_>, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let work: &Work = open.run().work()?;
        let is_hit = |place: &usize| {
            work.file_at_place(*place, open.step()).is_some_and(|file| pattern.is_match(work.file_path(file)))
        };
        let hits: Vec<usize> = (0..work.file_count(open.step())).filter(is_hit).collect();
        self.scroll.move_to_hit(&hits, is_forward)
    }
}

/// What is shown where no file is known yet: the one that comes next.
fn no_files(open: &Open<'_>, extent: Extent) -> Window {
    let next = open.run().work().and_then(|work| {
        let (file, step) = work.next_file(open.step())?;
        Some((work.file_path(file), step))
    });
    let hint = next.map_or_else(
        || "The run read and wrote none up to this step, and names none later.".to_owned(),
        |(path, step)| {
            let path = path.strip_prefix(&*open.folder()).unwrap_or(path);
            let none = "The run reads and writes none up to this step.";
            let key = open.session.key_names.key("follow");
            format!("{none} The first is {path}, at step {step}: {key} goes there.")
        },
    );
    Window::notice(&["No file yet.", &hint], extent.width)
}

fn row(facts: &FileFacts, path: SafeText, step: StepNo, (cells, has_words): (usize, bool)) -> Row {
    let is_here = facts.changed == Some(step);
    let sign = match (is_here, facts.created == Some(step)) {
        (true, true) => Piece::of(Role::Added, "+ "),
        (true, false) => Piece::of(Role::Changed, "~ "),
        (false, _) => Piece::of(Role::Dim, "  "),
    };
    let mut left = vec![sign, Piece::safe(Role::Text, path), Piece::of(Role::Text, " ")];
    let word = last_word(facts);
    if has_words {
        left.extend(delta(facts, DELTA_CELLS));
        left.push(Piece::of(Role::Dim, &format!("{word:<WORD_CELLS$}")));
    } else if facts.added + facts.removed > 0 && !facts.is_deleted {
        left.extend(delta(facts, DELTA_CELLS));
    } else {
        left.push(Piece::of(Role::Dim, &format!("{word:<DELTA_CELLS$}")));
    }
    left.extend(last_step(facts, step));
    let known = (cells >= WIDE).then(|| Piece::of(Role::Dim, &format!("  {} ", short_words(facts))));
    let taken = pieces_width(&left) + known.as_ref().map_or(0, Piece::width);
    left.extend(failures(facts, taken + DOUBT_CELLS <= cells));
    Row::new(left).fixed(1).right(known.into_iter().collect())
}

/// What the run added and removed, in `cells` cells.
pub(in crate::panes) fn delta(facts: &FileFacts, cells: usize) -> Vec<Piece> {
    let mut out = Vec::new();
    match facts.created {
        Some(_) if facts.removed == 0 && !facts.is_deleted => {
            out.push(Piece::of(Role::Added, &format!("{} new", facts.lines.unwrap_or(facts.known))));
        }
        _ => {
            if facts.added > 0 {
                out.push(Piece::of(Role::Added, &format!("+{} ", facts.added)));
            }
            if facts.removed > 0 {
                out.push(Piece::of(Role::Removed, &format!("−{}", facts.removed)));
            }
        }
    }
    let taken: usize = out.iter().map(Piece::width).sum();
    out.push(Piece::of(Role::Text, &" ".repeat(cells.saturating_sub(taken).max(1))));
    out
}

/// What was done to a file last.
pub(in crate::panes) fn last_word(facts: &FileFacts) -> &'static str {
    match (facts.is_deleted, facts.changed, facts.seen) {
        (true, ..) => "deleted",
        (_, Some(changed), _) if facts.created == Some(changed) => "written",
        (_, Some(_), _) => "edited",
        (_, None, Some(_)) => "read",
        (_, None, None) => "",
    }
}

/// When that was.
pub(in crate::panes) fn last_step(facts: &FileFacts, step: StepNo) -> Option<Piece> {
    let when = facts.changed.or(facts.seen)?;
    Some(Piece::of(if when == step { Role::BlameNew } else { Role::Blame }, &at(when)))
}

/// How many calls failed, and that a command may have changed a file, with its step where there is room.
pub(in crate::panes) fn failures(facts: &FileFacts, has_step: bool) -> Vec<Piece> {
    let mut out = Vec::new();
    if facts.failed > 0 {
        out.push(Piece::of(Role::Error, &format!(" ✗{}", facts.failed)));
    }
    if let Some(doubt) = facts.doubt {
        let label = if has_step { format!(" ? {}", at(doubt)) } else { " ?".to_owned() };
        out.push(Piece::of(Role::Warning, &label));
    }
    out
}

/// How much of a file is known, in few words: `420 of 893`.
#[must_use]
pub fn short_words(facts: &FileFacts) -> String {
    let count = |count: u32| count_text(count as usize);
    match (facts.is_deleted, facts.is_whole, facts.lines) {
        (true, ..) => "gone".to_owned(),
        (_, true, lines) => format!("all {}", count(lines.unwrap_or(facts.known))),
        (_, false, Some(lines)) => format!("{} of {}", count(facts.known), count(lines)),
        (_, false, None) => format!("{} of ?", count(facts.known)),
    }
}

/// How much of a file is known: `420 of 893 lines known`.
#[must_use]
pub fn known_words(facts: &FileFacts) -> String {
    let known = count_text(facts.known as usize);
    let counted = |lines: u32| count_of(lines as usize, "line");
    match (facts.is_deleted, facts.is_whole, facts.lines) {
        (true, ..) => "deleted".to_owned(),
        (_, true, lines) => format!("all {} known", counted(lines.unwrap_or(facts.known))),
        (_, false, Some(lines)) => format!("{known} of {} known", counted(lines)),
        (_, false, None) => format!("{known} of ? lines known"),
    }
}
