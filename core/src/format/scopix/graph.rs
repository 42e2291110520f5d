//! `plan --json` of contracts, pipelines and responses.

use super::raw;
use crate::format::plan::PlanAnswer;
use crate::rules::scopix::{self, ActiveContracts};
use serde::Serialize;

#[derive(Serialize)]
struct NodeMember<'p> {
    id: usize,
    agent: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'p str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    can_chain_with: &'p [String],
}

#[derive(Serialize)]
struct EdgeMember<'p> {
    from: usize,
    to: usize,
    data_type: Option<&'p str>,
    content_type_hint: Option<&'p str>,
}

#[derive(Serialize)]
struct ConflictMember<'p> {
    node: usize,
    parents: &'p [usize],
    data_type: &'p str,
    content_type_hint: Option<&'p str>,
}

/// `plan --json`: the members of the graph.
pub(super) fn members(holding: &ActiveContracts<'_>) -> PlanAnswer {
    let plan = scopix::plan(holding);
    let node = |(id, node)| {
        let node: &scopix::Node = node;
        let chains = holding.contract(&node.agent).map_or(&[][..], |contract| &contract.chains);
        NodeMember { id, agent: &node.agent, status: node.status.as_deref(), can_chain_with: chains }
    };
    let nodes: Vec<_> = plan.nodes.iter().enumerate().map(node).collect();
    let edge = |e: &scopix::Edge| {
        let (data_type, content_type_hint) = (e.data_type.as_deref(), e.hint.as_deref());
        raw(&EdgeMember { from: e.from, to: e.to, data_type, content_type_hint }).get().to_owned()
    };
    let edges: Vec<String> = plan.edges.iter().map(edge).collect();
    let conflict = |c| {
        let c: &scopix::Conflict = c;
        ConflictMember {
            node: c.node,
            parents: &c.parents,
            data_type: &c.data_type,
            content_type_hint: c.hint.as_deref(),
        }
    };
    let conflicts: Vec<_> = plan.conflicts.iter().map(conflict).collect();
    let head = vec![("source", raw(&plan.source.map(scopix::PlanSource::name))), ("nodes", raw(&nodes))];
    let tail = vec![
        ("waves", raw(&plan.order.waves)),
        ("order", raw(&plan.order.flat())),
        ("cycles", raw(&plan.order.cycles)),
        ("blocked", raw(&plan.order.blocked)),
        ("conflicts", raw(&conflicts)),
    ];
    PlanAnswer { head, edges: Box::new(edges.into_iter()), tail }
}
