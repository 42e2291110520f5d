//! The only reader of input: opens, frames, indexes and follows it; and the only writer of what review keeps: a journal
//! and exported files. Never judges what a record means.
//!
//! Input is read with `pread`, never mapped: a live file may shrink under a map. What cannot be read twice (standard
//! input, a pipe, a packed file) is spooled to an unlinked temporary file, so that the rest of the program knows one
//! kind of input.

mod follow;
mod frame;
mod hints;
mod input;
mod journal;
mod kind;
mod lines;
mod listing;
mod ordered;
#[cfg(feature = "parquet")]
mod parquet;
mod pattern;
mod print;
mod reader;
mod records;
mod save;
mod small;
mod spool;
mod stamp;
pub mod tail;
mod tree;
mod unpack;
mod values;

pub use crate::model::RecordIndex;
pub use follow::{Change, Content, Follower, Watch};
pub use frame::{Ending, Framer};
pub use input::{BLOCK, Input, is_missing, reachable};
pub use journal::Journal;
pub use listing::Listing;
pub use ordered::in_order;
pub use pattern::{files_matching, is_pattern};
pub use reader::Reader;
pub use records::{Seen, index_all, index_and_look};
pub use save::{Output, Packing, Ready, refuse};
pub use small::{read_small, read_small_text};
pub use spool::is_expendable;
pub use stamp::Stamp;
pub use tree::{files_below, is_own};
