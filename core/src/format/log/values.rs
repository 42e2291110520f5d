//! The values that a step was made of, read again from the input.

use super::compact_step::CompactStep;
use crate::json::{self, Value};
use crate::model::{Bytes, Problem, Span};

/// Reads the values that a step was made of.
pub(super) fn with_values<T>(
    compact: &CompactStep,
    bytes: &dyn Bytes,
    say: impl FnOnce(&[&Value<'_>]) -> T,
) -> Result<T, Problem> {
    let texts = compact.spans().map(|span| text_at(span, bytes)).collect::<Result<Vec<String>, Problem>>()?;
    let gone = || Problem::gone(compact.place().span);
    let values = texts.iter().map(|text| json::parse_lenient(text).map_err(|_| gone()));
    let values = values.collect::<Result<Vec<Value<'_>>, Problem>>()?;
    let values: Vec<&Value<'_>> = values.iter().collect();
    Ok(say(&values))
}

/// The text of a span.
pub(super) fn text_at(span: Span, bytes: &dyn Bytes) -> Result<String, Problem> {
    String::from_utf8(bytes.read(span)?).map_err(|_| Problem::gone(span))
}
