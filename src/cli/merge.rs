//! `obelus merge`: slots of one data type as one value (S14 to S19).

use super::args::{Question, parsed};
use super::out::{Out, answer};
use super::{Command, Stop};
use crate::json;
use crate::model::Problem;
use clap::{ArgMatches, Args};

pub(super) const COMMAND: Command = Command { name: "merge", describe: Options::augment_args, run };

/// Print slots of one data type merged into one value
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: Question,
    /// Data type to merge [default: every type that merges]
    #[arg(value_name = "TYPE")]
    data_type: Option<String>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open(out)?;
    let merged = opened.run.merge(options.data_type.as_deref(), opened.step, opened.bytes());
    let Some(members) = merged else {
        return Err(Problem::usage(format!("the format {} merges no slots", opened.format())).into());
    };
    if options.question.json {
        out.json(&answer(&opened.header(), &members))?;
        return Ok(0);
    }
    for (_, value) in &members {
        if let Ok(value) = json::parse(value.get()) {
            out.text(&format!("{}\n", json::pretty(&value)))?;
        }
    }
    Ok(0)
}
