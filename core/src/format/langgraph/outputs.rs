//! What nodes wrote after a checkpoint, and which nodes they are.

use crate::json::Value;

/// The writes that wait after a checkpoint: outputs of nodes, and interrupts.
pub(super) fn writes<'v>(checkpoint: &'v Value<'v>) -> &'v [Value<'v>] {
    checkpoint.get("writes").and_then(Value::as_array).unwrap_or_default()
}

/// The number of a write; those of outputs are not negative.
pub(super) fn idx<'v>(write: &'v Value<'v>) -> &'v str {
    write.get("idx").and_then(Value::as_number).unwrap_or("0")
}

pub(super) fn task_path<'v>(write: &'v Value<'v>) -> &'v str {
    write.get("task_path").and_then(Value::as_str).unwrap_or_default()
}

/// The outputs that wait after a checkpoint, in the order in which LangGraph takes them: by the paths of their tasks,
/// not by when these were done.
pub(super) fn outputs<'v>(checkpoint: &'v Value<'v>) -> Vec<&'v Value<'v>> {
    let mut outputs: Vec<&Value<'_>> = writes(checkpoint).iter().filter(|write| !idx(write).starts_with('-')).collect();
    let task = |write: &'v Value<'v>| write.get("task_id").and_then(Value::as_str).unwrap_or_default();
    let number = |write: &'v Value<'v>| idx(write).parse::<u64>().unwrap_or_default();
    outputs.sort_by_key(|write| (task_path(write), task(write), number(write)));
    outputs
}

const PULL: &str = "~__pregel_pull, ";
const PUSH: &str = "~__pregel_push, ";

/// The node of an output that waits after a checkpoint. A node that was sent something has a number in its path, of
/// what was sent by the step before, or where the sender wrote it.
pub(super) fn node<'v>(write: &'v Value<'v>, checkpoint: &'v Value<'v>) -> Option<&'v str> {
    let first = |path: &'v str| path.split(", ").next();
    let path = task_path(write);
    if let Some(node) = path.strip_prefix(PULL) {
        return first(node);
    }
    let path = path.strip_prefix(PUSH)?;
    if let Some(sender) = path.strip_prefix(PULL) {
        let mut parts = sender.split(", ");
        let (sender, number) = (parts.next()?, number(parts.next()?)?);
        let is_it = |write: &&Value<'_>| {
            task_path(write).strip_prefix(PULL) == Some(sender) && idx(write).parse() == Ok(number)
        };
        return receiver(writes(checkpoint).iter().find(is_it)?.get("value")?);
    }
    match number(first(path)?) {
        Some(number) => {
            let values = checkpoint.get("checkpoint")?.get("channel_values")?;
            receiver(values.get("__pregel_tasks")?.as_array()?.get(number)?)
        }
        None => first(path),
    }
}

fn number(digits: &str) -> Option<usize> {
    digits.parse().ok()
}

/// The node to which something is sent.
fn receiver<'v>(send: &'v Value<'v>) -> Option<&'v str> {
    let by_place = || send.get("args")?.as_array()?.first();
    send.get("node").or_else(by_place)?.as_str()
}
