//! Logs of coding agents and agent frameworks: one way from records to steps, conversation and state.
//!
//! A format of this kind is an [`Adapter`]: it reads a record and says which steps it gives, which values of the record
//! they show, and what they write. [`LogRun`] does the rest for all of them: places, links from results to calls, the
//! state, what a tool-using run knew and did, outcomes, answers.
//!
//! To add one: a file in `format` with the row of its [`crate::format::Format`] and its adapter (`pi.rs` is a short
//! one), and the row in `FORMATS`. What a step shows is always a value of the input, so that it can be read again: a
//! [`Draft`] names the values, its [`Form`] says how they are read. A chat message goes through [`Blocks`].

mod arrange;
mod chat;
mod compact_step;
mod copies;
mod damaged;
mod describe;
mod fields;
mod gemini_parts;
mod lang_chain;
mod links;
mod merge_patch;
mod model_usage;
mod parts;
mod row;
mod run;
mod sink;
mod steps;
#[cfg(test)]
pub(in crate::format) mod testing;
#[cfg(test)]
pub(in crate::format) mod tests;
mod threads;
mod values;
mod view;
mod window;

pub(in crate::format) use arrange::{Arrange, Piece, PlacedPieces};
pub(in crate::format) use chat::{Blocks, MoreValues, call, form, result, role_of, show, text_of};
pub(in crate::format) use copies::Copies;
pub(in crate::format) use fields::{count, first, first_text, items, text, write_slots};
pub(in crate::format) use gemini_parts::{Parts, part_usage};
pub(in crate::format) use lang_chain::lang_chain_turn;
pub(in crate::format) use merge_patch::merge_patch;
pub(in crate::format) use model_usage::model_usage;
pub(in crate::format) use parts::Parts as FoundParts;
pub(in crate::format) use row::Row;
pub(in crate::format) use run::LogRun;
pub(in crate::format) use sink::{Draft, Earlier, Kind, Log};
pub(in crate::format) use threads::{Node, Preserved, PreservedRecords};

use crate::json::Value;
use crate::model::{ModelRequest, Turn};
use crate::rules::work::Dialect;

/// What a step's values are, in the words of its adapter: how [`Adapter::show`] is to read them. Those below 16 belong
/// to [`chat`].
pub(in crate::format) type Form = u8;

/// The first form that an adapter may use for itself.
pub(in crate::format) const FIRST_ADAPTER_FORM: Form = 16;

/// A format of a log: how its records become steps.
pub(in crate::format) trait Adapter: Send + Sync {
    /// Reads the next record.
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>);
    /// What a step says: `values` are those that it was made of, in order, parsed again on their own.
    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v>
    where
        Self: Sized,
    {
        chat::show(form, values)
    }
    /// What a step says as a request to a model, with all messages that it has, or as the call of a tool among
    /// requests; None where it is neither.
    fn request(_form: Form, _values: &[&Value<'_>]) -> Option<ModelRequest>
    where
        Self: Sized,
    {
        None
    }
    /// What a step that is no message says to the model ([`Log::prompt`]).
    fn prompt(_values: &[&Value<'_>]) -> Option<Turn<'static>>
    where
        Self: Sized,
    {
        None
    }
    /// Whether steps may be such requests.
    const HAS_REQUESTS: bool = false;
    /// For which agent the rules of tool-using runs make exceptions.
    fn dialect(&self) -> Dialect {
        Dialect::Common
    }
    /// Whether a record may be a list; elsewhere it is not one.
    fn takes_lists(&self) -> bool {
        false
    }
    /// All was read, where the adapter arranges what is read.
    fn finish(&mut self, _log: &mut Log<'_>) {}
    /// How records are put in order before they are read, where later ones replace or precede earlier ones; None: they
    /// are read as they come.
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        None
    }
    /// Forgets what was read, but not what it learned of the file as a whole: all is read again from the first record
    /// (see [`Log::read_again`]).
    fn restart(&mut self) {}
}
