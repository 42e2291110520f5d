//! `obelus merge`: slots of one data type as one value (S14 to S19).

use super::args::{StepQuery, parsed};
use super::open::Opened;
use super::out::{Out, answer, raw};
use super::{Command, Stop};
use crate::format::Merged;
use crate::json;
use crate::model::Problem;
use crate::rules::scopix::{MergedPart, path_text};
use clap::{ArgMatches, Args};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::fmt::Display;

pub(super) const COMMAND: Command = Command { name: "merge", describe: Options::augment_args, run };

/// Print slots of one data type merged into one value
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
    /// Data type to merge [default: every type that merges]
    #[arg(value_name = "TYPE")]
    data_type: Option<String>,
    /// Slot to merge, with others of the same name [default: every slot of the type]
    #[arg(long, value_name = "NAME")]
    slot: Vec<String>,
}

/// A type of `merge --json`.
#[derive(Serialize)]
struct MergedMember<'m> {
    data_type: &'static str,
    slots: &'m [String],
    value: Box<RawValue>,
    parts: Vec<PartMember<'m>>,
}

/// Which slots a part of a merged value came from.
#[derive(Serialize)]
struct PartMember<'m> {
    path: String,
    slots: Vec<&'m str>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open(out)?;
    let is_chosen = |name: &str| options.slot.is_empty() || options.slot.iter().any(|slot| slot == name);
    let merged = opened.run.merge(&is_chosen, options.data_type.as_deref(), opened.step, opened.bytes());
    let Some(merged) = merged else {
        let hint = "only Scopix has slots that merge; `--format scopix` reads it as that";
        return Err(opened.no_answer("merges no slots").hint(hint).into());
    };
    let (slots, missing) = missing_slots(&opened, &options.slot);
    if !missing.is_empty() {
        return report_missing(&opened, &options, (&slots, &missing), out);
    }
    if options.question.json {
        let members = merged.iter().map(member).collect::<Result<Vec<_>, _>>()?;
        let members = to_raw_value(&members).map_err(unprintable)?;
        out.json(&answer(&opened.header(), &vec![("merged", members)]))?;
    } else {
        show(&merged, out)?;
    }
    Ok(0)
}

/// The slots at the step, and the named ones that are not among them.
fn missing_slots<'o>(opened: &'o Opened, named: &'o [String]) -> (Vec<&'o str>, Vec<&'o str>) {
    let tree = opened.run.tree();
    let slots: Vec<&str> =
        tree.identities(opened.step).iter().map(|view| tree.identity(view.id).kind.as_str()).collect();
    let missing = named.iter().map(String::as_str).filter(|name| !slots.contains(name)).collect();
    (slots, missing)
}

/// Names the slots that are not there and those that are.
fn report_missing(
    opened: &Opened,
    options: &Options,
    (slots, missing): (&[&str], &[&str]),
    out: &mut Out,
) -> Result<u8, Stop> {
    if options.question.json {
        let members = vec![("merged", raw(&[""; 0])?), ("missing", raw(missing)?), ("slots", raw(slots)?)];
        out.json(&answer(&opened.header(), &members))?;
    } else {
        let there = match slots {
            [] => "there are no slots".to_owned(),
            _ => format!("the slots are {}", slots.join(", ")),
        };
        out.line(&format!("there is no slot {} at step {}; {there}", missing.join(", "), opened.step))?;
    }
    Ok(1)
}

fn unprintable(error: impl Display) -> Problem {
    Problem::unreadable(format!("the merged value has no JSON: {error}"))
}

fn member(merged: &Merged) -> Result<MergedMember<'_>, Problem> {
    let names = |slots: &[usize]| slots.iter().map(|slot| merged.slots[*slot].as_str()).collect();
    let part = |part: &MergedPart| PartMember { path: path_text(&part.path), slots: names(&part.slots) };
    Ok(MergedMember {
        data_type: merged.data_type,
        slots: &merged.slots,
        value: RawValue::from_string(merged.value.clone()).map_err(unprintable)?,
        parts: merged.parts.iter().map(part).collect(),
    })
}

/// Each type with its slots, and the value, as JSON of two spaces a level.
fn show(merged: &[Merged], out: &mut Out) -> Result<(), Stop> {
    if merged.is_empty() {
        return Ok(out.line("no two slots of one type merge at this step")?);
    }
    for (i, merged) in merged.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        out.line(&format!("{}  merged from {}", merged.data_type, merged.slots.join(", ")))?;
        let value = json::parse(&merged.value).map_err(unprintable)?;
        out.text(&format!("{}\n", json::pretty(&value)))?;
    }
    Ok(())
}
