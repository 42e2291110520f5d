//! W5: slots of the state: written when their values change.

use crate::json::{self, Data, Key, Member, Object, Value};
use crate::model::{Identity, StepNo};
use crate::state::{Op, Tree, Write};
use std::borrow::Cow;
use std::collections::HashMap;

/// Where slots are written to.
pub trait SlotSink {
    /// Writes a slot; `value` is JSON text.
    fn write(&mut self, at: StepNo, kind: &str, instance: &str, slot: &str, value: &str);
    /// Drops a slot; None: the identity with all its slots.
    fn drop_slot(&mut self, at: StepNo, kind: &str, instance: &str, slot: Option<&str>);
    /// Whether anybody reads what is written; if not, no slots are made.
    fn is_read(&self) -> bool {
        true
    }
}

impl SlotSink for Tree {
    fn write(&mut self, at: StepNo, kind: &str, instance: &str, slot: &str, value: &str) {
        let Ok(value) = json::parse(value) else { return };
        let member = Member { key: Cow::Borrowed(slot), key_start: 0, value };
        let slots = Value { start: 0, text: "", data: Data::Object(Object::new(vec![member])) };
        let identity = self.intern(&Identity::of(kind, instance));
        let ops = [(vec![Key::name(slot)], Op::Opaque)];
        Self::write(self, &Write { at, author: at, identity, value: Some(&slots), base: None, ops: &ops });
    }

    fn drop_slot(&mut self, at: StepNo, kind: &str, instance: &str, slot: Option<&str>) {
        let identity = self.intern(&Identity::of(kind, instance));
        let ops = [(slot.map(Key::name).into_iter().collect(), Op::Remove)];
        Self::write(self, &Write { at, author: at, identity, value: None, base: None, ops: &ops });
    }
}

/// A sink that nobody reads.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoSink;

impl SlotSink for NoSink {
    fn write(&mut self, _: StepNo, _: &str, _: &str, _: &str, _: &str) {}

    fn drop_slot(&mut self, _: StepNo, _: &str, _: &str, _: Option<&str>) {}

    fn is_read(&self) -> bool {
        false
    }
}

type Slots = HashMap<&'static str, Box<str>>;

/// The slots as they were written last.
#[derive(Debug, Default)]
pub(super) struct Board {
    written: HashMap<&'static str, HashMap<Box<str>, Slots>>,
}

/// Writes slots of one step.
pub(super) struct Writer<'w> {
    pub(super) board: &'w mut Board,
    pub(super) sink: &'w mut dyn SlotSink,
    pub(super) at: StepNo,
}

impl Writer<'_> {
    /// Gives a slot a value as JSON text, or none; nothing is written where it has that value.
    pub(super) fn set(&mut self, kind: &'static str, instance: &str, slot: &'static str, value: Option<&str>) {
        self.put(kind, instance, slot, value, false);
    }

    /// The same, but written also where the value stays.
    pub(super) fn put(
        &mut self,
        kind: &'static str,
        instance: &str,
        slot: &'static str,
        value: Option<&str>,
        is_forced: bool,
    ) {
        if !self.sink.is_read() {
            return;
        }
        let instances = self.board.written.entry(kind).or_default();
        let slots = match instances.get_mut(instance) {
            Some(slots) => slots,
            None if value.is_none() => return,
            None => instances.entry(instance.into()).or_default(),
        };
        match value {
            Some(value) => {
                if slots.get(slot).is_some_and(|old| **old == *value) && !is_forced {
                    return;
                }
                slots.insert(slot, value.into());
                self.sink.write(self.at, kind, instance, slot, value);
            }
            None => {
                if slots.remove(slot).is_some() {
                    self.sink.drop_slot(self.at, kind, instance, Some(slot));
                }
            }
        }
    }

    /// Drops all identities that were written, in the order of their names.
    pub(super) fn clear(&mut self) {
        let written = std::mem::take(&mut self.board.written).into_iter();
        let mut all: Vec<(&'static str, Box<str>)> =
            written.flat_map(|(kind, instances)| instances.into_keys().map(move |name| (kind, name))).collect();
        all.sort_unstable();
        all.iter().for_each(|(kind, instance)| self.sink.drop_slot(self.at, kind, instance, None));
    }

    /// Drops an identity.
    pub(super) fn remove(&mut self, kind: &'static str, instance: &str) {
        let removed = self.board.written.get_mut(kind).and_then(|instances| instances.remove(instance));
        if removed.is_some() {
            self.sink.drop_slot(self.at, kind, instance, None);
        }
    }
}
