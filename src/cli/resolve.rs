//! `obelus resolve`: what a reference means at a step.

use super::args::{InstanceOption, StepQuery, parsed};
use super::out::{Out, answer};
use super::{Command, Stop, complain};
use crate::format::Resolved;
use crate::json;
use clap::{ArgMatches, Args};

pub(super) const COMMAND: Command = Command { name: "resolve", describe: Options::augment_args, run };

/// Print the value of a reference at a step; status 1 if it has none
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
    /// The reference, such as †state.user
    #[arg(value_name = "REF")]
    reference: String,
    #[command(flatten)]
    instance: InstanceOption,
    /// Data type that the slot must have
    #[arg(long, value_name = "TYPE")]
    expect: Option<String>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    let instance = opened.instance(&options.instance);
    let expect = options.expect.as_deref();
    let resolved = opened.run.resolve(&options.reference, opened.step, instance.as_deref(), expect, opened.bytes());
    if options.question.json {
        out.json(&answer(&opened.header(), &resolved.fields))?;
    } else {
        show(&resolved, out)?;
        // What is not a reference at all is explained: `state.user` lacks its sign, which other commands add.
        if let Some(problem) = opened.run.locate(&options.reference, opened.step).err().filter(|_| !resolved.is_ok) {
            complain(&problem.to_string());
        }
    }
    Ok(u8::from(!resolved.is_ok))
}

/// The value, or why there is none; then where it comes from.
fn show(resolved: &Resolved, out: &mut Out) -> Result<(), Stop> {
    if let Some((_, value)) = resolved.fields.iter().find(|(name, _)| *name == "value") {
        match json::parse(value.get()) {
            Ok(value) => out.text(&format!("{}\n", json::pretty(&value)))?,
            Err(_) => out.line(value.get())?,
        }
    }
    let lines: Vec<String> = resolved
        .fields
        .iter()
        .filter(|(name, _)| !matches!(*name, "value" | "ref"))
        .map(|(name, value)| format!("{name} {}", value.get().trim_matches('"')))
        .collect();
    Ok(out.line(&lines.join(" · "))?)
}
