//! `obelus step`: one step as text, for programs that ask through `obelus mcp`.

use super::args::{FileName, FormatOption, parsed, step};
use super::out::Out;
use super::{Command, Stop};
use crate::model::{Problem, StepNo};
use crate::panes::report::Report;
use crate::shell::headless::complete_session;
use crate::ui::report::Syntaxes;
use clap::{ArgMatches, Args};

pub(super) const COMMAND: Command = Command { name: "step", describe, run };

/// People have `steps` and the screen; a row of `COMMANDS` gives it what every command has: custom formats, reports of
/// faults, bounds.
fn describe(command: clap::Command) -> clap::Command {
    Options::augment_args(command).hide(true)
}

/// Show one step: messages, calls, changes of the state, findings
#[derive(Debug, Args)]
struct Options {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: FileName,
    #[command(flatten)]
    format: FormatOption,
    /// Step to print, from 0
    #[arg(long, value_name = "N", required = true, value_parser = step)]
    step: StepNo,
    /// Trajectory of a file that holds several, from 0
    #[arg(long, value_name = "R", default_value_t = 0)]
    record: usize,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let Options { file, format, step, record } = parsed(matches)?;
    let loaded = super::load(&file, format.forced(), out)?;
    let session = complete_session(loaded, record)?;
    let mut report = Report::new(session, (Some(&file.text()), None, None), &Syntaxes);
    let last = report.last();
    if !(0..=last).contains(&step) {
        return Err(Problem::usage(format!("there is no step {step}; {last} is the last, counted from 0")).into());
    }
    let card = report.card(step);
    out.line(card.heading.plain().trim())?;
    for (title, rows) in [("", &card.message), ("changed:", &card.changes), ("findings:", &card.findings)] {
        if !rows.is_empty() && !title.is_empty() {
            out.line("")?;
            out.line(title)?;
        }
        rows.iter().try_for_each(|row| out.line(row.plain().trim_end()))?;
    }
    Ok(0)
}
