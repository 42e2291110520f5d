//! `obelus stats`: what files consist of, trajectory by trajectory and as a whole.

use super::args::{FileName, FormatOption, parsed};
use super::out::Out;
use super::{Command, Stop, TROUBLE, complain, survey};
use crate::ingest;
use crate::json::{self, Data, Value};
use clap::{ArgMatches, Args};
use serde_json::value::RawValue;

pub(super) const COMMAND: Command = Command { name: "stats", describe: Options::augment_args, run };

/// Print statistics of files: steps, roles, tools, how runs end
#[derive(Debug, Args)]
struct Options {
    /// Files to read; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Answer for programs: one JSON text a trajectory, then one for the file
    #[arg(long)]
    json: bool,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let mut status = 0;
    for file in &options.files {
        match tell(file, &options, out) {
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
            }
            done => done?,
        }
    }
    Ok(status)
}

fn tell(file: &FileName, options: &Options, out: &mut Out) -> Result<(), Stop> {
    let loaded = ingest::open(file, options.format.forced())?;
    if options.json {
        return survey::stats(&loaded, |stats| Ok(out.json(&survey::line(&file.text(), stats)?)?));
    }
    let mut dataset: Option<Box<RawValue>> = None;
    survey::stats(&loaded, |stats| {
        dataset = Some(stats.to_owned());
        Ok(())
    })?;
    out.line(&format!("{file}  {}", loaded.detected.format.title()))?;
    let rows = match dataset.as_deref().map(|d| json::parse(d.get())) {
        Some(Ok(dataset)) => rows(&dataset),
        _ => Vec::new(),
    };
    Ok(out.table(&rows)?)
}

/// One row a member: a number, or names with their numbers, the greatest first.
fn rows(dataset: &Value<'_>) -> Vec<Vec<String>> {
    let members = dataset.as_object().map(|o| o.entries().collect::<Vec<_>>()).unwrap_or_default();
    let shown =
        members.into_iter().filter(|(key, value)| *key != "type" && !value.as_object().is_some_and(|o| o.is_empty()));
    shown.map(|(key, value)| vec![format!("  {}", key.replace('_', " ")), told(value)]).collect()
}

fn told(value: &Value<'_>) -> String {
    match &value.data {
        Data::Object(object) => {
            let mut members: Vec<_> = object.entries().filter(|(_, v)| v.as_object().is_none()).collect();
            let number = |v: &Value<'_>| v.as_number().and_then(|n| n.parse::<u64>().ok());
            if object.get("p50").is_none() {
                members.sort_by_key(|(_, v)| std::cmp::Reverse(number(v)));
            }
            members.iter().map(|(key, v)| format!("{key} {}", told(v))).collect::<Vec<_>>().join(" · ")
        }
        Data::Bool(is_passed) => (if *is_passed { "pass" } else { "fail" }).to_owned(),
        _ => value.as_str().unwrap_or(value.text).to_owned(),
    }
}
