//! Items to rows of a width: hidden characters as signs, long lines wrapped.

use super::line::{Lead, ReadingItem, ReadingLine};
use super::table;
use crate::panes::message::CodeLine;
use crate::panes::row::pieces_width;
use crate::panes::{Piece, Row};
use crate::text::{Role, SafeText, width, wrap_hanging};
use std::ops::Range;

/// Fewest cells that a text has after what precedes it; where there are less, that is left out.
const TEXT_CELLS_MIN: usize = 8;
/// Most cells by which a line is indented where it goes on.
const HANGING_MAX: usize = 16;

/// The rows of an item.
pub(super) fn rows(item: &ReadingItem, cells: usize, code: Option<&CodeLine>) -> Vec<Row> {
    match item {
        ReadingItem::Line(line) => line_rows(line, cells, code),
        ReadingItem::Remark(text) => line_rows(&ReadingLine::of(Role::Dim, text), cells, code),
        ReadingItem::Table(table) => table::rows(table, cells),
        ReadingItem::Rule(leads) => {
            let (mut first, used) = (leads_of(leads, cells, true), leads_width(leads, cells));
            first.push(Piece::of(Role::Border, &"─".repeat(cells.saturating_sub(used))));
            vec![Row::new(first)]
        }
    }
}

/// What precedes the first row, or before those below it.
pub(super) fn leads_of(leads: &[Lead], cells: usize, is_first: bool) -> Vec<Piece> {
    if leads_width(leads, cells) == 0 {
        return Vec::new();
    }
    let piece = |lead: &Lead| {
        if is_first || lead.repeats {
            Piece::of(lead.role, &lead.text)
        } else {
            Piece::of(Role::Text, &" ".repeat(width(&lead.text)))
        }
    };
    leads.iter().map(piece).collect()
}

/// Cells of what precedes a line; none where the text would hardly have room.
pub(super) fn leads_width(leads: &[Lead], cells: usize) -> usize {
    let all: usize = leads.iter().map(|lead| Piece::of(lead.role, &lead.text).width()).sum();
    if all + TEXT_CELLS_MIN > cells { 0 } else { all }
}

/// A text that may be painted, and the roles of its bytes.
pub(super) struct Spans {
    pub(super) text: String,
    roles: Vec<(Range<usize>, Role)>,
}

impl Spans {
    pub(super) fn of<'t>(spans: impl IntoIterator<Item = (Role, &'t str)>) -> Self {
        let (mut text, mut roles) = (String::new(), Vec::new());
        for (role, span) in spans {
            let start = text.len();
            text.push_str(SafeText::of(span).as_str());
            roles.push((start..text.len(), role));
        }
        Self { text, roles }
    }

    /// A part of it as pieces.
    pub(super) fn pieces(&self, part: &Range<usize>) -> Vec<Piece> {
        let first = self.roles.partition_point(|(range, _)| range.end <= part.start);
        let within = self.roles[first..].iter().take_while(|(range, _)| range.start < part.end);
        let piece = |(range, role): &(Range<usize>, Role)| {
            Piece::of(*role, &self.text[range.start.max(part.start)..range.end.min(part.end)])
        };
        within.map(piece).collect()
    }
}

fn line_rows(line: &ReadingLine, cells: usize, code: Option<&CodeLine>) -> Vec<Row> {
    let plain = || Spans::of(line.spans.iter().map(|(role, text)| (*role, text.as_str())));
    let spans = match code.filter(|code| is_same(line, code)) {
        Some(code) => Spans::of(code.iter().map(|(role, text)| (*role, text.as_str()))),
        None => plain(),
    };
    let lead = leads_width(&line.leads, cells);
    let right: Vec<Piece> = line.right.iter().map(|(role, text)| Piece::of(*role, text)).collect();
    let right = if pieces_width(&right) + TEXT_CELLS_MIN > cells { Vec::new() } else { right };
    let room = cells.saturating_sub(lead).max(1);
    let first_room = room.saturating_sub(pieces_width(&right)).max(1);
    let parts = wrapped(&spans.text, (first_room, room));
    let hanging = hanging(&spans.text, room);
    let row = |(number, part): (usize, Range<usize>)| {
        let mut left = leads_of(&line.leads, cells, number == 0);
        if number > 0 && hanging > 0 {
            left.push(Piece::of(Role::Text, &" ".repeat(hanging)));
        }
        let first = left.len();
        left.extend(spans.pieces(&part));
        let row = Row::new(left).part_of(&spans.text, &part, first);
        if number == 0 { row.right(right.clone()) } else { row }
    };
    parts.into_iter().enumerate().map(row).collect()
}

/// The parts of a text that are in rows: the first may have less room than the others.
fn wrapped(text: &str, (first_room, room): (usize, usize)) -> Vec<Range<usize>> {
    let hanging = hanging(text, room);
    if first_room == room {
        return wrap_hanging(text, room, hanging);
    }
    let Some(first) = wrap_hanging(text, first_room, 0).into_iter().next() else { return Vec::new() };
    if first.end == text.len() {
        return std::iter::once(first).collect();
    }
    let rest = wrap_hanging(&text[first.end..], room.saturating_sub(hanging).max(1), 0);
    let moved = rest.into_iter().map(|part| part.start + first.end..part.end + first.end);
    std::iter::once(first.clone()).chain(moved).collect()
}

/// Cells by which a line is indented where it goes on: as it begins.
fn hanging(text: &str, room: usize) -> usize {
    let indent = text.bytes().take_while(|byte| *byte == b' ').count();
    indent.min(HANGING_MAX).min(room / 3)
}

/// Whether coloured code is the text of a line.
fn is_same(line: &ReadingLine, code: &CodeLine) -> bool {
    let text = line.text();
    let mut rest = text.as_str();
    let is_prefix = code.iter().all(|(_, part)| match rest.strip_prefix(part.as_str()) {
        Some(left) => {
            rest = left;
            true
        }
        None => false,
    });
    is_prefix && rest.is_empty()
}
