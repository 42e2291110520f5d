//! The plan that holds at a step (A37 to A41).

use super::call::{self, Call};
use super::graph::{self, Ports};
use super::log::{Log, Reader};
use super::places::Places;
use super::reference::Reference;
use super::status::Judge;
pub use super::status::{NodeStatus, ReadStatus};
use crate::model::{Bytes, StepNo};
use crate::rules::graph::{Edges, RunOrder};

/// A37: where a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanSource {
    /// In a plan message.
    Plan,
    /// In a solution.
    Solution,
}

impl PlanSource {
    /// The word for it in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Solution => "solution",
        }
    }
}

/// A call of the plan with its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// `_tool`.
    pub tool: Option<String>,
    /// `_instance`.
    pub instance: Option<String>,
    /// What it reads, canonical.
    pub reads: Vec<String>,
    /// What it writes, canonical.
    pub writes: Vec<String>,
    /// How far it is.
    pub status: NodeStatus,
    /// Why it is no further, where what it reads does not show it.
    pub why: Option<String>,
    /// For a call without instance: how far it is in each that the data has.
    pub instances: Vec<(String, NodeStatus)>,
    /// Of each of its reads, whether it is there.
    pub supplies: Vec<ReadStatus>,
    /// Of each of its writes the last step that wrote there: in its own identity, then in each of `instances`.
    pub wrote: Vec<Vec<Option<StepNo>>>,
}

/// The plan at a step. Calls are numbered from 0 in the order of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Where it is.
    pub source: PlanSource,
    /// The step of its message.
    pub step: StepNo,
    /// `mode` of its message.
    pub mode: Option<String>,
    /// Its calls.
    pub nodes: Vec<Node>,
    /// A39: from writer to reader, labelled with the reader's reference.
    pub edges: Edges,
    /// A40.
    pub order: RunOrder,
    /// What its calls write, as the state prints it.
    pub writers: Places,
}

impl Log {
    /// A37: the plan at a step; None where none holds.
    #[must_use]
    pub fn plan(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Plan> {
        let at = self.plans.iter().rev().copied().find(|s| *s <= step && self.holds(*s, step))?;
        let reader = Reader { bytes, current: None };
        let is_solution = self.row(at)?.kind().is_solution();
        let (calls, mode) =
            self.with_message(at, reader, |message, _| (call::of(message), message.text("mode").map(str::to_owned)))?;
        let ports = Ports::all(&calls, Some((&self.tree, step)));
        let (written, writers) = (graph::written(&calls), graph::writers(&ports));
        let judge = Judge::new(self, step, at, &calls, &written, reader);
        let nodes = self.nodes(step, &calls, &ports, &judge);
        let labels = ports.iter().flat_map(|ports| ports.reads.iter().map(|read| read.text.clone())).collect();
        let edges = graph::edges(&ports, &writers).labelled(labels);
        let order = edges.order();
        let source = if is_solution { PlanSource::Solution } else { PlanSource::Plan };
        Some(Plan { source, step: at, mode, nodes, edges, order, writers })
    }

    fn nodes(&self, step: StepNo, calls: &[Call], ports: &[Ports<'_>], judge: &Judge<'_>) -> Vec<Node> {
        let instances = self.instances(step);
        let node = |(index, call): (usize, &Call)| {
            let (status, each) = judge.statuses(index, &instances);
            let Ports { reads, writes, .. } = &ports[index];
            let call_instance = std::iter::once(call.instance.as_deref());
            let every: Vec<Option<&str>> = match call.instance {
                Some(_) => call_instance.collect(),
                None => call_instance.chain(instances.iter().map(|i| Some(i.as_str()))).collect(),
            };
            let wrote = |path: &Reference| every.iter().map(|i| judge.wrote(path, *i)).collect();
            Node {
                supplies: reads.iter().map(|port| judge.supply(index, port.written, &instances)).collect(),
                wrote: writes.iter().map(|port| wrote(port.written)).collect(),
                tool: call.tool.clone(),
                instance: call.instance.clone(),
                reads: reads.iter().map(|port| port.text.clone()).collect(),
                writes: writes.iter().map(|port| port.text.clone()).collect(),
                why: judge.why(index, status),
                status,
                instances: instances.iter().cloned().zip(each).collect(),
            }
        };
        calls.iter().enumerate().map(node).collect()
    }

    /// A41: the instances that the data has at a step, in order of first appearance.
    pub(super) fn instances(&self, step: StepNo) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let all = self.tree.identities(step).into_iter().filter_map(|v| self.tree.identity(v.id).instance.clone());
        all.filter(|i| seen.insert(i.clone())).collect()
    }
}
