//! Text that may be painted.
//!
//! [`SafeText`] is the one type that a painter accepts, and only [`SafeText::of`] makes it from foreign text, so that
//! no control byte of a file reaches a terminal. Widths, cutting and wrapping go by grapheme. Knows no JSON, no colour.

mod find;
mod fuzzy;
mod humanize;
mod prompt;
mod role;
mod safe;
pub mod suggest;
mod toml_error;
mod width;

pub use find::{Pattern, RegularExpression};
pub use fuzzy::Fuzzy;
pub use humanize::{count_of, count_text, counted, fit, shorten, single_line, size_text};
pub use prompt::{PromptPiece, asked, is_notice, prompt_pieces};
pub use role::Role;
pub use safe::{MARKS_PER_CELL_MAX, SafeText, is_hidden};
pub use toml_error::{TomlError, line_number};
pub use width::{cut, cut_middle, cut_path, cut_start, pad, width, wrap, wrap_hanging};
