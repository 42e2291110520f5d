//! The trajectories of a dataset, a row each.

use super::{Extent, Hit, Piece, Row, Scroll, Session, Window, marks, value};
use crate::review::Mark;
use crate::text::{Role, SafeText, cut, pad};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// What the table shows of a record: made by a job from its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Its id or title.
    pub title: String,
    /// Number of steps.
    pub steps: usize,
    /// Tools with the number of calls, most used first.
    pub tools: Vec<(String, usize)>,
    /// First words of the first user step, else of the first step.
    pub words: String,
    /// Findings that are errors, and warnings.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
}

/// Most records whose facts are kept.
const FACTS_MAX: usize = 20_000;

/// Cursor and scroll of the table, and the facts that were made so far.
#[derive(Debug, Default)]
pub struct TablePane {
    /// Scroll and cursor, in records.
    pub scroll: Scroll,
    /// Where a selection of records began; it reaches to the cursor.
    pub anchor: Option<usize>,
    facts: HashMap<usize, Facts>,
}

impl TablePane {
    /// Takes the facts of some records.
    pub fn set_facts(&mut self, facts: Vec<(usize, Facts)>) {
        if self.facts.len() + facts.len() > FACTS_MAX {
            self.facts.clear();
        }
        self.facts.extend(facts);
    }

    /// Forgets all facts: the input was replaced.
    pub fn clear(&mut self) {
        self.facts.clear();
    }

    /// The selected records.
    #[must_use]
    pub fn selected(&self) -> Option<RangeInclusive<usize>> {
        let (from, to) = (self.anchor?, self.scroll.cursor);
        Some(from.min(to)..=from.max(to))
    }

    /// The facts of a record, if they are made.
    #[must_use]
    pub fn facts(&self, record: usize) -> Option<&Facts> {
        self.facts.get(&record)
    }

    /// The visible records whose facts are not made yet.
    #[must_use]
    pub fn wanted(&self, session: &Session, height: usize) -> Vec<usize> {
        let end = session.records.count().min(self.scroll.top + height);
        (self.scroll.top..end).filter(|n| !self.facts.contains_key(n)).collect()
    }

    /// The visible rows; the first is the heading.
    #[must_use]
    pub fn window(&self, session: &Session, extent: Extent) -> Window {
        let total = session.records.count();
        if total == 0 {
            let lines: &[&str] = if session.records.is_complete() {
                &["No trajectories.", "The file holds no record of this format."]
            } else {
                &["Reading…"]
            };
            return Window::notice(lines, extent.width);
        }
        let digits = total.to_string().len().max(3);
        let columns = Columns::of(extent.width, digits, session.review.is_begun());
        let selected = self.selected();
        let mut rows = vec![columns.heading()];
        for n in (self.scroll.top..total).take(extent.height.saturating_sub(1)) {
            let is_selected = selected.as_ref().is_some_and(|range| range.contains(&n));
            let edge = if n == self.scroll.cursor {
                "▌"
            } else if is_selected {
                "┃"
            } else {
                " "
            };
            let row = columns.row(n, session, self.facts.get(&n), edge);
            rows.push(row.hit(Hit::Row(n)).cursor(n == self.scroll.cursor));
        }
        Window { rows, top: self.scroll.top, total }
    }
}

struct Columns {
    digits: usize,
    title: usize,
    tools: usize,
    has_size: bool,
    has_marks: bool,
    words: usize,
}

impl Columns {
    fn of(cells: usize, digits: usize, has_marks: bool) -> Self {
        let title = (cells / 5).clamp(10, 28);
        let tools = if cells >= 100 { 26 } else { 0 };
        let has_size = cells >= 60;
        let used =
            1 + digits + 2 + title + 2 + 6 + tools + 7 + if has_size { 10 } else { 0 } + if has_marks { 3 } else { 0 };
        Self { digits, title, tools, has_size, has_marks, words: cells.saturating_sub(used) }
    }

    fn heading(&self) -> Row {
        let marks = if self.has_marks { "   " } else { "" };
        let mut text = format!(" {:>d$}  {marks}{:<t$}  {:>5}", "#", "id", "steps", d = self.digits, t = self.title);
        if self.has_size {
            text += &format!(" {:>9}", "size");
        }
        text += "  find ";
        if self.tools > 0 {
            text += &format!(" {:<t$}", "tools", t = self.tools);
        }
        Row::text(Role::Dim, &(text + " begins with"))
    }

    fn row(&self, n: usize, session: &Session, facts: Option<&Facts>, edge: &str) -> Row {
        let mut left =
            vec![Piece::of(Role::Accent, edge), Piece::of(Role::Dim, &format!("{n:>d$}  ", d = self.digits))];
        let mark = session.review.unit_mark(n).filter(|_| self.has_marks);
        if self.has_marks {
            left.extend(cells(mark));
        }
        let size = session.records.get(n).map_or(0, |r| r.place.span.len);
        let Some(facts) = facts else {
            left.push(Piece::of(Role::Dim, &format!("…  {}", value::size_text(size))));
            return Row::new(left);
        };
        left.push(Piece::safe(Role::Text, pad(&SafeText::of(&facts.title), self.title)));
        left.push(Piece::of(Role::JsonNumber, &format!("  {:>5}", facts.steps)));
        if self.has_size {
            left.push(Piece::of(Role::Dim, &format!(" {:>9}", value::size_text(size))));
        }
        left.extend(find(facts));
        if self.tools > 0 {
            let names: Vec<_> = facts.tools.iter().map(|(name, n)| format!("{name} {n}")).collect();
            left.push(Piece::of(Role::Text, " "));
            left.push(Piece::safe(Role::Call, pad(&SafeText::of(&names.join(" ")), self.tools)));
        }
        left.push(Piece::of(Role::Text, " "));
        left.extend(mark.map(words).unwrap_or_default());
        left.push(Piece::safe(Role::Dim, cut(&SafeText::of(&super::steps::one_line(&facts.words)), self.words)));
        Row::new(left)
    }
}

/// The cells of a mark: decision, flag, a blank.
fn cells(mark: Option<&Mark>) -> Vec<Piece> {
    let verdict = mark.and_then(|mark| mark.verdict);
    let flag = if mark.is_some_and(|mark| mark.is_flagged) { marks::FLAG } else { " " };
    vec![
        verdict.map_or_else(|| Piece::of(Role::Text, " "), |v| Piece::of(marks::role(v), v.sign())),
        Piece::of(Role::Accent, flag),
        Piece::of(Role::Text, " "),
    ]
}

/// Tags and note of a mark, before the words of the record.
fn words(mark: &Mark) -> Vec<Piece> {
    marks::told(&Mark { verdict: None, is_flagged: false, ..mark.clone() })
}

fn find(facts: &Facts) -> Vec<Piece> {
    let error = if facts.errors > 0 { format!("✗{}", facts.errors) } else { String::new() };
    let warning = if facts.warnings > 0 { format!("!{}", facts.warnings) } else { String::new() };
    let fill = 7_usize.saturating_sub(2 + error.chars().count() + warning.chars().count());
    vec![
        Piece::of(Role::Text, "  "),
        Piece::of(Role::Error, &error),
        Piece::of(Role::Warning, &warning),
        Piece::of(Role::Text, &" ".repeat(fill)),
    ]
}
