//! Formats beside those that are built in: files of the user define them, or the configuration makes one again.
//!
//! They are set once, before anything is read: what a format is, is the same for all inputs of a process.

use crate::detect::FormatRegistry;
use crate::format::{CustomFormat, Format};
use std::sync::OnceLock;

/// A format that the configuration made, in place of the row of its name.
static CONFIGURED: OnceLock<&'static dyn Format> = OnceLock::new();
/// Formats that files define.
static CUSTOM: OnceLock<Vec<&'static dyn Format>> = OnceLock::new();

/// Reads inputs with this format in place of the one of its name. Only the first call counts.
pub fn use_format(format: Box<dyn Format>) {
    #[expect(clippy::disallowed_methods, reason = "formats live as long as the process, and are set once")]
    CONFIGURED.get_or_init(|| Box::leak(format));
}

/// Reads inputs with these formats too, after those that are built in. Only the first call counts.
pub fn use_custom_formats(formats: Vec<CustomFormat>) {
    #[expect(clippy::disallowed_methods, reason = "formats live as long as the process, and are set once")]
    CUSTOM.get_or_init(|| {
        let leaked = formats.into_iter().map(|format| -> &'static dyn Format { Box::leak(Box::new(format)) });
        leaked.collect()
    });
}

/// All that an input can be of.
pub(super) fn known() -> FormatRegistry<'static> {
    FormatRegistry { custom: CUSTOM.get().map_or(&[], Vec::as_slice), configured: CONFIGURED.get().copied() }
}

/// All formats: those that are built in, then those that files define.
pub fn all_formats() -> impl Iterator<Item = &'static dyn Format> {
    known().all()
}

/// The names of those formats that are wanted, each once.
pub fn format_names(is_wanted: &dyn Fn(&dyn Format) -> bool) -> Vec<&'static str> {
    known().names(is_wanted)
}
