//! What answers are printed on: colours, width and pager, as asked for and as the terminal has them.

use super::groups::is_paged;
use super::out::Out;
use super::pager::Paged;
use crate::platform::cells_of_stdout;
use clap::{Arg, ArgAction, ArgMatches, ValueEnum};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};

/// When answers are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    /// On a terminal, unless the environment says otherwise.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The options that every command takes, also before its name; the help of the program reports them.
pub(super) fn arguments(command: clap::Command) -> clap::Command {
    command
        .arg(Arg::new("color").long("color").value_parser(clap::value_parser!(Colour)).hide(true))
        .arg(Arg::new("no-pager").long("no-pager").action(ArgAction::SetTrue).hide(true))
}

/// The arguments of the program with these options after the name of the command, where they precede it.
pub(super) fn behind_command(mut arguments: Vec<OsString>, is_command: impl Fn(&OsStr) -> bool) -> Vec<OsString> {
    let mut at = 1;
    while let Some(text) = arguments.get(at).and_then(|argument| argument.to_str()) {
        at += match text {
            "--color" => 2,
            _ if text == "--no-pager" || text.starts_with("--color=") => 1,
            _ => break,
        };
    }
    if arguments.get(at).is_some_and(|name| is_command(name)) {
        arguments[1..=at].rotate_right(1);
    }
    arguments
}

/// Standard output for the answer of a command.
pub(super) fn out(matches: &ArgMatches) -> Out<'static> {
    let (stdout, is_terminal) = (io::stdout(), io::stdout().is_terminal());
    let Some((name, options)) = matches.subcommand() else { return Out::new(stdout, is_terminal) };
    let asked = options.try_get_one::<Colour>("color").ok().flatten().copied();
    let is_coloured = has_colours(asked.unwrap_or(Colour::Auto), is_terminal, |name| env::var(name).ok());
    let size = cells_of_stdout().filter(|_| is_terminal);
    let is_set = |name| options.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false);
    let out = match size.filter(|_| is_paged(name) && !is_set("no-pager") && !is_set("json")) {
        Some(size) => Out::new(Paged::new(stdout, size), true),
        None => Out::new(stdout, is_terminal),
    };
    out.coloured(is_coloured).cut_to(size.map(|(width, _)| usize::from(width)))
}

/// Whether answers are coloured: by what was asked for, else by the environment, else on a terminal that has colours.
fn has_colours(asked: Colour, is_terminal: bool, get: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name| get(name).is_some_and(|value| !value.is_empty());
    match asked {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if is_set("NO_COLOR") => false,
        Colour::Auto if is_set("CLICOLOR_FORCE") && get("CLICOLOR_FORCE").as_deref() != Some("0") => true,
        Colour::Auto => is_terminal && get("TERM").as_deref() != Some("dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_before_the_command_go_behind_it() {
        let moved = |words: &str| {
            let words = words.split(' ').map(OsString::from).collect();
            let all = behind_command(words, |name| name == "blame" || name == "steps");
            all.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(moved("obelus --color always blame f"), "obelus blame --color always f");
        assert_eq!(moved("obelus --no-pager --color=never steps f"), "obelus steps --no-pager --color=never f");
        for same in ["obelus blame --color always f", "obelus --color blame", "obelus --color always f", "obelus", ""] {
            assert_eq!(moved(same), same);
        }
    }

    #[test]
    fn colours_are_as_asked_for_then_as_the_environment_says() {
        let has = |asked, is_terminal, set: &[(&str, &str)]| {
            let get = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
            has_colours(asked, is_terminal, get)
        };
        let (no, force) = (("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"));
        assert!(has(Colour::Auto, true, &[]) && !has(Colour::Auto, false, &[]));
        assert!(has(Colour::Always, false, &[no]) && !has(Colour::Never, true, &[force]));
        assert!(!has(Colour::Auto, true, &[no, force]) && has(Colour::Auto, false, &[force]));
        assert!(!has(Colour::Auto, false, &[("CLICOLOR_FORCE", "0")]) && !has(Colour::Auto, true, &[("TERM", "dumb")]));
        assert!(has(Colour::Auto, true, &[("NO_COLOR", "")]));
    }
}
