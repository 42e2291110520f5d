//! What answers are printed on: colours, width and pager, as asked for and as the terminal has them.

use super::groups::is_paged;
use super::out::Out;
use super::pager::Paged;
use crate::shell::terminal::cells_of_stdout;
use clap::{Arg, ArgAction, ArgMatches, ValueEnum};
use std::env;
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

/// The options that every command takes; the help of the program tells of them.
pub(super) fn arguments(command: clap::Command) -> clap::Command {
    command
        .arg(Arg::new("color").long("color").value_parser(clap::value_parser!(Colour)).hide(true))
        .arg(Arg::new("no-pager").long("no-pager").action(ArgAction::SetTrue).hide(true))
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
