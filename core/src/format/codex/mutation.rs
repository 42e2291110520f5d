//! Changes of the history, as Trae writes them: items of a rollout, several in one record.

use super::rollout::{Rollout, state};
use crate::format::log::{Log, items, text};
use crate::json::Value;

impl Rollout {
    /// Items that come to the history are those of a rollout; another change is shown as it is.
    pub(super) fn mutate(&mut self, record: &Value<'_>, payload: &Value<'_>, log: &mut Log<'_>) {
        let added = items(payload, "items");
        if added.is_empty() || text(payload, "operation").is_some_and(|operation| operation != "append") {
            state(record, payload, "history_mutation", log);
            return;
        }
        added.iter().for_each(|item| self.item(record, item, log));
    }
}
