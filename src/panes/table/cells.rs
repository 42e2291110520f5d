//! The cells of the table: how wide each column is, which fit, and what stands in them.

use super::OwnColumn;
use crate::format::{Counted, Facts};
use crate::panes::{Piece, Row, Session, marks, value};
use crate::review::{Column, Mark, Numbers, Sort, Told};
use crate::text::{Role, SafeText, cut_start, pad, width};

/// Fewest cells in which first words are worth showing.
const WORDS_CELLS_MIN: usize = 12;
/// Cells of a column of one's own.
const OWN_CELLS: usize = 12;
/// Cells between two columns.
const GAP: usize = 2;

/// The columns that fit, with their widths.
#[derive(Debug)]
pub(super) struct Shape {
    columns: Vec<(Column, usize)>,
    has_more: (bool, bool),
}

impl Shape {
    /// The columns from the first on, as many as fit; if the one in focus is not among them, those up to it. Number and
    /// id stay at the left.
    pub(super) fn of(columns: &[Column], focus: Column, cells: usize, records: usize) -> Self {
        let sized: Vec<(Column, usize)> = columns.iter().map(|c| (*c, column_cells(*c, cells, records))).collect();
        let fixed = sized.iter().take_while(|(c, _)| matches!(c, Column::Number | Column::Mark | Column::Id)).count();
        let fixed = fixed.min(sized.len().saturating_sub(1));
        let at = sized.iter().position(|(c, _)| *c == focus).unwrap_or(0);
        let used = |from: usize, to: usize| {
            1 + sized[..fixed].iter().chain(&sized[from..to]).map(|(_, n)| n + GAP).sum::<usize>()
        };
        let mut first = fixed;
        while first < at && used(first, at + 1) > cells + GAP {
            first += 1;
        }
        let mut end = first.max(at + 1).min(sized.len());
        while end < sized.len() && used(first, end + 1) <= cells + GAP {
            end += 1;
        }
        let mut shown = sized[..fixed].to_vec();
        shown.extend(&sized[first..end]);
        // What is left belongs to the last column, if that is one of words.
        let left = (cells + GAP).saturating_sub(used(first, end));
        if let Some((_, cells)) = shown.last_mut().filter(|(c, _)| is_wide(*c)) {
            *cells += left;
        }
        Self { columns: shown, has_more: (first > fixed, end < sized.len()) }
    }

    /// The headings; the column in focus and the one that the rows are sorted by have a sign.
    pub(super) fn heading(&self, focus: Column, sort: Option<Sort>) -> Row {
        let mut pieces = vec![Piece::of(Role::Dim, if self.has_more.0 { "‹" } else { " " })];
        for (i, (column, cells)) in self.columns.iter().enumerate() {
            let sign = match sort {
                Some(sort) if sort.column == *column => {
                    if sort.is_reversed {
                        "▼"
                    } else {
                        "▲"
                    }
                }
                _ => "",
            };
            let mark = if *column == focus { "▸" } else { "" };
            let text = format!("{mark}{}{sign}", column.title());
            let role = if *column == focus { Role::Accent } else { Role::Dim };
            let more = if i + 1 == self.columns.len() && self.has_more.1 { "›" } else { "" };
            pieces.push(Piece::safe(role, placed(*column, &text, *cells)));
            pieces.push(Piece::of(Role::Dim, &format!("{more:<GAP$}")));
        }
        Row::new(pieces)
    }

    /// The cells of a record.
    pub(super) fn row(
        &self,
        record: usize,
        session: &Session,
        (facts, own): (Option<&Facts>, &[OwnColumn]),
        edge: &str,
    ) -> Row {
        let mut pieces = vec![Piece::of(Role::Accent, edge)];
        for (column, cells) in &self.columns {
            pieces.extend(match column {
                Column::Own(name) => vec![own_cell(own.iter().find(|own| own.name == *name), record, *cells)],
                column => cell(*column, record, session, facts, *cells),
            });
            pieces.push(Piece::of(Role::Text, &" ".repeat(GAP)));
        }
        Row::new(pieces)
    }
}

fn is_wide(column: Column) -> bool {
    matches!(column, Column::Words | Column::Tools | Column::Actions | Column::Id | Column::Own(_))
}

/// Cells of a column on a table of that width: room for what it holds and for its heading with two signs.
fn column_cells(column: Column, cells: usize, records: usize) -> usize {
    let content = match column {
        Column::Number => records.to_string().len().max(3),
        Column::Mark => 2,
        Column::Id => (cells / 7).clamp(12, 24),
        Column::Steps => 5,
        Column::Findings => 6,
        Column::Actions => 22,
        Column::Tools => {
            if cells >= 140 {
                24
            } else {
                18
            }
        }
        Column::Tokens | Column::Chars => 7,
        Column::Size => 9,
        Column::Reward => 7,
        Column::Finish => 11,
        Column::Words => (cells / 5).max(WORDS_CELLS_MIN),
        Column::Own(_) => OWN_CELLS,
    };
    content.max(width(column.title()) + if matches!(column, Column::Number) { 0 } else { 2 })
}

/// Numbers stand at the right of their column.
fn placed(column: Column, text: &str, cells: usize) -> SafeText {
    let text = SafeText::of(text);
    let is_number = column.numbers().is_some() && column.names().is_none();
    if !is_number {
        return pad(&text, cells);
    }
    let fill = cells.saturating_sub(width(text.as_str()));
    pad(&SafeText::of(&" ".repeat(fill)).join(&text), cells)
}

fn cell(column: Column, record: usize, session: &Session, facts: Option<&Facts>, cells: usize) -> Vec<Piece> {
    let one = |role, text: &str| vec![Piece::safe(role, placed(column, text, cells))];
    match column {
        Column::Number => return one(Role::Dim, &record.to_string()),
        Column::Size => {
            let bytes = session.records.get(record).map_or(0, |r| r.place.span.len);
            return one(Role::Dim, &value::size_text(bytes));
        }
        _ => {}
    }
    let mark = session.review.unit_mark(record);
    if column == Column::Mark {
        return mark_cells(mark, cells);
    }
    let Some(facts) = facts else { return one(Role::Dim, "…") };
    match (column, &facts.counted) {
        (Column::Id, _) => vec![Piece::safe(Role::Text, last_of(&SafeText::of(&facts.title), cells))],
        (Column::Findings, _) => findings(facts, cells),
        (Column::Words, Some(_)) => {
            let mut pieces = mark.map(mark_words).unwrap_or_default();
            pieces.extend(one(Role::Dim, &facts.words));
            pieces
        }
        (Column::Words, None) => one(Role::Error, &facts.words),
        (_, None) => one(Role::Dim, "–"),
        (_, Some(counted)) => counted_cell(column, counted, cells),
    }
}

/// What an expression says of a record; a cross where it fails.
fn own_cell(column: Option<&OwnColumn>, record: usize, cells: usize) -> Piece {
    let cell = |role, text: &str| Piece::safe(role, pad(&SafeText::of(text), cells));
    match column.and_then(|column| column.told(record)) {
        None => cell(Role::Dim, "…"),
        Some(Told::Nothing) => cell(Role::Dim, "–"),
        Some(Told::Failed) => cell(Role::Error, "✗"),
        Some(Told::Number(number)) => cell(Role::JsonNumber, &format!("{:>1$}", number, cells.min(OWN_CELLS))),
        Some(Told::Text(text)) => cell(Role::Text, text),
    }
}

/// An id in so many cells. Ids of a file differ at their ends, so of a long one that is shown.
fn last_of(text: &SafeText, cells: usize) -> SafeText {
    let more = width(text.as_str()).saturating_sub(cells);
    if more == 0 || cells == 0 {
        return pad(text, cells);
    }
    pad(&SafeText::literal("…").join(&cut_start(text, more + 1)), cells)
}

/// The decision and the flag of a mark.
fn mark_cells(mark: Option<&Mark>, cells: usize) -> Vec<Piece> {
    let verdict = mark.and_then(|mark| mark.verdict);
    let flag = if mark.is_some_and(|mark| mark.is_flagged) { marks::FLAG } else { " " };
    vec![
        verdict.map_or_else(|| Piece::of(Role::Text, " "), |v| Piece::of(marks::role(v), v.sign())),
        Piece::safe(Role::Accent, pad(&SafeText::of(flag), cells.saturating_sub(1))),
    ]
}

/// Tags and note of a mark, before the words of the record.
fn mark_words(mark: &Mark) -> Vec<Piece> {
    marks::told(&Mark { verdict: None, is_flagged: false, ..mark.clone() })
}

fn counted_cell(column: Column, counted: &Counted, cells: usize) -> Vec<Piece> {
    let one = |role, text: &str| vec![Piece::safe(role, placed(column, text, cells))];
    let names = |names: &mut dyn Iterator<Item = (&str, u64)>| {
        names.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(" ")
    };
    match column {
        Column::Steps => one(Role::JsonNumber, &counted.steps.to_string()),
        Column::Tokens => one(Role::JsonNumber, &measured(Numbers::Tokens, counted.tokens as f64)),
        Column::Chars => one(Role::JsonNumber, &measured(Numbers::Chars, counted.chars as f64)),
        Column::Reward => match counted.reward {
            Some(reward) if reward < 0.0 => one(Role::Removed, &measured(Numbers::Reward, reward)),
            Some(reward) => one(Role::JsonNumber, &measured(Numbers::Reward, reward)),
            None => one(Role::Dim, "–"),
        },
        Column::Finish => one(finish_role(&counted.finish), &counted.finish),
        Column::Tools => one(Role::Call, &names(&mut counted.tools.iter().map(|(name, n)| (name.as_str(), *n)))),
        _ => {
            let short = |name: &str| name.strip_suffix("_action").is_some();
            let has_actions = counted.classes.iter().any(|(name, _)| short(name));
            let shown = counted.classes.iter().filter(|(name, _)| !has_actions || short(name));
            one(Role::Text, &names(&mut shown.map(|(name, n)| (name.trim_end_matches("_action"), *n))))
        }
    }
}

/// A trajectory that ends in the middle of something is what a reviewer looks for.
fn finish_role(finish: &str) -> Role {
    match finish {
        "finish" => Role::Good,
        "message" => Role::Text,
        _ => Role::Warning,
    }
}

fn findings(facts: &Facts, cells: usize) -> Vec<Piece> {
    let error = if facts.errors > 0 { format!("✗{}", facts.errors) } else { String::new() };
    let warning = if facts.warnings > 0 { format!("!{}", facts.warnings) } else { String::new() };
    let room = cells.saturating_sub(width(&error));
    vec![Piece::of(Role::Error, &error), Piece::safe(Role::Warning, pad(&SafeText::of(&warning), room))]
}

/// A number of a column, short: `3.1k`, `0.25`.
#[must_use]
pub fn measured(numbers: Numbers, number: f64) -> String {
    match numbers {
        Numbers::Size if number >= 0.0 => value::size_text(number as u64).replace(' ', ""),
        Numbers::Reward => {
            let text = format!("{number}");
            if text.len() <= 6 { text } else { format!("{number:.3}") }
        }
        _ if number.abs() >= 1e6 => format!("{:.1}M", number / 1e6),
        _ if number.abs() >= 1e4 || (numbers != Numbers::Steps && number.abs() >= 1e3) => {
            format!("{:.1}k", number / 1e3)
        }
        _ => format!("{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(focus: Column, cells: usize) -> Vec<Column> {
        Shape::of(&Column::ALL, focus, cells, 1000).columns.iter().map(|(c, _)| *c).collect()
    }

    #[test]
    fn the_column_in_focus_is_always_shown_and_no_row_is_wider_than_the_pane() {
        for cells in 1..240 {
            for focus in Column::ALL {
                let shape = Shape::of(&Column::ALL, focus, cells, 100_000);
                assert!(shape.columns.iter().any(|(c, _)| *c == focus), "{focus:?} at {cells}");
                let used: usize = 1 + shape.columns.iter().map(|(_, n)| n + GAP).sum::<usize>();
                assert!(used <= cells + GAP || shape.columns.len() <= 4, "{used} of {cells}");
            }
        }
    }

    #[test]
    fn number_and_id_stay_while_others_scroll() {
        assert_eq!(shown(Column::Steps, 40)[2..4], [Column::Id, Column::Steps]);
        let far = shown(Column::Words, 60);
        assert_eq!(far[..3], [Column::Number, Column::Mark, Column::Id]);
        assert!(far.contains(&Column::Words) && !far.contains(&Column::Steps));
        assert_eq!(shown(Column::Steps, 400), Column::ALL);
    }

    #[test]
    fn numbers_are_short() {
        let told = |numbers, all: &[f64]| all.iter().map(|n| measured(numbers, *n)).collect::<Vec<_>>();
        assert_eq!(told(Numbers::Tokens, &[0.0, 812.0, 3140.0, 2e6]), ["0", "812", "3.1k", "2.0M"]);
        assert_eq!(told(Numbers::Steps, &[1234.0, 12_345.0]), ["1234", "12.3k"]);
        assert_eq!(told(Numbers::Reward, &[1.0, -0.5, 1.0 / 3.0]), ["1", "-0.5", "0.333"]);
        assert_eq!(told(Numbers::Size, &[1800.0]), ["1.8kB"]);
    }
}
