//! Windows.

pub(super) mod files;
pub(super) mod process;
pub(super) mod terminal;
