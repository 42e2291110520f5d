//! Opens a file for reading as text: what it holds itself or, of a container, what a format makes of its contents.

use super::{embedded, mapping};
use crate::format::{ASSEMBLERS, Assembler};
use crate::model::Problem;
use crate::source::{Container, Input};
use std::path::Path;
use std::sync::Arc;

/// Opens a file, or a folder whose files are one run or several. A container that no format knows is refused by its
/// name.
///
/// # Errors
/// As [`Input::open`]; or it is a container and damaged.
pub fn open_input(path: &Path) -> Result<Arc<Input>, Problem> {
    prepared(match assembled(path)? {
        Some(input) => input,
        None => Input::open(path)?,
    })
}

/// The same without the user's mapping.
pub(super) fn open_unmapped(path: &Path) -> Result<Arc<Input>, Problem> {
    embedded::unpacked(assembled(path)?.map_or_else(|| Input::open(path), Ok)?)
}

/// The same for a caller that reports each line that is not valid JSON: bytes of no known kind are accepted, and
/// nothing is mapped.
///
/// # Errors
/// As [`open_input`], but for those.
pub fn open_lines(path: &Path) -> Result<Arc<Input>, Problem> {
    match assembled(path)? {
        Some(input) => Ok(input),
        None => Input::open_lines(path),
    }
}

/// Standard input for the screen: by the user's mapping, else as it comes.
///
/// # Errors
/// As [`Input::stdin`].
pub fn open_stdin() -> Result<Arc<Input>, Problem> {
    mapping::mapped(Input::stdin()?)
}

/// An input as it is read: by the user's mapping, or with the conversations out of the strings that hold them.
pub(super) fn prepared(input: Arc<Input>) -> Result<Arc<Input>, Problem> {
    if mapping::is_mapped() { mapping::mapped(input) } else { embedded::unpacked(input) }
}

/// Where agents have the files of a run below the folder that is named for it: OpenHands, opencode.
const RUN_FOLDERS: [&str; 2] = ["events", "storage"];

/// What describes the simulations of tau2-bench, and the folder where they are.
const DESCRIPTION: &str = "results.json";
const SIMULATIONS: &str = "simulations";

/// What a format makes of a container; None: it is none, or none that a format knows. Of a folder that is none the
/// one below it that is.
fn assembled(path: &Path) -> Result<Option<Arc<Input>>, Problem> {
    if let Some(folder) = described_folder(path) {
        return of_container(folder);
    }
    if path.is_dir() && !is_input_folder(path) {
        let below = RUN_FOLDERS.iter().map(|name| path.join(name)).find(|below| is_input_folder(below));
        return below.map_or(Ok(None), |below| of_container(&below));
    }
    of_container(path)
}

/// The folder of which a file is the description alone, as tau2-bench writes it beside its simulations.
fn described_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent().filter(|_| path.ends_with(DESCRIPTION) && path.is_file())?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    (folder.join(SIMULATIONS).is_dir() && is_input_folder(folder)).then_some(folder)
}

fn of_container(path: &Path) -> Result<Option<Arc<Input>>, Problem> {
    let Some(mut container) = Container::open(path)? else { return Ok(None) };
    let Some(assembler) = assembler_of(&mut container) else { return Ok(None) };
    container.assembled(|contents, out| assembler.assemble(contents, out)).map(Some)
}

/// Whether a folder is one input: its files are a run, or several, that a format knows.
#[must_use]
pub fn is_input_folder(path: &Path) -> bool {
    let container = || Container::open(path).ok().flatten();
    path.is_dir() && container().is_some_and(|mut container| assembler_of(&mut container).is_some())
}

fn assembler_of(container: &mut Container) -> Option<&'static dyn Assembler> {
    let mut contents = container.contents();
    ASSEMBLERS.iter().copied().find(|assembler| assembler.claims(&mut contents))
}
