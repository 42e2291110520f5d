//! Rows of flat schemas as batches of Arrow.

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field};
use obelus_core::review::flat::{Cell, ColumnType, FlatSchema};
use std::sync::Arc;

/// The schema, as Arrow has it.
pub(crate) fn schema(schema: &FlatSchema) -> arrow_schema::Schema {
    let field = |(name, kind): &(&str, ColumnType)| match kind {
        ColumnType::Int => Field::new(*name, DataType::Int64, true),
        ColumnType::Float => Field::new(*name, DataType::Float64, true),
        ColumnType::Text => Field::new(*name, DataType::Utf8, true),
        ColumnType::Texts => Field::new(*name, DataType::List(Arc::new(element())), false),
    };
    arrow_schema::Schema::new(schema.columns.iter().map(field).collect::<Vec<_>>())
}

fn element() -> Field {
    Field::new("element", DataType::Utf8, false)
}

/// Rows of a schema as a batch.
pub(crate) fn batch(of: &FlatSchema, rows: &[Vec<Cell>]) -> Result<RecordBatch, ArrowError> {
    let column = |(number, (_, kind)): (usize, &(&str, ColumnType))| -> ArrayRef {
        let cells = rows.iter().filter_map(|row| row.get(number));
        match kind {
            ColumnType::Int => {
                let value = |cell: &Cell| match cell {
                    Cell::Int(value) => *value,
                    _ => None,
                };
                Arc::new(cells.map(value).collect::<Int64Array>())
            }
            ColumnType::Float => {
                let value = |cell: &Cell| match cell {
                    Cell::Float(value) => *value,
                    _ => None,
                };
                Arc::new(cells.map(value).collect::<Float64Array>())
            }
            ColumnType::Text => {
                fn value(cell: &Cell) -> Option<&str> {
                    match cell {
                        Cell::Text(value) => value.as_deref(),
                        _ => None,
                    }
                }
                Arc::new(cells.map(value).collect::<StringArray>())
            }
            ColumnType::Texts => {
                let mut lists = ListBuilder::new(StringBuilder::new()).with_field(element());
                for cell in cells {
                    if let Cell::Texts(texts) = cell {
                        for text in texts {
                            lists.values().append_value(text);
                        }
                    }
                    lists.append(true);
                }
                Arc::new(lists.finish())
            }
        }
    };
    RecordBatch::try_new(Arc::new(schema(of)), of.columns.iter().enumerate().map(column).collect())
}
