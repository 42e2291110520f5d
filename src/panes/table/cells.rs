//! What is in the cells of the table.

use super::CustomColumnState;
use crate::format::{Counted, Facts};
use crate::model::{RunFacts, cast, duration_text};
use crate::panes::row::pieces_width;
use crate::panes::{Piece, Session, marks, value};
use crate::review::{CellValue, Column, Mark, Numbers, Rollout, TaskGroups, is_informative_class};
use crate::text::{Role, SafeText, cut, cut_start, width};

/// What is known of a record whose cells are shown.
pub(super) struct RecordCells<'k> {
    /// Its facts.
    pub(super) facts: Option<Facts>,
    /// The custom columns.
    pub(super) custom_columns: &'k [CustomColumnState],
    /// The attempts at each task, as far as they are counted.
    pub(super) groups: Option<&'k TaskGroups>,
}

/// What is in a column of a record, whole.
pub(super) fn cell(column: Column, record: usize, session: &Session, known: &RecordCells<'_>) -> Vec<Piece> {
    let one = |role, text: &str| vec![Piece::of(role, text)];
    match column {
        Column::Number => return one(Role::Dim, &record.to_string()),
        Column::Size => {
            let bytes = session.records.get(record).map_or(0, |r| r.place.span.len);
            return one(Role::Dim, &value::size_text(bytes));
        }
        Column::Custom(name) => {
            return vec![custom_cell(known.custom_columns.iter().find(|custom| custom.name == name), record)];
        }
        _ => {}
    }
    let mark = session.review.unit_mark(record);
    if column == Column::Mark {
        return mark_cells(mark);
    }
    let Some(facts) = &known.facts else { return one(Role::Dim, "…") };
    if let Some(numbers) = column.numbers().filter(|numbers| numbers.is_of_group()) {
        let groups = known.groups.filter(|groups| record < groups.known());
        return vec![groups.map_or_else(|| Piece::of(Role::Dim, "…"), |groups| group_cell(numbers, facts, groups))];
    }
    match (column, &facts.counted) {
        (Column::Id, _) => one(Role::Text, &facts.title),
        (Column::Findings, _) => findings(facts),
        (Column::Words, Some(_)) => {
            let mut pieces = mark.map(mark_words).unwrap_or_default();
            pieces.extend(one(Role::Dim, &facts.words));
            pieces
        }
        (Column::Words, None) => one(Role::Error, &facts.words),
        (_, None) => one(Role::Dim, "–"),
        (Column::Cost | Column::Duration | Column::Model, _) => vec![run_cell(column, &facts.run)],
        (_, Some(counted)) => counted_cell(column, counted),
    }
}

/// Whether what is in a column is at its right: numbers do.
pub(super) fn is_right(column: Column) -> bool {
    column.numbers().is_some() && column.names().is_none()
}

/// Pieces in exactly `cells` cells. What is longer ends in `…`; but ids of a file differ at their ends, so of a long
/// one that is shown.
pub(super) fn placed(column: Column, mut pieces: Vec<Piece>, cells: usize) -> Vec<Piece> {
    let used = pieces_width(&pieces);
    let is_number = matches!(pieces[..], [Piece { role: Role::JsonNumber, .. }]);
    if used <= cells {
        let fill = Piece::of(Role::Text, &" ".repeat(cells - used));
        let at = if is_right(column) || is_number { 0 } else { pieces.len() };
        pieces.insert(at, fill);
        return pieces;
    }
    if column == Column::Id
        && let Some(piece) = pieces.first_mut()
    {
        piece.text = last_of(&piece.text, cells);
        return pieces;
    }
    let mut room = cells;
    for piece in &mut pieces {
        if piece.width() >= room {
            // One that just fits has others after it.
            piece.text = cut(&piece.text.clone().join(&SafeText::literal("…")), room);
            room = 0;
        }
        room -= piece.width().min(room);
    }
    pieces.push(Piece::of(Role::Text, &" ".repeat(cells.saturating_sub(pieces_width(&pieces)))));
    pieces
}

/// What an expression says of a record; a cross where it fails.
fn custom_cell(column: Option<&CustomColumnState>, record: usize) -> Piece {
    match column.and_then(|column| column.value_of(record)) {
        None => Piece::of(Role::Dim, "…"),
        Some(CellValue::Nothing) => Piece::of(Role::Dim, "–"),
        Some(CellValue::Failed) => Piece::of(Role::Error, "✗"),
        Some(CellValue::Number(number)) => Piece::of(Role::JsonNumber, &number.to_string()),
        Some(CellValue::Text(text)) => Piece::of(Role::Text, text),
    }
}

/// The end of an id that is longer than `cells` cells.
fn last_of(text: &SafeText, cells: usize) -> SafeText {
    let more = width(text.as_str()).saturating_sub(cells);
    let ending = cut_start(text, more + 1);
    if cells == 0 { cut(text, 0) } else { SafeText::literal("…").join(&ending) }
}

/// The decision and the flag of a mark.
fn mark_cells(mark: Option<&Mark>) -> Vec<Piece> {
    let verdict = mark.and_then(|mark| mark.verdict);
    let flag = if mark.is_some_and(|mark| mark.is_flagged) { marks::FLAG } else { "" };
    vec![
        verdict.map_or_else(|| Piece::of(Role::Text, " "), |v| Piece::of(marks::role(v), v.sign())),
        Piece::of(Role::Accent, flag),
    ]
}

/// Tags and note of a mark, before the words of the record.
fn mark_words(mark: &Mark) -> Vec<Piece> {
    marks::mark_pieces(&Mark { verdict: None, is_flagged: false, ..mark.clone() })
}

/// What a log reports of its run.
fn run_cell(column: Column, run: &RunFacts) -> Piece {
    let number = |number: Numbers, value: f64| Piece::of(Role::JsonNumber, &measured(number, value));
    let found = match column {
        Column::Cost => run.usage.cost.map(|cost| number(Numbers::Cost, cost)),
        Column::Duration => run.micros.map(|micros| Piece::of(Role::JsonNumber, &duration_text(micros))),
        // Who serves it says less than what it is.
        _ => run.model.as_ref().map(|model| Piece::of(Role::Text, model.rsplit('/').next().unwrap_or(model))),
    };
    found.unwrap_or_else(|| Piece::of(Role::Dim, "–"))
}

fn counted_cell(column: Column, counted: &Counted) -> Vec<Piece> {
    let one = |role, text: &str| vec![Piece::of(role, text)];
    let names = |names: &mut dyn Iterator<Item = (&str, u64)>| {
        names.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(" ")
    };
    match column {
        Column::Steps => one(Role::JsonNumber, &counted.steps.to_string()),
        Column::Tokens => one(Role::JsonNumber, &measured(Numbers::Tokens, counted.tokens as f64)),
        Column::Chars => one(Role::JsonNumber, &measured(Numbers::Chars, counted.chars as f64)),
        Column::Failed => outcomes(counted),
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
            let shown =
                counted.classes.iter().filter(|(name, _)| is_informative_class(name) && (!has_actions || short(name)));
            one(Role::Text, &names(&mut shown.map(|(name, n)| (name.trim_end_matches("_action"), *n))))
        }
    }
}

/// A number of all attempts at the task of a record. A group without a signal teaches a policy nothing.
fn group_cell(numbers: Numbers, facts: &Facts, groups: &TaskGroups) -> Piece {
    let Some(number) = groups.number(numbers, facts.task, &Rollout::of_facts(facts)) else {
        return Piece::of(Role::Dim, "–");
    };
    let (role, sign) = match numbers {
        Numbers::GroupSignal if number == 0.0 => (Role::Warning, ""),
        Numbers::GroupAdvantage if number < 0.0 => (Role::Removed, ""),
        Numbers::GroupAdvantage if number > 0.0 => (Role::JsonNumber, "+"),
        _ => (Role::JsonNumber, ""),
    };
    Piece::of(role, &format!("{sign}{}", measured(numbers, number)))
}

/// A trajectory that ends in the middle of something is what a reviewer looks for.
fn finish_role(finish: &str) -> Role {
    match finish.to_ascii_lowercase().as_str() {
        "finish" | "submit" | "submitted" | "final_answer" | "success" | "completed" => Role::Good,
        "message" | "end_turn" | "stop" => Role::Text,
        _ => Role::Warning,
    }
}

/// How many results are errors, and how many may be.
fn outcomes(counted: &Counted) -> Vec<Piece> {
    let failed = if counted.failed > 0 { counted.failed.to_string() } else { String::new() };
    let suspect = if counted.suspect > 0 { format!("?{}", counted.suspect) } else { String::new() };
    let blank = if failed.is_empty() || suspect.is_empty() { "" } else { " " };
    vec![Piece::of(Role::Error, &failed), Piece::of(Role::Warning, &format!("{blank}{suspect}"))]
}

fn findings(facts: &Facts) -> Vec<Piece> {
    let error = if facts.errors > 0 { format!("✗{}", facts.errors) } else { String::new() };
    let warning = if facts.warnings > 0 { format!("!{}", facts.warnings) } else { String::new() };
    vec![Piece::of(Role::Error, &error), Piece::of(Role::Warning, &warning)]
}

/// A number of a column, short: `3.1k`, `0.25`.
#[must_use]
pub fn measured(numbers: Numbers, number: f64) -> String {
    match numbers {
        // A hundredth of a cent is what matters to nobody.
        Numbers::Cost if number.abs() < 1.0 => format!("{number:.4}"),
        Numbers::Cost => format!("{number:.2}"),
        Numbers::Duration if number >= 0.0 => duration_text(cast::f64_to_u64(number * 1e6)),
        Numbers::Size if number >= 0.0 => value::size_text(cast::f64_to_u64(number)).replace(' ', ""),
        _ if numbers == Numbers::Reward || (numbers.is_of_group() && numbers != Numbers::GroupSize) => {
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
    use crate::panes::Row;

    fn shown(column: Column, pieces: Vec<Piece>, cells: usize) -> String {
        let row = Row::new(placed(column, pieces, cells));
        assert_eq!(width(&row.plain()), cells);
        row.plain()
    }

    #[test]
    fn what_does_not_fit_says_so_over_several_pieces_too() {
        let one = |text: &str| vec![Piece::of(Role::Text, text)];
        assert_eq!(shown(Column::Words, one("refund please"), 8), "refund …");
        assert_eq!(shown(Column::Words, one("refund"), 8), "refund  ");
        assert_eq!(shown(Column::Steps, one("12"), 5), "   12");
        assert_eq!(shown(Column::Id, one("attempt-0017"), 6), "…-0017");
        let two = || vec![Piece::of(Role::Error, "#later "), Piece::of(Role::Dim, "日本語")];
        assert_eq!(shown(Column::Words, two(), 13), "#later 日本語");
        assert_eq!(shown(Column::Words, two(), 12), "#later 日本…");
        assert_eq!(shown(Column::Words, two(), 7), "#later…");
        assert_eq!(shown(Column::Words, two(), 4), "#la…");
        for cells in 0..20 {
            shown(Column::Words, two(), cells);
            shown(Column::Id, one("日本語-0017"), cells);
        }
    }

    #[test]
    fn numbers_are_short() {
        let measured_all = |numbers, all: &[f64]| all.iter().map(|n| measured(numbers, *n)).collect::<Vec<_>>();
        assert_eq!(measured_all(Numbers::Tokens, &[0.0, 812.0, 3140.0, 2e6]), ["0", "812", "3.1k", "2.0M"]);
        assert_eq!(measured_all(Numbers::Steps, &[1234.0, 12_345.0]), ["1234", "12.3k"]);
        assert_eq!(measured_all(Numbers::Reward, &[1.0, -0.5, 1.0 / 3.0]), ["1", "-0.5", "0.333"]);
        assert_eq!(measured_all(Numbers::Size, &[1800.0]), ["1.8kB"]);
    }
}
