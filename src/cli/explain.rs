//! `obelus explain`: what a rule of `check` means, why it matters, what to do.

use super::args::parsed;
use super::out::{Out, Tone};
use super::{Command, Stop};
use crate::lint::{self, FAMILIES, Family, Lint};
use crate::model::Problem;
use crate::text::wrap;
use clap::{ArgMatches, Args};
use serde::Serialize;

/// What is above the text in which a rule is found.
const FOUND: &str = "Found in";

/// Cells of a line of help.
const LINE_CELLS: usize = 92;

pub(super) const COMMAND: Command = Command { name: "explain", describe: Options::augment_args, run };

/// Explain a rule of `check`: what it means, why it matters and what to do
#[derive(Debug, Args)]
struct Options {
    /// A rule, such as acts.type-change, or a family, such as acts; without one, all are listed
    #[arg(value_name = "RULE|FAMILY")]
    rule: Option<String>,
    /// Print JSON: one value for each rule
    #[arg(long)]
    json: bool,
}

/// A rule for programs.
#[derive(Serialize)]
struct RuleLine {
    obelus: u32,
    rule: &'static str,
    family: &'static str,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    or: Option<&'static str>,
    help: &'static str,
    fires: &'static str,
    silent: &'static str,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let asked = options.rule.as_deref();
    let all = FAMILIES.iter().flat_map(|family| family.lints.iter().map(move |lint| (family, lint)));
    let chosen: Vec<_> = all.filter(|(_, lint)| asked.is_none_or(|word| lint::names(word, lint.id))).collect();
    match (asked, chosen.as_slice()) {
        (Some(word), []) => return Err(lint::unknown(word).into()),
        (_, chosen) if options.json => chosen.iter().try_for_each(|(family, lint)| Ok(out.json(&json(family, lint)?)?)),
        (Some(_), [(family, lint)]) => explain(family, lint, out),
        (_, chosen) => list(chosen, out),
    }
    .map(|()| 0)
}

fn json(family: &Family, lint: &'static Lint) -> Result<String, Problem> {
    let Lint { id, severity, or, help, fires, silent } = lint;
    let (severity, or) = (severity.name(), or.map(|severity| severity.name()));
    let line = RuleLine { obelus: 1, rule: id, family: family.name, severity, or, help, fires, silent };
    serde_json::to_string(&line).map_err(|e| Problem::unreadable(format!("a rule has no JSON: {e}")))
}

/// One rule, whole.
fn explain(family: &Family, lint: &Lint, out: &mut Out) -> Result<(), Stop> {
    let or = lint.or.map_or(String::new(), |severity| format!(" or {}", severity.name()));
    let about = format!("  {}{or} · {}", lint.severity.name(), family.title);
    out.styled(&[(Tone::Strong, lint.id), (Tone::Dim, &about)])?;
    out.line("")?;
    for range in wrap(lint.help, LINE_CELLS) {
        out.line(lint.help[range].trim_end())?;
    }
    for (title, text) in [(FOUND, lint.fires), ("Not found in", lint.silent)] {
        out.line("")?;
        let with = format!("  obelus check {}", lint.options());
        out.styled(&[(Tone::Strong, title), (Tone::Dim, if title == FOUND { &with } else { "" })])?;
        for line in text.lines() {
            out.line(&format!("    {line}"))?;
        }
    }
    Ok(())
}

/// Rules with the first sentence of what they mean.
fn list(chosen: &[(&Family, &Lint)], out: &mut Out) -> Result<(), Stop> {
    let row = |(_, lint): &(&Family, &Lint)| {
        let short =
            wrap(lint.short(), LINE_CELLS).into_iter().next().map_or("", |range| lint.short()[range].trim_end());
        let rest = if short.len() < lint.short().len() { "…" } else { "" };
        vec![lint.id.to_owned(), lint.severity.name().to_owned(), format!("{short}{rest}")]
    };
    Ok(out.table(&chosen.iter().map(row).collect::<Vec<_>>())?)
}
