//! Custom formats: the files that define them, of the command line, the project and the user.

use super::check::config::Config;
use super::complain;
use crate::format::{CustomFormat, Format};
use crate::ingest;
use crate::model::Problem;
use crate::shell::format_files;
use clap::ArgMatches;
use std::path::PathBuf;

/// Registers the custom formats for all that a command reads: those of its options, those that the table `[formats]` of
/// `obelus.toml` names, then those of the configuration folder. Of several of one name the first counts.
///
/// # Errors
/// A file that was named cannot be read, or what is wrong with it. What is wrong in the configuration folder is
/// reported and costs its own format.
pub(super) fn register(matches: &ArgMatches, config: &Config) -> Result<(), Problem> {
    // A command that reads no records has no such option.
    let Ok(options) = matches.try_get_many::<PathBuf>("format_files") else { return Ok(()) };
    let mut formats: Vec<CustomFormat> = Vec::new();
    let mut take = |format: CustomFormat| {
        if formats.iter().all(|known| known.name() != format.name()) {
            formats.push(format);
        }
    };
    for file in options.into_iter().flatten() {
        take(format_files::read(file)?);
    }
    for file in &config.format_files {
        take(format_files::read(file).map_err(|problem| config.at_fault(problem))?);
    }
    for read in format_files::of_user() {
        match read {
            Ok(format) => take(format),
            Err(problem) => complain(&problem.to_string()),
        }
    }
    if !formats.is_empty() {
        ingest::use_custom_formats(formats);
    }
    Ok(())
}
