//! Rows as a Parquet file: a page of each column for every 50,000 rows, compressed with Snappy.

use crate::model::Problem;
use crate::review::flat::{Cell, ColumnType, FlatSchema};
use crate::source::Output;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows of a group, which are held until it is full.
const GROUP_ROWS: usize = 50_000;

/// A file that takes its bytes as a writer does.
pub(super) struct Bytes(pub(super) Output);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|problem| io::Error::other(problem.message))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A Parquet file that is written.
pub(in crate::cli) struct Writer {
    schema: &'static FlatSchema,
    rows: Vec<Vec<Cell>>,
    file: SerializedFileWriter<Bytes>,
}

impl Writer {
    /// Begins the file.
    pub(super) fn new(schema: &'static FlatSchema, output: Output) -> Result<Self, Problem> {
        let message = parse_message_type(&message(schema)).map_err(failed)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = SerializedFileWriter::new(Bytes(output), Arc::new(message), Arc::new(properties)).map_err(failed)?;
        Ok(Self { schema, rows: Vec::new(), file })
    }

    /// Takes a row.
    pub(super) fn push(&mut self, row: Vec<Cell>) -> Result<(), Problem> {
        self.rows.push(row);
        if self.rows.len() < GROUP_ROWS { Ok(()) } else { self.group() }
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> Result<Output, Problem> {
        if !self.rows.is_empty() {
            self.group()?;
        }
        Ok(self.file.into_inner().map_err(failed)?.0)
    }

    fn group(&mut self) -> Result<(), Problem> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group().map_err(failed)?;
        for (number, (_, kind)) in self.schema.columns.iter().enumerate() {
            let cells = rows.iter().filter_map(|row| row.get(number));
            match kind {
                ColumnType::Int => column::<Int64Type>(&mut group, cells, |cell| match cell {
                    Cell::Int(value) => *value,
                    _ => None,
                }),
                ColumnType::Float => column::<DoubleType>(&mut group, cells, |cell| match cell {
                    Cell::Float(value) => *value,
                    _ => None,
                }),
                ColumnType::Text => column::<ByteArrayType>(&mut group, cells, |cell| match cell {
                    Cell::Text(value) => value.as_deref().map(ByteArray::from),
                    _ => None,
                }),
                ColumnType::Texts => lists(&mut group, cells),
            }
            .map_err(failed)?;
        }
        group.close().map(drop).map_err(failed)
    }
}

/// A column of values that may be missing: level 1 is a value, 0 none.
fn column<'c, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Bytes>,
    cells: impl Iterator<Item = &'c Cell>,
    value: impl Fn(&Cell) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let column_values: Vec<Option<T::T>> = cells.map(value).collect();
    let levels: Vec<i16> = column_values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = column_values.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

/// A column of lists: definition level 0 is an empty one; repetition level 0 begins a row.
fn lists<'c>(
    group: &mut SerializedRowGroupWriter<'_, Bytes>,
    cells: impl Iterator<Item = &'c Cell>,
) -> Result<(), ParquetError> {
    let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let Cell::Texts(texts) = cell else { continue };
        if texts.is_empty() {
            definitions.push(0);
            repetitions.push(0);
        }
        for (i, text) in texts.iter().enumerate() {
            values.push(ByteArray::from(text.as_str()));
            definitions.push(1);
            repetitions.push(i16::from(i > 0));
        }
    }
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<ByteArrayType>().write_batch(&values, Some(&definitions), Some(&repetitions))?;
    column.close()
}

/// The schema in the language of Parquet.
fn message(schema: &FlatSchema) -> String {
    let field = |(name, kind): &(&str, ColumnType)| match kind {
        ColumnType::Int => format!("OPTIONAL INT64 {name};"),
        ColumnType::Float => format!("OPTIONAL DOUBLE {name};"),
        ColumnType::Text => format!("OPTIONAL BYTE_ARRAY {name} (STRING);"),
        ColumnType::Texts => format!(
            "REQUIRED GROUP {name} (LIST) {{ REPEATED GROUP list {{ REQUIRED BYTE_ARRAY element (STRING); }} }}"
        ),
    };
    let fields: String = schema.columns.iter().map(field).collect();
    format!("message {} {{ {fields} }}", schema.name)
}

pub(super) fn failed(e: ParquetError) -> Problem {
    Problem::unreadable(format!("a Parquet file cannot be written: {e}"))
}
