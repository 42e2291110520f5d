//! The only reader of input: opens, frames, indexes and follows it; and the only writer of what review keeps: a journal
//! and exported files. Never judges what a record means.
//!
//! Input is read with `pread`, never mapped: a live file may shrink under a map. What cannot be read twice (standard
//! input, a pipe, a packed file) is spooled to an unlinked temporary file, so that the rest of the program knows one
//! kind of input.

mod atomic_write;
mod binary_detect;
mod container;
mod expendable;
mod file_snapshot;
mod fingerprint;
mod folder;
mod follow;
mod fs_events;
mod glob;
mod input;
mod journal;
mod listing;
mod origin;
mod parallel;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod places;
mod reader;
mod records;
mod remote;
mod small;
mod spool;
mod sqlite;
pub mod tail;
mod unopened;
mod unpack;
mod walk;
mod zip;

pub use crate::model::RecordIndex;
pub use atomic_write::{Output, Packing, Ready, refuse};
pub use container::Container;
pub use expendable::{caught, is_expendable, is_expendable_panic, set_expendable};
pub use file_snapshot::Stamp;
pub use follow::{Content, FileChange, Follower, InputWatch};
pub use glob::{files_matching, is_pattern};
pub use input::{BLOCK, Input, is_missing, reachable};
pub use journal::Journal;
pub use listing::Listing;
pub use origin::{Origin, OriginChange};
pub use parallel::{in_order, in_order_until_end};
pub use parts::PartFinder;
pub use places::{SessionPlace, agents, place_here, session_places};
pub use reader::RecordReader;
pub use records::{RecordReport, index_all, index_and_look};
pub use remote::refused as refused_as_remote;
pub use small::{names_in, read_small, read_small_text, read_start};
pub use walk::{FilesBelow, IsInput, IsLog, any_log, files_below, is_obelus_file, len_of};
