//! A mapping of the user: each record of an input becomes another one before anything is read of it.
//!
//! The expressions are the user's, and run where the command line says; here only is what an input becomes by them,
//! so that every command and the screen read the same records (decision 22).

use super::{Loaded, load};
use crate::model::{Problem, Sink};
use crate::source::Input;
use std::sync::{Arc, OnceLock};

/// What makes other records of those of an input.
pub trait Mapping: Send + Sync {
    /// The format of what it makes; None: its content says.
    fn format(&self) -> Option<&'static str>;

    /// Writes a line for each record of an input, in order.
    ///
    /// # Errors
    /// What `out` returns, or for which records the mapping failed; these are written as they are.
    fn write(&self, loaded: &Loaded, out: &mut Sink<'_>) -> Result<(), Problem>;
}

static MAPPING: OnceLock<Box<dyn Mapping>> = OnceLock::new();

/// Reads the records of all inputs by this mapping. Only the first call counts.
pub fn use_mapping(mapping: Box<dyn Mapping>) {
    MAPPING.get_or_init(|| mapping);
}

/// The format of what the mapping makes, if there is one.
pub(super) fn mapped_format() -> Option<&'static str> {
    MAPPING.get().and_then(|mapping| mapping.format())
}

/// Whether there is a mapping.
pub(super) fn is_mapped() -> bool {
    MAPPING.get().is_some()
}

/// An input as the mapping makes it, written in the background; the same without one.
///
/// # Errors
/// No temporary file can be made.
pub(super) fn mapped(input: Arc<Input>) -> Result<Arc<Input>, Problem> {
    let Some(mapping) = MAPPING.get() else { return Ok(input) };
    let (name, path) = (input.name().to_owned(), input.path().map(ToOwned::to_owned));
    Input::derived(&name, path.as_deref(), move |out| {
        let loaded = load::as_it_stands(input, None)?;
        mapping.write(&loaded, out)?;
        loaded.trouble().map_or(Ok(()), Err)
    })
}
