//! D8: numbers as upstream's lax reader takes them.

use crate::json::{Data, Value};
use std::borrow::Cow;

/// D8: a number read from a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Number<'a> {
    /// As a 64-bit float.
    pub value: f64,
    /// As JSON text: the source's own where it was a number.
    pub text: Cow<'a, str>,
    /// Whether it was given as something else.
    pub is_coerced: bool,
}

/// D8: a number, a boolean or numeric text; None for anything else, and for what exceeds a 64-bit float.
#[must_use]
pub(in crate::rules) fn number<'a>(value: &Value<'a>) -> Option<Number<'a>> {
    match &value.data {
        Data::Number => {
            let parsed = finite(value.text)?;
            Some(Number { value: parsed, text: value.text.into(), is_coerced: false })
        }
        Data::Bool(b) => {
            Some(Number { value: f64::from(u8::from(*b)), text: u8::from(*b).to_string().into(), is_coerced: true })
        }
        Data::String(s) if is_numeric(s) => {
            let parsed = finite(s)?;
            let text = if crate::json::parse(s).is_ok() { s.to_string() } else { float_text(parsed) };
            Some(Number { value: parsed, text: text.into(), is_coerced: true })
        }
        _ => None,
    }
}

/// D8: an integer, a boolean, integer text or an integral float; None for anything else.
#[must_use]
pub(in crate::rules) fn integer<'a>(value: &Value<'a>) -> Option<Number<'a>> {
    match &value.data {
        Data::Number if is_integer(value.text) => number(value),
        Data::Number => {
            let float: f64 = value.text.parse().ok()?;
            let is_integral = float.is_finite() && float.fract() == 0.0;
            is_integral.then(|| Number { value: float, text: format!("{float:.0}").into(), is_coerced: true })
        }
        Data::String(s) if is_integer(s) => number(value),
        Data::Bool(_) => number(value),
        _ => None,
    }
}

/// D8: a number that a 64-bit float can hold.
fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|float: &f64| float.is_finite())
}

/// D20: adds a reward to a sum. One that exceeds a 64-bit float stays at its greatest value: JSON has no infinity.
#[must_use]
pub(in crate::rules) fn add_reward(sum: f64, reward: f64) -> f64 {
    (sum + reward).clamp(f64::MIN, f64::MAX)
}

/// A float as JSON text; null for what JSON cannot say.
#[must_use]
pub(in crate::rules) fn float_text(float: f64) -> String {
    serde_json::Number::from_f64(float).map_or_else(|| "null".to_owned(), |n| n.to_string())
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A decimal number with optional sign, fraction and exponent; no spaces, no `nan`, no `inf`.
fn is_numeric(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(i) => (&unsigned[..i], Some(&unsigned[i + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let has_digit = !(whole.is_empty() && fraction.is_empty());
    has_digit && all_digits(whole) && all_digits(fraction) && exponent.is_none_or(is_integer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn numbers_are_read_as_upstream_reads_them() {
        for (text, expect) in [
            ("1.50", Some(("1.50", false))),
            ("true", Some(("1", true))),
            ("\"-1.5e3\"", Some(("-1.5e3", true))),
            ("\"+1\"", Some(("1.0", true))),
            ("\" 1\"", None),
            ("\"\"", None),
            ("\".\"", None),
            ("\"1e\"", None),
            ("\"nan\"", None),
            ("null", None),
            ("[1]", None),
            ("1e308", Some(("1e308", false))),
            ("1e400", None),
            ("\"1e400\"", None),
            ("\"-1e400\"", None),
            ("\"1e-400\"", Some(("1e-400", true))),
        ] {
            let read = number(&parse(text).unwrap());
            assert_eq!(read.as_ref().map(|n| (&*n.text, n.is_coerced)), expect, "{text}");
        }
    }

    #[test]
    fn integers_are_integral() {
        for (text, expect) in [
            ("720", Some(("720", false))),
            ("1280.0", Some(("1280", true))),
            ("1e3", Some(("1000", true))),
            ("1.5", None),
            ("\"720\"", Some(("720", true))),
            ("\"720.0\"", None),
            ("false", Some(("0", true))),
            ("1e999", None),
        ] {
            let read = integer(&parse(text).unwrap());
            assert_eq!(read.as_ref().map(|n| (&*n.text, n.is_coerced)), expect, "{text}");
        }
    }
}
