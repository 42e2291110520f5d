//! A row of the list of files: name, time, size, format, what it holds, findings, first words.

use super::FileHead;
use super::{CHECKED_MAX, WHOLE_MAX};
use crate::model::{ListedFile, ListedKind};
use crate::panes::{Piece, Row, value};
use crate::text::{Role, SafeText, cut, cut_middle, pad, width};

const DAY_MS: i64 = 86_400_000;

/// Widths of the columns, in cells; 0: not shown.
pub(super) struct Columns {
    pub(super) name: usize,
    time: usize,
    size: usize,
    format: usize,
    count: usize,
    find: usize,
    words: usize,
}

/// Cells of the longest name of a format, `mini-swe-agent`, and of most of them: longer ones are cut.
const FORMAT_CELLS: [usize; 2] = [14, 8];

impl Columns {
    pub(super) fn of(cells: usize) -> Self {
        let time = 10;
        let size = if cells >= 56 { 9 } else { 0 };
        let [whole, most] = FORMAT_CELLS;
        let format = if cells >= 120 {
            whole
        } else if cells >= 96 {
            most
        } else {
            0
        };
        let count = if cells >= 72 { 12 } else { 0 };
        let find = if cells >= 72 { 7 } else { 0 };
        let used = 1 + time + [size, format, count, find].iter().map(|w| if *w > 0 { w + 2 } else { 0 }).sum::<usize>();
        let rest = cells.saturating_sub(used + 2);
        let name = if cells >= 96 {
            (rest / 2).clamp(20, 48)
        } else if cells >= 72 {
            rest.min(32)
        } else {
            rest
        };
        Self { name, time, size, format, count, find, words: rest.saturating_sub(name + 2) }
    }

    /// `above`: live files above the window.
    pub(super) fn heading(&self, above: usize) -> Row {
        let mut text = format!(" {:<n$}  {:<t$}", "file", "written", n = self.name, t = self.time);
        let columns = [(self.size, "size", true), (self.format, "format", false), (self.count, "holds", true)];
        for (cells, word, is_right) in columns {
            match (cells, is_right) {
                (0, _) => {}
                (_, true) => text += &format!("  {word:>cells$}"),
                (_, false) => text += &format!("  {word:<cells$}"),
            }
        }
        if self.find > 0 {
            text += &format!("  {:<f$}", "issues", f = self.find);
        }
        if self.words > 0 {
            text += "  begins with";
        }
        let row = Row::text(Role::Dim, &text);
        if above == 0 { row } else { row.right(vec![Piece::of(Role::Good, &format!("↑ {above} live "))]) }
    }

    pub(super) fn pieces(
        &self,
        file: &ListedFile,
        head: Option<&FileHead>,
        is_open: bool,
        clock: (i64, i64),
    ) -> Vec<Piece> {
        let name = cut_middle(&SafeText::of(&file.name), self.name);
        let (role, time) = state(file, clock);
        let mut out = vec![
            Piece::safe(if is_open { Role::Accent } else { Role::Text }, pad(&name, self.name)),
            Piece::of(role, &format!("  {time:<t$}", t = self.time)),
        ];
        let unknown = FileHead::default();
        let known = head.unwrap_or(&unknown);
        if self.size > 0 {
            out.push(Piece::of(Role::Dim, &format!("  {:>s$}", value::size_text(file.len), s = self.size)));
        }
        if self.format > 0 {
            let name = pad(&cut(&SafeText::of(known.format), self.format), self.format);
            out.push(Piece::of(Role::Text, "  "));
            out.push(Piece::safe(Role::Kind, name));
        }
        if self.count > 0 {
            out.push(Piece::of(Role::JsonNumber, &format!("  {:>c$}", known.count, c = self.count)));
        }
        if self.find > 0 {
            out.extend(find(file, head, self.find));
        }
        if self.words > 0 {
            let role = if known.is_unreadable { Role::Error } else { Role::Dim };
            let words = if head.is_none() && file.kind == ListedKind::File { "…" } else { &known.words };
            out.push(Piece::of(Role::Text, "  "));
            out.push(Piece::safe(role, cut(&SafeText::of(words), self.words)));
        }
        out
    }
}

/// How many findings; `…` while they are looked for, `?` where nobody looks, so that nothing unknown looks clean.
fn find(file: &ListedFile, head: Option<&FileHead>, cells: usize) -> Vec<Piece> {
    let known = head.filter(|head| head.len == file.len).and_then(|head| head.finding_counts);
    let is_coming = file.kind == ListedKind::File
        && file.len <= CHECKED_MAX
        && head.is_none_or(|head| !head.is_unreadable && (head.len == file.len || head.len <= WHOLE_MAX));
    let counted = |sign: &str, n: usize| if n > 0 { format!("{sign}{n}") } else { String::new() };
    let (error, warning) =
        known.map_or_else(Default::default, |(errors, warnings)| (counted("✗", errors), counted("!", warnings)));
    let rest = match known {
        Some((0, 0)) => "0",
        Some(_) => "",
        None if is_coming => "…",
        None => "?",
    };
    let fill = cells.saturating_sub(width(&error) + width(&warning));
    vec![
        Piece::of(Role::Text, "  "),
        Piece::of(Role::Error, &error),
        Piece::of(Role::Warning, &warning),
        Piece::of(Role::Dim, &format!("{rest:<fill$}")),
    ]
}

/// Live, or since when it is quiet: the time of today, the date of another day. The clock: now, and how far it goes
/// ahead of UTC.
pub(super) fn state(file: &ListedFile, (now, ahead): (i64, i64)) -> (Role, String) {
    match (file.kind, file.written.map(|at| at + ahead)) {
        (ListedKind::Missing, _) => (Role::Warning, "not there".to_owned()),
        (ListedKind::Stream, _) => (Role::Dim, "a stream".to_owned()),
        (ListedKind::File, _) if file.is_live => (Role::Good, "● live".to_owned()),
        (ListedKind::File, None) => (Role::Dim, String::new()),
        (ListedKind::File, Some(at)) if at.div_euclid(DAY_MS) == (now + ahead).div_euclid(DAY_MS) => {
            let minutes = at.rem_euclid(DAY_MS) / 60_000;
            (Role::Dim, format!("{:02}:{:02}", minutes / 60, minutes % 60))
        }
        (ListedKind::File, Some(at)) => (Role::Dim, date(at)),
    }
}

/// The date of a time in milliseconds since 1970: `2026-11-21`.
pub(super) fn date(at: i64) -> String {
    // Years are counted from a March, so that the leap day is the last of its year.
    let days = at.div_euclid(DAY_MS) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
