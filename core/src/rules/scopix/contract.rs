//! Contracts, pipelines and responses: what a file declares (S8).

use super::collection::strings;
use super::shape::{is_contract, response_nodes, string};
use crate::json::Value;
use crate::model::StepNo;
use std::collections::{HashMap, HashSet};

/// One input or output of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractPort {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its data type, where it has one.
    pub data_type: Option<String>,
    /// `content_type_hint`
    pub hint: Option<String>,
    /// `required`, true where it is not reported.
    pub is_required: bool,
    /// `mergeable`
    pub is_mergeable: bool,
}

/// S8: what an agent takes and gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The agent.
    pub name: String,
    /// `capability`
    pub capability: String,
    /// `can_chain_with`: capabilities or names of agents that can follow.
    pub chains: Vec<String>,
    /// What it takes.
    pub inputs: Vec<ContractPort>,
    /// What it gives.
    pub outputs: Vec<ContractPort>,
}

/// One step of a pipeline or node of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The agent; `?` where it has no name.
    pub agent: String,
    /// `depends_on`: indices of other stages; None where it is null or absent.
    pub depends_on: Option<Vec<usize>>,
    /// `status` of a response's node.
    pub status: Option<String>,
}

/// S8: the steps of a pipeline and the files that its request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// The steps; at least one.
    pub stages: Vec<Stage>,
    /// `image_ids`, if it is an array of strings.
    pub image_ids: Option<Vec<String>>,
    /// `document_ids`, if it is an array of strings.
    pub document_ids: Option<Vec<String>>,
}

/// One declaration, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Declaration {
    Contract(Contract),
    Pipeline(Pipeline),
    Response(Vec<Stage>),
}

/// S8: everything that a file has declared, by step.
#[derive(Debug, Default)]
pub struct Declared {
    all: Vec<(StepNo, Declaration)>,
    latest: HashMap<String, usize>,
    latest_graph: Option<usize>,
}

/// S8: what holds at a step: the last contract of each name at the place of the first, the last pipeline, and a
/// response that came after it.
#[derive(Debug, Default)]
pub struct ActiveContracts<'d> {
    /// Contracts in order of declaration.
    pub contracts: Vec<&'d Contract>,
    /// The last pipeline, with the step that declared it.
    pub pipeline: Option<(StepNo, &'d Pipeline)>,
    /// Nodes of the last response after it.
    pub response: Option<&'d [Stage]>,
    by_name: HashMap<&'d str, usize>,
}

impl<'d> ActiveContracts<'d> {
    /// The contract of an agent.
    #[must_use]
    pub fn contract(&self, name: &str) -> Option<&'d Contract> {
        self.by_name.get(name).map(|&i| self.contracts[i])
    }
}

impl Contract {
    /// The output of a name.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<&ContractPort> {
        self.outputs.iter().find(|port| port.name.as_deref() == Some(name))
    }
}

impl Declared {
    /// S8: takes the contracts and steps that a record declares. Without steps the pipeline stays as it is.
    pub(super) fn take_pipeline(&mut self, step: StepNo, value: &Value<'_>) {
        let contracts = value.get("contracts").and_then(Value::as_array);
        for contract in contracts.unwrap_or_default() {
            self.take_contract(step, contract);
        }
        if let Some(steps) = value.get("steps").and_then(Value::as_array).filter(|steps| !steps.is_empty()) {
            let ids = |key: &str| {
                let ids = strings(value.get(key)?)?;
                Some(ids.into_iter().map(str::to_owned).collect())
            };
            let (image_ids, document_ids) = (ids("image_ids"), ids("document_ids"));
            let stages = steps.iter().map(stage).collect();
            self.put(step, Declaration::Pipeline(Pipeline { stages, image_ids, document_ids }));
        }
    }

    /// S8: takes one contract, if it is one.
    pub(super) fn take_contract(&mut self, step: StepNo, value: &Value<'_>) {
        if let Some(name) = string(value, "name").filter(|_| is_contract(value)) {
            let chains = value.get("can_chain_with").and_then(Value::as_array).unwrap_or_default();
            let contract = Contract {
                name: name.to_owned(),
                capability: string(value, "capability").unwrap_or_default().to_owned(),
                chains: chains.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                inputs: ports(value, "inputs"),
                outputs: ports(value, "outputs"),
            };
            self.put(step, Declaration::Contract(contract));
        }
    }

    /// S8: takes the nodes of a response.
    pub(super) fn take_response(&mut self, step: StepNo, value: &Value<'_>) {
        let nodes = response_nodes(value).unwrap_or_default();
        self.put(step, Declaration::Response(nodes.iter().map(stage).collect()));
    }

    /// A declaration that repeats the one in force is not kept: checkpoints repeat them a thousand times.
    fn put(&mut self, step: StepNo, declaration: Declaration) {
        let slot = match &declaration {
            Declaration::Contract(contract) => self.latest.get(&contract.name).copied(),
            _ => self.latest_graph,
        };
        if slot.is_some_and(|i| self.all[i].1 == declaration) {
            return;
        }
        match &declaration {
            Declaration::Contract(contract) => {
                self.latest.insert(contract.name.clone(), self.all.len());
            }
            _ => self.latest_graph = Some(self.all.len()),
        }
        self.all.push((step, declaration));
    }

    /// The contract of an agent in force now.
    pub(super) fn contract(&self, name: &str) -> Option<&Contract> {
        self.latest.get(name).and_then(|&i| match &self.all[i].1 {
            Declaration::Contract(contract) => Some(contract),
            _ => None,
        })
    }

    /// The step of the last declaration up to a step.
    #[must_use]
    pub fn newest(&self, step: StepNo) -> Option<StepNo> {
        self.all.iter().map(|(at, _)| *at).take_while(|at| *at <= step).last()
    }

    /// S8: what holds at a step.
    #[must_use]
    pub fn at(&self, step: StepNo) -> ActiveContracts<'_> {
        let mut holding = ActiveContracts::default();
        for (at, declaration) in self.all.iter().take_while(|(at, _)| *at <= step) {
            match declaration {
                Declaration::Contract(contract) => match holding.by_name.get(contract.name.as_str()) {
                    Some(&i) => holding.contracts[i] = contract,
                    None => {
                        holding.by_name.insert(&contract.name, holding.contracts.len());
                        holding.contracts.push(contract);
                    }
                },
                Declaration::Pipeline(pipeline) => {
                    (holding.pipeline, holding.response) = (Some((*at, pipeline)), None);
                }
                Declaration::Response(nodes) => holding.response = Some(nodes),
            }
        }
        holding
    }
}

/// S8: the inputs or outputs of a contract; of several of one name the first.
fn ports(value: &Value<'_>, key: &str) -> Vec<ContractPort> {
    let items = value.get(key).and_then(Value::as_array).unwrap_or_default();
    let mut names = HashSet::new();
    let is_first = |port: &ContractPort| port.name.as_ref().is_none_or(|name| names.insert(name.clone()));
    items.iter().filter(|item| item.as_object().is_some()).map(port).filter(is_first).collect()
}

fn port(value: &Value<'_>) -> ContractPort {
    let text = |key: &str| string(value, key).map(str::to_owned);
    let flag = |key: &str| value.get(key).and_then(Value::as_bool);
    ContractPort {
        name: text("name"),
        data_type: text("data_type"),
        hint: text("content_type_hint"),
        // S28: what is there and not true does not ask for it.
        is_required: value.get("required").is_none_or(|required| required.as_bool() == Some(true)),
        is_mergeable: flag("mergeable").unwrap_or(false),
    }
}

fn stage(value: &Value<'_>) -> Stage {
    let index = |v: &Value<'_>| v.as_number().and_then(|n| n.parse().ok());
    Stage {
        agent: string(value, "agent").unwrap_or("?").to_owned(),
        depends_on: value.get("depends_on").and_then(Value::as_array).map(|l| l.iter().filter_map(index).collect()),
        status: string(value, "status").map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn the_last_contract_of_a_name_counts_at_the_place_of_the_first() {
        let mut declared = Declared::default();
        const A: &str = r#"{"name":"a","capability":"c","inputs":[],"outputs":[{"name":"o","data_type":"TEXT"}]}"#;
        for (step, text) in [
            (
                0,
                r#"{"contracts":[{"name":"a","capability":"c","inputs":[]},{"name":"b","capability":"c","inputs":[]}]}"#
                    .to_owned(),
            ),
            (1, format!("{{\"contracts\":[{A}]}}")),
        ] {
            declared.take_pipeline(step, &parse(&text).unwrap());
        }
        let names =
            |step| declared.at(step).contracts.iter().map(|c| (c.name.clone(), c.outputs.len())).collect::<Vec<_>>();
        assert_eq!(names(0), [("a".to_owned(), 0), ("b".to_owned(), 0)]);
        assert_eq!(names(1), [("a".to_owned(), 1), ("b".to_owned(), 0)]);
    }

    #[test]
    fn a_pipeline_ends_what_a_response_said_before_it() {
        let mut declared = Declared::default();
        let response = parse(r#"{"success":true,"nodes":[{"agent":"a","status":"completed"}]}"#).unwrap();
        declared.take_response(0, &response);
        declared.take_pipeline(1, &parse(r#"{"steps":[{"agent":"a","intent":"i"}]}"#).unwrap());
        assert!(declared.at(0).response.is_some());
        assert!(declared.at(1).response.is_none());
        declared.take_response(2, &response);
        assert!(declared.at(2).response.is_some() && declared.at(2).pipeline.is_some());
        declared.take_pipeline(3, &parse(r#"{"contracts":[],"steps":[]}"#).unwrap());
        assert!(declared.at(3).response.is_some() && declared.at(3).pipeline.is_some(), "S8");
    }
}
