//! The screen: a file, standard input, or the run that obelus brings with it.

use super::args::{self, Look, Screen};
use super::out::Out;
use super::{Command, Stop};
use crate::app::start::Start;
use crate::shell::{self, Settings};
use crate::source::Input;
use clap::{ArgMatches, Args};
use std::path::Path;
use std::sync::Arc;

/// The recorded run: an agent books a journey for two, and one value goes wrong.
const DEMO: &str = include_str!("../../samples/trip-run.jsonl");

impl Look {
    fn begins_somewhere(&self) -> bool {
        self.step.is_some() || self.path.is_some()
    }
}

/// `obelus demo`.
pub(super) const COMMAND: Command = Command { name: "demo", describe, run: demo };

fn describe(command: clap::Command) -> clap::Command {
    Look::augment_args(command.about("Open a recorded run: an agent books a journey for two, and one value goes wrong"))
}

fn demo(matches: &ArgMatches, _out: &mut Out) -> Result<u8, Stop> {
    let look: Look = args::parsed(matches)?;
    show(demo_input(), None, if look.begins_somewhere() { look } else { demo_look(look) })
}

/// `obelus [FILE]`.
pub(super) fn screen(matches: &ArgMatches) -> Result<u8, Stop> {
    let Screen { file, format, look } = args::parsed(matches)?;
    let input = match file.as_deref() {
        None => return show(demo_input(), None, if look.begins_somewhere() { look } else { demo_look(look) }),
        Some("-") => Input::stdin()?,
        Some(path) => Input::open(Path::new(path))?,
    };
    show(input, format.forced(), look)
}

/// The demo begins where its story ends: at the last step, on the value that went wrong.
fn demo_look(look: Look) -> Look {
    Look { path: Some("†state.budget".to_owned()), instance: Some("②".to_owned()), ..look }
}

fn demo_input() -> Arc<Input> {
    Input::memory("demo: a journey for two", DEMO)
}

fn show(input: Arc<Input>, format: Option<&str>, look: Look) -> Result<u8, Stop> {
    let start = look.begins_somewhere().then_some(Start { step: look.step, path: look.path, instance: look.instance });
    let settings = Settings { input, format: format.map(str::to_owned), start, files: look.files, theme: look.theme };
    Ok(shell::run(settings)?)
}
