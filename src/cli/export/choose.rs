//! What an export chooses by what records are to one another: copies, attempts at a task, and parts that share nothing.

use super::candidates::{CandidateRecord, Candidates};
use super::{Dedupe, Options};
use crate::cli::task_groups::rollouts;
use crate::cli::{Stop, complain};
use crate::json;
use crate::model::{Problem, lossy};
use crate::review::{Judged, NotPicked, Pick, Picker, Rollout, Split, lot};
use crate::rules::data::{AskedQuestions, CopyKind, Crossing, Families, Likeness};
use crate::rules::trajectory::{Way, task};
use crate::text::counted;
use std::collections::HashMap;

/// The share of runs of words that two texts have in common is estimated, and may be off by so much: what is so near to
/// the share that is asked for stays in one part too.
const NEAR_MARGIN: f64 = 0.1;
/// More than this share of the records in one family makes shares that nobody asked for.
const LARGE_PERCENT: usize = 50;

/// How questions are compared: by the method of `check --against`.
const QUESTIONS_BY: &str = "runs of 8 words of the first user message, of 11 words or more: most of them anywhere in a \
                            record of another part, or equal words";

/// That no family of records is in several parts.
#[derive(Debug, Clone)]
pub(super) struct Proof {
    /// The field that names the task; None: those that usually do.
    by: Option<String>,
    near: f64,
    records: usize,
    tasks: usize,
    families: usize,
    largest: usize,
    /// Records that name no task: each is one by itself.
    unnamed: usize,
    crossing: Crossing,
}

impl Proof {
    /// For people, as lines.
    pub(super) fn describe(&self) -> Vec<String> {
        let Crossing { tasks, copies, near_copies, questions } = self.crossing;
        let (families, largest) = (self.families, self.largest);
        let mut lines = vec![format!(
            "split: {families} families of {} tasks, copies, near copies and questions; in several parts: {tasks} \
             tasks, {copies} copies, {near_copies} near copies, {questions} questions",
            self.tasks
        )];
        if self.unnamed > 0 {
            lines.push(format!("       {} of {} records name no task and are one each", self.unnamed, self.records));
        }
        if largest * 100 > self.records * LARGE_PERCENT && families > 1 {
            lines.push(format!(
                "       one family has {largest} of {} records, joined by tasks, near copies (fewer with a greater --near) and \
                 quoted questions",
                self.records
            ));
        }
        lines
    }

    /// As the manifest has it.
    pub(super) fn written(&self) -> String {
        let by = self.by.as_deref().map_or_else(|| "null".to_owned(), json::quote);
        let Crossing { tasks, copies, near_copies, questions } = self.crossing;
        let crossing = format!(
            "{{\"tasks\":{tasks},\"copies\":{copies},\"near_copies\":{near_copies},\"questions\":{questions}}}"
        );
        format!(
            "{{\"by\":{by},\"near\":{},\"records\":{},\"tasks\":{},\"families\":{},\"largest_family\":{},\
             \"questions_by\":\"{QUESTIONS_BY}\",\"crossing\":{crossing}}}",
            self.near, self.records, self.tasks, self.families, self.largest
        )
    }
}

/// How the records of an input are read.
fn way(sifted: &Candidates<'_>, seen: &CandidateRecord<'_>) -> Way {
    sifted.inputs.get(seen.source).map_or(Way::Formats, |loaded| loaded.detected.format.way())
}

/// Gives the records that are wanted so far.
fn taken(sifted: &Candidates<'_>, mut take: impl FnMut(&CandidateRecord<'_>)) -> Result<(), Stop> {
    sifted.each(|seen| {
        if let Judged::Taken(_) = seen.judged {
            take(&seen);
        }
        Ok(())
    })
}

fn likeness(seen: &CandidateRecord<'_>, way: Way) -> Option<Likeness> {
    json::parse_lenient(&lossy(seen.text)).ok().map(|record| Likeness::of(&record, way))
}

/// The records of which an earlier one is a copy, with why they are left out.
pub(super) fn copies(options: &Options, sifted: &Candidates<'_>) -> Result<HashMap<u64, &'static str>, Stop> {
    // Each record is a task of its own, so families are of copies alone.
    let near = if options.dedupe == Some(Dedupe::Near) { options.near } else { f64::INFINITY };
    let (mut families, mut numbers) = (Families::new(near), Vec::new());
    taken(sifted, |seen| {
        if let Some(likeness) = likeness(seen, way(sifted, seen)) {
            families.add(likeness, &seen.number.to_be_bytes());
            numbers.push(seen.number);
        }
    })?;
    let kinds = families.copies();
    let conflicts = numbers.iter().zip(&kinds).filter_map(|(number, kind)| match kind {
        CopyKind::OtherLabel(first, name) => Some((*number, *numbers.get(*first as usize)?, *name)),
        CopyKind::First | CopyKind::Copy => None,
    });
    note_conflicts(sifted, &conflicts.collect::<Vec<_>>())?;
    let later = numbers.iter().zip(&kinds).filter(|(_, kind)| **kind == CopyKind::Copy);
    Ok(later.map(|(number, _)| (*number, "copy of an earlier record")).collect())
}

/// Says which records have the content of an earlier one and another label: both stay.
fn note_conflicts(sifted: &Candidates<'_>, conflicts: &[(u64, u64, &'static str)]) -> Result<(), Stop> {
    if let Some((number, first, name)) = conflicts.first() {
        let (record, other) = (place(sifted, *number)?, place(sifted, *first)?);
        complain(&format!(
            "{} with the content of an earlier one and another label are no copies and stay \
             (data.conflicting-label): first {record}, whose `{name}` is not that of {other}",
            counted(conflicts.len(), "record")
        ));
    }
    Ok(())
}

/// The file of a record and its number there, by the number that is counted through all inputs.
fn place(sifted: &Candidates<'_>, mut number: u64) -> Result<String, Problem> {
    for loaded in sifted.inputs {
        let records = if sifted.takes_whole(loaded) { 1 } else { loaded.records()?.len() as u64 };
        if number < records {
            return Ok(format!("record {number} of {}", loaded.input.name()));
        }
        number -= records;
    }
    Ok(format!("record {number}"))
}

/// A field that is to name tasks, and names none.
fn refuse_unnamed(options: &Options, records: usize, named: usize) -> Result<(), Stop> {
    match &options.split_by {
        Some(field) if named == 0 && records > 0 => {
            let problem = Problem::usage(format!("no record has the field {field}, which --split-by names"));
            Err(problem.hint("it is the path of a text or number, as details.task").into())
        }
        _ => Ok(()),
    }
}

/// The attempts that are not picked of their tasks.
pub(super) fn unpicked(options: &Options, sifted: &Candidates<'_>) -> Result<NotPicked, Stop> {
    let mut picker = Picker::default();
    let (mut records, mut named) = (0, 0);
    taken(sifted, |seen| {
        let text = lossy(seen.text);
        let record = json::parse_lenient(&text).ok();
        records += 1;
        named += usize::from(record.as_ref().is_some_and(|it| task(it, options.split_by.as_deref()).is_some()));
        let number = usize::try_from(seen.number).unwrap_or(usize::MAX);
        let by = options.split_by.as_deref();
        let of = |record| match sifted.inputs.get(seen.source) {
            Some(loaded) if !sifted.takes_whole(loaded) => rollouts(loaded, seen.record.number, &record, (number, by)),
            _ => Ok(Rollout::all_of(number, &record, by, way(sifted, seen))),
        };
        // What cannot be read any more is reported when it is written.
        let rollouts = record.map(of).and_then(Result::ok).unwrap_or_default();
        if rollouts.is_empty() {
            picker.add_other(seen.number);
        }
        for (place, rollout) in (0_u32..).zip(rollouts) {
            let mut key = seen.key.bits().to_be_bytes().to_vec();
            // Answers of one record draw different lots.
            key.extend(rollout.answer.iter().flat_map(|_| place.to_be_bytes()));
            picker.add(rollout, seen.number, lot(options.seed, &key));
        }
    })?;
    refuse_unnamed(options, records, named)?;
    let asks_for_rewards = options.signal || matches!(options.pick.pick(), Pick::Best | Pick::Worst);
    if let (unrewarded @ 1.., tasks) = picker.unrewarded()
        && asks_for_rewards
    {
        complain(&format!(
            "{unrewarded} of {} have no reward that is read, so none of their attempts is better than another \
             (--map reward=JQ says where it is)",
            counted(tasks, "task")
        ));
    }
    Ok(picker.unpicked(options.pick.pick(), options.per_task, options.signal))
}

/// Puts records together of which one holds the question of another, in a second pass: any of them may.
fn unite_quoted(sifted: &Candidates<'_>, mut asked: AskedQuestions, families: &mut Families) -> Result<(), Stop> {
    asked.settle();
    let mut number = 0;
    taken(sifted, |seen| {
        if let Ok(record) = json::parse_lenient(&lossy(seen.text)) {
            families.unite_quoted(number, &asked.inside(&record, way(sifted, seen)));
            number += 1;
        }
    })
}

/// The part of each record that is wanted, by its number, and the proof.
pub(super) fn parts(
    options: &Options,
    split: &Split,
    sifted: &Candidates<'_>,
) -> Result<(HashMap<u64, usize>, Proof), Stop> {
    // What is nearly near stays together too: shares are estimated, but for that of equal runs.
    let near = if options.near < 1.0 { options.near - NEAR_MARGIN } else { options.near };
    let (mut families, mut numbers) = (Families::new(near), Vec::new());
    let (mut asked, mut named) = (AskedQuestions::default(), 0);
    taken(sifted, |seen| {
        let text = lossy(seen.text);
        let Ok(record) = json::parse_lenient(&text) else { return };
        let task = task(&record, options.split_by.as_deref());
        named += usize::from(task.is_some());
        let lot = task.map_or_else(|| seen.key.bits().to_be_bytes().to_vec(), String::into_bytes);
        families.add(Likeness::of(&record, way(sifted, seen)), &lot);
        asked.add(numbers.len(), &record, way(sifted, seen));
        numbers.push(seen.number);
    })?;
    refuse_unnamed(options, numbers.len(), named)?;
    families.unite_questions();
    unite_quoted(sifted, asked, &mut families)?;
    let parts: Vec<usize> = families.lots().into_iter().map(|lot| split.part(options.seed, lot)).collect();
    let (count, largest) = families.sizes();
    let proof = Proof {
        by: options.split_by.clone(),
        near: options.near,
        records: numbers.len(),
        tasks: families.tasks(),
        families: count,
        largest,
        unnamed: numbers.len() - named,
        crossing: families.crossing(&parts),
    };
    Ok((numbers.into_iter().zip(parts).collect(), proof))
}
