//! Files of rows of one flat schema: JSON Lines, or CSV or Parquet where the name of the file says so.

#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod record_table;
#[cfg(feature = "parquet")]
mod record_type;

#[cfg(feature = "parquet")]
pub(super) use record_table::RecordTable;

use crate::model::Problem;
use crate::review::flat::{Cell, FlatSchema, csv_row};
use crate::source::Output;
use std::path::Path;

/// A row as one JSON text.
///
/// # Errors
/// A value has no JSON.
pub(super) fn json(schema: &FlatSchema, row: &[Cell]) -> Result<String, Problem> {
    schema.json(row).map_err(|e| Problem::unreadable(format!("a row has no JSON: {e}")))
}

/// Whether a name is that of a Parquet file.
///
/// # Errors
/// It is, and this build does not write such files.
pub(super) fn is_parquet(path: &Path) -> Result<bool, Problem> {
    let is_parquet = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
    if is_parquet && !cfg!(feature = "parquet") {
        let problem = Problem::usage(format!("{} would be Parquet, which this build does not write", path.display()));
        return Err(problem.hint("use an obelus that was built with `--features parquet`, or name it .jsonl"));
    }
    Ok(is_parquet)
}

/// A file of rows, under another name until it is whole.
pub(super) enum FlatFile {
    Lines(&'static FlatSchema, Box<Output>),
    Csv(Box<Output>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Writer>),
}

impl FlatFile {
    /// Begins a file; its name says how it is written.
    ///
    /// # Errors
    /// As [`super::output_path::create`]; this build does not write Parquet.
    pub(super) fn create(
        path: &Path,
        schema: &'static FlatSchema,
        is_forced: bool,
        inputs: &[&Path],
    ) -> Result<Self, Problem> {
        let is_parquet = is_parquet(path)?;
        debug_assert!(!is_parquet || cfg!(feature = "parquet"), "refused above");
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let mut output = super::output_path::create(path, is_forced, inputs)?;
        if is_csv {
            output.write(format!("{}\n", schema.csv_head()).as_bytes())?;
            return Ok(Self::Csv(Box::new(output)));
        }
        #[cfg(feature = "parquet")]
        if is_parquet {
            return Ok(Self::Parquet(Box::new(parquet::Writer::new(schema, output)?)));
        }
        Ok(Self::Lines(schema, Box::new(output)))
    }

    /// Writes a row: a cell for each column.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn push(&mut self, row: Vec<Cell>) -> Result<(), Problem> {
        match self {
            Self::Lines(schema, output) => {
                output.write(json(schema, &row)?.as_bytes())?;
                output.write(b"\n")
            }
            Self::Csv(output) => output.write(format!("{}\n", csv_row(&row)).as_bytes()),
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
            Self::Lines(_, output) | Self::Csv(output) => *output,
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.finish()?,
        };
        output.finish()?.publish().map(drop)
    }
}
