//! What is found in calls: references, outputs, circles (A43, A44).

use super::call;
use super::expression::Expression;
use super::finding::{BAD_OUTPUT_PATH, BAD_REFERENCE, DANGLING_REFERENCE, Note, PLAN_CYCLE, UNUSED_WRITE};
use super::graph::{self, Ports};
use super::log::{Log, Reader};
use super::message::{ActsMessage, MessageType};
use super::status::Judge;
use crate::model::StepNo;

/// A37: whether a message may be the plan.
pub(super) fn has_calls(message: &ActsMessage<'_>) -> bool {
    call::listed(message).is_some_and(|calls| message.kind == MessageType::Plan || !calls.is_empty())
}

/// A37: whether a message is a solution with an output.
pub(super) fn has_output(message: &ActsMessage<'_>) -> bool {
    message.kind.is_solution() && output(message).is_some()
}

/// A37: the output of a solution, if it is not null.
pub(super) fn output<'v>(message: &ActsMessage<'v>) -> Option<&'v crate::json::Value<'v>> {
    message.get("solution")?.get("output").filter(|o| !o.is_null())
}

/// Whether some reference of the calls of a message waits for the state.
pub(super) fn has_references(message: &ActsMessage<'_>) -> bool {
    if !is_gate_of(message.kind) {
        return false;
    }
    let calls = call::of(message);
    (message.kind != MessageType::Call && graph::is_ambiguous(&calls))
        || calls.iter().any(|c| c.inputs.iter().any(|i| is_gate(&i.expression)))
}

fn is_gate_of(kind: MessageType) -> bool {
    kind == MessageType::Plan || kind == MessageType::Call || kind.is_solution()
}

fn is_gate(expression: &Expression) -> bool {
    matches!(expression, Expression::Gates(_))
}

/// A43, A44: what can be said of the calls of a message without the state.
pub(super) fn calls(message: &ActsMessage<'_>, notes: &mut Vec<Note>) {
    if !is_gate_of(message.kind) {
        return;
    }
    let calls = call::of(message);
    for (index, call) in calls.iter().enumerate() {
        let path = format!("calls[{index}]");
        if let Some(bad) = call.inputs.iter().find(|i| i.expression == Expression::Invalid) {
            let text = format!("{:?} does not parse as a reference", bad.text);
            notes.push(Note::at(BAD_REFERENCE, path.clone(), text));
        }
        if call.has_output_path && call.output.is_none() {
            notes.push(Note::at(BAD_OUTPUT_PATH, path, "`_outputPath` does not parse as a reference"));
        }
    }
    if message.kind != MessageType::Call && !graph::is_ambiguous(&calls) {
        notes.extend(graph_notes(&Ports::all(&calls, None), message.kind));
    }
}

/// A40, A44: calls that wait for one another, and what a call of a plan message writes and no other call of it can
/// read.
fn graph_notes(ports: &[Ports<'_>], kind: MessageType) -> Vec<Note> {
    let writers = graph::writers(ports);
    let mut notes = Vec::new();
    for cycle in graph::edges(ports, &writers).order().cycles {
        let text = format!("calls {cycle:?} wait for one another");
        notes.push(Note::at(PLAN_CYCLE, format!("calls[{}]", cycle[0]), text));
    }
    if kind == MessageType::Plan {
        let note = |path: &str| Note::at(UNUSED_WRITE, path.to_owned(), "no other call of the plan reads it");
        notes.extend(graph::unread(ports, &writers).into_iter().map(note));
    }
    notes
}

/// A43: the references of the message of step `open`, against the state at a step and the instances it has.
pub(super) fn references(
    log: &Log,
    open: StepNo,
    step: StepNo,
    instances: &[String],
    reader: Reader<'_>,
) -> Vec<(StepNo, Note)> {
    let calls = log.with_message(open, reader, |message, _| call::of(message)).unwrap_or_default();
    let written = graph::written(&calls);
    let judge = Judge::new(log, step, open, &calls, &written, reader);
    let mut notes = Vec::new();
    let kind = log.kind(open).filter(|kind| *kind != MessageType::Call && graph::is_ambiguous(&calls));
    if let Some(kind) = kind {
        let ports = Ports::all(&calls, Some((&log.tree, step)));
        notes.extend(graph_notes(&ports, kind).into_iter().map(|note| (open, note)));
    }
    for (index, call) in calls.iter().enumerate() {
        for input in call.inputs.iter().filter(|i| judge.dangles(index, &i.expression, instances)) {
            let text = "nothing holds it at the end of its tick, and nothing can supply it";
            notes.push((open, Note::at(DANGLING_REFERENCE, input.text.clone(), text)));
        }
    }
    notes
}
