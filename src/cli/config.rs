//! `obelus config`: where the configuration is, a commented file to begin with, and what is wrong with the one there.

use super::args::parsed;
use super::out::{Out, Tone, plain, raw};
use super::{Command, Stop};
use crate::model::Problem;
use crate::shell::config::folder;
use crate::shell::config_check::{EXAMPLE, problems};
use clap::{ArgMatches, Args, Subcommand};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

pub(super) const COMMAND: Command = Command { name: "config", describe: Options::augment_args, run };

/// Exit status where something in the configuration is wrong.
const BROKEN: u8 = 1;

/// Print where the configuration is, write a commented one, or check it
#[derive(Debug, Args)]
struct Options {
    #[command(subcommand)]
    what: Option<ConfigAction>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum ConfigAction {
    /// Print the folder of the configuration
    Path,
    /// Write a config.toml with every setting as a comment; an existing file is not changed
    Init,
    /// Report errors in config.toml, the themes and the formats of the folder; status 1 if there are any
    Check {
        /// Print JSON: one value
        #[arg(long)]
        json: bool,
    },
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let folder = folder().ok_or_else(|| {
        Problem::usage("no home folder is set, so there is no configuration").hint("set HOME or XDG_CONFIG_HOME")
    })?;
    match options.what.unwrap_or(ConfigAction::Path) {
        ConfigAction::Path => out.line(&folder.display().to_string())?,
        ConfigAction::Init => init(&folder, out)?,
        ConfigAction::Check { json } => return check(&folder, json, out),
    }
    Ok(0)
}

fn init(folder: &Path, out: &mut Out) -> Result<(), Stop> {
    let file = folder.join("config.toml");
    let failed = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::AlreadyExists => Problem::usage(format!("{} already exists", file.display()))
            .hint("edit it, or move it away to start over; `obelus config check` says what is wrong in it"),
        _ => Problem::usage(format!("cannot write {}: {e}", file.display())),
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let mut to = OpenOptions::new().write(true).create_new(true).open(&file).map_err(failed)?;
    to.write_all(EXAMPLE.as_bytes()).map_err(failed)?;
    out.line(&format!("wrote {}", file.display()))?;
    Ok(())
}

fn check(folder: &Path, json: bool, out: &mut Out) -> Result<u8, Stop> {
    let problems = problems();
    let status = if problems.is_empty() { 0 } else { BROKEN };
    if json {
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let folder = folder.display().to_string();
        out.json(&plain(&vec![("folder", raw(&folder)?), ("problems", raw(&messages)?)]))?;
        return Ok(status);
    }
    for problem in &problems {
        out.row(&[(Tone::Error, &problem.to_string())])?;
    }
    if problems.is_empty() {
        let there = if folder.join("config.toml").exists() { "nothing is wrong in" } else { "nothing is set in" };
        out.line(&format!("{there} {}", folder.display()))?;
    }
    Ok(status)
}
