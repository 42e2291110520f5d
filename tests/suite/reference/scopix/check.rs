//! Findings (S28 to S30).

use super::contracts::{Contract, fits};
use super::fold::{Slot, Step};
use super::record::{self, Shape, Write, text};
use super::{hint, slot_path};
use crate::reference::Finding;
use crate::reference::acts::twice;
use crate::reference::json::J;
use crate::reference::path::{Key, inner_path};
use std::collections::{BTreeMap, BTreeSet};

struct Check<'a> {
    steps: &'a [Step],
    found: BTreeSet<Finding>,
}

const TYPES: [&str; 6] = ["FILE_IDS", "CATEGORIZATION", "FOLDER_RESULT", "ANALYSIS_RESULT", "TEXT", "CROSS_REF"];

pub(crate) fn findings(steps: &[Step]) -> Vec<Finding> {
    let mut check = Check { steps, found: BTreeSet::new() };
    let mut times: BTreeMap<String, String> = BTreeMap::new();
    for (n, step) in steps.iter().enumerate() {
        check.record(n);
        for (write, is_same, before) in &step.writes {
            check.write(n, write, *is_same, before.as_ref(), &mut times);
        }
    }
    check.contracts();
    check.found.into_iter().collect()
}

fn has_ids(value: &J) -> bool {
    let refs = || value.get("refs").and_then(J::arr).is_some_and(|a| a.iter().all(|r| text(r, "id").is_some()));
    match value.get("ids") {
        Some(ids) => ids.arr().is_some_and(|a| a.iter().all(|id| id.str().is_some())),
        None => refs(),
    }
}

fn port_path(agent: &str, which: &str, name: &str) -> Option<String> {
    Some(inner_path(&[agent, which, name].map(|key| Key::Name(key.to_owned()))))
}

impl Check<'_> {
    fn report(&mut self, step: usize, path: Option<String>, rule: &str) {
        let severity = match rule {
            "invalid-json" | "bad-slot" | "input-type" | "required-input" | "output-type" | "fan-in-conflict"
            | "contract-cycle" => "error",
            "no-op-write" | "agent-failed" => "info",
            _ => "warning",
        };
        let record = self.steps[step].record;
        self.found.insert(Finding { record, step: Some(step), path, rule: format!("scopix.{rule}"), severity });
    }

    fn record(&mut self, n: usize) {
        let step = &self.steps[n];
        let Some(value) = &step.value else { return self.report(n, None, "invalid-json") };
        if step.shape == Shape::Unknown {
            self.report(n, None, "unknown-record");
        }
        let mut paths = Vec::new();
        twice(value, &mut Vec::new(), &mut paths);
        paths.into_iter().for_each(|path| self.report(n, Some(path), "duplicate-key"));
        step.vanished.iter().for_each(|slot| self.report(n, Some(slot_path(slot, &[])), "slot-vanished"));
        step.skipped.iter().for_each(|slot| self.report(n, Some(slot_path(slot, &[])), "bad-slot"));
        let is_failure = value.get("success") == Some(&J::Bool(false));
        if step.shape == Shape::Result && is_failure {
            self.report(n, None, "agent-failed");
        }
        if let Some(nodes) = record::response(value).filter(|_| step.shape == Shape::Response) {
            let failed = nodes.iter().enumerate().filter(|(_, node)| text(node, "status") == Some("failed"));
            let failed: Vec<usize> = failed.map(|(i, _)| i).collect();
            if failed.is_empty() && is_failure {
                self.report(n, None, "agent-failed");
            }
            failed.iter().for_each(|i| self.report(n, Some(format!("nodes[{i}]")), "agent-failed"));
        }
    }

    fn write(
        &mut self,
        n: usize,
        write: &Write,
        is_same: bool,
        before: Option<&J>,
        times: &mut BTreeMap<String, String>,
    ) {
        let path = Some(slot_path(&write.slot, &[]));
        if write.kind == J::Null || write.source == J::Null {
            self.report(n, path.clone(), "bad-slot");
        }
        if write.kind.str().is_some_and(|kind| !TYPES.contains(&kind)) {
            self.report(n, path.clone(), "unknown-data-type");
        }
        if write.kind.str() == Some("FILE_IDS") && write.value.as_ref().is_some_and(|value| !has_ids(value)) {
            self.report(n, path.clone(), "bad-value");
        }
        if before.is_some_and(|old| *old != J::Null && write.kind != J::Null && *old != write.kind) {
            self.report(n, path.clone(), "type-change");
        }
        if let Some(time) = write.timestamp.str() {
            if times.get(&write.slot).is_some_and(|old| time < old.as_str()) {
                self.report(n, path.clone(), "timestamp-order");
            }
            times.insert(write.slot.clone(), time.to_owned());
        }
        if is_same {
            self.report(n, path.clone(), "no-op-write");
        }
        let all = &self.steps[self.steps.len() - 1].contracts;
        let contract = write.source.str().and_then(|source| all.get(source));
        let output = contract.map(|c| c.outputs.iter().find(|o| o.name == write.slot));
        match output {
            Some(None) => self.report(n, path, "undeclared-output"),
            Some(Some(output)) if write.kind.str() != Some(&output.kind) => self.report(n, path, "output-type"),
            _ => {}
        }
    }

    fn contracts(&mut self) {
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        let step = &self.steps[last];
        let has_slot = self.steps.iter().any(|s| !s.slots.is_empty());
        for contract in &step.contracts.all {
            self.contract(last, contract, has_slot);
        }
        let plan = step.contracts.plan();
        for (node, ..) in &plan.conflicts {
            self.report(last, Some(format!("nodes[{node}]")), "fan-in-conflict");
        }
        for cycle in &plan.graph.cycles {
            self.report(last, Some(format!("nodes[{}]", cycle[0])), "contract-cycle");
        }
    }

    fn contract(&mut self, last: usize, contract: &Contract, has_slot: bool) {
        let step = &self.steps[last];
        for output in &contract.outputs {
            let path = port_path(&contract.name, "outputs", &output.name);
            if !TYPES.contains(&output.kind.as_str()) {
                self.report(last, path.clone(), "unknown-data-type");
            } else if output.is_mergeable && !["FILE_IDS", "CATEGORIZATION"].contains(&output.kind.as_str()) {
                self.report(last, path, "not-mergeable");
            }
        }
        for input in &contract.inputs {
            let path = port_path(&contract.name, "inputs", &input.name);
            let fitting =
                |s: &Slot| s.write.kind.str().is_some_and(|k| fits((k, hint(s, &step.contracts).as_deref()), input));
            let named = step.slots.iter().find(|s| s.write.slot == input.name);
            let others = step.contracts.all.iter().filter(|c| c.name != contract.name);
            let mut offers = others.flat_map(|c| &c.outputs);
            let is_offered = offers.any(|o| fits((&o.kind, o.hint.as_deref()), input));
            match named {
                Some(slot) if slot.write.kind.str() != Some(&input.kind) => self.report(last, path, "input-type"),
                None if input.is_required && has_slot && !step.slots.iter().any(fitting) && !is_offered => {
                    self.report(last, path, "required-input");
                }
                _ => {}
            }
        }
    }
}
