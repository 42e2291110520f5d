//! Rows of flat schemas, for programs that ask tables: what is found, facts on records, what identifies copies.
//!
//! Every row has every member, in one order, and a member has one type: nothing needs a cast. A record is named by the
//! digest of its content, which all schemas have first.

mod findings;
mod records;
mod sketches;

pub use findings::{FINDINGS, finding_row};
pub use records::{RECORD_FIELDS, RECORDS, record_row};
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

    /// The names of the columns as the first line of a CSV file.
    #[must_use]
    pub fn csv_head(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",")
    }
}

/// A row as one line of a CSV file (RFC 4180): what is missing is empty, texts of a list are divided by spaces.
///
/// A spreadsheet runs a text that begins as a formula, which a file may hold by intent: such a text gets a `'` before
/// it.
#[must_use]
pub fn csv_row(row: &[Cell]) -> String {
    let quoted = |text: &str| {
        let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{guard}{}\"", text.replace('"', "\"\""))
        } else {
            format!("{guard}{text}")
        }
    };
    let cell = |cell: &Cell| match cell {
        Cell::Int(number) => number.map(|number| number.to_string()).unwrap_or_default(),
        Cell::Float(number) => number.map(|number| number.to_string()).unwrap_or_default(),
        Cell::Text(text) => quoted(text.as_deref().unwrap_or_default()),
        Cell::Texts(texts) => quoted(&texts.join(" ")),
    };
    row.iter().map(cell).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_csv_holds_any_text_and_no_formula() {
        let text = |text: &str| Cell::Text(Some(text.to_owned()));
        let row =
            [Cell::Int(Some(-3)), Cell::Float(None), Cell::Float(Some(0.5)), text("a \"b\", c\nd"), Cell::Text(None)];
        assert_eq!(csv_row(&row), "-3,,0.5,\"a \"\"b\"\", c\nd\",");
        let texts = Cell::Texts(vec!["bash".to_owned(), "edit".to_owned()]);
        assert_eq!(csv_row(&[text("=1+1"), text("@a,b"), text("-x"), texts]), "'=1+1,\"'@a,b\",'-x,bash edit");
    }
}
