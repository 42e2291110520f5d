//! What a record of a dataset says beside the steps of its run: a system prompt, its task, its reward, other members.

use crate::format::RecordMembers;
use crate::json::{self, Value};
use crate::review::chat::{
    LOSS_FIELDS, Left, Member, beside_messages, beside_steps, is_nothing, lose, lose_all, rest, schemas_of_groups,
    system_words, tool_member,
};
use crate::rules::trajectory::{
    Body, Item, Reading, RecordShape, Way, answer_rewards, detailed_reward, further_members, task,
};
use std::collections::HashMap;

/// What the trajectories of a record have in common.
#[derive(Debug, Clone, Default)]
pub struct RecordHead {
    pub(super) system: Option<String>,
    /// Members by their names, as JSON.
    pub(super) others: Vec<Member>,
    /// How the run came out, where no step says it: a number as JSON.
    pub(super) reward: Option<String>,
    /// The reward in the notes of a conversation, where nothing else states one.
    pub(super) noted: Option<String>,
    /// The reward of each of several answers, by the label of the answer.
    pub(super) rewards: HashMap<String, String>,
    /// The other members of the record for each answer, by the label of the answer.
    pub(super) beside: HashMap<String, Vec<Member>>,
    /// The task that the record is an attempt at; None: it names no task.
    pub(super) task: Option<String>,
    /// Whether the record has an id itself.
    pub(super) has_id: bool,
    /// Counts of what a message of another format has no place for.
    pub(super) left: Left,
}

impl RecordHead {
    /// The head of a conversation or a preference pair; None for other records.
    #[must_use]
    pub fn of(record: &Value<'_>, way: Way) -> Option<Self> {
        let reading = way.read(record);
        record.as_object()?;
        match reading.shape {
            RecordShape::Chat => {}
            RecordShape::Atif | RecordShape::Std => return Some(Self::of_trajectory(record, &reading)),
            RecordShape::Other => return None,
        }
        let system = system_words(record);
        let members = record.as_object().into_iter().flat_map(json::Object::entries).map(|(name, _)| name);
        let used = members.filter(|name| reading.tracks.iter().any(|track| track.is_in(name)));
        let used = used.chain(reading.id().map(|(key, _)| key)).chain(system.as_ref().map(|(name, _)| *name));
        let mut others = rest(record, &used.collect::<Vec<_>>());
        others.extend(beside_steps(record, &reading.tracks));
        if let Some((name, tools)) = tool_member(record).filter(|(name, _)| record.get(name).is_none()) {
            others.push((name.to_owned(), json::compact(tools)));
        }
        // Tools that hold several functions are known to Gemini's API alone.
        let schemas = tool_member(record).and_then(|(name, tools)| Some((name, schemas_of_groups(tools)?)));
        if let Some((name, schemas)) = schemas {
            others.iter_mut().filter(|(other, _)| other == name).for_each(|(_, json)| json.clone_from(&schemas));
        }
        let system = system.map(|(_, words)| words);
        let mut left = Left::new();
        for entry in &reading.entries {
            let masks = LOSS_FIELDS.iter().filter(|(name, _)| entry.value.get(name).is_some());
            masks.for_each(|(name, _)| lose(&mut left, "message", name));
        }
        // Both of a pair are rewarded by which they are.
        let is_unrewarded = reading.tracks.len() == 1 && reading.entries.iter().all(|entry| entry.reward.is_none());
        let reward = reading.outcome().filter(|_| is_unrewarded).map(|reward| reward.to_string());
        let is_noted = is_unrewarded && reward.is_none();
        let noted = detailed_reward(record).filter(|_| is_noted).map(|reward| reward.to_string());
        let (mut beside, is_several) = (HashMap::new(), reading.main().is_none());
        for track in reading.answers() {
            let members = beside_messages(record, track, false, &mut left);
            match &track.label {
                Some(label) => drop(beside.entry(label.clone()).or_insert(members)),
                None => others.extend(members),
            }
        }
        let mut rewards = HashMap::new();
        for (track, reward) in answer_rewards(&reading).filter(|_| is_several) {
            let Some((label, reward)) = track.label.clone().zip(reward) else { continue };
            rewards.entry(label).or_insert_with(|| reward.to_string());
        }
        let (task, has_id) = (task(record, None), reading.id().is_some());
        Some(Self { system, others, reward, noted, rewards, beside, task, has_id, left })
    }

    /// The head of a record of a log: the members that a conversion carries over, and counts of the others.
    #[must_use]
    pub fn of_log(record: &Value<'_>, members: RecordMembers) -> Self {
        let RecordMembers { carried, of_run } = members;
        let all: Vec<Member> = rest(record, of_run).into_iter().filter(|(_, json)| !is_nothing(json)).collect();
        let (others, lost): (Vec<Member>, Vec<Member>) =
            all.into_iter().partition(|(name, _)| carried.contains(&name.as_str()));
        let mut left = Left::new();
        lose_all(&mut left, "record", &lost);
        Self { others, task: task(record, None), has_id: true, left, ..Self::default() }
    }

    /// Of an ATIF or a standardized trajectory: its members, those in `details` among them, and counted what its steps
    /// say that no message has a place for.
    fn of_trajectory(record: &Value<'_>, reading: &Reading<'_>) -> Self {
        let members = record.as_object().into_iter().flat_map(json::Object::entries).map(|(name, _)| name);
        let used = members.filter(|name| reading.tracks.iter().any(|track| track.is_in(name)));
        let used =
            used.chain(reading.id().map(|(key, _)| key)).chain(["schema_version", "details", "content", "steps"]);
        let details = record.get("details").filter(|_| reading.shape == RecordShape::Std);
        let mut others = details.map(|details| rest(details, &[])).unwrap_or_default();
        others.extend(rest(record, &used.collect::<Vec<_>>()));
        others.retain(|(_, json)| !is_nothing(json));
        let mut left = Left::new();
        reading.entries.iter().for_each(|entry| match &entry.body {
            Body::Turn => further_members(entry.value).iter().for_each(|(what, name)| lose(&mut left, what, name)),
            Body::Item(item) => lose_all(&mut left, "item", &rest(entry.value, &item_members(item))),
            Body::Message(_) | Body::Record => {}
        });
        let (task, has_id) = (task(record, None), reading.id().is_some());
        // Notes of ATIF are an object among the notes of a standardized trajectory, where nobody looks for a reward.
        let is_noted = reading.shape == RecordShape::Atif && reading.entries.iter().all(|entry| entry.reward.is_none());
        let reward = detailed_reward(record).filter(|_| is_noted).map(|reward| reward.to_string());
        Self { others, reward, task, has_id, left, ..Self::default() }
    }
}

/// The members of a standardized item that are written, or counted, where the messages are.
fn item_members(item: &Item<'_>) -> Vec<&'static str> {
    let fields = ["function", "kwargs", "description", "language", "content", "axtree", "url"];
    let is_blank = |name| item.text(name).is_none_or(|text| text.trim().is_empty());
    let fields = fields.into_iter().filter_map(|name| item.field(name)).map(|field| field.key);
    let html = Some("html").filter(|_| is_blank("axtree"));
    let links = ["class_", "class", "source", "tool_call_id", "reasoning_content", "name", "reward"];
    fields.chain(links).chain(html).collect()
}
