//! Two stages of one dataset (D2): what the conversion from the first to the second lost of each record.

use super::super::out::{Out, Tone};
use super::Stop;
use super::sets::Side;
use crate::json;
use crate::model::Problem;
use crate::review::{ConversionLoss, conversion_loss};
use crate::rules::trajectory::shape;
use crate::text::counted;
use serde::Serialize;

/// Most records that are listed for people, and most steps of each sort.
const LISTED_MAX: usize = 100;
const STEPS_MAX: usize = 12;

/// A record that is in both stages, and what it lost.
pub(super) struct Converted {
    /// Its id.
    id: Option<String>,
    /// Its numbers.
    pair: (usize, usize),
    loss: ConversionLoss,
}

#[derive(Serialize)]
pub(super) struct ConvertedMember<'c> {
    id: Option<&'c str>,
    a: usize,
    b: usize,
    /// The step that set the task, if it is lost.
    task: Option<usize>,
    calls: CallsMember<'c>,
    thoughts: &'c [usize],
    texts: &'c [Option<usize>],
}

#[derive(Serialize)]
struct CallsMember<'c> {
    a: usize,
    b: usize,
    lost: Vec<CallMember<'c>>,
}

#[derive(Serialize)]
struct CallMember<'c> {
    step: usize,
    tool: &'c str,
}

/// What each record lost, in the order of the first file, if the names of the files say different stages; else of the
/// paired records of different shapes. None: there are none, the files are of one stage.
pub(super) fn converted(
    a: &Side<'_>,
    b: &Side<'_>,
    pairs: &[(usize, usize)],
) -> Result<Option<Vec<Converted>>, Problem> {
    let stage = |side: &Side<'_>| side.loaded.detected.format.stage(&side.file.text());
    let are_stages = stage(a).zip(stage(b)).is_some_and(|(a, b)| a != b);
    let mut out = Vec::new();
    for &pair in pairs {
        let (old, new) = (a.text(pair.0)?, b.text(pair.1)?);
        let (Ok(old), Ok(new)) = (json::parse(&old), json::parse(&new)) else { continue };
        if are_stages || shape(&old) != shape(&new) {
            out.push(Converted { id: b.id(pair.1)?, pair, loss: conversion_loss(&old, &new) });
        }
    }
    Ok((are_stages || !out.is_empty()).then_some(out))
}

/// For programs.
pub(super) fn members(all: &[Converted]) -> Vec<ConvertedMember<'_>> {
    all.iter().map(Converted::member).collect()
}

impl Converted {
    fn member(&self) -> ConvertedMember<'_> {
        let ConversionLoss { task, calls, lost_calls, thoughts, texts } = &self.loss;
        let lost = lost_calls.iter().map(|(step, tool)| CallMember { step: *step, tool }).collect();
        let calls = CallsMember { a: calls.0, b: calls.1, lost };
        let (id, (a, b)) = (self.id.as_deref(), self.pair);
        ConvertedMember { id, a, b, task: *task, calls, thoughts, texts }
    }
}

/// For people: the records that lost something, then how many lost what.
pub(super) fn show(all: &[Converted], out: &mut Out) -> Result<(), Stop> {
    let lossy: Vec<&Converted> = all.iter().filter(|record| !record.loss.is_empty()).collect();
    out.line("")?;
    let text = format!("Conversion: {} in both, {} lost something", counted(all.len(), "record"), lossy.len());
    out.styled(&[(Tone::Strong, &text)])?;
    for record in lossy.iter().take(LISTED_MAX) {
        let (old, new) = record.pair;
        let id = record.id.as_deref().unwrap_or_default();
        out.line(&format!("  {old} → {new}  {id}  {}", loss_line(&record.loss)))?;
    }
    if lossy.len() > LISTED_MAX {
        out.line(&format!("  … {} more; --json lists all", lossy.len() - LISTED_MAX))?;
    }
    Ok(())
}

/// What a record lost, in one line.
fn loss_line(loss: &ConversionLoss) -> String {
    let mut parts = Vec::new();
    parts.extend(loss.task.map(|step| format!("task (step {step})")));
    if loss.calls.1 < loss.calls.0 {
        parts.push(format!("calls {} → {}", loss.calls.0, loss.calls.1));
    }
    let calls = loss.lost_calls.iter().map(|(step, tool)| format!("{step} {tool}"));
    let texts = loss.texts.iter().map(|step| step.map_or_else(|| "system prompt".to_owned(), |step| step.to_string()));
    let thoughts = loss.thoughts.iter().map(usize::to_string);
    parts.extend(listed("call", calls.collect()));
    parts.extend(listed("thought", thoughts.collect()));
    parts.extend(listed("text", texts.collect()));
    parts.join(" · ")
}

fn listed(what: &str, all: Vec<String>) -> Option<String> {
    let more = all.len().saturating_sub(STEPS_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let first = all.iter().take(STEPS_MAX).cloned().collect::<Vec<_>>().join(", ");
    (!all.is_empty()).then(|| format!("{} lost: {first}{more}", counted(all.len(), what)))
}
