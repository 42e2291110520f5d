//! The rows of batches as JSON texts: a column that holds them, or all columns as members.

use crate::json_value;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;
use obelus_core::model::Problem;

/// Texts one behind the other.
pub(crate) struct JsonRows {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Whether columns are the members of each, instead of one column its text.
    pub(crate) are_of_columns: bool,
}

impl JsonRows {
    /// The texts, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(from, to)| self.text.get(from..*to).unwrap_or_default())
    }

    fn push(&mut self, row: &[u8]) {
        self.text.extend_from_slice(row);
        self.ends.push(self.text.len());
    }
}

/// The rows of these batches. `column` holds the JSON of each; without it, that is the only column if it has texts, and
/// else all columns are members of a row.
pub(crate) fn of(batches: &[RecordBatch], column: Option<&str>) -> Result<JsonRows, Problem> {
    let mut rows = JsonRows { text: Vec::new(), ends: Vec::new(), are_of_columns: false };
    for batch in batches {
        let texts = match (column, batch.columns()) {
            (Some(name), _) => {
                let column = batch.column_by_name(name).ok_or_else(|| no_column(name, batch))?;
                Some(texts(column).ok_or_else(|| no_texts(name, column))?)
            }
            (None, [only]) => texts(only),
            (None, _) => None,
        };
        match texts {
            Some(texts) => push_texts(texts.as_ref(), &mut rows),
            None => {
                rows.are_of_columns = true;
                push_members(batch, &mut rows)?;
            }
        }
    }
    Ok(rows)
}

fn no_column(name: &str, batch: &RecordBatch) -> Problem {
    let schema = batch.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    Problem::usage(format!("there is no column `{name}`")).hint(format!("there are: {}", names.join(", ")))
}

fn no_texts(name: &str, column: &dyn Array) -> Problem {
    let message = format!("the column `{name}` has no texts of JSON, it is {}", column.data_type());
    Problem::usage(message).hint("leave it out, to take all columns as members of a record")
}

/// A column that has texts, as an array of texts; None: it has something else.
fn texts(column: &ArrayRef) -> Option<ArrayRef> {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    let is_text = |kind: &DataType| matches!(kind, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView);
    match column.data_type() {
        kind if is_text(kind) => Some(ArrayRef::clone(column)),
        DataType::Dictionary(_, kind) if is_text(kind) => arrow_cast::cast(column, kind).ok(),
        _ => None,
    }
}

/// A row that is null is an empty line, which is not a record.
fn push_texts(column: &dyn Array, rows: &mut JsonRows) {
    let mut push = |row: Option<&[u8]>| rows.push(row.unwrap_or_default());
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().for_each(|row| push(row.map(str::as_bytes))),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().for_each(|row| push(row.map(str::as_bytes))),
        DataType::Utf8View => column.as_string_view().iter().for_each(|row| push(row.map(str::as_bytes))),
        DataType::Binary => column.as_binary::<i32>().iter().for_each(&mut push),
        DataType::LargeBinary => column.as_binary::<i64>().iter().for_each(&mut push),
        DataType::BinaryView => column.as_binary_view().iter().for_each(&mut push),
        _ => {}
    }
}

fn push_members(batch: &RecordBatch, rows: &mut JsonRows) -> Result<(), Problem> {
    let members = StructArray::from(batch.clone());
    for row in 0..batch.num_rows() {
        json_value::object(&mut rows.text, &members, row).map_err(|e| Problem::usage(e.to_string()))?;
        rows.ends.push(rows.text.len());
    }
    Ok(())
}
