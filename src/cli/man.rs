//! `obelus man`: manual pages, made from the same table as the help.

use super::args::{FileName, parsed};
use super::out::Out;
use super::{Command, Stop, program};
use crate::model::Problem;
use clap::{ArgMatches, Args};
use clap_mangen::Man;
use std::fs;
use std::path::PathBuf;

pub(super) const COMMAND: Command = Command { name: "man", describe: Options::augment_args, run };

/// Print the manual page of the program or of a command in roff, or write all pages into a folder
#[derive(Debug, Args)]
struct Options {
    /// Command whose page is printed [default: the program]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,
    /// Folder to write all pages into, such as obelus.1 and obelus-blame.1; it is created if it is missing
    #[arg(long, value_name = "DIR")]
    out: Option<FileName>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let pages = pages()?;
    if let Some(folder) = options.out {
        let folder = PathBuf::from(folder);
        let failed = |path: &PathBuf, e| Problem::usage(format!("cannot write {}: {e}", path.display()));
        fs::create_dir_all(&folder).map_err(|e| failed(&folder, e))?;
        for (name, text) in &pages {
            let path = folder.join(format!("{name}.1"));
            #[expect(clippy::disallowed_methods, reason = "pages in a folder of the user, rewritten by each run")]
            fs::write(&path, text).map_err(|e| failed(&path, e))?;
        }
        out.line(&format!("{} pages in {}", pages.len(), folder.display()))?;
        return Ok(0);
    }
    let name = options.command.map_or_else(|| "obelus".to_owned(), |command| format!("obelus-{command}"));
    let Some((_, text)) = pages.iter().find(|(page, _)| *page == name) else {
        let problem = Problem::usage(format!("there is no command `{}`", name.trim_start_matches("obelus-")));
        return Err(problem.hint("`obelus help` lists them").into());
    };
    out.exact(text)?;
    Ok(0)
}

/// The name and the text of each page: the program's first.
fn pages() -> Result<Vec<(String, String)>, Problem> {
    let mut program = program().disable_help_subcommand(true);
    program.build();
    // The template of the help lists commands in groups; the page has a section for them.
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut out = vec![("obelus".to_owned(), page(program.clone())?)];
    for command in commands {
        let name = format!("obelus-{}", command.get_name());
        out.push((name, page(command.version(env!("CARGO_PKG_VERSION")))?));
    }
    Ok(out)
}

fn page(command: clap::Command) -> Result<String, Problem> {
    let mut text = Vec::new();
    let failed = |why: String| Problem::unreadable(format!("a manual page cannot be made: {why}"));
    Man::new(command)
        .source(concat!("obelus ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(|e| failed(e.to_string()))?;
    String::from_utf8(text).map_err(|e| failed(e.to_string()))
}
