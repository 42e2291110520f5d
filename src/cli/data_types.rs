//! Data types of Scopix that the user registers, with the project's configuration and with `--data-type`.

use super::check::config::Config;
use crate::format::{DataTypes, scopix_with};
use crate::ingest;
use crate::json;
use crate::model::Problem;
use crate::source;
use clap::ArgMatches;
use std::path::Path;

/// Most bytes of a file with a schema.
const SCHEMA_BYTES_MAX: u64 = 4 << 20;

/// Registers the data types that a command was given, for all that it reads: those of the table `[data-types]` of
/// `obelus.toml`, then those of its options.
///
/// # Errors
/// A schema is invalid.
pub(super) fn register(matches: &ArgMatches, config: &Config) -> Result<(), Problem> {
    // A command that reads no records has no such option.
    let Ok(options) = matches.try_get_many::<String>("data_types") else { return Ok(()) };
    let mut types = DataTypes::default();
    for (name, schema) in &config.data_types {
        add(&mut types, name, schema, config.folder()).map_err(|problem| config.at_fault(problem))?;
    }
    for option in options.into_iter().flatten() {
        let Some((name, schema)) = option.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            let problem = Problem::usage(format!("`{option}` is no data type of the form NAME=SCHEMA"));
            return Err(problem.hint("as in --data-type EMBEDDING=embedding.schema.json"));
        };
        add(&mut types, name, schema, Path::new(""))?;
    }
    if !types.is_empty() {
        ingest::use_format(scopix_with(types));
    }
    Ok(())
}

/// Registers one type. Its schema is JSON, if it begins as an object or is a boolean, else a file of a folder.
fn add(types: &mut DataTypes, name: &str, schema: &str, folder: &Path) -> Result<(), Problem> {
    let is_json = schema.trim_start().starts_with('{') || matches!(schema, "true" | "false");
    let text = if is_json { schema.to_owned() } else { read(&folder.join(schema))? };
    let fail = |why| Problem::usage(format!("the schema of data type {name} cannot be used: {why}"));
    json::parse(&text).map_err(|why| fail(format!("it is not JSON: {why}")))?;
    types.register(name, &text).map_err(fail)
}

/// The text of a schema file.
fn read(path: &Path) -> Result<String, Problem> {
    let fail = |why| Problem::unreadable(format!("the schema {} cannot be read: {why}", path.display()));
    source::read_small_text(path, SCHEMA_BYTES_MAX).map_err(|why| fail(why.to_string()))
}
