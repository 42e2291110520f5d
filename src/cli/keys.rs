//! `obelus keys`: the keys in force, by the names under which the configuration can change them.

use super::args::parsed;
use super::out::{Out, Tone, plain, raw};
use super::{Command, Stop, complain};
use crate::app::keys::{Context, KeyRow};
use crate::model::Problem;
use crate::shell::config::Config;
use clap::{ArgMatches, Args};
use serde::Serialize;

pub(super) const COMMAND: Command = Command { name: "keys", describe: Options::augment_args, run };

/// Print the keys in force with the names by which `[keys]` of the configuration changes them
#[derive(Debug, Args)]
struct Options {
    /// Context whose keys are printed, such as steps [default: all]
    #[arg(value_name = "CONTEXT")]
    context: Option<String>,
    /// Print JSON: one value
    #[arg(long)]
    json: bool,
}

/// One row of the table.
#[derive(Serialize)]
struct Row {
    name: String,
    context: &'static str,
    keys: &'static [&'static str],
    label: &'static str,
    help: &'static str,
}

impl Row {
    fn of(row: &'static KeyRow) -> Self {
        let KeyRow { context, keys, action, label, help, .. } = row;
        Self { name: action.name(), context: context.name(), keys, label, help }
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let known = || Context::all().map(Context::name);
    if let Some(asked) = options.context.as_deref().filter(|asked| known().all(|name| name != *asked)) {
        let problem = Problem::usage(format!("there is no context `{asked}`"));
        return Err(problem.hint(format!("there are: {}", known().collect::<Vec<_>>().join(", "))).into());
    }
    let config = Config::load();
    config.problems.iter().for_each(|problem| complain(&problem.to_string()));
    let is_asked = |row: &&KeyRow| options.context.as_deref().is_none_or(|asked| asked == row.context.name());
    let rows: Vec<Row> = config.keymap.all().iter().filter(is_asked).map(Row::of).collect();
    if options.json {
        out.json(&plain(&vec![("keys", raw(&rows)?)]))?;
        return Ok(0);
    }
    let cells = |row: &Row| vec![row.keys.join(" "), row.name.clone(), row.context.to_owned(), row.help.to_owned()];
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    out.columns(&[Tone::Strong, Tone::Who, Tone::Dim], &rows)?;
    Ok(0)
}
