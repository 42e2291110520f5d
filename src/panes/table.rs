//! The trajectories of a dataset, a row each.

use super::{Extent, Hit, Piece, Row, Scroll, Session, Window, value};
use crate::text::{Role, SafeText, cut, pad};
use std::collections::HashMap;

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
        let columns = Columns::of(extent.width, digits);
        let mut rows = vec![columns.heading()];
        for n in (self.scroll.top..total).take(extent.height.saturating_sub(1)) {
            let row = columns.row(n, session, self.facts.get(&n), n == self.scroll.cursor);
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
    words: usize,
}

impl Columns {
    fn of(cells: usize, digits: usize) -> Self {
        let title = (cells / 5).clamp(10, 28);
        let tools = if cells >= 100 { 26 } else { 0 };
        let has_size = cells >= 60;
        let used = 1 + digits + 2 + title + 2 + 6 + tools + 7 + if has_size { 10 } else { 0 };
        Self { digits, title, tools, has_size, words: cells.saturating_sub(used) }
    }

    fn heading(&self) -> Row {
        let mut text = format!(" {:>d$}  {:<t$}  {:>5}", "#", "id", "steps", d = self.digits, t = self.title);
        if self.has_size {
            text += &format!(" {:>9}", "size");
        }
        text += "  find ";
        if self.tools > 0 {
            text += &format!(" {:<t$}", "tools", t = self.tools);
        }
        Row::text(Role::Dim, &(text + " begins with"))
    }

    fn row(&self, n: usize, session: &Session, facts: Option<&Facts>, is_cursor: bool) -> Row {
        let mut left = vec![
            Piece::of(Role::Accent, if is_cursor { "▌" } else { " " }),
            Piece::of(Role::Dim, &format!("{n:>d$}  ", d = self.digits)),
        ];
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
        left.push(Piece::safe(Role::Dim, cut(&SafeText::of(&super::steps::one_line(&facts.words)), self.words)));
        Row::new(left)
    }
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
