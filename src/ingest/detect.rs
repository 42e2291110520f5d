//! Which format an input is of, of all that this process knows.

use super::custom_formats::known;
use super::mapping::mapped_format;
use crate::detect::{self, Detected, Source};
use crate::model::Problem;
use crate::source::Input;

impl Source for Input {
    fn read_at(&self, offset: u64, block: &mut [u8]) -> Result<usize, Problem> {
        Self::read_at(self, offset, block)
    }

    fn len(&self) -> u64 {
        Self::len(self)
    }
}

/// Finds the format of an input by its first records, or takes the one asked for. Waits until a stream has brought
/// something.
///
/// # Errors
/// There is no format of that name; the input is not text (R9) or cannot be read.
pub fn detect(input: &Input, forced: Option<&str>) -> Result<Detected, Problem> {
    let forced = forced.filter(|name| *name != "auto");
    match (forced, mapped_format()) {
        // What a mapping made is nobody's log.
        (None, Some(name)) => {
            let detected = as_it_stands(input, Some(name))?;
            Ok(Detected { reasons: vec!["made by --map".to_owned()], ..detected })
        }
        _ => as_it_stands(input, forced),
    }
}

/// The same of an input that is not mapped yet.
///
/// # Errors
/// As [`detect`].
pub(super) fn as_it_stands(input: &Input, forced: Option<&str>) -> Result<Detected, Problem> {
    input.wait_for_head();
    input.check()?;
    detect::detect(input, forced, known())
}
