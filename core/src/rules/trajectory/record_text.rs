//! D1: the JSON of a record.

use crate::json::{self, Data, Value};
use crate::model::{Finding, Record, RecordBody, Remark, Severity};

/// D1: reads the JSON of a record.
///
/// # Errors
/// The finding `adp.json`: it is cut off, no JSON, not UTF-8, or nested too deep.
pub fn read_text<'t>(record: &Record, text: &'t [u8]) -> Result<Value<'t>, Finding> {
    let unreadable = |message: String| {
        let (path, message) = (Some("".into()), message.into());
        Finding::new(record.number, None, Remark { path, rule: "adp.json", severity: Severity::Error, message })
    };
    let at = |byte: usize| record.place.span.offset + byte as u64;
    if let RecordBody::Broken(why) = &record.body {
        return Err(unreadable(format!("the record is no JSON: {why}")));
    }
    let text = std::str::from_utf8(text)
        .map_err(|e| unreadable(format!("the bytes are not UTF-8 at byte {}", at(e.valid_up_to()))))?;
    let value = json::parse(text)
        .map_err(|e| unreadable(format!("the record is no JSON: {} at byte {}", e.message, at(e.byte))))?;
    match deep(&value) {
        Some(byte) => Err(unreadable(format!("the nesting is too deep at byte {}", at(byte)))),
        None => Ok(value),
    }
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
