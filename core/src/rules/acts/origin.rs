//! What the call of a message read, so that a value can be followed to where it came from (A28, A37, A38).

use super::call::{self, Call};
use super::identity::instance_name;
use super::log::Log;
use super::message::MessageType;
use super::resolve::Resolver;
use crate::model::{Bytes, StepNo};
use crate::state::NodeId;

/// Most steps back in which the call message of a result is looked for.
const CALL_STEPS_MAX: StepNo = 64;

impl Log {
    /// A28, A38: the step of the call that a message is the result of, where a call message before it names the same
    /// tool and instance; and the nodes that the references among its parameters mean.
    #[must_use]
    pub fn origin(&self, step: StepNo, bytes: &dyn Bytes) -> (Option<StepNo>, Vec<NodeId>) {
        let origin_call = self.read(step, bytes, |message| {
            let call = Call::of_value(message.get("_call")?);
            let instance = message.get("_instance").and_then(instance_name);
            Some((call.instance.clone().or(instance), call))
        });
        let Some((instance, origin_call)) = origin_call.flatten().filter(|(_, call)| call.tool.is_some()) else {
            return (None, Vec::new());
        };
        let sent = self.sent(step, origin_call.tool.as_deref(), instance.as_deref(), bytes);
        let resolver = Resolver::new(self.tree(), step - 1, instance.as_deref());
        let mut reads: Vec<NodeId> = Vec::new();
        for call in [Some(&origin_call), sent.as_ref().map(|(_, call)| call)].into_iter().flatten() {
            let found = call.reads().into_iter().filter_map(|read| resolver.reference(read).ok());
            reads.extend(found.map(|found| found.node));
        }
        (sent.map(|(at, _)| at), reads)
    }

    /// The last call message before a step of that tool and instance.
    fn sent(
        &self,
        step: StepNo,
        tool: Option<&str>,
        instance: Option<&str>,
        bytes: &dyn Bytes,
    ) -> Option<(StepNo, Call)> {
        let first = step.saturating_sub(CALL_STEPS_MAX).max(0);
        (first..step).rev().filter(|at| self.kind(*at) == Some(MessageType::Call)).find_map(|at| {
            let call = self.read(at, bytes, |message| call::of(message).pop()).flatten()?;
            let is_same = call.tool.as_deref() == tool && call.instance.as_deref() == instance;
            is_same.then_some((at, call))
        })
    }
}
