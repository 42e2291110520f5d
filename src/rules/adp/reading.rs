//! One record, read: its shape and its steps.

use super::entry::Entry;
use super::links;
use super::shape::{Shape, Version, chat_key, shape};
use crate::json::{Data, Value};

/// A record as the rules see it.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The record.
    pub root: &'a Value<'a>,
    /// D2: its shape.
    pub shape: Shape,
    /// D3: its version, as a standardized trajectory.
    pub version: Version,
    /// The key of the array of its steps; None for a record of no known shape.
    pub body: Option<&'static str>,
    /// D19: its steps.
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Reading<'a> {
    /// D2, D19: reads a record.
    #[must_use]
    pub fn of(root: &'a Value<'a>) -> Self {
        let shape = shape(root);
        let body = match shape {
            Shape::Std => Some("content"),
            Shape::Chat => chat_key(root),
            Shape::Atif => Some("steps"),
            Shape::Other => None,
        };
        let read: fn(&'a Value<'a>) -> Entry<'a> = match shape {
            Shape::Std => Entry::item,
            Shape::Chat => Entry::message,
            Shape::Atif => Entry::turn,
            Shape::Other => Entry::record,
        };
        let mut entries: Vec<Entry<'a>> = match body {
            Some(key) => root.get(key).and_then(Value::as_array).unwrap_or_default().iter().map(read).collect(),
            None => vec![read(root)],
        };
        links::settle(&mut entries);
        Self { root, shape, version: Version::of(root), body, entries }
    }

    /// D15, D22: the record's own id and its key: strings and integers.
    #[must_use]
    pub fn id(&self) -> Option<(&'static str, &'a Value<'a>)> {
        let keys: &[&'static str] = match self.shape {
            Shape::Atif => &["trajectory_id", "session_id"],
            _ => &["id"],
        };
        let is_id = |v: &Value<'_>| match &v.data {
            Data::String(_) => true,
            Data::Number => !v.text.contains(['.', 'e', 'E']),
            _ => false,
        };
        keys.iter().find_map(|&key| self.root.get(key).filter(|v| is_id(v)).map(|v| (key, v)))
    }

    /// D17: the system prompt of a conversation, which is no step.
    #[must_use]
    pub fn system_prompt(&self) -> Option<&'a Value<'a>> {
        let prompt = self.root.get("system").filter(|v| v.as_str().is_some());
        prompt.filter(|_| self.shape == Shape::Chat)
    }
}
