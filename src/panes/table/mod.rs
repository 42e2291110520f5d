//! Draws the table's columns: the trajectories of a dataset, a row each, sorted and filtered.
//!
//! A frame costs what is visible: order and counts over all records are made by jobs.

mod cells;
mod column_widths;
mod custom_columns;
mod facets;
mod plot;

pub use crate::format::Facts;
pub use cells::measured;
pub use custom_columns::CustomColumnState;
pub use facets::{FacetsPane, HEAD_ROWS};
pub use plot::PlotPane;

use super::{Extent, Hit, Piece, Row, Scroll, Session, Window, value};
use crate::model::cast;
use crate::review::{
    Chunk, Column, FactTable, Filter, NonEmptyColumns, Numbers, RecordFacts, RecordOrder, Sort, Subject as _,
    TaskGroups,
};
use crate::text::{Role, SafeText, width};
use cells::RecordCells;
use column_widths::{PreferredWidths, TableWidths};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Most records beyond the facts on all whose facts are kept.
const NEAR_MAX: usize = 20_000;

/// What is chosen of the table, and the facts that were made so far.
#[derive(Debug)]
pub struct TablePane {
    /// Scroll and cursor, in rows as they are shown.
    pub scroll: Scroll,
    /// The columns that are shown, in order.
    pub columns: Vec<Column>,
    /// The column in focus: one of them.
    pub focus: Column,
    /// Whether tokens are counted by a tokenizer.
    pub counts_tokens: bool,
    /// The row at which a selection began; it reaches to the cursor.
    pub anchor: Option<usize>,
    /// What it is sorted by; None is the order of the file.
    pub sort: Option<Sort>,
    /// What is let through.
    pub filter: Filter,
    /// Whether the rules of datasets are looking at the records.
    pub is_checking: bool,
    /// Whether the rows are not yet those of sort and filter.
    pub is_arranging: bool,
    /// How far words were read again to arrange them, in percent.
    pub reread: Option<usize>,
    /// The values of the column in focus.
    pub facets: FacetsPane,
    /// How the numbers of the column in focus spread.
    pub plot: PlotPane,
    /// Custom columns, shown or not.
    pub custom_columns: Vec<CustomColumnState>,
    /// The attempts at each task, as far as they are counted.
    pub groups: Option<Arc<TaskGroups>>,
    facts: FactTable,
    /// Facts on records that were shown before their turn came.
    near: HashMap<usize, Facts>,
    /// Which columns these hold something in.
    near_columns: NonEmptyColumns,
    wants: PreferredWidths,
    order: Option<RecordOrder>,
    /// The filter of that order.
    ordered: Filter,
}

impl Default for TablePane {
    fn default() -> Self {
        Self {
            scroll: Scroll::default(),
            columns: Column::ALL.to_vec(),
            focus: Column::Steps,
            counts_tokens: false,
            anchor: None,
            sort: None,
            filter: Filter::default(),
            is_checking: false,
            is_arranging: false,
            reread: None,
            facets: FacetsPane::default(),
            plot: PlotPane::default(),
            custom_columns: Vec::new(),
            groups: None,
            facts: FactTable::default(),
            near: HashMap::new(),
            near_columns: NonEmptyColumns::default(),
            wants: PreferredWidths::default(),
            order: None,
            ordered: Filter::default(),
        }
    }
}

/// What is wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordFaults {
    /// How many findings it has.
    pub findings: u64,
    /// How many of its calls failed, or look so; None: it cannot be read.
    pub failures: Option<u64>,
}

impl TablePane {
    /// Takes the facts on some records that are on the screen.
    pub fn set_facts(&mut self, facts: Vec<(usize, Facts)>) {
        if self.near.len() + facts.len() > NEAR_MAX {
            self.near.clear();
        }
        facts.iter().for_each(|(_, facts)| self.near_columns.take(facts));
        self.near.extend(facts);
    }

    /// Takes the facts on the records that come next.
    pub fn extend(&mut self, chunk: Arc<Chunk>) {
        let before = self.facts.len();
        self.facts.push(chunk);
        if !self.near.is_empty() && self.facts.has_texts() {
            (before..self.facts.len()).for_each(|record| {
                self.near.remove(&record);
            });
        }
    }

    /// The facts on all records, as far as they were looked at.
    #[must_use]
    pub fn all(&self) -> &FactTable {
        &self.facts
    }

    /// Forgets all facts: the input was replaced. What is chosen stays.
    pub fn clear(&mut self) {
        self.facts = FactTable::default();
        self.near.clear();
        (self.near_columns, self.wants) = (NonEmptyColumns::default(), PreferredWidths::default());
        self.set_order(None);
        self.facets.tally = None;
        self.is_checking = false;
    }

    /// The facts on a record, if they are made.
    #[must_use]
    pub fn facts(&self, record: usize) -> Option<Facts> {
        let entry = self.facts.get(record);
        let known_facts = entry.filter(|entry| entry.has_texts()).map(RecordFacts::facts);
        known_facts.or_else(|| self.near.get(&record).cloned()).or_else(|| entry.map(RecordFacts::facts))
    }

    /// What is wrong with a record, if it was looked at: counts alone, so that a key may ask all records.
    #[must_use]
    pub fn faults(&self, record: usize) -> Option<RecordFaults> {
        let of_near = |facts: &Facts| RecordFaults {
            findings: facts.errors + facts.warnings,
            failures: facts.counted.as_ref().map(|counted| counted.failed + counted.suspect),
        };
        let known = self.facts.get(record).map(|entry| {
            let count = |numbers| entry.number(numbers).map(cast::f64_to_u64);
            RecordFaults {
                findings: count(Numbers::Findings).unwrap_or_default(),
                failures: count(Numbers::Failed).zip(count(Numbers::Suspect)).map(|(failed, suspect)| failed + suspect),
            }
        });
        known.or_else(|| self.near.get(&record).map(of_near))
    }

    /// The visible records whose facts are not made yet.
    #[must_use]
    pub fn records_to_read(&self, session: &Session, height: usize) -> Vec<usize> {
        let records = self.visible(session, height);
        let has_facts = |n: usize| self.facts.get(n).is_some_and(RecordFacts::has_texts);
        records.filter(|n| !has_facts(*n) && !self.near.contains_key(n)).collect()
    }

    /// The records on the screen.
    pub fn visible(&self, session: &Session, height: usize) -> impl Iterator<Item = usize> {
        let end = self.count(session).min(self.scroll.top + height);
        (self.scroll.top..end).filter_map(|row| self.record_at(row))
    }

    // ---- rows and records

    /// Rows that are shown, as far as known: with a filter the records that pass it, else all.
    #[must_use]
    pub fn count(&self, session: &Session) -> usize {
        let all = session.records.count();
        match &self.order {
            None => all,
            Some(order) if order.is_whole => order.records.len() + all.saturating_sub(order.known),
            Some(order) => order.records.len(),
        }
    }

    /// The record of a row. Records that were not looked at yet follow those that are sorted.
    #[must_use]
    pub fn record_at(&self, row: usize) -> Option<usize> {
        let Some(order) = &self.order else { return Some(row) };
        match order.records.get(row) {
            Some(record) => Some(*record as usize),
            None if order.is_whole => Some(order.known + row - order.records.len()),
            None => None,
        }
    }

    /// The row of a record; None if the filter hides it.
    #[must_use]
    pub fn row_of(&self, record: usize) -> Option<usize> {
        let Some(order) = &self.order else { return Some(record) };
        let found = order.records.iter().position(|r| *r as usize == record);
        let behind = || (order.is_whole && record >= order.known).then(|| order.records.len() + record - order.known);
        found.or_else(behind)
    }

    /// The selected rows.
    #[must_use]
    pub fn selected(&self) -> Option<RangeInclusive<usize>> {
        let (from, to) = (self.anchor?, self.scroll.cursor);
        Some(from.min(to)..=from.max(to))
    }

    /// The record under the cursor.
    #[must_use]
    pub fn record(&self) -> Option<usize> {
        self.record_at(self.scroll.cursor)
    }

    /// Puts the cursor on a record; false if the filter hides it.
    pub fn show(&mut self, record: usize) -> bool {
        let row = self.row_of(record);
        row.into_iter().for_each(|row| self.scroll.jump_to(row));
        row.is_some()
    }

    /// Takes another order; None is that of the file. The cursor stays on its record, but at the top it stays there.
    pub fn set_order(&mut self, order: Option<RecordOrder>) {
        let here = self.record();
        let is_same_filter = std::mem::replace(&mut self.ordered, self.filter.clone()) == self.filter;
        self.order = order;
        // Rows are others now; a selection of them would be one of other records.
        self.anchor = None;
        // Keep the cursor on row 0 when sorting.
        if self.scroll.cursor > 0 || !is_same_filter {
            here.map(|record| self.show(record));
        }
    }

    /// Whether an order was made by a job.
    #[must_use]
    pub fn is_arranged(&self) -> bool {
        self.order.is_some()
    }

    /// Moves the focus by some columns, over those that are empty.
    pub fn column_by(&mut self, delta: isize) {
        let (non_empty, focus) = (self.non_empty_columns(), self.focus);
        let is_shown = |column: &Column| *column == focus || !self.lacks(*column, non_empty);
        let shown: Vec<Column> = self.columns.iter().copied().filter(is_shown).collect();
        let at = shown.iter().position(|column| *column == focus).unwrap_or(0);
        let at = at.saturating_add_signed(delta).min(shown.len().saturating_sub(1));
        self.focus = shown.get(at).copied().unwrap_or(Column::Number);
    }

    /// Which columns hold something in the records that are known.
    fn non_empty_columns(&self) -> NonEmptyColumns {
        let mut non_empty = self.facts.columns();
        non_empty.join(self.near_columns);
        non_empty
    }

    /// Whether a column holds nothing in the records that are known; one of groups, until a task has several attempts.
    fn lacks(&self, column: Column, non_empty: NonEmptyColumns) -> bool {
        match column.numbers().filter(|numbers| numbers.is_of_group()) {
            Some(numbers) => !self.has_group(numbers),
            None => non_empty.lacks(column),
        }
    }

    /// Whether a number of all attempts at a task is known where a task has several.
    #[must_use]
    pub fn has_group(&self, numbers: Numbers) -> bool {
        self.groups.as_ref().is_some_and(|groups| groups.has(numbers))
    }

    /// The columns that were chosen and are not shown: they are empty in all records that are known. Those of groups
    /// are not among them, since most datasets have one attempt at each task, nor what only logs report of a run.
    fn empty_columns(&self) -> Vec<Column> {
        let non_empty = self.non_empty_columns();
        let is_usual = |column: &Column| {
            !column.is_of_group() && !matches!(column, Column::Cost | Column::Duration | Column::Model)
        };
        let is_empty = |column: &Column| *column != self.focus && is_usual(column) && non_empty.lacks(*column);
        self.columns.iter().copied().filter(is_empty).collect()
    }

    /// How many columns are not shown because they are empty, and which, if that fits; nothing where none is.
    #[must_use]
    pub fn empty_columns_label(&self, cells: usize) -> String {
        let empty = self.empty_columns();
        let names: Vec<&str> = empty.iter().map(Column::title).collect();
        let label = format!("· hidden (empty): {} ", names.join(", "));
        match empty.len() {
            0 => String::new(),
            _ if cells >= 60 && 20 + crate::text::width(&label) <= cells => label,
            count => format!("· {count} hidden (empty) "),
        }
    }

    /// The columns that are shown.
    fn shown_columns(&self, session: &Session) -> Vec<Column> {
        let (has_marks, non_empty) =
            (session.review.is_begun() || self.focus == Column::Mark, self.non_empty_columns());
        let is_empty = |column: Column| column != self.focus && self.lacks(column, non_empty);
        let is_shown = |column: &Column| if *column == Column::Mark { has_marks } else { !is_empty(*column) };
        self.columns.iter().copied().filter(is_shown).collect()
    }

    /// Whether it is known what a column shows of a record, apart from facts.
    fn has_value(&self, column: Column, record: usize) -> bool {
        match column {
            Column::Custom(name) => self.custom_column(name).is_some_and(|custom| custom.value_of(record).is_some()),
            _ if column.is_of_group() => self.groups.as_ref().is_some_and(|groups| record < groups.known()),
            _ => true,
        }
    }

    /// What is known of a record.
    fn known(&self, record: usize) -> RecordCells<'_> {
        RecordCells { facts: self.facts(record), custom_columns: &self.custom_columns, groups: self.groups.as_deref() }
    }

    /// Measures the rows that are shown, unless the widths of now hold: until columns, filter or size are others, or a
    /// longer id comes into view.
    pub fn measure(&mut self, session: &Session, extent: Extent) {
        let columns = self.shown_columns(session);
        let fits_already = self.wants.is_sure() && self.wants.fit(&columns, &self.ordered, extent);
        if extent.height <= 1 {
            return;
        }
        if fits_already {
            let visible = self.visible(session, extent.height - 1);
            let longest =
                visible.filter_map(|record| Some(width(SafeText::of(&self.facts(record)?.title).as_str()))).max();
            self.wants.widen(Column::Id, longest.unwrap_or(0));
        } else {
            self.wants = PreferredWidths::of(self, &columns, session, extent);
        }
    }

    /// Shows a column or no longer; the last one stays.
    pub fn toggle_column(&mut self, column: Column) {
        if self.columns.contains(&column) && self.columns.len() > 1 {
            self.columns.retain(|shown| *shown != column);
        } else {
            let custom = self.custom_columns.iter().map(|custom| Column::Custom(custom.name));
            let all = Column::ALL.into_iter().chain(custom);
            self.columns = all.filter(|c| *c == column || self.columns.contains(c)).collect();
        }
        if !self.columns.contains(&self.focus) {
            self.focus = self.columns[0];
        }
    }

    // ---- painting

    /// How many rows of how many records are shown, if a filter hides some, and how far the records were looked at.
    #[must_use]
    pub fn counts(&self, session: &Session, cells: usize) -> Vec<Piece> {
        let all = session.records.count();
        let least = |is_sure: bool| if is_sure { "" } else { "≥" };
        let has_looked = self.facts.len() >= all && session.records.is_complete();
        let count = value::count_text(all);
        let mark = least(session.records.is_complete());
        let mut out = Vec::new();
        if self.filter.is_empty() && !session.records.is_complete() {
            // How far the input is read is reported beside it.
            return out;
        }
        if self.is_arranging {
            out.push(Piece::of(Role::Dim, &format!("… of {mark}{count}")));
        } else if self.filter.is_empty() {
            let word = if cells < 60 {
                ""
            } else if all == 1 {
                " trajectory"
            } else {
                " trajectories"
            };
            out.push(Piece::of(Role::Dim, &format!("{mark}{count}{word}")));
        } else {
            let shown = value::count_text(self.count(session));
            out.push(Piece::of(Role::Accent, &format!("{}{shown}", least(has_looked))));
            out.push(Piece::of(Role::Dim, &format!(" of {mark}{count}")));
        }
        for custom in self.custom_columns.iter().filter(|custom| custom.is_asking_all && all > 0) {
            let per_cent = custom.known() * 100 / all;
            out.push(Piece::of(Role::Warning, &format!(" · {} {per_cent} %", custom.name.as_str())));
        }
        if !has_looked && session.records.is_complete() && all > 0 {
            let per_cent = self.facts.len() * 100 / all;
            out.push(Piece::of(Role::Warning, &format!(" · scanning {per_cent} %")));
        }
        if let Some(per_cent) = self.reread {
            out.push(Piece::of(Role::Warning, &format!(" · sorting {per_cent} %")));
        }
        if self.is_checking {
            out.push(Piece::of(Role::Warning, " · checking"));
        }
        out
    }

    fn shape(&self, session: &Session, extent: Extent) -> TableWidths {
        let columns = self.shown_columns(session);
        let fitting = Some(&self.wants).filter(|wants| wants.fit(&columns, &self.ordered, extent)).cloned();
        let wants = fitting.unwrap_or_else(|| PreferredWidths::of(self, &columns, session, extent));
        let grown = (session.records.count(), self.non_empty_columns().finish_bytes());
        TableWidths::of(&wants, self.focus, extent.width, grown)
    }

    /// The column whose heading is at a cell of the first row.
    #[must_use]
    pub fn heading_at(&self, session: &Session, extent: Extent, cell: usize) -> Option<Column> {
        if self.count(session) == 0 { None } else { self.shape(session, extent).column_at(cell) }
    }

    /// The visible rows; the first is the heading.
    #[must_use]
    pub fn window(&self, session: &Session, extent: Extent) -> Window {
        let total = self.count(session);
        if session.records.count() == 0 {
            let lines: &[&str] = if session.records.is_complete() {
                &["No trajectories.", "The file holds no record of this format."]
            } else {
                &["Reading…"]
            };
            return Window::notice(lines, extent.width);
        }
        if total == 0 {
            let is_unknown = session.data.is_none() && self.filter.to_string().contains("data.");
            let lines: &[&str] = if self.facts.len() < session.records.count() {
                &["None so far.", "The records are still being looked at."]
            } else if is_unknown {
                &[
                    "No record passes the filter.",
                    "The rules of datasets (data.*) did not look yet; {check-data} lets them.",
                ]
            } else {
                &["No record passes the filter.", "{cancel} clears it, {filter} changes it."]
            };
            return session.key_names.notice(lines, extent.width);
        }
        let selected = self.selected();
        let shape = self.shape(session, extent);
        let mut rows = vec![shape.heading(self.focus, self.sort, self.counts_tokens)];
        for row in (self.scroll.top..total).take(extent.height.saturating_sub(1)) {
            let Some(record) = self.record_at(row) else { break };
            let is_cursor = row == self.scroll.cursor;
            let is_selected = selected.as_ref().is_some_and(|range| range.contains(&row));
            let edge = match () {
                () if is_cursor => "▌",
                () if is_selected => "┃",
                () => " ",
            };
            let known = self.known(record);
            let painted: Row = shape.row(record, session, &known, edge);
            rows.push(painted.hit(Hit::Row(row)).cursor(is_cursor));
        }
        Window { rows, top: self.scroll.top, total }
    }
}
