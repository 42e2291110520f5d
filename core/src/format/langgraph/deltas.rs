//! Channels that are stored as deltas: what nodes wrote, and what comes of it as far as that can be known.
//!
//! The reducer is not stored. What reducers of lists agree in is read: elements come behind what is there, a message of
//! a known id takes the place of the earlier one, a `RemoveMessage` takes one away. `Overwrite` begins again, whatever
//! the reducer. An object is merged where one is stored; elsewhere it is one more element.

use crate::format::log::text;
use crate::json::{Document, Object, Value};
use crate::state::Op;
use std::collections::{HashMap, HashSet};

/// The channels as they are after the checkpoint read last, and after those from which others go on.
pub(super) struct Deltas<'v> {
    channels: HashMap<Box<str>, Channel>,
    forks: HashMap<usize, HashMap<Box<str>, Channel>>,
    /// Elements of forks that may still be stored.
    left: usize,
    /// Channels that are objects where they are stored.
    objects: HashSet<&'v str>,
}

/// A channel: its value, and the places of messages in it by their ids.
#[derive(Clone)]
struct Channel {
    document: Document,
    places: HashMap<Box<str>, usize>,
}

/// Most elements that are stored for forks. Without them a branch begins with nothing known.
const FORK_ELEMENTS_MAX: usize = 4_000_000;

/// What is stored of a channel of deltas now and then: the member that has the value.
const SNAPSHOT: &str = "$delta_snapshot";

/// The value that is stored of a channel of deltas.
pub(super) fn snapshot<'v>(value: &'v Value<'v>) -> Option<&'v Value<'v>> {
    value.get(SNAPSHOT)
}

/// What removes all messages.
const ALL: &str = "__remove_all__";

impl<'v> Deltas<'v> {
    pub(super) fn new(checkpoints: &'v [Value<'v>]) -> Self {
        let values = checkpoints.iter().filter_map(|it| it.get("checkpoint")?.get("channel_values")?.as_object());
        let stored = values.flat_map(Object::entries).filter_map(|(name, value)| Some((name, snapshot(value)?)));
        let objects = stored.filter(|(_, value)| value.as_object().is_some()).map(|(name, _)| name).collect();
        Self { channels: HashMap::new(), forks: HashMap::new(), left: FORK_ELEMENTS_MAX, objects }
    }

    /// Others go on from the checkpoint read last.
    pub(super) fn store_fork(&mut self, place: usize) {
        let elements: usize = self.channels.values().map(|channel| channel.document.len() + 1).sum();
        if elements > 0 && elements <= self.left {
            self.left -= elements;
            self.forks.insert(place, self.channels.clone());
        }
    }

    /// What comes next follows from another checkpoint than the last.
    pub(super) fn go_back(&mut self, place: Option<usize>) {
        self.channels = place.and_then(|place| self.forks.get(&place)).cloned().unwrap_or_default();
    }

    /// A channel is stored with a checkpoint.
    pub(super) fn set(&mut self, name: &str, value: &Value<'_>) {
        self.channels.insert(name.into(), Channel::of(value));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.channels.contains_key(name)
    }

    /// What the write of a node does to a channel.
    pub(super) fn write(&mut self, name: &str, write: &Value<'_>) -> (Op, String) {
        let is_object = self.objects.contains(name);
        let channel = self.channels.entry(name.into()).or_insert_with(|| Channel::empty(is_object));
        if let Some(value) = overwrite(write) {
            *channel = Channel::of(value);
            return (Op::Update, value.text.to_owned());
        }
        if let Some(members) = write.as_object().filter(|_| !channel.document.is_array()) {
            for (name, value) in members.entries() {
                channel.document.set(&[name], Document::of(value, &|_| None));
            }
            return (Op::Assign, write.text.to_owned());
        }
        let elements = write.as_array().unwrap_or(std::slice::from_ref(write));
        let not_appended = elements.iter().filter(|element| !channel.add(element)).count();
        match (not_appended, write.as_array()) {
            (0, Some(_)) => (Op::Concat, write.text.to_owned()),
            (0, None) => (Op::Push, write.text.to_owned()),
            _ => (Op::Update, channel.document.text()),
        }
    }
}

impl Channel {
    fn empty(is_object: bool) -> Self {
        let document = if is_object { Document::object() } else { Document::array() };
        Self { document, places: HashMap::new() }
    }

    fn of(value: &Value<'_>) -> Self {
        let document = Document::of(value, &|_| None);
        let elements = value.as_array().unwrap_or_default().iter().zip(0..);
        let places = elements.filter_map(|(element, place)| Some((message_id(element)?.into(), place))).collect();
        Self { document, places }
    }

    /// Adds an element; false: others are not where they were, or not what they were.
    fn add(&mut self, element: &Value<'_>) -> bool {
        let id = message_id(element);
        if is_removal(element) {
            if id == Some(ALL) {
                *self = Self::empty(false);
            } else if let Some(place) = id.and_then(|id| self.places.remove(id)) {
                self.document.remove(&[place.to_string()]);
                self.places.values_mut().filter(|other| **other > place).for_each(|other| *other -= 1);
            }
            return false;
        }
        let value = Document::of(element, &|_| None);
        if let Some(place) = id.and_then(|id| self.places.get(id)) {
            self.document.set(&[place.to_string()], value);
            return false;
        }
        if !self.document.is_array() {
            self.document = Document::array();
        }
        if let Some(id) = id {
            self.places.insert(id.into(), self.document.len());
        }
        self.document.patch("add", &["-".to_owned()], Some(value), None);
        true
    }
}

/// The value with which a write begins again: of the class, or as the server passes it on.
fn overwrite<'v>(write: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let is_class = text(write, "$class").is_some_and(|class| class.ends_with(".Overwrite"));
    let is_type = text(write, "type") == Some("__overwrite__");
    let by_key = || write.get("__overwrite__").filter(|_| write.as_object().is_some_and(|object| object.len() == 1));
    let by_place = || write.get("args")?.as_array()?.first().filter(|_| is_class);
    write.get("value").filter(|_| is_class || is_type).or_else(by_place).or_else(by_key)
}

/// The id of a message.
fn message_id<'v>(value: &'v Value<'v>) -> Option<&'v str> {
    let message = value.get("kwargs").unwrap_or(value);
    let is_message = message.get("content").is_some() || is_removal(value);
    text(message, "id").filter(|_| is_message)
}

fn is_removal(value: &Value<'_>) -> bool {
    text(value, "$class").is_some_and(|class| class.ends_with(".RemoveMessage"))
        || text(value.get("kwargs").unwrap_or(value), "type") == Some("remove")
}

#[cfg(test)]
mod tests;
