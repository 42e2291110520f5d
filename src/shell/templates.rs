//! Chat templates that are asked for: by name, or from a file.

use super::chat::TemplateProcess;
use crate::model::{Problem, lossy};
use crate::review::{ChatTemplate, TEMPLATES, Template};
use crate::source::read_small;
use std::path::Path;
use std::sync::Arc;

/// Longest template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 4 << 20;

/// A template by its name, else from a file.
///
/// # Errors
/// There is none of that name, and no file that can be read, or what it holds is no template.
pub fn template(asked: &str) -> Result<Arc<dyn ChatTemplate>, Problem> {
    match named(asked) {
        Some(template) => Ok(template),
        None => template_of(asked, Path::new(asked)),
    }
}

/// A template known by name. It is this program's and renders where it is asked.
pub(super) fn named(name: &str) -> Option<Arc<dyn ChatTemplate>> {
    Template::named(name).map(|template| Arc::new(template) as _)
}

/// A template from a file, which renders in a process of its own; `asked` is what it is called.
///
/// # Errors
/// As for [`template`].
pub fn template_of(asked: &str, file: &Path) -> Result<Arc<dyn ChatTemplate>, Problem> {
    let names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
    let bytes = read_small(file, TEMPLATE_BYTES_MAX).map_err(|error| {
        let message = format!("{asked} is no template known by name, and no file that can be read: {error}");
        Problem::usage(message).hint(format!("known are {}", names.join(", ")))
    })?;
    let source = lossy(&bytes);
    let process = TemplateProcess::start(asked, &source);
    Ok(Arc::new(process.map_err(|fault| Problem::usage(format!("template {asked}: {fault}")))?))
}
