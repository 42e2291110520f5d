//! The screen: a file, standard input, or the run that obelus brings with it.

use super::args::{self, Look, Screen};
use super::out::Out;
use super::{Command, Stop};
use crate::app::start::Start;
use crate::model::Problem;
use crate::shell::{self, Settings};
use crate::source::Input;
use clap::{ArgMatches, Args};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The recorded run: an agent books a journey for two, and one value goes wrong.
const DEMO: &str = include_str!("../../samples/trip-run.jsonl");

impl Look {
    /// Where to begin, if that was said. The demo else begins where its story ends: at the last step, on the value that
    /// went wrong.
    pub(super) fn start(&self, is_demo: bool) -> Option<Start> {
        match (self.step, &self.path) {
            (None, None) if is_demo => {
                Some(Start { step: None, path: Some("†state.budget".to_owned()), instance: Some("②".to_owned()) })
            }
            (None, None) => None,
            (step, path) => Some(Start { step, path: path.clone(), instance: self.instance.clone() }),
        }
    }
}

/// `obelus demo`.
pub(super) const COMMAND: Command = Command { name: "demo", describe, run: demo };

fn describe(command: clap::Command) -> clap::Command {
    Look::augment_args(command.about("Open a recorded run: an agent books a journey for two, and one value goes wrong"))
}

fn demo(matches: &ArgMatches, _out: &mut Out) -> Result<u8, Stop> {
    // The demo is for looking: its marks are not kept.
    show(None, None, args::parsed(matches)?, false, None)
}

/// `obelus [FILE]`.
pub(super) fn screen(matches: &ArgMatches) -> Result<u8, Stop> {
    let Screen { file, format, look, follow, marks } = args::parsed(matches)?;
    show(file.as_deref(), format.forced(), look, follow, marks.path())
}

/// What to look at: a file, standard input for `-`, or the recorded run.
///
/// # Errors
/// It cannot be opened.
pub(super) fn input(file: Option<&str>) -> Result<Arc<Input>, Problem> {
    match file {
        None => Ok(Input::memory("demo: a journey for two", DEMO)),
        Some("-") => Input::stdin(),
        Some(path) => Input::open(Path::new(path)),
    }
}

fn show(
    file: Option<&str>,
    format: Option<&str>,
    look: Look,
    follow: bool,
    marks: Option<PathBuf>,
) -> Result<u8, Stop> {
    let start = look.start(file.is_none());
    let settings = Settings {
        input: input(file)?,
        format: format.map(str::to_owned),
        start,
        files: look.files,
        watches: look.watches,
        follow,
        theme: look.theme,
        marks,
    };
    Ok(shell::run(settings)?)
}
