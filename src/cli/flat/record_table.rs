//! Records of any shape as a Parquet file: objects are groups, arrays lists. The types of all records are known before
//! the first is written, so the records wait in a temporary file.

use super::parquet::{Bytes, failed};
use super::record_type::RecordType;
use crate::json::{self, Data, Value};
use crate::model::{Problem, lossy};
use crate::source::Output;
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::sync::Arc;

/// Records of a group, and their bytes: one is written when either is reached.
const GROUP_ROWS: usize = 50_000;
const GROUP_BYTES: usize = 16 << 20;
/// What a list is called in Parquet, and what is in it.
const LIST: (&str, &str) = ("list", "element");

/// Records that wait for a Parquet file.
pub(in crate::cli) struct RecordTable {
    waiting: BufWriter<File>,
    all: RecordType,
    records: u64,
}

/// A column, or what columns are in.
enum Node {
    Leaf { column: usize, is_text: bool },
    Group(Vec<(String, Node)>, usize),
    List(Box<Node>, i16, usize),
}

/// The values of a column of a group of records.
enum Values {
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Float(Vec<f64>),
    Text(Vec<ByteArray>),
}

struct Column {
    values: Values,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    is_repeated: bool,
}

fn io_failed(error: std::io::Error) -> Problem {
    Problem::unreadable(format!("a temporary file cannot be used: {error}"))
}

impl RecordTable {
    /// None yet.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub(in crate::cli) fn new() -> Result<Self, Problem> {
        let file = tempfile::tempfile().map_err(io_failed)?;
        Ok(Self { waiting: BufWriter::new(file), all: RecordType::Group(Vec::new()), records: 0 })
    }

    /// Takes a record.
    ///
    /// # Errors
    /// It is no object, or the temporary file cannot be written.
    pub(in crate::cli) fn push(&mut self, record: &[u8]) -> Result<(), Problem> {
        let text = lossy(record);
        let number = self.records;
        let wrong =
            |what: &str| Problem::usage(format!("a row of Parquet is an object; record {number} of it is {what}"));
        let value = json::parse_lenient(&text).map_err(|_| wrong("not valid JSON"))?;
        if value.as_object().is_none() {
            return Err(wrong(value.type_name()));
        }
        self.all.add(&value);
        self.records += 1;
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes();
        self.waiting.write_all(&length).and_then(|()| self.waiting.write_all(text.as_bytes())).map_err(io_failed)
    }

    /// Writes the file; the places whose values are of several kinds, as JSON in texts.
    ///
    /// # Errors
    /// A file cannot be written or read.
    pub(in crate::cli) fn finish(self, output: Output) -> Result<(Output, Vec<String>), Problem> {
        let mut file = self.waiting.into_inner().map_err(|error| io_failed(error.into_error()))?;
        file.rewind().map_err(io_failed)?;
        // Records without any member have one column, of nothing.
        let members = match self.all {
            RecordType::Group(members) if !members.is_empty() => members,
            RecordType::Group(_) => vec![("record".to_owned(), RecordType::Nothing)],
            _ => return Err(Problem::usage("the records have too many members for the columns of Parquet")),
        };
        let all = RecordType::Group(members).settled();
        let RecordType::Group(members) = &all else { return Err(Problem::usage("the records have no members")) };
        let mut mixed = Vec::new();
        all.mixed("", &mut mixed);
        let mut columns = Vec::new();
        let nodes: Vec<(String, Node)> =
            members.iter().map(|(name, of)| (name.clone(), node(of, 0, &mut columns))).collect();
        let fields = members.iter().map(|(name, of)| field(name, of)).collect::<Result<Vec<TypePtr>, _>>();
        let schema = fields.and_then(|fields| Type::group_type_builder("record").with_fields(fields).build());
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = Arc::new(schema.map_err(failed)?);
        let mut writer = SerializedFileWriter::new(Bytes(output), schema, Arc::new(properties)).map_err(failed)?;
        let mut records = BufReader::new(file);
        let (mut rows, mut bytes) = (0, 0);
        while let Some(text) = next(&mut records)? {
            let value = json::parse_lenient(&text).map_err(|_| Problem::unreadable("a record is no longer valid"))?;
            nodes.iter().for_each(|(name, node)| put(node, value.get(name), (0, 0), &mut columns));
            (rows, bytes) = (rows + 1, bytes + text.len());
            if rows == GROUP_ROWS || bytes >= GROUP_BYTES {
                write_group(&mut writer, &mut columns)?;
                (rows, bytes) = (0, 0);
            }
        }
        if rows > 0 {
            write_group(&mut writer, &mut columns)?;
        }
        Ok((writer.into_inner().map_err(failed)?.0, mixed))
    }
}

/// The next record that waits.
fn next(records: &mut impl Read) -> Result<Option<String>, Problem> {
    let mut length = [0; 8];
    match records.read_exact(&mut length) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read.map_err(io_failed)?,
    }
    let mut text = Vec::new();
    records.take(u64::from_le_bytes(length)).read_to_end(&mut text).map_err(io_failed)?;
    String::from_utf8(text).map(Some).map_err(|_| Problem::unreadable("a record is no longer valid"))
}

/// The columns of a type; lists in lists repeat deeper.
fn node(of: &RecordType, repeated: i16, columns: &mut Vec<Column>) -> Node {
    match of {
        RecordType::Group(members) => {
            let inner = members.iter().map(|(name, of)| (name.clone(), node(of, repeated, columns))).collect();
            Node::Group(inner, columns.len())
        }
        RecordType::List(inner) => {
            let inner = node(inner, repeated + 1, columns);
            Node::List(Box::new(inner), repeated + 1, columns.len())
        }
        other => {
            let values = match other {
                RecordType::Bool => Values::Bool(Vec::new()),
                RecordType::Int(_) => Values::Int(Vec::new()),
                RecordType::Float => Values::Float(Vec::new()),
                _ => Values::Text(Vec::new()),
            };
            let is_text = matches!(values, Values::Text(_));
            let is_repeated = repeated > 0;
            columns.push(Column { values, definitions: Vec::new(), repetitions: Vec::new(), is_repeated });
            Node::Leaf { column: columns.len() - 1, is_text }
        }
    }
}

/// The columns of a node: they follow one another.
fn columns_of(node: &Node) -> std::ops::Range<usize> {
    match node {
        Node::Leaf { column, .. } => *column..column + 1,
        Node::Group(inner, end) => inner.first().map_or(*end, |(_, first)| columns_of(first).start)..*end,
        Node::List(inner, _, end) => columns_of(inner).start..*end,
    }
}

/// Puts a value into its columns: `definition` levels are there above it, `repetition` says which list goes on.
fn put(node: &Node, value: Option<&Value<'_>>, (definition, repetition): (i16, i16), columns: &mut [Column]) {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return put_nothing(node, (definition, repetition), columns);
    };
    match node {
        Node::Leaf { column, is_text } => {
            let column = &mut columns[*column];
            if column.values.push(value, *is_text) {
                column.level(definition + 1, repetition);
            } else {
                column.level(definition, repetition);
            }
        }
        Node::Group(inner, _) => {
            inner.iter().for_each(|(name, inner)| put(inner, value.get(name), (definition + 1, repetition), columns));
        }
        Node::List(inner, level, _) => {
            let items = value.as_array().unwrap_or_default();
            if items.is_empty() {
                return put_nothing(node, (definition + 1, repetition), columns);
            }
            for (number, item) in items.iter().enumerate() {
                let repetition = if number == 0 { repetition } else { *level };
                put(inner, Some(item), (definition + 2, repetition), columns);
            }
        }
    }
}

fn put_nothing(node: &Node, (definition, repetition): (i16, i16), columns: &mut [Column]) {
    columns_of(node).for_each(|column| columns[column].level(definition, repetition));
}

impl Column {
    fn level(&mut self, definition: i16, repetition: i16) {
        self.definitions.push(definition);
        self.repetitions.push(repetition);
    }
}

impl Values {
    /// Adds a value of the column's type; whether it is one.
    fn push(&mut self, value: &Value<'_>, is_text: bool) -> bool {
        match (self, &value.data) {
            (Self::Bool(all), Data::Bool(is_set)) => all.push(*is_set),
            (Self::Int(all), Data::Number) => match value.text.parse() {
                Ok(whole) => all.push(whole),
                Err(_) => return false,
            },
            (Self::Float(all), Data::Number) => match value.text.parse() {
                Ok(number) => all.push(number),
                Err(_) => return false,
            },
            (Self::Text(all), Data::String(text)) if is_text => all.push(ByteArray::from(&**text)),
            (Self::Text(all), _) => all.push(ByteArray::from(json::compact(value).as_str())),
            _ => return false,
        }
        true
    }
}

/// A place in the schema of Parquet. All may be missing.
fn field(name: &str, of: &RecordType) -> Result<TypePtr, ParquetError> {
    let primitive = |kind: PhysicalType| Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL);
    let built = match of {
        RecordType::Bool => primitive(PhysicalType::BOOLEAN).build(),
        RecordType::Int(_) => primitive(PhysicalType::INT64).build(),
        RecordType::Float => primitive(PhysicalType::DOUBLE).build(),
        RecordType::Group(members) => {
            let fields = members.iter().map(|(name, of)| field(name, of)).collect::<Result<_, _>>()?;
            Type::group_type_builder(name).with_repetition(Repetition::OPTIONAL).with_fields(fields).build()
        }
        RecordType::List(inner) => {
            let (list, element) = LIST;
            let repeated = Type::group_type_builder(list)
                .with_repetition(Repetition::REPEATED)
                .with_fields(vec![field(element, inner)?])
                .build()?;
            Type::group_type_builder(name)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::List))
                .with_fields(vec![Arc::new(repeated)])
                .build()
        }
        _ => primitive(PhysicalType::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)).build(),
    };
    built.map(Arc::new)
}

fn write_group(writer: &mut SerializedFileWriter<Bytes>, columns: &mut [Column]) -> Result<(), Problem> {
    let mut group = writer.next_row_group().map_err(failed)?;
    columns.iter_mut().try_for_each(|column| write_column(&mut group, column)).map_err(failed)?;
    group.close().map(drop).map_err(failed)
}

fn write_column(group: &mut SerializedRowGroupWriter<'_, Bytes>, column: &mut Column) -> Result<(), ParquetError> {
    let definitions = std::mem::take(&mut column.definitions);
    let repetitions = std::mem::take(&mut column.repetitions);
    let (definitions, repetitions) = (Some(&definitions[..]), column.is_repeated.then_some(&repetitions[..]));
    let Some(mut out) = group.next_column()? else { return Ok(()) };
    match &mut column.values {
        Values::Bool(all) => out.typed::<BoolType>().write_batch(&std::mem::take(all), definitions, repetitions)?,
        Values::Int(all) => out.typed::<Int64Type>().write_batch(&std::mem::take(all), definitions, repetitions)?,
        Values::Float(all) => out.typed::<DoubleType>().write_batch(&std::mem::take(all), definitions, repetitions)?,
        Values::Text(all) => {
            out.typed::<ByteArrayType>().write_batch(&std::mem::take(all), definitions, repetitions)?
        }
    };
    out.close()
}
