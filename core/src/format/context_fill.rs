//! What fills the model's window at a step: by role and kind, what a compaction dropped, and what was recorded.
//!
//! Tokens of texts are estimates, a quarter of their characters; those of an answer that was counted are facts. Where
//! both are known the difference is what the log does not hold: the system prompt, the schemas of tools.

use super::Run;
use crate::json::{self, Key};
use crate::model::{Bytes, Identity, StepNo, StepRole, Turn, TurnPart, Usage, estimated_tokens};
use std::collections::HashSet;

/// What fills the window at a step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextFill {
    /// By role and kind, the greatest first.
    pub shares: Vec<ContextShare>,
    /// What was counted for the last answer up to the step.
    pub recorded: Option<RecordedUsage>,
    /// Compactions up to the step, the last of them.
    pub compactions: Vec<Compaction>,
}

/// What one role says in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextShare {
    /// Who.
    pub role: StepRole,
    /// What: `message`, `thought`, `tool-call`, `tool-result`, `attachment`, `summary`.
    pub kind: &'static str,
    /// How many of them.
    pub count: u64,
    /// Their characters.
    pub chars: u64,
}

impl ContextShare {
    /// Tokens, estimated.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        estimated_tokens(self.chars)
    }
}

/// Tokens of an answer, as they were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedUsage {
    /// The step at which they were.
    pub step: StepNo,
    /// Read, in no cache.
    pub input: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written into a cache.
    pub cache_write: u64,
    /// Written.
    pub output: u64,
}

impl RecordedUsage {
    /// All that the model read: what filled its window.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// A compaction, and what left the window by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compaction {
    /// Its step.
    pub step: StepNo,
    /// Steps before it that the model no longer sees.
    pub dropped: u64,
    /// Their characters.
    pub chars: u64,
}

impl Compaction {
    /// Tokens, estimated.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        estimated_tokens(self.chars)
    }
}

impl ContextFill {
    /// Most compactions that a command reports.
    pub const COMPACTIONS_MAX: usize = 64;

    /// What fills the window at a step, and what the last `compactions_max` compactions dropped, for which all of that
    /// is read; None where the format does not say what the model sees.
    #[must_use]
    pub fn of(run: &dyn Run, step: StepNo, bytes: &dyn Bytes, compactions_max: usize) -> Option<Self> {
        let seen = run.context_steps(step)?;
        let starts = written(run, "run", "compactions", step);
        let mut shares = Shares::default();
        match run.window(step, bytes) {
            Some(turns) => turns.iter().for_each(|turn| shares.add_turn(turn)),
            None => seen.into_iter().for_each(|number| shares.add(run, number, bytes)),
        }
        let passed = starts.len().saturating_sub(compactions_max);
        // What was read before a compaction, and by it, filled another window.
        let compacted = starts.last().copied().unwrap_or(StepNo::MIN);
        let recorded = recorded(run, step).filter(|usage| usage.step > compacted);
        let compactions = starts.iter().skip(passed).map(|at| compaction(run, *at, bytes)).collect();
        Some(Self { shares: shares.in_order(), recorded, compactions })
    }

    /// Tokens of all shares, estimated.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        estimated_tokens(self.chars())
    }

    /// How much of the text a share is, in percent, rounded down: of its characters, so that all are no more than 100.
    #[must_use]
    pub fn percent(&self, share: &ContextShare) -> u64 {
        share.chars.saturating_mul(100).checked_div(self.chars()).unwrap_or_default()
    }

    fn chars(&self) -> u64 {
        self.shares.iter().map(|share| share.chars).sum()
    }
}

/// What a compaction at a step took from the window.
fn compaction(run: &dyn Run, at: StepNo, bytes: &dyn Bytes) -> Compaction {
    let remaining: HashSet<StepNo> = run.context_steps(at).unwrap_or_default().into_iter().collect();
    let seen = run.context_steps(at - 1).unwrap_or_default();
    let dropped: Vec<StepNo> = seen.into_iter().filter(|number| !remaining.contains(number)).collect();
    let chars_of = |number: StepNo| run.summary_chars(number).unwrap_or_else(|| run.step(number, bytes).chars as u64);
    let chars = dropped.iter().map(|number| chars_of(*number)).sum();
    Compaction { step: at, dropped: dropped.len() as u64, chars }
}

/// Shares in the order of first appearance.
#[derive(Default)]
struct Shares(Vec<ContextShare>);

impl Shares {
    /// Adds the parts of a step.
    fn add(&mut self, run: &dyn Run, number: StepNo, bytes: &dyn Bytes) {
        if let Some(chars) = run.summary_chars(number) {
            return self.count(StepRole::System, "summary", chars);
        }
        if let Some(turn) = run.seen_turn(number, bytes) {
            self.add_turn(&turn);
        }
    }

    fn add_turn(&mut self, turn: &Turn<'_>) {
        for part in &turn.parts {
            let (kind, chars) = match part {
                TurnPart::Text(text) => ("message", text.chars().count()),
                TurnPart::Thought(text) => ("thought", text.chars().count()),
                TurnPart::Call(call) => ("tool-call", call.name.chars().count() + call.arguments.chars().count()),
                TurnPart::Result(result) => ("tool-result", result.text.chars().count()),
                // What a picture costs depends on its size in pixels, which the log does not say.
                TurnPart::Attachment(_) => ("attachment", 0),
            };
            let role = if matches!(part, TurnPart::Result(_)) { StepRole::Environment } else { turn.role };
            self.count(role, kind, chars as u64);
        }
    }

    fn count(&mut self, role: StepRole, kind: &'static str, chars: u64) {
        match self.0.iter_mut().find(|share| share.role == role && share.kind == kind) {
            Some(share) => {
                share.count += 1;
                share.chars += chars;
            }
            None => self.0.push(ContextShare { role, kind, count: 1, chars }),
        }
    }

    fn in_order(mut self) -> Vec<ContextShare> {
        self.0.sort_by_key(|share| std::cmp::Reverse(share.chars));
        self.0
    }
}

/// The steps up to one at which a slot of the state was written.
fn written(run: &dyn Run, kind: &str, slot: &str, step: StepNo) -> Vec<StepNo> {
    let tree = run.tree();
    let Some(id) = tree.find(&Identity::of(kind, "main")) else { return Vec::new() };
    let Some(node) = tree.node(id, &[Key::name(slot)]) else { return Vec::new() };
    tree.history(node, step).into_iter().map(|event| event.at).collect()
}

/// The usage of the last answer: what the totals grew by since it began.
fn recorded(run: &dyn Run, step: StepNo) -> Option<RecordedUsage> {
    let last = written(run, "usage", "turns", step).last().copied()?;
    let grown = |slot: &str| {
        let at = |step: StepNo| total(run, slot, step).unwrap_or_default();
        at(step).saturating_sub(at(last - 1))
    };
    let usage = RecordedUsage {
        step: last,
        input: grown("input"),
        cache_read: grown("cache_read"),
        cache_write: grown("cache_write"),
        output: grown("output"),
    };
    // Of an answer without tokens nothing was recorded.
    (usage.read() > 0 || usage.output > 0).then_some(usage)
}

/// What the totals of a run grew by at a step; None: by nothing.
#[must_use]
pub fn usage_at(run: &dyn Run, step: StepNo) -> Option<Usage> {
    let grown = |slot: &str| {
        let now = total(run, slot, step)?;
        let more = now.saturating_sub(total(run, slot, step - 1).unwrap_or_default());
        (more > 0).then_some(more)
    };
    let cost = |step: StepNo| short(run, ("usage", "cost"), step)?.parse::<f64>().ok();
    let more_cost = cost(step).map(|now| now - cost(step - 1).unwrap_or(0.0)).filter(|more| *more > 0.0);
    let usage = Usage {
        input: grown("input"),
        output: grown("output"),
        cache_read: grown("cache_read"),
        cache_write: grown("cache_write"),
        cost: more_cost,
    };
    (usage != Usage::default()).then_some(usage)
}

/// The model that a run used last.
#[must_use]
pub fn model_of(run: &dyn Run) -> Option<String> {
    model_at(run, StepNo::try_from(run.step_count()).ok()?)
}

/// The model that a run used last up to a step.
pub(super) fn model_at(run: &dyn Run, step: StepNo) -> Option<String> {
    let text = short(run, ("run", "model"), step)?;
    json::parse(&text).ok()?.as_str().map(str::to_owned)
}

/// The totals at a step of the trajectory that it is of.
pub(super) fn totals_at(run: &dyn Run, step: StepNo) -> Usage {
    Usage {
        input: total(run, "input", step),
        output: total(run, "output", step),
        cache_read: total(run, "cache_read", step),
        cache_write: total(run, "cache_write", step),
        cost: short(run, ("usage", "cost"), step).and_then(|cost| cost.parse().ok()),
    }
}

/// A short value of an identity `main` at a step, as JSON.
fn short(run: &dyn Run, (kind, slot): (&str, &str), step: StepNo) -> Option<String> {
    let tree = run.tree();
    let id = tree.find(&Identity::of(kind, "main"))?;
    let node = tree.node(id, &[Key::name(slot)])?;
    tree.leaf(node, step)?.value.short().map(str::to_owned)
}

/// A total of `usage/main` at a step.
fn total(run: &dyn Run, slot: &str, step: StepNo) -> Option<u64> {
    short(run, ("usage", slot), step)?.parse().ok()
}
