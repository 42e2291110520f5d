//! Where a value came from, hop by hop: copied from other values of the state, or out of the result of a call.

use super::Run;
use crate::json::{self, Data, Key, Value};
use crate::model::{Bytes, StepKind, StepNo};
use crate::state::cause::{Copied, Copies, is_telling};
use crate::state::{IdentityId, NodeId, Stored};

/// Most hops that are followed.
const HOPS_MAX: usize = 32;
/// Most steps, and most bytes of them, in which a result with the value is looked for.
const RESULT_STEPS_MAX: StepNo = 200;
const RESULT_BYTES_MAX: u64 = 2 << 20;
/// Longest value, as JSON text in bytes, that is looked for in results.
const VALUE_BYTES_MAX: usize = 4 << 10;

/// What a message says of where its values came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The step of the call that it is the result of.
    pub call: Option<StepNo>,
    /// What that call read from the state.
    pub reads: Vec<NodeId>,
}

/// One hop back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hop {
    /// A value of the state.
    Value {
        /// The leaf.
        node: NodeId,
        /// Whose it is.
        id: IdentityId,
        /// Its path.
        path: Vec<Key>,
        /// The step whose message supplied it there.
        step: StepNo,
    },
    /// The result of a call.
    Result {
        /// The step of the result.
        step: StepNo,
        /// The step of the call, where it is known.
        call: Option<StepNo>,
    },
}

impl Hop {
    /// The step to go to.
    #[must_use]
    pub fn step(&self) -> StepNo {
        match self {
            Self::Value { step, .. } => *step,
            Self::Result { step, call } => call.unwrap_or(*step),
        }
    }

    /// The hop in words: `†input.city ① @3`, `result of call 12`.
    #[must_use]
    pub fn told(&self, run: &dyn Run) -> String {
        match self {
            Self::Value { id, path, step, .. } => {
                let identity = run.tree().identity(*id);
                let mut told = run.reference(identity, path);
                if let (Some(instance), super::Instances::Chosen) = (&identity.instance, run.instances()) {
                    told = format!("{told} {instance}");
                }
                if *step < 0 { format!("{told} in the head") } else { format!("{told} @{step}") }
            }
            Self::Result { call: Some(call), .. } => format!("result of call {call}"),
            Self::Result { step, call: None } => format!("result @{step}"),
        }
    }
}

/// One write of one value.
#[derive(Debug, Clone, Copy)]
pub struct Written<'v> {
    /// Where.
    pub node: NodeId,
    /// The step whose message supplied it.
    pub author: StepNo,
    /// What.
    pub value: &'v Stored,
}

/// Where a value was copied from; None where nothing says so.
#[must_use]
pub fn hop(run: &dyn Run, copies: &Copies<'_>, written: Written<'_>, bytes: &dyn Bytes) -> Option<Hop> {
    if written.author < 0 || !is_telling(written.value) {
        return None;
    }
    let tree = run.tree();
    let origin = run.origin(tree.path(written.node).0, written.author, bytes);
    if let Some(Copied { node, id, step }) = copies.source(written.node, written.author, written.value, &origin.reads) {
        return Some(Hop::Value { node, id, path: tree.path(node).1, step });
    }
    match origin.call {
        Some(call) => Some(Hop::Result { step: written.author, call: Some(call) }),
        None => result_with(run, written, bytes),
    }
}

/// Where a value came from, the nearest first, to where it first came in.
#[must_use]
pub fn chain(run: &dyn Run, copies: &Copies<'_>, written: Written<'_>, bytes: &dyn Bytes) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut at = written;
    while hops.len() < HOPS_MAX {
        let Some(hop) = hop(run, copies, at, bytes) else { break };
        let next = match &hop {
            Hop::Value { node, step, .. } => Some((*node, *step)),
            Hop::Result { .. } => None,
        };
        hops.push(hop);
        let Some((node, author)) = next else { break };
        at = Written { node, author, ..at };
    }
    hops
}

/// The newest result before a write that has the value as one of its leaves.
fn result_with(run: &dyn Run, written: Written<'_>, bytes: &dyn Bytes) -> Option<Hop> {
    let text = written.value.text(bytes).ok().filter(|text| text.len() <= VALUE_BYTES_MAX)?;
    let finder = memchr::memmem::Finder::new(text.as_bytes());
    let mut read = 0;
    for step in (written.author.saturating_sub(RESULT_STEPS_MAX).max(0)..written.author).rev() {
        let span = run.place(step)?.place.span;
        read += span.len;
        if read > RESULT_BYTES_MAX {
            return None;
        }
        let message = bytes.read(span).ok()?;
        if finder.find(&message).is_none() {
            continue;
        }
        let described = run.step(step, bytes);
        let is_result = described.answers.is_some() || described.sign == StepKind::Result;
        let holds = || json::parse(std::str::from_utf8(&message).ok()?).ok().map(|value| has_leaf(&value, &text));
        if is_result && holds() == Some(true) {
            return Some(Hop::Result { step, call: described.answers });
        }
    }
    None
}

fn has_leaf(value: &Value<'_>, text: &str) -> bool {
    match &value.data {
        Data::Array(items) => items.iter().any(|item| has_leaf(item, text)),
        Data::Object(object) => object.entries().any(|(_, item)| has_leaf(item, text)),
        _ => json::compact(value) == text,
    }
}
