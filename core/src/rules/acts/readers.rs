//! Who reads a value: the calls whose parameters refer to it (A38, A39).

use super::call::{self, Call};
use super::log::Log;
use super::message::MessageType;
use super::reference::Reference;
use super::resolve::Resolver;
use super::status::{is_approval, segments};
use crate::json::Key;
use crate::model::{Bytes, Identity, StepNo};
use std::collections::HashSet;

/// Most readers that are listed.
const READERS_MAX: usize = 1_000;
/// Most messages that are read to find them.
const MESSAGES_MAX: usize = 20_000;

/// One call that reads a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadingCall {
    /// The step of the plan, solution or call.
    pub step: StepNo,
    /// `_tool` of the call.
    pub tool: Option<String>,
    /// `_instance` of the call.
    pub instance: Option<String>,
    /// The reference, canonical.
    pub reference: String,
}

impl Log {
    /// A38, A39: the calls of plans, solutions and call messages that read a path or one above or below it, in the
    /// order of their steps. A call without instance reads in every instance; one with an instance falls back on the
    /// global identity (A34).
    #[must_use]
    pub fn readers(&self, identity: &Identity, path: &[Key], bytes: &dyn Bytes) -> Vec<ReadingCall> {
        let target = Reference { kind: identity.kind.clone(), path: segments(path) };
        let last = self.last_step();
        let has_calls = |step: &StepNo| {
            self.plans.binary_search(step).is_ok() || self.row(*step).is_some_and(|row| row.kind() == MessageType::Call)
        };
        let mut found = Vec::new();
        for step in (0..=last).filter(has_calls).take(MESSAGES_MAX) {
            let calls = self.read(step, bytes, call::of).unwrap_or_default();
            for call in &calls {
                let is_other = matches!((&identity.instance, &call.instance), (Some(a), Some(b)) if a != b);
                if !is_other {
                    self.put_readers(step, call, &target, &mut found);
                }
            }
            if found.len() >= READERS_MAX {
                found.truncate(READERS_MAX);
                break;
            }
        }
        found
    }

    fn put_readers(&self, step: StepNo, call: &Call, target: &Reference, found: &mut Vec<ReadingCall>) {
        let resolver = Resolver::new(self.tree(), step, call.instance.as_deref());
        let mut seen = HashSet::new();
        let reads = call.reads().into_iter().filter(|read| read.touches(target)).map(|read| resolver.canonical(read));
        found.extend(reads.filter(|reference| seen.insert(reference.clone())).map(|reference| ReadingCall {
            step,
            tool: call.tool.clone(),
            instance: call.instance.clone(),
            reference,
        }));
    }

    /// Whether any identity of its kind, global or of an instance, has what a reference names at a step.
    #[must_use]
    pub fn is_found(&self, reference: &Reference, step: StepNo) -> bool {
        let tree = self.tree();
        let ids = self.identities_of(&reference.kind).into_iter().filter(|id| tree.view(*id, step).is_some());
        let mut instances = std::iter::once(None).chain(ids.map(|id| tree.identity(id).instance.as_deref()));
        instances.any(|i| Resolver::new(tree, step, i).gate(std::slice::from_ref(reference)).is_answered())
    }

    /// A41: whether a person or data that comes back may give a reference a value.
    #[must_use]
    pub fn is_awaited(&self, reference: &Reference, step: StepNo) -> bool {
        is_approval(reference) || self.was_lost(&reference.kind, step)
    }
}
