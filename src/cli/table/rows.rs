//! Where the rows of a table go, and in which order.

use super::people::{self, Source};
use crate::cli::Stop;
use crate::cli::args::FileName;
use crate::cli::flat::{self, FlatFile};
use crate::cli::out::Out;
use crate::model::Problem;
use crate::review::flat::{Cell, FlatSchema, csv_row};
use crate::text::suggest;
use std::cmp::Ordering;
use std::path::Path;

/// Most rows that are printed for people.
const ROWS_MAX: usize = 1_000;
/// Rows that may wait beyond those that are wanted, before they are put in order.
const WAITING_MAX: usize = 4_096;

/// Where rows go.
pub(super) enum RowTarget {
    Lines,
    Csv,
    File(Box<FlatFile>),
    /// The first ones, and how many there are.
    Shown(Vec<Vec<Cell>>, usize),
}

/// An order of rows, by the place of its column, and whether the greatest is first.
#[derive(Debug, Clone, Copy)]
pub(super) struct SortOrder {
    column: usize,
    is_descending: bool,
}

impl SortOrder {
    /// Reads a column's name; with `-` before it the greatest is first.
    ///
    /// # Errors
    /// There is no such column: these are named.
    pub(super) fn read(text: &str, schema: &FlatSchema) -> Result<Self, Problem> {
        let (name, is_descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let column = schema.columns.iter().position(|(known, _)| *known == name);
        let column = column.ok_or_else(|| {
            let names: Vec<&str> = schema.columns.iter().map(|(name, _)| *name).collect();
            let near = suggest::nearest(name, names.iter().copied()).first().copied();
            let problem = Problem::usage(format!("--sort {text}: there is no column {name}"));
            problem.hint(match near {
                Some(near) => format!("did you mean {near}?"),
                None => format!("columns are {}", names.join(", ")),
            })
        })?;
        Ok(Self { column, is_descending })
    }

    /// What is not known comes last either way.
    fn compare(self, one: &[Cell], other: &[Cell]) -> Ordering {
        let (Some(one), Some(other)) = (one.get(self.column), other.get(self.column)) else { return Ordering::Equal };
        let is_known = |cell: &Cell| !matches!(cell, Cell::Int(None) | Cell::Float(None) | Cell::Text(None));
        let order = match (one, other) {
            (Cell::Int(one), Cell::Int(other)) => one.cmp(other),
            (Cell::Float(Some(one)), Cell::Float(Some(other))) => one.total_cmp(other),
            (Cell::Text(one), Cell::Text(other)) => one.cmp(other),
            (Cell::Texts(one), Cell::Texts(other)) => one.cmp(other),
            _ => Ordering::Equal,
        };
        let order = if self.is_descending { order.reverse() } else { order };
        is_known(other).cmp(&is_known(one)).then(order)
    }
}

/// The rows of a table on their way.
pub(super) struct Rows {
    pub(super) target: RowTarget,
    schema: &'static FlatSchema,
    sort: Option<SortOrder>,
    /// Most rows that are wanted, and how many were written as they came.
    limit: usize,
    written: usize,
    /// Rows that wait to be put in order.
    waiting: Vec<Vec<Cell>>,
}

impl Rows {
    pub(super) fn new(target: RowTarget, schema: &'static FlatSchema, sort: Option<SortOrder>, limit: usize) -> Self {
        Self { target, schema, sort, limit, written: 0, waiting: Vec::new() }
    }

    /// Whether no more rows are wanted.
    pub(super) fn is_full(&self) -> bool {
        self.sort.is_none() && self.written >= self.limit
    }

    /// Takes the next row.
    ///
    /// # Errors
    /// It cannot be written, or no more are wanted.
    pub(super) fn push(&mut self, row: Vec<Cell>, out: &mut Out) -> Result<(), Stop> {
        let Some(sort) = self.sort else {
            if self.is_full() {
                return Err(Stop::Enough);
            }
            self.written += 1;
            return self.write(row, out);
        };
        self.waiting.push(row);
        if self.waiting.len() >= self.limit.saturating_add(WAITING_MAX) {
            self.waiting.sort_by(|one, other| sort.compare(one, other));
            self.waiting.truncate(self.limit);
        }
        Ok(())
    }

    fn write(&mut self, row: Vec<Cell>, out: &mut Out) -> Result<(), Stop> {
        match &mut self.target {
            RowTarget::Lines => Ok(out.json(&flat::json(self.schema, &row)?)?),
            // A line end in a text is one in a quoted cell.
            RowTarget::Csv => Ok(out.text(&format!("{}\n", csv_row(&row)))?),
            RowTarget::File(file) => Ok(file.push(row)?),
            RowTarget::Shown(rows, count) => {
                *count += 1;
                if rows.len() < ROWS_MAX {
                    rows.push(row);
                }
                Ok(())
            }
        }
    }

    /// Shows people the rows of a file, where it is the only one.
    pub(super) fn show(&mut self, of: &Source<'_>, out: &mut Out) -> Result<(), Stop> {
        self.settle(out)?;
        match &mut self.target {
            RowTarget::Shown(rows, count) => {
                people::print(of, self.schema, (&std::mem::take(rows), std::mem::take(count)), out)
            }
            _ => Ok(()),
        }
    }

    /// All rows are there.
    pub(super) fn finish(mut self, files: &[FileName], folder: &Path, out: &mut Out) -> Result<(), Stop> {
        self.settle(out)?;
        if files.len() > 1 {
            self.show(&Source::All(files.len(), folder), out)?;
        }
        match self.target {
            RowTarget::File(file) => Ok(file.finish()?),
            _ => Ok(()),
        }
    }

    /// Writes the rows that wait, in their order.
    fn settle(&mut self, out: &mut Out) -> Result<(), Stop> {
        let Some(sort) = self.sort else { return Ok(()) };
        let mut rows = std::mem::take(&mut self.waiting);
        rows.sort_by(|one, other| sort.compare(one, other));
        rows.into_iter().take(self.limit).try_for_each(|row| self.write(row, out))
    }
}
