//! `obelus check`: what is wrong with files.

use super::args::{FormatOption, parsed};
use super::out::{Out, plain, raw};
use super::{Command, Stop, TROUBLE, complain, survey};
use crate::format::Answer;
use crate::ingest;
use crate::model::{Finding, Problem, Severity};
use clap::{ArgMatches, Args};

pub(super) const COMMAND: Command = Command { name: "check", describe: Options::augment_args, run };

/// Print the findings of whole files; status 1 if one is an error
#[derive(Debug, Args)]
struct Options {
    /// Files to read; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    #[command(flatten)]
    format: FormatOption,
    /// Answer for programs: one JSON text a line
    #[arg(long)]
    json: bool,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let mut status = 0;
    for file in &options.files {
        match check(file, &options, out) {
            Ok(has_error) => status = status.max(u8::from(has_error)),
            Err(Stop::Problem(problem)) => {
                complain(&problem.to_string());
                status = TROUBLE;
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(status)
}

/// Prints the findings of one file; whether one is an error.
fn check(file: &str, options: &Options, out: &mut Out) -> Result<bool, Stop> {
    let loaded = ingest::open(file, options.format.forced())?;
    let mut worst = None;
    survey::findings(&loaded, |findings| {
        worst = worst.max(findings.iter().map(|f| f.severity).max());
        show(file, &findings, options, out)
    })?;
    if worst.is_none() && !options.json {
        out.line(&format!("{file}: no findings"))?;
    }
    Ok(worst == Some(Severity::Error))
}

fn show(file: &str, findings: &[Finding], options: &Options, out: &mut Out) -> Result<(), Stop> {
    if options.json {
        for finding in findings {
            out.json(&plain(&members(file, finding)?))?;
        }
        return Ok(());
    }
    let rows: Vec<Vec<String>> = findings.iter().map(|f| row(file, f)).collect();
    Ok(out.table(&rows)?)
}

fn members(file: &str, finding: &Finding) -> Result<Answer, Problem> {
    Ok(vec![
        ("file", raw(file)?),
        ("record", raw(&finding.record)?),
        ("step", raw(&finding.step)?),
        ("path", raw(&finding.path)?),
        ("rule", raw(finding.rule)?),
        ("severity", raw(&finding.severity)?),
        ("message", raw(&finding.message)?),
    ])
}

/// Where, how bad, which rule, what is wrong.
fn row(file: &str, finding: &Finding) -> Vec<String> {
    let step = finding.step.map_or(String::new(), |step| format!("@{step}"));
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    vec![
        format!("{file}:{}", finding.record),
        step,
        severity.to_owned(),
        finding.rule.to_owned(),
        finding.path.clone().unwrap_or_default(),
        finding.message.clone(),
    ]
}
