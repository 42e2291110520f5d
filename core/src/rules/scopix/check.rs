//! Findings that look at the whole file: contracts and the graph (S27, S28, S30).

use super::chain::{ChainTarget, chain_target};
use super::collection::merges;
use super::contract::{ActiveContracts, Contract};
use super::data_types::DataTypes;
use super::finding::{
    CHAIN_TARGET, CONTRACT_CYCLE, FAN_IN_CONFLICT, INPUT_TYPE, NOT_MERGEABLE, OUTPUT_TYPE, REQUIRED_INPUT,
    UNDECLARED_OUTPUT, UNKNOWN_DATA_TYPE,
};
use super::log::Log;
use super::path;
use super::plan::plan;
use super::supply::{InputSupply, SlotSnapshot, Supplies};
use crate::json::Key;
use crate::model::cast;
use crate::model::{Finding, HEAD};
use std::collections::HashSet;

impl Log {
    /// S30: all findings, one per record, step, path and rule, in the order of A45.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut all = self.findings.clone();
        let last = self.last();
        if last != HEAD {
            let holding = self.declared().at(last);
            self.judge_writes(&holding, &mut all);
            let mut say = |rule, path: String, message: String| all.push(self.finding(last, rule, Some(path), message));
            judge_ports(&holding, &self.types, &mut say);
            judge_chains(&holding, &mut say);
            judge_inputs(&holding, &self.present(&holding, last), !self.slots.writes.is_empty(), &mut say);
            judge_graph(&holding, &mut say);
        }
        all.sort_by(|a, b| a.order().cmp(&b.order()));
        all.dedup_by(|a, b| a.order() == b.order());
        all
    }

    /// S28: writes by a source with a contract, under a name or type that it does not declare.
    fn judge_writes(&self, holding: &ActiveContracts<'_>, all: &mut Vec<Finding>) {
        for write in &self.slots.writes {
            let Some(contract) = write.source.as_deref().and_then(|source| holding.contract(source)) else { continue };
            let name = &self.tree().identity(write.slot).kind;
            let path = Some(path::text(&[Key::name(name)]));
            match contract.output(name) {
                None => {
                    let message = format!("{} does not declare this output", contract.name);
                    all.push(self.finding(write.step, UNDECLARED_OUTPUT, path, message));
                }
                Some(output) => {
                    if let Some(declared) = &output.data_type
                        && write.data_type.as_deref() != Some(declared.as_str())
                    {
                        let written = write.data_type.as_deref().unwrap_or("of no type");
                        let message = format!("{} declares it as {declared}, it is {written}", contract.name);
                        all.push(self.finding(write.step, OUTPUT_TYPE, path, message));
                    }
                }
            }
        }
    }
}

/// S29: `Agent.inputs.name`, canonical.
fn port_path(contract: &Contract, side: &str, name: &str) -> String {
    path::text(&[Key::name(&contract.name), Key::name(side), Key::name(name)])
}

/// S29: outputs of unknown type, outputs said to merge that do not.
fn judge_ports(holding: &ActiveContracts<'_>, types: &DataTypes, say: &mut impl FnMut(&'static str, String, String)) {
    for contract in &holding.contracts {
        for output in &contract.outputs {
            let (Some(name), Some(data_type)) = (&output.name, output.data_type.as_deref()) else { continue };
            let path = port_path(contract, "outputs", name);
            if !types.has(data_type) {
                say(UNKNOWN_DATA_TYPE, path, format!("the data type {data_type} is not in the registry"));
            } else if output.is_mergeable && !merges(data_type) {
                say(NOT_MERGEABLE, path, format!("values of {data_type} do not merge"));
            }
        }
    }
}

/// Entries of `can_chain_with` that lead nowhere, or to agents that take none of the outputs.
fn judge_chains(holding: &ActiveContracts<'_>, say: &mut impl FnMut(&'static str, String, String)) {
    for contract in &holding.contracts {
        for (i, entry) in contract.chains.iter().enumerate() {
            let message = match chain_target(holding, contract, entry) {
                ChainTarget::Unknown => format!("{entry} is no capability and no contract of the file has that name"),
                ChainTarget::Unfit(agents) => format!("{} take none of its outputs", agents.join(" and ")),
                ChainTarget::Fits(_) | ChainTarget::Undeclared => continue,
            };
            let path = [Key::name(&contract.name), Key::name("can_chain_with"), Key::Index(cast::to_u32(i))];
            say(CHAIN_TARGET, path::text(&path), message);
        }
    }
}

/// S28: inputs that nothing can supply, or that a slot of another type stands for. A file without any slot only
/// declares: its required inputs are not looked for.
fn judge_inputs(
    holding: &ActiveContracts<'_>,
    present: &[SlotSnapshot],
    has_slots: bool,
    say: &mut impl FnMut(&'static str, String, String),
) {
    let supplies = Supplies::of(holding, present);
    for contract in &holding.contracts {
        for input in &contract.inputs {
            let Some(name) = &input.name else { continue };
            let path = port_path(contract, "inputs", name);
            match supplies.supply(contract, input) {
                InputSupply::WrongType(has) => {
                    let wants = input.data_type.as_deref().unwrap_or_default();
                    say(INPUT_TYPE, path, format!("the slot of that name is {has}, the input {wants}"));
                }
                InputSupply::Nothing if input.is_required && has_slots => {
                    say(REQUIRED_INPUT, path, "no slot and no other contract supplies it".to_owned());
                }
                _ => {}
            }
        }
    }
}

/// S27, S29: conflicts and cycles of the graph.
fn judge_graph(holding: &ActiveContracts<'_>, say: &mut impl FnMut(&'static str, String, String)) {
    let plan = plan(holding);
    let mut seen = HashSet::new();
    for conflict in plan.conflicts.iter().filter(|c| seen.insert(c.node)) {
        let parents: Vec<&str> = conflict.parents.iter().map(|&p| plan.nodes[p].agent.as_str()).collect();
        let message = format!("{} give it the same {}", parents.join(" and "), conflict.data_type);
        say(FAN_IN_CONFLICT, format!("nodes[{}]", conflict.node), message);
    }
    for cycle in &plan.order.cycles {
        let agents: Vec<&str> = cycle.iter().map(|&node| plan.nodes[node].agent.as_str()).collect();
        let first = cycle.first().copied().unwrap_or_default();
        say(CONTRACT_CYCLE, format!("nodes[{first}]"), format!("a cycle of {}", agents.join(", ")));
    }
}
