//! Rows of a file as text: step, sign, number, line.

use super::{FileKey, FileLayout, FileMode, FileRow, KnownFilePane};
use crate::model::StepNo;
use crate::panes::state::at;
use crate::panes::value::count_of;
use crate::panes::{Open, Piece, Row};
use crate::rules::work::{How, LineId, LineOrigin, StaleLine, Work};
use crate::text::{Role, SafeText, width};
use std::sync::Arc;

/// Columns from one tab stop to the next, as where code is coloured.
const TAB_STOP: usize = 4;
/// From this width on the words of a stale line are in its row.
const STALE_WORDS_CELLS: usize = 56;
/// In fewer cells there is no space between the parts of the gutter.
const NARROW: usize = 44;
/// Characters of a line beyond what the pane shows that are laid out, so that it can be scrolled on.
const BEYOND: usize = 64;

/// What all rows of a window share.
pub(super) struct RowShape {
    step_cells: usize,
    number_cells: usize,
    gap: &'static str,
    cells: usize,
    /// Characters of a line that are laid out.
    chars: usize,
}

impl RowShape {
    pub(super) fn of(open: &Open<'_>, layout: &FileLayout, cells: usize, aside: usize) -> Self {
        let last = layout.items().iter().rev().find_map(FileRow::number).unwrap_or(1);
        Self {
            step_cells: width(&at(open.last().max(0))),
            number_cells: last.to_string().len().max(if cells < NARROW { 2 } else { 4 }),
            gap: if cells < NARROW { "" } else { " " },
            cells,
            chars: cells + aside + BEYOND,
        }
    }
}

/// What a line is at its step.
pub(super) struct Sign {
    sign: &'static str,
    role: Role,
}

/// The row of an item.
pub(super) fn row(
    pane: &KnownFilePane,
    open: &Open<'_>,
    work: &Work,
    (key, layout): (&FileKey, &Arc<FileLayout>),
    item: &FileRow,
    shape: &RowShape,
) -> Row {
    match item {
        FileRow::Line(line) => line_row(pane, open, work, (key, layout), (line.id, line.number), shape),
        FileRow::Removed(line) => {
            let (text, origin) = work.line(line.id).unzip();
            let mut left = gutter(shape, origin, key.step, Sign { sign: "−", role: Role::Removed }, line.number);
            left.push(Piece::of(Role::Removed, &head(text.unwrap_or_default(), shape.chars)));
            Row::new(left).fixed(GUTTER_PIECES)
        }
        FileRow::Gap(from, to) => remark(shape, &gap_words(*from, *to, layout)),
        FileRow::Unchanged(count) => remark(shape, &format!("{} as before", count_of(*count as usize, "line"))),
        FileRow::Loose => remark(shape, "known, but not at which lines"),
    }
}

/// Pieces before the text of a line.
const GUTTER_PIECES: usize = 4;

fn line_row(
    pane: &KnownFilePane,
    open: &Open<'_>,
    work: &Work,
    (key, layout): (&FileKey, &Arc<FileLayout>),
    (id, number): (LineId, Option<u32>),
    shape: &RowShape,
) -> Row {
    let Some((text, origin)) = work.line(id) else { return Row::default() };
    let stale = layout.stale.get(&id);
    let here = layout.written.unwrap_or(key.step);
    let sign = match stale {
        Some(_) => Sign { sign: "!", role: Role::Warning },
        None if key.look == FileMode::Difference && origin.step != here => Sign { sign: " ", role: Role::Dim },
        None => sign(pane, open, key, id, origin, here),
    };
    let is_written = key.look == FileMode::Difference && matches!(sign.role, Role::Added | Role::Changed);
    let mut left = gutter(shape, Some(origin), here, sign, number);
    match pane.colours.of(id) {
        _ if is_written => left.push(Piece::of(Role::Added, &head(text, shape.chars))),
        Some(pieces) => left.extend(coloured(pieces, text, shape.chars)),
        None => left.push(Piece::of(Role::Text, &head(text, shape.chars))),
    }
    let row = Row::new(left).fixed(GUTTER_PIECES);
    match stale {
        Some(stale) => row.right(vec![Piece::of(Role::Warning, &stale_words(stale, shape.cells))]),
        None => row,
    }
}

/// Whether the run wrote a line, and in the place of another.
fn sign(pane: &KnownFilePane, open: &Open<'_>, key: &FileKey, id: LineId, origin: LineOrigin, here: StepNo) -> Sign {
    if matches!(origin.how, How::View | How::Context) {
        return Sign { sign: " ", role: Role::Dim };
    }
    let is_here = origin.step == here;
    match pane.replaced(open, key.file, origin.step).before(id) {
        Some(_) => Sign { sign: "~", role: if is_here { Role::Changed } else { Role::Dim } },
        None => Sign { sign: "+", role: if is_here { Role::Added } else { Role::Dim } },
    }
}

/// Step, sign and number of a line.
fn gutter(shape: &RowShape, origin: Option<LineOrigin>, here: StepNo, sign: Sign, number: Option<u32>) -> Vec<Piece> {
    let RowShape { step_cells, number_cells, gap, .. } = shape;
    let (step, role) = match origin {
        Some(origin) if origin.step == here => (at(origin.step), Role::BlameNew),
        Some(origin) => (at(origin.step), Role::Blame),
        None => (String::new(), Role::Blame),
    };
    let number = number.map_or(String::new(), |number| number.to_string());
    vec![
        Piece::of(role, &format!("{gap}{step:<step_cells$}{gap}")),
        Piece::of(sign.role, sign.sign),
        Piece::of(Role::Dim, &format!("{gap}{number:>number_cells$}")),
        Piece::of(Role::Border, &format!("{gap}│ ")),
    ]
}

/// A row that is not a line of the file.
fn remark(shape: &RowShape, words: &str) -> Row {
    let RowShape { step_cells, number_cells, gap, .. } = shape;
    let left = vec![
        Piece::of(Role::Text, &format!("{gap}{:step_cells$}{gap} ", "")),
        Piece::of(Role::Text, ""),
        Piece::of(Role::Dim, &format!("{gap}{:>number_cells$}", "⋯")),
        Piece::of(Role::Border, &format!("{gap}│ ")),
        Piece::of(Role::Dim, words),
    ];
    Row::new(left).fixed(GUTTER_PIECES).remark()
}

fn gap_words(from: u32, to: Option<u32>, layout: &FileLayout) -> String {
    match to {
        Some(to) if to == from => format!("line {from} was never shown to the agent"),
        Some(to) => format!("lines {from}–{to} were never shown to the agent"),
        None if from == 1 && layout.items().len() == 1 => "nothing of it was shown to the agent".to_owned(),
        None => format!("from line {from} on nothing was shown to the agent"),
    }
}

fn stale_words(stale: &StaleLine, cells: usize) -> String {
    let shown = at(stale.shown);
    match stale.by {
        Some(by) if cells >= STALE_WORDS_CELLS => format!("  stale by {}, shown {shown}", at(by)),
        None if cells >= STALE_WORDS_CELLS => format!("  stale after {}, shown {shown}", at(stale.since)),
        by => format!("  {}–{shown}", at(by.unwrap_or(stale.since))),
    }
}

/// The beginning of a line, tabs as spaces up to the next stop.
fn head(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for c in text.chars().take(chars) {
        let fill = if c == '\t' { TAB_STOP - column % TAB_STOP } else { 1 };
        column += fill;
        if c == '\t' {
            out.extend(std::iter::repeat_n(' ', fill));
        } else {
            out.push(c);
        }
    }
    out
}

/// A coloured line; of one that is longer than what is coloured, the rest.
fn coloured(pieces: &[(Role, String)], text: &str, chars: usize) -> Vec<Piece> {
    let whole: usize = pieces.iter().map(|(_, text)| text.chars().count()).sum();
    if whole < chars && text.chars().nth(whole).is_some() && !text.contains('\t') {
        return vec![Piece::of(Role::Text, &head(text, chars))];
    }
    let mut left = chars;
    let mut out = Vec::new();
    for (role, text) in pieces {
        let part: String = text.chars().take(left).collect();
        left -= part.chars().count().min(left);
        out.push(Piece::safe(*role, SafeText::of(&part)));
        if left == 0 {
            break;
        }
    }
    out
}
