//! The commands by what one wants of them, and what `--help` shows first.

use super::Command;
use std::fmt::Write as _;

/// Headings of the help, each with its commands in order.
pub(super) static GROUPS: &[(&str, &[&str])] = &[
    (
        "Look",
        &[
            "state", "steps", "files", "render", "context", "plan", "merge", "stats", "table", "tree", "tail",
            "replay", "formats", "demo",
        ],
    ),
    ("Ask", &["blame", "history", "cause", "when", "resolve", "diff", "query"]),
    ("Check", &["check", "explain", "loss"]),
    ("Review", &["mark", "marks", "export", "report"]),
    ("Set up", &["doctor", "config", "keys", "themes", "mcp", "completions", "man"]),
];

/// What one begins with, and what it is for.
const EXAMPLES: &[(&str, &str)] = &[
    ("obelus run.jsonl", "look through a run"),
    ("obelus blame run.jsonl state.budget", "which step wrote a value"),
    ("obelus when run.jsonl state.budget --equals null", "since when it is null"),
    ("obelus diff before.jsonl after.jsonl", "how two runs differ"),
    ("obelus check run.jsonl", "what is wrong in it"),
    ("obelus export data.jsonl --mark good --out train.jsonl", "the records that were kept"),
];

/// Commands that write as they go, or to a file: their answers are not paged.
const UNPAGED: &[&str] = &["tail", "replay", "demo", "query", "mark", "export", "report", "picture", "man", "mcp"];

/// Columns that lines of the help are wrapped to.
const HELP_CELLS: usize = 100;
/// Columns of a command's name.
const NAME_CELLS: usize = 14;

/// Whether the answer of a command may go through a pager.
pub(super) fn is_paged(command: &str) -> bool {
    !UNPAGED.contains(&command)
}

/// The help of the program: what it is, how it is called, examples, commands in groups, then arguments and options.
pub(super) fn help_template(commands: &[Command]) -> String {
    let mut out = "{about-with-newline}\n{usage-heading} {usage}\n\nExamples:\n".to_owned();
    let cells = EXAMPLES.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    for (line, about) in EXAMPLES {
        let _ = writeln!(out, "  {line:<cells$}  {about}");
    }
    for (heading, names) in GROUPS {
        let _ = writeln!(out, "\n{heading}:");
        for command in names.iter().filter_map(|name| commands.iter().find(|command| command.name == *name)) {
            let described = (command.describe)(clap::Command::new(command.name));
            let about = described.get_about().map(ToString::to_string).unwrap_or_default();
            put_command(command.name, &about, &mut out);
        }
    }
    out.push_str(
        "\n`obelus help blame` describes `blame` in full. Commands take `--color auto|always|never` (NO_COLOR and\n\
         CLICOLOR_FORCE are respected) and `--no-pager`; long answers go through $PAGER on a terminal.\n\
         Exit status: 0 for an answer; 1 for an answer that is no, where a command says so; 2 for no answer:\n\
         an input that cannot be read, a wrong option, an output that cannot be written.\n\n\
         Arguments:\n{positionals}\n\nOptions:\n{options}",
    );
    out
}

/// A command with its sentence, wrapped.
fn put_command(name: &str, about: &str, out: &mut String) {
    let _ = write!(out, "  {name:<width$}", width = NAME_CELLS - 2);
    let mut used = NAME_CELLS;
    for (i, word) in about.split(' ').enumerate() {
        let cells = word.chars().count();
        if i > 0 && used + 1 + cells > HELP_CELLS {
            let _ = write!(out, "\n{:NAME_CELLS$}", "");
            used = NAME_CELLS;
        } else if i > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += cells;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{COMMANDS, program};

    #[test]
    fn every_command_that_is_shown_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.retain(|name| cfg!(feature = "query") || *name != "query");
        grouped.sort_unstable();
        let hidden: Vec<String> =
            program().get_subcommands().filter(|c| c.is_hide_set()).map(|c| c.get_name().into()).collect();
        let shown = COMMANDS.iter().map(|command| command.name).filter(|name| !hidden.iter().any(|h| h == name));
        let mut shown: Vec<&str> = shown.collect();
        shown.sort_unstable();
        assert_eq!(grouped, shown);
        assert!(UNPAGED.iter().all(|name| COMMANDS.iter().any(|c| c.name == *name) || *name == "query"));
    }

    #[test]
    fn the_examples_are_calls_that_the_program_takes() {
        for (line, _) in EXAMPLES {
            assert!(program().try_get_matches_from(line.split(' ')).is_ok(), "{line}");
        }
    }

    #[test]
    fn long_sentences_are_wrapped_behind_the_name() {
        let mut out = String::new();
        put_command("loss", &"word ".repeat(30), &mut out);
        assert!(out.lines().count() == 2 && out.lines().all(|line| line.chars().count() <= HELP_CELLS), "{out}");
        assert!(
            out.starts_with("  loss        word")
                && out.lines().nth(1).is_some_and(|l| l.starts_with("              word"))
        );
    }
}
