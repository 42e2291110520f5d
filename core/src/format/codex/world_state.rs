//! The world state of a thread of Codex, which its log reports in full and in patches.

use crate::format::log::{Log, merge_patch};
use crate::json::Value;
use crate::state::Op;

/// The kind of its state.
const KIND: &str = "world_state";

/// Whether the world state is known.
#[derive(Default)]
pub(super) struct WorldState {
    /// A full state was reported, and no compaction since.
    has_baseline: bool,
}

impl WorldState {
    /// Removes the state after a compaction: patches are ignored until the next full state.
    pub(super) fn clear(&mut self, log: &mut Log<'_>) {
        if std::mem::take(&mut self.has_baseline) {
            log.remove(KIND, "main", &[]);
        }
    }

    /// Writes a world state: a full one replaces the state, a patch changes it. A patch is ignored if no full state
    /// came before it.
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
