//! Records of datasets as trajectories: what the steps of one say, call and answer, whatever it is written in.
//!
//! One record is read into a [`Reading`]: its shape, one [`TrajectoryStep`] a step, and which call each result answers;
//! [`turn`] makes of a step what was said, called and answered. Standardized trajectories, ATIF, and messages in all
//! their spellings are read here and nowhere else; checks, statistics, exports, templates and trees take it from here.

mod agents;
mod answer_reward;
pub(in crate::rules) mod atif;
pub(crate) mod blocks;
pub(crate) mod call;
mod call_line;
mod control;
mod detailed_reward;
mod entry;
mod exchange;
pub(crate) mod gemini;
mod item;
mod language;
mod links;
mod literal;
mod message;
mod message_calls;
pub(crate) mod named_parts;
pub(in crate::rules) mod number;
mod reading;
mod record_text;
mod request;
mod rows;
mod several;
mod shape;
mod task;
pub(in crate::rules) mod text;
mod track;
mod track_reader;
mod turn;
mod usage;
mod visible;

pub use agents::{callers, parts};
pub use answer_reward::{AnswerFacts, answer_rewards};
pub(crate) use atif::further_members;
pub(in crate::rules) use call::FunctionCall;
pub(in crate::rules) use call_line::call_line_of_texts;
pub(crate) use call_line::{call_line, call_line_of};
pub(in crate::rules) use control::first_control;
pub use detailed_reward::detailed_reward;
pub(in crate::rules) use detailed_reward::reward_of_notes;
pub use entry::{Ask, Body, Call, TrajectoryStep, TrajectoryStepKind};
pub use exchange::is_exchange;
pub use item::{Class, ClassNote, Item, ItemField};
pub(crate) use language::is_language;
pub(crate) use links::{is_finishing, is_note};
pub use message::Message;
pub(crate) use message::says_calls;
pub(crate) use message_calls::CallSource;
pub use number::Number;
pub use reading::{Reading, Way, record_id, score_number, token_rewards, track_count};
pub use record_text::{ReadRecord, read_step, read_text};
pub(crate) use request::{instructions, requested_tools};
pub use several::has_scored_answers;
pub use shape::{RecordShape, Version, VersionFault, bare_pointer, shape};
pub use task::{RecordName, scalar, task, task_fields, task_key};
pub(crate) use text::{before_call, behind_calls, joined, written_call};
pub use track::Track;
pub use turn::{Hint, hints, turn, written_hint};
pub(crate) use usage::usage;
pub use visible::{each_visible_text, visible_bytes};
