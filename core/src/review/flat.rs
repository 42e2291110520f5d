//! Rows of flat schemas, for programs that ask tables: what is found, facts on records, what identifies copies.
//!
//! Every row has every member, in one order, and a member has one type: nothing needs a cast. A record is named by the
//! digest of its content, which all schemas have first.

mod findings;
mod records;
mod sketches;

pub use findings::{FINDINGS, finding_row};
pub use records::{RECORD_FIELDS, RECORDS, record_row, run_row};
pub use sketches::{SKETCHES, sketch_row};

use serde::Serialize;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
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
pub enum Cell {
    /// Of [`ColumnType::Int`].
    Int(Option<i64>),
    /// Of [`ColumnType::Float`].
    Float(Option<f64>),
    /// Of [`ColumnType::Text`].
    Text(Option<String>),
    /// Of [`ColumnType::Texts`].
    Texts(Vec<String>),
}

impl Cell {
    /// A count; no count of records or bytes is above the greatest number of the type.
    #[must_use]
    pub fn count(n: u64) -> Self {
        Self::Int(i64::try_from(n).ok())
    }

    /// A text; empty is missing.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Some(text.into()).filter(|text| !text.is_empty()))
    }
}

/// The columns of a schema, in order, and what it is called.
#[derive(Debug)]
pub struct FlatSchema {
    /// Its name in Parquet files.
    pub name: &'static str,
    /// Name and type of each column.
    pub columns: &'static [(&'static str, ColumnType)],
}

impl FlatSchema {
    /// A row as one JSON text.
    ///
    /// # Errors
    /// A value has no JSON.
    pub fn json(&self, row: &[Cell]) -> serde_json::Result<String> {
        let names = self.columns.iter().map(|(name, _)| *name);
        let mut text = String::from("{");
        for (name, cell) in names.zip(row) {
            let separator = if text.len() > 1 { "," } else { "" };
            text += &format!("{separator}\"{name}\":{}", serde_json::to_string(cell)?);
        }
        Ok(text + "}")
    }
}
