//! Custom columns in the table: what is known of them, and what is to be asked.

use super::TablePane;
use crate::review::{CellValue, Column, CustomColumn, CustomColumnChunk, CustomColumnTable, CustomColumnTables};
use std::collections::HashMap;
use std::sync::Arc;

/// Most records on the screen whose answers are kept beside those on all.
const NEAR_MAX: usize = 20_000;

/// A column whose cells an expression computes.
#[derive(Debug)]
pub struct CustomColumnState {
    /// Its name.
    pub name: CustomColumn,
    /// Its expression.
    pub expression: Arc<str>,
    /// Number of this question: answers to another one are dropped.
    pub id: u64,
    /// Held while the question is wanted.
    pub token: Arc<()>,
    /// Whether rows on the screen are being asked.
    pub is_asking: bool,
    /// Whether all records are being asked.
    pub is_asking_all: bool,
    /// Why nothing more is asked.
    pub fault: Option<String>,
    table: CustomColumnTable,
    near: HashMap<usize, CellValue>,
}

impl CustomColumnState {
    /// A column of which nothing is known.
    #[must_use]
    pub fn new(name: CustomColumn, expression: &str, id: u64) -> Self {
        Self {
            name,
            expression: expression.into(),
            id,
            token: Arc::new(()),
            is_asking: false,
            is_asking_all: false,
            fault: None,
            table: CustomColumnTable::default(),
            near: HashMap::new(),
        }
    }

    /// What it says of a record; None: it was not asked yet.
    #[must_use]
    pub fn value_of(&self, record: usize) -> Option<&CellValue> {
        let value = self.table.get(record).or_else(|| self.near.get(&record));
        value.or(self.fault.as_ref().map(|_| &CellValue::Failed))
    }

    /// Whether it has said anything of any record.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.known() > 0 || !self.near.is_empty()
    }

    /// How many of the first records were asked.
    #[must_use]
    pub fn known(&self) -> usize {
        self.table.len()
    }

    /// Takes what it says of records on the screen.
    pub fn take_near(&mut self, values: Vec<(usize, CellValue)>) {
        if self.near.len() + values.len() > NEAR_MAX {
            self.near.clear();
        }
        self.near.extend(values);
    }

    /// Takes what it says of the records that come next.
    pub fn take_next(&mut self, chunk: Arc<CustomColumnChunk>) {
        self.table.push(chunk);
        let known = self.table.len();
        self.near.retain(|record, _| *record >= known);
    }
}

impl TablePane {
    /// A custom column.
    #[must_use]
    pub fn custom_column(&self, name: CustomColumn) -> Option<&CustomColumnState> {
        self.custom_columns.iter().find(|known| known.name == name)
    }

    /// The names of all of them.
    #[must_use]
    pub fn custom_column_names(&self) -> Vec<CustomColumn> {
        self.custom_columns.iter().map(|known| known.name).collect()
    }

    /// Takes a column, in place of the one of that name.
    pub fn set_custom_column(&mut self, column: CustomColumnState) {
        match self.custom_columns.iter_mut().find(|known| known.name == column.name) {
            Some(known) => *known = column,
            None => self.custom_columns.push(column),
        }
    }

    /// Those that the order of the rows, or the values of the column in focus, ask for.
    #[must_use]
    pub fn custom_columns_asked(&self, with_focus: bool) -> Vec<CustomColumn> {
        let of = |column: Column| match column {
            Column::Custom(name) => Some(name),
            _ => None,
        };
        let mut names: Vec<CustomColumn> = self.filter.custom_columns().collect();
        names.extend(self.sort.and_then(|sort| of(sort.column)));
        names.extend(of(self.focus).filter(|_| with_focus));
        names.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        names.dedup();
        names
    }

    /// What is known of some of them. One that fails for good keeps nobody waiting: nothing is known of it.
    #[must_use]
    pub fn custom_column_tables(&self, names: &[CustomColumn]) -> CustomColumnTables {
        let columns = names.iter().filter_map(|name| self.custom_column(*name)).filter(|custom| custom.fault.is_none());
        columns.map(|custom| (custom.name, custom.table.clone())).collect()
    }
}
