//! Rows of a row group, assembled from its columns as JSON.
//!
//! A column of Parquet is a list of values with two levels each: the definition level says how many of the optional and
//! repeated groups around a value are present, the repetition level at which of the repeated ones a new element begins.
//! A tree that mirrors the schema reads the columns side by side and writes each row as it goes.

use super::values::{self, CellType};
use parquet::basic::{ConvertedType, Repetition};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{ColumnDescPtr, Type};
use std::ops::Range;

/// Rows of a group that are read at once.
const BATCH_ROWS: usize = 64;

/// The rows of a row group.
pub(super) struct Rows {
    tree: Vec<Member>,
    columns: Vec<Column>,
    /// Rows that are not written yet.
    left: u64,
    /// Of these, rows whose values were read.
    read: usize,
}

impl Rows {
    /// Of `count` rows, in columns of these types, in the order of the schema.
    pub(super) fn new(schema: &Type, columns: Vec<(ColumnDescPtr, Box<dyn PageReader>)>, count: i64) -> Self {
        let (tree, _) = members(schema, Levels::default(), 0);
        let columns = columns.into_iter().map(|(described, pages)| Column::new(described, pages)).collect();
        Self { tree, columns, left: u64::try_from(count).unwrap_or(0), read: 0 }
    }

    /// Writes the next row as an object; false at the end.
    ///
    /// # Errors
    /// The columns are damaged.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        if self.read == 0 {
            self.read = usize::try_from(self.left).unwrap_or(BATCH_ROWS).min(BATCH_ROWS);
            self.columns.iter_mut().try_for_each(|column| column.read(self.read))?;
        }
        object(out, &self.tree, &mut self.columns)?;
        self.read -= 1;
        self.left -= 1;
        Ok(true)
    }
}

/// A column: some of its values with their levels, and the place in them.
struct Column {
    described: ColumnDescPtr,
    meaning: CellType,
    reader: ColumnReader,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    values: Values,
    /// Levels and values of these that were passed.
    level: usize,
    value: usize,
    /// Levels that were read.
    levels: usize,
}

/// Values of a column, of its physical type.
#[derive(Default)]
struct Values {
    bools: Vec<bool>,
    int32s: Vec<i32>,
    int64s: Vec<i64>,
    int96s: Vec<Int96>,
    floats: Vec<f32>,
    doubles: Vec<f64>,
    bytes: Vec<ByteArray>,
    fixed: Vec<FixedLenByteArray>,
}

impl Column {
    fn new(described: ColumnDescPtr, pages: Box<dyn PageReader>) -> Self {
        let meaning = CellType::of(&described);
        let reader = get_column_reader(described.clone(), pages);
        let (definitions, repetitions, values) = (Vec::new(), Vec::new(), Values::default());
        Self { described, meaning, reader, definitions, repetitions, values, level: 0, value: 0, levels: 0 }
    }

    /// Reads the values of the next `rows` rows, in place of those before.
    fn read(&mut self, rows: usize) -> Result<()> {
        self.definitions.clear();
        self.repetitions.clear();
        (self.level, self.value) = (0, 0);
        let (definitions, repetitions) = (Some(&mut self.definitions), Some(&mut self.repetitions));
        macro_rules! read {
            ($reader:expr, $values:ident) => {{
                self.values.$values.clear();
                $reader.read_records(rows, definitions, repetitions, &mut self.values.$values)?
            }};
        }
        let (read, _, levels) = match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => read!(reader, bools),
            ColumnReader::Int32ColumnReader(reader) => read!(reader, int32s),
            ColumnReader::Int64ColumnReader(reader) => read!(reader, int64s),
            ColumnReader::Int96ColumnReader(reader) => read!(reader, int96s),
            ColumnReader::FloatColumnReader(reader) => read!(reader, floats),
            ColumnReader::DoubleColumnReader(reader) => read!(reader, doubles),
            ColumnReader::ByteArrayColumnReader(reader) => read!(reader, bytes),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => read!(reader, fixed),
        };
        self.levels = levels;
        if read == rows { Ok(()) } else { Err(self.damaged("it has too few rows")) }
    }

    fn damaged(&self, why: &str) -> ParquetError {
        ParquetError::General(format!("the column {} is damaged: {why}", self.described.path()))
    }

    /// The definition level of the next value; of a column that has none, all is present.
    fn definition(&self) -> i16 {
        if self.described.max_def_level() == 0 {
            return 0;
        }
        self.definitions.get(self.level).copied().unwrap_or(0)
    }

    /// The repetition level of the next value: 0 begins a row.
    fn repetition(&self) -> i16 {
        self.repetitions.get(self.level).copied().unwrap_or(0)
    }

    /// Passes the next value; where it is if there is one.
    fn pass(&mut self) -> Option<usize> {
        let is_present = self.level < self.levels && self.definition() == self.described.max_def_level();
        self.level += 1;
        is_present.then(|| {
            self.value += 1;
            self.value - 1
        })
    }

    /// Passes the next value and writes it.
    fn write(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let Some(at) = self.pass() else {
            out.extend_from_slice(b"null");
            return Ok(());
        };
        let (described, meaning, values) = (&self.described, self.meaning, &self.values);
        let missing =
            || ParquetError::General(format!("the column {} is damaged: it has too few values", described.path()));
        macro_rules! value {
            ($values:ident) => {
                *values.$values.get(at).ok_or_else(missing)?
            };
        }
        match &self.reader {
            ColumnReader::BoolColumnReader(_) => values::bool(out, value!(bools)),
            ColumnReader::Int32ColumnReader(_) => meaning.write_int32(out, value!(int32s)),
            ColumnReader::Int64ColumnReader(_) => meaning.write_int64(out, value!(int64s)),
            ColumnReader::Int96ColumnReader(_) => values::int96(out, value!(int96s)),
            ColumnReader::FloatColumnReader(_) => values::float(out, value!(floats).into()),
            ColumnReader::DoubleColumnReader(_) => values::float(out, value!(doubles)),
            ColumnReader::ByteArrayColumnReader(_) => {
                meaning.write_bytes(out, values.bytes.get(at).ok_or_else(missing)?.data())
            }
            ColumnReader::FixedLenByteArrayColumnReader(_) => {
                meaning.write_bytes(out, values.fixed.get(at).ok_or_else(missing)?.data())
            }
        }
        .map_err(ParquetError::from)
    }
}

/// A member of an object.
struct Member {
    /// Its name as JSON, with the colon.
    name: Vec<u8>,
    node: Node,
}

/// A part of the schema, with the columns below it.
struct Node {
    columns: Range<usize>,
    /// The value is null where the definition level is not above this one.
    null_at: Option<i16>,
    kind: Kind,
}

enum Kind {
    Value,
    Object(Vec<Member>),
    List(Levels, Box<Node>),
    Map(Levels, Box<Node>, Box<Node>),
}

/// The levels of what surrounds a part of the schema.
#[derive(Debug, Clone, Copy, Default)]
struct Levels {
    definition: i16,
    repetition: i16,
}

impl Levels {
    /// The levels of an element of a list or map that has these levels.
    fn element(self) -> Self {
        Self { definition: self.definition + 1, repetition: self.repetition + 1 }
    }
}

/// The members of a group whose first column is `first`, and the column after its last.
fn members(group: &Type, levels: Levels, first: usize) -> (Vec<Member>, usize) {
    let mut end = first;
    let member = |field: &std::sync::Arc<Type>| {
        let node = node(field, levels, end);
        end = node.columns.end;
        let mut name = Vec::new();
        // A text always has JSON.
        let _ = values::text(&mut name, field.name());
        name.push(b':');
        Member { name, node }
    };
    let members = group.get_fields().iter().map(member).collect();
    (members, end)
}

/// A field of the schema whose first column is `first`, inside of what has these levels.
fn node(field: &Type, levels: Levels, first: usize) -> Node {
    let info = field.get_basic_info();
    let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
    match repetition {
        Repetition::REQUIRED => present(field, levels, first),
        Repetition::OPTIONAL => {
            let inside = Levels { definition: levels.definition + 1, ..levels };
            Node { null_at: Some(levels.definition), ..present(field, inside, first) }
        }
        // A repeated field that no list surrounds is a list of what it is.
        Repetition::REPEATED => list(levels, present(field, levels.element(), first)),
    }
}

/// A field that is present, at these levels.
fn present(field: &Type, levels: Levels, first: usize) -> Node {
    if field.is_primitive() {
        return Node { columns: first..first + 1, null_at: None, kind: Kind::Value };
    }
    let repeated = match field.get_fields() {
        [only] if only.get_basic_info().has_repetition() => {
            Some(only).filter(|only| only.get_basic_info().repetition() == Repetition::REPEATED)
        }
        _ => None,
    };
    match (field.get_basic_info().converted_type(), repeated) {
        (ConvertedType::LIST, Some(repeated)) => {
            let element = match element(repeated) {
                Some(element) => node(element, levels.element(), first),
                None => present(repeated, levels.element(), first),
            };
            list(levels, element)
        }
        (ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE, Some(entry)) if !entry.is_primitive() => {
            match entry.get_fields() {
                [key, value] => {
                    let key = node(key, levels.element(), first);
                    let value = node(value, levels.element(), key.columns.end);
                    let columns = first..value.columns.end;
                    Node { columns, null_at: None, kind: Kind::Map(levels, Box::new(key), Box::new(value)) }
                }
                // A map without values is a list of its keys.
                [key] => list(levels, node(key, levels.element(), first)),
                _ => list(levels, present(entry, levels.element(), first)),
            }
        }
        _ => {
            let (members, end) = members(field, levels, first);
            Node { columns: first..end, null_at: None, kind: Kind::Object(members) }
        }
    }
}

fn list(levels: Levels, element: Node) -> Node {
    Node { columns: element.columns.clone(), null_at: None, kind: Kind::List(levels, Box::new(element)) }
}

/// The element of a list, inside of its repeated group; None: the repeated field is the element itself, as writers made
/// it once (the rules of the Parquet format for backward compatibility).
fn element(repeated: &Type) -> Option<&Type> {
    if repeated.is_primitive() {
        return None;
    }
    let [only] = repeated.get_fields() else { return None };
    let is_repeated =
        only.get_basic_info().has_repetition() && only.get_basic_info().repetition() == Repetition::REPEATED;
    if repeated.get_basic_info().converted_type() == ConvertedType::LIST || is_repeated {
        return Some(only);
    }
    let is_element = matches!(repeated.name(), "array") || repeated.name().ends_with("_tuple");
    (!is_element).then_some(only)
}

fn object(out: &mut Vec<u8>, members: &[Member], columns: &mut [Column]) -> Result<()> {
    out.push(b'{');
    for (number, member) in members.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&member.name);
        member.node.write(out, columns)?;
    }
    out.push(b'}');
    Ok(())
}

impl Node {
    /// Passes the next value and writes it.
    fn write(&self, out: &mut Vec<u8>, columns: &mut [Column]) -> Result<()> {
        if self.null_at.is_some_and(|level| self.definition(columns) <= level) {
            self.pass(columns);
            out.extend_from_slice(b"null");
            return Ok(());
        }
        match &self.kind {
            Kind::Value => match columns.get_mut(self.columns.start) {
                Some(column) => column.write(out),
                None => Err(ParquetError::General("a column is missing".to_owned())),
            },
            Kind::Object(members) => object(out, members, columns),
            Kind::List(levels, element) => {
                self.write_elements(out, columns, *levels, b"[]", |out, columns| element.write(out, columns))
            }
            Kind::Map(levels, key, value) => self.write_elements(out, columns, *levels, b"{}", |out, columns| {
                let from = out.len();
                key.write(out, columns)?;
                values::make_key(out, from).map_err(ParquetError::from)?;
                out.push(b':');
                value.write(out, columns)
            }),
        }
    }

    /// Writes the elements of a list or map of these levels, between two brackets.
    fn write_elements(
        &self,
        out: &mut Vec<u8>,
        columns: &mut [Column],
        levels: Levels,
        brackets: &[u8; 2],
        mut write: impl FnMut(&mut Vec<u8>, &mut [Column]) -> Result<()>,
    ) -> Result<()> {
        out.push(brackets[0]);
        if self.definition(columns) > levels.definition {
            loop {
                write(out, columns)?;
                if self.first(columns).is_none_or(|column| column.repetition() <= levels.repetition) {
                    break;
                }
                out.push(b',');
            }
        } else {
            self.pass(columns);
        }
        out.push(brackets[1]);
        Ok(())
    }

    fn first<'c>(&self, columns: &'c [Column]) -> Option<&'c Column> {
        columns.get(self.columns.clone())?.first()
    }

    /// The definition level of the next value, which the first column below has as well as the others.
    fn definition(&self, columns: &[Column]) -> i16 {
        self.first(columns).map_or(0, Column::definition)
    }

    /// Passes a value that is not there.
    fn pass(&self, columns: &mut [Column]) {
        for column in columns.get_mut(self.columns.clone()).unwrap_or_default() {
            column.pass();
        }
    }
}
