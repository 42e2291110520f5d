//! Chat templates that are asked for: by name, or from files.

use super::chat::TemplateProcess;
use crate::model::{Problem, lossy};
use crate::review::{ChatTemplate, Setting, TEMPLATES, Template, TemplateFault, TemplateFiles};
use crate::source::read_small;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest file of a template that is read, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 4 << 20;
/// Most files of `additional_chat_templates` that are read.
const ADDITIONAL_MAX: usize = 64;

const CONFIG: &str = "tokenizer_config.json";
const JINJA: &str = "chat_template.jinja";
const TOKENS: &str = "special_tokens_map.json";
const ADDITIONAL: &str = "additional_chat_templates";

/// A template by its name, else from files: Jinja, a `tokenizer_config.json`, or the folder of a tokenizer; of a list
/// of templates, `FILE#NAME` is one.
///
/// # Errors
/// There is none of that name, and no file that can be read, or what it holds is not a template.
pub fn template(asked: &str, settings: &[Setting]) -> Result<Arc<dyn ChatTemplate>, Problem> {
    match named(asked, settings) {
        Some(template) => Ok(template),
        None => template_of(asked, Path::new(asked), settings),
    }
}

/// A template known by name. It is this program's and renders where it is asked.
pub(super) fn named(name: &str, settings: &[Setting]) -> Option<Arc<dyn ChatTemplate>> {
    Template::named_with(name, settings).map(|template| Arc::new(template) as _)
}

/// A template from a file, which renders in a process of its own; `asked` is what it is called.
///
/// # Errors
/// As for [`template`].
pub fn template_of(asked: &str, file: &Path, settings: &[Setting]) -> Result<Arc<dyn ChatTemplate>, Problem> {
    let (file, part) = parted(file);
    let files = read(&file).map_err(|error| {
        let names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
        let message = format!("{asked} is not a template known by name, and no file that can be read: {error}");
        Problem::usage(message).hint(format!("known are {}", names.join(", ")))
    })?;
    let started = files.source(part.as_deref()).and_then(|source| TemplateProcess::start(asked, source.with(settings)));
    let faulty = |fault: TemplateFault| Problem::usage(format!("template {asked}: {fault}"));
    Ok(Arc::new(started.map_err(faulty)?))
}

/// The file, and what follows its `#`, if there is no file of the whole name.
fn parted(asked: &Path) -> (PathBuf, Option<String>) {
    let text = asked.to_string_lossy();
    match text.rsplit_once('#') {
        Some((file, part)) if !asked.exists() => (PathBuf::from(file), Some(part.to_owned())),
        _ => (asked.to_owned(), None),
    }
}

/// The file and what is beside it, or a folder.
fn read(asked: &Path) -> io::Result<TemplateFiles> {
    let text = |path: &Path| read_small(path, TEMPLATE_BYTES_MAX).map(|bytes| lossy(&bytes).into_owned());
    let (folder, file) =
        if asked.is_dir() { (asked, None) } else { (asked.parent().unwrap_or(Path::new("")), Some(text(asked)?)) };
    let beside = |name: &str| text(&folder.join(name)).ok();
    let is_config = asked.file_name().is_some_and(|name| name == CONFIG);
    let (jinja, config, tokens) = (beside(JINJA), beside(CONFIG), beside(TOKENS));
    Ok(TemplateFiles { file, is_config, jinja, config, tokens, additional: additional(&folder.join(ADDITIONAL)) })
}

/// The templates of a folder of them, by the names of their files.
fn additional(folder: &Path) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_jinja = |path: &PathBuf| path.extension().is_some_and(|end| end == "jinja");
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_jinja);
    let mut paths: Vec<PathBuf> = paths.take(ADDITIONAL_MAX).collect();
    paths.sort();
    let pair = |path: PathBuf| {
        let bytes = read_small(&path, TEMPLATE_BYTES_MAX).ok()?;
        Some((path.file_stem()?.to_string_lossy().into_owned(), lossy(&bytes).into_owned()))
    };
    paths.into_iter().filter_map(pair).collect()
}
