//! The graph of agents: who gives to whom, in which waves, and where several give the same (S24 to S27).

use super::contract::{ActiveContracts, Contract, ContractPort, Stage};
use super::route::route;
use crate::rules::graph::{RunOrder, order};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// S25: where the nodes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanSource {
    /// The contracts themselves.
    Contracts,
    /// The steps of a pipeline.
    Pipeline,
    /// The nodes of a response.
    Response,
}

impl PlanSource {
    /// The word for it in `plan --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Contracts => "contracts",
            Self::Pipeline => "pipeline",
            Self::Response => "response",
        }
    }
}

/// One agent of the graph; its id is its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub agent: String,
    /// What a response says of it.
    pub status: Option<String>,
}

/// One edge. Edges sort as they are printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The node that gives.
    pub from: usize,
    /// The node that takes.
    pub to: usize,
    /// What; None on an edge of a pipeline.
    pub data_type: Option<String>,
    /// Its hint.
    pub hint: Option<String>,
}

/// S27: parents of one node that give it the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The node.
    pub node: usize,
    /// Those of its parents that have a rival.
    pub parents: Vec<usize>,
    /// What they give.
    pub data_type: String,
    /// Its hint.
    pub hint: Option<String>,
}

/// S25 to S27: the graph at a step.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Where it comes from; None: there is none.
    pub source: Option<PlanSource>,
    /// The agents.
    pub nodes: Vec<Node>,
    /// The edges, sorted.
    pub edges: Vec<Edge>,
    /// Waves, cycles, what is after them.
    pub order: RunOrder,
    /// Conflicts, by node, type and hint.
    pub conflicts: Vec<Conflict>,
}

/// S25: the graph of what holds.
#[must_use]
pub fn plan(holding: &ActiveContracts<'_>) -> Plan {
    let (source, mut nodes, stages) = nodes(holding);
    if let (Some(response), true) = (holding.response, source != Some(PlanSource::Response)) {
        for (node, stage) in nodes.iter_mut().zip(response) {
            node.status.clone_from(&stage.status);
        }
    }
    let edges = match stages {
        Some(stages) => stage_edges(stages),
        None => contract_edges(&holding.contracts),
    };
    let pairs: Vec<(usize, usize)> = edges.iter().map(|e| (e.from, e.to)).collect();
    let order = order(nodes.len(), &pairs);
    let conflicts = conflicts(holding, &nodes, &pairs);
    Plan { source, nodes, edges, order, conflicts }
}

/// S25: the nodes: of a response with other agents, of a pipeline's steps, else the contracts.
fn nodes<'d>(holding: &ActiveContracts<'d>) -> (Option<PlanSource>, Vec<Node>, Option<&'d [Stage]>) {
    let of = |stages: &[Stage], has_status: bool| {
        let status = |stage: &Stage| stage.status.clone().filter(|_| has_status);
        stages.iter().map(|stage| Node { agent: stage.agent.clone(), status: status(stage) }).collect::<Vec<_>>()
    };
    let stages = holding.pipeline.map(|(_, pipeline)| pipeline.stages.as_slice());
    let (source, nodes) = match stages {
        Some(stages) => (Some(PlanSource::Pipeline), of(stages, false)),
        None if holding.contracts.is_empty() => (None, Vec::new()),
        None => {
            let node = |contract: &&Contract| Node { agent: contract.name.clone(), status: None };
            (Some(PlanSource::Contracts), holding.contracts.iter().map(node).collect())
        }
    };
    match holding.response {
        Some(response) if !nodes.iter().map(|n| &n.agent).eq(response.iter().map(|s| &s.agent)) => {
            (Some(PlanSource::Response), of(response, true), Some(response))
        }
        _ => (source, nodes, stages),
    }
}

/// S24: the hint of an input that takes every hint.
pub(super) const ANY_HINT: &str = "mixed";

/// S24: whether an output fits an input.
pub(super) fn fits(data_type: &str, hint: Option<&str>, input: &ContractPort) -> bool {
    let is_hint = match (hint, input.hint.as_deref()) {
        (None, _) | (_, None | Some(ANY_HINT)) => true,
        (Some(given), Some(taken)) => given == taken,
    };
    is_hint && input.data_type.as_deref() == Some(data_type)
}

/// S25: an edge for each (type, hint) that one contract gives and another takes.
fn contract_edges(contracts: &[&Contract]) -> Vec<Edge> {
    let mut takers: HashMap<&str, Vec<(usize, &ContractPort)>> = HashMap::new();
    for (node, contract) in contracts.iter().enumerate() {
        for input in &contract.inputs {
            if let Some(data_type) = &input.data_type {
                takers.entry(data_type).or_default().push((node, input));
            }
        }
    }
    let mut edges = BTreeSet::new();
    for (from, contract) in contracts.iter().enumerate() {
        for (data_type, hint) in contract.outputs.iter().filter_map(kind) {
            for (to, input) in takers.get(data_type).into_iter().flatten() {
                if *to != from && fits(data_type, hint, input) {
                    let (data_type, hint) = (Some(data_type.to_owned()), hint.map(str::to_owned));
                    edges.insert(Edge { from, to: *to, data_type, hint });
                }
            }
        }
    }
    edges.into_iter().collect()
}

fn kind(output: &ContractPort) -> Option<(&str, Option<&str>)> {
    Some((output.data_type.as_deref()?, output.hint.as_deref()))
}

/// S25: edges from `depends_on`; where it is not reported, none for a search, else the step before.
fn stage_edges(stages: &[Stage]) -> Vec<Edge> {
    let mut edges = BTreeSet::new();
    for (to, stage) in stages.iter().enumerate() {
        let before = to.checked_sub(1).filter(|_| !stage.agent.ends_with("_search"));
        let from = stage.depends_on.clone().unwrap_or_else(|| before.into_iter().collect());
        for from in from.into_iter().filter(|&from| from < stages.len()) {
            edges.insert(Edge { from, to, data_type: None, hint: None });
        }
    }
    edges.into_iter().collect()
}

/// S27: parents that give a node the same routed (type, hint), none of two an ancestor of the other.
fn conflicts(holding: &ActiveContracts<'_>, nodes: &[Node], edges: &[(usize, usize)]) -> Vec<Conflict> {
    let mut parents = vec![BTreeSet::new(); nodes.len()];
    for &(from, to) in edges {
        parents[to].insert(from);
    }
    let mut found = Vec::new();
    for (node, sources) in parents.iter().enumerate().filter(|(_, sources)| sources.len() > 1) {
        let inputs = holding.contract(&nodes[node].agent).map(|c| c.inputs.as_slice());
        let mut givers: BTreeMap<(&str, Option<&str>), BTreeSet<usize>> = BTreeMap::new();
        for &parent in sources {
            let outputs = holding.contract(&nodes[parent].agent).map_or(&[][..], |c| &c.outputs);
            for (data_type, hint) in outputs.iter().filter_map(kind) {
                let is_taken = inputs.is_none_or(|inputs| inputs.iter().any(|i| fits(data_type, hint, i)));
                if is_taken && route(data_type, hint).is_some() {
                    givers.entry((data_type, hint)).or_default().insert(parent);
                }
            }
        }
        for ((data_type, hint), givers) in givers.into_iter().filter(|(_, givers)| givers.len() > 1) {
            let rivals = rivals(&givers, &parents);
            if !rivals.is_empty() {
                let (data_type, hint) = (data_type.to_owned(), hint.map(str::to_owned));
                found.push(Conflict { node, parents: rivals, data_type, hint });
            }
        }
    }
    found
}

/// S27: the givers of which another is neither ancestor nor descendant.
fn rivals(givers: &BTreeSet<usize>, parents: &[BTreeSet<usize>]) -> Vec<usize> {
    let above: HashMap<usize, HashSet<usize>> = givers.iter().map(|&g| (g, ancestors(g, parents))).collect();
    let is_apart = |a: usize, b: usize| a != b && !above[&a].contains(&b) && !above[&b].contains(&a);
    givers.iter().copied().filter(|&a| givers.iter().any(|&b| is_apart(a, b))).collect()
}

fn ancestors(node: usize, parents: &[BTreeSet<usize>]) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        open.extend(parents[node].iter().filter(|&&parent| found.insert(parent)));
    }
    found
}
