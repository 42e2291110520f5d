//! The files that commands write: never over an input, and never over marks, whatever they are called.

use crate::model::Problem;
use crate::shell::mark_journal::{self, JournalContents};
use crate::source::{Journal, Output, refuse};
use std::path::Path;

/// Begins a file. `is_forced`: it may take the place of another, but not of one of `inputs`, nor of a journal.
///
/// # Errors
/// There is such a file, it is an input or holds marks, or its folder cannot be written.
pub(super) fn create(path: &Path, is_forced: bool, inputs: &[&Path]) -> Result<Output, Problem> {
    let output = create_journal(path, is_forced, inputs)?;
    if path.is_file() {
        let JournalContents { events, newer, .. } = JournalContents::of(&Journal::at(path).first_lines()?);
        if !events.is_empty() || !newer.is_empty() {
            return Err(holds_marks(path));
        }
    }
    Ok(output)
}

/// The same for journals, which may take the place of others, but not of the user's own.
///
/// # Errors
/// As [`create`].
pub(super) fn create_journal(path: &Path, is_forced: bool, inputs: &[&Path]) -> Result<Output, Problem> {
    if let Some(journal) = mark_journal::default_path()
        && is_forced
        && refuse(path, true, &[&journal]).is_err()
        && refuse(path, true, inputs).is_ok()
    {
        return Err(holds_marks(path));
    }
    Output::create(path, None, is_forced, inputs)
}

fn holds_marks(path: &Path) -> Problem {
    let problem = Problem::usage(format!("{} is a journal of marks", path.display()));
    problem.hint("marks are never written over; choose another name")
}
