//! Values of Parquet files as JSON: bytes become base64, times and decimals their text, numbers that JSON does not have
//! `null`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquet::record::Field;
use serde::Serialize;
use std::io;

/// Writes a text.
pub(super) fn text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    json(out, text)
}

/// Writes a time in nanoseconds as those in microseconds are written.
pub(super) fn nanoseconds(out: &mut Vec<u8>, time: i64) -> io::Result<()> {
    let micros = Field::TimestampMicros(time.div_euclid(1000)).to_string();
    match micros.split_once(' ').and_then(|(day, rest)| Some((day, rest.split_once(' ')?))) {
        Some((day, (clock, zone))) => json(out, &format!("{day} {clock}{:03} {zone}", time.rem_euclid(1000))),
        None => json(out, &micros),
    }
}

/// Makes a key of what was written from a byte on: JSON has only texts as keys.
pub(super) fn make_key(out: &mut Vec<u8>, from: usize) -> io::Result<()> {
    if out.get(from) == Some(&b'"') {
        return Ok(());
    }
    let key = String::from_utf8_lossy(&out.split_off(from)).into_owned();
    json(out, &key)
}

fn json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    Ok(serde_json::to_writer(out, value)?)
}

/// Writes a value of a column.
pub(super) fn field(out: &mut Vec<u8>, value: &Field) -> io::Result<()> {
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
        // Columns have none; the assembly makes them.
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => out.extend_from_slice(b"null"),
        Field::Decimal(_)
        | Field::Date(_)
        | Field::TimeMillis(_)
        | Field::TimeMicros(_)
        | Field::TimestampMillis(_)
        | Field::TimestampMicros(_) => json(out, &value.to_string())?,
    }
    Ok(())
}
