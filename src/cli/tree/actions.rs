//! `obelus tree --by-action`: attempts aligned by what they did, with success at each fork.

use super::{EndMember, Options, read_attempts, report_unreadable, task_members, write_tasks};
use crate::cli::out::{Out, Tone, plain, raw};
use crate::cli::{Stop, complain};
use crate::ingest::Loaded;
use crate::review::{ActionAttempt, ActionTree, Parting, SharedSteps, Success, action_tree, attempt_tasks};
use crate::text::counted;
use serde::Serialize;

/// Actions of a stretch that are printed for people, from its beginning.
const ACTIONS_MAX: usize = 4;

#[derive(Serialize)]
struct StretchMember<'a> {
    parent: Option<usize>,
    actions: Vec<ActionMember<'a>>,
    attempts: usize,
    rewarded: usize,
    successes: usize,
    mean: Option<f64>,
    ends: Vec<EndMember<'a>>,
}

/// An action of the first attempt of a stretch.
#[derive(Serialize)]
struct ActionMember<'a> {
    record: usize,
    step: usize,
    action: &'a str,
}

#[derive(Serialize)]
struct PartingMember<'a> {
    behind: usize,
    branches: &'a [usize],
    explained: f64,
}

pub(super) fn run(options: &Options, loaded: &Loaded, out: &mut Out) -> Result<u8, Stop> {
    let (attempts, unreadable) = read_attempts(options, loaded, ActionAttempt::all_of)?;
    let tasks = attempt_tasks(&attempts);
    for task in tasks.iter().filter(|task| options.all || task.len() > 1) {
        let tree = action_tree(&attempts, task, options.success);
        if options.json {
            programs(options, &attempts, task, &tree, out)?;
        } else {
            people(&attempts, task, &tree, out)?;
        }
    }
    let mut actions = attempts.iter().flat_map(|attempt| &attempt.actions).peekable();
    if actions.peek().is_some() && actions.all(|action| action.label.starts_with("says ")) {
        let hint = "without --by-action whole messages are aligned";
        complain(&format!(
            "{}: the agent calls nothing, so that all of its answers are one action; {hint}",
            options.file
        ));
    }
    report_unreadable(&options.file, unreadable);
    write_tasks(options, loaded.records()?.len().saturating_sub(unreadable), &tasks, &attempts, out)?;
    Ok(0)
}

fn programs(
    options: &Options,
    attempts: &[ActionAttempt],
    task: &[usize],
    tree: &ActionTree,
    out: &mut Out,
) -> Result<(), Stop> {
    let member = |(stretch, success): &(SharedSteps, Success)| {
        let first = &attempts[stretch.first];
        let actions = first.actions.get(stretch.steps.clone()).unwrap_or_default().iter();
        let record = first.attempt.record;
        StretchMember {
            parent: stretch.parent,
            actions: actions.map(|done| ActionMember { record, step: done.step, action: &done.label }).collect(),
            attempts: success.attempts,
            rewarded: success.rewarded,
            successes: success.successes,
            mean: success.mean(),
            ends: stretch.ends.iter().map(|i| EndMember::of(&attempts[*i].attempt)).collect(),
        }
    };
    let stretches: Vec<StretchMember<'_>> = tree.stretches.iter().map(member).collect();
    let parting = tree.parting.as_ref();
    let parting = parting.map(|p| PartingMember { behind: p.behind, branches: &p.branches, explained: p.explained });
    let first = task.first().map(|i| &attempts[*i].attempt);
    let mut members = task_members(options, first, task.len(), &stretches)?;
    members.push(("parting", raw(&parting)?));
    Ok(out.json(&plain(&members))?)
}

/// `2 of 3 · 0.667`.
fn success_text(success: &Success) -> String {
    match success.mean() {
        Some(mean) => format!("{} of {} · {mean:.3}", success.successes, success.rewarded),
        None => String::new(),
    }
}

fn tone(success: &Success) -> Tone {
    match success.successes {
        _ if success.rewarded == 0 => Tone::Dim,
        0 => Tone::Error,
        n if n == success.rewarded => Tone::Good,
        _ => Tone::Info,
    }
}

fn people(attempts: &[ActionAttempt], task: &[usize], tree: &ActionTree, out: &mut Out) -> Result<(), Stop> {
    let name = task.first().map_or("", |i| attempts[*i].attempt.task.as_str());
    let all = tree.stretches.first().map(|(_, success)| success_text(success)).unwrap_or_default();
    out.styled(&[
        (Tone::Strong, name),
        (Tone::Dim, &format!("  {}  ", counted(task.len(), "attempt"))),
        (Tone::Info, &all),
    ])?;
    for (stretch, success) in &tree.stretches {
        // Where attempts differ from their first action on, nothing is above them.
        if stretch.steps.is_empty() && stretch.ends.is_empty() {
            continue;
        }
        let indent = "  ".repeat(stretch.depth.min(40) + 1);
        let first = &attempts[stretch.first];
        let actions = first.actions.get(stretch.steps.clone()).unwrap_or_default();
        let who = match success.attempts {
            1 => first.attempt.record_name(),
            n => format!("{n} attempts"),
        };
        let more = actions.len().saturating_sub(ACTIONS_MAX);
        for (place, action) in actions.iter().take(ACTIONS_MAX).enumerate() {
            let head = format!("{indent}@{} {}", action.step, action.label);
            match place {
                0 => out.styled(&[
                    (Tone::Plain, &head),
                    (Tone::Dim, &format!("  {who}  ")),
                    (tone(success), &success_text(success)),
                ])?,
                _ => out.line(&head)?,
            }
        }
        if more > 0 {
            out.styled(&[(Tone::Dim, &format!("{indent}… {} more", counted(more, "action")))])?;
        }
        if success.attempts > 1 && !stretch.ends.is_empty() {
            let ends = stretch.ends.iter().map(|i| attempts[*i].attempt.record_name());
            let ends = ends.collect::<Vec<_>>().join(", ").replace(", record ", ", ");
            out.styled(&[(Tone::Dim, &format!("{indent}  ends here: {ends}"))])?;
        }
    }
    match &tree.parting {
        Some(parting) => write_parting(attempts, tree, parting, out),
        None => Ok(()),
    }
}

/// Where good and bad attempts part.
fn write_parting(attempts: &[ActionAttempt], tree: &ActionTree, parting: &Parting, out: &mut Out) -> Result<(), Stop> {
    let action = |stretch: &SharedSteps, last: bool| {
        let actions = attempts[stretch.first].actions.get(stretch.steps.clone()).unwrap_or_default();
        if last { actions.last() } else { actions.first() }.map(|action| format!("@{} {}", action.step, action.label))
    };
    let behind = action(&tree.stretches[parting.behind].0, true);
    let place = behind.map_or_else(|| "at the first action".to_owned(), |behind| format!("behind {behind}"));
    let percent = parting.explained * 100.0;
    let text = format!("  good and bad part {place} ({percent:.0} % of the differences in reward):");
    out.styled(&[(Tone::Strong, &text)])?;
    for branch in &parting.branches {
        let (stretch, success) = &tree.stretches[*branch];
        let head = format!("    {}  ", action(stretch, false).unwrap_or_default());
        out.styled(&[(Tone::Plain, &head), (tone(success), &success_text(success))])?;
    }
    Ok(())
}
