//! One record, read: its shape and its steps.

use super::entry::Entry;
use super::links;
use super::number;
use super::shape::{Shape, Version, bare_pointer, chat_pointer, shape};
use crate::json::{Data, Value};

/// Members by which records are told apart, the first that is there counts. Several attempts at one task share an
/// `instance_id` or a `task_id`, so that these are no ids of their own (D15).
const IDS: [&str; 7] = ["id", "trajectory_id", "session_id", "conversation_id", "uuid", "instance_id", "task_id"];

/// The id of a record, or what stands for one: a string or a whole number.
#[must_use]
pub fn record_id<'a>(root: &'a Value<'a>) -> Option<&'a Value<'a>> {
    IDS.iter().find_map(|key| root.get(key).filter(|value| is_id(value)))
}

fn is_id(value: &Value<'_>) -> bool {
    match &value.data {
        Data::String(_) => true,
        Data::Number => !value.text.contains(['.', 'e', 'E']),
        _ => false,
    }
}

/// Members of a conversation's record that hold its reward: as a number, and as true or false, which are 1 and 0.
const GRADES: [&str; 2] = ["reward", "score"];
const OUTCOMES: [&str; 2] = ["resolved", "target"];

/// A way to read records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// D2, to the letter: [`Reading::of`].
    #[default]
    Protocol,
    /// Bare messages are a conversation too: [`Reading::of_bare`].
    Bare,
}

impl Way {
    /// Reads a record so.
    #[must_use]
    pub fn read<'a>(self, root: &'a Value<'a>) -> Reading<'a> {
        match self {
            Self::Protocol => Reading::of(root),
            Self::Bare => Reading::of_bare(root),
        }
    }
}

/// What stands at a pointer of [`Reading::body`].
fn steps<'a>(root: &'a Value<'a>, pointer: &str) -> Option<&'a Value<'a>> {
    pointer.strip_prefix('/').map_or(Some(root), |key| root.get(key))
}

/// A record as the rules see it.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The record.
    pub root: &'a Value<'a>,
    /// D2: its shape.
    pub shape: Shape,
    /// D3: its version, as a standardized trajectory.
    pub version: Version,
    /// The pointer to the array of its steps, `""` where the record is that; None for a record of no known shape.
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
            Shape::Std => Some("/content"),
            Shape::Chat => chat_pointer(root),
            Shape::Atif => Some("/steps"),
            Shape::Other => None,
        };
        Self::with(root, shape, body)
    }

    /// The same, and a bare array of messages is a conversation too, also as `traj` of a record.
    #[must_use]
    pub fn of_bare(root: &'a Value<'a>) -> Self {
        match bare_pointer(root) {
            Some(pointer) => Self::with(root, Shape::Chat, Some(pointer)),
            None => Self::of(root),
        }
    }

    fn with(root: &'a Value<'a>, shape: Shape, body: Option<&'static str>) -> Self {
        let read: fn(&'a Value<'a>) -> Entry<'a> = match shape {
            Shape::Std => Entry::item,
            Shape::Chat => Entry::message,
            Shape::Atif => Entry::turn,
            Shape::Other => Entry::record,
        };
        let mut entries: Vec<Entry<'a>> = match body {
            Some(pointer) => {
                steps(root, pointer).and_then(Value::as_array).unwrap_or_default().iter().map(read).collect()
            }
            None => vec![read(root)],
        };
        links::settle(&mut entries);
        Self { root, shape, version: Version::of(root), body, entries }
    }

    /// The array of its steps.
    #[must_use]
    pub fn steps(&self) -> Option<&'a Value<'a>> {
        steps(self.root, self.body?)
    }

    /// D15, D22: the record's own id and its key: strings and integers.
    #[must_use]
    pub fn id(&self) -> Option<(&'static str, &'a Value<'a>)> {
        let keys: &[&'static str] = match self.shape {
            Shape::Atif => &["trajectory_id", "session_id"],
            _ => &["id"],
        };
        keys.iter().find_map(|&key| self.root.get(key).filter(|v| is_id(v)).map(|v| (key, v)))
    }

    /// What the record is called: its own id, else the first name of [`record_id`].
    #[must_use]
    pub fn name(&self) -> Option<&'a Value<'a>> {
        self.id().map(|(_, id)| id).or_else(|| record_id(self.root))
    }

    /// The reward of a conversation as a whole, where its messages have none: what the record says of how it went.
    #[must_use]
    pub fn outcome(&self) -> Option<f64> {
        let is_outcome = |value: &&Value<'_>| matches!(value.data, Data::Bool(_));
        let graded = || GRADES.iter().find_map(|key| self.root.get(key).and_then(number::number));
        let judged = || OUTCOMES.iter().find_map(|key| self.root.get(key).filter(is_outcome).and_then(number::number));
        let found = (self.shape == Shape::Chat).then(|| graded().or_else(judged))??;
        Some(found.value)
    }

    /// D17: the system prompt of a conversation, which is no step.
    #[must_use]
    pub fn system_prompt(&self) -> Option<&'a Value<'a>> {
        let prompt = self.root.get("system").filter(|v| v.as_str().is_some());
        prompt.filter(|_| self.shape == Shape::Chat)
    }
}
