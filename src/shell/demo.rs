//! The recorded run that comes with the program.

use crate::source::Input;
use std::sync::Arc;

const RECORDED: &str = include_str!("../../samples/trip-run.jsonl");

/// What it is called.
pub(crate) const NAME: &str = "demo: a journey for two";

/// It.
pub(crate) fn input() -> Arc<Input> {
    Input::memory(NAME, RECORDED)
}
