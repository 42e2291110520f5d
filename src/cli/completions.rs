//! `obelus completions`: what a shell needs to ask obelus itself for completions, and the answers to it.
//!
//! The script is small: on a tab the shell starts obelus with a variable set, which answers from the same table of
//! commands as the help, and ends. So names of the configuration, and paths of the file that is named in the line, are
//! completed too.

use super::args::parsed;
use super::out::Out;
use super::{Command, Stop, program};
use crate::app::keys::Context;
use crate::format::{Format, Run};
use crate::ingest::{self, all_formats};
use crate::lint::{self, FAMILIES};
use crate::model::Problem;
use crate::shell::config::Config;
use crate::ui::Theme;
use clap::{Arg, ArgMatches, Args, ValueHint};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

pub(super) const COMMAND: Command = Command { name: "completions", describe: Options::augment_args, run };

/// The variable by which a shell asks.
const VARIABLE: &str = "OBELUS_COMPLETE";
/// Longest file that is read for its paths, in bytes, so that a tab answers at once.
const FILE_BYTES_MAX: u64 = 32 << 20;
/// Most nodes of a state that are looked at.
const NODES_MAX: usize = 20_000;
/// Most paths that are offered.
const PATHS_MAX: usize = 500;
/// Most characters of one.
const PATH_CHARS_MAX: usize = 200;

/// Print what bash, zsh, fish, elvish or PowerShell needs to complete the arguments of obelus
#[derive(Debug, Args)]
struct Options {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    shell: String,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let shells = Shells::builtins();
    let unknown = || Problem::usage(format!("there are no completions for {}", options.shell));
    let shell = shells.completer(&options.shell).ok_or_else(unknown)?;
    let mut text = Vec::new();
    shell.write_registration(VARIABLE, "obelus", "obelus", "obelus", &mut text)?;
    out.exact(&String::from_utf8_lossy(&text))?;
    Ok(0)
}

/// Answers a shell that asks for completions; whether one did.
///
/// # Errors
/// What it asked does not make sense, or standard output is closed.
pub(super) fn answer_shell(arguments: &[OsString]) -> Result<bool, clap::Error> {
    if env::var_os(VARIABLE).is_none() {
        return Ok(false);
    }
    let folder = env::current_dir().ok();
    let program = CompleteEnv::with_factory(completed).var(VARIABLE).bin("obelus");
    program.try_complete(arguments.iter().cloned(), folder.as_deref())
}

/// The program, with who knows the values of its arguments.
fn completed() -> clap::Command {
    let program = with_values(program());
    let names: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(program, |program, name| program.mut_subcommand(name, with_values))
}

fn with_values(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| match values_of(&arg) {
        Some(values) => arg.add(ArgValueCompleter::new(move |typed: &OsStr| fitting(values, typed))),
        None if is_file(&arg) => arg.value_hint(ValueHint::AnyPath),
        None => arg,
    })
}

/// Knows all values of an argument that begin with what was typed, or more.
type Values = fn(typed: &str) -> Vec<String>;

/// Who knows the values of an argument, by its name.
fn values_of(arg: &Arg) -> Option<Values> {
    match arg.get_id().as_str() {
        _ if is_file(arg) => None,
        "format" => Some(formats),
        "theme" => Some(themes),
        "rule" | "allow" | "deny" => Some(rules),
        "context" => Some(contexts),
        "command" => Some(commands),
        "instance" => Some(instances),
        "path" | "watches" => Some(paths),
        _ => None,
    }
}

/// Whether an argument is a path, by the word that its help has for it.
fn is_file(arg: &Arg) -> bool {
    let is_path = |name: &str| ["FILE", "DIR"].iter().any(|word| name.contains(word));
    arg.get_value_names().is_some_and(|names| names.iter().any(|name| is_path(name)))
}

fn fitting(values: Values, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let all: BTreeSet<String> = values(&typed).into_iter().collect();
    let values = all.into_iter().filter(|value| value.starts_with(&*typed) && is_harmless(value));
    values.map(CompletionCandidate::new).collect()
}

/// Whether a shell takes a text as it is: names of a file that was read would else act in the line that is typed.
fn is_harmless(value: &str) -> bool {
    value.chars().all(|c| c.is_alphanumeric() || "_-./[]#†@:+,*".contains(c))
}

fn formats(_typed: &str) -> Vec<String> {
    ["auto"].into_iter().chain(all_formats().map(Format::name)).map(str::to_owned).collect()
}

fn themes(_typed: &str) -> Vec<String> {
    let custom_names = Config::load().themes.into_iter().map(|(name, _)| name);
    ["auto"].into_iter().chain(Theme::names()).map(str::to_owned).chain(custom_names).collect()
}

fn rules(_typed: &str) -> Vec<String> {
    FAMILIES.iter().map(|family| family.name).chain(lint::lints().map(|lint| lint.id)).map(str::to_owned).collect()
}

fn contexts(_typed: &str) -> Vec<String> {
    Context::all().map(|context| context.name().to_owned()).collect()
}

fn commands(_typed: &str) -> Vec<String> {
    let program = program();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

/// The instances in the file that the line names.
fn instances(_typed: &str) -> Vec<String> {
    let Some(run) = run_of_line() else { return Vec::new() };
    let tree = run.tree();
    let named = |node| tree.identity(tree.path(node).0).instance.clone();
    let all: BTreeSet<String> = tree.known_nodes(NODES_MAX).into_iter().filter_map(named).collect();
    all.into_iter().collect()
}

/// Paths at which the file that the line names ever had a value; the `†` only where it was typed.
fn paths(typed: &str) -> Vec<String> {
    let Some(run) = run_of_line() else { return Vec::new() };
    let tree = run.tree();
    let named = |node| {
        let (id, path) = tree.path(node);
        let name = run.reference(tree.identity(id), &path);
        let name = if typed.starts_with('†') { name.as_str() } else { name.trim_start_matches('†') };
        Some(name.to_owned()).filter(|name| name.starts_with(typed) && name.chars().count() <= PATH_CHARS_MAX)
    };
    let all: BTreeSet<String> = tree.known_nodes(NODES_MAX).into_iter().filter_map(named).take(PATHS_MAX).collect();
    all.into_iter().collect()
}

/// The run of the file that the line names, if that is not too long to be read on a tab.
fn run_of_line() -> Option<Box<dyn Run>> {
    // The shell's own arguments end with `--`; then comes the line, which begins with the program.
    let line = env::args_os().skip_while(|word| word != "--").skip(2);
    let is_short = |path: &PathBuf| fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= FILE_BYTES_MAX);
    let file = line.map(PathBuf::from).find(is_short)?;
    ingest::open(&file, None).ok()?.run(0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_run_is_not_offered() {
        let values: Values = |_| ["a.b", "a$(x)", "a;b", "a b", "a\u{1b}", "†a.ü[0]"].map(str::to_owned).to_vec();
        let offered = |typed: &str| {
            let all = fitting(values, OsStr::new(typed));
            all.iter().map(|one| one.get_value().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(offered(""), ["a.b", "†a.ü[0]"]);
        assert_eq!(offered("†"), ["†a.ü[0]"]);
    }

    #[test]
    fn arguments_that_are_completed_are_there() {
        let program = program();
        let all: Vec<&Arg> =
            program.get_subcommands().chain([&program]).flat_map(clap::Command::get_arguments).collect();
        for name in ["format", "theme", "rule", "allow", "deny", "context", "command", "instance", "path", "watches"] {
            let found = all.iter().find(|arg| arg.get_id() == name);
            assert!(found.is_some_and(|arg| values_of(arg).is_some()), "{name}");
        }
    }
}
