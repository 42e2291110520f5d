//! JSON objects as they are written, member by member, no name twice.

use super::message_text::{Left, Member, is_nothing, lose};
use crate::json;
use std::collections::HashSet;

/// An object that is being written.
#[derive(Default)]
pub(super) struct Object {
    text: String,
    names: HashSet<String>,
}

impl Object {
    /// Adds a member; its value is JSON.
    pub(super) fn put(&mut self, name: &str, value: &str) {
        let comma = if self.text.is_empty() { "" } else { "," };
        self.text.extend([comma, &json::quote(name), ":", value]);
        self.names.insert(name.to_owned());
    }

    /// Adds members of the record that are left; one whose name is taken is counted, if it says something.
    pub(super) fn put_rest(&mut self, what: &str, members: &[Member], left: &mut Left) {
        for (name, value) in members {
            match self.names.contains(name) {
                false => self.put(name, value),
                true if is_nothing(value) => {}
                true => lose(left, what, name),
            }
        }
    }

    /// The object.
    pub(super) fn end(self) -> String {
        format!("{{{}}}", self.text)
    }
}
