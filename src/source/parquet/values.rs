//! Values of Parquet files as JSON: bytes become base64; dates, times and decimals their text, as [`crate::json`] has
//! those of typed columns; numbers that JSON does not have `null`.

use crate::json::{SecondPart, write_date, write_decimal, write_text, write_time, write_timestamp};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::data_type::Int96;
use parquet::schema::types::ColumnDescriptor;
use serde::Serialize;
use std::io;

/// Julian day of 1970-01-01, and nanoseconds of a day: what the oldest times count in.
const JULIAN_1970: i128 = 2_440_588;
const DAY_NANOS: i128 = 86_400 * 1_000_000_000;

/// What the values of a column mean, beside their physical type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellType {
    /// Numbers, or bytes.
    Plain,
    /// Whole numbers of a number of bits.
    Signed(u8),
    Unsigned(u8),
    Date,
    Time(SecondPart),
    /// Whether it counts in UTC.
    Timestamp(SecondPart, bool),
    /// Digits behind the point.
    Decimal(i32),
    Text,
    Float16,
}

impl CellType {
    /// That of a column. Older files say it by a converted type; a time of theirs is on no known clock, as writers used
    /// it for either.
    pub(super) fn of(described: &ColumnDescriptor) -> Self {
        match described.logical_type_ref() {
            Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) => Self::Text,
            Some(LogicalType::Decimal(_)) => Self::Decimal(described.type_scale()),
            Some(LogicalType::Date) => Self::Date,
            Some(LogicalType::Time(time)) => Self::Time(part(time.unit)),
            Some(LogicalType::Timestamp(time)) => Self::Timestamp(part(time.unit), time.is_adjusted_to_u_t_c),
            Some(LogicalType::Integer(int)) => {
                let bits = u8::try_from(int.bit_width).unwrap_or(64);
                if int.is_signed { Self::Signed(bits) } else { Self::Unsigned(bits) }
            }
            Some(LogicalType::Float16) => Self::Float16,
            Some(_) => Self::Plain,
            None => Self::converted(described),
        }
    }

    fn converted(described: &ColumnDescriptor) -> Self {
        match described.converted_type() {
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Self::Text,
            ConvertedType::DECIMAL => Self::Decimal(described.type_scale()),
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIME_MILLIS => Self::Time(SecondPart::Millis),
            ConvertedType::TIME_MICROS => Self::Time(SecondPart::Micros),
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp(SecondPart::Millis, false),
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp(SecondPart::Micros, false),
            ConvertedType::INT_8 => Self::Signed(8),
            ConvertedType::INT_16 => Self::Signed(16),
            ConvertedType::UINT_8 => Self::Unsigned(8),
            ConvertedType::UINT_16 => Self::Unsigned(16),
            ConvertedType::UINT_32 => Self::Unsigned(32),
            ConvertedType::UINT_64 => Self::Unsigned(64),
            _ => Self::Plain,
        }
    }

    pub(super) fn write_int32(self, out: &mut Vec<u8>, value: i32) -> io::Result<()> {
        let [low, next, ..] = value.to_le_bytes();
        match self {
            // A number that does not fit is cut off, as by every reader that has such a type.
            Self::Signed(8) => json(out, &low.cast_signed()),
            Self::Signed(16) => json(out, &i16::from_le_bytes([low, next])),
            Self::Unsigned(8) => json(out, &low),
            Self::Unsigned(16) => json(out, &u16::from_le_bytes([low, next])),
            Self::Unsigned(_) => json(out, &value.cast_unsigned()),
            _ => self.write_int64(out, value.into()),
        }
    }

    pub(super) fn write_int64(self, out: &mut Vec<u8>, value: i64) -> io::Result<()> {
        match self {
            Self::Date => write_date(out, value),
            Self::Time(unit) => write_time(out, value, unit),
            Self::Timestamp(unit, is_utc) => write_timestamp(out, value.into(), unit, is_utc),
            Self::Decimal(scale) => write_decimal(out, &value.to_be_bytes(), scale),
            Self::Unsigned(_) => json(out, &value.cast_unsigned())?,
            _ => json(out, &value)?,
        }
        Ok(())
    }

    /// Writes a value of bytes.
    pub(super) fn write_bytes(self, out: &mut Vec<u8>, bytes: &[u8]) -> io::Result<()> {
        match (self, bytes) {
            (Self::Text, _) => match std::str::from_utf8(bytes) {
                Ok(valid) => text(out, valid)?,
                Err(_) => write_text(out, bytes),
            },
            (Self::Decimal(scale), _) => write_decimal(out, bytes, scale),
            (Self::Float16, [low, high]) => float(out, half(u16::from_le_bytes([*low, *high])))?,
            _ => json(out, &BASE64_STANDARD.encode(bytes))?,
        }
        Ok(())
    }
}

fn part(unit: TimeUnit) -> SecondPart {
    match unit {
        TimeUnit::MILLIS => SecondPart::Millis,
        TimeUnit::MICROS => SecondPart::Micros,
        TimeUnit::NANOS => SecondPart::Nanos,
    }
}

/// Writes a time as the oldest files have it: nanoseconds of a Julian day.
pub(super) fn int96(out: &mut Vec<u8>, time: Int96) -> io::Result<()> {
    if let &[low, high, day] = time.data() {
        let of_day = i128::from(u64::from(high) << 32 | u64::from(low));
        write_timestamp(out, (i128::from(day) - JULIAN_1970) * DAY_NANOS + of_day, SecondPart::Nanos, false);
        return Ok(());
    }
    json(out, &())
}

/// Writes a number that JSON may not have.
pub(super) fn float(out: &mut Vec<u8>, value: f64) -> io::Result<()> {
    json(out, &value)
}

pub(super) fn bool(out: &mut Vec<u8>, value: bool) -> io::Result<()> {
    json(out, &value)
}

/// The number that half a float is; NaN for what is none.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// Writes a text.
pub(super) fn text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    json(out, text)
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
