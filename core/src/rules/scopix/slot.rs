//! Slots: who wrote what type when, by step (S10 to S13).

use super::collection::{FILE_IDS, ids};
use super::data_types::DataTypes;
use super::finding::{
    BAD_SLOT, BAD_VALUE, NO_OP_WRITE, SLOT_VANISHED, TIMESTAMP_ORDER, TYPE_CHANGE, UNKNOWN_DATA_TYPE,
};
use crate::json::Value;
use crate::model::{Identity, StepNo};
use crate::rules::digest;
use crate::state::{EventOp, HistoryEvent, IdentityId, Op, Tree, Write};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What is known of a slot beside its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meta {
    /// Its data type; None where it is not a string.
    pub data_type: Option<Arc<str>>,
    /// Who wrote it; None where it is not a string.
    pub source: Option<Arc<str>>,
    /// When, as written.
    pub timestamp: Option<Box<str>>,
}

/// S13: a slot as its last write left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotState {
    /// Its three fields beside the value.
    pub meta: Meta,
    /// Its last write.
    pub step: StepNo,
    /// Its last write that was not only a repetition.
    pub changed: StepNo,
    /// `content_type` of its value, if it is a string (S21).
    pub content_type: Option<Arc<str>>,
    digest: Option<u128>,
}

/// One write, for what a later contract says of it (S28).
#[derive(Debug, Clone)]
pub(super) struct RecordedWrite {
    pub(super) step: StepNo,
    pub(super) slot: IdentityId,
    pub(super) source: Option<Arc<str>>,
    pub(super) data_type: Option<Arc<str>>,
}

/// One write to come: S4, or a member of a context.
pub(super) struct SlotEntry<'v> {
    pub(super) name: &'v str,
    /// None: the slot is only listed (S6).
    pub(super) value: Option<&'v Value<'v>>,
    pub(super) data_type: Option<&'v str>,
    pub(super) source: Option<&'v str>,
    pub(super) timestamp: Option<&'v str>,
}

/// What is to be said of a slot: rule, slot, sentence.
pub(super) type Note = (&'static str, String, String);

/// All slots of a run at every step.
#[derive(Debug, Default)]
pub(super) struct Slots {
    pub(super) tree: Tree,
    /// By identity: what each write or vanishing left, in step order.
    versions: HashMap<IdentityId, Vec<(StepNo, Option<SlotState>)>>,
    /// S12: writes that their own step wrote over: each with the number of the first event that is none of its own.
    earlier: HashMap<(IdentityId, StepNo), Vec<(u32, Meta)>>,
    /// S29: the last timestamp of each, also of one that vanished.
    last_time: HashMap<IdentityId, Box<str>>,
    present: Vec<IdentityId>,
    pub(super) writes: Vec<RecordedWrite>,
    names: HashSet<Arc<str>>,
    types: Arc<DataTypes>,
}

impl Slots {
    /// No slots, whose types are looked up in a registry.
    pub(super) fn of_types(types: Arc<DataTypes>) -> Self {
        Self { types, ..Self::default() }
    }

    /// S11: takes a whole context: slots that are not in it vanish, those whose four fields are new are written.
    pub(super) fn take_context(&mut self, at: StepNo, slots: &Value<'_>, base: u64, notes: &mut Vec<Note>) {
        let Some(object) = slots.as_object() else { return };
        let named: HashSet<&str> = object.members.iter().map(|m| m.key.as_ref()).collect();
        let (staying, gone): (Vec<_>, Vec<_>) = std::mem::take(&mut self.present)
            .into_iter()
            .partition(|&id| named.contains(self.tree.identity(id).kind.as_str()));
        self.present = staying;
        for id in gone {
            self.drop_slot(at, id, notes);
        }
        for (name, slot) in object.entries() {
            match slot.get("value") {
                Some(value) => {
                    let entry = SlotEntry::of(name, slot, Some(value));
                    if !self.holds(&entry) {
                        self.write(at, &entry, base, notes);
                    }
                }
                None => notes.push((BAD_SLOT, name.to_owned(), "it has no value and is skipped".to_owned())),
            }
        }
    }

    /// S6: whether a slot is there with this type and source.
    pub(super) fn lists(&self, entry: &SlotEntry<'_>) -> bool {
        self.now(entry.name).is_some_and(|(_, slot)| {
            slot.meta.data_type.as_deref() == entry.data_type && slot.meta.source.as_deref() == entry.source
        })
    }

    /// S11: whether all four fields are as they were.
    fn holds(&self, entry: &SlotEntry<'_>) -> bool {
        self.lists(entry)
            && self.now(entry.name).is_some_and(|(_, slot)| {
                slot.meta.timestamp.as_deref() == entry.timestamp && slot.digest == entry.value.map(digest::of)
            })
    }

    /// S10: one write replaces value, type, source and timestamp.
    pub(super) fn write(&mut self, at: StepNo, entry: &SlotEntry<'_>, base: u64, notes: &mut Vec<Note>) {
        let before = self.now(entry.name).map(|(_, slot)| slot.clone());
        let id = self.tree.intern(&Identity::global(entry.name));
        if let Some(earlier) = before.as_ref().filter(|before| before.step == at) {
            let end = self.tree.next_number();
            self.earlier.entry((id, at)).or_default().push((end, earlier.meta.clone()));
        }
        let digest = entry.value.map(digest::of);
        let is_repeated = digest.is_some() && before.as_ref().is_some_and(|b| b.digest == digest);
        self.judge(entry, id, before.as_ref(), is_repeated, notes);
        let had_value = before.as_ref().is_some_and(|b| b.digest.is_some());
        match entry.value {
            Some(value) => {
                let ops = [(Vec::new(), Op::Replace)];
                self.tree.write(&Write {
                    at,
                    author: at,
                    identity: id,
                    value: Some(value),
                    base: Some(base),
                    ops: &ops,
                });
            }
            None if had_value => {
                let ops = [(Vec::new(), Op::Remove)];
                self.tree.write(&Write { at, author: at, identity: id, value: None, base: Some(base), ops: &ops });
            }
            None => self.tree.touch(at, id),
        }
        if before.is_none() {
            self.present.push(id);
        }
        if let Some(time) = entry.timestamp {
            self.last_time.insert(id, time.into());
        }
        let meta = Meta {
            data_type: entry.data_type.map(|name| self.name(name)),
            source: entry.source.map(|name| self.name(name)),
            timestamp: entry.timestamp.map(Into::into),
        };
        let changed = before.filter(|_| is_repeated).map_or(at, |b| b.changed);
        let content_type = entry.value.and_then(|v| v.get("content_type")).and_then(Value::as_str);
        let content_type = content_type.map(|name| self.name(name));
        let (source, data_type) = (meta.source.clone(), meta.data_type.clone());
        self.writes.push(RecordedWrite { step: at, slot: id, source, data_type });
        self.set(id, at, Some(SlotState { meta, step: at, changed, content_type, digest }));
    }

    /// S29: what is to be said of one write.
    fn judge(
        &self,
        entry: &SlotEntry<'_>,
        id: IdentityId,
        before: Option<&SlotState>,
        is_repeated: bool,
        notes: &mut Vec<Note>,
    ) {
        let mut say = |rule, message: String| notes.push((rule, entry.name.to_owned(), message));
        if entry.data_type.is_none() || entry.source.is_none() {
            say(BAD_SLOT, "its data_type or source_node is not a string".to_owned());
        }
        match entry.data_type {
            Some(name) if !self.types.has(name) => {
                say(UNKNOWN_DATA_TYPE, format!("the data type {name} is not in the registry"));
            }
            Some(FILE_IDS) if entry.value.is_some_and(|v| ids(v).is_none()) => {
                say(BAD_VALUE, "a FILE_IDS value without ids that are strings".to_owned());
            }
            _ => {}
        }
        if let (Some(name), Some(value)) = (entry.data_type, entry.value)
            && let Some(message) = self.types.misfit(name, value)
        {
            say(BAD_VALUE, message);
        }
        if let (Some(new), Some(old)) = (entry.data_type, before.and_then(|b| b.meta.data_type.as_deref()))
            && new != old
        {
            say(TYPE_CHANGE, format!("its data type was {old} and is {new}"));
        }
        if let (Some(new), Some(old)) = (entry.timestamp, self.last_time.get(&id))
            && new < old.as_ref()
        {
            say(TIMESTAMP_ORDER, format!("its timestamp {new} is earlier than the one before it, {old}"));
        }
        if is_repeated {
            say(NO_OP_WRITE, "written again with the same value".to_owned());
        }
    }

    /// S11: a slot that is missing is dropped.
    fn drop_slot(&mut self, at: StepNo, id: IdentityId, notes: &mut Vec<Note>) {
        self.tree.drop_identity(at, id, EventOp::Drop);
        let name = self.tree.identity(id).kind.clone();
        self.set(id, at, None);
        notes.push((SLOT_VANISHED, name, "it is no longer in the context, and no call deletes slots".to_owned()));
    }

    /// Two writes of one step to one slot leave one version: the last.
    fn set(&mut self, id: IdentityId, at: StepNo, state: Option<SlotState>) {
        let versions = self.versions.entry(id).or_default();
        match versions.last_mut() {
            Some(last) if last.0 == at => last.1 = state,
            _ => versions.push((at, state)),
        }
    }

    fn now(&self, name: &str) -> Option<(IdentityId, &SlotState)> {
        let id = self.tree.find(&Identity::global(name))?;
        let state = self.versions.get(&id)?.last()?.1.as_ref()?;
        Some((id, state))
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        self.names.insert(new.clone());
        new
    }

    /// S13: a slot at a step; None before its first write and after it vanished.
    pub(super) fn at(&self, id: IdentityId, step: StepNo) -> Option<&SlotState> {
        let versions = self.versions.get(&id)?;
        let count = versions.partition_point(|(at, _)| *at <= step);
        versions[..count].last()?.1.as_ref()
    }

    /// S12: who made the write that an event is of, if its step wrote the slot again later.
    pub(super) fn attribution_of(&self, event: &HistoryEvent) -> Option<&Meta> {
        let earlier = self.earlier.get(&(event.identity, event.at))?;
        earlier.iter().find(|(end, _)| event.number < *end).map(|(_, meta)| meta)
    }

    /// S12: who wrote a slot last, up to a step; of one that vanished, who wrote it before.
    pub(super) fn attribution(&self, id: IdentityId, step: StepNo) -> Option<&Meta> {
        let versions = self.versions.get(&id)?;
        let count = versions.partition_point(|(at, _)| *at <= step);
        versions[..count].iter().rev().find_map(|(_, state)| state.as_ref()).map(|state| &state.meta)
    }
}

impl<'v> SlotEntry<'v> {
    /// S2: the fields of a `TypedSlot`, or of the arguments of `write` (S4).
    pub(super) fn of(name: &'v str, slot: &'v Value<'v>, value: Option<&'v Value<'v>>) -> Self {
        let text = |key: &str| slot.get(key).and_then(Value::as_str);
        Self { name, value, data_type: text("data_type"), source: text("source_node"), timestamp: text("timestamp") }
    }
}
