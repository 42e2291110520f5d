//! The rules of the Agent Data Protocol (`ADP.md`, D1 to D24): trajectories for training agents, standardized, chat and
//! ATIF.
//!
//! One record is read into a [`Reading`]: its shape and one [`Entry`] a step. From that come the derived state
//! ([`write_state`]), the findings ([`examine`]) and the statistics, each in its own file.

mod atif;
mod atif_parts;
mod blocks;
mod call_text;
mod chat;
mod chat_calls;
mod check;
mod conversation;
mod dataset;
mod details;
mod entry;
mod examine;
mod item;
mod language;
mod links;
mod lint;
mod model_view;
mod number;
mod pointer;
mod reading;
mod repeat;
mod report;
mod rows;
mod shape;
mod show;
mod stage;
mod stats;
mod stats_merge;
mod survey;
mod tally;
mod task;
mod text;
mod track;
mod track_reader;
mod work;
mod writes;

pub use atif_parts::{callers, parts};
pub use chat::Message;
pub(crate) use chat_calls::CallSource;
pub use conversation::{Hint, hints, turn};
pub use dataset::{DatasetStats, DatasetSummary, Gates, Rewards, SpreadSummary};
pub use entry::{Ask, Body, Call, Entry, Kind};
pub use examine::{Examined, Glance, examine, findings, glance, head, inspect, judge, measure, read_text};
pub use item::{Class, ClassNote, Field, Item};
pub(crate) use language::is_language;
pub(crate) use links::is_finishing;
pub use number::Number;
pub use pointer::{Pointer, slot_pointer};
pub use reading::{Reading, Way, record_id, track_count};
pub use repeat::{RepeatDigests, RepeatKeys, Repeats};
pub use shape::{Shape, Version, VersionFault, bare_pointer, shape};
pub use show::{digested_text, has_digest, label, said, said_with_reasoning, summary};
pub use stage::stage;
pub use stats::{Counts, TrajectoryStats};
pub use stats_merge::{Parts, Renumbered};
pub use survey::{Survey, Surveyed};
pub use tally::{outline, tally};
pub use task::{scalar, task, task_fields, task_key};
pub(crate) use text::{before_call, joined, written_call};
pub use track::Track;
pub use writes::write_state;
