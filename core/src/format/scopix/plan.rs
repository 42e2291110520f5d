//! Contracts, pipelines and responses of Scopix for the screen: the graph, and what stands for each input.

use crate::format::plan::{EDGES_COUNTED_MAX, Edges, PlanConflict, PlanNode, PlanPort, PlanPortState, PlanView};
use crate::json::Key;
use crate::model::StepNo;
use crate::rules::acts::Places;
use crate::rules::scopix::{self, ActiveContracts, ChainTarget, Contract, InputSupply, Log, Supplies};

/// S25 to S28: the graph at a step; None where nothing declares one.
pub(super) fn view(log: &Log, step: StepNo) -> Option<PlanView> {
    let holding = log.declared().at(step);
    let plan = scopix::plan(&holding);
    let source = plan.source?;
    let present = log.present(&holding, step);
    let supplies = Supplies::of(&holding, &present);
    let nodes = plan.nodes.iter().map(|node| {
        let ports = Ports { log, holding: &holding, supplies: &supplies, step };
        let mut plan_node = holding.contract(&node.agent).map_or_else(PlanNode::default, |c| ports.node(c));
        plan_node.name = Some(node.agent.clone());
        plan_node.status = node.status.clone().or(plan_node.status);
        plan_node.step = ports.newest(&node.agent);
        plan_node
    });
    let nodes: Vec<PlanNode> = nodes.collect();
    let edge = |e: scopix::Edge| (e.from, e.to, kind(e.data_type.as_deref(), e.hint.as_deref()));
    let edges = Edges::listed(nodes.len(), plan.edges.into_iter().map(edge).collect());
    let conflict = |c: scopix::Conflict| PlanConflict {
        node: c.node,
        parents: c.parents,
        what: kind(Some(&c.data_type), c.hint.as_deref()),
    };
    Some(PlanView {
        source: source.name(),
        step: log.declared().newest(step),
        mode: None,
        nodes,
        edge_count: edges.count(EDGES_COUNTED_MAX),
        edges,
        writers: Places::default(),
        order: plan.order,
        conflicts: plan.conflicts.into_iter().map(conflict).collect(),
    })
}

/// A data type with its hint.
fn kind(data_type: Option<&str>, hint: Option<&str>) -> String {
    let hint = hint.map_or_else(String::new, |hint| format!(" {hint}"));
    data_type.map_or_else(String::new, |data_type| format!("{data_type}{hint}"))
}

/// Makes ports of contracts at a step.
struct Ports<'p> {
    log: &'p Log,
    holding: &'p ActiveContracts<'p>,
    supplies: &'p Supplies<'p>,
    step: StepNo,
}

impl Ports<'_> {
    /// The last step at which an agent wrote a slot that is.
    fn newest(&self, agent: &str) -> Option<StepNo> {
        let standing = self.log.tree().identities(self.step).into_iter();
        let slots = standing.filter_map(|view| self.log.slot(view.id, self.step));
        slots.filter(|slot| slot.meta.source.as_deref() == Some(agent)).map(|slot| slot.step).max()
    }

    /// A contract with its ports. Its status is what they report, as A41 does for calls.
    fn node(&self, contract: &Contract) -> PlanNode {
        let reads: Vec<PlanPort> = contract.inputs.iter().map(|input| self.input(contract, input)).collect();
        let writes: Vec<PlanPort> = contract.outputs.iter().map(|output| self.output(contract, output)).collect();
        let is_there = |ports: &[PlanPort]| ports.iter().all(|port| port.state == PlanPortState::There);
        let status = if !writes.is_empty() && is_there(&writes) {
            "done"
        } else if reads.iter().any(|port| port.state == PlanPortState::Missing) {
            "dangling"
        } else if contract.inputs.iter().zip(&reads).all(|(i, p)| !i.is_required || p.state == PlanPortState::There) {
            "ready"
        } else {
            "waiting"
        };
        let chains = contract.chains.iter().map(|entry| self.chain(contract, entry)).collect();
        PlanNode { status: Some(status.to_owned()), reads, writes, chains, ..PlanNode::default() }
    }

    /// S28: an input and what stands for it.
    fn input(&self, contract: &Contract, input: &scopix::ContractPort) -> PlanPort {
        let slot = |name: &str| Some(scopix::path_text(&[Key::name(name)]));
        let named = || input.name.as_deref().and_then(slot);
        let (state, reference, note) = match self.supplies.supply(contract, input) {
            InputSupply::Named => (PlanPortState::There, named(), None),
            InputSupply::WrongType(has) => (PlanPortState::Missing, named(), Some(format!("the slot is {has}"))),
            InputSupply::Fits(name) => (PlanPortState::There, slot(name), Some(format!("slot {name} fits"))),
            InputSupply::Output(agent) if input.is_required => {
                (PlanPortState::Awaited, None, Some(format!("{agent} gives it")))
            }
            InputSupply::Output(agent) => (PlanPortState::Awaited, None, Some(format!("optional · {agent} gives it"))),
            InputSupply::Nothing if input.is_required => {
                (PlanPortState::Missing, None, Some("nothing supplies it".to_owned()))
            }
            InputSupply::Nothing => (PlanPortState::Awaited, None, Some("optional".to_owned())),
        };
        PlanPort { text: port_text(input), reference, state, note, step: None }
    }

    /// An entry of `can_chain_with`, and the agents that it leads to.
    fn chain(&self, contract: &Contract, entry: &str) -> PlanPort {
        let (state, note) = match scopix::chain_target(self.holding, contract, entry) {
            ChainTarget::Fits(agents) => (PlanPortState::There, agents.join(", ")),
            ChainTarget::Undeclared => (PlanPortState::Awaited, "no contract here has it".to_owned()),
            ChainTarget::Unfit(agents) => {
                (PlanPortState::Missing, format!("{}: takes none of its outputs", agents.join(", ")))
            }
            ChainTarget::Unknown => (PlanPortState::Missing, "no such capability or agent".to_owned()),
        };
        // An agent's name is there once.
        let note = Some(note).filter(|note| note != entry);
        PlanPort { text: entry.to_owned(), reference: None, state, note, step: None }
    }

    fn output(&self, contract: &Contract, output: &scopix::ContractPort) -> PlanPort {
        let id = output.name.as_deref().and_then(|name| self.log.tree().find(&crate::model::Identity::global(name)));
        let slot = id.and_then(|id| self.log.slot(id, self.step));
        let from_contract = slot.filter(|slot| slot.meta.source.as_deref() == Some(&contract.name));
        PlanPort {
            text: port_text(output),
            reference: slot.and(output.name.as_deref()).map(|name| scopix::path_text(&[Key::name(name)])),
            state: if from_contract.is_some() { PlanPortState::There } else { PlanPortState::Awaited },
            note: output.is_mergeable.then(|| "mergeable".to_owned()),
            step: from_contract.map(|slot| slot.step),
        }
    }
}

/// `results  FILE_IDS images`.
fn port_text(port: &scopix::ContractPort) -> String {
    let name = port.name.as_deref().unwrap_or("?");
    format!("{name}  {}", kind(port.data_type.as_deref(), port.hint.as_deref()))
}
