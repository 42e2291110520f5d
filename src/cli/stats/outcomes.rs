//! `obelus stats --outcomes`: how the calls of each tool came out, and the rewards of the trajectories that use it.

use super::super::filter::passes;
use super::together::Together;
use crate::cli::Stop;
use crate::cli::out::{Out, Tone, plain, raw};
use crate::format::call_time::{MICROS_IN_MS, TimeSpread, ToolTimes};
use crate::format::{Purpose, Survey};
use crate::ingest::{self, Loaded};
use crate::model::duration_text;
use crate::rules::work::ToolOutcomes;
use crate::text;
use serde::Serialize;
use std::collections::BTreeMap;

/// A mean that is reported with as many digits.
const REWARD_DIGITS: usize = 3;

/// A sum of rewards.
#[derive(Debug, Clone, Copy, Default)]
struct Rewards {
    sum: f64,
    count: u64,
}

impl Rewards {
    fn add(&mut self, reward: Option<f64>) {
        self.sum += reward.unwrap_or(0.0);
        self.count += u64::from(reward.is_some());
    }

    fn mean(self) -> Option<f64> {
        Some(self.sum / self.count as f64).filter(|mean| self.count > 0 && mean.is_finite())
    }

    /// What is left without those of another sum.
    fn without(self, other: Self) -> Self {
        Self { sum: self.sum - other.sum, count: self.count - other.count }
    }
}

/// A tool over all trajectories.
#[derive(Debug, Default)]
struct Tool {
    outcomes: ToolOutcomes,
    trajectories: u64,
    rewards: Rewards,
}

/// What is counted of a file, or of several as one.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    tools: BTreeMap<String, Tool>,
    records: u64,
    unreadable: u64,
    rewards: Rewards,
    times: ToolTimes,
}

impl Outcomes {
    /// Takes the records of a file.
    pub(super) fn add_file(&mut self, loaded: &Loaded, passing: Option<&[bool]>) -> Result<(), Stop> {
        let is_wanted = |record: usize| passes(passing, record);
        match loaded.detected.format.survey(Purpose::Outcomes) {
            Some(mut pass) => self.add_records(loaded, pass.as_mut(), is_wanted),
            None => self.add_runs(loaded, is_wanted),
        }
    }

    /// From a pass over the records of a file whose records are trajectories.
    fn add_records(
        &mut self,
        loaded: &Loaded,
        pass: &mut dyn Survey,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<(), Stop> {
        let mut next = 0;
        ingest::survey(loaded, pass, |surveyed| -> Result<(), Stop> {
            next += 1;
            if !is_wanted(next - 1) {
                return Ok(());
            }
            self.records += 1;
            match surveyed.facts.and_then(|facts| facts.counted) {
                Some(counted) => self.add(counted.outcomes, counted.times, counted.reward),
                None => self.unreadable += 1,
            }
            Ok(())
        })
    }

    /// From the runs themselves.
    fn add_runs(&mut self, loaded: &Loaded, is_wanted: impl Fn(usize) -> bool) -> Result<(), Stop> {
        if ingest::is_run(loaded)
            && let [only] = ingest::survey_runs(loaded, false)?.as_slice()
        {
            if let Some(counted) = only.facts.as_ref().and_then(|facts| facts.counted.clone()).filter(|_| is_wanted(0))
            {
                self.records += 1;
                self.add(counted.outcomes, counted.times, counted.reward);
            }
            return Ok(());
        }
        for record in (0..loaded.trajectories()?).filter(|record| is_wanted(*record)) {
            let run = loaded.run(record)?;
            self.records += 1;
            let tools = run.work().into_iter().flat_map(|work| work.tools());
            self.add(
                tools.map(|(tool, of)| (tool.to_owned(), *of)),
                ToolTimes::of(run.as_ref(), loaded.input.as_ref()),
                None,
            );
        }
        Ok(())
    }

    fn add(&mut self, tools: impl IntoIterator<Item = (String, ToolOutcomes)>, times: ToolTimes, reward: Option<f64>) {
        self.rewards.add(reward);
        self.times.extend(times);
        for (name, outcomes) in tools {
            let tool = self.tools.entry(name).or_default();
            tool.outcomes.add(&outcomes);
            tool.trajectories += 1;
            tool.rewards.add(reward);
        }
    }

    fn total(&self) -> ToolOutcomes {
        let mut total = ToolOutcomes::default();
        self.tools.values().for_each(|tool| total.add(&tool.outcomes));
        total
    }
}

/// A tool for programs.
#[derive(Serialize)]
struct OutcomeLine {
    calls: u64,
    failed: u64,
    repeated: u64,
    failed_in_a_row: u64,
    suspect: u64,
    fine: u64,
    open: u64,
    /// Results whose call is not there, which the others count too.
    unlinked: u64,
    /// Of the calls with a result.
    error_rate: Option<f64>,
    trajectories: u64,
    /// Mean rewards of the trajectories that use it, and of the others.
    reward: Option<f64>,
    reward_without: Option<f64>,
    /// From the call to its result: all calls together, the one in the middle, the longest.
    total_ms: Option<u64>,
    median_ms: Option<u64>,
    longest_ms: Option<u64>,
}

impl Outcomes {
    /// Reports them.
    pub(super) fn write_report(&self, of: &Together<'_>, is_json: bool, out: &mut Out) -> Result<(), Stop> {
        let total = self.total();
        if is_json {
            let times: BTreeMap<&str, TimeSpread> = self.times.spreads().collect();
            let line =
                |(name, tool): (&String, &Tool)| (name.clone(), line(tool, self.rewards, times.get(name.as_str())));
            let named = self.tools.iter().filter(|(name, _)| !name.is_empty());
            let tools: BTreeMap<String, OutcomeLine> = named.map(line).collect();
            let members = vec![
                of.member()?,
                ("type", raw("outcomes")?),
                ("records", raw(&self.records)?),
                ("unreadable", raw(&self.unreadable)?),
                ("calls", raw(&total.calls)?),
                ("failed", raw(&total.failed)?),
                ("repeated", raw(&total.repeated)?),
                ("suspect", raw(&total.suspect)?),
                ("fine", raw(&total.fine)?),
                ("open", raw(&total.open())?),
                ("unlinked", raw(&total.unlinked)?),
                ("error_rate", raw(&error_rate(&total))?),
                ("reward", raw(&self.rewards.mean())?),
                ("tools", raw(&tools)?),
            ];
            return Ok(out.json(&plain(&members))?);
        }
        let (calls, records) = (text::counted(total.calls, "call"), text::counted(self.records, "record"));
        out.line(&format!("{of}  {calls} in {records}"))?;
        rows(self, &total, out)
    }
}

/// The share of the calls with a result whose result is an error; None without any result.
fn error_rate(of: &ToolOutcomes) -> Option<f64> {
    let ended = of.failed + of.suspect + of.fine;
    (ended > 0).then(|| of.failed as f64 / ended as f64)
}

fn line(tool: &Tool, all: Rewards, times: Option<&TimeSpread>) -> OutcomeLine {
    let of = tool.outcomes;
    let ms = |of: fn(&TimeSpread) -> u64| times.map(|times| of(times) / MICROS_IN_MS);
    OutcomeLine {
        calls: of.calls,
        failed: of.failed,
        repeated: of.repeated,
        failed_in_a_row: of.failed_in_a_row,
        suspect: of.suspect,
        fine: of.fine,
        open: of.open(),
        unlinked: of.unlinked,
        error_rate: error_rate(&of),
        trajectories: tool.trajectories,
        reward: tool.rewards.mean(),
        reward_without: all.without(tool.rewards).mean(),
        total_ms: ms(|times| times.total),
        median_ms: ms(|times| times.median),
        longest_ms: ms(|times| times.longest),
    }
}

/// A row a tool, those with the most calls first, and all together.
fn rows(counted: &Outcomes, total: &ToolOutcomes, out: &mut Out) -> Result<(), Stop> {
    let mut tools: Vec<(&String, &Tool)> = counted.tools.iter().collect();
    tools.sort_by_key(|(_, tool)| std::cmp::Reverse(tool.outcomes.calls));
    let has_rewards = counted.rewards.count > 0;
    let mut heading = vec!["  tool", "calls", "failed", "rate", "again", "suspect", "fine", "open"];
    let times: BTreeMap<&str, TimeSpread> = counted.times.spreads().collect();
    heading.extend(if times.is_empty() { &[][..] } else { &["time", "median", "longest"] });
    heading.extend(if has_rewards { &["reward", "without"][..] } else { &[] });
    let mut rows: Vec<Vec<(Tone, String)>> =
        vec![heading.into_iter().map(|word| (Tone::Dim, word.to_owned())).collect()];
    let mean = |rewards: Rewards| rewards.mean().map_or_else(|| "–".to_owned(), |m| format!("{m:.REWARD_DIGITS$}"));
    for (name, tool) in tools {
        // Results of no call and no tool.
        let mut row = numbers(&format!("  {}", if name.is_empty() { "(no tool)" } else { name }), &tool.outcomes);
        row.extend(time_cells(&times, times.get(name.as_str())));
        if has_rewards {
            row.push((Tone::Plain, mean(tool.rewards)));
            row.push((Tone::Plain, mean(counted.rewards.without(tool.rewards))));
        }
        rows.push(row);
    }
    let mut row = numbers("  all", total);
    row.extend(time_cells(&times, counted.times.spread().as_ref()));
    row.extend(has_rewards.then(|| (Tone::Plain, mean(counted.rewards))));
    rows.push(row);
    Ok(out.cells(&rows)?)
}

/// What the calls of a tool took, where any tool's are known.
fn time_cells(all: &BTreeMap<&str, TimeSpread>, of: Option<&TimeSpread>) -> Vec<(Tone, String)> {
    let cell = |micros: Option<u64>| match micros {
        Some(micros) => (Tone::Plain, duration_text(micros)),
        None => (Tone::Dim, "–".to_owned()),
    };
    if all.is_empty() {
        return Vec::new();
    }
    [of.map(|of| of.total), of.map(|of| of.median), of.map(|of| of.longest)].map(cell).into()
}

fn numbers(name: &str, of: &ToolOutcomes) -> Vec<(Tone, String)> {
    let rate = error_rate(of).map_or_else(|| "–".to_owned(), |rate| format!("{:.1} %", rate * 100.0));
    let count_cell = |n: u64, tone: Tone| (if n > 0 { tone } else { Tone::Dim }, n.to_string());
    vec![
        (Tone::Plain, name.to_owned()),
        count_cell(of.calls, Tone::Plain),
        count_cell(of.failed, Tone::Error),
        (if of.failed > 0 { Tone::Error } else { Tone::Dim }, rate),
        count_cell(of.repeated, Tone::Error),
        count_cell(of.suspect, Tone::Warning),
        count_cell(of.fine, Tone::Plain),
        count_cell(of.open(), Tone::Plain),
    ]
}
