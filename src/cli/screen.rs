//! The screen: a file, standard input, or the run that obelus brings with it.

use super::args::{self, Look, Screen};
use super::out::Out;
use super::{Command, Stop};
use crate::model::Problem;
use crate::shell::{self, Settings};
use crate::source::Input;
use clap::{ArgMatches, Args};
use std::path::Path;
use std::sync::Arc;

/// The recorded run: an agent books a journey for two, and one value goes wrong.
const DEMO: &str = include_str!("../../samples/trip-run.jsonl");

/// `obelus demo`.
pub(super) const COMMAND: Command = Command { name: "demo", describe, run: demo };

fn describe(command: clap::Command) -> clap::Command {
    Look::augment_args(command.about("Open a recorded run: an agent books a journey for two, and one value goes wrong"))
}

fn demo(matches: &ArgMatches, _out: &mut Out) -> Result<u8, Stop> {
    let look: Look = args::parsed(matches)?;
    show(demo_input(), None, look)
}

/// `obelus [FILE]`.
pub(super) fn screen(matches: &ArgMatches) -> Result<u8, Stop> {
    let Screen { file, format, look } = args::parsed(matches)?;
    show(input(file.as_deref())?, format.forced(), look)
}

/// The input to look at: a file, standard input for `-`, or the recorded run.
///
/// # Errors
/// It cannot be opened.
pub(super) fn input(file: Option<&str>) -> Result<Arc<Input>, Problem> {
    match file {
        None => Ok(demo_input()),
        Some("-") => Input::stdin(),
        Some(path) => Input::open(Path::new(path)),
    }
}

fn demo_input() -> Arc<Input> {
    Input::memory("demo: a journey for two", DEMO)
}

fn show(input: Arc<Input>, format: Option<&str>, look: Look) -> Result<u8, Stop> {
    let settings = Settings { input, format: format.map(str::to_owned), theme: look.theme };
    Ok(shell::run(settings)?)
}
