//! Contracts, pipelines and responses (S8, S20, S21, S24 to S27).

use super::record::{self, Shape, text};
use crate::reference::graph::{self, Graph};
use crate::reference::json::J;

/// An input or output of a contract.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) hint: Option<String>,
    pub(crate) is_required: bool,
    pub(crate) is_mergeable: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Contract {
    pub(crate) name: String,
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
}

/// A step of a pipeline.
#[derive(Debug, Clone)]
struct Stage {
    agent: String,
    status: Option<String>,
    depends_on: Option<Vec<J>>,
}

/// What has been declared so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contracts {
    pub(crate) all: Vec<Contract>,
    /// The steps of the last pipeline.
    pipeline: Option<Vec<Stage>>,
    /// The nodes of the last response since that pipeline.
    response: Option<Vec<Stage>>,
    /// The files that the last pipeline starts with: step, hint, ids. In no rule; the program's decision 11.
    pub(crate) files: Vec<(usize, &'static str, J)>,
}

fn ports(contract: &J, key: &str) -> Vec<Port> {
    let mut out: Vec<Port> = Vec::new();
    for port in contract.get(key).and_then(J::arr).into_iter().flatten() {
        let Some(name) = text(port, "name") else { continue };
        if out.iter().any(|p| p.name == name) {
            continue;
        }
        out.push(Port {
            name: name.to_owned(),
            kind: text(port, "data_type").unwrap_or("").to_owned(),
            hint: text(port, "content_type_hint").map(str::to_owned),
            is_required: port.get("required") != Some(&J::Bool(false)),
            is_mergeable: port.get("mergeable") == Some(&J::Bool(true)),
        });
    }
    out
}

/// Takes what a record declares (S8).
pub(crate) fn declare(known: &mut Contracts, value: &J, shape: Shape, step: usize) {
    let listed = match shape {
        Shape::Contract => vec![value.clone()],
        Shape::Context | Shape::Pipeline => value.get("contracts").and_then(J::arr).cloned().unwrap_or_default(),
        _ => Vec::new(),
    };
    for contract in listed.iter().filter(|c| record::is_contract(c)) {
        let name = text(contract, "name").unwrap_or("").to_owned();
        let new = Contract { name, inputs: ports(contract, "inputs"), outputs: ports(contract, "outputs") };
        match known.all.iter_mut().find(|c| c.name == new.name) {
            Some(old) => *old = new,
            None => known.all.push(new),
        }
    }
    let stage = |row: &J| Stage {
        agent: text(row, "agent").unwrap_or("").to_owned(),
        status: text(row, "status").map(str::to_owned),
        depends_on: row.get("depends_on").and_then(J::arr).cloned(),
    };
    if let Some(nodes) = record::response(value).filter(|_| shape == Shape::Response) {
        known.response = Some(nodes.iter().map(stage).collect());
    } else if matches!(shape, Shape::Context | Shape::Pipeline)
        && let Some(steps) = value.get("steps").and_then(J::arr).filter(|a| !a.is_empty())
        && steps.iter().all(|row| text(row, "agent").is_some())
    {
        let stages = steps.iter().map(stage).map(|s| Stage { status: None, ..s }).collect();
        (known.pipeline, known.response) = (Some(stages), None);
        let ids = |(key, hint)| Some((step, hint, value.get(key).filter(|v| v.arr().is_some())?.plain()));
        known.files = [("image_ids", "images"), ("document_ids", "documents")].into_iter().filter_map(ids).collect();
    }
}

/// Whether an output fits an input (S24).
pub(crate) fn fits(output: (&str, Option<&str>), input: &Port) -> bool {
    let hints = match (output.1, input.hint.as_deref()) {
        (None, _) | (_, None | Some("mixed")) => true,
        (Some(a), Some(b)) => a == b,
    };
    output.0 == input.kind && hints
}

/// The conversation field (S20).
pub(crate) fn field(kind: &str, hint: Option<&str>) -> Option<&'static str> {
    match (kind, hint) {
        ("FILE_IDS", Some("images")) => Some("current_image_ids"),
        ("FILE_IDS", Some("documents")) => Some("current_document_ids"),
        ("FILE_IDS", Some("links")) => Some("current_link_ids"),
        ("CATEGORIZATION", _) => Some("current_categorization"),
        _ => None,
    }
}

/// An edge: from, to, type, hint.
type Edge = (usize, usize, Option<String>, Option<String>);

/// The graph of S25 to S27.
pub(crate) struct Plan {
    pub(crate) source: Option<&'static str>,
    nodes: Vec<(String, Option<String>)>,
    edges: Vec<Edge>,
    pub(crate) graph: Graph,
    /// Node, parents, type, hint.
    pub(crate) conflicts: Vec<(usize, Vec<usize>, String, Option<String>)>,
}

impl Contracts {
    pub(crate) fn get(&self, agent: &str) -> Option<&Contract> {
        self.all.iter().find(|c| c.name == agent)
    }

    pub(crate) fn output(&self, agent: &str, name: &str) -> Option<&Port> {
        self.get(agent)?.outputs.iter().find(|o| o.name == name)
    }

    pub(crate) fn output_type(&self, agent: &str, name: &str) -> Option<String> {
        self.output(agent, name).map(|o| o.kind.clone())
    }

    pub(crate) fn plan(&self) -> Plan {
        let bare = |s: &Stage| (s.agent.clone(), s.status.clone());
        let (mut source, mut nodes, mut edges) = match &self.pipeline {
            Some(stages) => (Some("pipeline"), stages.iter().map(bare).collect(), stage_edges(stages)),
            None if self.all.is_empty() => (None, Vec::new(), Vec::new()),
            None => {
                let nodes: Vec<_> = self.all.iter().map(|c| (c.name.clone(), None)).collect();
                (Some("contracts"), nodes, self.contract_edges())
            }
        };
        // S25: a response with the agents of these nodes gives them their status; another one is taken as the steps.
        if let Some(response) = &self.response {
            if !nodes.iter().map(|(agent, _)| agent).eq(response.iter().map(|s| &s.agent)) {
                (source, edges) = (Some("response"), stage_edges(response));
            }
            nodes = response.iter().map(bare).collect();
        }
        let arrows: Vec<(usize, usize)> = edges.iter().map(|e| (e.0, e.1)).collect();
        let graph = Graph::of(nodes.len(), &arrows);
        let conflicts = self.conflicts(&nodes, &arrows);
        Plan { source, nodes, edges, graph, conflicts }
    }

    fn contract_edges(&self) -> Vec<Edge> {
        let mut out = Vec::new();
        for (from, a) in self.all.iter().enumerate() {
            for (to, b) in self.all.iter().enumerate().filter(|(to, _)| *to != from) {
                for output in &a.outputs {
                    let offered = (output.kind.as_str(), output.hint.as_deref());
                    if b.inputs.iter().any(|input| fits(offered, input)) {
                        out.push((from, to, Some(output.kind.clone()), output.hint.clone()));
                    }
                }
            }
        }
        out.sort();
        out.dedup();
        out
    }

    fn conflicts(
        &self,
        nodes: &[(String, Option<String>)],
        arrows: &[(usize, usize)],
    ) -> Vec<(usize, Vec<usize>, String, Option<String>)> {
        let reach = graph::reach(nodes.len(), arrows);
        let mut out = Vec::new();
        for (node, (agent, _)) in nodes.iter().enumerate() {
            let mut parents: Vec<usize> = arrows.iter().filter(|(_, to)| *to == node).map(|(from, _)| *from).collect();
            parents.sort_unstable();
            parents.dedup();
            let outputs = |parent: usize| self.get(&nodes[parent].0).map_or(&[][..], |c| &c.outputs);
            let mut goods: Vec<(String, Option<String>)> =
                parents.iter().flat_map(|p| outputs(*p)).map(|o| (o.kind.clone(), o.hint.clone())).collect();
            goods.sort();
            goods.dedup();
            for (kind, hint) in goods {
                let offered = (kind.as_str(), hint.as_deref());
                let is_wanted = self.get(agent).is_none_or(|c| c.inputs.iter().any(|input| fits(offered, input)));
                if field(&kind, hint.as_deref()).is_none() || !is_wanted {
                    continue;
                }
                let makes = |p: &usize| outputs(*p).iter().any(|o| o.kind == kind && o.hint == hint);
                let makers: Vec<usize> = parents.iter().copied().filter(makes).collect();
                let has_partner = |a: &usize| makers.iter().any(|b| b != a && !reach[*a][*b] && !reach[*b][*a]);
                let listed: Vec<usize> = makers.iter().copied().filter(has_partner).collect();
                if listed.len() > 1 {
                    out.push((node, listed, kind, hint));
                }
            }
        }
        out
    }
}

fn stage_edges(stages: &[Stage]) -> Vec<Edge> {
    let mut out: Vec<Edge> = Vec::new();
    for (to, stage) in stages.iter().enumerate() {
        let from: Vec<usize> = match &stage.depends_on {
            Some(all) => {
                let index = |d: &J| if let J::Num(n) = d { n.parse::<usize>().ok() } else { None };
                all.iter().filter_map(index).filter(|n| *n < stages.len()).collect()
            }
            None if stage.agent.ends_with("_search") => Vec::new(),
            None => to.checked_sub(1).into_iter().collect(),
        };
        out.extend(from.into_iter().map(|from| (from, to, None, None)));
    }
    out.sort();
    out.dedup();
    out
}

impl Plan {
    pub(crate) fn members(&self) -> Vec<(&'static str, J)> {
        let text = |t: &Option<String>| t.as_deref().map_or(J::Null, J::string);
        let node = |(id, (agent, status)): (usize, &(String, Option<String>))| {
            let mut members = vec![("id", J::num(id)), ("agent", J::string(agent))];
            members.extend(status.as_ref().map(|s| ("status", J::string(s))));
            J::object(members)
        };
        let edge = |(from, to, kind, hint): &Edge| {
            J::object(vec![
                ("from", J::num(from)),
                ("to", J::num(to)),
                ("data_type", text(kind)),
                ("content_type_hint", text(hint)),
            ])
        };
        let conflict = |(node, parents, kind, hint): &(usize, Vec<usize>, String, Option<String>)| {
            J::object(vec![
                ("node", J::num(node)),
                ("parents", J::Arr(parents.iter().map(J::num).collect())),
                ("data_type", J::string(kind)),
                ("content_type_hint", text(hint)),
            ])
        };
        let mut out = vec![
            ("source", self.source.map_or(J::Null, J::string)),
            ("nodes", J::Arr(self.nodes.iter().enumerate().map(node).collect())),
            ("edges", J::Arr(self.edges.iter().map(edge).collect())),
        ];
        out.extend(self.graph.members());
        out.push(("conflicts", J::Arr(self.conflicts.iter().map(conflict).collect())));
        out
    }
}
