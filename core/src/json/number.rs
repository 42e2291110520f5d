//! Numbers compared by what they say, whatever their digits: `1` is `1.0` and `10e-1`, and no digit is lost.

use super::{Data, Value};
use std::cmp::Ordering;

/// A JSON number as sign, digits without zeros at the ends, and the power of ten in front of the first digit.
#[derive(Debug, PartialEq, Eq)]
struct Decimal<'t> {
    is_negative: bool,
    integer: &'t [u8],
    fraction: &'t [u8],
    /// Of the first digit; saturating, so that a monstrous exponent is merely very great.
    power: i64,
}

impl<'t> Decimal<'t> {
    fn of(text: &'t str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (mut whole, mut fraction) = (whole.as_bytes(), fraction.as_bytes());
        let mut power = i64::try_from(whole.len()).unwrap_or(i64::MAX);
        while let Some((b'0', rest)) = whole.split_first() {
            (whole, power) = (rest, power - 1);
        }
        while let Some((b'0', rest)) = fraction.split_first().filter(|_| whole.is_empty()) {
            (fraction, power) = (rest, power - 1);
        }
        while let Some((b'0', rest)) = fraction.split_last() {
            fraction = rest;
        }
        while let Some((b'0', rest)) = whole.split_last().filter(|_| fraction.is_empty()) {
            whole = rest;
        }
        Self { is_negative, integer: whole, fraction, power: power.saturating_add(exponent_of(exponent)) }
    }

    fn is_zero(&self) -> bool {
        self.integer.is_empty() && self.fraction.is_empty()
    }

    fn size_against(&self, other: &Self) -> Ordering {
        let digits = self.integer.iter().chain(self.fraction);
        self.power.cmp(&other.power).then_with(|| digits.cmp(other.integer.iter().chain(other.fraction)))
    }
}

fn exponent_of(text: &str) -> i64 {
    let clamped = if text.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    text.parse().unwrap_or(clamped).clamp(i64::MIN / 2, i64::MAX / 2)
}

/// How the texts of two JSON numbers compare as numbers.
#[must_use]
pub fn compare_numbers(a: &str, b: &str) -> Ordering {
    let (a, b) = (Decimal::of(a), Decimal::of(b));
    match (a.is_zero(), b.is_zero()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return if b.is_negative { Ordering::Greater } else { Ordering::Less },
        (false, true) => return if a.is_negative { Ordering::Less } else { Ordering::Greater },
        (false, false) => {}
    }
    match (a.is_negative, b.is_negative) {
        (false, false) => a.size_against(&b),
        (true, true) => b.size_against(&a),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// Whether two values say the same: numbers as numbers, members in any order, of duplicate keys the last.
#[must_use]
pub fn same(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (&a.data, &b.data) {
        (Data::Number, Data::Number) => compare_numbers(a.text, b.text).is_eq(),
        (Data::String(a), Data::String(b)) => a == b,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::Null, Data::Null) => true,
        (Data::Array(a), Data::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Data::Object(a), Data::Object(b)) => {
            a.len() == b.len() && a.entries().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Data::Deep, Data::Deep) => a.text == b.text,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn numbers_compare_without_losing_digits() {
        let order = [
            "-1e400",
            "-9007199254740993",
            "-9007199254740992",
            "-2.5",
            "-0.001",
            "0",
            "1e-400",
            "0.1",
            "0.10001",
            "1",
            "9007199254740992",
            "9007199254740993",
            "1e20",
            "1e400",
            "1e99999999999999999999",
        ];
        for (i, a) in order.iter().enumerate() {
            for (j, b) in order.iter().enumerate() {
                assert_eq!(compare_numbers(a, b), i.cmp(&j), "{a} and {b}");
            }
        }
        for (a, b) in [("1", "1.0"), ("10e-1", "1"), ("0", "-0.00e7"), ("1200", "1.2E+3"), ("0.0012", "12e-4")] {
            assert_eq!(compare_numbers(a, b), Ordering::Equal, "{a} and {b}");
        }
    }

    #[test]
    fn values_are_the_same_whatever_their_order() {
        for (a, b, is_same) in [
            (r#"{"a":1,"b":[1.0]}"#, r#"{"b":[1],"a":1e0}"#, true),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            (r#""\u0061""#, r#""a""#, true),
            ("[1,2]", "[2,1]", false),
            ("null", "false", false),
            ("1", r#""1""#, false),
        ] {
            assert_eq!(same(&parse(a).unwrap(), &parse(b).unwrap()), is_same, "{a} and {b}");
        }
    }
}
