//! `obelus context`: what fills the model's window at a step.

use super::args::{StepQuery, parsed};
use super::open::Opened;
use super::out::{Out, answer, raw};
use super::{Command, Stop};
use crate::format::{Answer, Compaction, ContextFill, ContextShare};
use crate::model::Problem;
use clap::{ArgMatches, Args};
use serde_json::value::RawValue;

pub(super) const COMMAND: Command = Command { name: "context", describe: Options::augment_args, run };

/// Print what fills the model's window at a step, by role and kind, and what compactions dropped
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open(out)?;
    let run = opened.run.as_ref();
    let fill = ContextFill::of(run, opened.step, opened.bytes(), ContextFill::COMPACTIONS_MAX).ok_or_else(|| {
        opened
            .no_answer("does not say what the model saw in turns")
            .hint("`obelus render` prints what the model sees where the format knows it")
    })?;
    if options.question.json {
        out.json(&answer(&opened.header(), &members(&fill)?))?;
    } else {
        write_report(&opened, &fill, out)?;
    }
    Ok(0)
}

fn members(fill: &ContextFill) -> Result<Answer, Problem> {
    let shares: Vec<Box<RawValue>> = fill.shares.iter().map(share).collect::<Result<_, _>>()?;
    let compactions: Vec<Box<RawValue>> = fill.compactions.iter().map(compaction).collect::<Result<_, _>>()?;
    Ok(vec![
        ("tokens_est", raw(&fill.tokens())?),
        ("shares", raw(&shares)?),
        ("recorded", recorded(fill)?),
        ("compactions", raw(&compactions)?),
    ])
}

fn object(members: &Answer) -> Result<Box<RawValue>, Problem> {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{}", value.get())).collect();
    let text = format!("{{{}}}", members.join(","));
    RawValue::from_string(text).map_err(|e| Problem::unreadable(format!("an answer has no JSON: {e}")))
}

fn share(share: &ContextShare) -> Result<Box<RawValue>, Problem> {
    object(&vec![
        ("role", raw(share.role.name())?),
        ("kind", raw(share.kind)?),
        ("count", raw(&share.count)?),
        ("chars", raw(&share.chars)?),
        ("tokens_est", raw(&share.tokens())?),
    ])
}

fn recorded(fill: &ContextFill) -> Result<Box<RawValue>, Problem> {
    let Some(usage) = fill.recorded else { return raw(&()) };
    object(&vec![
        ("step", raw(&usage.step)?),
        ("read", raw(&usage.read())?),
        ("input", raw(&usage.input)?),
        ("cache_read", raw(&usage.cache_read)?),
        ("cache_write", raw(&usage.cache_write)?),
        ("output", raw(&usage.output)?),
    ])
}

fn compaction(compaction: &Compaction) -> Result<Box<RawValue>, Problem> {
    object(&vec![
        ("step", raw(&compaction.step)?),
        ("dropped", raw(&compaction.dropped)?),
        ("chars", raw(&compaction.chars)?),
        ("tokens_est", raw(&compaction.tokens())?),
    ])
}

/// A line for each role and kind, what was recorded, and what compactions dropped.
fn write_report(opened: &Opened, fill: &ContextFill, out: &mut Out) -> Result<(), Stop> {
    let all = fill.tokens();
    out.line(&format!("step {}: about {all} tokens of text in the window, estimated", opened.step))?;
    let rows: Vec<Vec<String>> = fill.shares.iter().map(|share| cells(share, fill)).collect();
    out.table(&rows)?;
    if let Some(usage) = fill.recorded {
        out.line(&format!(
            "recorded at step {}: {} tokens read ({} from a cache), {} written",
            usage.step,
            usage.read(),
            usage.cache_read,
            usage.output
        ))?;
        if let Some(rest) = usage.read().checked_sub(all).filter(|rest| *rest > 0) {
            out.line(&format!("    about {rest} more than the log holds: system prompt, schemas of tools, estimates"))?;
        }
    }
    for one in &fill.compactions {
        let (step, dropped, tokens) = (one.step, one.dropped, one.tokens());
        out.line(&format!("compaction at step {step}: {dropped} steps left the window, about {tokens} tokens"))?;
    }
    Ok(())
}

fn cells(share: &ContextShare, fill: &ContextFill) -> Vec<String> {
    vec![
        format!("  {}", share.role.name()),
        share.kind.to_owned(),
        format!("{} ×", share.count),
        format!("≈ {} tokens", share.tokens()),
        format!("{} %", fill.percent(share)),
    ]
}
