//! What a record of a dataset says beside the steps of its run: a system prompt, its task, its reward, other members.

use crate::json::{self, Value};
use crate::review::chat::{LOSS_FIELDS, Left, Member, lose, rest, words};
use crate::rules::trajectory::{RecordShape, Way};

/// What the trajectories of a record have in common.
#[derive(Debug, Clone, Default)]
pub struct RecordHead {
    pub(super) system: Option<String>,
    /// Members by their names, as JSON.
    pub(super) others: Vec<Member>,
    /// How the run came out, where no step says it: a number as JSON.
    pub(super) reward: Option<String>,
    /// What no message of another format says.
    pub(super) left: Left,
}

impl RecordHead {
    /// Of a conversation or a pair; None: the record is none.
    #[must_use]
    pub fn of(record: &Value<'_>, way: Way) -> Option<Self> {
        let reading = way.read(record);
        if reading.shape != RecordShape::Chat || record.as_object().is_none() {
            return None;
        }
        let system = record.get("system").and_then(words);
        let members = record.as_object().into_iter().flat_map(json::Object::entries).map(|(name, _)| name);
        let used = members.filter(|name| reading.tracks.iter().any(|track| track.is_in(name)));
        let used = used.chain(reading.id().map(|(key, _)| key)).chain(system.as_ref().map(|_| "system"));
        let others = rest(record, &used.collect::<Vec<_>>());
        let mut left = Left::new();
        for entry in &reading.entries {
            let masks = LOSS_FIELDS.iter().filter(|(name, _)| entry.value.get(name).is_some());
            masks.for_each(|(name, _)| lose(&mut left, "message", name));
        }
        // Both of a pair are rewarded by which they are.
        let is_unrewarded = reading.tracks.len() == 1 && reading.entries.iter().all(|entry| entry.reward.is_none());
        let reward = reading.outcome().filter(|_| is_unrewarded).map(|reward| reward.to_string());
        Some(Self { system, others, reward, left })
    }
}
