//! Opens a file for reading as text: what it holds itself or, of a container, what a format makes of its contents.

use crate::format::ASSEMBLERS;
use crate::model::Problem;
use crate::source::{Container, Input};
use std::path::Path;
use std::sync::Arc;

/// Opens a file. A container that no format knows is refused by its name.
///
/// # Errors
/// As [`Input::open`]; or it is a container and damaged.
pub fn open_input(path: &Path) -> Result<Arc<Input>, Problem> {
    let Some(mut container) = Container::open(path)? else { return Input::open(path) };
    let contents = container.contents();
    let Some(assembler) = ASSEMBLERS.iter().find(|assembler| assembler.claims(&contents)) else {
        return Input::open(path);
    };
    container.assembled(|contents, out| assembler.assemble(contents, out))
}
