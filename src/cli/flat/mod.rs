//! Rows of one flat schema, for programs that ask tables: JSON Lines, or Parquet where the name of the file says so.
//!
//! Every row has every member, in one order, and a member has one type: nothing needs a cast.

#[cfg(feature = "parquet")]
mod parquet;

use crate::model::Problem;
use crate::source::Output;
use serde::Serialize;
use std::path::Path;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// A whole number of 64 bits; may be missing.
    Int,
    /// A number of double precision; may be missing.
    Float,
    /// A text; may be missing.
    Text,
    /// Texts; may be none, never missing.
    Texts,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Cell {
    Int(Option<i64>),
    Float(Option<f64>),
    Text(Option<String>),
    Texts(Vec<String>),
}

impl Cell {
    /// A count; no count of records or bytes is above the greatest number of the type.
    pub(super) fn count(n: u64) -> Self {
        Self::Int(i64::try_from(n).ok())
    }

    /// A text; empty is missing.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(Some(text.into()).filter(|text| !text.is_empty()))
    }
}

/// The columns of a schema, in order, and what it is called.
#[derive(Debug)]
pub(super) struct Schema {
    /// Its name in Parquet files.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet files say it"))]
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Type)],
}

impl Schema {
    /// A row as one JSON text.
    ///
    /// # Errors
    /// A value has no JSON.
    pub(super) fn json(&self, row: &[Cell]) -> Result<String, Problem> {
        let names = self.columns.iter().map(|(name, _)| *name);
        let mut text = String::from("{");
        for (name, cell) in names.zip(row) {
            let separator = if text.len() > 1 { "," } else { "" };
            text += &format!("{separator}\"{name}\":{}", super::out::raw(cell)?);
        }
        Ok(text + "}")
    }
}

/// A file of rows, under another name until it is whole.
pub(super) enum FlatFile {
    Lines(&'static Schema, Output),
    #[cfg(feature = "parquet")]
    Parquet(parquet::Writer),
}

impl FlatFile {
    /// Begins a file; its name says how it is written.
    ///
    /// # Errors
    /// As [`super::output_path::create`]; this build does not write Parquet.
    pub(super) fn create(
        path: &Path,
        schema: &'static Schema,
        is_forced: bool,
        inputs: &[&Path],
    ) -> Result<Self, Problem> {
        let is_parquet = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
        if is_parquet && !cfg!(feature = "parquet") {
            let problem =
                Problem::usage(format!("{} would be Parquet, which this build does not write", path.display()));
            return Err(problem.hint("use an obelus that was built with `--features parquet`, or name it .jsonl"));
        }
        let output = super::output_path::create(path, is_forced, inputs)?;
        #[cfg(feature = "parquet")]
        if is_parquet {
            return Ok(Self::Parquet(parquet::Writer::new(schema, output)?));
        }
        Ok(Self::Lines(schema, output))
    }

    /// Writes a row: a cell for each column.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn push(&mut self, row: Vec<Cell>) -> Result<(), Problem> {
        match self {
            Self::Lines(schema, output) => {
                output.write(schema.json(&row)?.as_bytes())?;
                output.write(b"\n")
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.push(row),
        }
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn finish(self) -> Result<(), Problem> {
        let output = match self {
            Self::Lines(_, output) => output,
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.finish()?,
        };
        output.finish()?.publish().map(drop)
    }
}
