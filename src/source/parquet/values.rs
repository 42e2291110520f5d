//! Rows of Parquet files as JSON: bytes become base64, times and decimals their text, numbers that JSON has not `null`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquet::record::{Field, Row};
use serde::Serialize;
use std::io;

/// Writes a row as an object with its columns as members.
pub(super) fn write(out: &mut Vec<u8>, row: &Row) -> io::Result<()> {
    out.push(b'{');
    for (number, (name, value)) in row.get_column_iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        json(out, name)?;
        out.push(b':');
        field(out, value)?;
    }
    out.push(b'}');
    Ok(())
}

fn json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    Ok(serde_json::to_writer(out, value)?)
}

fn field(out: &mut Vec<u8>, value: &Field) -> io::Result<()> {
    match value {
        Field::Null => out.extend_from_slice(b"null"),
        Field::Bool(value) => json(out, value)?,
        Field::Byte(value) => json(out, value)?,
        Field::Short(value) => json(out, value)?,
        Field::Int(value) => json(out, value)?,
        Field::Long(value) => json(out, value)?,
        Field::UByte(value) => json(out, value)?,
        Field::UShort(value) => json(out, value)?,
        Field::UInt(value) => json(out, value)?,
        Field::ULong(value) => json(out, value)?,
        Field::Float16(value) => json(out, &f64::from(*value))?,
        Field::Float(value) => json(out, &f64::from(*value))?,
        Field::Double(value) => json(out, value)?,
        Field::Str(text) => json(out, text)?,
        Field::Bytes(bytes) => json(out, &BASE64_STANDARD.encode(bytes.data()))?,
        Field::Group(row) => write(out, row)?,
        Field::ListInternal(list) => {
            out.push(b'[');
            for (number, value) in list.elements().iter().enumerate() {
                if number > 0 {
                    out.push(b',');
                }
                field(out, value)?;
            }
            out.push(b']');
        }
        Field::MapInternal(map) => {
            out.push(b'{');
            for (number, (key, value)) in map.entries().iter().enumerate() {
                if number > 0 {
                    out.push(b',');
                }
                self::key(out, key)?;
                out.push(b':');
                field(out, value)?;
            }
            out.push(b'}');
        }
        Field::Decimal(_)
        | Field::Date(_)
        | Field::TimeMillis(_)
        | Field::TimeMicros(_)
        | Field::TimestampMillis(_)
        | Field::TimestampMicros(_) => json(out, &value.to_string())?,
    }
    Ok(())
}

/// A key of a map; JSON has only texts.
fn key(out: &mut Vec<u8>, key: &Field) -> io::Result<()> {
    match key {
        Field::Str(_) | Field::Bytes(_) => field(out, key),
        other => {
            let mut text = Vec::new();
            field(&mut text, other)?;
            let text = String::from_utf8_lossy(&text);
            json(out, text.trim_matches('"'))
        }
    }
}
