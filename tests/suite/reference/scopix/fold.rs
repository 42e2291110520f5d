//! Slots after every step, and what happened to them (S10 to S13).

use super::contracts::{Contracts, declare};
use super::record::{self, Shape, Write};
use crate::reference::acts::leaves;
use crate::reference::json::{self, J};
use crate::reference::path::Key;
use std::collections::BTreeMap;

/// One slot.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) write: Write,
    pub(crate) step: usize,
    pub(crate) changed: usize,
    /// The last change of each leaf.
    pub(crate) leaves: BTreeMap<Vec<Key>, usize>,
}

/// What happened to a leaf.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) step: usize,
    pub(crate) slot: String,
    pub(crate) op: &'static str,
    pub(crate) path: Vec<Key>,
    pub(crate) value: Option<J>,
    pub(crate) source: J,
    pub(crate) timestamp: J,
}

/// One step.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) record: usize,
    pub(crate) value: Option<J>,
    pub(crate) shape: Shape,
    pub(crate) slots: Vec<Slot>,
    pub(crate) contracts: Contracts,
    /// Writes and whether each only rewrote, with the type before.
    pub(crate) writes: Vec<(Write, bool, Option<J>)>,
    pub(crate) vanished: Vec<String>,
    /// Members of `slots` that are not slots.
    pub(crate) skipped: Vec<String>,
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    events: Vec<Event>,
    slots: Vec<Slot>,
    contracts: Contracts,
    collections: usize,
}

pub(crate) fn read(bytes: &[u8]) -> (Vec<Step>, Vec<Event>) {
    let mut reader = Reader::default();
    for value in json::records(bytes) {
        match value {
            Some(J::Arr(all)) if !record::is_list(&J::Arr(all.clone())) => {
                all.iter().for_each(|value| reader.step(Some(value)));
            }
            value => reader.step(value.as_ref()),
        }
    }
    (reader.steps, reader.events)
}

impl Reader {
    fn step(&mut self, value: Option<&J>) {
        let shape = value.map_or(Shape::Unknown, record::shape);
        let nothing = J::Null;
        let value_or = value.unwrap_or(&nothing);
        let mut step = Step {
            record: self.steps.len(),
            value: value.cloned(),
            shape,
            slots: Vec::new(),
            contracts: Contracts::default(),
            writes: Vec::new(),
            vanished: Vec::new(),
            skipped: Vec::new(),
        };
        if shape != Shape::Collection {
            self.collections = 0;
        }
        let known = self.contracts.clone();
        let n = self.steps.len();
        declare(&mut self.contracts, value_or, shape, n);
        for write in self.writes(value_or, shape, &known, &mut step) {
            let done = self.write(n, write);
            step.writes.push(done);
        }
        step.slots.clone_from(&self.slots);
        step.contracts = self.contracts.clone();
        self.steps.push(step);
    }

    fn writes(&mut self, value: &J, shape: Shape, known: &Contracts, step: &mut Step) -> Vec<Write> {
        let of = |agent: &str, value: &J| record::outputs(value, agent, |name| known.output_type(agent, name));
        match shape {
            Shape::ListSlots => {
                let row = |row: &J| record::write(record::text(row, "name").unwrap_or(""), row, ["type", "source"]);
                let rows = value.arr().into_iter().flatten().map(row);
                let is_new = |w: &Write| {
                    let old = self.slots.iter().find(|s| s.write.slot == w.slot);
                    old.is_none_or(|s| s.write.kind != w.kind || s.write.source != w.source)
                };
                rows.map(|w| Write { value: None, timestamp: J::Null, ..w }).filter(is_new).collect()
            }
            Shape::Context => value.get("slots").map_or(Vec::new(), |slots| self.context(slots, step)),
            Shape::BareMap => self.context(value, step),
            Shape::Write => {
                vec![record::write(record::text(value, "slot_name").unwrap_or(""), value, ["data_type", "source_node"])]
            }
            Shape::Result => of(record::text(value, "agent_name").unwrap_or(""), value),
            Shape::Response => {
                let nodes = record::response(value).into_iter().flatten();
                nodes.flat_map(|node| of(record::text(node, "agent").unwrap_or(""), node)).collect()
            }
            Shape::Collection => {
                // "Of one result": read as records that follow one another with nothing between.
                self.collections += 1;
                let number = if self.collections > 1 { self.collections.to_string() } else { String::new() };
                let source = record::text(value, "source_capability").unwrap_or("unknown");
                vec![Write {
                    slot: format!("collection{number}"),
                    value: Some(value.plain()),
                    kind: J::string("FILE_IDS"),
                    source: J::string(source),
                    timestamp: J::Null,
                }]
            }
            Shape::Pipeline | Shape::Contract | Shape::Unknown => Vec::new(),
        }
    }

    /// The slots of a context that were written; those that are missing vanish (S11).
    fn context(&mut self, slots: &J, step: &mut Step) -> Vec<Write> {
        let mut writes = Vec::new();
        let members = slots.obj().map_or(&[][..], |o| &o.members);
        for (name, typed) in members {
            if typed.get("value").is_none() {
                step.skipped.push(name.clone());
                continue;
            }
            let write = record::write(name, typed, ["data_type", "source_node"]);
            if !self.slots.iter().any(|s| s.write == write) {
                writes.push(write);
            }
        }
        let is_there = |s: &Slot| members.iter().any(|(name, _)| *name == s.write.slot);
        let (kept, gone): (Vec<Slot>, Vec<Slot>) = self.slots.drain(..).partition(is_there);
        self.slots = kept;
        for slot in gone {
            step.vanished.push(slot.write.slot.clone());
            for (path, _) in slot.write.value.iter().flat_map(leaves) {
                let Write { slot, source, timestamp, .. } = slot.write.clone();
                let step = self.steps.len();
                self.events.push(Event { step, slot, op: "drop", path, value: None, source, timestamp });
            }
        }
        writes
    }

    fn write(&mut self, step: usize, write: Write) -> (Write, bool, Option<J>) {
        let place = self.slots.iter().position(|s| s.write.slot == write.slot);
        let old = place.map(|i| self.slots[i].clone());
        let before = old.as_ref().and_then(|s| s.write.value.clone());
        let old_leaves = before.as_ref().map_or(Vec::new(), leaves);
        let new_leaves = write.value.as_ref().map_or(Vec::new(), leaves);
        let mut events = Vec::new();
        let mut changed = BTreeMap::new();
        let event = |op, path: &Vec<Key>, value: Option<&J>| Event {
            step,
            slot: write.slot.clone(),
            op,
            path: path.clone(),
            value: value.cloned(),
            source: write.source.clone(),
            timestamp: write.timestamp.clone(),
        };
        for (path, _) in &old_leaves {
            if !new_leaves.iter().any(|(p, _)| p == path) {
                events.push(event("drop", path, None));
            }
        }
        for (path, value) in &new_leaves {
            let op = match old_leaves.iter().find(|(p, _)| p == path) {
                None => "add",
                Some((_, old)) if old.compact() != value.compact() => "change",
                Some(_) => "same",
            };
            let was = old.as_ref().and_then(|s| s.leaves.get(path)).copied();
            changed.insert(path.clone(), if op == "same" { was.unwrap_or(step) } else { step });
            events.push(event(op, path, Some(value)));
        }
        let is_same = !events.is_empty() && events.iter().all(|e| e.op == "same");
        let when = old.as_ref().filter(|_| is_same).map_or(step, |s| s.changed);
        let slot = Slot { write: write.clone(), step, changed: when, leaves: changed };
        match place {
            Some(i) => self.slots[i] = slot,
            None => self.slots.push(slot),
        }
        self.events.extend(events);
        (write, is_same, old.map(|s| s.write.kind))
    }
}
