//! The events of a sample beside its messages: when a message came, what it cost, and what changed after it.

use super::sample::Attachments;
use super::store::{Replay, SlotWrite};
use crate::json::Value;
use crate::model::Usage;
use std::collections::HashMap;

/// What an event did that has no step.
pub(super) enum Effect {
    /// A model answered.
    Usage(Usage),
    /// The state changed.
    Write(SlotWrite),
}

/// The events of a sample, by the message after which they come.
pub(super) struct Timeline<'v> {
    times: HashMap<usize, &'v Value<'v>>,
    usages: HashMap<usize, Usage>,
    /// Before the first message, then after each.
    effects: Vec<Vec<Effect>>,
    trouble: Option<String>,
}

/// Where messages are, by what events call them.
struct Places<'v> {
    by_id: HashMap<&'v str, usize>,
    by_call: HashMap<&'v str, usize>,
    /// The answers of the model, in order.
    answers: Vec<usize>,
}

impl<'v> Timeline<'v> {
    pub(super) fn of(record: &'v Value<'v>, messages: &[&'v Value<'v>], attachments: &Attachments<'v>) -> Self {
        let events = events(record);
        let places = Places::of(messages);
        let mut line = Self {
            times: HashMap::new(),
            usages: HashMap::new(),
            effects: (0..=messages.len()).map(|_| Vec::new()).collect(),
            trouble: None,
        };
        let mut replay = Replay::new(events, attachments);
        let mut at = 0;
        for event in events {
            if let Some(index) = places.of_event(event, at) {
                // After message `index` is the place before the next one.
                at = at.max(index + 1);
                line.note(index, event);
            }
            let usage = event.get("output").and_then(|output| output.get("usage")).and_then(usage);
            let writes = replay.event(event).into_iter().map(Effect::Write);
            if let Some(effects) = line.effects.get_mut(at) {
                effects.extend(usage.map(Effect::Usage));
                effects.extend(writes);
            }
        }
        // A sample may hold its events elsewhere, or none.
        if !line.effects.iter().flatten().any(|effect| matches!(effect, Effect::Usage(_)))
            && let Some(last) = line.effects.last_mut()
        {
            last.extend(totals(record).into_iter().map(Effect::Usage));
        }
        line.trouble = replay.trouble(record.get("store"));
        line
    }

    fn note(&mut self, index: usize, event: &'v Value<'v>) {
        if let Some(time) = event.get("timestamp") {
            self.times.entry(index).or_insert(time);
        }
        if let Some(usage) = event.get("output").and_then(|output| output.get("usage")).and_then(usage) {
            self.usages.entry(index).or_insert(usage);
        }
    }

    /// When a message came.
    pub(super) fn time(&self, index: usize) -> Option<&'v Value<'v>> {
        self.times.get(&index).copied()
    }

    /// What a message cost.
    pub(super) fn usage(&self, index: usize) -> Option<&Usage> {
        self.usages.get(&index)
    }

    /// What happened before the first message.
    pub(super) fn before(&mut self) -> Vec<Effect> {
        self.effects.first_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What happened after a message.
    pub(super) fn behind(&mut self, index: usize) -> Vec<Effect> {
        self.effects.get_mut(index + 1).map(std::mem::take).unwrap_or_default()
    }

    /// What the events and the sample do not agree on.
    pub(super) fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }
}

impl<'v> Places<'v> {
    fn of(messages: &[&'v Value<'v>]) -> Self {
        let mut places = Self { by_id: HashMap::new(), by_call: HashMap::new(), answers: Vec::new() };
        for (index, message) in messages.iter().enumerate() {
            let text = |key: &str| message.get(key).and_then(Value::as_str);
            if let Some(id) = text("id") {
                places.by_id.entry(id).or_insert(index);
            }
            if let Some(id) = text("tool_call_id") {
                places.by_call.entry(id).or_insert(index);
            }
            if text("role") == Some("assistant") {
                places.answers.push(index);
            }
        }
        places
    }

    /// The message that an event made, if it made one. An answer without an id is the next one.
    fn of_event(&self, event: &Value<'_>, at: usize) -> Option<usize> {
        match event.get("event").and_then(Value::as_str)? {
            "tool" => self.by_call.get(event.get("id")?.as_str()?).copied(),
            "model" => {
                let message = event.get("output")?.get("choices")?.as_array()?.first()?.get("message")?;
                match message.get("id").and_then(Value::as_str) {
                    Some(id) => self.by_id.get(id).copied(),
                    None => self.answers.get(self.answers.partition_point(|index| *index < at)).copied(),
                }
            }
            _ => None,
        }
    }
}

/// The events of a sample.
pub(super) fn events<'v>(record: &'v Value<'v>) -> &'v [Value<'v>] {
    let list = record.get("events").or_else(|| record.get("transcript")?.get("events"));
    list.and_then(Value::as_array).unwrap_or_default()
}

/// What the sample says that its models used, by model; else what the last answer used.
fn totals(record: &Value<'_>) -> Vec<Usage> {
    let of_models = record.get("model_usage").and_then(Value::as_object);
    let of_models = of_models.into_iter().flat_map(|all| all.entries()).filter_map(|(_, of_model)| usage(of_model));
    let totals: Vec<Usage> = of_models.collect();
    if totals.is_empty() {
        return record.get("output").and_then(|output| output.get("usage")).and_then(usage).into_iter().collect();
    }
    totals
}

/// The tokens of an answer.
pub(super) fn usage(value: &Value<'_>) -> Option<Usage> {
    let count = |key: &str| value.get(key).and_then(Value::as_number).and_then(|n| n.parse::<u64>().ok());
    let (input, output, cached) = (count("input_tokens"), count("output_tokens"), count("input_tokens_cache_read"));
    // Some models count what a cache had among their input.
    let is_among = |input: u64| count("total_tokens") == Some(input + output.unwrap_or(0));
    Some(Usage {
        input: input.map(|input| if is_among(input) { input.saturating_sub(cached.unwrap_or(0)) } else { input }),
        output,
        cache_read: cached,
        cache_write: count("input_tokens_cache_write"),
        cost: value.get("total_cost").and_then(Value::as_number).and_then(|n| n.parse().ok()),
    })
    .filter(|usage| usage.input.is_some() || usage.output.is_some())
}
