//! W10: todo list, sub-agents, page, run, usage.

use super::call::{Action, Todo};
use super::slots::Writer;
use super::tables::TASK_ID;
use crate::json::quote;
use crate::model::cast;
use crate::model::{Chunks, DigestTable, StepNo, Surroundings, Usage};
use std::collections::HashMap;
use twox_hash::XxHash3_128;

/// A todo list.
#[derive(Debug, Default)]
pub(super) struct Todos {
    /// Instance, text, status, in order.
    items: Vec<(String, Todo)>,
}

impl Todos {
    /// W10: the whole list: what is missing is dropped.
    pub(super) fn set(&mut self, items: &[Todo], to: &mut Writer<'_>) {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut new: Vec<(String, Todo)> = Vec::with_capacity(items.len());
        for item in items {
            let Some(name) = item.id.clone().or_else(|| item.text.clone()) else { continue };
            match seen.get(&name) {
                Some(&place) => new[place].1 = item.clone(),
                None => {
                    seen.insert(name.clone(), new.len());
                    new.push((name, item.clone()));
                }
            }
        }
        for (name, _) in self.items.iter().filter(|(name, _)| !seen.contains_key(name)) {
            to.remove("todo", name);
        }
        self.items = new;
        for (name, item) in &self.items {
            write_item(name, item, to);
        }
    }

    /// A task that a result named.
    pub(super) fn add(&mut self, text: Option<&str>, reply: &str, to: &mut Writer<'_>) {
        let Some(id) = TASK_ID.captures(reply).and_then(|found| Some(found.get(1)?.as_str().to_owned())) else {
            return;
        };
        let status = Some("pending".to_owned());
        self.update(&Todo { id: Some(id), text: text.map(str::to_owned), status }, to);
    }

    pub(super) fn update(&mut self, change: &Todo, to: &mut Writer<'_>) {
        let Some(id) = &change.id else { return };
        let known = self.items.iter_mut().find(|(name, _)| name == id);
        match known {
            Some((name, item)) => {
                item.text = change.text.clone().or(item.text.take());
                item.status = change.status.clone().or(item.status.take());
                write_item(name, item, to);
            }
            None => {
                write_item(id, change, to);
                self.items.push((id.clone(), change.clone()));
            }
        }
    }

    /// W11: whether something is left to do.
    pub(super) fn is_open(&self) -> bool {
        self.items.iter().any(|(_, item)| matches!(item.status.as_deref(), Some("pending" | "in_progress" | "blocked")))
    }
}

fn write_item(name: &str, item: &Todo, to: &mut Writer<'_>) {
    let quoted = |text: &Option<String>| text.as_deref().map(quote);
    to.set("todo", name, "text", quoted(&item.text).as_deref());
    to.set("todo", name, "status", quoted(&item.status).as_deref());
}

/// W10: the instance of a sub-agent: the step of its call; of further ones of that step also their places.
fn sub_name(step: StepNo, place: usize) -> String {
    if place == 0 { format!("@{step}") } else { format!("@{step}.{place}") }
}

/// W10: a call of a sub-agent is made.
pub(super) fn write_sub(step: StepNo, place: usize, action: &Action, to: &mut Writer<'_>) {
    let Action::Sub { task, kind } = action else { return };
    let name = sub_name(step, place);
    to.set("sub", &name, "task", task.as_deref().map(quote).as_deref());
    to.set("sub", &name, "type", kind.as_deref().map(quote).as_deref());
    to.set("sub", &name, "status", Some("\"running\""));
}

/// W10: a sub-agent has answered.
pub(super) fn write_sub_end(step: StepNo, place: usize, is_failed: bool, to: &mut Writer<'_>) {
    let status = if is_failed { "\"failed\"" } else { "\"done\"" };
    to.set("sub", &sub_name(step, place), "status", Some(status));
}

/// W10: what a record says around its steps.
pub(super) fn write_run(around: &Surroundings<'_>, compactions: u64, to: &mut Writer<'_>) {
    let members =
        [("model", &around.model), ("mode", &around.mode), ("effort", &around.effort), ("branch", &around.branch)];
    for (slot, value) in members {
        if let Some(value) = value {
            to.set("run", "main", slot, Some(&quote(value)));
        }
    }
    if compactions > 0 {
        to.set("run", "main", "compactions", Some(&compactions.to_string()));
    }
}

/// What messages spent, in 16 bytes each: there are as many as messages.
#[derive(Debug, Default)]
struct MessageUsage {
    /// The numbers of messages by their digests.
    numbers: DigestTable,
    /// Tokens, [`MessageUsage::NONE`] where they are not recorded.
    tokens: Chunks<[u32; 4]>,
    /// The usage of those that have a cost, or more tokens than that.
    other: HashMap<u32, Usage>,
}

impl MessageUsage {
    const NONE: u32 = u32::MAX;

    fn get(&self, message: u64) -> Option<Usage> {
        let number = self.numbers.get(message)?;
        if let Some(other) = self.other.get(&number) {
            return Some(*other);
        }
        let count = |count: u32| Some(u64::from(count)).filter(|_| count != Self::NONE);
        let [input, output, cache_read, cache_write] = self.tokens.get(number as usize)?.map(count);
        Some(Usage { input, output, cache_read, cache_write, cost: None })
    }

    fn set(&mut self, message: u64, usage: &Usage) {
        let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write];
        let is_small = usage.cost.is_none() && counts.iter().flatten().all(|count| *count < u64::from(Self::NONE));
        let tokens = counts.map(|count| count.map_or(Self::NONE, cast::to_u32));
        let number = match self.numbers.get(message) {
            Some(number) => number,
            None => {
                let number = cast::to_u32(self.tokens.len());
                self.tokens.push(tokens);
                self.numbers.insert(message, number);
                number
            }
        };
        if let Some(known) = self.tokens.get_mut(number as usize) {
            *known = tokens;
        }
        if is_small {
            self.other.remove(&number);
        } else {
            self.other.insert(number, *usage);
        }
    }
}

/// W10: totals of tokens and cost.
#[derive(Debug, Default)]
pub(super) struct Totals {
    sum: Usage,
    turns: u64,
    /// Usage of messages that are reported several times, by message.
    of_message: MessageUsage,
}

impl Totals {
    /// Adds the usage of a message. Of several of one message the one with the most output counts.
    pub(super) fn add(&mut self, message: Option<&str>, usage: &Usage) {
        let message = message.map(|message| cast::low_u64(XxHash3_128::oneshot(message.as_bytes())));
        let before = message.and_then(|message| self.of_message.get(message));
        if before.is_some_and(|before| usage.output < before.output) {
            return;
        }
        if let Some(message) = message {
            self.of_message.set(message, usage);
        }
        let old = before.unwrap_or_default();
        let moved = |sum: Option<u64>, new: Option<u64>, old: Option<u64>| match (sum, new) {
            (sum, None) => sum.map(|sum| sum.saturating_sub(old.unwrap_or(0))),
            (sum, Some(new)) => Some(sum.unwrap_or(0).saturating_add(new).saturating_sub(old.unwrap_or(0))),
        };
        let sum = &mut self.sum;
        sum.input = moved(sum.input, usage.input, old.input);
        sum.output = moved(sum.output, usage.output, old.output);
        sum.cache_read = moved(sum.cache_read, usage.cache_read, old.cache_read);
        sum.cache_write = moved(sum.cache_write, usage.cache_write, old.cache_write);
        if let Some(cost) = usage.cost.filter(|cost| cost.is_finite()) {
            sum.cost = Some(sum.cost.unwrap_or(0.0) + cost - old.cost.unwrap_or(0.0));
        }
        self.turns += u64::from(before.is_none());
    }

    /// All so far.
    pub(super) fn sum(&self) -> Usage {
        self.sum
    }

    /// Adds a cost that is of no message.
    pub(super) fn add_beyond(&mut self, usage: &Usage) {
        let cost = usage.cost.filter(|cost| cost.is_finite());
        self.sum = self.sum.plus(&Usage { cost, ..*usage });
    }

    /// Takes totals as the log gives them, with an answer or by themselves.
    pub(super) fn set(&mut self, usage: &Usage, is_turn: bool) {
        self.sum = *usage;
        self.turns += u64::from(is_turn);
    }

    pub(super) fn write(&self, to: &mut Writer<'_>) {
        let sum = &self.sum;
        for (slot, count) in [
            ("input", sum.input),
            ("output", sum.output),
            ("cache_read", sum.cache_read),
            ("cache_write", sum.cache_write),
            ("turns", Some(self.turns)),
        ] {
            to.set("usage", "main", slot, count.map(|count| count.to_string()).as_deref());
        }
        to.set("usage", "main", "cost", sum.cost.map(|cost| cost.to_string()).as_deref());
    }
}
