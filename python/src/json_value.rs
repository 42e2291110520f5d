//! Values of Arrow arrays as JSON, written as the program writes those of a Parquet file: a row of a table and the same
//! row in a file have one text, and so one digest. Bytes become base64; times and decimals their text, as JSON has no
//! type for them; numbers that JSON does not have `null`.

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_date, as_datetime, as_time};
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use std::ops::Range;

/// Writes a row of a struct as an object.
pub(crate) fn object(out: &mut Vec<u8>, of: &StructArray, row: usize) -> Result<(), ArrowError> {
    out.push(b'{');
    for (number, (field, column)) in of.fields().iter().zip(of.columns()).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        json(out, field.name().as_str())?;
        out.push(b':');
        value(out, column, row)?;
    }
    out.push(b'}');
    Ok(())
}

fn json(out: &mut Vec<u8>, value: impl Serialize) -> Result<(), ArrowError> {
    serde_json::to_writer(out, &value).map_err(|e| ArrowError::JsonError(e.to_string()))
}

fn number<T: ArrowPrimitiveType<Native: Serialize>>(
    out: &mut Vec<u8>,
    array: &dyn Array,
    row: usize,
) -> Result<(), ArrowError> {
    json(out, array.as_primitive::<T>().value(row))
}

fn float(out: &mut Vec<u8>, value: impl Into<f64>) -> Result<(), ArrowError> {
    json(out, value.into())
}

fn decimal<T: DecimalType>(out: &mut Vec<u8>, array: &dyn Array, row: usize) -> Result<(), ArrowError> {
    json(out, array.as_primitive::<T>().value_as_string(row))
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), ArrowError> {
    json(out, BASE64_STANDARD.encode(bytes))
}

/// A value, or `null`.
fn value(out: &mut Vec<u8>, array: &ArrayRef, row: usize) -> Result<(), ArrowError> {
    if array.is_null(row) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    match array.data_type() {
        DataType::Null => out.extend_from_slice(b"null"),
        DataType::Boolean => json(out, array.as_boolean().value(row))?,
        DataType::Int8 => number::<Int8Type>(out, array, row)?,
        DataType::Int16 => number::<Int16Type>(out, array, row)?,
        DataType::Int32 => number::<Int32Type>(out, array, row)?,
        DataType::Int64 => number::<Int64Type>(out, array, row)?,
        DataType::UInt8 => number::<UInt8Type>(out, array, row)?,
        DataType::UInt16 => number::<UInt16Type>(out, array, row)?,
        DataType::UInt32 => number::<UInt32Type>(out, array, row)?,
        DataType::UInt64 => number::<UInt64Type>(out, array, row)?,
        DataType::Float16 => float(out, array.as_primitive::<Float16Type>().value(row))?,
        DataType::Float32 => float(out, array.as_primitive::<Float32Type>().value(row))?,
        DataType::Float64 => float(out, array.as_primitive::<Float64Type>().value(row))?,
        DataType::Utf8 => json(out, array.as_string::<i32>().value(row))?,
        DataType::LargeUtf8 => json(out, array.as_string::<i64>().value(row))?,
        DataType::Utf8View => json(out, array.as_string_view().value(row))?,
        DataType::Binary => bytes(out, array.as_binary::<i32>().value(row))?,
        DataType::LargeBinary => bytes(out, array.as_binary::<i64>().value(row))?,
        DataType::BinaryView => bytes(out, array.as_binary_view().value(row))?,
        DataType::FixedSizeBinary(_) => bytes(out, array.as_fixed_size_binary().value(row))?,
        DataType::Decimal32(..) => decimal::<Decimal32Type>(out, array, row)?,
        DataType::Decimal64(..) => decimal::<Decimal64Type>(out, array, row)?,
        DataType::Decimal128(..) => decimal::<Decimal128Type>(out, array, row)?,
        DataType::Decimal256(..) => decimal::<Decimal256Type>(out, array, row)?,
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) | DataType::Timestamp(..) => {
            json(out, time(array, row))?;
        }
        DataType::Struct(_) => object(out, array.as_struct(), row)?,
        DataType::Dictionary(..) => {
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            match dictionary.normalized_keys().first() {
                Some(key) => value(out, dictionary.values(), *key)?,
                None => out.extend_from_slice(b"null"),
            }
        }
        _ => nested(out, array, row)?,
    }
    Ok(())
}

fn nested(out: &mut Vec<u8>, array: &ArrayRef, row: usize) -> Result<(), ArrowError> {
    let item = |from: usize, length: usize| from..from + length;
    match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let offsets = lists.value_offsets();
            list(out, lists.values(), offsets[row] as usize..offsets[row + 1] as usize)
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let offsets = lists.value_offsets();
            list(out, lists.values(), offsets[row] as usize..offsets[row + 1] as usize)
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            list(out, lists.values(), item(lists.value_offset(row) as usize, lists.value_size(row) as usize))
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            list(out, lists.values(), item(lists.value_offset(row) as usize, lists.value_size(row) as usize))
        }
        DataType::FixedSizeList(..) => {
            let values = array.as_fixed_size_list().value(row);
            list(out, &values, 0..values.len())
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            let offsets = maps.value_offsets();
            map(out, (maps.keys(), maps.values()), offsets[row] as usize..offsets[row + 1] as usize)
        }
        other => Err(ArrowError::NotYetImplemented(format!("values of type {other} have no JSON"))),
    }
}

fn list(out: &mut Vec<u8>, values: &ArrayRef, rows: Range<usize>) -> Result<(), ArrowError> {
    out.push(b'[');
    for row in rows.clone() {
        if row > rows.start {
            out.push(b',');
        }
        value(out, values, row)?;
    }
    out.push(b']');
    Ok(())
}

/// Keys that are no texts become texts, as JSON has no others.
fn map(out: &mut Vec<u8>, (keys, values): (&ArrayRef, &ArrayRef), rows: Range<usize>) -> Result<(), ArrowError> {
    out.push(b'{');
    let mut key = Vec::new();
    for row in rows.clone() {
        if row > rows.start {
            out.push(b',');
        }
        key.clear();
        value(&mut key, keys, row)?;
        if key.first() == Some(&b'"') {
            out.extend_from_slice(&key);
        } else {
            json(out, String::from_utf8_lossy(&key))?;
        }
        out.push(b':');
        value(out, values, row)?;
    }
    out.push(b'}');
    Ok(())
}

/// The text of a date, a time of day, or a time in UTC; None: it is out of range.
fn time(array: &ArrayRef, row: usize) -> Option<String> {
    fn stamp<T: ArrowTimestampType>(array: &ArrayRef, row: usize, format: &str) -> Option<String> {
        let time = as_datetime::<T>(array.as_primitive::<T>().value(row))?;
        Some(time.format(format).to_string())
    }
    fn day<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef, row: usize) -> Option<String> {
        Some(as_date::<T>(array.as_primitive::<T>().value(row).into())?.format("%Y-%m-%d").to_string())
    }
    fn clock<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef, row: usize, format: &str) -> Option<String> {
        Some(as_time::<T>(array.as_primitive::<T>().value(row).into())?.format(format).to_string())
    }
    match array.data_type() {
        DataType::Date32 => day::<Date32Type>(array, row),
        DataType::Date64 => day::<Date64Type>(array, row),
        DataType::Time32(TimeUnit::Second) => clock::<Time32SecondType>(array, row, "%H:%M:%S"),
        DataType::Time32(_) => clock::<Time32MillisecondType>(array, row, "%H:%M:%S%.3f"),
        DataType::Time64(TimeUnit::Nanosecond) => clock::<Time64NanosecondType>(array, row, "%H:%M:%S%.9f"),
        DataType::Time64(_) => clock::<Time64MicrosecondType>(array, row, "%H:%M:%S%.6f"),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => stamp::<TimestampSecondType>(array, row, "%Y-%m-%d %H:%M:%S +00:00"),
            TimeUnit::Millisecond => stamp::<TimestampMillisecondType>(array, row, "%Y-%m-%d %H:%M:%S%.3f +00:00"),
            TimeUnit::Microsecond => stamp::<TimestampMicrosecondType>(array, row, "%Y-%m-%d %H:%M:%S%.6f +00:00"),
            TimeUnit::Nanosecond => stamp::<TimestampNanosecondType>(array, row, "%Y-%m-%d %H:%M:%S%.9f +00:00"),
        },
        _ => None,
    }
}
