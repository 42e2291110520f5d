//! Plans and references of Agent/Data for the screen.

use crate::format::plan::{
    EDGES_COUNTED_MAX, PlanInstance, PlanNode, PlanPort, PlanPortState, PlanView, RefState, ValueReader,
};
use crate::json::Key;
use crate::model::{Bytes, Identity, StepNo};
use crate::rules::acts::{Log, Node, Plan, ReadStatus, Reference, Resolver, spans};
use std::ops::Range;

/// A37 to A41: the plan at a step; None where none holds.
pub(super) fn view(log: &Log, step: StepNo, bytes: &dyn Bytes) -> Option<PlanView> {
    let Plan { source, step: at, mode, nodes, edges, order, writers } = log.plan(step, bytes)?;
    Some(PlanView {
        source: source.name(),
        step: Some(at),
        mode,
        nodes: nodes.into_iter().map(node).collect(),
        edge_count: edges.count(EDGES_COUNTED_MAX),
        edges,
        writers,
        order,
        conflicts: Vec::new(),
    })
}

fn node(node: Node) -> PlanNode {
    let wrote = |place: usize| node.wrote.iter().filter_map(|steps| *steps.get(place)?).max();
    let instance = |(i, (name, status)): (usize, &(String, crate::rules::acts::NodeStatus))| PlanInstance {
        name: name.clone(),
        status: status.name(),
        step: wrote(i + 1),
    };
    let instances: Vec<PlanInstance> = node.instances.iter().enumerate().map(instance).collect();
    let read = |(text, supply): (String, &ReadStatus)| {
        let state = match supply {
            ReadStatus::There => PlanPortState::There,
            ReadStatus::Awaited => PlanPortState::Awaited,
            ReadStatus::Missing => PlanPortState::Missing,
        };
        PlanPort { reference: Some(text.clone()), text, state, note: None, step: None }
    };
    let write = |(text, steps): (String, &Vec<Option<StepNo>>)| {
        let step = steps.iter().flatten().copied().max();
        let state = if step.is_some() { PlanPortState::There } else { PlanPortState::Awaited };
        PlanPort { reference: Some(text.clone()), text, state, note: None, step }
    };
    PlanNode {
        step: wrote(0).or_else(|| instances.iter().filter_map(|i| i.step).max()),
        name: node.tool,
        instance: node.instance,
        status: Some(node.status.name().to_owned()),
        why: node.why,
        reads: node.reads.into_iter().zip(&node.supplies).map(read).collect(),
        writes: node.writes.into_iter().zip(&node.wrote).map(write).collect(),
        instances,
        chains: Vec::new(),
    }
}

/// The references in a text with what they come to at a step, in any instance.
pub(super) fn references(
    log: &Log,
    text: &str,
    step: StepNo,
    plan: &dyn Fn() -> Option<std::rc::Rc<PlanView>>,
) -> Vec<(Range<usize>, RefState)> {
    let state = |reference: &Reference| {
        if log.is_found(reference, step) {
            RefState::Found
        } else if log.is_awaited(reference, step) || plan().is_some_and(|plan| is_written(log, &plan, reference, step))
        {
            RefState::Awaited
        } else {
            RefState::Dangling
        }
    };
    spans(text).into_iter().map(|(range, reference)| (range, state(&reference))).collect()
}

/// Whether a call of a plan writes what a reference names, in any instance.
fn is_written(log: &Log, plan: &PlanView, reference: &Reference, step: StepNo) -> bool {
    plan.writers.is_touched(&Resolver::new(log.tree(), step, None).printed(reference))
}

/// A38, A39: the calls that read a value.
pub(super) fn readers(log: &Log, identity: &Identity, path: &[Key], bytes: &dyn Bytes) -> Vec<ValueReader> {
    let reader = |r: crate::rules::acts::ReadingCall| {
        let tool = r.tool.unwrap_or_else(|| "a call".to_owned());
        let who = r.instance.map_or(tool.clone(), |instance| format!("{tool} {instance}"));
        ValueReader { step: r.step, who, reference: r.reference }
    };
    log.readers(identity, path, bytes).into_iter().map(reader).collect()
}
