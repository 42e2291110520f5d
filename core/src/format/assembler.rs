//! How formats read containers: which contents are a format's own, and the text of records that they become.
//!
//! An assembler knows members and tables by their names, and what is where in them. It gets the contents and
//! writes JSON Lines, one line for each trajectory, which the format then reads like any file.

use super::log::Log;
use crate::json::{self, Value};
use crate::model::{Contents, Problem, Severity, Sink, StepNo};

/// A row of [`ASSEMBLERS`].
pub trait Assembler: Send + Sync {
    /// Whether it reads contents such as these, by the names of their members or tables; of a folder, in which others
    /// have files too, by what the first of them hold.
    fn claims(&self, contents: &mut Contents<'_>) -> bool;

    /// Writes the text of all records. A damaged member or row costs its own record: all others are written, and the
    /// first fault is returned at the end.
    ///
    /// # Errors
    /// The first fault of the contents, or what `out` returns.
    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem>;
}

/// The assemblers, in the order in which they are asked.
pub static ASSEMBLERS: &[&dyn Assembler] = &[
    &super::inspect::Eval,
    &super::langgraph::Database,
    &super::langgraph::Store,
    &super::langgraph::Folder,
    &super::adk::Database,
    &super::opencode::Database,
    &super::opencode::Storage,
    &super::crush::Database,
    &super::zed::Database,
    &super::kiro::Database,
    &super::goose::Database,
    &super::cursor_chat::Database,
    &super::openhands::Folder,
    &super::adp::SimulationsFolder,
    &super::openai_sessions::Database,
    &super::pi::Database,
    &super::agno::Database,
];

/// The member of a record that says which part of a run is not there.
const MISSING: &str = "missing_part";

/// A record that says that a part of the run is not there.
pub(super) fn missing_part(what: &str) -> String {
    format!("{{{}}}", missing_member(what))
}

/// The same as a member of a record that says more.
pub(super) fn missing_member(what: &str) -> String {
    format!("\"{MISSING}\":{}", json::quote(what))
}

/// Which part is not there (0.4.5).
pub(super) fn missing_part_of<'v>(record: &'v Value<'_>) -> Option<&'v str> {
    record.get(MISSING).and_then(Value::as_str)
}

/// Reports that a part of the run is not there (0.4.5), at a step or of the record.
pub(super) fn report_missing(what: &str, step: Option<StepNo>, log: &mut Log<'_>) {
    let message = format!("a part of the run is not there: {what}, looked for in the folder");
    log.finding(step, "run.part-missing", Severity::Warning, message);
}
