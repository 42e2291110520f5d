//! Values of Arrow arrays as JSON, written as the program writes those of a Parquet file: a row of a table and the same
//! row in a file have one text, and so one digest. Bytes become base64; times and decimals their text, as
//! [`obelus_core::json`] writes those of typed columns; numbers that JSON does not have `null`.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericStringArray, OffsetSizeTrait, StructArray};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use obelus_core::json::{SecondPart, write_date, write_decimal, write_text, write_time, write_timestamp};
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

/// Writes a text. One that comes from a file may be none.
fn text<O: OffsetSizeTrait>(out: &mut Vec<u8>, array: &GenericStringArray<O>, row: usize) -> Result<(), ArrowError> {
    let offsets = array.value_offsets();
    let bytes = &array.value_data()[offsets[row].as_usize()..offsets[row + 1].as_usize()];
    match std::str::from_utf8(bytes) {
        Ok(text) => json(out, text),
        Err(_) => {
            write_text(out, bytes);
            Ok(())
        }
    }
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
        DataType::Utf8 => text(out, array.as_string::<i32>(), row)?,
        DataType::LargeUtf8 => text(out, array.as_string::<i64>(), row)?,
        DataType::Utf8View => json(out, array.as_string_view().value(row))?,
        DataType::Binary => bytes(out, array.as_binary::<i32>().value(row))?,
        DataType::LargeBinary => bytes(out, array.as_binary::<i64>().value(row))?,
        DataType::BinaryView => bytes(out, array.as_binary_view().value(row))?,
        DataType::FixedSizeBinary(_) => bytes(out, array.as_fixed_size_binary().value(row))?,
        DataType::Decimal32(_, scale) => {
            write_decimal(out, &array.as_primitive::<Decimal32Type>().value(row).to_be_bytes(), (*scale).into());
        }
        DataType::Decimal64(_, scale) => {
            write_decimal(out, &array.as_primitive::<Decimal64Type>().value(row).to_be_bytes(), (*scale).into());
        }
        DataType::Decimal128(_, scale) => {
            write_decimal(out, &array.as_primitive::<Decimal128Type>().value(row).to_be_bytes(), (*scale).into());
        }
        DataType::Decimal256(_, scale) => {
            write_decimal(out, &array.as_primitive::<Decimal256Type>().value(row).to_be_bytes(), (*scale).into());
        }
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) | DataType::Timestamp(..) => {
            time(out, array, row);
        }
        DataType::Duration(_) => duration(out, array, row)?,
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

/// Writes a date, a time of day or a timestamp. Parquet has no seconds to count in, so they are thousandths.
fn time(out: &mut Vec<u8>, array: &ArrayRef, row: usize) {
    fn count<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef, row: usize) -> i64 {
        array.as_primitive::<T>().value(row).into()
    }
    fn stamp<T: ArrowTimestampType>(out: &mut Vec<u8>, array: &ArrayRef, row: usize, unit: SecondPart) {
        let factor = if T::UNIT == TimeUnit::Second { 1000 } else { 1 };
        let is_utc = matches!(array.data_type(), DataType::Timestamp(_, Some(_)));
        write_timestamp(out, i128::from(count::<T>(array, row)) * factor, unit, is_utc);
    }
    match array.data_type() {
        DataType::Date32 => write_date(out, count::<Date32Type>(array, row)),
        DataType::Date64 => write_date(out, count::<Date64Type>(array, row) / 86_400_000),
        DataType::Time32(TimeUnit::Second) => {
            write_time(out, count::<Time32SecondType>(array, row) * 1000, SecondPart::Millis);
        }
        DataType::Time32(_) => write_time(out, count::<Time32MillisecondType>(array, row), SecondPart::Millis),
        DataType::Time64(TimeUnit::Nanosecond) => {
            write_time(out, count::<Time64NanosecondType>(array, row), SecondPart::Nanos);
        }
        DataType::Time64(_) => write_time(out, count::<Time64MicrosecondType>(array, row), SecondPart::Micros),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => stamp::<TimestampSecondType>(out, array, row, SecondPart::Millis),
            TimeUnit::Millisecond => stamp::<TimestampMillisecondType>(out, array, row, SecondPart::Millis),
            TimeUnit::Microsecond => stamp::<TimestampMicrosecondType>(out, array, row, SecondPart::Micros),
            TimeUnit::Nanosecond => stamp::<TimestampNanosecondType>(out, array, row, SecondPart::Nanos),
        },
        _ => out.extend_from_slice(b"null"),
    }
}

/// Writes a span of time: Parquet has none, so it is the number that a file holds.
fn duration(out: &mut Vec<u8>, array: &ArrayRef, row: usize) -> Result<(), ArrowError> {
    match array.data_type() {
        DataType::Duration(TimeUnit::Second) => number::<DurationSecondType>(out, array, row),
        DataType::Duration(TimeUnit::Millisecond) => number::<DurationMillisecondType>(out, array, row),
        DataType::Duration(TimeUnit::Microsecond) => number::<DurationMicrosecondType>(out, array, row),
        _ => number::<DurationNanosecondType>(out, array, row),
    }
}
