//! Custom columns in the table: typed or from the configuration, asked of the rows on the screen, and of all
//! records where they sort, filter or are counted.

use super::keys::Context;
use super::prompt::Prompt;
use super::{App, Effect, Effects, Job, Layer, Notice, Pane};
use crate::panes::table::CustomColumnState;
use crate::review::{CellValue, Column, CustomColumn, CustomColumnChunk};
use std::sync::Arc;

/// A column as it was typed, and what was there before: an invalid expression is taken back.
#[derive(Debug)]
pub(super) struct Typed {
    id: u64,
    text: String,
    focus: Column,
    /// The expression that it took the place of.
    before: Option<Arc<str>>,
}

impl App {
    /// Offers a column of the configuration.
    ///
    /// # Errors
    /// Its name is invalid.
    pub fn offer_column(&mut self, name: &str, expression: &str) -> Result<(), String> {
        self.set_column(CustomColumn::new(name)?, expression);
        Ok(())
    }

    fn set_column(&mut self, name: CustomColumn, expression: &str) {
        self.asked_columns += 1;
        self.table.set_custom_column(CustomColumnState::new(name, expression, self.asked_columns));
    }

    /// Takes a column that was typed in the list of columns, or opens the line in which it is.
    pub(super) fn type_column(&mut self, typed: &str) {
        let mut prompt = Prompt::default();
        prompt.insert(typed);
        self.layer = Some(Layer::Column(prompt));
        if !typed.is_empty() {
            self.keep_typed();
            self.submit_column();
        }
    }

    /// Enter in that line; what is no column stays to be changed.
    pub(super) fn submit_column(&mut self) {
        let Some(Layer::Column(prompt)) = &self.layer else { return };
        match CustomColumn::with_expression(prompt.text()) {
            Ok((name, expression)) => {
                let (text, focus) = (prompt.text().to_owned(), self.table.focus);
                let before = self.table.custom_column(name).map(|known| Arc::clone(&known.expression));
                self.layer = None;
                self.set_column(name, &expression);
                self.typed_column = Some(Typed { id: self.asked_columns, text, focus, before });
                self.is_asking = true;
                let column = Column::Custom(name);
                if !self.table.columns.contains(&column) {
                    self.table.toggle_column(column);
                }
                self.table.focus = column;
            }
            Err(text) => self.notice = Some(Notice { is_error: true, text }),
        }
    }

    /// The input has other content: all columns are evaluated again.
    pub(super) fn restart_columns(&mut self) {
        let all: Vec<(CustomColumn, Arc<str>)> =
            self.table.custom_columns.iter().map(|column| (column.name, Arc::clone(&column.expression))).collect();
        all.into_iter().for_each(|(name, expression)| self.set_column(name, &expression));
    }

    /// Asks for what custom columns miss.
    pub(super) fn settle_columns(&mut self, effects: &mut Effects) {
        let count = self.session.records.count();
        let height = self.pane_extent(Pane::Table).height.saturating_sub(1);
        let visible: Vec<usize> = self.table.visible(&self.session, height).collect();
        let is_counted = self.table.facets.is_open || (self.is_plotting() && self.table.plot.is_open.is_some());
        let asked = self.table.custom_columns_asked(is_counted);
        let shown = self.table.columns.clone();
        for column in self.table.custom_columns.iter_mut().filter(|column| column.fault.is_none()) {
            let missing: Vec<usize> =
                visible.iter().copied().filter(|record| column.value_of(*record).is_none()).collect();
            if shown.contains(&Column::Custom(column.name)) && !column.is_asking && !missing.is_empty() {
                column.is_asking = true;
                let (expression, token) = (Arc::clone(&column.expression), Arc::clone(&column.token));
                effects.push(Effect::Job(Job::Ask { id: column.id, expression, records: missing, token }));
            }
            if asked.contains(&column.name) && !column.is_asking_all && column.known() < count {
                column.is_asking_all = true;
                let (expression, token) = (Arc::clone(&column.expression), Arc::clone(&column.token));
                effects.push(Effect::Job(Job::AskAll {
                    id: column.id,
                    expression,
                    from: column.known(),
                    to: count,
                    token,
                }));
            }
        }
    }

    /// Takes what an expression says of some of the records on the screen; the others are still asked.
    pub(super) fn take_part(&mut self, id: u64, values: Vec<(usize, CellValue)>) {
        if let Some(column) = self.table.custom_columns.iter_mut().find(|column| column.id == id) {
            column.take_near(values);
        }
    }

    /// Takes what an expression says of records on the screen.
    pub(super) fn take_near(&mut self, id: u64, values: Vec<(usize, CellValue)>, why: Option<String>) {
        if let Some(column) = self.table.custom_columns.iter_mut().find(|column| column.id == id) {
            column.is_asking = false;
            column.take_near(values);
        }
        self.column_failed(id, why);
    }

    /// Takes what an expression says of the records that come next.
    pub(super) fn take_next(&mut self, id: u64, chunk: Arc<CustomColumnChunk>) {
        if let Some(column) = self.table.custom_columns.iter_mut().find(|column| column.id == id) {
            column.take_next(chunk);
        }
    }

    /// All records were asked, or no more are.
    pub(super) fn asked_all(&mut self, id: u64, why: Option<String>) {
        if let Some(column) = self.table.custom_columns.iter_mut().find(|column| column.id == id) {
            column.is_asking_all = false;
        }
        self.column_failed(id, why);
    }

    /// Takes back a column that was typed and whose expression never said anything; the line comes back to be
    /// changed.
    fn refuse_column(&mut self, id: u64) {
        let Some(typed) = self.typed_column.take_if(|typed| typed.id == id) else { return };
        let Some(known) =
            self.table.custom_columns.iter().find(|known| known.id == id).filter(|known| !known.has_values())
        else {
            return;
        };
        let (name, column) = (known.name, Column::Custom(known.name));
        match typed.before {
            Some(expression) => self.set_column(name, &expression),
            None => {
                if self.table.columns.contains(&column) {
                    self.table.toggle_column(column);
                }
                if self.table.sort.is_some_and(|sort| sort.column == column) {
                    self.table.sort = None;
                }
                self.table.custom_columns.retain(|known| known.id != id);
            }
        }
        if self.table.columns.contains(&typed.focus) {
            self.table.focus = typed.focus;
        }
        // Another key since then means something else.
        if std::mem::take(&mut self.is_asking) && self.layer.is_none() && self.is_in(Context::Table) {
            let mut prompt = Prompt::default();
            prompt.insert(&typed.text);
            self.layer = Some(Layer::Column(prompt));
        }
    }

    /// Why an expression says no more, reported once.
    fn column_failed(&mut self, id: u64, why: Option<String>) {
        let column = self.table.custom_columns.iter_mut().find(|column| column.id == id && column.fault.is_none());
        if let (Some(column), Some(why)) = (column, why) {
            let text = format!("{} = {}: {why}", column.name.as_str(), column.expression);
            column.fault = Some(why);
            self.notice = Some(Notice { is_error: true, text });
            self.refuse_column(id);
        }
    }
}
