//! Joins source and format: which format an input is of, and its records as runs.
//!
//! Headless commands load an input whole ([`fn@open`]); the screen has a worker that indexes, folds and follows it.

mod apply;
mod container;
mod custom_formats;
mod derived_stream;
mod detect;
mod embedded;
mod live;
mod load;
mod mapping;
mod parts;
mod pass;
mod pending_line;
mod preview;
mod rebuild;
mod replay;
mod rewards;
mod rotated_file;
mod run_rows;
mod schema_check;
mod spend;
mod versions;
mod worker;

pub use crate::detect::{Detected, FALLBACK, RECORDS as DETECTED_BY};
pub use container::{is_input_folder, open_input, open_lines, open_stdin};
pub use custom_formats::{all_formats, format_names, use_custom_formats, use_format};
pub use derived_stream::follow_derived;
pub use detect::detect;
pub use embedded::has_strings_of_conversations;
pub use embedded::one_line;
pub use live::{Generation, IngestEvent, LiveRecords, ResetReason};
pub use load::{Loaded, begin, load, open};
pub use mapping::{Mapping, use_mapping};
pub use parts::attach_parts;
pub use pass::{findings, findings_beside, in_order, look_at_all, look_at_known, look_from, survey, take};
pub use preview::{Preview, is_log, read_end_preview, read_preview};
pub use replay::{PlaybackControl, PlayedInput, replay};
pub use rewards::{RewardFiles, evaluation_of};
pub use run_rows::{is_run, record_bytes, survey_runs};
pub use schema_check::{findings_of, violations_of, with_stack};
pub use spend::usage_with_parts;
pub use worker::Worker;
