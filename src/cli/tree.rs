//! `obelus tree`: several attempts at one task, what they begin with alike shown once.

mod actions;

use super::args::{FileName, FormatOption, parsed};
use super::out::{Out, Tone, plain, raw};
use super::{Command, Stop, complain, load};
use crate::format::{Answer, Run};
use crate::ingest::{self, Loaded};
use crate::json::{self, Data, Value};
use crate::model::{Record, StepNo};
use crate::review::{Attempt, SharedSteps, attempt_tasks, attempt_tree};
use crate::rules::trajectory::Way;
use crate::rules::trajectory::read_text;
use crate::text::{counted, single_line};
use clap::{ArgMatches, Args};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Borrow;

/// Most characters of a step that are printed.
const WORDS_CHARS_MAX: usize = 60;

pub(super) const COMMAND: Command = Command { name: "tree", describe: Options::augment_args, run };

/// Print attempts at one task as a tree: shared steps once, where they diverge, how each ended
#[derive(Debug, Args)]
struct Options {
    /// File of trajectories to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: FileName,
    #[command(flatten)]
    format: FormatOption,
    /// Field that names the task, such as details.task [default: task_id, instance_id, the id without its attempt]
    #[arg(long, value_name = "FIELD")]
    by: Option<String>,
    /// Align attempts by what they did, by tool and arguments, and not by whole messages, since sampled text never
    /// repeats: how many succeed after each fork, and where good and bad attempts diverge
    #[arg(long)]
    by_action: bool,
    /// Least reward that is a success, with --by-action
    #[arg(long, value_name = "REWARD", requires = "by_action", default_value_t = 1.0, allow_negative_numbers = true,
        value_parser = super::check::success)]
    success: f64,
    /// Also tasks with one attempt
    #[arg(long)]
    all: bool,
    /// Print JSON: one value for each task
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct StretchMember<'a> {
    parent: Option<usize>,
    from: usize,
    end: usize,
    attempts: usize,
    ends: Vec<EndMember<'a>>,
}

#[derive(Serialize)]
struct EndMember<'a> {
    record: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
    #[serde(skip_serializing_if = "is_zero")]
    begin: usize,
    id: Option<&'a str>,
    reward: Option<Box<RawValue>>,
    finish: Option<&'a str>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl<'a> EndMember<'a> {
    /// An attempt that ends with a stretch.
    fn of(attempt: &'a Attempt) -> Self {
        Self {
            record: attempt.record,
            answer: attempt.answer.as_deref(),
            begin: attempt.begin,
            id: attempt.id.as_deref(),
            reward: attempt.reward.as_deref().and_then(as_written),
            finish: attempt.finish.as_deref(),
        }
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let loaded = load(&options.file, options.format.forced(), out)?;
    if options.by_action {
        return actions::run(&options, &loaded, out);
    }
    let (attempts, unreadable) = read_attempts(&options, &loaded, Attempt::all_of)?;
    let tasks = attempt_tasks(&attempts);
    let shown: Vec<&Vec<usize>> = tasks.iter().filter(|task| options.all || task.len() > 1).collect();
    for task in &shown {
        let stretches = attempt_tree(&attempts, task);
        if options.json {
            programs(&options, &attempts, task, &stretches, out)?;
        } else {
            people(&loaded, &attempts, task, &stretches, out)?;
        }
    }
    report_unreadable(&options.file, unreadable);
    write_tasks(&options, loaded.records()?.len().saturating_sub(unreadable), &tasks, &attempts, out)?;
    Ok(0)
}

/// Reports on standard error how many records are in no task since they cannot be read.
fn report_unreadable(file: &FileName, count: usize) {
    if count > 0 {
        let (records, verb) = (counted(count, "record"), if count == 1 { "is" } else { "are" });
        complain(&format!("{file}: {records} that cannot be read {verb} in no task; `obelus check` lists them"));
    }
}

/// How many tasks have several attempts, for people; `readable`: how many records can be read.
fn write_tasks(
    options: &Options,
    readable: usize,
    tasks: &[Vec<usize>],
    attempts: &[impl Borrow<Attempt>],
    out: &mut Out,
) -> Result<(), Stop> {
    if options.json {
        return Ok(());
    }
    // The answers of a record are one after the other.
    let records = attempts.chunk_by(|a, b| a.borrow().record == b.borrow().record).count();
    let other = readable.saturating_sub(records);
    let other = format!("{} name{}", counted(other, "record"), if other == 1 { "s" } else { "" });
    let (several, all) = (tasks.iter().filter(|task| task.len() > 1).count(), tasks.len());
    let text = format!("{several} of {all} tasks have several attempts; {other} no task");
    Ok(out.styled(&[(Tone::Dim, &text)])?)
}

/// A number as the input writes it, else a string.
fn as_written(reward: &str) -> Option<Box<RawValue>> {
    let is_number = json::parse(reward).is_ok_and(|value| matches!(value.data, Data::Number));
    let text = if is_number { reward.to_owned() } else { json::quote(reward) };
    RawValue::from_string(text).ok()
}

/// Makes the attempts of a record: its number, its value, the field that names the task, how the format is read.
type ReadAttempt<T> = fn(usize, &Value<'_>, Option<&str>, Way) -> Vec<T>;

/// What the tree needs of each record, and how many records cannot be read; other ones without a task have nothing.
fn read_attempts<T: Send>(options: &Options, loaded: &Loaded, read: ReadAttempt<T>) -> Result<(Vec<T>, usize), Stop> {
    let (by, way) = (options.by.as_deref(), loaded.detected.format.way());
    let look =
        |record: &Record, text: &[u8]| read_text(record, text).map(|value| read(record.number, &value, by, way)).ok();
    let (mut out, mut unreadable) = (Vec::new(), 0);
    ingest::look_at_known(loaded, look, |attempts: Option<Vec<T>>| {
        unreadable += usize::from(attempts.is_none());
        out.extend(attempts.into_iter().flatten());
        Ok::<(), Stop>(())
    })?;
    Ok((out, unreadable))
}

/// A task for programs: how many attempts there are, and the stretches.
fn task_members(
    options: &Options,
    first: Option<&Attempt>,
    attempts: usize,
    stretches: &impl Serialize,
) -> Result<Answer, Stop> {
    Ok(vec![
        ("file", raw(&options.file.text())?),
        ("task", raw(&first.map(|attempt| attempt.task.as_str()))?),
        ("attempts", raw(&attempts)?),
        ("stretches", raw(stretches)?),
    ])
}

fn programs(
    options: &Options,
    attempts: &[Attempt],
    task: &[usize],
    stretches: &[SharedSteps],
    out: &mut Out,
) -> Result<(), Stop> {
    let member = |stretch: &SharedSteps| StretchMember {
        parent: stretch.parent,
        from: stretch.steps.start,
        end: stretch.steps.end,
        attempts: stretch.attempts,
        ends: stretch.ends.iter().map(|i| EndMember::of(&attempts[*i])).collect(),
    };
    let stretches: Vec<StretchMember<'_>> = stretches.iter().map(member).collect();
    let first = task.first().map(|i| &attempts[*i]);
    let members = task_members(options, first, task.len(), &stretches)?;
    Ok(out.json(&plain(&members))?)
}

/// The first step of a stretch, with which it goes another way than those beside it: `call bash make`.
fn first_step(run: &dyn Run, step: usize, answer: Option<&str>, loaded: &Loaded) -> String {
    if step >= run.step_count() {
        return String::new();
    }
    let step = run.step(StepNo::try_from(step).unwrap_or(StepNo::MAX), loaded.input.as_ref());
    // Which answer it is, is in the row already, and a beginning that answers share is of all of them.
    let summary = answer.and_then(|answer| step.summary.strip_prefix(answer)?.strip_prefix(": "));
    let words: String =
        single_line(&summary.unwrap_or(&step.summary).chars().take(4 * WORDS_CHARS_MAX).collect::<String>());
    let cut: String = words.chars().take(WORDS_CHARS_MAX).collect();
    let more = if cut.len() < words.len() { "…" } else { "" };
    format!("  {} {cut}{more}", step.label).trim_end().to_owned()
}

fn people(
    loaded: &Loaded,
    attempts: &[Attempt],
    task: &[usize],
    stretches: &[SharedSteps],
    out: &mut Out,
) -> Result<(), Stop> {
    let name = task.first().map_or("", |i| attempts[*i].task.as_str());
    out.styled(&[(Tone::Strong, name), (Tone::Dim, &format!("  {}", counted(task.len(), "attempt")))])?;
    let mut opened: Option<(usize, Box<dyn Run>)> = None;
    for stretch in stretches {
        let first = &attempts[stretch.first];
        let record = first.record;
        let run = match opened.take() {
            Some((number, run)) if number == record => run,
            _ => loaded.run(record)?,
        };
        let words = if stretch.steps.is_empty() {
            String::new()
        } else {
            first_step(run.as_ref(), first.begin + stretch.steps.start, first.answer.as_deref(), loaded)
        };
        opened = Some((record, run));
        let indent = "  ".repeat(stretch.depth.min(40) + 1);
        let begin = first.begin;
        let steps = match stretch.steps.len() {
            0 => "no step alike".to_owned(),
            1 => format!("@{}", begin + stretch.steps.start),
            _ => format!("@{}..@{}", begin + stretch.steps.start, begin + stretch.steps.end - 1),
        };
        if stretch.attempts > 1 {
            let head = format!("{indent}{steps}  {} attempts", stretch.attempts);
            out.styled(&[(Tone::Plain, &head), (Tone::Dim, &words)])?;
        }
        for attempt in stretch.ends.iter().map(|i| &attempts[*i]) {
            let (indent, steps) =
                if stretch.attempts > 1 { (format!("{indent}  "), "ends") } else { (indent.clone(), steps.as_str()) };
            let count_text =
                |name: &str, value: &Option<String>| value.as_ref().map_or(String::new(), |v| format!("  {name} {v}"));
            let id = attempt.id.as_deref().unwrap_or_default();
            let outcome = [count_text("reward", &attempt.reward), count_text("finish", &attempt.finish)].concat();
            let head = format!("{indent}{steps}  {}  {id}", attempt.record_name());
            let words = if stretch.attempts > 1 { "" } else { words.as_str() };
            out.styled(&[(Tone::Plain, head.trim_end()), (Tone::Info, &outcome), (Tone::Dim, words)])?;
        }
    }
    Ok(())
}
