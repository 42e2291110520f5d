//! Rows of flat schemas as batches of Arrow.

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field};
use obelus_core::review::flat::{Cell, Schema, Type};
use std::sync::Arc;

/// The schema, as Arrow has it.
pub(crate) fn schema(schema: &Schema) -> arrow_schema::Schema {
    let field = |(name, kind): &(&str, Type)| match kind {
        Type::Int => Field::new(*name, DataType::Int64, true),
        Type::Float => Field::new(*name, DataType::Float64, true),
        Type::Text => Field::new(*name, DataType::Utf8, true),
        Type::Texts => Field::new(*name, DataType::List(Arc::new(element())), false),
    };
    arrow_schema::Schema::new(schema.columns.iter().map(field).collect::<Vec<_>>())
}

fn element() -> Field {
    Field::new("element", DataType::Utf8, false)
}

/// Rows of a schema as a batch.
pub(crate) fn batch(of: &Schema, rows: &[Vec<Cell>]) -> Result<RecordBatch, ArrowError> {
    let column = |(number, (_, kind)): (usize, &(&str, Type))| -> ArrayRef {
        let cells = rows.iter().filter_map(|row| row.get(number));
        match kind {
            Type::Int => {
                let value = |cell: &Cell| match cell {
                    Cell::Int(value) => *value,
                    _ => None,
                };
                Arc::new(cells.map(value).collect::<Int64Array>())
            }
            Type::Float => {
                let value = |cell: &Cell| match cell {
                    Cell::Float(value) => *value,
                    _ => None,
                };
                Arc::new(cells.map(value).collect::<Float64Array>())
            }
            Type::Text => {
                fn value(cell: &Cell) -> Option<&str> {
                    match cell {
                        Cell::Text(value) => value.as_deref(),
                        _ => None,
                    }
                }
                Arc::new(cells.map(value).collect::<StringArray>())
            }
            Type::Texts => {
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
