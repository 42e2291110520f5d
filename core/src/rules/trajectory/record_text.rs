//! D1: the JSON of a record.

use super::shape::RecordShape;
use crate::json::{self, Data, SyntaxError, Value};
use crate::model::{Finding, Record, RecordBody, Remark, Severity};

/// D8: members of a standardized or ATIF trajectory, without the messages of conversations: in these a text that is
/// null is something else than none (D17).
const COLUMNS: &[&str] = &["content", "details", "steps"];

/// The JSON of a record, or the finding that says why there is none.
pub type ReadRecord<'t> = Result<Value<'t>, Finding>;

/// D1, D8: reads the JSON of a record: of a row of columns without members that are null.
///
/// # Errors
/// The finding `adp.json`: it is cut off, no JSON, not UTF-8, or nested too deep.
pub fn read_text<'t>(record: &Record, text: &'t [u8]) -> ReadRecord<'t> {
    let unreadable = |message: String| {
        let (path, message) = (Some("".into()), message.into());
        Finding::new(record.number, None, Remark { path, rule: "adp.json", severity: Severity::Error, message })
    };
    let at = |byte: usize| record.place.span.offset + byte as u64;
    if let RecordBody::Broken(why) = &record.body {
        return Err(unreadable(format!("the record is not valid JSON: {why}")));
    }
    let text = std::str::from_utf8(text)
        .map_err(|e| unreadable(format!("the bytes are not UTF-8 at byte {}", at(e.valid_up_to()))))?;
    let parsed = if record.is_row { json::parse_without_nulls(text, COLUMNS) } else { json::parse(text) };
    let value = parsed
        .map_err(|e| unreadable(format!("the record is not valid JSON: {} at byte {}", e.message, at(e.byte))))?;
    match deep(&value) {
        Some(byte) => Err(unreadable(format!("the nesting is too deep at byte {}", at(byte)))),
        None => Ok(value),
    }
}

/// D8: reads a step of a record of that shape again.
///
/// # Errors
/// Its bytes are others by now.
pub fn read_step<'t>(text: &'t str, record: &Record, shape: RecordShape) -> Result<Value<'t>, SyntaxError> {
    let is_of_columns = record.is_row && matches!(shape, RecordShape::Std | RecordShape::Atif);
    if is_of_columns { json::parse_without_nulls(text, &[]) } else { json::parse(text) }
}

/// D1: where the nesting passes what is read.
fn deep(value: &Value<'_>) -> Option<usize> {
    match &value.data {
        Data::Deep => Some(value.start),
        Data::Array(items) => items.iter().find_map(deep),
        Data::Object(object) => object.members.iter().find_map(|m| deep(&m.value)),
        _ => None,
    }
}
