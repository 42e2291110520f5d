//! How formats read containers: which contents are a format's own, and the text of records that they become.
//!
//! An assembler knows members and tables by their names, and what stands where in them; it is handed the contents and
//! writes JSON Lines, a line for each trajectory. What a line says is its format's to read, like that of any file.

use crate::model::{Contents, Problem, Sink};

/// A row of [`ASSEMBLERS`].
pub trait Assembler: Send + Sync {
    /// Whether it reads contents such as these, by the names of their members or tables.
    fn claims(&self, contents: &Contents<'_>) -> bool;

    /// Writes the text of all records. A member or row that is damaged costs its own record; the others come all the
    /// same, and the fault is the answer.
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
    &super::adk::Database,
    &super::opencode::Database,
];
