//! What Codex reports of the world around a thread, as a whole and in patches.

use crate::format::log::{Log, merge_patch};
use crate::json::Value;
use crate::state::Op;

/// The kind of its state.
const KIND: &str = "world_state";

/// Whether the world state is known.
#[derive(Default)]
pub(super) struct WorldState {
    /// A full one came, and no compaction since.
    has_baseline: bool,
}

impl WorldState {
    /// What was compacted is no baseline any more, until a full state comes.
    pub(super) fn clear(&mut self, log: &mut Log<'_>) {
        if std::mem::take(&mut self.has_baseline) {
            log.remove(KIND, "main", &[]);
        }
    }

    /// A full world state is a baseline; another patches it, and without one says nothing that is whole.
    pub(super) fn read(&mut self, payload: &Value<'_>, log: &mut Log<'_>) {
        let Some(state) = payload.get("state") else { return };
        if payload.get("full").and_then(Value::as_bool) == Some(true) {
            self.has_baseline = true;
            log.write(KIND, "main", &[], Op::Update, state);
        } else if self.has_baseline {
            merge_patch(log, KIND, "main", &[], state);
        }
    }
}
