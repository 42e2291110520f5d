//! What a step of an execution context says in one line.

use super::Context;
use crate::format::describe;
use crate::json::Value;
use crate::model::StepNo;
use crate::rules::scopix::{ScopixShape, outcome};
use crate::state::{EventOp, IdentityId};

impl Context {
    /// The line of a step: what it did to the slots; of results also why they failed and how they sum themselves up.
    pub(super) fn summary(&self, step: StepNo, shape: ScopixShape, value: Option<&Value<'_>>) -> String {
        let text_of = |key: &str| value.and_then(|v| v.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned();
        match (shape, value) {
            (ScopixShape::Unknown, Some(value)) => describe::beginning(value),
            (ScopixShape::Contract, _) => text_of("name"),
            (ScopixShape::Pipeline, Some(value)) => agents(value),
            (ScopixShape::AgentResult | ScopixShape::Response, Some(value)) => {
                let mut parts: Vec<String> = failures(value);
                parts.push(self.slot_signs(step));
                parts.extend(outcome(value, "summary"));
                parts.retain(|part| !part.is_empty());
                parts.join(" · ")
            }
            _ => self.slot_signs(step),
        }
    }

    /// What a step did to the slots: `+query ~results -old`, repetitions unmarked.
    fn slot_signs(&self, step: StepNo) -> String {
        let before = |id: IdentityId| self.log.slot(id, step - 1);
        let mark = |id: IdentityId| match (before(id), self.log.slot(id, step)) {
            (None, _) => "+",
            (Some(_), Some(slot)) if slot.changed == step => "~",
            _ => "=",
        };
        let mut parts: Vec<String> =
            self.log.written(step).map(|id| format!("{}{}", mark(id), self.log.tree().identity(id).kind)).collect();
        let mut gone: Vec<IdentityId> = Vec::new();
        for event in self.log.tree().events(step).iter().filter(|e| e.op == EventOp::Drop) {
            if self.log.slot(event.identity, step).is_none() && !gone.contains(&event.identity) {
                gone.push(event.identity);
            }
        }
        parts.extend(gone.iter().map(|&id| format!("-{}", self.log.tree().identity(id).kind)));
        parts.join(" ")
    }
}

/// S5, S8: what failed of a result or a response, and why: `failed: timed out`, `search failed: timed out`.
fn failures(value: &Value<'_>) -> Vec<String> {
    let why = |of: &Value<'_>| outcome(of, "error").map_or_else(String::new, |error| format!(": {error}"));
    let nodes = ["nodes", "steps"].iter().find_map(|key| value.get(key)?.as_array().filter(|all| !all.is_empty()));
    let is_failed = |node: &&Value<'_>| node.get("status").and_then(Value::as_str) == Some("failed");
    let agent = |node: &Value<'_>| node.get("agent").and_then(Value::as_str).unwrap_or("?").to_owned();
    let failed = nodes.unwrap_or_default().iter().filter(is_failed);
    let mut out: Vec<String> = failed.map(|node| format!("{} failed{}", agent(node), why(node))).collect();
    if out.is_empty() && value.get("success").and_then(Value::as_bool) == Some(false) {
        out.push(format!("failed{}", why(value)));
    }
    out
}

/// Who a pipeline names: the agents of its steps, else of its contracts.
fn agents(pipeline: &Value<'_>) -> String {
    let named = |list: &str, key: &str| -> Vec<String> {
        let items = pipeline.get(list).and_then(Value::as_array).unwrap_or_default();
        items.iter().filter_map(|item| item.get(key)?.as_str().map(str::to_owned)).collect()
    };
    let steps = named("steps", "agent");
    let names = if steps.is_empty() { named("contracts", "name") } else { steps };
    names.join(", ")
}
