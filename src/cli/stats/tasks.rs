//! `obelus stats --tasks`: the attempts at each task as a group: rewards, how often they succeed, which have no signal.

use super::super::filter::passes;
use super::{Options, Together};
use crate::cli::Stop;
use crate::cli::out::{Out, Tone, plain, raw};
use crate::cli::task_groups::{rollouts, rollouts_of_run};
use crate::ingest::{self, Loaded};
use crate::model::{Problem, Record};
use crate::review::{Costs, Group, Groups};
use crate::rules::trajectory::read_text;
use crate::source::RecordReader;
use crate::text::counted;
use serde::Serialize;
use std::collections::BTreeMap;

/// A task for programs; what is not known is null.
#[derive(Serialize)]
struct TaskLine<'a> {
    task: &'a str,
    attempts: u64,
    rewarded: u64,
    successes: u64,
    mean: Option<f64>,
    deviation: Option<f64>,
    signal: Option<bool>,
    pass_at: BTreeMap<u64, f64>,
    pass_all: BTreeMap<u64, f64>,
    steps_of_successes: Option<f64>,
    steps_of_failures: Option<f64>,
}

/// The tasks of one file, or of all.
#[derive(Default)]
pub(super) struct Tasks {
    groups: Groups,
    /// The records of the files before.
    records: usize,
}

impl Tasks {
    /// Takes the records of a file.
    pub(super) fn add(&mut self, options: &Options, loaded: &Loaded, passing: Option<&[bool]>) -> Result<(), Problem> {
        if ingest::is_run(loaded) {
            let rollouts = rollouts_of_run(loaded, options.by.as_deref())?.into_iter().enumerate();
            let wanted = rollouts.filter(|(number, _)| passes(passing, *number)).flat_map(|(_, rollouts)| rollouts);
            wanted.for_each(|rollout| self.groups.add(&rollout, options.success));
            return Ok(());
        }
        let mut reader = RecordReader::new(&loaded.input);
        let is_wanted = |record: &Record| passes(passing, record.number);
        for record in loaded.records()?.iter().filter(is_wanted) {
            let Ok(value) = read_text(&record, reader.text(&record)?) else { continue };
            let number = self.records + record.number;
            let rollouts = rollouts(loaded, record.number, &value, (number, options.by.as_deref()))?;
            rollouts.iter().for_each(|rollout| self.groups.add(rollout, options.success));
        }
        self.records += loaded.records()?.len();
        Ok(())
    }

    /// The names of the tasks, without those that are records of several answers and no other record names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let is_record =
            |name: &str| name.strip_prefix("record ").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        self.groups.tasks.iter().map(|(name, _)| name.as_str()).filter(move |name| !is_record(name))
    }

    /// Reports them.
    pub(super) fn write_report(&self, of: &Together<'_>, json: bool, out: &mut Out) -> Result<(), Stop> {
        if json { programs(of, &self.groups, out) } else { people(of, &self.groups, out) }
    }
}

/// Tasks with at least two rewards, and those of them whose rewards are all equal.
fn signals(groups: &Groups) -> (usize, usize) {
    let several = || groups.tasks.iter().map(|(_, group)| group).filter(|group| group.rewarded > 1);
    (several().count(), several().filter(|group| group.has_signal() == Some(false)).count())
}

fn programs(of: &Together<'_>, groups: &Groups, out: &mut Out) -> Result<(), Stop> {
    for (task, group) in &groups.tasks {
        let passes = |pass: fn(&Group, u64) -> Option<f64>| {
            group.ks().into_iter().filter_map(|k| Some((k, pass(group, k)?))).collect::<BTreeMap<_, _>>()
        };
        let (steps_of_successes, steps_of_failures) = group.steps();
        let line = TaskLine {
            task,
            attempts: group.attempts,
            rewarded: group.rewarded,
            successes: group.successes,
            mean: group.mean(),
            deviation: group.deviation(),
            signal: group.has_signal(),
            pass_at: passes(Group::pass_at),
            pass_all: passes(Group::pass_all),
            steps_of_successes,
            steps_of_failures,
        };
        out.json(&plain(&vec![of.member()?, ("type", raw("task")?), ("group", raw(&line)?)]))?;
    }
    let passes = |of: fn(&Group, u64) -> Option<f64>| {
        let mean = |k: u64| Some((k, groups.mean(|group| of(group, k))?));
        groups.ks().into_iter().filter_map(mean).collect::<BTreeMap<_, _>>()
    };
    let (several, without) = signals(groups);
    let sum = |of: fn(&Group) -> u64| groups.tasks.iter().map(|(_, group)| of(group)).sum::<u64>();
    let members = vec![
        of.member()?,
        ("type", raw("tasks")?),
        ("tasks", raw(&groups.tasks.len())?),
        ("attempts", raw(&sum(|group| group.attempts))?),
        ("rewarded", raw(&sum(|group| group.rewarded))?),
        ("answers", raw(&groups.answers)?),
        ("unnamed", raw(&groups.unnamed)?),
        ("with_several_rewards", raw(&several)?),
        ("without_signal", raw(&without)?),
        ("cost", raw(&Some(groups.costs.sum).filter(|_| groups.costs.attempts > 0))?),
        ("with_cost", raw(&groups.costs.attempts)?),
        ("cost_per_success", raw(&groups.costs.per_success())?),
        ("mean", raw(&groups.mean(Group::mean))?),
        ("steps_with_reward", raw(&groups.length_and_reward().0)?),
        ("steps_with_reward_in_tasks", raw(&groups.length_and_reward().1)?),
        ("pass_at", raw(&passes(Group::pass_at))?),
        ("pass_all", raw(&passes(Group::pass_all))?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn people(of: &Together<'_>, groups: &Groups, out: &mut Out) -> Result<(), Stop> {
    let number = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |number| format!("{number:.3}"));
    let steps = |steps: Option<f64>| steps.map_or_else(|| "–".to_owned(), |steps| format!("{steps:.1}"));
    out.line(&format!("{of}  {}", counted(groups.tasks.len(), "task")))?;
    let dim = |words: &[&str]| words.iter().map(|word| (Tone::Dim, (*word).to_owned())).collect::<Vec<_>>();
    let ks = groups.ks();
    let passes: Vec<String> =
        ks.iter().map(|k| format!("pass@{k}")).chain(ks.last().map(|k| format!("pass^{k}"))).collect();
    let mut heading = dim(&["  task", "n", "mean", "std"]);
    heading.extend(passes.into_iter().map(|word| (Tone::Dim, word)));
    heading.extend(dim(&["steps if it succeeds", "if not", "signal"]));
    let mut rows = vec![heading];
    for (task, group) in &groups.tasks {
        let mut row: Vec<(Tone, String)> = vec![(Tone::Plain, format!("  {task}"))];
        row.push((Tone::Plain, group.rewarded.to_string()));
        row.extend([number(group.mean()), number(group.deviation())].map(|text| (Tone::Plain, text)));
        let pass_all = ks.last().map(|k| group.pass_all(*k));
        let passes = ks.iter().map(|k| group.pass_at(*k)).chain(pass_all);
        row.extend(passes.map(|pass| (Tone::Plain, number(pass))));
        let (successes, failures) = group.steps();
        row.extend([steps(successes), steps(failures)].map(|text| (Tone::Plain, text)));
        row.push(match group.has_signal() {
            Some(true) => (Tone::Good, "yes".to_owned()),
            Some(false) if group.rewarded > 1 => (Tone::Warning, "no".to_owned()),
            Some(false) => (Tone::Dim, "no".to_owned()),
            None => (Tone::Dim, "–".to_owned()),
        });
        rows.push(row);
    }
    let mut all: Vec<(Tone, String)> =
        vec![(Tone::Strong, "  mean of the tasks".to_owned()), (Tone::Plain, String::new())];
    all.extend([number(groups.mean(Group::mean)), String::new()].map(|text| (Tone::Plain, text)));
    let pass_all = ks.last().map(|k| groups.mean(|group| group.pass_all(*k)));
    let passes = ks.iter().map(|k| groups.mean(|group| group.pass_at(*k))).chain(pass_all);
    all.extend(passes.map(|pass| (Tone::Plain, number(pass))));
    rows.push(all);
    out.cells(&rows)?;
    write_notes(groups, out)?;
    let smallest = groups.tasks.iter().map(|(_, group)| group.rewarded).min().unwrap_or_default();
    if ks.last().is_some_and(|k| *k > smallest) {
        let text = "the mean of pass@k and pass^k is of the tasks with at least k rewards";
        out.styled(&[(Tone::Dim, text)])?;
    }
    let Costs { sum, attempts, successes } = groups.costs;
    if attempts > 0 {
        let each = groups.costs.per_success().map_or_else(String::new, |cost| format!(", {cost:.4} for each"));
        let text = format!("{attempts} rewarded attempts with a cost: {sum:.4} for {successes} successes{each}");
        out.styled(&[(Tone::Dim, &text)])?;
    }
    let (all, within) = groups.length_and_reward();
    if let Some(all) = all {
        let within = within.map_or_else(String::new, |within| format!(", within a task {within:+.2}"));
        let text = format!("steps against reward: correlation {all:+.2} over all attempts{within}");
        out.styled(&[(Tone::Dim, &text)])?;
    }
    Ok(())
}

/// What the table of the tasks leaves open: signals, what has no reward, what names no task.
fn write_notes(groups: &Groups, out: &mut Out) -> Result<(), Stop> {
    let (several, without) = signals(groups);
    let unnamed = match groups.unnamed {
        0 => String::new(),
        n => format!("; {n} records name no task"),
    };
    let (attempts, rewarded) = groups
        .tasks
        .iter()
        .fold((0, 0), |(attempts, rewarded), (_, group)| (attempts + group.attempts, rewarded + group.rewarded));
    let text = match (attempts, rewarded) {
        (0, _) => format!("no record names a task (--by FIELD or --map task=JQ says where it is){unnamed}"),
        (_, 0) => {
            format!("none of {attempts} attempts has a reward that is read (--map reward=JQ says where it is){unnamed}")
        }
        _ => format!("{without} of {several} tasks with several rewards have no signal: all are equal{unnamed}"),
    };
    out.styled(&[(Tone::Dim, &text)])?;
    if (1..attempts).contains(&rewarded) {
        let text = format!("{} of {attempts} attempts have no reward: n leaves them out", attempts - rewarded);
        out.styled(&[(Tone::Dim, &text)])?;
    }
    let preferred = groups.tasks.iter().filter(|(_, group)| group.is_known_by_preference()).count();
    if preferred > 0 {
        let tasks = counted(preferred, "task");
        let text = format!("{tasks} without rewards to compare: that one answer was preferred is the signal");
        out.styled(&[(Tone::Dim, &text)])?;
    }
    if groups.answers > 0 {
        let text = format!("{} of {attempts} attempts are answers of pairs or of one prompt", groups.answers);
        out.styled(&[(Tone::Dim, &text)])?;
    }
    Ok(())
}
