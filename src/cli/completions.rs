//! `obelus completions`: what a shell needs to complete commands, options and the names that some of them take.

use super::args::parsed;
use super::out::Out;
use super::{Command, Stop, program};
use crate::format::Format;
use crate::ingest::all_formats;
use crate::lint::{self, FAMILIES};
use crate::model::Problem;
use crate::ui::Theme;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Args, ValueHint};
use clap_complete::Shell;

pub(super) const COMMAND: Command = Command { name: "completions", describe: Options::augment_args, run };

/// Print what bash, zsh, fish, elvish or PowerShell needs to complete the arguments of obelus
#[derive(Debug, Args)]
struct Options {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut completed(), "obelus", &mut text);
    let text = String::from_utf8(text).map_err(|e| Problem::unreadable(format!("the completions are no text: {e}")))?;
    out.exact(&text)?;
    Ok(0)
}

/// The program, with the values that arguments can take where they are names of something built in.
fn completed() -> clap::Command {
    let program = with_values(program());
    let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(program, |program, name| program.mut_subcommand(name, with_values))
}

fn with_values(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| match values_of(&arg) {
        Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
        None if is_file(&arg) => arg.value_hint(ValueHint::FilePath),
        None => arg,
    })
}

/// The names that an argument takes, where it takes nothing else.
fn values_of(arg: &Arg) -> Option<Vec<PossibleValue>> {
    let of = |names: Vec<&'static str>| Some(names.into_iter().map(PossibleValue::new).collect());
    match arg.get_id().as_str() {
        "format" => of(["auto"].into_iter().chain(all_formats().map(Format::name)).collect()),
        "theme" => of(["auto"].into_iter().chain(Theme::names()).collect()),
        "rule" | "allow" | "deny" => {
            of(FAMILIES.iter().map(|family| family.name).chain(lint::lints().map(|lint| lint.id)).collect())
        }
        _ => None,
    }
}

/// Whether an argument is a path, by the word that its help has for it.
fn is_file(arg: &Arg) -> bool {
    let is_path = |name: &str| ["FILE", "DIR"].iter().any(|word| name.contains(word));
    arg.get_value_names().is_some_and(|names| names.iter().any(|name| is_path(name)))
}
