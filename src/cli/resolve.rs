//! `obelus resolve`: what a reference means at a step.

use super::args::{InstanceOption, StepQuery, parsed};
use super::open::Opened;
use super::out::{Out, answer};
use super::{Command, Stop, complain};
use crate::format::{Instances, Resolved, TypedPath};
use crate::json;
use clap::{ArgMatches, Args};
use std::collections::BTreeSet;

pub(super) const COMMAND: Command = Command { name: "resolve", describe: Options::augment_args, run };

/// Print the value of a reference at a step; status 1 if it has none
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
    /// The reference, such as †state.user; without --json also a path as other commands take it, such as state#2.user
    #[arg(value_name = "REF")]
    reference: String,
    /// Instance of the kind, such as ② or 2: what it has, else what the global identity has [default: the global one]
    #[arg(long, value_name = "I")]
    instance: Option<String>,
    /// Print the value alone: a text as it is, without quotes, such as a patch
    #[arg(long, short, conflicts_with = "json")]
    raw: bool,
    /// Data type that the slot must have
    #[arg(long, value_name = "TYPE")]
    expect: Option<String>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    let asked = InstanceOption { instance: options.instance.clone() };
    let instance = opened.instance(&asked);
    let expect = options.expect.as_deref();
    let ask = |reference: &str, instance: Option<&str>| {
        opened.run.resolve(reference, opened.step, instance, expect, opened.bytes())
    };
    let mut resolved = ask(&options.reference, instance.as_deref());
    if options.question.json {
        out.json(&answer(&opened.header(), &resolved.fields))?;
        return Ok(u8::from(!resolved.is_ok));
    }
    // What is no reference may be a path as other commands take it: without its sign, with its instance.
    let problem = opened.run.locate(&options.reference, opened.step).err().filter(|_| !resolved.is_ok);
    let typed = problem.as_ref().and_then(|_| typed(&opened, &options.reference, &asked));
    if let Some(typed) = &typed {
        resolved = ask(&typed.path, typed.instance.as_deref());
    }
    match text_of(&resolved).filter(|_| options.raw) {
        Some(text) if text.ends_with('\n') => out.exact(&text)?,
        Some(text) => out.exact(&format!("{text}\n"))?,
        None if options.raw && !resolved.is_ok => complain(&status_line(&resolved)),
        None => show(&resolved, out)?,
    }
    if let Some(problem) = problem.filter(|_| typed.is_none()) {
        complain(&problem.to_string());
    } else if !resolved.is_ok && instance.is_none() {
        only_in_instances(&opened, &options.reference).iter().for_each(|message| complain(message));
    }
    Ok(u8::from(!resolved.is_ok))
}

/// Which instances have what the global identity lacks.
fn only_in_instances(opened: &Opened, path: &str) -> Option<String> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let typed = TypedPath::read(run, path, None, opened.step).ok()?;
    let places = typed.places(tree);
    let names: BTreeSet<&str> = places.iter().filter_map(|(id, _)| tree.identity(*id).instance.as_deref()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let message = || format!("{} is there in {}; --instance asks one of them", typed.path, names.join(", "));
    (run.instances() == Instances::Chosen && !names.is_empty()).then(message)
}

/// A path that is no reference, as other commands read it; None: they do not know it either.
fn typed(opened: &Opened, path: &str, asked: &InstanceOption) -> Option<TypedPath> {
    let run = opened.run.as_ref();
    let typed = TypedPath::read(run, path, asked.instance.as_deref(), opened.step).ok()?;
    (!typed.places(run.tree()).is_empty()).then_some(typed)
}

/// The value: a text without quotes and escapes, anything else as JSON.
fn text_of(resolved: &Resolved) -> Option<String> {
    let (_, value) = resolved.fields.iter().find(|(name, _)| *name == "value")?;
    let parsed = json::parse(value.get()).ok()?;
    Some(parsed.as_str().map_or_else(|| value.get().to_owned(), str::to_owned))
}

/// The value, or why there is none; then where it comes from.
fn show(resolved: &Resolved, out: &mut Out) -> Result<(), Stop> {
    if let Some((_, value)) = resolved.fields.iter().find(|(name, _)| *name == "value") {
        match json::parse(value.get()) {
            Ok(value) => out.text(&format!("{}\n", json::pretty(&value)))?,
            Err(_) => out.line(value.get())?,
        }
    }
    Ok(out.line(&status_line(resolved))?)
}

/// All that is known but the value.
fn status_line(resolved: &Resolved) -> String {
    let members: Vec<String> = resolved
        .fields
        .iter()
        .filter(|(name, _)| !matches!(*name, "value" | "ref"))
        .map(|(name, value)| format!("{name} {}", value.get().trim_matches('"')))
        .collect();
    members.join(" · ")
}
