//! Values of typed columns for which JSON has no type, as JSON: what Parquet files and Arrow tables have beside texts
//! and numbers. Both readers write them here, so a row has one text wherever it is read.
//!
//! Dates, times of day and timestamps of the years 1 to 9999 are texts. Any other count has no text that readers of
//! dates agree on, so it is the number that the column holds.

use super::msgpack::put_base64;
use std::io::Write as _;

/// Days since 1970 of 0001-01-01 and 9999-12-31, and of March 1, 0000, from which the calendar is counted.
const FIRST_DAY: i64 = -719_162;
const LAST_DAY: i64 = 2_932_896;
const MARCH_OF_YEAR_0: i64 = -719_468;

const DAY_SECONDS: i128 = 86_400;

/// Bytes of the longest decimal that is written in digits: those of 76 digits, the most that Arrow has.
const DECIMAL_BYTES_MAX: usize = 32;
const SCALE_MAX: i32 = 76;

/// The parts of a second in which a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondPart {
    /// Thousandths.
    Millis,
    /// Millionths.
    Micros,
    /// Billionths.
    Nanos,
}

impl SecondPart {
    /// How many are a second, and the digits of a fraction of one.
    fn per_second(self) -> (i128, usize) {
        match self {
            Self::Millis => (1_000, 3),
            Self::Micros => (1_000_000, 6),
            Self::Nanos => (1_000_000_000, 9),
        }
    }
}

/// Writes days since 1970 as `"2026-05-01"`, or as their number.
pub fn write_date(out: &mut Vec<u8>, days: i64) {
    match date(days) {
        Some((year, month, day)) => put(out, format_args!("\"{year:04}-{month:02}-{day:02}\"")),
        None => put(out, format_args!("{days}")),
    }
}

/// Writes a count since midnight as `"14:32:05.120"`, or as its number if the day is over by then.
pub fn write_time(out: &mut Vec<u8>, count: i64, unit: SecondPart) {
    let (per_second, _) = unit.per_second();
    if (0..DAY_SECONDS * per_second).contains(&i128::from(count)) {
        out.push(b'"');
        clock(out, count.into(), unit);
        out.push(b'"');
    } else {
        put(out, format_args!("{count}"));
    }
}

/// Writes a count since 1970 as `"2026-05-01 14:32:05.120"`, or as its number. One that counts in UTC has `+00:00`
/// behind it; others are times of a clock that is not known.
pub fn write_timestamp(out: &mut Vec<u8>, count: i128, unit: SecondPart, is_utc: bool) {
    let (per_second, _) = unit.per_second();
    let per_day = DAY_SECONDS * per_second;
    match i64::try_from(count.div_euclid(per_day)).ok().and_then(date) {
        Some((year, month, day)) => {
            put(out, format_args!("\"{year:04}-{month:02}-{day:02} "));
            clock(out, count.rem_euclid(per_day), unit);
            out.extend_from_slice(if is_utc { b" +00:00\"" } else { b"\"" });
        }
        None => put(out, format_args!("{count}")),
    }
}

/// Writes a decimal: `whole` is its digits as a whole number in two's complement, most significant byte first, and
/// `scale` the number of digits behind the point: `"-12.50"`. A negative scale is written as a power of ten: `"12E+2"`.
/// Digits that no column type has room for are written as bytes, in base64.
pub fn write_decimal(out: &mut Vec<u8>, whole: &[u8], scale: i32) {
    let is_negative = whole.first().is_some_and(|byte| *byte >= 0x80);
    let padding = if is_negative { 0xff } else { 0 };
    let significant = whole.iter().position(|byte| *byte != padding).map_or(&[][..], |at| &whole[at..]);
    // The least number of this many bytes has no opposite.
    let is_least = is_negative && significant.len() == DECIMAL_BYTES_MAX && significant.iter().all(|byte| *byte == 0);
    if significant.len() > DECIMAL_BYTES_MAX || is_least {
        let mut text = String::new();
        put_base64(&mut text, whole);
        return put(out, format_args!("\"{text}\""));
    }
    let mut limbs = [if is_negative { u64::MAX } else { 0 }; DECIMAL_BYTES_MAX / 8];
    for (at, byte) in significant.iter().rev().enumerate() {
        let shift = at % 8 * 8;
        limbs[at / 8] = limbs[at / 8] & !(0xff << shift) | u64::from(*byte) << shift;
    }
    if is_negative {
        negate(&mut limbs);
    }
    let digits = digits(limbs);
    let sign = if is_negative { "-" } else { "" };
    match usize::try_from(scale) {
        Ok(0) => put(out, format_args!("\"{sign}{digits}\"")),
        Ok(behind) if scale <= SCALE_MAX => {
            let digits = format!("{digits:0>least$}", least = behind + 1);
            let (before, behind) = digits.split_at(digits.len() - behind);
            put(out, format_args!("\"{sign}{before}.{behind}\""));
        }
        _ => put(out, format_args!("\"{sign}{digits}E{:+}\"", -i64::from(scale))),
    }
}

/// Writes a text that may be none: bytes that are not UTF-8 stay as they are, so that they are reported as those of a
/// line are.
pub fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for chunk in text.utf8_chunks() {
        let quoted = super::quote(chunk.valid());
        out.extend_from_slice(quoted.get(1..quoted.len() - 1).unwrap_or_default().as_bytes());
        out.extend_from_slice(chunk.invalid());
    }
    out.push(b'"');
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Memory takes all.
    let _ = out.write_fmt(text);
}

/// A time of day, without quotes.
fn clock(out: &mut Vec<u8>, count: i128, unit: SecondPart) {
    let (per_second, width) = unit.per_second();
    let (seconds, part) = (count / per_second, count % per_second);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    put(out, format_args!("{hours:02}:{minutes:02}:{seconds:02}.{part:0width$}"));
}

/// Year, month and day of days since 1970.
fn date(days: i64) -> Option<(i64, i64, i64)> {
    if !(FIRST_DAY..=LAST_DAY).contains(&days) {
        return None;
    }
    // Years begin in March here, so that the day that leap years add is their last: 400 of them have 146097 days.
    let days = days - MARCH_OF_YEAR_0;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    Some((era * 400 + year + i64::from(month <= 2), month, day))
}

fn negate(limbs: &mut [u64]) {
    let mut carry = true;
    for limb in limbs {
        (*limb, carry) = (!*limb).overflowing_add(carry.into());
    }
}

/// The digits of a number, least significant limb first.
fn digits(mut limbs: [u64; DECIMAL_BYTES_MAX / 8]) -> String {
    const PIECE: u128 = 10_u128.pow(19);
    let mut pieces = Vec::new();
    while limbs.iter().any(|limb| *limb != 0) || pieces.is_empty() {
        let mut rest = 0;
        for limb in limbs.iter_mut().rev() {
            let all = rest << 64 | u128::from(*limb);
            // The rest is less than a piece, so the quotient fits.
            *limb = u64::try_from(all / PIECE).unwrap_or(u64::MAX);
            rest = all % PIECE;
        }
        pieces.push(rest);
    }
    let mut text = String::new();
    for (number, piece) in pieces.iter().rev().enumerate() {
        text += &if number == 0 { piece.to_string() } else { format!("{piece:019}") };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date as civil;
    use proptest::prelude::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn stamp(count: i64, unit: SecondPart) -> String {
        text(|out| write_timestamp(out, count.into(), unit, true))
    }

    #[test]
    fn every_day_of_the_calendar_has_its_date_and_no_other() {
        let mut day = civil(1, 1, 1);
        for days in FIRST_DAY..=LAST_DAY {
            assert_eq!(date(days), Some((day.year().into(), day.month().into(), day.day().into())), "{days}");
            day = day.tomorrow().unwrap_or(day);
        }
        assert_eq!(day, civil(9999, 12, 31));
        assert_eq!([FIRST_DAY - 1, LAST_DAY + 1, i64::MIN, i64::MAX].map(date), [None; 4]);
        assert_eq!(text(|out| write_date(out, -1)), "\"1969-12-31\"");
        assert_eq!(text(|out| write_date(out, i32::MIN.into())), "-2147483648");
    }

    #[test]
    fn times_that_no_calendar_has_are_their_numbers() {
        use SecondPart::{Micros, Millis, Nanos};
        assert_eq!(stamp(-1, Millis), "\"1969-12-31 23:59:59.999 +00:00\"");
        assert_eq!(text(|out| write_timestamp(out, 1, Nanos, false)), "\"1970-01-01 00:00:00.000000001\"");
        assert_eq!(stamp(i64::MAX, Nanos), "\"2262-04-11 23:47:16.854775807 +00:00\"");
        assert_eq!(stamp(253_402_300_799_999_999, Micros), "\"9999-12-31 23:59:59.999999 +00:00\"");
        assert_eq!(stamp(253_402_300_800_000_000, Micros), "253402300800000000");
        assert_eq!(stamp(-62_135_596_800_000, Millis), "\"0001-01-01 00:00:00.000 +00:00\"");
        assert_eq!(stamp(-62_135_596_800_001, Millis), "-62135596800001");
        let time = |count, unit| text(|out| write_time(out, count, unit));
        assert_eq!(time(86_399_999, Millis), "\"23:59:59.999\"");
        assert_eq!([time(86_400_000, Millis), time(-1, Nanos)], ["86400000", "-1"]);
        assert_eq!(time(1, Nanos), "\"00:00:00.000000001\"");
    }

    #[test]
    fn decimals_have_their_point() {
        let decimal = |whole: &[u8], scale| text(|out| write_decimal(out, whole, scale));
        assert_eq!(decimal(&1250_i32.to_be_bytes(), 2), "\"12.50\"");
        assert_eq!(decimal(&(-1_i64).to_be_bytes(), 2), "\"-0.01\"");
        assert_eq!(decimal(&[5], 0), "\"5\"");
        assert_eq!(decimal(&[], 3), "\"0.000\"");
        assert_eq!(decimal(&[0x80], -2), "\"-128E+2\"");
        assert_eq!(decimal(&[7], i32::MAX), "\"7E-2147483647\"");
        assert_eq!(decimal(&[7], i32::MIN), "\"7E+2147483648\"");
        let least = [&[0x80][..], &[0; 31]].concat();
        let most = "57896044618658097711785492504343953926634992332820282019728792003956564819968";
        assert_eq!(decimal(&least, 0), format!("\"-{most}\""));
        let padded = [&[0xff; 9][..], &least].concat();
        assert_eq!(decimal(&padded, 76), format!("\"-{}.{}\"", &most[..1], &most[1..]));
        assert_eq!(decimal(&[1; 33], 0), format!("\"{}\"", "AQEB".repeat(11)));
        let below = [&[0xff][..], &[0; 32]].concat();
        assert_eq!(decimal(&below, 0), format!("\"/wAA{}\"", "AAAA".repeat(10)));
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let mut out = Vec::new();
        write_text(&mut out, b"a\"\n\xff\xc3\xa9");
        assert_eq!(out, b"\"a\\\"\\n\xff\xc3\xa9\"");
    }

    proptest! {
        #[test]
        fn any_count_is_one_value_of_json(count in any::<i64>(), other in any::<i32>(), scale in any::<i32>()) {
            for unit in [SecondPart::Millis, SecondPart::Micros, SecondPart::Nanos] {
                let texts = [
                    text(|out| write_date(out, count)),
                    text(|out| write_date(out, other.into())),
                    text(|out| write_time(out, count, unit)),
                    text(|out| write_time(out, other.into(), unit)),
                    stamp(count, unit),
                    text(|out| write_timestamp(out, i128::from(count) * 1000, unit, false)),
                    text(|out| write_decimal(out, &count.to_be_bytes(), scale)),
                ];
                for text in texts {
                    prop_assert!(crate::json::parse(&text).is_ok(), "{text}");
                }
            }
        }

        /// In both ways of writing one.
        #[test]
        fn decimals_are_the_numbers_they_were(whole in any::<i128>(), scale in 0..40_usize) {
            let text = text(|out| write_decimal(out, &whole.to_be_bytes(), i32::try_from(scale).unwrap()));
            let digits = text.replace(['"', '.'], "");
            prop_assert_eq!(digits.parse::<i128>().unwrap(), whole);
            prop_assert_eq!(text.find('.').map_or(0, |at| text.len() - at - 2), scale);
        }
    }
}
