//! Logs of coding agents and agent frameworks: one path from records to steps, conversation and state.
//!
//! A format of this kind is an [`Adapter`]: for each record it gives the steps, the values of the record that they
//! show, and what they write. [`LogRun`] does the rest for all of them: places, links from results to calls, the state,
//! files and commands of tool-using runs, outcomes, answers.
//!
//! To add one: a file in `format` with its [`Row`] and its adapter (`letta.rs` is a short one), and a line in
//! `FORMATS`. A step always shows values of the input, so that they can be read again: a [`Draft`] lists the values,
//! its [`Form`] determines how they are read. A chat message goes through [`Blocks`].

mod arrange;
mod branches;
mod chat;
mod compact_step;
mod copies;
mod damaged;
mod describe;
mod fields;
mod gemini_parts;
mod kind;
mod lang_chain;
mod line_ends;
mod links;
mod lists;
mod merge_patch;
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
pub(in crate::format) use branches::{Branches, ordered};
pub(in crate::format) use chat::{Blocks, MoreValues, call, form, result, role_of, show, text_of};
pub(in crate::format) use copies::Copies;
pub(in crate::format) use fields::{count, first, first_text, items, text, variant, write_slots, write_title};
pub(in crate::format) use gemini_parts::Parts;
pub(in crate::format) use kind::Kind;
pub(in crate::format) use lang_chain::{lang_chain_message, lang_chain_turn};
pub(in crate::format) use lists::Lists;
pub(in crate::format) use merge_patch::merge_patch;
pub(in crate::format) use parts::Parts as FoundParts;
pub(in crate::format) use row::{Row, SetRow};
pub(in crate::format) use run::LogRun;
pub(in crate::format) use sink::{Draft, Earlier, Log};
pub(in crate::format) use threads::{Node, Preserved, PreservedRecords};

use crate::json::Value;
use crate::model::{ModelRequest, Turn};
pub(in crate::format) use crate::rules::model_usage::{model_usage, part_usage};
use crate::rules::work::Dialect;

/// A number by which an adapter distinguishes its kinds of steps: [`Adapter::show`] reads the values of a step by it.
/// Numbers below 16 belong to [`chat`].
pub(in crate::format) type Form = u8;

/// The first form that an adapter may use for itself.
pub(in crate::format) const FIRST_ADAPTER_FORM: Form = 16;

/// Turns the records of a log format into steps.
pub(in crate::format) trait Adapter: Send + Sync {
    /// Reads the next record.
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>);
    /// The turn of a step from its `values`, those of its [`Draft`] in order, parsed again by themselves.
    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v>
    where
        Self: Sized,
    {
        chat::show(form, values)
    }
    /// A step as a request to a model with all its messages, or as a tool call logged among requests; None where it is
    /// neither.
    fn request(_form: Form, _values: &[&Value<'_>]) -> Option<ModelRequest>
    where
        Self: Sized,
    {
        None
    }
    /// The turn that the model sees of a step that is not a message ([`Log::prompt`]).
    fn prompt(_values: &[&Value<'_>]) -> Option<Turn<'static>>
    where
        Self: Sized,
    {
        None
    }
    /// Whether [`Adapter::request`] may have an answer.
    fn has_requests(&self) -> bool {
        false
    }
    /// The agent whose exceptions to the rules of tool-using runs apply.
    fn dialect(&self) -> Dialect {
        Dialect::Common
    }
    /// Whether a record may be a list; in other formats a list is not a record.
    fn takes_lists(&self) -> bool {
        false
    }
    /// Called when all records were read, in adapters with [`Adapter::arrange`].
    fn finish(&mut self, _log: &mut Log<'_>) {}
    /// Orders records before they are read, where later ones replace or precede earlier ones; None: they are read in
    /// the order of the file.
    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        None
    }
    /// Resets what depends on single records, because all are read again from the first ([`Log::read_again`]). What is
    /// known of the file as a whole stays.
    fn restart(&mut self) {}
}
